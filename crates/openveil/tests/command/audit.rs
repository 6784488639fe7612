//! `openveil audit`, on releases and on tables by other programs.

use super::support::*;
use serde_json::Value;
use std::fs;

/// Publishes the usual table with some output settings and audits the release.
fn published_and_audited(output: &str) -> (tempfile::TempDir, Value) {
    let folder = folder();
    fs::write(folder.path().join("policy.toml"), format!("{POLICY}{output}")).unwrap();
    let published = openveil(folder.path(), &["publish", "policy.toml"]);
    assert_eq!(published.status.code(), Some(0), "{}", text(&published.stderr));
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
        let (folder, report) = published_and_audited(&format!("{COVER}{output}"));
        assert_eq!((&report["rows"], &report["groups"]), (&100.into(), &33.into()));
        assert_eq!(report["satisfied"], true, "{output}");
        assert!(report["l_ratio"].as_f64().unwrap() >= 3.0, "{output}");
        assert_eq!(report["k"], 3);
        for key in ["t_ordered", "t_hierarchical", "l_alpha", "similarity_rows"] {
            assert!(report[key].is_null() && report.get(key).is_some(), "{key}");
        }
        assert!(report["risk"]["journalist"].is_null());
        // The release itself states which column is sensitive, and the separator of fields.
        let alone = openveil(folder.path(), &["audit", "out/release", "--json"]);
        let alone = json(&alone.stdout);
        assert_eq!(alone["l_ratio"], report["l_ratio"], "{output}");
    }
}

