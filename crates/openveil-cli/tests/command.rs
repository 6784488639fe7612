//! The command as a user runs it: files in, files out, exit codes, messages.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
job = { role = "sensitive" }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 3
"#;

fn people(rows: usize) -> String {
    let mut text = String::from("name,age,sex,job\n");
    for row in 0..rows {
        let job = ["clerk", "nurse", "smith", "judge"][row % 4];
        text.push_str(&format!(
            "p{row},{}.0,{},{job}\n",
            20 + row % 50,
            ["f", "m"][row % 2]
        ));
    }
    text
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(100)).unwrap();
    fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    folder
}

fn openveil(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    command
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs a command that must fail with code 2, leave nothing and say why.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = openveil(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.starts_with("error: ") && !message.contains("panicked"),
        "{message}"
    );
    assert!(!folder.join("out/release").exists());
    message
}

#[test]
fn publishing_writes_two_folders_and_reports() {
    let folder = folder();
    let output = openveil(folder.path(), &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.contains("Published 100 rows in 33 groups of 3 to 4 rows."),
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
    let output = openveil(
        folder.path(),
        &["publish", "policy.toml", "--json", "--out", "here"],
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = fs::read_to_string(folder.path().join("here/release/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(report["manifest"], manifest);
    assert_eq!(
        (&manifest["rows"], &manifest["groups"]),
        (&100.into(), &33.into())
    );
    assert_eq!(manifest["algorithm"], "cover");
    assert_eq!(manifest["model"]["l"], 3);
    assert_eq!(manifest["guarantee"]["adversary"], "knows-algorithm");
    assert_eq!(manifest["guarantee"]["max_posterior"], "1/3");
    assert_eq!(manifest["utility"]["dm"], manifest["utility"]["dm_optimal"]);
    assert_eq!(manifest["omitted"]["identifiers"][0], "name");
    let owner = fs::read_to_string(folder.path().join("here/owner/owner.json")).unwrap();
    let owner: Value = serde_json::from_str(&owner).unwrap();
    assert!(owner["timings_ms"]["anonymize"].is_number());
}

#[test]
fn a_test_seed_repeats_and_marks_the_release() {
    let folder = folder();
    let run = |out: &str| {
        let output = openveil(
            folder.path(),
            &["publish", "policy.toml", "--test-seed", "5", "--out", out],
        );
        assert!(text(&output.stdout).contains("unfit for publication"));
        fs::read_to_string(folder.path().join(out).join("release/release.csv")).unwrap()
    };
    assert_eq!(run("a"), run("b"));
    let manifest = fs::read_to_string(folder.path().join("a/release/manifest.json")).unwrap();
    assert!(manifest.contains("\"fit_for_publication\": false"));
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = folder();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("Would publish 100 rows; nothing was written."));
    assert!(!folder.path().join("out").exists());
    let output = openveil(
        folder.path(),
        &["publish", "policy.toml", "--dry-run", "--json"],
    );
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&plan["groups"], &plan["largest_l"]),
        (&33.into(), &4.into())
    );
}

#[test]
fn standard_input_is_a_table() {
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_openveil"))
        .current_dir(folder.path())
        .args(["publish", "policy.toml", "--input", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(people(60).as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(text(&output.stdout).contains("Published 60 rows"));
}

#[test]
fn algorithms_can_be_chosen_and_unsafe_ones_need_consent() {
    let folder = folder();
    for name in ["ria", "rda", "k-jump", "safe"] {
        let output = openveil(
            folder.path(),
            &["publish", "policy.toml", "--algorithm", name],
        );
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
    for name in ["gda", "rda-file-order", "naive"] {
        let arguments = ["publish", "policy.toml", "--algorithm", name];
        let message = refused(folder.path(), &arguments);
        assert!(
            message.contains("--i-accept-algorithm-disclosure"),
            "{message}"
        );
        let output = openveil(
            folder.path(),
            &[&arguments[..], &["--i-accept-algorithm-disclosure"]].concat(),
        );
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("adversary: sees-release"));
        fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
    let message = refused(
        folder.path(),
        &["publish", "policy.toml", "--algorithm", "gad"],
    );
    assert!(message.contains("did you mean `gda`?"), "{message}");
}

#[test]
fn bad_input_is_named_and_leaves_nothing() {
    let folder = folder();
    let path = folder.path();
    let message = refused(path, &["publish", "none.toml"]);
    assert!(
        message.contains("none.toml: cannot read the policy"),
        "{message}"
    );
    let message = refused(path, &["publish", "policy.toml", "--input", "none.csv"]);
    assert!(
        message.contains("none.csv: cannot open the file"),
        "{message}"
    );
    let message = refused(path, &["publish", "policy.toml", "--out", "people.csv/out"]);
    assert!(
        message.contains("cannot write to the output folder"),
        "{message}"
    );
    for (l, expected) in [
        ("l = 1", "l = 1 protects nobody"),
        ("l = 5", "l = 5 asks for 5 different values"),
        ("l = 3.5", "policy.toml, line 11"),
    ] {
        fs::write(path.join("policy.toml"), POLICY.replace("l = 3", l)).unwrap();
        let message = refused(path, &["publish", "policy.toml"]);
        assert!(message.contains(expected), "{message}");
    }
    fs::write(path.join("policy.toml"), POLICY).unwrap();
    fs::write(
        path.join("people.csv"),
        people(40).replace("judge", "clerk"),
    )
    .unwrap();
    let message = refused(path, &["publish", "policy.toml"]);
    assert!(
        message.contains("the value `clerk` stands in 20 of 40 rows (50.0 %)"),
        "{message}"
    );
    assert!(
        message.contains("the largest possible is l = 2"),
        "{message}"
    );
    let left = fs::read_dir(path.join("out")).map_or(0, |entries| entries.count());
    assert_eq!(left, 0, "no temporary folder is left");
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
    assert!(
        table.contains("guessed role") && table.contains("identifier"),
        "{table}"
    );
    let output = openveil(folder.path(), &["publish", "people.policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let again = openveil(folder.path(), &["inspect", "people.csv"]);
    assert_eq!(
        again.status.code(),
        Some(2),
        "a policy is never overwritten"
    );
    let json = openveil(folder.path(), &["inspect", "people.csv", "--json"]);
    let found: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(found["columns"][1]["type"], "integer");
    assert_eq!(found["columns"][3]["largest_l"], 4);
}

#[test]
fn verifying_reports_exact_figures() {
    let folder = folder();
    let verify = |algorithm: &str| {
        let arguments = [
            "verify",
            "--algorithm",
            algorithm,
            "--sensitive",
            "1,1,2,2,3,3",
            "--l",
            "2",
            "--json",
        ];
        let output = openveil(folder.path(), &arguments);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report)
    };
    let (code, report) = verify("cover");
    assert_eq!(
        (code, &report["tables"], &report["unsafe_releases"]),
        (Some(0), &90.into(), &0.into())
    );
    assert_eq!(report["max_posterior"], "1/2");
    let (code, report) = verify("gda");
    assert_eq!((code, &report["certain_tables"]), (Some(1), &48.into()));
    assert_eq!(report["max_posterior"], "1");
    let told = openveil(
        folder.path(),
        &[
            "verify",
            "--algorithm",
            "gda",
            "--sensitive",
            "1,1,2,2,3,3",
            "--l",
            "2",
        ],
    );
    assert!(
        text(&told.stdout).contains("with probability 1."),
        "{}",
        text(&told.stdout)
    );
    let large = openveil(
        folder.path(),
        &[
            "verify",
            "--algorithm",
            "gda",
            "--sensitive",
            "1,2,3,4,5,6,7,8,9,10,11,12",
            "--l",
            "2",
        ],
    );
    assert_eq!(large.status.code(), Some(2));
    assert!(text(&large.stderr).contains("beyond the limit"));
}

#[test]
fn verifying_walks_all_multisets() {
    let folder = folder();
    let sweep = |algorithm: &str, more: &[&str]| {
        let arguments = [
            "verify",
            "--algorithm",
            algorithm,
            "--rows-up-to",
            "6",
            "--l",
            "2",
        ];
        openveil(folder.path(), &[&arguments[..], more].concat())
    };
    let safe = sweep("cover", &["--json"]);
    assert_eq!(safe.status.code(), Some(0));
    let sizes: Value = serde_json::from_slice(&safe.stdout).unwrap();
    // Of four people: 1+1+1+1, 2+1+1 in three orders, 2+2.
    assert_eq!(
        (&sizes[2]["rows"], &sizes[2]["multisets"]),
        (&4.into(), &5.into())
    );
    assert!(
        sizes
            .as_array()
            .unwrap()
            .iter()
            .all(|size| size["unsafe_releases"] == 0)
    );
    let leaky = sweep("gda", &[]);
    assert_eq!(leaky.status.code(), Some(1));
    assert!(text(&leaky.stdout).contains("`gda` gives people away on some multisets"));
}

/// Publishes the usual table in some way and audits the release.
fn published_and_audited(output: &str) -> (tempfile::TempDir, Value) {
    let folder = folder();
    fs::write(
        folder.path().join("policy.toml"),
        format!("{POLICY}{output}"),
    )
    .unwrap();
    let published = openveil(folder.path(), &["publish", "policy.toml"]);
    assert_eq!(
        published.status.code(),
        Some(0),
        "{}",
        text(&published.stderr)
    );
    let arguments = ["audit", "out", "--policy", "policy.toml", "--json"];
    let audited = openveil(folder.path(), &arguments);
    assert_eq!(audited.status.code(), Some(0), "{}", text(&audited.stderr));
    let report = serde_json::from_slice(&audited.stdout).unwrap();
    (folder, report)
}

#[test]
fn auditing_a_release_finds_its_promise_kept() {
    for output in [
        "",
        "[output]\nformat = \"parquet\"\n",
        "[output]\nformat = \"csv.gz\"\ndelimiter = \"|\"\n",
        "[output]\nstyle = \"anatomy\"\n",
        "[output]\nstyle = \"anatomy\"\nformat = \"parquet\"\n",
    ] {
        let (folder, report) = published_and_audited(output);
        assert_eq!(
            (&report["rows"], &report["groups"]),
            (&100.into(), &33.into())
        );
        assert_eq!(report["satisfied"], true, "{output}");
        assert!(report["l_ratio"].as_f64().unwrap() >= 3.0, "{output}");
        assert_eq!(report["k"], 3);
        for key in ["t_ordered", "t_hierarchical", "l_alpha", "similarity_rows"] {
            assert!(report[key].is_null() && report.get(key).is_some(), "{key}");
        }
        assert!(report["risk"]["journalist"].is_null());
        // The release says itself which column is sensitive.
        let alone = openveil(folder.path(), &["audit", "out/release", "--delimiter", "|"]);
        let delimited = output.contains('|') || output.contains("parquet");
        assert_eq!(alone.status.code() == Some(0), delimited, "{output}");
    }
}

#[test]
fn auditing_a_broken_promise_has_code_one_and_says_where() {
    let (folder, _) = published_and_audited("");
    let strict = POLICY.replace("l = 3", "l = 4");
    fs::write(folder.path().join("strict.toml"), strict).unwrap();
    let output = openveil(folder.path(), &["audit", "out", "--policy", "strict.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.contains("ratio 4-diversity: NOT satisfied."),
        "{report}"
    );
    assert!(
        report.contains("is 0.3333 where the bound is 0.25."),
        "{report}"
    );
    // The table as it was: everybody alone, and the identifier still there.
    let arguments = ["audit", "people.csv", "--policy", "policy.toml"];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("`name`, which identifies people"));
    let output = openveil(folder.path(), &["audit", "out", "--sensitive", "jb"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean `job`?"));
}

#[test]
fn auditing_needs_no_policy() {
    let folder = folder();
    fs::write(
        folder.path().join("kinds"),
        "clerk;a\nsmith;a\nnurse;b\njudge;b\n",
    )
    .unwrap();
    let arguments = [
        "audit",
        "people.csv",
        "--qi",
        "sex",
        "--sensitive",
        "job",
        "--categories",
        "kinds",
        "--l",
        "2",
        "--population",
        "1_000",
    ];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.starts_with("people.csv: 100 rows in 2 groups, by `sex`."),
        "{report}"
    );
    // Both sexes have two jobs, of one kind each.
    assert!(report.contains("journalist"), "{report}");
    let json = openveil(folder.path(), &[&arguments[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(report["l_entropy"], 2.0);
    assert_eq!(
        (&report["recursive"]["2"], &report["alpha_exact"]),
        (&1.0.into(), &"1/2".into())
    );
    assert!(report["delta"].is_null() && report["satisfied"].is_null());
    let infinite = serde_json::json!(["delta", "l_alpha.recursive.2"]);
    assert_eq!(
        (&report["infinite"], &report["similarity_rows"]),
        (&infinite, &100.into())
    );
}
