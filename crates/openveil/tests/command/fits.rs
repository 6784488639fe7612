//! `openveil query --by`, `openveil fit` and `openveil complete`.

use super::support::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A release of 240 people whose jobs depend on their sex.
fn published(style: &str) -> tempfile::TempDir {
    let folder = folder();
    let mut table = String::from("name,age,sex,job\n");
    let mut state = 7u64;
    let mut below = |number: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % number as usize
    };
    for row in 0..240 {
        let (age, sex) = (20 + below(50), below(2));
        let job = match below(2) {
            0 => below(6),
            _ => 3 * sex + below(3),
        };
        let job = ["clerk", "cook", "judge", "nurse", "smith", "tailor"][job];
        table.push_str(&format!("p{row},{age},{},{job}\n", ["f", "m"][sex]));
    }
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let policy = format!("{POLICY}{SMALL_GROUPS}[output]\nstyle = \"{style}\"\n");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    done(folder.path(), &["publish", "policy.toml", "--test-seed", "5"]);
    folder
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = openveil(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn document(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&done(folder, arguments)).unwrap()
}

/// The usual table, in groups enough for a fit.
fn folder() -> tempfile::TempDir {
    let folder = super::support::folder();
    let policy = format!("{POLICY}{SMALL_GROUPS}");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

#[test]
fn tables_have_a_figure_in_each_cell() {
    let folder = published("anatomy");
    let path = folder.path();
    let found = document(path, &["query", "out", "--by", "sex,job", "--json"]);
    let cells = found["cells"].as_array().unwrap();
    assert_eq!((cells.len(), &found["rows"]), (12, &240.into()));
    for cell in cells {
        let [low, high] = [0, 1].map(|end| cell["interval"][end].as_f64().unwrap());
        let estimate = cell["estimate"].as_f64().unwrap();
        assert!(low <= estimate && estimate <= high, "{cell}");
        assert!(cell["sex"].is_string() && cell["job"].is_string());
        assert_eq!(cell["method"], "fit-and-worlds");
    }
    // An equal release and seed give equal figures; another seed gives others.
    let with = |seed: &str| {
        let asked = ["query", "out", "--by", "sex,job", "--json", "--seed", seed];
        document(path, &asked)
    };
    assert_eq!(with("1"), found);
    assert_ne!(with("2"), found);
    // Figures of columns in whole rows are exact, and numbers are numbers.
    let ages = document(path, &["query", "out", "--by", "sex", "--mean", "age", "--json"]);
    assert_eq!(ages["statistic"], "mean of age");
    assert!(ages["cells"].as_array().unwrap().iter().all(|cell| cell["method"] == "exact"));
    let by_age = document(path, &["query", "out", "--by", "age", "--json"]);
    assert!(by_age["cells"][0]["age"].is_number(), "{by_age}");
    let median = done(path, &["query", "out", "--by", "sex", "--quantile", "age"]);
    assert!(median.starts_with("quantile 0.5 of age by sex, of 240 rows"), "{median}");
    let narrow =
        ["query", "out", "--by", "job", "--where", "sex = f and age < 40", "--worlds", "0"];
    let told = done(path, &narrow);
    assert!(told.contains("the intervals are certain bounds, and estimates"), "{told}");
    let one = ["query", "out", "--where", "sex = f and job = nurse", "--worlds", "0"];
    let told = done(path, &one);
    assert!(told.contains(", certain bounds"), "{told}");
    let slopes = done(path, &["fit", "out", "job ~ age", "--worlds", "0"]);
    assert!(
        slopes.contains("the sampling error of people only, not the error of the release"),
        "{slopes}"
    );
}

#[test]
fn regressions_are_printed_with_errors() {
    let folder = published("anatomy");
    let path = folder.path();
    let found = document(path, &["fit", "out", "job ~ age + sex", "--json"]);
    assert_eq!(
        (&found["kind"], &found["baseline"]),
        (&"multinomial-logit".into(), &"clerk".into())
    );
    let coefficients = found["coefficients"].as_array().unwrap();
    assert_eq!(coefficients.len(), 15);
    for own in coefficients {
        assert!(own["std_error"].as_f64().unwrap() > 0.0, "{own}");
        assert!(own["interval"][0].as_f64() < own["interval"][1].as_f64(), "{own}");
    }
    let told = done(path, &["fit", "out", "job ~ sex"]);
    assert!(told.contains("job ~ sex: multinomial logit, beside `clerk`"), "{told}");
    assert!(told.contains("(Intercept)") && told.contains("sex=m"), "{told}");
    for (formula, expected) in [
        ("job", "the formula has no `~`"),
        ("job ~ sexx", "did you mean `sex`?"),
        ("age ~ sex", "only `job` can be explained"),
    ] {
        let message = complaint(path, &["fit", "out", formula]);
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("help: "), "{message}");
    }
}

#[test]
fn completed_tables_are_written_whole_or_not_at_all() {
    let folder = published("slice");
    let path = folder.path();
    let arguments = ["complete", "out", "-m", "3", "--out", "deep/tables", "--worlds", "2"];
    let told = done(path, &arguments);
    assert!(told.starts_with("Wrote 3 synthetic tables of 240 rows to deep/tables."), "{told}");
    assert!(told.contains("Rubin"), "{told}");
    let files = |folder: &str| -> Vec<String> {
        let names = fs::read_dir(path.join(folder)).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let expected = ["completed.json", "synthetic-01.csv", "synthetic-02.csv", "synthetic-03.csv"];
    assert_eq!(
        (files("deep/tables"), files("deep").len()),
        (expected.map(str::to_owned).to_vec(), 1)
    );
    let about = fs::read_to_string(path.join("deep/tables/completed.json")).unwrap();
    let about: Value = serde_json::from_str(&about).unwrap();
    assert_eq!((&about["synthetic"], &about["rows"]), (&true.into(), &240.into()));
    let table = fs::read_to_string(path.join("deep/tables/synthetic-01.csv")).unwrap();
    assert!(table.starts_with("age,sex,job\n") && table.lines().count() == 241, "{table}");
    // Existing files stay, and a refused run leaves nothing.
    let message = complaint(path, &arguments);
    assert!(message.contains("deep/tables: exists already"), "{message}");
    let wrong = ["complete", "out", "--out", "deep/other", "--format", "docx"];
    let message = complaint(path, &wrong);
    assert!(message.contains("choose one of csv, csv.gz"), "{message}");
    assert_eq!(files("deep").len(), 1);
}

/// A table of 30 people has too few groups for a fit: counts are bounds, and everything else is
/// refused with a remedy.
#[test]
fn small_releases_say_why_there_is_no_fit() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("people.csv"), people(30)).unwrap();
    done(path, &["publish", "policy.toml", "--test-seed", "5"]);
    let answer = document(path, &["query", "out", "--where", "age < 30 and job = nurse", "--json"]);
    assert_eq!(answer["method"], "bounds");
    assert!(answer["notes"].to_string().contains("but a fit needs 16"), "{answer}");
    assert!(answer.get("deal_error").is_none(), "{answer}");
    let table = done(path, &["query", "out", "--by", "sex,job"]);
    assert!(table.contains("but a fit needs 16"), "{table}");
    for arguments in [&["fit", "out", "job ~ sex"][..], &["complete", "out", "--out", "completed"]]
    {
        let message = complaint(path, arguments);
        assert!(message.contains("but a fit needs 16") && message.contains("help: "), "{message}");
    }
    assert!(!path.join("completed").exists());
}
