//! `openveil attack` as a user runs it.

use super::support::{openveil, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
job = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 3
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("age,sex,job\n");
    for row in 0..120usize {
        let job = ["clerk", "nurse", "smith", "judge", "baker"][row * 13 % 17 % 5];
        text.push_str(&format!("{},{},{job}\n", row * 7 % 50, ["f", "m"][row % 2]));
    }
    fs::write(folder.path().join("people.csv"), text).unwrap();
    fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    folder
}

fn publish(folder: &Path, algorithm: &str, out: &str) {
    let arguments = ["publish", "policy.toml", "--algorithm", algorithm, "--out", out];
    let consent = ["--i-accept-algorithm-disclosure"];
    let output = openveil(folder, &[&arguments[..], &consent].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

fn attack(folder: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output =
        openveil(folder, &[&["attack", "--json", "--policy", "policy.toml"], arguments].concat());
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
}

#[test]
fn rerunning_exposes_people_of_gda_and_nobody_of_cover() {
    let folder = folder();
    let path = folder.path();
    publish(path, "gda", "unsafe");
    let (code, report) = attack(path, &["unsafe"]);
    assert_eq!((code, &report["rerun"]["kind"]), (Some(0), &"exchanges".into()));
    assert_eq!((&report["rows"], &report["rerun"]["sampled"]), (&120.into(), &120.into()));
    assert!(report["rerun"]["share"].as_f64().unwrap() >= 0.25, "{report}");
    assert_eq!(report["promise_broken"], false, "gda promises nothing against this reader");
    assert_eq!(report["learning"]["membership"], "known");
    for algorithm in ["cover", "rda", "ria"] {
        publish(path, algorithm, algorithm);
        let (code, report) = attack(path, &[algorithm, "--sample", "30"]);
        assert_eq!((code, &report["rerun"]["exposed"]), (Some(0), &0.into()));
        assert_eq!(
            (&report["algorithm"], &report["rerun"]["sampled"]),
            (&algorithm.into(), &30.into())
        );
        assert_eq!(report["learning"]["membership"], "by-cells");
        assert!(report["learning"]["members_known"]["accuracy"].is_number());
        assert!(report["minimality"]["not_measured"].is_string());
    }
}

#[test]
fn rows_are_named_for_the_owner_only() {
    let folder = folder();
    let path = folder.path();
    publish(path, "gda", "out");
    let (_, report) = attack(path, &["out/release"]);
    assert!(report.get("owner").is_none());
    let (_, report) = attack(path, &["out", "--owner"]);
    let rows = report["owner"]["rerun"].as_array().unwrap();
    assert_eq!(rows.len() as u64, report["rerun"]["exposed"].as_u64().unwrap());
    assert!(rows.iter().all(|row| (1..=120).contains(&row.as_u64().unwrap())));
    let told = |more: &[&str]| {
        let arguments = [&["attack", "out", "--policy", "policy.toml"], more].concat();
        text(&openveil(path, &arguments).stdout)
    };
    assert!(told(&[]).contains("re-run") && !told(&[]).contains("Rows of the table"));
    assert!(told(&["--owner"]).contains("Rows of the table"));
}

#[test]
fn categories_and_several_releases_are_measured_when_given() {
    let folder = folder();
    let path = folder.path();
    publish(path, "cover", "a");
    publish(path, "cover", "b");
    let (_, report) = attack(path, &["a"]);
    assert!(report["similarity"]["not_measured"].is_string());
    assert!(report["intersection"]["not_measured"].is_string());
    let categories = "clerk;desk\njudge;desk\nnurse;care\nsmith;hand\nbaker;hand\n";
    fs::write(path.join("categories.csv"), categories).unwrap();
    let (code, report) = attack(path, &["a", "b", "--categories", "categories.csv"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["similarity"]["groups"], 0, "three values have two categories at least");
    let found = &report["intersection"];
    assert_eq!((&found["releases"], &found["contradicted"]), (&2.into(), &0.into()));
    assert!(found["mean_values"].as_f64().unwrap() >= 1.0);
    // Every person needs at least two facts, because l is 3.
    assert_eq!(report["background"]["min"], 2);
    assert_eq!(report["homogeneity"]["rows"], 0);
}

#[test]
fn a_broken_promise_has_code_one() {
    let folder = folder();
    let path = folder.path();
    publish(path, "gda", "out");
    let manifest: PathBuf = path.join("out/release/manifest.json");
    let lie = fs::read_to_string(&manifest).unwrap().replace("sees-release", "knows-algorithm");
    fs::write(&manifest, lie).unwrap();
    let (code, report) = attack(path, &["out"]);
    assert_eq!((code, &report["promise_broken"]), (Some(1), &true.into()));
    // A group shows more than that to anybody who sees the release.
    publish(path, "gda", "out");
    let lie = fs::read_to_string(&manifest).unwrap();
    assert!(lie.contains(r#""max_posterior": "1/3""#));
    fs::write(&manifest, lie.replace(r#""max_posterior": "1/3""#, r#""max_posterior": "1/30""#))
        .unwrap();
    let (code, report) = attack(path, &["out"]);
    assert_eq!((code, &report["promise_broken"]), (Some(1), &true.into()));
}

#[test]
fn what_does_not_fit_is_named_with_code_two() {
    let folder = folder();
    let path = folder.path();
    publish(path, "gda", "out");
    let refused = |arguments: &[&str]| {
        let output = openveil(path, &[&["attack"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let message = refused(&["none", "--policy", "policy.toml"]);
    assert!(message.contains("none/manifest.json: cannot read the manifest"), "{message}");
    assert!(refused(&["out"]).contains("--policy"));
    fs::write(path.join("other.toml"), POLICY.replace("l = 3", "l = 2")).unwrap();
    let message = refused(&["out", "--policy", "other.toml"]);
    assert!(
        message.contains("belongs to a release with l-diversity (ratio, l = 3), but the policy asks for l-diversity (ratio, l = 2)"),
        "{message}"
    );
    let weighed = POLICY.replace("\"integer\"", "\"integer\", weight = 50");
    fs::write(path.join("other.toml"), weighed).unwrap();
    let message = refused(&["out", "--policy", "other.toml"]);
    assert!(message.contains("`gda` makes another release of this table"), "{message}");
    let fewer = fs::read_to_string(path.join("people.csv")).unwrap();
    let fewer: String = fewer.lines().take(100).map(|line| format!("{line}\n")).collect();
    fs::write(path.join("fewer.csv"), fewer).unwrap();
    let message = refused(&["out", "--policy", "policy.toml", "--input", "fewer.csv"]);
    assert!(message.contains("has 120 rows, but the policy's table has 99"), "{message}");
}

#[test]
fn what_attacks_found_is_drawn() {
    let folder = folder();
    publish(folder.path(), "cover", "out");
    attack(folder.path(), &["out", "--sample", "5", "--plots", "plots"]);
    for name in ["facts-to-certainty", "values-predicted"] {
        let path = folder.path().join(format!("plots/{name}.svg"));
        assert!(fs::read_to_string(path).unwrap().starts_with("<svg "), "{name}");
    }
}
