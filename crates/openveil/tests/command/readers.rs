//! Readers who know more about some people than about others.

use super::support::*;
use std::fs;

fn with_reader(lines: &str) -> tempfile::TempDir {
    let folder = folder();
    let policy = format!("{}[reader]\n{lines}\n", POLICY.replace("l = 3", "l = 2"));
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

#[test]
fn odds_make_larger_groups_and_are_promised_apart() {
    let folder = with_reader(&format!("odds = 3\n{COVER}"));
    let manifest = published(folder.path());
    // ⌈1 + 3 (2 − 1)⌉
    assert_eq!(manifest["utility"]["smallest_group"], 4);
    assert_eq!(manifest["guarantee"]["max_posterior"], "1/4");
    assert_eq!(manifest["model"]["l"], 2);
    assert_eq!(
        manifest["reader"],
        serde_json::json!({ "odds": "3", "people": "1", "inside": "arranged" })
    );
    let readers = manifest["guarantee"]["readers"].as_array().unwrap();
    let named: Vec<_> = readers
        .iter()
        .map(|r| (r["reader"].as_str().unwrap(), r["max_posterior"].as_str().unwrap()))
        .collect();
    assert_eq!(named, [("informed", "1/2"), ("face-value", "1/2")]);
    let statement = manifest["guarantee"]["statement"].as_str().unwrap();
    assert!(
        statement.contains("even if a reader has prior odds of up to 3 to 1 about one person"),
        "{statement}"
    );
    assert!(!statement.contains("takes the groups as given"), "{statement}");
    let page = fs::read_to_string(folder.path().join("out/release/report.html")).unwrap();
    assert!(page.contains("For a reader who takes the groups as given"));
    // An audit by the policy checks the policy's requirements.
    let audit = openveil(folder.path(), &["audit", "out", "--policy", "policy.toml"]);
    assert_eq!(audit.status.code(), Some(0), "{}", text(&audit.stdout));
    let attack = openveil(folder.path(), &["attack", "out", "--policy", "policy.toml"]);
    assert_eq!(attack.status.code(), Some(0), "{}{}", text(&attack.stdout), text(&attack.stderr));
}

#[test]
fn a_release_for_other_readers_does_not_satisfy_the_policy() {
    let folder = with_reader("odds = 1.5");
    published(folder.path());
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    fs::write(folder.path().join("other.toml"), policy.replace("odds = 1.5", "odds = 3")).unwrap();
    let audit = openveil(folder.path(), &["audit", "out", "--policy", "other.toml"]);
    assert_eq!(audit.status.code(), Some(1), "{}", text(&audit.stdout));
    let attack = complaint(folder.path(), &["attack", "out", "--policy", "other.toml"]);
    assert!(attack.contains("for other readers"), "{attack}");
}

#[test]
fn groups_by_coins_hold_for_readers_informed_about_everybody() {
    let folder = with_reader("odds = 2\ninside = \"random\"");
    let manifest = published(folder.path());
    let readers = manifest["guarantee"]["readers"].as_array().unwrap();
    assert_eq!(readers.len(), 1);
    assert_eq!(readers[0]["reader"], "informed-about-everybody");
    assert_eq!(
        (&readers[0]["max_posterior"], &readers[0]["people"]),
        (&"1/2".into(), &"everybody".into())
    );
    // The engine is `cover`, whatever engine would suit the table.
    assert_eq!(manifest["algorithm"], "cover");
    let attack = openveil(folder.path(), &["attack", "out", "--policy", "policy.toml"]);
    assert_eq!(attack.status.code(), Some(0), "{}{}", text(&attack.stdout), text(&attack.stderr));
}

#[test]
fn other_models_are_kept_on_all_tilts() {
    for (model, groups_at_odds) in [
        ("variant = \"entropy\"\nl = 2", true),
        ("variant = \"recursive\"\nl = 2\nc = 2", true),
        ("variant = \"distinct\"\nl = 2", false),
    ] {
        let folder = with_reader("odds = 2");
        let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
        fs::write(folder.path().join("policy.toml"), policy.replace("l = 2", model)).unwrap();
        let manifest = published(folder.path());
        let statement = manifest["guarantee"]["statement"].as_str().unwrap();
        assert!(statement.contains("at odds of 2 about one person"), "{statement}");
        let audit = openveil(folder.path(), &["audit", "out", "--policy", "policy.toml", "--json"]);
        let report = json(&audit.stdout);
        assert_eq!(report["verdict"]["satisfied"], true, "{report}");
        let required = report["verdict"]["requirements"][0]["requirement"].as_str().unwrap();
        assert_eq!(required.contains("at odds of 2"), groups_at_odds, "{required}");
    }
}

#[test]
fn a_wish_that_cannot_be_met_is_told_the_largest_odds() {
    let folder = with_reader("odds = 4");
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("needs groups that satisfy l = 5"), "{message}");
    assert!(
        message.contains("the largest odds that the table allows are 3 about one person"),
        "{message}"
    );
    let folder = with_reader("odds = 4\npeople = 2");
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("are 1.73 about 2 people"), "{message}");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    for (lines, expected) in [
        ("odds = 1", "must be above 1"),
        ("odds = 2\npeople = 0", "must be at least 1"),
        ("odds = 2\npeople = \"everybody\"", "no bound exists"),
        ("odds = 2\npeople = \"many\"", "neither a number of people nor"),
        ("odds = \"x\"", "is not a number"),
        ("people = 2", "but no `odds`"),
        ("odds = 2\nodd = 3", "did you mean `odds`?"),
        ("odds = 2\ncells = [\"sex\"]", "strata belong under [privacy]"),
        ("odds = 2\ninside = \"chaotic\"", "is not \"random\""),
        ("odds = 2\njitter = 0.5", "since 2.0 groups are made by `halving`"),
        ("odds = 2\ninside = \"arranged\"", "(\"arranged\" before 2.0)"),
        ("inside = \"random\"\n[algorithm]\nname = \"halving\"", "has no effect on `halving`"),
    ] {
        let folder = with_reader(lines);
        let message = refused(folder.path(), &["publish", "policy.toml"]);
        assert!(message.contains(expected), "{lines}: {message}");
    }
    let folder = with_reader("inside = \"random\"");
    let message = refused(folder.path(), &["publish", "policy.toml", "--algorithm", "rda"]);
    assert!(message.contains("has no effect on `rda`"), "{message}");
}

#[test]
fn informed_readers_are_enumerated() {
    let folder = folder();
    let verify = |more: &[&str]| {
        let arguments = [
            "verify",
            "--algorithm",
            "cover",
            "--sensitive",
            "1,1,2,2,3,3",
            "--l",
            "2",
            "--odds",
            "2",
            "--json",
        ];
        openveil(folder.path(), &[&arguments[..], more].concat())
    };
    let kept = json(&verify(&[]).stdout);
    assert_eq!(
        (&kept["max_posterior"], &kept["informed"]["max_posterior"], &kept["safe"]),
        (&"1/3".into(), &"1/2".into(), &true.into())
    );
    let plain = verify(&["--not-kept-for-informed"]);
    assert_eq!(plain.status.code(), Some(1));
    let plain = json(&plain.stdout);
    assert_eq!(
        (&plain["unsafe_releases"], &plain["informed"]["max_posterior"]),
        (&0.into(), &"2/3".into())
    );
}
