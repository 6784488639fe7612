//! Several releases of the same people, or of some of them.

use super::support::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A table of six people, few enough to weigh every table.
fn six() -> tempfile::TempDir {
    let folder = folder();
    let jobs = ["clerk", "clerk", "nurse", "nurse", "smith", "judge"];
    let row = |row: usize| format!("p{row},{},f,{}\n", 20 + row, jobs[row]);
    let rows: String = (0..6).map(row).collect();
    fs::write(folder.path().join("people.csv"), format!("name,age,sex,job\n{rows}")).unwrap();
    let policy = POLICY.replace("l = 3", "l = 2") + "[reader]\ninside = \"random\"\n";
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

fn publish_as(folder: &Path, out: &str, seed: &str) {
    let arguments = ["publish", "policy.toml", "--out", out, "--test-seed", seed, "--no-report"];
    let output = openveil(folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn small_tables_are_put_together_exactly() {
    let folder = six();
    let path = folder.path();
    for seed in 1..=3 {
        publish_as(path, &format!("out{seed}"), &seed.to_string());
    }
    let arguments = ["attack", "out1", "out2", "out3", "--policy", "policy.toml"];
    let together = |arguments: &[&str]| {
        let output = openveil(path, &[arguments, &["--json"]].concat());
        json(&output.stdout)["intersection"].clone()
    };
    let found = together(&arguments);
    let exact = found["exact"]["certain"].as_u64().unwrap();
    // The exact number of certain people is between the lower and the upper bound.
    assert!(found["certain"].as_u64().unwrap() <= exact, "{found}");
    assert_eq!(found["certain_at_most"], exact);
    assert_eq!(found["others"], 0);
    let words = text(&openveil(path, &arguments).stdout);
    assert!(words.contains("every table was weighted"), "{words}");
}

#[test]
fn releases_of_other_people_and_programs_are_put_together() {
    let folder = six();
    let path = folder.path();
    publish_as(path, "out", "1");
    // Half of the people, by another program that shows their age exactly.
    let other = "age,sex,job\n20,f,clerk\n20,f,clerk\n24,f,smith\n";
    fs::write(path.join("other.csv"), other).unwrap();
    let arguments = ["attack", "out", "other.csv", "--policy", "policy.toml", "--json"];
    let output = openveil(path, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = &json(&output.stdout)["intersection"];
    assert_eq!((&found["releases"], &found["others"]), (&2.into(), &1.into()));
    // People aged 20 and 24 are certain, and there is no conclusion about the others.
    assert!(found["certain"].as_u64().unwrap() >= 2, "{found}");
    assert_eq!(found["contradicted"], 0);
    assert!(found["exact"].is_null());
    let arguments = ["attack", "other.csv", "--policy", "policy.toml"];
    let message = complaint(path, &arguments);
    assert!(message.contains("a release of the policy's table first"), "{message}");
}

#[test]
fn independent_releases_give_more_and_more_away() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("policy.toml"), format!("{POLICY}{COVER}")).unwrap();
    publish_as(path, "out", "1");
    let arguments = ["attack", "out", "--policy", "policy.toml", "--independent", "6", "--json"];
    let output = openveil(path, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = json(&output.stdout);
    let rows = found["independent"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    let certain = |row: &Value, key: &str| row[key].as_u64().unwrap();
    assert_eq!(certain(&rows[0], "certain_at_most"), 0);
    for pair in rows.windows(2) {
        assert!(certain(&pair[0], "certain") <= certain(&pair[1], "certain"));
        assert!(certain(&pair[0], "certain_at_most") <= certain(&pair[1], "certain_at_most"));
        assert!(certain(&pair[1], "certain") <= certain(&pair[1], "certain_at_most"));
    }
    assert!(certain(&rows[5], "certain_at_most") > 0, "{rows:?}");
}
