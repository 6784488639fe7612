//! `openveil compare` as a user runs it.

use super::support::*;
use serde_json::Value;
use std::fs;

#[test]
fn settings_are_shown_side_by_side_in_every_form() {
    let folder = folder();
    let arguments = [
        "compare",
        "policy.toml",
        "--l",
        "2..3",
        "--algorithm",
        "cover,halving",
        "--style",
        "generalize,anatomy",
        "--trials",
        "2",
        "--queries",
        "30",
        "--csv",
        "figures.csv",
        "--plots",
        "plots",
    ];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("Compared 8 settings, medians of 2 runs."), "{shown}");
    assert!(shown.contains("freshly shuffled"), "{shown}");
    assert!(shown.contains("it has no meaning here") && shown.contains("kl"), "{shown}");
    let csv = fs::read_to_string(folder.path().join("figures.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 8 * 2);
    assert!(!csv.lines().next().unwrap().contains("kl"));
    let plot = fs::read_to_string(folder.path().join("plots/pairs.svg")).unwrap();
    assert!(plot.starts_with("<svg"));
    // Finished trials are kept: the same command gives the same times.
    let again = [&arguments[..12], &["--json"]].concat();
    let of = |arguments: &[&str]| -> Value {
        serde_json::from_slice(&openveil(folder.path(), arguments).stdout).unwrap()
    };
    let (one, other) = (of(&again), of(&again));
    assert_eq!(one, other);
    assert_eq!(one["basis"], "shuffled");
    assert_eq!(one["rows"].as_array().unwrap().len(), 8);
    assert!(folder.path().join("policy.compare.json").exists());
    assert!(is_clean(folder.path()));
}

#[test]
fn a_sample_is_left_out_by_publish() {
    let folder = folder();
    // The sample is random. With l = 2, any half of the rows and the other half can be published,
    // because a job has 25 rows.
    let policy = POLICY.replace("l = 3", "l = 2");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let compare =
        ["compare", "policy.toml", "--sample", "s.json", "--sample-rows", "50", "--trials", "1"];
    let output = openveil(folder.path(), &compare);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let other = compare.map(|word| if word == "50" { "40" } else { word });
    let message = complaint(folder.path(), &other);
    assert!(message.contains("s.json: is a sample of 50 rows"), "{message}");
    let publish = ["publish", "policy.toml", "--without-sample", "s.json", "--json"];
    let output = openveil(folder.path(), &publish);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["manifest"]["rows"], 50);
    assert_eq!(report["manifest"]["omitted"]["rows"], 50);
    let message =
        complaint(folder.path(), &["publish", "policy.toml", "--without-sample", "policy.toml"]);
    assert!(message.contains("is not a sample of rows"), "{message}");
    let too_many = ["compare", "policy.toml", "--sample", "t.json", "--sample-rows", "100"];
    assert!(complaint(folder.path(), &too_many).contains("no sample of 100 can be left out"));
}

#[test]
fn true_values_cost_the_promise() {
    let folder = folder();
    let compare = ["compare", "policy.toml", "--true-values", "--trials", "1", "--queries", "20"];
    let output = openveil(folder.path(), &compare);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("for the owner only"));
    for arguments in [&["publish", "policy.toml", "--dry-run"][..], &["publish", "policy.toml"]] {
        let output = openveil(folder.path(), arguments);
        assert!(text(&output.stdout).contains("adversary: sees-release"));
    }
    let owner = folder.path().join("out/owner/true-values.json");
    assert!(owner.exists() && folder.path().join("out/owner/owner.json").exists());
}

#[test]
fn mistakes_are_explained() {
    let folder = folder();
    for (arguments, problem) in [
        (&["--l", "8..2"][..], "neither a range nor a list"),
        (&["--l", "1"], "from 2 to 1000"),
        (&["--algorithm", "covr"], "did you mean `cover`?"),
        (&["--style", "slyce"], "style"),
        (&["--on", "nothing.csv"], "nothing.csv"),
    ] {
        let message = complaint(folder.path(), &[&["compare", "policy.toml"], arguments].concat());
        assert!(message.contains(problem), "{message}");
    }
}
