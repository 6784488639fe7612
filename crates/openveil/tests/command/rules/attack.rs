//! The intersection of several published tables.

use super::*;
use crate::support::COVER;

/// The paper's Table 1 and its three rules.
const TABLE_1: &str = "hospital,age,gender,zipcode,race,icd
111111,37,F,71000,asian,HIV
111111,71,M,72000,white,diabetes
222222,55,F,73000,black,diabetes
222222,37,F,74000,white,flu
333333,23,M,71000,black,alcoholism
333333,37,M,72000,white,HIV
";

const RUNNING: &str = r#"
[input]
path = "people.csv"
[columns]
hospital = { role = "attribute" }
age = { role = "attribute" }
gender = { role = "attribute" }
zipcode = { role = "attribute" }
race = { role = "attribute" }
icd = { role = "attribute" }
[privacy]
model = "l-diversity"
l = 2
[[rules]]
given = ["age", "icd"]
protect = "race"
[[rules]]
given = ["gender", "icd"]
protect = "zipcode"
[[rules]]
given = ["hospital", "race"]
protect = "zipcode"
"#;

/// Puts the running example into a folder and publishes it.
fn running_example() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), TABLE_1).unwrap();
    fs::write(folder.path().join("policy.toml"), format!("{RUNNING}{COVER}")).unwrap();
    done(folder.path(), &["publish", "policy.toml"]);
    folder
}

/// Replaces the tables of the release: columns, groups of rows and their values, in Table 1's order
/// of rows.
fn print_tables(folder: &Path, tables: &[([&str; 3], [[usize; 2]; 3])]) {
    let mut manifest = manifest(folder);
    let lines: Vec<Vec<&str>> = TABLE_1.lines().map(|line| line.split(',').collect()).collect();
    let cell = |row: usize, column: &str| {
        let at = lines[0].iter().position(|name| *name == column).unwrap();
        lines[row][at]
    };
    let mut entries = Vec::new();
    for (number, ([first, second, secret], groups)) in tables.iter().enumerate() {
        let name = format!("table-{}", number + 1);
        let mut main = format!("{first},{second},group\n");
        let mut values = format!("group,{secret},count\n");
        for (group, rows) in groups.iter().enumerate() {
            for &row in rows {
                let (a, b, s) = (cell(row, first), cell(row, second), cell(row, secret));
                main.push_str(&format!("{a},{b},{}\n", group + 1));
                values.push_str(&format!("{},{s},1\n", group + 1));
            }
        }
        let files = [format!("{name}.csv"), format!("{name}-values.csv")];
        fs::write(folder.join("out/release").join(&files[0]), main).unwrap();
        fs::write(folder.join("out/release").join(&files[1]), values).unwrap();
        entries.push(serde_json::json!({
            "name": name, "columns": [first, second, secret], "rows": 6, "groups": 3,
            "files": files, "enforces": { "given": [first, second], "protect": [secret], "model": "" },
        }));
    }
    manifest["tables"] = entries.into();
    fs::write(folder.join("out/release/manifest.json"), manifest.to_string()).unwrap();
}

#[test]
fn intersecting_table_2_finds_the_four_and_our_own_tables_nobody() {
    let folder = running_example();
    let path = folder.path();
    let arguments = ["attack", "out", "--policy", "policy.toml", "--json", "--owner"];
    let report: Value = serde_json::from_str(&done(path, &arguments)).unwrap();
    assert_eq!(report["promise_broken"], false);
    assert_eq!(report["groups_tell_all"], true);
    for rule in report["rules"].as_array().unwrap() {
        assert_eq!((&rule["method"], &rule["certain"]), (&"worlds".into(), &0.into()));
        assert_eq!(rule["above_bound"], 0);
    }
    let tables = [
        (["age", "icd", "race"], [[1, 6], [5, 4], [3, 2]]),
        (["gender", "icd", "zipcode"], [[1, 6], [5, 4], [3, 2]]),
        (["hospital", "race", "zipcode"], [[1, 3], [4, 2], [6, 5]]),
    ];
    print_tables(path, &tables);
    let output = openveil(path, &arguments);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let third = &report["rules"][2];
    assert_eq!(third["rows"], serde_json::json!([1, 3, 5, 6]), "{third}");
    let exempt = RUNNING.replace(
        "zipcode = { role = \"attribute\" }",
        "zipcode = { role = \"attribute\", exempt = [\"71000\", \"72000\"] }",
    );
    fs::write(path.join("exempt.toml"), exempt).unwrap();
    let arguments_exempt = arguments.map(|word| word.replace("policy.toml", "exempt.toml"));
    let output = openveil(path, &arguments_exempt.each_ref().map(String::as_str));
    let third = &json(&output.stdout)["rules"][2];
    assert_eq!(third["rows"], serde_json::json!([3]), "{third}");
    assert_eq!((&third["certain"], &third["certain_exempt"]), (&1.into(), &3.into()));
    let told = openveil(path, &arguments[..4]);
    assert!(text(&told.stdout).contains("hospital, race → zipcode"), "{}", text(&told.stdout));
}

/// `safe` also discloses by its refusals, which groups do not show; the report states this.
#[test]
fn who_is_not_played_is_told() {
    let folder = running_example();
    let path = folder.path();
    let arguments = ["publish", "policy.toml", "--algorithm", "safe", "--out", "safe"];
    done(path, &arguments);
    let told = done(path, &["attack", "safe", "--policy", "policy.toml"]);
    assert!(told.contains("choice of `safe` discloses"), "{told}");
}

#[test]
fn attacks_on_larger_releases_rule_values_out() {
    let folder = folder();
    let path = folder.path();
    done(path, &["publish", "policy.toml"]);
    let told = done(path, &["attack", "out", "--policy", "policy.toml"]);
    assert!(told.contains("ruled out person by person"), "{told}");
    let message = complaint(path, &["attack", "out", "out", "--policy", "policy.toml"]);
    assert!(message.contains("not several releases"), "{message}");
    let single = "[input]\npath = \"people.csv\"\n[columns]\nage = { role = \"quasi-identifier\" }\nsex = { role = \"drop\" }\nrace = { role = \"drop\" }\njob = { role = \"sensitive\" }\nzip = { role = \"drop\" }\nname = { role = \"drop\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    fs::write(path.join("single.toml"), single).unwrap();
    let message = complaint(path, &["attack", "out", "--policy", "single.toml"]);
    assert!(message.contains("several tables with rules"), "{message}");
}
