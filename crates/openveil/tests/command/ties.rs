//! Rows that share their sensitive value: households.

use super::support::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const TIES: &str = "[ties]\nid = \"name\"\n";

/// Households of one to three people with one job each; everybody is known by age and sex.
fn households(number: usize) -> String {
    let mut text = String::from("name,age,sex,job\n");
    for house in 0..number {
        let job = ["clerk", "nurse", "smith", "judge", "pilot"][house / 3 % 5];
        for person in 0..=house % 3 {
            let (age, sex) = (3 * house + person, ["f", "m"][person % 2]);
            text += &format!("h{house},{age},{sex},{job}\n");
        }
    }
    text
}

fn folder_with(table: &str, more: &str) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let policy = format!("{}{more}", POLICY.replace("l = 3", "l = 4"));
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

fn refused(folder: &Path) -> String {
    let output = openveil(folder, &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(!folder.join("out/release").exists());
    text(&output.stderr)
}

/// Returns the values of each group, and the group of each age.
fn groups(folder: &Path) -> (BTreeMap<String, BTreeSet<String>>, BTreeMap<String, String>) {
    let read = |name: &str| fs::read_to_string(folder.join("out/release").join(name)).unwrap();
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let table = read("release-values.csv");
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        values.entry(cells[0].to_owned()).or_default().insert(cells[1].to_owned());
    }
    let table = read("release.csv");
    let people = table.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].to_owned(), cells[cells.len() - 1].to_owned())
    });
    (values, people.collect())
}

/// A reader who knows everybody's age and household intersects the groups of a household.
#[test]
fn who_knows_households_learns_no_more() {
    let table = households(180);
    let anatomy = "[output]\nstyle = \"anatomy\"\n";
    let left = |ties: &str| {
        let folder = folder_with(&table, &format!("{ties}{anatomy}"));
        let manifest = published(folder.path());
        let (values, group_of) = groups(folder.path());
        let mut left: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for line in table.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let own = &values[&group_of[cells[1]]];
            let known = left.entry(cells[0]).or_insert_with(|| own.clone());
            *known = known.intersection(own).cloned().collect();
        }
        (manifest, left.values().map(BTreeSet::len).min().unwrap())
    };
    let (manifest, least) = left(TIES);
    assert!(least >= 4, "{least} values are left");
    let sizes = serde_json::json!([
        { "rows": 1, "ties": 60, "smallest_group": 7 },
        { "rows": 2, "ties": 60, "smallest_group": 7 },
        { "rows": 3, "ties": 60, "smallest_group": 7 },
    ]);
    assert_eq!(manifest["ties"]["sizes"], sizes);
    assert_eq!(manifest["guarantee"]["max_posterior"], "1/4");
    assert_eq!(manifest["guarantee"]["adversary"], "knows-algorithm");
    let statement = manifest["guarantee"]["statement"].as_str().unwrap();
    assert!(statement.contains("rows with one value of `name` are tied"), "{statement}");
    // The control: a policy that treats the rows as unrelated.
    let unrelated =
        POLICY.replace("l = 3", "l = 4").replace("[columns]", "rows-are-people = true\n[columns]");
    let folder = folder_with(&table, "");
    fs::write(folder.path().join("policy.toml"), format!("{unrelated}{COVER}{anatomy}")).unwrap();
    published(folder.path());
    let (values, group_of) = groups(folder.path());
    let of = |age: usize| &values[&group_of[&age.to_string()]];
    let apart = (0..180)
        .filter(|house| house % 3 > 0)
        .filter(|house| of(3 * house).intersection(of(3 * house + 1)).count() < 4);
    assert!(apart.count() > 10, "the control finds nothing");
}

