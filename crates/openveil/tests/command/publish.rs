//! `openveil publish` and `inspect`: files in, files out, exit codes, messages.

use super::support::*;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[test]
fn publishing_writes_two_folders_and_reports() {
    let folder = folder();
    let output = openveil(folder.path(), &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.contains("Published 100 rows in ") && report.contains(" groups of 12 to "),
        "{report}"
    );
    assert!(report.contains("nobody's value of `job` can be guessed with a chance above 1/3"));
    let release = fs::read_to_string(folder.path().join("out/release/release.csv")).unwrap();
    assert!(release.starts_with("age,sex,job,group\n"));
    assert_eq!(release.lines().count(), 101);
    assert!(!release.contains("p1"), "identifiers stay");
}

#[test]
fn the_manifest_keeps_to_the_interface() {
    let folder = folder();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--json", "--out", "here"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = fs::read_to_string(folder.path().join("here/release/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(report["manifest"], manifest);
    assert_eq!(manifest["rows"], 100);
    assert_eq!(manifest["algorithm"], "halving");
    assert_eq!(manifest["parameters"]["smallest_group"], 12);
    assert_eq!(manifest["parameters"]["class"], 4);
    assert!(manifest["classes"].as_u64() > manifest["groups"].as_u64());
    assert_eq!(manifest["model"]["l"], 3);
    assert_eq!(manifest["guarantee"]["adversary"], "knows-algorithm");
    assert_eq!(manifest["guarantee"]["max_posterior"], "1/3");
    assert_eq!(manifest["omitted"]["identifiers"][0], "name");
    let owner = fs::read_to_string(folder.path().join("here/owner/owner.json")).unwrap();
    let owner: Value = serde_json::from_str(&owner).unwrap();
    assert!(owner["timings_ms"]["anonymize"].is_number());
}

#[test]
fn a_test_seed_repeats_and_marks_the_release() {
    let folder = folder();
    let run = |out: &str| {
        let output =
            openveil(folder.path(), &["publish", "policy.toml", "--test-seed", "5", "--out", out]);
        assert!(text(&output.stdout).contains("unfit for publication"));
        fs::read_to_string(folder.path().join(out).join("release/release.csv")).unwrap()
    };
    assert_eq!(run("a"), run("b"));
    let manifest = fs::read_to_string(folder.path().join("a/release/manifest.json")).unwrap();
    assert!(manifest.contains("\"fit_for_publication\": false"));
}

#[test]
fn a_dry_run_writes_no_release() {
    let folder = folder();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("Would publish 100 rows; no release was written."));
    assert!(is_clean(folder.path()));
    let output = openveil(folder.path(), &["publish", "policy.toml", "--dry-run", "--json"]);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&plan["groups"], &plan["largest_l"]), (&Value::Null, &4.into()));
}

/// Runs the program with something on standard input.
fn piped(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_openveil"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_is_a_table() {
    let folder = folder();
    let arguments = ["publish", "policy.toml", "--input", "-"];
    let output = piped(folder.path(), &arguments, people(60).as_bytes());
    assert!(text(&output.stdout).contains("Published 60 rows"));
}

