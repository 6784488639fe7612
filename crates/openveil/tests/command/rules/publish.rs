//! Several tables from one policy.

use super::*;

#[test]
fn rules_lead_to_several_tables() {
    let folder = folder();
    let path = folder.path();
    let report = done(path, &["publish", "policy.toml"]);
    assert!(report.contains("which together satisfy every rule"), "{report}");
    let manifest = manifest(path);
    assert_eq!(manifest["rows"], 120);
    assert_eq!(manifest["decomposition"], "uad");
    assert_eq!(manifest["guarantee"]["adversary"], "knows-algorithm");
    // One rule is protected with l = 3. No table leads to the other: its histogram gives 1/3.
    assert_eq!(manifest["guarantee"]["max_posterior"], "1/3");
    assert_eq!(manifest["omitted"]["identifiers"][0], "name");
    let mut published: Vec<&str> = Vec::new();
    let mut groups = 0;
    for table in manifest["tables"].as_array().unwrap() {
        let columns = names(&table["columns"]);
        groups += table["groups"].as_u64().unwrap();
        let main = path.join("out/release").join(table["files"][0].as_str().unwrap());
        let open: Vec<&str> = match table["enforces"]["protect"].as_array() {
            None => columns.clone(),
            Some(protect) => {
                assert_eq!(protect.len(), 1);
                assert_guarded(path, table, protect[0].as_str().unwrap());
                columns.iter().copied().filter(|c| *c != protect[0]).collect()
            }
        };
        // Every row occurs once, with its known columns together.
        assert_eq!(rows(&main, &open), rows(&path.join("people.csv"), &open));
        published.extend(columns);
    }
    assert_eq!(manifest["groups"], groups);
    published.sort_unstable();
    assert_eq!(published, ["age", "job", "race", "sex", "zip"]);
    let owner = fs::read_to_string(path.join("out/owner/owner.json")).unwrap();
    assert!(owner.contains("timings_ms"));
}

/// Checks that no value exceeds its share of a group: 1/3 for jobs, 1/2 for zip codes.
fn assert_guarded(folder: &Path, table: &Value, protect: &str) {
    let file = table["files"][1].as_str().unwrap();
    let file = folder.join("out/release").join(file);
    let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for row in rows(&file, &["group", protect, "count"]) {
        groups.entry(row[0].clone()).or_default().push(row[2].parse().unwrap());
    }
    let l = if protect == "job" { 3 } else { 2 };
    assert_eq!(groups.len() as u64, table["groups"].as_u64().unwrap());
    for counts in groups.values() {
        assert!(counts.iter().max().unwrap() * l <= counts.iter().sum());
    }
}

#[test]
fn open_tables_are_shuffled_independently() {
    let folder = folder();
    let path = folder.path();
    done(path, &["publish", "policy.toml"]);
    let manifest = manifest(path);
    let open = manifest["tables"]
        .as_array()
        .unwrap()
        .iter()
        .find(|table| table["enforces"].is_null())
        .expect("an open table");
    let file = path.join("out/release").join(open["files"][0].as_str().unwrap());
    let first = fs::read_to_string(&file).unwrap();
    done(path, &["publish", "policy.toml"]);
    assert_ne!(first, fs::read_to_string(&file).unwrap());
}

#[test]
fn a_seed_repeats_and_marks_several_tables() {
    let folder = folder();
    let run = |out: &str| {
        let arguments = ["publish", "policy.toml", "--test-seed", "5", "--out", out];
        assert!(done(folder.path(), &arguments).contains("unfit for publication"));
        let mut files: Vec<_> = fs::read_dir(folder.path().join(out).join("release"))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        files.iter().map(|file| fs::read_to_string(file).unwrap()).collect::<Vec<String>>()
    };
    assert_eq!(run("a"), run("b"));
}

#[test]
fn every_decomposition_publishes() {
    let folder = folder();
    for name in ["uad", "gd", "search", "single-attribute"] {
        let policy = POLICY
            .replace("[privacy]", &format!("[algorithm]\ndecomposition = \"{name}\"\n[privacy]"));
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        let plan = done(folder.path(), &["publish", "policy.toml", "--dry-run", "--json"]);
        let plan: Value = serde_json::from_str(&plan).unwrap();
        assert_eq!(plan["rules"].as_array().unwrap().len(), 2);
        done(folder.path(), &["publish", "policy.toml"]);
        assert_eq!(manifest(folder.path())["decomposition"], name);
    }
}

#[test]
fn parquet_and_generalised_tables() {
    let folder = folder();
    let policy = format!("{POLICY}[output]\nformat = \"parquet\"\nstyle = \"generalize\"\n");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    done(folder.path(), &["publish", "policy.toml"]);
    let manifest = manifest(folder.path());
    assert_eq!(manifest["style"], "generalize");
    assert!(manifest["files"].as_array().unwrap().iter().all(|file| {
        let file = file.as_str().unwrap();
        file.ends_with(".parquet") && folder.path().join("out/release").join(file).exists()
    }));
}

