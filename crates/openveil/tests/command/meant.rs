//! Decisions that only the owner can make: whether rows are people, and whether two spellings are
//! one value.

use super::support::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A table in which one illness, which a third of the people have, has four spellings.
fn folder_with_spellings(key: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let spellings = ["hépatite", "Hépatite", "he\u{301}patite", "hépatite\u{200b} "];
    let row = |person: usize| {
        let illness = match person % 3 {
            0 => spellings[person / 3 % 4],
            1 => "grippe",
            _ => ["asthme", "otite", "angine"][person / 3 % 3],
        };
        format!("{},{illness}\n", 20 + person % 40)
    };
    let table: String = (0..120).map(row).collect();
    fs::write(folder.path().join("t.csv"), format!("age,ill\n{table}")).unwrap();
    let policy = format!(
        "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\nill = {{ role = \"sensitive\"{key} }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n"
    );
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

fn published(folder: &Path) -> Value {
    let output = openveil(folder, &["publish", "policy.toml", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    json(&output.stdout)
}

/// Returns the rows of each illness in the release, and the highest share of an illness in a group,
/// with spellings that read alike counted together.
fn illnesses(folder: &Path) -> (BTreeMap<String, usize>, f64) {
    let release = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let mut rows = BTreeMap::new();
    let mut groups: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for line in release.lines().skip(1) {
        let mut fields = line.rsplit(',');
        let (group, illness) = (fields.next().unwrap(), fields.next().unwrap());
        *rows.entry(illness.to_owned()).or_default() += 1;
        let group = groups.entry(group.to_owned()).or_default();
        group.push(illness.to_lowercase().contains("patite"));
    }
    let share =
        |group: &Vec<bool>| group.iter().filter(|own| **own).count() as f64 / group.len() as f64;
    (rows, groups.values().map(share).fold(0.0, f64::max))
}

#[test]
fn values_that_read_alike_are_decided_about() {
    let undecided = folder_with_spellings("");
    let message = refused(undecided.path(), &["publish", "policy.toml"]);
    assert!(message.contains("has values that read alike"), "{message}");
    assert!(message.contains("merge = true") && message.contains("distinct = true"), "{message}");
    let merged = folder_with_spellings(", merge = true");
    published(merged.path());
    let (rows, share) = illnesses(merged.path());
    assert_eq!((rows.len(), rows["Hépatite"]), (5, 40), "{rows:?}");
    assert!(share <= 1.0 / 3.0, "{share}");
    let distinct = folder_with_spellings(", distinct = true");
    published(distinct.path());
    assert_eq!(illnesses(distinct.path()).0.len(), 8);
    let both = folder_with_spellings(", merge = true, distinct = true");
    let message = refused(both.path(), &["publish", "policy.toml"]);
    assert!(message.contains("has both `merge` and `distinct`"), "{message}");
}

/// Inner blanks, direction marks and other invisible characters do not make another value.
#[test]
fn nothing_that_is_not_seen_makes_another_value() {
    let other = [
        "hiv  +",
        "HIV\t+",
        "hiv\u{a0}+",
        "hiv\u{200e} +",
        "hiv\u{fe0f} +",
        "h\u{130}v +",
        "hiv\u{34f} +",
    ];
    for spelling in other {
        let folder = folder_with_spellings("");
        let table = fs::read_to_string(folder.path().join("t.csv")).unwrap();
        let plain = table.lines().map(|line| match line.split_once(',') {
            Some((age, illness)) if illness.to_lowercase().contains("patite") => {
                let number: usize = age.parse().unwrap();
                format!("{age},{}\n", ["hiv +", spelling][number % 2])
            }
            _ => format!("{line}\n"),
        });
        fs::write(folder.path().join("t.csv"), plain.collect::<String>()).unwrap();
        let message = refused(folder.path(), &["publish", "policy.toml"]);
        assert!(message.contains("has values that read alike"), "{spelling:?}: {message}");
    }
}

/// Merging depends on how often each spelling occurs, which differs between releases.
#[test]
fn a_history_does_not_merge() {
    let folder = folder();
    let policy = POLICY.replace("\"sensitive\"", "\"sensitive\", merge = true");
    fs::write(folder.path().join("policy.toml"), policy + HISTORY).unwrap();
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("`merge`"), "{message}");
}

#[test]
fn an_identifier_that_repeats_is_decided_about() {
    let folder = folder();
    let table = people(100).replace("p99,", "p98,").replace("p97,", "p96,");
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("2 of its values appear in several rows"), "{message}");
    rewrite(folder.path(), "[columns]", "rows-are-people = true\n[columns]");
    let notes = published(folder.path())["manifest"]["notes"].to_string();
    assert!(notes.contains("the guarantee covers rows"), "{notes}");
}

/// One column that is checked to identify people is enough; two people may have the same name.
#[test]
fn one_column_that_tells_people_apart_is_enough() {
    let folder = folder();
    let with = |(number, row): (usize, &str)| match number {
        0 => format!("{row},id\n"),
        _ => format!("{row},{number}\n"),
    };
    let table = people(100).replace("p99,", "p98,");
    let table: String = table.lines().enumerate().map(with).collect();
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let policy =
        POLICY.replace("[columns]", "person = \"id\"\n[columns]\nid = { role = \"identifier\" }");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let notes = published(folder.path())["manifest"]["notes"].to_string();
    assert!(!notes.contains("guarantee covers rows"), "{notes}");
}

/// A starter policy leaves the decision to the owner.
#[test]
fn inspect_leaves_the_decision_to_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let row = |row: usize| {
        let job = ["clerk", "Clerk", "nurse", "smith"][row % 4];
        format!("{:03}-{},{},{job}\n", row / 2, "ab".repeat(3), 20 + row % 30)
    };
    let table = (0..200).map(row).collect::<String>();
    fs::write(folder.path().join("t.csv"), format!("patient_id,age,occupation\n{table}")).unwrap();
    let output = openveil(folder.path(), &["inspect", "t.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let policy = fs::read_to_string(folder.path().join("t.policy.toml")).unwrap();
    assert!(policy.contains("merge = true"), "{policy}");
    assert!(policy.contains("# DECIDE: \"patient_id\" repeats"), "{policy}");
    let message = complaint(folder.path(), &["publish", "t.policy.toml"]);
    assert!(message.contains("rows-are-people"), "{message}");
    let decided = policy.replace("# rows-are-people", "rows-are-people");
    fs::write(folder.path().join("t.policy.toml"), decided).unwrap();
    let output = openveil(folder.path(), &["publish", "t.policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// The line does not depend on who has which value, even if a column is the secret in other words.
#[test]
fn columns_computed_from_the_secret_are_asked_about() {
    let lines = |flag: &dyn Fn(usize) -> bool| {
        let folder = folder();
        let rows = people(100);
        let with = |(number, row): (usize, &str)| match number {
            0 => format!("{row},flag\n"),
            _ => format!("{row},{}\n", flag(number)),
        };
        let table: String = rows.lines().enumerate().map(with).collect();
        fs::write(folder.path().join("people.csv"), table).unwrap();
        rewrite(folder.path(), "job =", "flag = { role = \"quasi-identifier\" }\njob =");
        let plan = openveil(folder.path(), &["publish", "policy.toml", "--dry-run", "--json"]);
        published(folder.path());
        let owner = fs::read(folder.path().join("out/owner/owner.json")).unwrap();
        let [plan, owner] = [json(&plan.stdout), json(&owner)].map(|own| own["checklist"].clone());
        assert_eq!(plan, owner);
        plan.to_string()
    };
    let of_the_secret = lines(&|number| number % 4 == 0);
    assert_eq!(of_the_secret, lines(&|number| number % 7 == 0));
    assert!(of_the_secret.contains("computed from `job`"), "{of_the_secret}");
    assert!(of_the_secret.contains("`flag`"), "{of_the_secret}");
}
