//! People with several rows.

use super::support::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PERSONS: &str = "[persons]\nid = \"name\"\n";

/// 120 people, a third of them with one row, two rows and three rows each.
fn folder_with_stays(more: &str) -> tempfile::TempDir {
    let folder = folder();
    let mut text = String::from("name,age,sex,job\n");
    for person in 0..120usize {
        for row in 0..=person % 3 {
            let job = ["clerk", "nurse", "smith", "judge", "pilot", "baker", "guard"]
                [(person / 3 + row * 2) % 7];
            text += &format!("p{person},{},{},{job}\n", 20 + person % 50, ["f", "m"][person % 2]);
        }
    }
    fs::write(folder.path().join("people.csv"), text).unwrap();
    let policy = format!("{}{PERSONS}{more}", POLICY.replace("l = 3", "l = 2"));
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

/// Returns, for every group, how many people have each value in any of their counted rows, and the
/// number of people.
fn groups(folder: &Path) -> BTreeMap<String, (BTreeMap<String, usize>, usize)> {
    let release = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let mut groups: BTreeMap<String, (BTreeMap<String, usize>, usize)> = BTreeMap::new();
    let header: Vec<&str> = release.lines().next().unwrap().split(',').collect();
    assert_eq!(header[header.len() - 3..], ["job", "rows_of_person", "group"]);
    for line in release.lines().skip(1) {
        let cells: Vec<&str> = line.rsplitn(4, ',').collect();
        let group = groups.entry(cells[0].to_owned()).or_default();
        group.1 += 1;
        for value in cells[2].trim_matches(['{', '}', '"']).split('|') {
            *group.0.entry(value.to_owned()).or_default() += 1;
        }
    }
    groups
}

#[test]
fn sets_of_values_are_published_and_no_value_is_in_too_many() {
    for algorithm in ["cover", "halving", "auto"] {
        let folder = folder_with_stays(&format!("[algorithm]\nname = \"{algorithm}\"\n"));
        let manifest = published(folder.path());
        assert_eq!(manifest["rows"], 120);
        assert_eq!(manifest["persons"]["column"], "rows_of_person");
        assert_eq!(manifest["strata"]["columns"], serde_json::json!(["rows_of_person"]));
        assert_eq!(manifest["guarantee"]["max_posterior"], "1/2");
        let statement = manifest["guarantee"]["statement"].as_str().unwrap();
        assert!(
            statement.contains("nobody's having some value of `job` in any of the rows that count"),
            "{statement}"
        );
        // There is no promise about rows that do not count.
        assert!(!statement.contains("for anybody"), "{statement}");
        for (having, people) in groups(folder.path()).into_values() {
            assert!(having.values().all(|&count| 2 * count <= people), "{having:?} of {people}");
        }
        let audit = openveil(folder.path(), &["audit", "out"]);
        assert!(text(&audit.stderr).contains("the measures treat each set as one value"));
        // With draws of a seed, so that the reader's hits are the same every time.
        let seeded = ["publish", "policy.toml", "--out", "seeded", "--test-seed", "1"];
        assert_eq!(openveil(folder.path(), &seeded).status.code(), Some(0));
        let attack = ["attack", "seeded", "--policy", "policy.toml", "--json"];
        let attack = openveil(folder.path(), &attack);
        let found = json(&attack.stdout);
        assert_eq!((attack.status.code(), &found["rows"]), (Some(0), &120.into()));
        assert!(found["learning"]["accuracy"].as_f64().unwrap() < 0.5, "{found}");
    }
}

/// A value in more than half of the sets of a group breaks the model, although no set is frequent.
#[test]
fn an_audit_counts_the_members_of_sets() {
    let folder = folder_with_stays("");
    published(folder.path());
    let table = folder.path().join("table.csv");
    let text = fs::read_to_string(folder.path().join("out/release/release.csv")).unwrap();
    let audit = |text: &str| {
        fs::write(&table, text).unwrap();
        let words = ["audit", "table.csv", "--group", "group", "--policy", "policy.toml", "--json"];
        let output = openveil(folder.path(), &words);
        json(&output.stdout)["satisfied"].clone()
    };
    assert_eq!(audit(&text), true);
    // All sets of one group.
    let set = text.lines().find(|line| line.contains('{')).unwrap();
    let end = &set[set.rfind(',').unwrap()..];
    let with_guard = |line: &str| match line.ends_with(end) {
        true => line.replace('{', "{guard|").replace("guard|guard", "guard") + "\n",
        false => line.to_owned() + "\n",
    };
    let changed: String = text.lines().map(with_guard).collect();
    assert_ne!(changed, text);
    assert_eq!(audit(&changed), false);
}

/// Where known values were drawn at random, the owner's table does not say which were published.
#[test]
fn drawn_values_are_compared_with_nothing() {
    let folder = folder_with_stays("varying = \"draw\"\n");
    published(folder.path());
    for command in ["attack out", "query out --where age<30", "audit out --measure"] {
        let words: Vec<&str> = command.split(' ').chain(["--policy", "policy.toml"]).collect();
        let said = complaint(folder.path(), &words);
        assert!(said.contains("were drawn at random"), "{command}: {said}");
    }
}

/// The owner's true counts are of people.
#[test]
fn true_counts_are_of_people() {
    let folder = folder_with_stays("");
    published(folder.path());
    let ask = ["query", "out", "--where", "age<30", "--policy", "policy.toml", "--json"];
    let found = json(&openveil(folder.path(), &ask).stdout);
    assert_eq!(found["true_count"], 30, "{found}");
}

#[test]
fn rows_beyond_those_that_count_are_drawn_and_said() {
    let folder = folder_with_stays("rows = 2\n");
    let manifest = published(folder.path());
    assert_eq!(manifest["persons"]["rows"], 2);
    assert_eq!(manifest["omitted"]["rows"], 40);
    assert!(manifest["omitted"]["reasons"].to_string().contains("chosen by random draws"));
    let strata = manifest["strata"]["strata"].as_array().unwrap();
    let rows: Vec<_> = strata.iter().map(|s| s["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [40, 80]);
}

/// A's only row, and one of B's two rows: whether they can be published depends on which one.
#[test]
fn rows_are_drawn_once_whatever_comes_of_it() {
    for _ in 0..8 {
        let folder = folder();
        fs::write(
            folder.path().join("people.csv"),
            "name,age,sex,job\nA,30,f,a\nB,30,f,a\nB,30,f,b\n",
        )
        .unwrap();
        rewrite(folder.path(), "l = 3", "l = 2");
        let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
        fs::write(
            folder.path().join("policy.toml"),
            format!("{policy}[persons]\nid = \"name\"\nrows = 1\n"),
        )
        .unwrap();
        let run = |more: &[&str]| {
            let arguments = [&["publish", "policy.toml"], more].concat();
            openveil(folder.path(), &arguments).status.code()
        };
        let said = run(&["--dry-run"]);
        assert!(said == Some(0) || said == Some(2));
        for _ in 0..4 {
            assert_eq!((run(&[]), run(&["--dry-run"])), (said, said));
        }
        // In any order of rows and columns, and with any other cells.
        for table in [
            "name,age,sex,job\nB,30,f,b\nB,30,f,a\nA,30,f,a\n",
            "name,age,sex,job\nB,30,f,a\nA,30,f,a\nB,30,f,b\n",
            "job,sex,name,age\nb,f,B,30\na,f,A,30\na,f,B,30\n",
        ] {
            fs::write(folder.path().join("people.csv"), table).unwrap();
            assert_eq!(run(&["--dry-run"]), said, "{table}");
            assert_eq!(run(&["--out", "elsewhere"]), said, "{table}");
        }
        // A run that was killed while putting a release in place has hidden the owner's folder.
        let key = folder.path().join("out/owner/rows-drawn.json");
        let kept = fs::read(&key).unwrap();
        let hidden = folder.path().join("out/.openveil-run-dead");
        fs::create_dir(&hidden).unwrap();
        fs::rename(folder.path().join("out/owner"), hidden.join("old-owner")).unwrap();
        assert_eq!(run(&["--dry-run"]), said);
        assert_eq!(fs::read(&key).unwrap(), kept);
        assert!(fs::read_to_string(&key).unwrap().contains("Not for publication"));
        fs::write(&key, "?").unwrap();
        let message = complaint(folder.path(), &["publish", "policy.toml"]);
        assert!(message.contains("other rows would be drawn"), "{message}");
        fs::remove_dir_all(folder.path().join("out")).unwrap();
        fs::write(folder.path().join("out"), "").unwrap();
        let message = complaint(folder.path(), &["publish", "policy.toml", "--out", "elsewhere"]);
        assert!(message.contains("whatever `--out` says"), "{message}");
    }
}

#[test]
fn rows_that_differ_are_refused_or_drawn() {
    let folder = folder_with_stays("");
    let table = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    fs::write(
        folder.path().join("people.csv"),
        table.replacen("p1,21,m,smith", "p1,22,m,smith", 1),
    )
    .unwrap();
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(
        message
            .contains("column `age`: differs between the rows of one person, for 1 of 120 people"),
        "{message}"
    );
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    fs::write(folder.path().join("policy.toml"), format!("{policy}varying = \"draw\"\n")).unwrap();
    assert_eq!(published(folder.path())["rows"], 120);
    // Sets are measured, and the promise is about their members.
    let audit = openveil(folder.path(), &["audit", "out", "--json"]);
    assert_eq!(audit.status.code(), Some(0));
    assert_eq!(json(&audit.stdout)["keeps_promise"], Value::Null);
}

#[test]
fn whoever_is_nobody_and_what_reads_like_a_set_is_refused() {
    let folder = folder_with_stays("");
    let table = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    fs::write(folder.path().join("people.csv"), table.replace("p7,", "NA,")).unwrap();
    let missing =
        policy.replace("path = \"people.csv\"", "path = \"people.csv\"\nmissing_values = [\"NA\"]");
    fs::write(folder.path().join("policy.toml"), missing).unwrap();
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("is empty in some rows"), "{message}");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    fs::write(folder.path().join("people.csv"), table.replace("smith", "smith|smythe")).unwrap();
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("`smith|smythe`"), "{message}");
}

#[test]
fn a_stratum_that_allows_less_says_so() {
    let folder = folder_with_stays("");
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    fs::write(folder.path().join("policy.toml"), policy.replace("l = 2", "l = 6")).unwrap();
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("rows_of_person"), "{message}");
    assert!(message.contains("share of people with one value"), "{message}");
    assert!(message.contains("the largest possible l is 2"), "{message}");
}