/// An Arrow stream arrives once, and can be read as often as needed.
#[test]
fn streams_are_inspected() {
    let folder = folder();
    let stream = openveil(folder.path(), &["publish", "policy.toml", "--stdout"]).stdout;
    let arguments = ["inspect", "-", "--json"];
    let found = json(&piped(folder.path(), &arguments, &stream).stdout);
    assert_eq!(found["rows"], 100);
    let names: Vec<&str> = found["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"job") && names.contains(&"group"), "{names:?}");
}

#[test]
fn algorithms_can_be_chosen_and_unsafe_ones_need_consent() {
    let folder = folder();
    for name in ["halving", "ria", "rda", "rda-second-stage", "k-jump", "safe", "anatomy"] {
        let output = openveil(folder.path(), &["publish", "policy.toml", "--algorithm", name]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
    for name in
        ["gda", "rda-file-order", "naive", "top-down", "mondrian", "mondrian-relaxed", "incognito"]
    {
        let arguments = ["publish", "policy.toml", "--algorithm", name];
        let message = refused(folder.path(), &arguments);
        assert!(message.contains("--i-accept-algorithm-disclosure"), "{message}");
        let output = openveil(
            folder.path(),
            &[&arguments[..], &["--i-accept-algorithm-disclosure"]].concat(),
        );
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("adversary: sees-release"));
        fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
    let message = refused(folder.path(), &["publish", "policy.toml", "--algorithm", "gad"]);
    assert!(message.contains("did you mean `gda`?"), "{message}");
}

/// Nothing that the policy says about its own algorithm is dropped without a word.
#[test]
fn another_algorithm_refuses_the_settings_of_the_policys() {
    for (section, algorithm, key) in [
        ("[algorithm]\nname = \"k-jump\"\nblock = 6\n", "rda-second-stage", "block"),
        ("[algorithm]\nname = \"k-jump\"\nfunctions = [{ age = 1 }]\n", "cover", "functions"),
        ("[algorithm]\nname = \"k-jump\"\nfunctions = [{ age = 1 }]\njump = [1]\n", "safe", "jump"),
        ("smallest-group = 30\n", "cover", "smallest-group"),
    ] {
        let folder = folder();
        let policy = POLICY.to_owned() + section;
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        let message = refused(folder.path(), &["publish", "policy.toml", "--algorithm", algorithm]);
        let expected = [&format!("`{key}` under ["), &format!("has no effect on `{algorithm}`")];
        assert!(expected.iter().all(|part| message.contains(&***part)), "{message}");
    }
}

#[test]
fn bad_input_is_named_and_leaves_nothing() {
    let folder = folder();
    let path = folder.path();
    let message = refused(path, &["publish", "none.toml"]);
    assert!(message.contains("none.toml: cannot read the policy"), "{message}");
    let message = refused(path, &["publish", "policy.toml", "--input", "none.csv"]);
    assert!(message.contains("none.csv: cannot open the file"), "{message}");
    let message = refused(path, &["publish", "policy.toml", "--out", "people.csv/out"]);
    assert!(message.contains("cannot write to the output folder"), "{message}");
    for (l, expected) in [
        ("l = 1", "`l = 1` must be a whole number of at least 2"),
        ("l = 5", "l = 5 needs 5 different values"),
        ("l = 3.5", "`l = 3.5` is not a whole number"),
    ] {
        fs::write(path.join("policy.toml"), POLICY.replace("l = 3", l)).unwrap();
        let message = refused(path, &["publish", "policy.toml"]);
        assert!(message.contains(expected), "{message}");
    }
    fs::write(path.join("policy.toml"), POLICY).unwrap();
    fs::write(path.join("people.csv"), people(40).replace("judge", "clerk")).unwrap();
    let message = refused(path, &["publish", "policy.toml"]);
    assert!(message.contains("the value `clerk` appears in 20 of 40 rows (50.0 %)"), "{message}");
    assert!(message.contains("the largest possible l is 2"), "{message}");
    assert!(is_clean(path), "no temporary folder is left");
}

#[test]
fn bad_usage_has_code_two() {
    let folder = folder();
    assert_eq!(openveil(folder.path(), &["publish"]).status.code(), Some(2));
    assert_eq!(openveil(folder.path(), &["publsh"]).status.code(), Some(2));
    assert_eq!(openveil(folder.path(), &["--help"]).status.code(), Some(0));
}

#[test]
fn inspecting_leads_to_a_policy_that_publishes() {
    let folder = folder();
    let output = openveil(folder.path(), &["inspect", "people.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("guessed role") && table.contains("identifier"), "{table}");
    let output = openveil(folder.path(), &["publish", "people.policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let again = openveil(folder.path(), &["inspect", "people.csv"]);
    assert_eq!(again.status.code(), Some(2), "a policy is never overwritten");
    let json = openveil(folder.path(), &["inspect", "people.csv", "--json"]);
    let found: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(found["columns"][1]["type"], "integer");
    assert_eq!(found["columns"][3]["largest_l"], 4);
}

#[test]
fn links_are_reported_to_the_owner_and_what_is_left_of_them_to_everybody() {
    let folder = folder();
    let output = openveil(folder.path(), &["publish", "policy.toml"]);
    let report = text(&output.stdout);
    assert!(report.contains("For the owner only: how columns go with `job`"), "{report}");
    assert!(report.contains("a choice by the true values"), "{report}");
    let read = |path: &str| json(&fs::read(folder.path().join(path)).unwrap());
    let owner = &read("out/owner/owner.json")["association"][0];
    assert_eq!(owner["measure"], "cramers-v");
    // Two of the four jobs are held by women only, the others by men.
    let sex = &owner["columns"][1];
    assert_eq!((&sex["columns"][0], &sex["table"]), (&"sex".into(), &1.0.into()));
    assert_eq!(owner["pairs"][0]["columns"], serde_json::json!(["age", "sex"]));
    let public = &read("out/release/manifest.json")["utility"]["association"][0];
    assert_eq!(public["strength"]["sex"], sex["release"]);
    let kept = sex["release"].as_f64().unwrap();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--dry-run", "--json"]);
    let best = &json(&output.stdout)["association_at_best"][0]["strength"]["sex"];
    // No value above 1/3 of four: φ² of 4/3 − 1 at most.
    let bound = (1.0f64 / 3.0).sqrt();
    assert!(kept <= best.as_f64().unwrap() && best.as_f64().unwrap() <= bound + 1e-9);
}

#[test]
fn a_model_that_keeps_next_to_nothing_is_called_so_beforehand() {
    let folder = folder();
    let with = |model: &str| {
        let policy = POLICY.replace("model = \"l-diversity\"\nl = 3", model);
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        let output = openveil(folder.path(), &["publish", "policy.toml", "--dry-run"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let said = with("model = \"t-closeness\"\nt = 0.005\ndistance = \"equal\"");
    assert!(
        said.contains("next to nothing of how the known columns go with `job` can remain"),
        "{said}"
    );
    let said = with(
        "model = \"l-diversity\"\nvariant = \"distinct\"\nl = 2\n[algorithm]\nname = \"halving\"",
    );
    assert!(!said.contains("next to nothing"), "{said}");
    assert!(said.contains("This is a bound, not a forecast"), "{said}");
}

/// Several tables cannot go to standard output, and the refusal comes before any work.
#[test]
fn a_stream_takes_one_table() {
    let folder = folder();
    let policy = format!("{POLICY}[output]\nstyle = \"anatomy\"\n");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml", "--stdout"]);
    assert!(message.contains("writes one table"), "{message}");
    assert!(!folder.path().join("out").exists());
    fs::write(folder.path().join("policy.toml"), format!("{POLICY}{HISTORY}")).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml", "--stdout"]);
    assert!(message.contains("is not possible with [history]"), "{message}");
    assert!(!folder.path().join("secret").exists());
    fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    for option in ["--certify", "--measure"] {
        let alone = ["publish", "policy.toml", "--stdout", option];
        assert!(complaint(folder.path(), &alone).contains("the owner's folder"));
        let both = [&alone[..], &["--out", "here"]].concat();
        assert_eq!(openveil(folder.path(), &both).status.code(), Some(0));
        assert!(folder.path().join("here/owner/owner.json").exists());
    }
}

#[test]
fn limits_are_said_wherever_they_matter() {
    let folder = folder();
    let policy = POLICY.replace("type = \"integer\"", "type = \"integer\", top = 60");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let output = openveil(folder.path(), &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = fs::read_to_string(folder.path().join("out/release/report.html")).unwrap();
    assert!(page.contains("60 means 60 or more"));
    let ask = |condition: &str| {
        let arguments = ["query", "out", "--where", condition, "--policy", "policy.toml", "--json"];
        json(&openveil(folder.path(), &arguments).stdout)
    };
    let divided = ask("age >= 65");
    assert!(divided["notes"].to_string().contains("from 60 on are published as 60"), "{divided}");
    assert!(divided["true_count"].is_null(), "the policy's table has the limit, too: {divided}");
    assert_eq!(ask("age >= 60")["true_count"], 20);
}
