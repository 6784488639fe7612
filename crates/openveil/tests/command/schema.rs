//! `openveil schema check`: exit codes, JSON and words.

use super::support::text;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const RULES: &str = r#"
[[rules]]
given = ["gender", "icd"]
protect = "zipcode"
"#;

fn check(folder: &Path, tables: &str, more: &[&str]) -> Output {
    fs::write(folder.join("schema.toml"), format!("{RULES}{tables}")).unwrap();
    Command::new(env!("CARGO_BIN_EXE_openveil"))
        .current_dir(folder)
        .args(["schema", "check", "schema.toml"])
        .args(more)
        .output()
        .unwrap()
}

#[test]
fn a_schema_that_keeps_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let tables =
        "[[tables]]\ncolumns = [\"gender\", \"icd\"]\n[[tables]]\ncolumns = [\"zipcode\"]\n";
    let output = check(folder.path(), tables, &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["normal_form"], true);
    assert_eq!(report["rules"][0]["by"], "unreachable");
    let output = check(folder.path(), tables, &[]);
    assert!(text(&output.stdout).starts_with("In guardian normal form"));
}

#[test]
fn a_schema_that_may_leak() {
    let folder = tempfile::tempdir().unwrap();
    let tables = r#"
[[tables]]
columns = ["gender", "icd", "hospital"]
[[tables]]
columns = ["hospital", "zipcode"]
"#;
    let output = check(folder.path(), tables, &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["normal_form"], false);
    let leak = serde_json::json!(["gender", "hospital", "zipcode"]);
    assert_eq!((&report["rules"][0]["holds"], &report["rules"][0]["leak"]), (&false.into(), &leak));
    let output = check(folder.path(), tables, &[]);
    let words = text(&output.stdout);
    assert!(words.contains("gender –tables[0]– hospital –tables[1]– zipcode"), "{words}");
}

#[test]
fn bad_schemas_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = check(folder.path(), "[[tables]]\ncolums = [\"gender\"]\n", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("schema.toml, line 6: unknown key `colums`"), "{message}");
    assert!(message.contains("did you mean `columns`?"), "{message}");
    fs::remove_file(folder.path().join("schema.toml")).unwrap();
    let absent = Command::new(env!("CARGO_BIN_EXE_openveil"))
        .current_dir(folder.path())
        .args(["schema", "check", "schema.toml"])
        .output()
        .unwrap();
    assert_eq!(absent.status.code(), Some(2));
    assert!(text(&absent.stderr).contains("there is no such file"));
}
