//! `openveil query` on one table and on several.

use super::*;
use crate::support::SMALL_GROUPS;

/// Publishes with a test seed, because bounds on estimates need not hold for all draws.
fn publish(folder: &Path) {
    done(folder, &["publish", "policy.toml", "--test-seed", "5"]);
}

fn ask(folder: &Path, conditions: &str) -> Value {
    let arguments = ["query", "out", "--where", conditions, "--policy", "policy.toml", "--json"];
    serde_json::from_str(&done(folder, &arguments)).unwrap()
}

/// With every combination of settings, questions about one column are answered exactly.
#[test]
fn questions_on_one_column_are_answered_exactly() {
    let folder = folder();
    for style in ["anatomy", "generalize"] {
        for name in ["uad", "single-attribute"] {
            let policy = format!(
                "{POLICY}[algorithm]\ndecomposition = \"{name}\"\n[output]\nstyle = \"{style}\"\n"
            );
            fs::write(folder.path().join("policy.toml"), policy).unwrap();
            publish(folder.path());
            for (conditions, exact) in [
                ("race=black", true),
                ("job in (clerk, judge)", true),
                ("zip != 71000", true),
                ("age >= 30 and age < 50", style == "anatomy"),
                ("sex = f", style == "anatomy"),
            ] {
                let answer = ask(folder.path(), conditions);
                let (estimate, truth) = (&answer["estimate"], &answer["true_count"]);
                let off = (estimate.as_f64().unwrap() - truth.as_f64().unwrap()).abs();
                assert!(truth.as_u64().unwrap() > 0);
                assert!(off < if exact { 1e-6 } else { 40.0 }, "{style} {name}: {answer}");
            }
        }
    }
}

#[test]
fn questions_on_several_tables_multiply_what_is_apart() {
    let folder = folder();
    fs::write(
        folder.path().join("policy.toml"),
        POLICY.replace("[privacy]", "[algorithm]\ndecomposition = \"single-attribute\"\n[privacy]"),
    )
    .unwrap();
    publish(folder.path());
    let estimate = |conditions: &str| ask(folder.path(), conditions)["estimate"].as_f64().unwrap();
    let (black, women) = (estimate("race = black"), estimate("sex = f"));
    let both = estimate("race = black and sex = f");
    assert!((both - black * women / 120.0).abs() < 1e-9);
}

/// Jobs are in groups with age, and zip codes in a separate table. A condition on zip codes that
/// every row meets changes nothing; any other one changes the fitted count in proportion.
#[test]
fn conditions_on_another_table_are_multiplied_with_what_is_fitted() {
    let folder = folder();
    let third = "[[rules]]\ngiven = [\"zip\"]\nprotect = \"age\"\nl = 2\n";
    let policy = POLICY
        .replace("given = [\"job\"]", "given = [\"job\", \"race\"]")
        .replace("l = 3\n", &format!("l = 3\n{SMALL_GROUPS}"));
    let policy = format!("{policy}{third}");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    publish(folder.path());
    let answer = |more: &str| {
        let mut answer = ask(folder.path(), &format!("age >= 45 and job = clerk{more}"));
        answer.as_object_mut().unwrap().remove("where");
        answer
    };
    let alone = answer("");
    assert_eq!(alone["method"], "fit", "{alone}");
    assert_ne!(alone["estimate"], alone["estimate_evenly"], "{alone}");
    for idle in [
        " and zip in (71000, 72000, 73000)",
        " and zip != nowhere",
        " and race in (black, white, asian)",
    ] {
        assert_eq!(answer(idle), alone, "{idle}");
    }
    let jobs = |more: &[&str]| {
        let by = [&["query", "out", "--by", "job", "--json"][..], more].concat();
        let found: Value = serde_json::from_str(&done(folder.path(), &by)).unwrap();
        found["cells"].clone()
    };
    let every_zip = ["--where", "zip in (71000, 72000, 73000)"];
    assert_eq!(jobs(&every_zip), jobs(&[]));
    let two = answer(" and zip in (71000, 72000)")["estimate"].as_f64();
    let expected = alone["estimate"].as_f64().unwrap() * 80.0 / 120.0;
    assert!((two.unwrap() - expected).abs() < 1e-9, "{two:?}");
}

