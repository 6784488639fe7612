//! The user's own groupings, tried in turn.

use super::support::*;
use std::fs;

/// Every model, with functions and a vector: `audit` confirms that the release satisfies it.
#[test]
fn functions_of_the_columns_publish_any_model() {
    for (model, promise) in [
        ("model = \"l-diversity\"\nl = 2", "with a chance above 1/2"),
        ("model = \"t-closeness\"\nt = 0.4\ndistance = \"equal\"", "`job`"),
    ] {
        let folder = folder();
        rewrite(folder.path(), "model = \"l-diversity\"\nl = 3\n", model);
        let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
        let algorithm = "\n[algorithm]\nname = \"k-jump\"\nblock = 12\n\
                         functions = [{ age = 1, sex = 0 }, { age = 2 }]\njump = [1, 2, 1]\n";
        fs::write(folder.path().join("policy.toml"), policy + algorithm).unwrap();
        let output = openveil(folder.path(), &["publish", "policy.toml", "--test-seed", "1"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report = text(&output.stdout);
        assert!(report.contains(promise), "{report}");
        let manifest = fs::read(folder.path().join("out/release/manifest.json")).unwrap();
        let manifest = json(&manifest);
        assert_eq!(manifest["algorithm"], "k-jump");
        assert_eq!(manifest["trials"]["jump"], serde_json::json!([1, 2, 1]));
        assert_eq!(manifest["trials"]["functions"][0]["age"], 1);
        assert_eq!(manifest["guarantee"]["adversary"], "knows-algorithm");
        assert!(manifest["groups"].as_u64().unwrap() > 2, "{manifest}");
        let audit = ["audit", "out/release/release.csv", "--policy", "policy.toml"];
        assert_eq!(openveil(folder.path(), &audit).status.code(), Some(0));
        let attack = ["attack", "out", "--policy", "policy.toml"];
        let attack = openveil(folder.path(), &attack);
        assert_eq!(attack.status.code(), Some(0), "{}", text(&attack.stderr));
    }
}

/// The levels depend on the data, so errors about them come after reading; no files are left.
#[test]
fn a_level_too_high_is_refused_with_those_that_there_are() {
    let folder = folder();
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    let algorithm = "\n[algorithm]\nname = \"safe\"\nfunctions = [{ sex = 4 }]\n";
    fs::write(folder.path().join("policy.toml"), policy + algorithm).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml", "--dry-run"]);
    assert!(message.contains("policy.toml"), "{message}");
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(
        message.contains("`sex` has no level 4: its levels are 0 (the values) to 1"),
        "{message}"
    );
}
