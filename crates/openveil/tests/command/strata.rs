//! Strata from the user's point of view: published, refused, audited, attacked, enumerated.

use super::support::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// The policy of all tests with strata by sex; the table allows l = 2 in each.
fn folder_in_strata() -> tempfile::TempDir {
    let folder = folder();
    let policy = POLICY.replace("l = 3", "l = 2\nstrata = [\"sex\"]");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

#[test]
fn groups_stay_inside_and_the_manifest_has_the_histograms() {
    for style in ["generalize", "anatomy"] {
        for algorithm in ["cover", "halving", "rda", "ria", "safe", "k-jump"] {
            let folder = folder_in_strata();
            let more = format!(
                "l = 2\n[algorithm]\nname = \"{algorithm}\"\n[output]\nstyle = \"{style}\"\n"
            );
            rewrite(
                folder.path(),
                "l = 2\nstrata = [\"sex\"]",
                &format!("strata = [\"sex\"]\n{more}"),
            );
            let manifest = published(folder.path());
            let strata = &manifest["strata"];
            assert_eq!(strata["columns"], serde_json::json!(["sex"]));
            let expected = serde_json::json!([
                { "values": ["f"], "rows": 50, "histogram": { "clerk": 25, "smith": 25 } },
                { "values": ["m"], "rows": 50, "histogram": { "judge": 25, "nurse": 25 } },
            ]);
            assert_eq!(strata["strata"], expected);
            let statement = manifest["guarantee"]["statement"].as_str().unwrap();
            assert!(statement.contains("people of equal `sex` are a stratum"), "{statement}");
            let release =
                fs::read_to_string(folder.path().join("out/release/release.csv")).unwrap();
            let mut lines = release.lines();
            let header: Vec<&str> = lines.next().unwrap().split(',').collect();
            let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
            let mut sex_of: BTreeMap<String, String> = BTreeMap::new();
            for line in lines {
                let mut quoted = false;
                let fields: Vec<&str> = line
                    .split(|c| {
                        quoted ^= c == '"';
                        c == ',' && !quoted
                    })
                    .collect();
                let (group, sex) = (fields[at("group")].to_owned(), fields[at("sex")].to_owned());
                assert!(["f", "m"].contains(&&*sex), "{algorithm}: {line}");
                assert_eq!(*sex_of.entry(group).or_insert(sex.clone()), sex);
            }
            assert!(sex_of.len() >= 2);
        }
    }
}

#[test]
fn the_same_seed_and_another_order_of_rows_have_the_same_strata() {
    let folder = folder_in_strata();
    let manifest = published(folder.path());
    let people = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let mut lines: Vec<&str> = people.lines().collect();
    lines[1..].reverse();
    fs::write(folder.path().join("people.csv"), lines.join("\n") + "\n").unwrap();
    assert_eq!(published(folder.path())["strata"], manifest["strata"]);
}

#[test]
fn ineligible_strata_are_named_all_at_once() {
    let folder = folder_in_strata();
    rewrite(folder.path(), "l = 2", "l = 3");
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("2 of 2 strata by sex cannot be published"), "{message}");
    for stratum in ["sex = f: only 2 values occur", "sex = m: only 2 values occur"] {
        assert!(
            message.contains(&format!("\n    {stratum}; the largest possible l is 2")),
            "{message}"
        );
    }
    assert!(message.contains("l = 2 is possible in all of them"), "{message}");
    assert!(!folder.path().join("out/release").exists());
    let plan = complaint(folder.path(), &["publish", "policy.toml", "--dry-run"]);
    assert!(plan.contains("2 of 2 strata"), "{plan}");
    // Every age is a stratum.
    rewrite(folder.path(), "strata = [\"sex\"]", "strata = [\"age\"]");
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("50 of 50 strata by age cannot be published"), "{message}");
}

#[test]
fn a_stratum_needs_a_value_in_every_row() {
    let folder = folder_in_strata();
    let people = people(100).replacen("p5,25.0,m", "p5,25.0,", 1);
    let people = people.replacen("p7,27.0,m", "p7,27.0,", 1);
    fs::write(folder.path().join("people.csv"), people).unwrap();
    let input = "path = \"people.csv\"";
    rewrite(folder.path(), input, &format!("{input}\nmissing = \"keep\""));
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("people.csv, line 7, column `sex`"), "{message}");
    assert!(message.contains("fixes strata") && message.contains("drop-rows"), "{message}");
    rewrite(folder.path(), "\"keep\"", "\"drop-rows\"");
    assert_eq!(published(folder.path())["rows"], 98);
}

