//! An oracle for words: publishes small tables under every model, algorithm and style, with and
//! without exempt values, alone and by rules, as CSV and Parquet. Separate code reads the folders,
//! recounts what they show, and compares it with the promise in the manifest and in its sentence.
//!
//! `OPENVEIL_BIN` names another program to test.

mod case;
mod files;
mod optimum;
mod promise;

use case::{Case, people, sample};
use files::{exceeds, fraction, groups, highest};
use openveil_core::model::Requirement;
use openveil_papers::algorithm;
use promise::{part, wrong, wrong_columns};
use rayon::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn program() -> PathBuf {
    std::env::var_os("OPENVEIL_BIN").map_or(env!("CARGO_BIN_EXE_openveil").into(), PathBuf::from)
}

fn publish(folder: &Path, policy: &str, table: &str) -> Output {
    fs::write(folder.join("t.csv"), table).unwrap();
    fs::write(folder.join("p.toml"), policy).unwrap();
    Command::new(program())
        .args(["publish", "p.toml", "--test-seed", "7", "--i-accept-algorithm-disclosure"])
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Returns the problems of a case's release; none if the case is refused.
fn findings(case: &Case) -> Option<Vec<String>> {
    // In memory, if there is such a folder, because each of thousands of releases is synced.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.unwrap();
    let output = publish(folder.path(), &case.policy(), &people());
    match output.status.code() {
        Some(0) => {}
        Some(2) => return None,
        code => {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            return Some(vec![format!("exit code {code:?}: {message}")]);
        }
    }
    let release = folder.path().join("out/release");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(release.join("manifest.json")).unwrap()).unwrap();
    let sentence = manifest["guarantee"]["statement"].as_str().unwrap();
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let mut found = Vec::new();
    if case.rules {
        for rule in manifest["rules"].as_array().unwrap() {
            let column = strings(&rule["protect"]).remove(0);
            let guardian = manifest["tables"]
                .as_array()
                .unwrap()
                .iter()
                .clone()
                .find(|table| table["name"] == rule["by"]);
            let shown = match guardian {
                Some(table) => groups(&release, &strings(&table["files"]), &column),
                // No table leads there, so the histogram counts, which is the input's.
                None => {
                    fs::write(folder.path().join("one.csv"), people()).unwrap();
                    let all = groups(folder.path(), &["one.csv".to_owned()], &column);
                    let is_exempt = |value: &str| case.exempt && value == "none";
                    let most = highest(&all, |value| !is_exempt(value));
                    let bound = rule["max_posterior"].as_str().map(fraction);
                    if bound.is_none_or(|bound| exceeds(bound, most) || exceeds(most, bound)) {
                        found.push(format!(
                            "`{column}` is out of reach: {most:?}, promised {bound:?}"
                        ));
                    }
                    all
                }
            };
            found.extend(wrong(
                &rule["max_posterior"],
                &rule["model"]["exempt"],
                &part(sentence, &column),
                &column,
                &shown,
                case,
            ));
        }
    } else {
        let shown = groups(&release, &strings(&manifest["files"]), "job");
        let bound = &manifest["guarantee"]["max_posterior"];
        found.extend(wrong(bound, &manifest["model"]["exempt"], sentence, "job", &shown, case));
        let protects = strings(&manifest["guarantee"]["protects"]);
        if bound.as_str() == Some("1") && !protects.is_empty() {
            found.push(format!("{protects:?} is called protected and may become certain"));
        }
    }
    found.extend(wrong_columns(&release, &manifest, case));
    let safe = algorithm::named(case.algorithm).unwrap().profile().is_safe();
    let adversary = if safe { "knows-algorithm" } else { "sees-release" };
    if manifest["guarantee"]["adversary"] != adversary {
        found.push(format!("the adversary is not {adversary}"));
    }
    Some(found)
}

#[test]
fn no_word_is_wider_than_what_the_files_show() {
    let cases = Case::all();
    let found: Vec<(&Case, Option<Vec<String>>)> =
        cases.par_iter().map(|case| (case, findings(case))).collect();
    let published = found.iter().filter(|(_, found)| found.is_some()).count();
    let wrong: Vec<String> = found
        .iter()
        .filter_map(|(case, found)| {
            let found = found.as_ref().filter(|found| !found.is_empty())?;
            Some(format!("{case:?}:\n  {}", found.join("\n  ")))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {published} releases promise more than they keep:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // Every model and every algorithm was tested.
    for &(model, variant) in Requirement::ALL {
        let own = sample(model, variant);
        assert!(found.iter().any(|(case, found)| case.model == own && found.is_some()), "{own}");
    }
    for algorithm in algorithm::all() {
        let own = algorithm.name();
        assert!(
            found.iter().any(|(case, found)| case.algorithm == own && found.is_some()),
            "{own}"
        );
    }
}

/// A combination's columns are not protected separately, and the stated share is at least the share
/// that groups show.
#[test]
fn what_is_said_of_the_parts_of_a_combination_is_true() {
    for algorithm in ["cover", "halving"] {
        let folder = tempfile::tempdir().unwrap();
        let rows =
            (0..9).map(|i| format!("{i},{},{}\n", ["1", "2", "3"][i % 3], ["k", "m", "n"][i / 3]));
        let table = format!("age,a,b\n{}", rows.collect::<String>());
        let policy = format!(
            "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\na = {{ role = \"sensitive\" }}\nb = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\ncombine = [\"a\", \"b\"]\n[algorithm]\nname = \"{algorithm}\"\n"
        );
        assert!(publish(folder.path(), &policy, &table).status.success());
        let release = folder.path().join("out/release");
        let manifest: Value =
            serde_json::from_str(&fs::read_to_string(release.join("manifest.json")).unwrap())
                .unwrap();
        for column in ["a", "b"] {
            let shown = highest(&groups(&release, &["release.csv".to_owned()], column), |_| true);
            let said = manifest["notes"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .find(|note| note.contains(&format!("`{column}` by itself")))
                .expect("the parts are spoken of");
            assert!(said.contains("there is no guarantee"), "{said}");
            let makes = said.split("makes up ").nth(1).expect("a share is named");
            let share = fraction(makes.split(' ').next().unwrap());
            assert!(!exceeds(shown, share), "{said}: {shown:?}");
        }
    }
}
