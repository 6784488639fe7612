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
    let folder = with_reader("odds = 3");
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
        .map(|r| {
            (
                r["reader"].as_str().unwrap(),
                r["max_posterior"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(named, [("informed", "1/2"), ("face-value", "1/2")]);
    let statement = manifest["guarantee"]["statement"].as_str().unwrap();
    assert!(
        statement.contains("even if a reader has prior odds of up to 3 to 1 about one person"),
        "{statement}"
    );
    assert!(
        !statement.contains("takes the groups as given"),
        "{statement}"
    );
    let page = fs::read_to_string(folder.path().join("out/release/report.html")).unwrap();
    assert!(page.contains("For a reader who takes the groups as given"));
    // An audit by the policy checks the policy's requirements.
    let audit = openveil(folder.path(), &["audit", "out", "--policy", "policy.toml"]);
    assert_eq!(audit.status.code(), Some(0), "{}", text(&audit.stdout));
    let attack = openveil(folder.path(), &["attack", "out", "--policy", "policy.toml"]);
    assert_eq!(
        attack.status.code(),
        Some(0),
        "{}{}",
        text(&attack.stdout),
        text(&attack.stderr)
    );
}

#[test]
fn a_release_for_other_readers_does_not_satisfy_the_policy() {
    let folder = with_reader("odds = 1.5");
    published(folder.path());
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    fs::write(
        folder.path().join("other.toml"),
        policy.replace("odds = 1.5", "odds = 3"),
    )
    .unwrap();
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
    assert_eq!(
        attack.status.code(),
        Some(0),
        "{}{}",
        text(&attack.stdout),
        text(&attack.stderr)
    );
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
        fs::write(
            folder.path().join("policy.toml"),
            policy.replace("l = 2", model),
        )
        .unwrap();
        let manifest = published(folder.path());
        let statement = manifest["guarantee"]["statement"].as_str().unwrap();
        assert!(
            statement.contains("at odds of 2 about one person"),
            "{statement}"
        );
        let audit = openveil(
            folder.path(),
            &["audit", "out", "--policy", "policy.toml", "--json"],
        );
        let report = json(&audit.stdout);
        assert_eq!(report["verdict"]["satisfied"], true, "{report}");
        let required = report["verdict"]["requirements"][0]["requirement"]
            .as_str()
            .unwrap();
        assert_eq!(
            required.contains("at odds of 2"),
            groups_at_odds,
            "{required}"
        );
    }
}

#[test]
fn a_wish_that_cannot_be_met_is_told_the_largest_odds() {
    let folder = with_reader("odds = 4");
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(
        message.contains("needs groups that satisfy l = 5"),
        "{message}"
    );
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
        (
            "odds = 2\npeople = \"many\"",
            "neither a number of people nor",
        ),
        ("odds = \"x\"", "is not a number"),
        ("people = 2", "but no `odds`"),
        ("odds = 2\nodd = 3", "did you mean `odds`?"),
        (
            "odds = 2\ncells = [\"sex\"]",
            "strata belong under [privacy]",
        ),
        (
            "odds = 2\ninside = \"chaotic\"",
            "neither \"arranged\" nor \"random\"",
        ),
        (
            "inside = \"random\"\n[algorithm]\nname = \"halving\"",
            "has no effect on `halving`",
        ),
    ] {
        let folder = with_reader(lines);
        let message = refused(folder.path(), &["publish", "policy.toml"]);
        assert!(message.contains(expected), "{lines}: {message}");
    }
    let folder = with_reader("inside = \"random\"");
    let message = refused(
        folder.path(),
        &["publish", "policy.toml", "--algorithm", "rda"],
    );
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
        (
            &kept["max_posterior"],
            &kept["informed"]["max_posterior"],
            &kept["safe"]
        ),
        (&"1/3".into(), &"1/2".into(), &true.into())
    );
    let plain = verify(&["--not-kept-for-informed"]);
    assert_eq!(plain.status.code(), Some(1));
    let plain = json(&plain.stdout);
    assert_eq!(
        (
            &plain["unsafe_releases"],
            &plain["informed"]["max_posterior"]
        ),
        (&0.into(), &"2/3".into())
    );
}