#[test]
fn releases_in_strata_are_audited_and_attacked_as_such() {
    for style in ["generalize", "anatomy"] {
        let folder = folder_in_strata();
        let closeness = "model = \"t-closeness\"\nt = 0.3\ndistance = \"equal\"";
        rewrite(folder.path(), "model = \"l-diversity\"\nl = 2", closeness);
        let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
        let policy = format!("{policy}\n[output]\nstyle = \"{style}\"\n");
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        published(folder.path());
        let audit = ["audit", "out", "--policy", "policy.toml", "--json"];
        let output = openveil(folder.path(), &audit);
        // Every group has a distance of 1/2 from the whole table.
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["notes"][0].as_str().unwrap().contains("has strata by sex"));
        let attack = openveil(
            folder.path(),
            &["attack", "out", "--policy", "policy.toml", "--sample", "20", "--json"],
        );
        assert_eq!(attack.status.code(), Some(0), "{}", text(&attack.stderr));
    }
}

#[test]
fn a_group_of_two_strata_fails_an_audit() {
    let folder = folder_in_strata();
    for (sex, failing) in [("{f|m}", 1), ("f", 0)] {
        let table = format!(
            "age,sex,job,group\n\"[20, 21]\",{sex},clerk,1\n\"[20, 21]\",{sex},smith,1\n22,m,judge,2\n22,m,nurse,2\n"
        );
        fs::write(folder.path().join("release.csv"), table).unwrap();
        let audit =
            ["audit", "release.csv", "--policy", "policy.toml", "--group", "group", "--json"];
        let output = openveil(folder.path(), &audit);
        assert_eq!(output.status.code(), Some(failing), "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let requirements = report["verdict"]["requirements"].as_array().unwrap();
        let last = requirements.last().unwrap();
        assert_eq!(last["requirement"], "no group of several strata by sex");
        assert_eq!(last["groups_failing"], failing);
    }
}

#[test]
fn the_model_checker_takes_strata() {
    let folder = folder();
    let verify = |strata: &[&str]| {
        let mut arguments = vec![
            "verify",
            "--algorithm",
            "cover",
            "--l",
            "2",
            "--sensitive",
            "1,2,2,3,3,1",
            "--qi",
            "0,0,1,1,1,1;1,2,3,4,5,6",
            "--json",
        ];
        arguments.extend(strata);
        openveil(folder.path(), &arguments)
    };
    let of = |output: std::process::Output| -> Value {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(of(verify(&[]))["tables"], 90);
    // 2 for the two of the first stratum, 12 for 2, 3, 3 and 1.
    assert_eq!(of(verify(&["--strata", "q1"]))["tables"], 24);
    let message = text(&verify(&["--strata", "q3"]).stderr);
    assert!(message.contains("`q3` is not a known column"), "{message}");
}

/// Rules: a guardian in strata, and rules that do not agree on them.
#[test]
fn guardians_have_the_strata_of_their_rules() {
    let folder = folder();
    let policy = r#"
[input]
path = "people.csv"
[columns]
age = { role = "attribute", type = "integer" }
sex = { role = "attribute" }
job = { role = "attribute" }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 2
strata = ["sex"]
[[rules]]
given = ["age", "sex"]
protect = "job"
"#;
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let manifest = published(folder.path());
    let tables = manifest["tables"].as_array().unwrap();
    let guardian = tables.iter().find(|table| table["enforces"].is_object()).unwrap();
    assert_eq!(guardian["strata"]["columns"][0], "sex");
    assert_eq!(guardian["strata"]["strata"][1]["rows"], 50);
    let disagreeing =
        format!("{policy}[[rules]]\ngiven = \"age\"\nprotect = \"job\"\nstrata = []\n");
    fs::write(folder.path().join("policy.toml"), disagreeing).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("one table serves this rule and others"), "{message}");
    assert!(message.contains("give both rules the same `strata`"), "{message}");
    let too_much = policy.replace("l = 2", "l = 3");
    fs::write(folder.path().join("policy.toml"), too_much).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("sex = f: only 2 values occur"), "{message}");
}
