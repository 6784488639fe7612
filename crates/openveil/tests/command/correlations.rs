//! Readers who know how values depend on quasi-identifiers.

use super::support::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// People whose job depends strongly on their sex.
fn linked(rows: usize) -> String {
    let mut table = String::from("name,age,sex,job\n");
    for row in 0..rows {
        let sex = ["f", "m"][row % 2];
        let job = match (row % 2, row % 7) {
            (0, 0..5) => ["nurse", "judge"][row / 2 % 2],
            (1, 0..5) => ["smith", "clerk"][row / 2 % 2],
            _ => ["clerk", "nurse", "smith", "judge"][row / 7 % 4],
        };
        table.push_str(&format!("p{row},{},{sex},{job}\n", 20 + row * 7 % 50));
    }
    table
}

/// A release of these people with l = 2 and a test seed.
fn published(reader: &str) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("people.csv"), linked(600)).unwrap();
    let policy = format!("{}{COVER}{reader}", POLICY.replace("l = 3", "l = 2"));
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--test-seed", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    folder
}

fn attacked(folder: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["attack", "out", "--policy", "policy.toml", "--json"];
    arguments.extend(more);
    let output = openveil(folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    json(&output.stdout)["correlations"].clone()
}

fn figure(found: &Value, reader: &str, of: &str) -> f64 {
    found[reader][of].as_f64().unwrap_or_else(|| panic!("{reader} {of}: {found}"))
}

#[test]
fn what_readers_guess_is_measured_on_halves() {
    let folder = published("");
    assert!(attacked(folder.path(), &[]).is_null());
    let found = attacked(folder.path(), &["--correlations"]);
    assert_eq!(found["public"]["source"], "half of the table");
    assert_eq!(found["public"]["rows"], 300);
    assert_eq!((&found["people"], &found["bound"]), (&300.into(), &"1/2".into()));
    // Sex separates two jobs from two others; the release shows more.
    let prior = figure(&found, "prior", "accuracy");
    assert!((0.3..0.5).contains(&prior), "{found}");
    assert_eq!(figure(&found, "prior", "gain"), 0.0);
    for reader in ["one", "face", "simulating", "learned"] {
        let accuracy = figure(&found, reader, "accuracy");
        let gain = figure(&found, reader, "gain");
        assert!((gain - 100.0 * (accuracy - prior)).abs() < 1e-9);
        let slices = found[reader]["calibration"].as_array().unwrap();
        let people: u64 = slices.iter().map(|s| s["people"].as_u64().unwrap()).sum();
        assert_eq!(people, 300);
    }
    assert!(figure(&found, "face", "gain") > 5.0, "{found}");
    // Equal seeds give equal figures.
    assert_eq!(attacked(folder.path(), &["--correlations"]), found);
    let output = openveil(
        folder.path(),
        &["attack", "out", "--policy", "policy.toml", "--correlations", "--plots", "plots"],
    );
    let words = text(&output.stdout);
    assert!(words.contains("Readers who know the values of 300 rows"), "{words}");
    assert!(words.contains("simulating"), "{words}");
    assert!(folder.path().join("plots/calibration.svg").exists());
}

#[test]
fn another_table_may_be_public() {
    let folder = published("");
    let path = folder.path().join("census.csv");
    // A table of other people, in another order, with a job that the policy's table lacks.
    let other = linked(800).replace("p100,", "p100b,").replace(",smith\n", ",blacksmith\n");
    fs::write(&path, other).unwrap();
    let found = attacked(folder.path(), &["--correlations", "--public", "census.csv"]);
    assert_eq!(found["public"]["source"], "census.csv");
    assert_eq!((&found["public"]["rows"], &found["people"]), (&800.into(), &600.into()));
    assert!(figure(&found, "prior", "accuracy") > 0.25, "{found}");
    let folder_path = folder.path();
    let arguments = ["attack", "out", "--policy", "policy.toml", "--public", "census.csv"];
    let message = text(&openveil(folder_path, &arguments).stderr);
    assert!(message.contains("--correlations"), "{message}");
    fs::write(path, "age,sex\n1,f\n").unwrap();
    let arguments = [&arguments[..], &["--correlations"]].concat();
    let message = complaint(folder_path, &arguments);
    assert!(message.contains("census.csv") && message.contains("job"), "{message}");
}

#[test]
fn a_public_table_that_cannot_be_published_is_not_simulated() {
    let folder = published("");
    let all = linked(100).replace(",clerk\n", ",nurse\n").replace(",judge\n", ",nurse\n");
    fs::write(folder.path().join("census.csv"), all.replace(",smith\n", ",nurse\n")).unwrap();
    let found = attacked(folder.path(), &["--correlations", "--public", "census.csv"]);
    assert!(found["simulating"].is_null() && !found["face"].is_null(), "{found}");
}

#[test]
fn the_owner_is_told_when_the_policy_asks() {
    let folder = published("[reader]\nmeasure = true\n");
    let owner = fs::read(folder.path().join("out/owner/owner.json")).unwrap();
    let found = &json(&owner)["correlations"];
    assert_eq!(found["people"], 300);
    let page = fs::read_to_string(folder.path().join("out/owner/report.html")).unwrap();
    assert!(page.contains("Readers who know correlations") && page.contains("simulating"));
    let public = fs::read_to_string(folder.path().join("out/release/manifest.json")).unwrap();
    assert!(!public.contains("simulating"));
    // An attack by the policy measures it too.
    assert_eq!(attacked(folder.path(), &[])["people"], 300);
}

#[test]
fn halves_that_cannot_be_published_are_said() {
    let folder = folder();
    let jobs = ["clerk", "nurse", "smith"];
    let row = |row: usize| format!("p{row},{},f,{}\n", 20 + row, jobs[row]);
    let rows: String = (0..3).map(row).collect();
    fs::write(folder.path().join("people.csv"), format!("name,age,sex,job\n{rows}")).unwrap();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--test-seed", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = attacked(folder.path(), &["--correlations"]);
    let why = found["not_measured"].as_str().unwrap();
    assert!(why.contains("--public"), "{why}");
}