#[test]
fn tables_that_share_columns_are_put_together() {
    let folder = folder();
    // Race and sex are also in a separate table, written by hand.
    publish(folder.path());
    let release = folder.path().join("out/release");
    let mut manifest = manifest(folder.path());
    let columns = ["race", "sex"];
    let mut text = columns.join(",") + "\n";
    for row in rows(&folder.path().join("people.csv"), &columns) {
        text.push_str(&(row.join(",") + "\n"));
    }
    fs::write(release.join("table-9.csv"), text).unwrap();
    let entry = serde_json::json!({
        "name": "table-9", "columns": columns, "rows": 120, "groups": 0, "files": ["table-9.csv"],
    });
    manifest["tables"].as_array_mut().unwrap().push(entry);
    fs::write(release.join("manifest.json"), manifest.to_string()).unwrap();
    let answer = ask(folder.path(), "race = black and sex = f");
    let off = answer["estimate"].as_f64().unwrap() - answer["true_count"].as_f64().unwrap();
    assert!(off.abs() < 1e-6, "{answer}");
}

#[test]
fn single_tables_are_asked_as_well() {
    let folder = folder();
    fs::write(folder.path().join("people.csv"), people(240)).unwrap();
    let single = POLICY[..POLICY.find("[[rules]]").unwrap()]
        .replace("role = \"attribute\"", "role = \"quasi-identifier\"")
        .replace("job = { role = \"quasi-identifier\"", "job = { role = \"sensitive\"");
    for style in ["generalize", "slice", "anatomy"] {
        let policy =
            format!("{single}{SMALL_GROUPS}[output]\nstyle = \"{style}\"\ndelimiter = \";\"\n");
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        publish(folder.path());
        let answer = ask(folder.path(), "job = clerk");
        assert_eq!(answer["estimate"].as_f64(), answer["true_count"].as_f64());
        let answer = ask(folder.path(), "age >= 20");
        assert!((answer["estimate"].as_f64().unwrap() - 240.0).abs() < 1e-9);
        let answer = ask(folder.path(), "age < 45 and job = clerk");
        let (estimate, truth) = (&answer["estimate"], &answer["true_count"]);
        let off = estimate.as_f64().unwrap() - truth.as_f64().unwrap();
        assert!(off.abs() < 24.0, "{answer}");
        // The release does not show who has which job, so it is estimated twice, with an error.
        let evenly = answer["estimate_evenly"].as_f64().unwrap();
        assert!(evenly > 0.0 && evenly != estimate.as_f64().unwrap(), "{answer}");
        assert_eq!(answer["method"], "fit-and-worlds");
        let error = answer["deal_error"].as_f64().unwrap();
        assert!(0.0 < error && error < 12.0, "{answer}");
        let interval = [0, 1].map(|end| answer["interval"][end].as_f64().unwrap());
        assert!(interval[0] < interval[1], "{answer}");
        // Jobs alone are shown, so nothing is estimated.
        let jobs = ask(folder.path(), "job = clerk");
        assert_eq!(
            (&jobs["method"], &jobs["estimate"], &jobs["interval"][0], &jobs["interval"][1]),
            (&"exact".into(), &jobs["estimate_evenly"], &jobs["estimate"], &jobs["estimate"])
        );
        assert!(jobs.get("deal_error").is_none(), "{jobs}");
    }
    let without = done(folder.path(), &["query", "out/release", "--where", "age < 45"]);
    assert!(without.starts_with("About ") && !without.contains("true count"), "{without}");
}

#[test]
fn mistakes_in_questions_are_named() {
    let folder = folder();
    let path = folder.path();
    publish(path);
    let asked = |conditions: &str| complaint(path, &["query", "out", "--where", conditions]);
    let message = asked("age > 30 and rase = black");
    assert!(message.contains("character 14: the release has no column `rase`"), "{message}");
    assert!(message.contains("did you mean `race`?"), "{message}");
    assert!(asked("age > old").contains("`old` is not a whole number"));
    assert!(asked("race > black").contains("text without an order"));
    assert!(asked("name = p1").contains("has no column `name`"), "identifiers stay");
    let message = complaint(path, &["query", "nowhere", "--where", "age > 30"]);
    assert!(message.contains("cannot read the manifest"), "{message}");
    let told = done(path, &["query", "out", "--where", "race = blak"]);
    assert!(told.contains("About 0.0 of 120 rows"), "{told}");
    assert!(told.contains("no row meets the condition on `race`"), "{told}");
}

