//! People who are held back until the next release, and that nothing shows them.

use super::*;

#[test]
fn too_few_wait_and_values_make_nobody_wait() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    // Two are fewer than l, whatever their values.
    write(folder.path(), (0..40).chain([40, 44]));
    let waiting = publish(folder.path());
    assert_eq!((&waiting["history"]["waiting"], &waiting["rows"]), (&2.into(), &40.into()));
    assert!(waiting["notes"].to_string().contains("are held back until a later release"));
    // Three clerks cannot be published, and a release without them would disclose their value.
    write(folder.path(), (0..40).chain([40, 44, 48]));
    let refused = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(
        refused.contains("3 people are new since the last release, and their values allow none"),
        "{refused}"
    );
    assert_eq!(manifest(folder.path())["history"]["release"], 2);
    write(folder.path(), (0..40).chain([40, 44, 41, 42, 43, 45, 46]));
    let pooled = publish(folder.path());
    let history = &pooled["history"];
    assert_eq!((&history["release"], &history["arrived"]), (&3.into(), &7.into()));
    assert_eq!(history.get("waiting"), None);
}

/// Returns the files of a second release, at which one more person with this value is held back.
fn with_waiting(format: &str, jobs: [&str; 4], value: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = folder_with_history();
    rewrite(folder.path(), "[columns]", "missing = \"keep\"\n[columns]");
    if jobs[0].starts_with("2020") {
        rewrite(folder.path(), "\"sensitive\"", "\"sensitive\", type = \"date\"");
    }
    rewrite(folder.path(), "[privacy]", &format!("[output]\nformat = \"{format}\"\n[privacy]"));
    let path = folder.path().join("people.csv");
    for more in ["", &format!("p40,30,f,{value}\n")] {
        write(folder.path(), 0..40);
        let mut table = fs::read_to_string(&path).unwrap() + more;
        for (job, written) in ["clerk", "nurse", "smith", "judge"].into_iter().zip(jobs) {
            table = table.replace(job, written);
        }
        fs::write(&path, table).unwrap();
        let output = openveil(folder.path(), &["publish", "policy.toml", "--test-seed", "1"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert_eq!(manifest(folder.path())["history"]["waiting"], 1);
    let files = fs::read_dir(folder.path().join("out/release")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

/// Their value may be like the others', a new one between them, or missing.
#[test]
fn nothing_shows_what_those_who_wait_have() {
    let dates = ["2020-01-01", "2020-03-01", "2020-05-01", "2020-07-01"];
    let jobs = ["clerk", "nurse", "smith", "judge"];
    let cases = [
        (jobs, ["clerk", "pilot", "aide", ""]),
        (dates, ["2020-01-01", "2020-02-14", "2021-01-01", ""]),
    ];
    for (jobs, waiting) in cases {
        for format in ["csv", "parquet", "arrow"] {
            let [first, others @ ..] = waiting.map(|value| with_waiting(format, jobs, value));
            for (other, value) in others.iter().zip(&waiting[1..]) {
                for (file, content) in &first {
                    let is_same = other.get(file) == Some(content);
                    assert!(is_same, "{file} shows that `{value}` waits");
                }
                assert_eq!(first.len(), other.len());
            }
        }
    }
}

/// Values that the policy lists are known even if only people who are held back have them.
#[test]
fn listed_values_are_there_whoever_has_them() {
    let shown = |more: &str| {
        let folder = folder_with_history();
        let order = "sex = { role = \"quasi-identifier\", order = [\"f\", \"m\", \"x\"] }";
        rewrite(folder.path(), "sex = { role = \"quasi-identifier\" }", order);
        write(folder.path(), 0..40);
        publish(folder.path());
        let path = folder.path().join("people.csv");
        fs::write(&path, fs::read_to_string(&path).unwrap() + more).unwrap();
        let second = publish(folder.path());
        second["columns"].as_array().unwrap().iter().find(|column| column["name"] == "sex").unwrap()
            ["order"]
            .to_string()
    };
    assert_eq!(shown("p40,30,f,clerk\n"), "[\"f\",\"m\",\"x\"]");
    assert_eq!(shown("p40,30,x,clerk\n"), "[\"f\",\"m\",\"x\"]");
}

/// A second release would have other parts.
#[test]
fn what_is_secret_is_not_coarsened_anew() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    let coarsened = "role = \"sensitive\", prefix = 1 }";
    rewrite(folder.path(), "role = \"sensitive\" }", coarsened);
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("if the program coarsens"), "{message}");
}
