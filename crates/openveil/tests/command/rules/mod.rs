//! Publishes several tables by rules, queries and attacks them.

mod attack;
mod publish;
mod query;

use super::support::{complaint, json, openveil, refused, rewrite, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "attribute", type = "integer" }
sex = { role = "attribute" }
race = { role = "attribute" }
job = { role = "attribute" }
zip = { role = "attribute" }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 3
[[rules]]
given = ["age", "sex"]
protect = "job"
[[rules]]
given = ["job"]
protect = "zip"
l = 2
"#;

pub fn people(rows: usize) -> String {
    let mut text = String::from("name,age,sex,race,job,zip\n");
    for row in 0..rows {
        let job = ["clerk", "nurse", "smith", "judge"][row * 7 % 4];
        let race = ["black", "white", "asian"][row / 3 % 3];
        let zip = ["71000", "72000", "73000"][row / 5 % 3];
        let (age, sex) = (20 + row * 3 % 50, ["f", "m"][row % 2]);
        text.push_str(&format!("p{row},{age},{sex},{race},{job},{zip}\n"));
    }
    text
}

pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(120)).unwrap();
    fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    folder
}

pub fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = openveil(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

pub fn manifest(folder: &Path) -> Value {
    let file = fs::read_to_string(folder.join("out/release/manifest.json")).unwrap();
    serde_json::from_str(&file).unwrap()
}

/// Returns the rows of a file, sorted, on some columns.
pub fn rows(path: &Path, columns: &[&str]) -> Vec<Vec<String>> {
    let file = fs::read_to_string(path).unwrap();
    let mut lines = file.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let at = |column: &&str| header.iter().position(|name| name == column).unwrap();
    let places: Vec<usize> = columns.iter().map(at).collect();
    let row = |line: Vec<&str>| places.iter().map(|&at| line[at].to_owned()).collect();
    let mut rows: Vec<Vec<String>> = lines.map(row).collect();
    rows.sort();
    rows
}

pub fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}
