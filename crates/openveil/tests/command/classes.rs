//! `openveil audit`: rows that look alike, with wildcards, by subsets of columns, and with numbered
//! groups.

use super::support::*;
use serde_json::Value;
use std::fs;

/// A suppressed cell may stand for any value: each row is counted with all rows that match it.
#[test]
fn suppressed_cells_match_every_value() {
    let folder = folder();
    let table = "age,sex,job\n30,f,a\n30,*,b\n40,m,c\nNA,m,d\n";
    fs::write(folder.path().join("t.csv"), table).unwrap();
    let audit = |more: &[&str]| {
        let usual = ["audit", "t.csv", "--sensitive", "job", "--json"];
        json(&openveil(folder.path(), &[&usual, more].concat()).stdout)
    };
    assert_eq!((&audit(&[])["k"], &audit(&[])["uniqueness"]), (&1.into(), &1.0.into()));
    // (30, *) matches (30, f), (NA, m) and itself, the others match one more row each.
    let report = audit(&["--wildcard", "--subsets", "2"]);
    assert_eq!((&report["k"], &report["uniqueness"]), (&2.into(), &0.0.into()));
    let average = report["risk"]["prosecutor"]["average"].as_f64().unwrap();
    assert!((average - (0.5 + 1.0 / 3.0 + 0.5 + 1.0 / 3.0) / 4.0).abs() < 1e-12);
    let expected = serde_json::json!([
        { "columns": ["age"], "groups": 3, "k": 2, "uniqueness": 0.0 },
        { "columns": ["sex"], "groups": 3, "k": 2, "uniqueness": 0.0 },
        { "columns": ["age", "sex"], "groups": 4, "k": 2, "uniqueness": 0.0 },
    ]);
    assert_eq!(report["subsets"], expected);
}

#[test]
fn every_subset_of_known_columns_is_measured() {
    let folder = folder();
    let path = folder.path();
    let usual = ["audit", "people.csv", "--sensitive", "job", "--qi", "age,sex,name"];
    let audit = |most: &str| openveil(path, &[&usual[..], &["--subsets", most, "--json"]].concat());
    let report = json(&audit("2").stdout);
    let found: Vec<(String, u64, f64)> = report["subsets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| {
            let names: Vec<&str> =
                own["columns"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            (names.join(" "), own["k"].as_u64().unwrap(), own["uniqueness"].as_f64().unwrap())
        })
        .collect();
    let expected = [
        ("age", 2, 0.0),
        ("sex", 50, 0.0),
        ("name", 1, 1.0),
        ("age sex", 2, 0.0),
        ("age name", 1, 1.0),
        ("sex name", 1, 1.0),
    ]
    .map(|(names, k, alone)| (names.to_owned(), k, alone));
    assert_eq!(found, expected);
    assert_eq!(json(&audit("9").stdout)["subsets"].as_array().unwrap().len(), 7);
    let said = text(&openveil(path, &[&usual[..], &["--subsets", "1"]].concat()).stdout);
    assert!(said.contains("known columns") && said.contains("rows alone"), "{said}");
    // Rows of sliced columns do not belong to one person.
    fs::write(path.join("policy.toml"), format!("{POLICY}[output]\nstyle = \"slice\"\n")).unwrap();
    assert!(openveil(path, &["publish", "policy.toml"]).status.success());
    let refused = complaint(path, &["audit", "out", "--subsets", "2"]);
    assert!(refused.contains("ask for `--subsets 1`"), "{refused}");
    assert!(openveil(path, &["audit", "out", "--subsets", "1"]).status.success());
}

/// A column that numbers groups may be wrong: readers compare cells.
#[test]
fn groups_by_number_stand_beside_groups_by_cells() {
    let folder = folder();
    let path = folder.path();
    let table = "age,sex,job,group\n20,f,a,1\n20,f,b,1\n20,f,c,2\n33,m,d,2\n";
    fs::write(path.join("t.csv"), table).unwrap();
    let audit =
        |more: &[&str]| openveil(path, &[&["audit", "t.csv", "--sensitive", "job"], more].concat());
    let report = json(&audit(&["--json"]).stdout);
    assert_eq!((&report["k"], &report["grouped_by"][0]), (&2.into(), &"group".into()));
    let expected = serde_json::json!({
        "columns": ["age", "sex"], "groups": 2, "k": 1, "uniqueness": 0.25, "separation": 0.5,
        "mixed_groups": 1,
    });
    assert_eq!(report["by_cells"], expected);
    let said = text(&audit(&[]).stdout);
    assert!(said.contains("In 1 numbered group, rows have different cells"), "{said}");
    let report = json(&audit(&["--qi", "age,sex", "--json"]).stdout);
    assert_eq!((&report["k"], &report["by_cells"]), (&1.into(), &Value::Null));
}

/// Three values of seven people each: with l = 3, a group has as many people with each value, so
/// none of ten or eleven can be cut off. The plan says so before the run, whoever has which value.
#[test]
fn a_plan_says_where_only_totals_can_be_shown() {
    let columns = "[columns]\nage = { role = \"quasi-identifier\", type = \"integer\" }\nill = { role = \"sensitive\" }\n";
    let privacy = "[privacy]\nmodel = \"l-diversity\"\nl = 3\nsmallest-group = 10\n";
    let policy = format!("[input]\npath = \"t.csv\"\nrows-are-people = true\n{columns}{privacy}");
    let plans = [1, 7].map(|run| {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("policy.toml"), &policy).unwrap();
        let rows = (0..21).map(|row| format!("{row},{}\n", ["a", "b", "c"][row / run % 3]));
        let table = format!("age,ill\n{}", rows.collect::<String>());
        fs::write(folder.join("t.csv"), table).unwrap();
        let plan = openveil(folder, &["publish", "policy.toml", "--dry-run", "--json"]);
        assert_eq!(plan.status.code(), Some(0), "{}", text(&plan.stderr));
        json(&plan.stdout)
    });
    assert_eq!(plans[0], plans[1]);
    let forecast = &plans[0]["groups_forecast"];
    assert_eq!(forecast[0]["only_totals"], true, "{forecast}");
    assert_eq!(forecast[1]["l"], 2, "{forecast}");
    let warnings = plans[0]["warnings"].to_string();
    assert!(warnings.contains("with l = 2 there would be about 2 groups"), "{warnings}");
}