/// People with coarse known values: three levels.
fn with_levels(jitter: &str) -> tempfile::TempDir {
    let folder = folder();
    let jobs = ["clerk", "nurse", "smith", "judge"];
    let row = |row: usize| format!("{},{}\n", row % 3, jobs[row / 3 % 4]);
    let rows: String = (0..120).map(row).collect();
    fs::write(
        folder.path().join("people.csv"),
        format!("level,job\n{rows}"),
    )
    .unwrap();
    let policy = format!(
        "[input]\npath = \"people.csv\"\n[columns]\nlevel = {{ role = \"quasi-identifier\", type = \"integer\" }}\njob = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n[reader]\nodds = 1.5\njitter = {jitter}\n"
    );
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

#[test]
fn jitter_is_bounded_where_the_bound_says_something() {
    let blurred = |jitter: &str| {
        let folder = with_levels(jitter);
        let arguments = ["publish", "policy.toml", "--test-seed", "3"];
        let output = openveil(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let manifest = json(&fs::read(folder.path().join("out/release/manifest.json")).unwrap());
        assert_eq!(manifest["reader"]["jitter"], jitter);
        assert_eq!(manifest["reader"]["inside"], "arranged");
        let attack = openveil(folder.path(), &["attack", "out", "--policy", "policy.toml"]);
        assert_eq!(
            attack.status.code(),
            Some(0),
            "{}{}",
            text(&attack.stdout),
            text(&attack.stderr)
        );
        let readers = manifest["guarantee"]["readers"].as_array().unwrap().clone();
        let found = readers
            .into_iter()
            .find(|reader| reader["reader"] == "informed-about-everybody-blurred");
        (
            found,
            manifest["guarantee"]["statement"]
                .as_str()
                .unwrap()
                .to_owned(),
        )
    };
    let (found, statement) = blurred("10");
    let bound = found.unwrap()["max_posterior"].as_str().unwrap().to_owned();
    // Scale 5 · 0.8165 codes, in sixteenths: 66; l' = 3. Two steps, or one: 3/2 of odds on 1/3.
    let of_steps = |steps: i32| {
        let odds = 1.5 * (82f64 / 66.0).powi(2 * steps);
        odds / (odds + 2.0)
    };
    let (up, down) = bound.split_once('/').unwrap();
    let bound = up.parse::<f64>().unwrap() / down.parse::<f64>().unwrap();
    assert!(
        (0..3).any(|steps| (bound - of_steps(steps)).abs() < 1e-9),
        "{bound}"
    );
    assert!(statement.contains("blurred positions"), "{statement}");
    // Too little noise gives no bound, and no promise is made.
    let (found, statement) = blurred("0.1");
    assert!(found.is_none(), "{found:?}");
    assert!(!statement.contains("blurred positions"), "{statement}");
}

#[test]
fn jitter_that_means_nothing_is_refused() {
    let refusal = |lines: &str| {
        let folder = with_reader(lines);
        refused(folder.path(), &["publish", "policy.toml"])
    };
    for wrong in ["0", "11", "0.125", "\"strong\"", "[1]", "-1"] {
        let message = refusal(&format!("odds = 2\njitter = {wrong}"));
        assert!(message.contains("jitter"), "{message}");
    }
    let message = refusal("odds = 2\ninside = \"random\"\njitter = 0.5");
    assert!(
        message.contains("groups formed by random draws do not depend on positions"),
        "{message}"
    );
    let folder = with_reader("jitter = 0.5\n[algorithm]\nname = \"halving\"");
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("has no effect on `halving`"), "{message}");
    let folder = with_reader("jitter = 0.5\n[history]\nstate = \"s/p.state\"\nperson = \"name\"");
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("not possible with `jitter`"), "{message}");
}
