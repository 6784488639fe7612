//! Every style from a policy to the commands that read a release.

use super::support::{folder, json, openveil, refused, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Publishes the usual table, with ages in a given form.
fn publish(folder: &Path, age: &str, output: &str) -> Value {
    let policy = super::support::POLICY
        .replace("type = \"integer\"", &format!("type = \"integer\"{age}"))
        .replace("name = { role = \"identifier\" }", "name = { role = \"other\" }");
    let policy = format!("{policy}\n[output]\n{output}\n");
    fs::write(folder.join("policy.toml"), policy).unwrap();
    let output = openveil(folder, &["publish", "policy.toml", "--test-seed", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    super::support::keeps_what_it_says(folder);
    let manifest = fs::read_to_string(folder.join("out/release/manifest.json")).unwrap();
    serde_json::from_str(&manifest).unwrap()
}

fn ask(folder: &Path, conditions: &str) -> (f64, f64) {
    let ask = ["query", "out", "--policy", "policy.toml", "--json", "--where"];
    let output = openveil(folder, &[&ask[..], &[conditions]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let answer = json(&output.stdout);
    let number = |key: &str| answer[key].as_f64().unwrap();
    (number("estimate"), number("true_count"))
}

const STYLES: [(&str, &str, bool); 8] = [
    ("", "style = \"slice\"", true),
    ("", "style = \"slice\"\nformat = \"parquet\"", true),
    (", publish = \"range\"", "style = \"slice\"", false),
    (", publish = \"values\"", "", true),
    ("", "cells = \"bounds\"", false),
    ("", "cells = \"bounds\"\nformat = \"parquet\"", false),
    ("", "style = \"anatomy\"\nformat = \"parquet\"", true),
    (", publish = \"range\"", "style = \"anatomy\"", false),
];

#[test]
fn every_style_is_read_by_every_command() {
    for (age, output, exact) in STYLES {
        let folder = folder();
        let folder = folder.path();
        let manifest = publish(folder, age, output);
        let column = |name: &str| {
            manifest["columns"]
                .as_array()
                .unwrap()
                .iter()
                .find(|column| column["name"] == name)
                .unwrap()
                .clone()
        };
        assert_eq!(column("name")["cells"], "sliced", "{output}");
        let (estimate, truth) = ask(folder, "age >= 30 and age < 50");
        let off = (estimate - truth).abs();
        assert!(off < if exact { 1e-9 } else { 15.0 }, "{output}: {estimate} {truth}");
        let (estimate, truth) = ask(folder, "job = clerk");
        assert!((estimate - truth).abs() < 1e-9, "{output}: {estimate} {truth}");
        // Counted by group, because the combinations in rows of the file have no meaning.
        let (estimate, truth) = ask(folder, "age < 45 and sex = f and job in (clerk, smith)");
        assert!((estimate - truth).abs() < 16.0, "{output}: {estimate} {truth}");
        let audit = openveil(folder, &["audit", "out", "--policy", "policy.toml", "--json"]);
        assert_eq!(audit.status.code(), Some(0), "{output}: {}", text(&audit.stderr));
        assert!(json(&audit.stdout)["l_distinct"].as_u64() >= Some(3));
        let attack = ["attack", "out", "--policy", "policy.toml", "--json"];
        let attack = openveil(folder, &attack);
        assert_eq!(attack.status.code(), Some(0), "{output}: {}", text(&attack.stderr));
        let sample = ["query", "out", "--sample", "10", "--out", "drawn.csv"];
        let sample = openveil(folder, &sample);
        assert_eq!(sample.status.code(), Some(0), "{output}: {}", text(&sample.stderr));
    }
}

/// A policy with another form of output did not make the release.
#[test]
fn a_release_is_attacked_by_the_policy_that_made_it() {
    let folder = folder();
    let folder = folder.path();
    publish(folder, "", "style = \"slice\"");
    let policy = fs::read_to_string(folder.join("policy.toml")).unwrap();
    let other = policy.replace("age = {", "age = { publish = \"range\",");
    fs::write(folder.join("other.toml"), other).unwrap();
    let attack = openveil(folder, &["attack", "out", "--policy", "other.toml"]);
    let message = text(&attack.stderr);
    assert_eq!(attack.status.code(), Some(2), "{message}");
    assert!(
        message.contains("column `age`: is published as values, but the policy says otherwise"),
        "{message}"
    );
}

/// Rows that do not belong to one person cannot be searched in a population.
#[test]
fn sliced_rows_are_not_compared_with_a_population() {
    let folder = folder();
    let folder = folder.path();
    publish(folder, "", "style = \"slice\"");
    let population = ["audit", "out", "--population", "people.csv"];
    let audit = openveil(folder, &population);
    let message = text(&audit.stderr);
    assert_eq!(audit.status.code(), Some(2), "{message}");
    assert!(
        message.contains("is sliced: no row has the quasi-identifiers of one person"),
        "{message}"
    );
    let audit = openveil(folder, &["audit", "out", "--population", "1000"]);
    assert_eq!(audit.status.code(), Some(0), "{}", text(&audit.stderr));
}

#[test]
fn what_cannot_be_published_leaves_nothing() {
    let folder = folder();
    let folder = folder.path();
    for (from, to, expected) in [
        (
            "sex = {",
            "sex = { cells = \"bounds\",",
            "policy.toml, line 6, column `sex`: contains text",
        ),
        (
            "job = {",
            "job = { publish = \"range\",",
            "policy.toml, line 7, column `job`: is sensitive",
        ),
        (
            "model = \"l-diversity\"\nl = 3",
            "model = \"k-anonymity\"\nk = 3\n[output]\nstyle = \"slice\"",
            "needs rows that look alike",
        ),
    ] {
        let policy = super::support::POLICY.replace(from, to);
        fs::write(folder.join("policy.toml"), policy).unwrap();
        let message = refused(folder, &["publish", "policy.toml"]);
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("help:"), "{message}");
    }
}
