//! Releases in several lots: the manifest's statements about columns are true for the groups.

use super::*;
use openveil_publication::Options;
use std::collections::BTreeMap;

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
town = { role = "quasi-identifier" }
ill = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 3
[algorithm]
name = "cover"
effort = 0
"#;

fn people(rows: usize) -> String {
    let mut text = String::from("age,town,ill\n");
    for row in 0..rows {
        let (age, town) = (20 + row * 7 % 61, row * row % 11);
        text.push_str(&format!("{age},t{town},i{}\n", row * 31 % 97 % 10));
    }
    text
}

/// Publishes a table, and checks that every group has one value of every column.
fn layout(rows: usize, policy: &str, memory: Option<u64>) -> (Layout, Manifest) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(rows)).unwrap();
    let policy = Policy::parse(policy, &folder.path().join("policy.toml")).unwrap();
    let options = Options {
        test_seed: Some(7),
        memory,
        ..Options::default()
    };
    publish::run(&policy, options, &Nobody).unwrap();
    let place = folder.path().join("out");
    let is_chunked = !place.join("release/report.html").exists();
    assert_eq!(is_chunked, memory.is_some());
    let found = ReleaseFolder::read(&(&place).into()).unwrap();
    let [table] = &found.tables[..] else {
        panic!("one table");
    };
    let layout = table.layout.clone().expect("columns have several values");
    let values = table.values.as_ref().expect("the anatomy style");
    let ill = values.lines.columns.iter().find(|own| own.name == "ill");
    let ill = ill.unwrap();
    let mut units = layout.units.iter();
    let (mut unit, mut left) = (units.next().unwrap(), layout.units[0].groups);
    for lines in values.groups.rows.iter() {
        if left == 0 {
            unit = units.next().unwrap();
            left = unit.groups;
        }
        left -= 1;
        if unit.columns.is_empty() {
            continue;
        }
        let mut taken: BTreeMap<usize, u32> = BTreeMap::new();
        for &line in lines {
            let value = ill.values.get(ill.codes[line as usize]);
            let at = layout.values.iter().position(|own| own == value).unwrap();
            let mut columns = unit.columns.iter();
            let column = columns.position(|column| column.contains(&at)).unwrap();
            *taken.entry(column).or_default() += values.counts[line as usize];
        }
        assert_eq!(taken.len(), unit.columns.len());
        assert!(taken.values().all(|&rows| rows == 1));
    }
    assert!(left == 0 && units.next().is_none());
    (layout, found.manifest)
}

#[test]
fn the_manifest_says_which_values_share_a_column() {
    let policy = format!("{POLICY}lots = 12\n[output]\nstyle = \"anatomy\"\n");
    let (found, manifest) = layout(3_000, &policy, None);
    let mixed = found.units.iter().filter(|unit| !unit.columns.is_empty());
    assert!(mixed.count() > 6, "{found:?}");
    let parameters = manifest.parameters.unwrap();
    assert_eq!((parameters.effort, parameters.lots), (0, Some(12)));
    assert_eq!(parameters.lots_rule, None);
}

#[test]
fn the_rule_parts_a_table_where_values_are_exact() {
    let policy = format!("{POLICY}[output]\nstyle = \"anatomy\"\n");
    let (found, manifest) = layout(3_000, &policy, None);
    // 1,000 groups: eight lots, some of which may have one composition.
    let mixed = found.units.iter().filter(|unit| !unit.columns.is_empty());
    assert!((4..20).contains(&mixed.count()), "{found:?}");
    assert_eq!(manifest.parameters.unwrap().lots_rule, Some(120));
}

/// Chunk by chunk: units are in the order of parts.
#[test]
fn parts_say_it_one_after_the_other() {
    let policy = format!("{POLICY}lots = 12\n[output]\nstyle = \"anatomy\"\n");
    let (found, manifest) = layout(60_000, &policy, Some(1 << 20));
    assert_eq!(manifest.groups, 20_000);
    assert!(found.units.len() >= 11, "{} units", found.units.len());
}