#[test]
fn what_the_proof_does_not_cover_is_refused() {
    for (from, to, expected) in [
        ("l = 2", "l = 2\nvariant = \"entropy\"", "works with ratio l-diversity only"),
        ("[persons]", "[history]\nstate = \"s/p\"\nperson = \"name\"\n[persons]", "[history]"),
        ("[persons]", "[algorithm]\nname = \"rda\"\n[persons]", "`rda` protects one value"),
        ("id = \"name\"", "id = \"age\"", "must not be published"),
        ("id = \"name\"", "id = \"nam\"", "did you mean `name`?"),
        ("id = \"name\"", "id = \"name\"\nrows = 0", "leaves no rows"),
        ("id = \"name\"", "id = \"name\"\nrow = 2", "unknown"),
        ("sex = { role = \"quasi-identifier\" }", "sex = { role = \"other\" }", "the role `other`"),
    ] {
        let folder = folder_with_stays("");
        let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
        assert!(policy.contains(from));
        fs::write(folder.path().join("policy.toml"), policy.replace(from, to)).unwrap();
        let message = refused(folder.path(), &["publish", "policy.toml"]);
        assert!(message.contains(expected), "{to}: {message}");
    }
    let folder = folder_with_stays("");
    let message = refused(folder.path(), &["publish", "policy.toml", "--certify"]);
    assert!(message.contains("`--certify` covers one row per person"), "{message}");
    let plan = openveil(folder.path(), &["publish", "policy.toml", "--dry-run"]);
    assert_eq!(plan.status.code(), Some(0), "{}", text(&plan.stderr));
}