#[test]
fn what_no_tables_can_keep_is_named_and_leaves_nothing() {
    let folder = folder();
    let path = folder.path();
    let with = |from: &str, to: &str| {
        fs::write(path.join("policy.toml"), POLICY.replace(from, to)).unwrap();
        let message = refused(path, &["publish", "policy.toml"]);
        assert!(!path.join("out/release").exists());
        message
    };
    let message = with("l = 2\n", "l = 4\n");
    assert!(
        message.contains("policy.toml, line 17: the rule `job → zip` cannot be satisfied"),
        "{message}"
    );
    assert!(message.contains("histogram of `zip`"), "{message}");
    let linked = "l = 2\n[[dependencies]]\ngiven = \"zip\"\ndetermines = \"job\"\n";
    let message = with("l = 2\n", linked);
    assert!(message.contains("the [[dependencies]] connect"), "{message}");
    fs::write(path.join("policy.toml"), POLICY).unwrap();
    let message = refused(path, &["publish", "policy.toml", "--certify"]);
    assert!(message.contains("`--certify` works for a single table only"), "{message}");
    let message = refused(path, &["publish", "policy.toml", "--algorithm", "gda"]);
    assert!(message.contains("--i-accept-algorithm-disclosure"), "{message}");
}

#[test]
fn dependencies_in_the_data_are_told_to_the_owner() {
    let folder = folder();
    let path = folder.path();
    let table = people(120).replace(",race", ",race,county");
    let table = table
        .replace(",black", ",black,A")
        .replace(",white", ",white,A")
        .replace(",asian", ",asian,B");
    // A column that determines the job, which a rule protects, is not mentioned.
    let jobs = [("clerk", "1"), ("nurse", "2"), ("smith", "3"), ("judge", "4")];
    let coded = jobs.iter().fold(table, |table, (job, code)| {
        table.replace(&format!(",{job}"), &format!(",{job},{code}"))
    });
    fs::write(path.join("people.csv"), coded.replace(",job", ",job,code")).unwrap();
    let more = "county = { role = \"attribute\" }\ncode = { role = \"attribute\" }\n[privacy]";
    let policy = POLICY.replace("[privacy]", more);
    fs::write(path.join("policy.toml"), &policy).unwrap();
    let report = done(path, &["publish", "policy.toml"]);
    assert!(report.contains("`race` determines `county` always"), "{report}");
    assert!(!report.contains("determines `code`"), "{report}");
    assert!(!report.contains("determines `job`"), "{report}");
    let release = fs::read_to_string(path.join("out/release/manifest.json")).unwrap();
    assert!(!release.contains("determines `county`"), "the owner's alone");
    let known = format!("{policy}[[dependencies]]\ngiven = \"race\"\ndetermines = \"county\"\n");
    fs::write(path.join("policy.toml"), known).unwrap();
    let report = done(path, &["publish", "policy.toml"]);
    assert!(!report.contains("determines `county`"), "{report}");
    assert_eq!(manifest(path)["dependencies"][0]["determines"][0], "county");
}

#[test]
fn a_guarded_table_is_audited_from_its_folder() {
    let folder = folder();
    let path = folder.path();
    let (one_rule, _) = POLICY.rsplit_once("[[rules]]").unwrap();
    fs::write(path.join("policy.toml"), one_rule).unwrap();
    done(path, &["publish", "policy.toml"]);
    let report: Value = serde_json::from_str(&done(path, &["audit", "out", "--json"])).unwrap();
    let guarded = &manifest(path)["tables"][0];
    assert_eq!(guarded["enforces"]["protect"][0], "job");
    assert_eq!((&report["rows"], &report["groups"]), (&guarded["rows"], &guarded["groups"]));
    assert!(report["l_ratio"].as_f64().unwrap() >= 3.0);
}

/// Several tables with exact rows are measured together; any other policy is refused before
/// anything is read.
#[test]
fn what_several_tables_are_worth_is_measured_together() {
    let folder = folder();
    done(folder.path(), &["publish", "policy.toml", "--test-seed", "1", "--measure"]);
    let owner = fs::read(folder.path().join("out/owner/owner.json")).unwrap();
    let owner = json(&owner);
    let errors = owner["query_errors"].as_array().unwrap();
    assert_eq!(names(&errors.iter().map(|own| own["predicate"].clone()).collect()).len(), 3);
    let mean = |index: usize| errors[index]["mean"].as_f64().unwrap();
    assert!(mean(0) > 0.0 && mean(2) < 1.0, "{errors:?}");
    let whole = owner["divergence"].as_f64().unwrap();
    // Single columns preserve no dependencies between them.
    rewrite(
        folder.path(),
        "[[rules]]\ngiven = [\"age\", \"sex\"]",
        "[algorithm]\ndecomposition = \"single-attribute\"\n[[rules]]\ngiven = [\"age\", \"sex\"]",
    );
    done(folder.path(), &["publish", "policy.toml", "--test-seed", "1", "--measure"]);
    let owner = fs::read(folder.path().join("out/owner/owner.json")).unwrap();
    let single = json(&owner)["divergence"].as_f64().unwrap();
    assert!(0.0 < whole && whole < single, "{whole} {single}");
    rewrite(folder.path(), "[algorithm]", "[output]\nstyle = \"generalize\"\n[algorithm]");
    let message = complaint(folder.path(), &["publish", "policy.toml", "--measure"]);
    assert!(message.contains("measured together only if their rows are exact"), "{message}");
}
