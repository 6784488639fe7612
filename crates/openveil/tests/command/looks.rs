//! Outputs that depend on who has which value, and how later releases record them.

use super::support::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Publishes, and returns the manifest.
fn published(folder: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["publish", "policy.toml"], arguments].concat();
    let output = openveil(folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    json(&fs::read(folder.join("out/release/manifest.json")).unwrap())
}

fn adversary(manifest: &Value) -> &str {
    manifest["guarantee"]["adversary"].as_str().unwrap()
}

/// Publishes tables of people with these jobs, one after the other; returns the last manifest.
fn after(tables: [&str; 2], first: Option<&str>) -> Value {
    let folder = folder();
    let policy = POLICY.replace("l = 3", "l = 2");
    fs::write(folder.path().join("policy.toml"), format!("{policy}{HISTORY}")).unwrap();
    let write = |jobs: &str| {
        let table = jobs
            .chars()
            .enumerate()
            .map(|(number, job)| format!("p{number},{},f,{job}\n", 20 + number))
            .collect::<String>();
        let table = format!("name,age,sex,job\n{table}");
        fs::write(folder.path().join("people.csv"), table).unwrap();
    };
    if let Some(first) = first {
        write(first);
        published(folder.path(), &[]);
    }
    write(tables[0]);
    complaint(folder.path(), &["publish", "policy.toml"]);
    write(tables[1]);
    published(folder.path(), &[])
}

/// Two people joined with the same value, which the refusal discloses; with two more people they
/// are published.
#[test]
fn a_history_names_a_refused_run() {
    let in_between = after(["abccaa", "abccaabc"], Some("abcc"));
    let at_the_start = after(["aa", "aabc"], None);
    for manifest in [in_between, at_the_start] {
        assert_eq!(manifest["history"]["refused"], 1);
        assert_eq!(adversary(&manifest), "sees-release");
        let statement = manifest["guarantee"]["statement"].as_str().unwrap();
        let words = "not covered: a reader who knows that 1 run of this history was refused";
        assert!(statement.contains(words), "{statement}");
        let notes = manifest["notes"].to_string();
        assert!(notes.contains("1 run of this history was refused"), "{notes}");
    }
}

/// A changed value after a draft discloses as well; a too small number of people does not.
#[test]
fn a_history_counts_refusals_that_depend_on_values() {
    let changed = after(["bbcc", "abccab"], Some("abcc"));
    assert_eq!(changed["history"]["refused"], 1);
    let folder = folder();
    fs::write(folder.path().join("policy.toml"), format!("{POLICY}{HISTORY}")).unwrap();
    fs::write(folder.path().join("people.csv"), "name,age,sex,job\nx,30,f,a\ny,31,f,b\n").unwrap();
    refused(folder.path(), &["publish", "policy.toml"]);
    fs::write(folder.path().join("people.csv"), people(40)).unwrap();
    let manifest = published(folder.path(), &[]);
    assert_eq!(adversary(&manifest), "knows-algorithm");
}