#[test]
fn synthetic_rows_look_like_the_release() {
    let folder = folder();
    let path = folder.path();
    for style in ["anatomy", "generalize"] {
        let policy = format!("{POLICY}[output]\nstyle = \"{style}\"\n");
        fs::write(path.join("policy.toml"), policy).unwrap();
        publish(path);
        let arguments = ["query", "out", "--sample", "3000", "--out", "rows.csv", "--seed", "1"];
        assert!(done(path, &arguments).contains("3,000 synthetic rows"));
        let drawn = rows(&path.join("rows.csv"), &["race", "age", "sex", "job", "zip"]);
        assert_eq!(drawn.len(), 3000);
        let black = drawn.iter().filter(|row| row[0] == "black").count();
        assert!((850..1150).contains(&black), "a third: {black}");
        assert!(drawn.iter().all(|row| (20..70).contains(&row[1].parse().unwrap())));
    }
}

/// Output can go to a pipe, and permissions of an existing file are kept.
#[cfg(unix)]
#[test]
fn what_a_sample_is_written_to_stays_what_it_is() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    let folder = folder();
    let path = folder.path();
    publish(path);
    let to = |out: &str| done(path, &["query", "out", "--sample", "10", "--out", out]);
    let pipe = path.join("pipe.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    to("pipe.csv");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(reader.join().unwrap().lines().count(), 11);
    let kept = path.join("kept.csv");
    fs::write(&kept, "").unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("kept.csv", path.join("link.csv")).unwrap();
    for out in ["kept.csv", "link.csv"] {
        to(out);
        assert_eq!(fs::read_to_string(&kept).unwrap().lines().count(), 11);
        assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&kept, "").unwrap();
    }
    assert!(path.join("link.csv").is_symlink());
}

/// A column of type `number` that holds ages, and a sensitive one in bins.
#[test]
fn numbers_and_bins_are_asked_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut people = String::from("age,wage\n");
    for row in 0..2_000 {
        let age = match row * 17 % 61 {
            0 => "0.5".to_owned(),
            age => age.to_string(),
        };
        people.push_str(&format!("{age},{}\n", row * 37 % 1_000));
    }
    fs::write(path.join("people.csv"), people).unwrap();
    let policy = "[input]\npath = \"people.csv\"\n[columns]\nage = { role = \"quasi-identifier\", type = \"number\" }\nwage = { role = \"sensitive\", type = \"integer\", bins = [300, 400, 600] }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    fs::write(path.join("policy.toml"), policy).unwrap();
    publish(path);
    let counts = |conditions: &str| {
        let answer = ask(path, conditions);
        let estimate = answer["estimate"].as_f64().unwrap();
        (estimate, answer["true_count"].as_u64().map(|count| count as f64), answer)
    };
    for conditions in ["age = 30", "age = 0.5", "age <= 4", "age > 30 and age < 50"] {
        let (estimate, truth, answer) = counts(conditions);
        let truth = truth.unwrap();
        assert!(truth >= 30.0 && (estimate - truth).abs() < 0.3 * truth, "{answer}");
    }
    for (conditions, expected) in [("wage < 300", 600.0), ("wage >= 400", 1_200.0)] {
        let (estimate, truth, answer) = counts(conditions);
        assert_eq!((estimate.round(), truth), (expected, Some(expected)), "{answer}");
    }
    let (estimate, truth, answer) = counts("wage >= 350 and wage < 400");
    assert_eq!((estimate.round(), truth), (100.0, None), "{answer}");
    let (estimate, _, answer) = counts("wage < 100");
    assert_eq!(estimate.round(), 300.0);
    assert!(answer["notes"][0].as_str().unwrap().contains("half of it is counted"), "{answer}");
}
