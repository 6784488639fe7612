//! A table that is published repeatedly, from the owner's point of view.

mod people;
mod state;
mod waiting;

use super::support::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn folder_with_history() -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("policy.toml"), format!("{POLICY}{HISTORY}")).unwrap();
    folder
}

/// Writes the rows of the table, each with a person's number, which determines the values.
fn write(folder: &Path, people: impl IntoIterator<Item = usize>) {
    let mut text = String::from("name,age,sex,job\n");
    for person in people {
        let job = ["clerk", "nurse", "smith", "judge"][person % 4];
        let sex = ["f", "m"][person % 2];
        text += &format!("p{person},{},{sex},{job}\n", 20 + person * 7 % 50);
    }
    fs::write(folder.join("people.csv"), text).unwrap();
}

fn publish(folder: &Path) -> Value {
    let output = openveil(folder, &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    keeps_what_it_says(folder);
    manifest(folder)
}

fn manifest(folder: &Path) -> Value {
    let manifest = fs::read(folder.join("out/release/manifest.json")).unwrap();
    serde_json::from_slice(&manifest).unwrap()
}

/// Returns the values of every group of a release.
fn groups(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let release = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let mut lines = release.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| header.iter().position(|&own| own == name).unwrap();
    let (group, job) = (place("group"), place("job"));
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        // Cells with commas are quoted; the last columns contain none.
        let cells: Vec<&str> = line.rsplitn(header.len() - job.min(group) + 1, ',').collect();
        let cell = |place: usize| cells[header.len() - 1 - place].to_owned();
        groups.entry(cell(group)).or_default().push(cell(job));
    }
    groups
}