fn texts(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

fn done(folder: &Path, words: &[String]) {
    let output = openveil(folder, &texts(words));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Returns the arguments that measure a sample with a test seed.
fn sample(file: &str, rows: &str) -> Vec<String> {
    let compare = "compare policy.toml --trials 1 --queries 20 --test-seed 2 --sample";
    compare.split(' ').chain([file, "--sample-rows", rows]).map(str::to_owned).collect()
}

#[test]
fn every_sample_is_left_out_or_named() {
    let folder = folder();
    let folder = folder.path();
    rewrite(folder, "l = 3", "l = 2");
    for (file, rows) in [("s1.json", "20"), ("s2.json", "30")] {
        done(folder, &sample(file, rows));
    }
    let both = ["--without-sample", "s1.json", "--without-sample", "s2.json"];
    let manifest = published(folder, &both);
    assert_eq!(adversary(&manifest), "knows-algorithm");
    let omitted = manifest["omitted"]["rows"].as_u64().unwrap();
    assert!((30..=50).contains(&omitted), "{omitted} rows");
    assert!(manifest["omitted"].to_string().contains("can subtract"));
    for arguments in [&both[..2], &[]] {
        let manifest = published(folder, arguments);
        assert_eq!(adversary(&manifest), "sees-release");
        assert!(manifest["notes"].to_string().contains("sample"));
    }
    // In a history, people who were left out come back.
    let policy = fs::read_to_string(folder.join("policy.toml")).unwrap();
    fs::write(folder.join("policy.toml"), policy + HISTORY).unwrap();
    assert_eq!(adversary(&published(folder, &both)), "knows-algorithm");
    assert_eq!(adversary(&published(folder, &[])), "sees-release");
}

#[test]
fn a_sample_keeps_the_model_by_itself() {
    let folder = folder();
    let folder = folder.path();
    let words = "left out as a sample (1) do not satisfy the model by themselves";
    let message = refused(folder, &texts(&sample("one.json", "1")));
    assert!(message.contains(words), "{message}");
    assert!(!folder.join("one.json").exists() && !folder.join("out").exists());
    // A policy with a larger l refuses a sample that another policy allowed, also before a dry run.
    rewrite(folder, "l = 3", "l = 2");
    done(folder, &sample("s.json", "21"));
    rewrite(folder, "l = 2", "l = 4");
    let publish = ["publish", "policy.toml", "--without-sample", "s.json"];
    for arguments in [&publish[..], &[&publish[..], &["--dry-run"]].concat()] {
        let message = refused(folder, arguments);
        assert!(message.contains("left out as a sample (21) do not satisfy"), "{message}");
    }
}

/// A run, a plan and a comparison record the same about the histograms of strata.
#[test]
fn a_refusal_in_strata_is_named_where_they_are_not_shown() {
    let compare = ["compare", "policy.toml", "--trials", "1", "--queries", "9"];
    for first in
        [&["publish", "policy.toml"][..], &["publish", "policy.toml", "--dry-run"], &compare]
    {
        let folder = folder();
        let folder = folder.path();
        rewrite(folder, "l = 3", "l = 3\nstrata = [\"sex\"]");
        openveil(folder, first);
        rewrite(folder, "l = 3", "l = 2");
        assert_eq!(adversary(&published(folder, &[])), "knows-algorithm");
        rewrite(folder, "strata = [\"sex\"]", "");
        let manifest = published(folder, &[]);
        assert_eq!(adversary(&manifest), "sees-release", "after {first:?}");
        let notes = manifest["notes"].to_string();
        assert!(notes.contains("in strata by sex"), "{notes}");
    }
}

/// The number of a person's rows that count also defines strata.
#[test]
fn a_refusal_by_the_number_of_rows_is_named_where_another_number_counts() {
    let folder = folder();
    let folder = folder.path();
    // All people with two rows have the same job.
    let once = (0..12).map(|person| (person, ["clerk", "nurse", "smith"][person % 3]));
    let twice = (12..16).flat_map(|person| [(person, "judge"); 2]);
    let row = |(person, job)| format!("p{person},{},f,{job}\n", 20 + person);
    let table: String = once.chain(twice).map(row).collect();
    fs::write(folder.join("people.csv"), format!("name,age,sex,job\n{table}")).unwrap();
    let policy = POLICY.replace("l = 3", "l = 2") + "[persons]\nid = \"name\"\n";
    fs::write(folder.join("policy.toml"), policy).unwrap();
    refused(folder, &["publish", "policy.toml"]);
    rewrite(folder, "[persons]\n", "[persons]\nrows = 1\n");
    let manifest = published(folder, &[]);
    assert_eq!(adversary(&manifest), "sees-release");
    assert!(manifest["notes"].to_string().contains("was refused"));
}

/// A plan and a comparison of a history use the values of the people in the table, too.
#[test]
fn a_history_names_what_was_refused_without_a_run() {
    for words in ["publish policy.toml --dry-run", "compare policy.toml --trials 1 --queries 9"] {
        let folder = folder();
        let folder = folder.path();
        let policy = POLICY.replace("l = 3", "l = 2") + HISTORY;
        fs::write(folder.join("policy.toml"), policy).unwrap();
        fs::write(folder.join("people.csv"), "name,age,sex,job\nx,20,f,a\ny,30,f,a\n").unwrap();
        openveil(folder, &words.split(' ').collect::<Vec<&str>>());
        let more = "name,age,sex,job\nx,20,f,a\ny,30,f,a\nz,40,f,b\nw,50,f,c\n";
        fs::write(folder.join("people.csv"), more).unwrap();
        assert_eq!(adversary(&published(folder, &[])), "sees-release", "{words}");
    }
}

/// Two people joined and left: a plan continues as a run would.
#[test]
fn a_plan_of_a_history_goes_on_as_a_run_would() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("policy.toml"), format!("{POLICY}{HISTORY}")).unwrap();
    published(folder, &[]);
    let plan = ["publish", "policy.toml", "--dry-run", "--json"];
    let output = openveil(folder, &plan);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let statement = json(&output.stdout)["guarantee"]["statement"].to_string();
    assert!(statement.contains("after all 2 releases of this history"), "{statement}");
}

/// Writes a table without names; returns the folder.
fn folder_of(rows: &str, policy: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), rows).unwrap();
    let policy = format!("[input]\npath = \"t.csv\"\n{policy}");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