/// `attack --ties` simulates this reader: it finds people without [ties], and nobody with it.
#[test]
fn the_attack_on_ties_finds_nobody_where_they_are_kept() {
    let table = households(180);
    let anatomy = "[output]\nstyle = \"anatomy\"\n";
    let attacked = |folder: &Path, words: &[&str]| {
        let attack = ["attack", "out", "--policy", "policy.toml", "--json", "--ties"];
        let output = openveil(folder, &[&attack[..], words].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        json(&output.stdout)
    };
    let kept = folder_with(&table, &format!("{TIES}{anatomy}"));
    published(kept.path());
    // Without the option, other readers attack too.
    let all = ["attack", "out", "--policy", "policy.toml", "--json"];
    let all = json(&openveil(kept.path(), &all).stdout);
    assert_eq!((&all["ties"]["ties"], &all["rerun"]["kind"]), (&120.into(), &"none".into()));
    assert!(all["homogeneity"]["groups"] == 0 && all["promise_broken"] == false, "{all}");
    let found = attacked(kept.path(), &[]);
    assert_eq!(found["ties"], 120);
    for key in ["certain", "fewer_than_a_row", "above_bound", "not_found"] {
        assert_eq!(found[key], 0, "{found}");
    }
    let unrelated =
        POLICY.replace("l = 3", "l = 4").replace("[columns]", "rows-are-people = true\n[columns]");
    let folder = folder_with(&table, "");
    let policy = format!("{unrelated}{COVER}{anatomy}");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let output = openveil(folder.path(), &["publish", "policy.toml"]);
    let warned = text(&output.stdout) + &text(&output.stderr);
    assert!(warned.contains("have the same value of `job`"), "{warned}");
    let found = attacked(folder.path(), &["name"]);
    assert!(found["fewer_than_a_row"].as_u64().unwrap() > 10, "{found}");
    let said = complaint(folder.path(), &["attack", "out", "--policy", "policy.toml", "--ties"]);
    assert!(said.contains("it is not known which rows belong together"), "{said}");
}

#[test]
fn every_style_keeps_ties() {
    for style in ["generalize", "slice", "anatomy"] {
        let more = format!("{TIES}[output]\nstyle = \"{style}\"\n");
        let folder = folder_with(&households(180), &more);
        let manifest = published(folder.path());
        assert_eq!(manifest["rows"], 360, "{style}");
        let output = openveil(folder.path(), &["publish", "policy.toml", "--dry-run"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

/// Answers use the release alone. Worlds are published in groups of about the same size.
#[test]
fn answers_have_estimates_and_worlds() {
    let folder = folder_with(&households(1_440), TIES);
    published(folder.path());
    let output = openveil(folder.path(), &["query", "out", "--by", "sex,job", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let cells = json(&output.stdout);
    let cells = cells["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 10);
    assert!(cells.iter().all(|cell| cell["method"] == "fit-and-worlds"), "{cells:?}");
}

#[test]
fn what_ties_cannot_be_is_said() {
    let table = households(180);
    let other = table.replacen("h1,4,m,clerk", "h1,4,m,judge", 1);
    assert_ne!(other, table);
    let message = refused(folder_with(&other, TIES).path());
    assert!(message.contains("differs within the tie `h1` of `name`"), "{message}");
    assert!(message.contains("people") && message.contains("[persons]"), "{message}");
    let message = refused(folder_with(&table.replace("h7,", ","), TIES).path());
    assert!(message.contains("is empty in some rows"), "{message}");
    let message = refused(folder_with(&table, "[ties]\nid = \"age\"\n").path());
    assert!(message.contains("give the column the role `identifier`"), "{message}");
    let message = refused(folder_with(&table, &format!("{TIES}largest = 0\n")).path());
    assert!(message.contains("`largest = 0` under [ties] leaves no rows"), "{message}");
}

/// Sizes that cannot be published separately are named, and may be joined.
#[test]
fn large_ties_are_joined() {
    let table = format!(
        "{}big,900,f,clerk\nbig,901,m,clerk\nbig,902,f,clerk\nbig,903,m,clerk\n",
        households(180)
    );
    let folder = folder_with(&table, TIES);
    let message = refused(folder.path());
    assert!(message.contains("1 of 4 sizes of ties by name cannot be published"), "{message}");
    let line = "ties of 4 rows: only 1 value occurs; no l of 2 or more is possible";
    assert!(message.contains(line), "{message}");
    assert!(message.contains("`largest = N` under [ties]"), "{message}");
    let folder = folder_with(&table, &format!("{TIES}largest = 3\n"));
    let manifest = published(folder.path());
    assert_eq!((&manifest["rows"], &manifest["omitted"]["rows"]), (&363.into(), &1.into()));
    assert_eq!(manifest["ties"]["largest"], 3);
    let sizes = manifest["ties"]["sizes"].as_array().unwrap();
    assert_eq!(sizes[2], serde_json::json!({ "rows": 3, "ties": 61, "smallest_group": 7 }));
}
