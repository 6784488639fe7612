//! Releases checked against themselves: unmodified ones pass, and every edit is found.

mod edits;
mod entries;
mod evidence;
mod untouched;

use super::rules;
use super::support::*;
use openveil_io::release_dir::write::{Manifest, write_json};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Publishes the usual table with a changed policy and more options.
fn published(change: &dyn Fn(String) -> String, more: &[&str]) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("policy.toml"), change(POLICY.to_owned())).unwrap();
    done(folder.path(), &[&["publish", "policy.toml"], more].concat());
    folder
}

fn done(folder: &Path, arguments: &[&str]) {
    let output = openveil(folder, arguments);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
}

/// Without its owner's folder: only the release itself can show edits.
fn alone(output: &str) -> tempfile::TempDir {
    let change = |policy: String| match output {
        STRATA => policy.replace("l = 3\n", STRATA),
        output => policy + output,
    };
    let folder = published(&change, &["--no-report", "--test-seed", "1"]);
    fs::remove_dir_all(folder.path().join("out/owner")).unwrap();
    folder
}

/// Returns the findings of an audit of a modified release; a report refuses it.
fn found(folder: &Path) -> String {
    let audited = openveil(folder, &["audit", "out", "--json"]);
    let reported = openveil(folder, &["report", "out"]);
    for output in [&audited, &reported] {
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    }
    let Ok(report) = serde_json::from_slice::<Value>(&audited.stdout) else {
        return text(&audited.stderr);
    };
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}

fn manifest(folder: &Path, edit: &dyn Fn(&mut Value)) {
    let path = folder.join("out/release/manifest.json");
    let mut manifest = json(&fs::read(&path).unwrap());
    edit(&mut manifest);
    // In the form that `publish` writes, so that the text itself shows no edit.
    let manifest: Manifest = serde_json::from_value(manifest).unwrap();
    write_json(&path, &manifest).unwrap();
}

/// Changes the rows of a table, split into fields; its cells have no commas.
fn rows(folder: &Path, file: &str, edit: &dyn Fn(&mut Vec<Vec<String>>)) {
    let path = folder.join("out/release").join(file);
    let table = fs::read_to_string(&path).unwrap();
    let delimiter = if table.contains(';') { ";" } else { "," };
    let fields = |line: &str| line.split(delimiter).map(str::to_owned).collect();
    let mut table: Vec<Vec<String>> = table.lines().map(fields).collect();
    edit(&mut table);
    let lines: Vec<String> = table.iter().map(|row| row.join(delimiter)).collect();
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

const SLICE: &str = "[output]\nstyle = \"slice\"\n";
const ANATOMY: &str = "[output]\nstyle = \"anatomy\"\n";
const STRATA: &str = "l = 2\nstrata = [\"sex\"]\n[output]\nstyle = \"slice\"\n";

/// The owner's folder has the hashes of all files, and records a test seed.
#[test]
fn an_owner_finds_what_a_reader_cannot() {
    let folder = published(&|policy| policy, &["--no-report"]);
    let path = folder.path().join("out/release/release.csv");
    let table = fs::read_to_string(&path).unwrap();
    let swapped =
        table.replace("nurse", "Nurse").replace("clerk", "nurse").replace("Nurse", "clerk");
    fs::write(&path, &swapped).unwrap();
    let words = found(folder.path());
    assert!(words.contains("is not the file whose hash"), "{words}");
    let seeded = published(&|policy| policy, &["--test-seed", "1", "--no-report"]);
    assert!(openveil(seeded.path(), &["audit", "out"]).status.success());
    manifest(seeded.path(), &|manifest| {
        manifest["fit_for_publication"] = json!(true);
        manifest["notes"].as_array_mut().unwrap().retain(|note| !note.to_string().contains("seed"));
    });
    let words = found(seeded.path());
    assert!(words.contains("made with a test seed"), "{words}");
}

#[test]
fn a_bound_of_a_rule_that_was_changed_is_found() {
    let folder = rules::folder();
    done(folder.path(), &["publish", "policy.toml", "--no-report"]);
    fs::remove_dir_all(folder.path().join("out/owner")).unwrap();
    manifest(folder.path(), &|manifest| {
        manifest["rules"][0]["max_posterior"] = json!("1/9");
    });
    let words = found(folder.path());
    assert!(words.contains("max_posterior of rule 1"), "{words}");
    let arguments = ["audit", "out", "--junit", "audit.xml"];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let written = fs::read_to_string(folder.path().join("audit.xml")).unwrap();
    assert!(written.contains("failures=\"1\""), "{written}");
}

/// Rows of several tables are not alike or different: a file of risks would be silently missing.
#[test]
fn risks_of_rows_are_refused_for_several_tables() {
    let folder = rules::folder();
    done(folder.path(), &["publish", "policy.toml", "--no-report"]);
    for asked in [["--rows", "rows.csv"], ["--suda", "2"]] {
        let output = openveil(folder.path(), &[&["audit", "out"][..], &asked].concat());
        assert_eq!(output.status.code(), Some(2), "{asked:?}");
        assert!(!folder.path().join("rows.csv").exists());
    }
}