/// The rows without missing values are a part of the table that no release of all rows shows.
#[test]
fn a_refusal_of_a_part_of_the_rows_is_named_by_releases_of_another_part() {
    let columns = "[columns]\nzip = { role = \"quasi-identifier\" }\nill = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    let rows = "zip,ill\n1,a\n2,a\n3,a\n4,b\n,c\n,d\n";
    let folder = folder_of(rows, &format!("missing = \"drop-rows\"\n{columns}"));
    let folder = folder.path();
    refused(folder, &["publish", "policy.toml"]);
    rewrite(folder, "drop-rows", "keep");
    assert_eq!(adversary(&published(folder, &[])), "sees-release");
}

/// A combination is refused because of how values depend on the other column.
#[test]
fn a_refused_combination_is_named_where_its_parts_are_not_strata() {
    let jobs = "f,a\nf,a\nf,a\nf,a\nf,a\nf,b\nf,b\nf,c\nm,c\nm,d\nm,e\nm,f\n";
    let policy = "[columns]\nsex = { role = \"sensitive\" }\njob = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 3\ncombine = [\"job\", \"sex\"]\n";
    let folder = folder_of(&format!("sex,job\n{jobs}"), policy);
    let folder = folder.path();
    refused(folder, &["publish", "policy.toml"]);
    rewrite(folder, "l = 3\ncombine = [\"job\", \"sex\"]", "l = 2");
    rewrite(folder, "sex = { role = \"sensitive\" }", "sex = { role = \"quasi-identifier\" }");
    assert_eq!(adversary(&published(folder, &[])), "sees-release");
}

/// Each refusal that a comparison shows is recorded.
#[test]
fn a_kept_comparison_records_its_refusals_again() {
    let folder = folder();
    let folder = folder.path();
    rewrite(folder, "l = 3", "l = 3\nstrata = [\"sex\"]");
    let compare = ["compare", "policy.toml", "--trials", "1", "--queries", "9"];
    openveil(folder, &compare);
    fs::remove_dir_all(folder.join("out")).unwrap();
    openveil(folder, &compare);
    assert!(folder.join("out/owner/refusals.json").exists());
}

/// The message advises a rule in the same strata with a smaller l.
#[test]
fn rules_in_the_same_strata_keep_the_promise() {
    let policy = "[columns]\nname = { role = \"identifier\" }\nage = { role = \"attribute\", type = \"integer\" }\nsex = { role = \"attribute\" }\njob = { role = \"attribute\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[[rules]]\ngiven = [\"age\", \"sex\"]\nprotect = \"job\"\nstrata = [\"sex\"]\n";
    let folder = folder_of(&people(100), policy);
    let folder = folder.path();
    refused(folder, &["publish", "policy.toml"]);
    rewrite(folder, "l = 3", "l = 2");
    assert_eq!(adversary(&published(folder, &[])), "knows-algorithm");
}

/// A refusal because of the number of rows does not depend on values, so it discloses nothing about
/// them.
#[test]
fn refusals_by_numbers_of_rows_are_not_recorded() {
    let folder = folder();
    let folder = folder.path();
    rewrite(
        folder,
        "model = \"l-diversity\"\nl = 3",
        "model = \"k-anonymity\"\nk = 60\nstrata = [\"sex\"]",
    );
    refused(folder, &["publish", "policy.toml"]);
    assert!(!folder.join("out").exists());
}

/// Aims decide style, floors and l, with reasons; costs are measured on rows that are left out.
#[test]
fn a_policy_by_aim_can_be_published_without_its_sample() {
    for (aim, style) in
        [("study", "anatomy"), ("tables", "slice"), ("teaching", "slice"), ("public", "generalize")]
    {
        let folder = folder();
        let row = |number: usize| {
            let (age, sex) = (20 + number % 40, ["f", "m"][number % 2]);
            // With twelve illnesses, no sample has one illness in a fifth of its rows.
            format!("{age},{sex},illness{}\n", number * 7 % 12)
        };
        let rows: String = (0..1_200).map(row).collect();
        fs::write(folder.path().join("p.csv"), format!("age,sex,illness\n{rows}")).unwrap();
        let sample =
            ["inspect", "p.csv", "--aim", aim, "--sample", "s.csv", "--sample-rows", "400"];
        let found = openveil(folder.path(), &sample);
        assert!(found.status.success(), "{}", text(&found.stderr));
        let policy = fs::read_to_string(folder.path().join("p.policy.toml")).unwrap();
        let l = if aim == "study" { "l = 3" } else { "l = 5" };
        assert!(policy.contains(l) && text(&found.stdout).contains(l), "{policy}");
        assert!(policy.contains(&format!("style = \"{style}\"")), "{policy}");
        assert!(
            policy.contains("#   generalize   2") && !policy.contains("not known yet"),
            "{policy}"
        );
        let arguments =
            ["publish", "p.policy.toml", "--without-sample", "s.csv", "--json", "--test-seed", "1"];
        let published = openveil(folder.path(), &arguments);
        assert!(published.status.success(), "{}", text(&published.stderr));
        assert_eq!(json(&published.stdout)["manifest"]["rows"], 800);
    }
}