/// A folder can be audited without a policy.
#[test]
fn a_release_that_was_changed_breaks_its_promise() {
    let folder = folder();
    let path = folder.path();
    assert!(openveil(path, &["publish", "policy.toml"]).status.success());
    let audit = |more: &[&str]| openveil(path, &[&["audit", "out", "--json"], more].concat());
    let kept = audit(&[]);
    assert_eq!(kept.status.code(), Some(0));
    assert_eq!(json(&kept.stdout)["keeps_promise"], true);
    let own = audit(&["--policy", "policy.toml"]);
    assert_eq!(json(&own.stdout)["keeps_promise"], true);
    // It promises nothing about columns that another policy protects.
    let policy = fs::read_to_string(path.join("policy.toml")).unwrap();
    let known = policy.replace(r#""sensitive""#, r#""quasi-identifier""#);
    let other =
        known.replacen(r#"age = { role = "quasi-identifier""#, r#"age = { role = "sensitive""#, 1);
    assert!(other.contains(r#"age = { role = "sensitive""#));
    fs::write(path.join("other.toml"), other).unwrap();
    let foreign = audit(&["--policy", "other.toml"]);
    assert_eq!(json(&foreign.stdout)["keeps_promise"], serde_json::Value::Null);
    let table = path.join("out/release/release.csv");
    let changed = fs::read_to_string(&table).unwrap().replace("nurse", "clerk");
    fs::write(&table, changed).unwrap();
    let broken = audit(&[]);
    assert_eq!(broken.status.code(), Some(1));
    assert_eq!(json(&broken.stdout)["keeps_promise"], false);
    // The promise is about the sensitive column only, but modified files are reported in any case.
    let other = audit(&["--sensitive", "sex"]);
    assert_eq!(other.status.code(), Some(1), "{}", text(&other.stderr));
    assert_eq!(json(&other.stdout)["keeps_promise"], Value::Null);
}

#[test]
fn auditing_a_broken_promise_has_code_one_and_says_where() {
    let (folder, _) = published_and_audited("");
    let strict = POLICY.replace("l = 3", "l = 4");
    fs::write(folder.path().join("strict.toml"), strict).unwrap();
    let output = openveil(folder.path(), &["audit", "out", "--policy", "strict.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(report.contains("ratio 4-diversity: NOT satisfied."), "{report}");
    assert!(report.contains(", but the bound is 0.25."), "{report}");
    // The original table: every person is alone, and the identifier is included.
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
    fs::write(folder.path().join("kinds"), "clerk;a\nsmith;a\nnurse;b\njudge;b\n").unwrap();
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
    assert!(report.starts_with("people.csv: 100 rows in 2 groups, by `sex`."), "{report}");
    // Both sexes have two jobs, of one kind each.
    assert!(report.contains("journalist"), "{report}");
    let json = openveil(folder.path(), &[&arguments[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(report["l_entropy"], 2.0);
    assert_eq!((&report["recursive"]["2"], &report["alpha_exact"]), (&1.0.into(), &"1/2".into()));
    assert!(report["delta"].is_null() && report["satisfied"].is_null());
    let infinite = serde_json::json!(["delta", "l_alpha.recursive.2"]);
    assert_eq!((&report["infinite"], &report["similarity_rows"]), (&infinite, &100.into()));
}

#[test]
fn releases_are_measured_beside_the_owners_table() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(openveil(path, &["publish", "policy.toml"]).status.code(), Some(0));
    let arguments = ["audit", "out", "--policy", "policy.toml", "--measure"];
    let output = openveil(path, &[&arguments[..], &["--json"]].concat());
    let report = &json(&output.stdout)["utility"];
    let manifest = json(&fs::read(path.join("out/release/manifest.json")).unwrap());
    assert_eq!(report["dm"], manifest["utility"]["dm"]);
    assert_eq!(report["certainty_penalty"], manifest["utility"]["mean_extent"]);
    assert_eq!(report["sensitive_association"][1]["table"], 1.0);
    assert!(report["kl"].as_f64().unwrap() > 0.0);
    assert_eq!(report["classifier"]["trained_on_table"], 0.5, "two jobs for each sex");
    let said = text(&openveil(path, &arguments).stdout);
    assert!(said.contains("For the owner only") && said.contains("naive Bayes"), "{said}");
    // A table by another tool: it hides ages and shows sexes exactly.
    let rows = people(100);
    let rows = rows
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect::<Vec<_>>())
        .map(|row| format!("*,{},{}\n", row[2], row[3]))
        .collect::<String>();
    fs::write(path.join("other.csv"), format!("age,sex,job\n{rows}")).unwrap();
    let arguments = ["audit", "other.csv", "--policy", "policy.toml", "--measure", "--json"];
    let report = &json(&openveil(path, &arguments).stdout)["utility"];
    assert_eq!((&report["dm"], &report["ncp"]), (&5_000.into(), &0.5.into()));
    assert_eq!(report["sensitive_association"][1]["release"], 1.0);
    assert!(report["sensitive_association"][0]["release"].as_f64().unwrap() < 1e-6);
    let halves = rows.replace("*,", "\"[20, 45[\",");
    fs::write(path.join("other.csv"), format!("age,sex,job\n{halves}")).unwrap();
    let report = &json(&openveil(path, &arguments).stdout)["utility"];
    assert!(report["ncp"].as_f64().unwrap() < 0.26);
    fs::write(path.join("other.csv"), "age,sex,job\nold,f,clerk\n").unwrap();
    let message = complaint(path, &arguments);
    assert!(message.contains("`old` does not describe values of the table"), "{message}");
    assert!(message.contains("measure a release with the policy"), "{message}");
}

#[test]
fn demands_decide_the_exit_code() {
    let folder = folder();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--test-seed", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let audit = |demand: &str| {
        let arguments = ["audit", "out", "--fail-under", demand, "--junit", "audit.xml"];
        openveil(folder.path(), &arguments)
    };
    let met = audit("l_ratio=3,k=3");
    assert_eq!(met.status.code(), Some(0), "{}", text(&met.stderr));
    assert!(text(&met.stdout).contains("k of at least 3: met, it is "));
    let broken = audit("l_ratio=10/3");
    assert_eq!(broken.status.code(), Some(1));
    let xml = fs::read_to_string(folder.path().join("audit.xml")).unwrap();
    assert!(
        xml.contains("failures=\"1\"") && xml.contains("<failure message=\"l_ratio is 3\"/>"),
        "{xml}"
    );
    // A manifest that promises more than its table shows is reported.
    let path = folder.path().join("out/release/manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    fs::write(&path, manifest.replace("\"1/3\"", "\"1/30\"")).unwrap();
    let forged = text(&audit("k=3").stderr);
    assert!(forged.contains("the manifest states at most 1/30"), "{forged}");
    let xml = fs::read_to_string(folder.path().join("audit.xml")).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"2\""), "{xml}");
    // Without a check there is no passed test.
    let nothing = ["audit", "people.csv", "--sensitive", "job", "--junit", "none.xml"];
    let message = complaint(folder.path(), &nothing);
    assert!(message.contains("there is nothing that `--junit` could report"), "{message}");
    assert!(!folder.path().join("none.xml").exists());
}

/// The policy's separator applies to its own table; the option is not needed.
#[test]
fn the_policys_own_table_is_read_as_it_says() {
    let folder = folder();
    let table = people(40).replace(',', ";");
    fs::write(folder.path().join("people.csv"), &table).unwrap();
    rewrite(folder.path(), "path = \"people.csv\"", "path = \"people.csv\"\ndelimiter = \";\"");
    let audit = |table: &str| openveil(folder.path(), &["audit", table, "--policy", "policy.toml"]);
    let own = audit("people.csv");
    assert_eq!(own.status.code(), Some(1), "{}", text(&own.stderr));
    assert!(text(&own.stdout).contains("40 rows"));
    // Its release has commas.
    fs::write(folder.path().join("other.csv"), people(40)).unwrap();
    assert_eq!(audit("other.csv").status.code(), Some(1));
}

/// Earlier versions stated less, in other words: such facts are not checked, but cells are.
#[test]
fn a_release_of_an_earlier_version_is_checked_as_far_as_it_says() {
    for style in ["generalize", "slice", "anatomy"] {
        let (folder, _) = published_and_audited(&format!("[output]\nstyle = \"{style}\"\n"));
        fs::remove_dir_all(folder.path().join("out/owner")).unwrap();
        let path = folder.path().join("out/release/manifest.json");
        let mut manifest = json(&fs::read(&path).unwrap());
        manifest["openveil"] = "0.0.9".into();
        manifest["guarantee"]["statement"] = "nobody learns a value".into();
        let own = manifest.as_object_mut().unwrap();
        for entry in ["parameters", "chosen_by"] {
            own.remove(entry);
        }
        for entry in ["dm_lower_bound", "dm_optimal", "association", "learned"] {
            manifest["utility"].as_object_mut().unwrap().remove(entry);
        }
        for column in manifest["columns"].as_array_mut().unwrap() {
            column.as_object_mut().unwrap().remove("cells");
        }
        fs::write(&path, manifest.to_string()).unwrap();
        let audit = || openveil(folder.path(), &["audit", "out", "--json"]);
        let output = audit();
        assert_eq!(output.status.code(), Some(0), "{style}: {}", text(&output.stdout));
        let report = json(&output.stdout);
        let words = report["not_checked"].to_string();
        assert!(words.contains("version 0.0.9") && words.contains("the page"), "{words}");
        manifest["utility"]["dm"] = 1.into();
        fs::write(&path, manifest.to_string()).unwrap();
        assert_eq!(audit().status.code(), Some(1));
    }
}
