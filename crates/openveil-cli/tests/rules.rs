//! Publishing several tables by rules, and asking them: the command as a user runs it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "attribute", type = "integer" }
sex = { role = "attribute" }
race = { role = "attribute" }
job = { role = "attribute" }
zip = { role = "attribute" }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 3
[[rules]]
given = ["age", "sex"]
protect = "job"
[[rules]]
given = ["job"]
protect = "zip"
l = 2
"#;

fn people(rows: usize) -> String {
    let mut text = String::from("name,age,sex,race,job,zip\n");
    for row in 0..rows {
        let job = ["clerk", "nurse", "smith", "judge"][row * 7 % 4];
        let race = ["black", "white", "asian"][row / 3 % 3];
        let zip = ["71000", "72000", "73000"][row / 5 % 3];
        let (age, sex) = (20 + row * 3 % 50, ["f", "m"][row % 2]);
        text.push_str(&format!("p{row},{age},{sex},{race},{job},{zip}\n"));
    }
    text
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(120)).unwrap();
    fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    folder
}

fn openveil(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    let command = command.current_dir(folder).args(arguments);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = openveil(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = openveil(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: "), "{message}");
    message
}

fn manifest(folder: &Path) -> Value {
    let file = fs::read_to_string(folder.join("out/release/manifest.json")).unwrap();
    serde_json::from_str(&file).unwrap()
}

/// The rows of a file, sorted, on some columns.
fn rows(path: &Path, columns: &[&str]) -> Vec<Vec<String>> {
    let file = fs::read_to_string(path).unwrap();
    let mut lines = file.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let at = |column: &&str| header.iter().position(|name| name == column).unwrap();
    let places: Vec<usize> = columns.iter().map(at).collect();
    let row = |line: Vec<&str>| places.iter().map(|&at| line[at].to_owned()).collect();
    let mut rows: Vec<Vec<String>> = lines.map(row).collect();
    rows.sort();
    rows
}

fn names(value: &Value) -> Vec<&str> {
    let names = value.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn rules_lead_to_several_tables() {
    let folder = folder();
    let path = folder.path();
    let report = done(path, &["publish", "policy.toml"]);
    assert!(report.contains("that together keep every rule"), "{report}");
    let manifest = manifest(path);
    assert_eq!(manifest["rows"], 120);
    assert_eq!(manifest["decomposition"], "uad");
    assert_eq!(manifest["guarantee"]["adversary"], "knows-algorithm");
    assert_eq!(manifest["guarantee"]["max_posterior"], "1/2");
    assert_eq!(manifest["omitted"]["identifiers"][0], "name");
    let mut published: Vec<&str> = Vec::new();
    let mut groups = 0;
    for table in manifest["tables"].as_array().unwrap() {
        let columns = names(&table["columns"]);
        groups += table["groups"].as_u64().unwrap();
        let main = path
            .join("out/release")
            .join(table["files"][0].as_str().unwrap());
        let open: Vec<&str> = match table["enforces"]["protect"].as_array() {
            None => columns.clone(),
            Some(protect) => {
                assert_eq!(protect.len(), 1);
                assert_guarded(path, table, protect[0].as_str().unwrap());
                columns
                    .iter()
                    .copied()
                    .filter(|c| *c != protect[0])
                    .collect()
            }
        };
        // Every row is there once, with its known columns together.
        assert_eq!(rows(&main, &open), rows(&path.join("people.csv"), &open));
        published.extend(columns);
    }
    assert_eq!(manifest["groups"], groups);
    published.sort_unstable();
    assert_eq!(published, ["age", "job", "race", "sex", "zip"]);
    let owner = fs::read_to_string(path.join("out/owner/owner.json")).unwrap();
    assert!(owner.contains("timings_ms"));
}

/// No value has more than its share of a group: 1/3 of jobs, 1/2 of zip codes.
fn assert_guarded(folder: &Path, table: &Value, protect: &str) {
    let file = table["files"][1].as_str().unwrap();
    let file = folder.join("out/release").join(file);
    let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for row in rows(&file, &["group", protect, "count"]) {
        groups
            .entry(row[0].clone())
            .or_default()
            .push(row[2].parse().unwrap());
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
    let mut tables = manifest["tables"].as_array().unwrap().iter();
    let open = tables
        .find(|table| table["enforces"].is_null())
        .expect("an open table");
    let file = path
        .join("out/release")
        .join(open["files"][0].as_str().unwrap());
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
        let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
        texts.collect::<Vec<String>>()
    };
    assert_eq!(run("a"), run("b"));
}

#[test]
fn every_decomposition_publishes() {
    let folder = folder();
    for name in ["uad", "gd", "search", "single-attribute"] {
        let policy = POLICY.replace(
            "[privacy]",
            &format!("[algorithm]\ndecomposition = \"{name}\"\n[privacy]"),
        );
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        let plan = done(
            folder.path(),
            &["publish", "policy.toml", "--dry-run", "--json"],
        );
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
        message.contains("policy.toml, line 17: the rule `job → zip` cannot be kept"),
        "{message}"
    );
    assert!(message.contains("histogram of `zip`"), "{message}");
    let linked = "l = 2\n[[dependencies]]\ngiven = \"zip\"\ndetermines = \"job\"\n";
    let message = with("l = 2\n", linked);
    assert!(
        message.contains("the [[dependencies]] connect"),
        "{message}"
    );
    fs::write(path.join("policy.toml"), POLICY).unwrap();
    let message = refused(path, &["publish", "policy.toml", "--certify"]);
    assert!(message.contains("there is no `--certify`"), "{message}");
    let message = refused(path, &["publish", "policy.toml", "--algorithm", "gda"]);
    assert!(
        message.contains("--i-accept-algorithm-disclosure"),
        "{message}"
    );
}

#[test]
fn dependencies_in_the_data_are_told_to_the_owner() {
    let folder = folder();
    let path = folder.path();
    let table = people(120)
        .replace(",zip", ",zip,county")
        .replace("71000", "71000,A");
    let table = table
        .replace("72000", "72000,A")
        .replace("73000", "73000,B");
    fs::write(path.join("people.csv"), table).unwrap();
    let policy = POLICY.replace("[privacy]", "county = { role = \"attribute\" }\n[privacy]");
    fs::write(path.join("policy.toml"), &policy).unwrap();
    let report = done(path, &["publish", "policy.toml"]);
    assert!(
        report.contains("`zip` determines `county` always"),
        "{report}"
    );
    let release = fs::read_to_string(path.join("out/release/manifest.json")).unwrap();
    assert!(
        !release.contains("determines `county`"),
        "the owner's alone"
    );
    let known = format!("{policy}[[dependencies]]\ngiven = \"zip\"\ndetermines = \"county\"\n");
    fs::write(path.join("policy.toml"), known).unwrap();
    let report = done(path, &["publish", "policy.toml"]);
    assert!(!report.contains("determines `county`"), "{report}");
    assert_eq!(manifest(path)["dependencies"][0]["determines"][0], "county");
}

fn ask(folder: &Path, conditions: &str) -> Value {
    let arguments = [
        "query",
        "out",
        "--where",
        conditions,
        "--policy",
        "policy.toml",
        "--json",
    ];
    serde_json::from_str(&done(folder, &arguments)).unwrap()
}

/// Every combination of ways to publish answers questions on one column exactly.
#[test]
fn questions_on_one_column_are_answered_exactly() {
    let folder = folder();
    for style in ["anatomy", "generalize"] {
        for name in ["uad", "single-attribute"] {
            let policy = format!(
                "{POLICY}[algorithm]\ndecomposition = \"{name}\"\n[output]\nstyle = \"{style}\"\n"
            );
            fs::write(folder.path().join("policy.toml"), policy).unwrap();
            done(folder.path(), &["publish", "policy.toml"]);
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
                assert!(
                    off < if exact { 1e-6 } else { 40.0 },
                    "{style} {name}: {answer}"
                );
            }
        }
    }
}

#[test]
fn questions_on_several_tables_multiply_what_is_apart() {
    let folder = folder();
    fs::write(
        folder.path().join("policy.toml"),
        POLICY.replace(
            "[privacy]",
            "[algorithm]\ndecomposition = \"single-attribute\"\n[privacy]",
        ),
    )
    .unwrap();
    done(folder.path(), &["publish", "policy.toml"]);
    let estimate = |conditions: &str| ask(folder.path(), conditions)["estimate"].as_f64().unwrap();
    let (black, women) = (estimate("race = black"), estimate("sex = f"));
    let both = estimate("race = black and sex = f");
    assert!((both - black * women / 120.0).abs() < 1e-9);
}

#[test]
fn tables_that_share_columns_are_put_together() {
    let folder = folder();
    // Race and sex stand in a table of their own besides: written by hand.
    done(folder.path(), &["publish", "policy.toml"]);
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
    let single = POLICY[..POLICY.find("[[rules]]").unwrap()]
        .replace("role = \"attribute\"", "role = \"quasi-identifier\"")
        .replace(
            "job = { role = \"quasi-identifier\"",
            "job = { role = \"sensitive\"",
        );
    for style in ["generalize", "anatomy"] {
        let policy = format!("{single}[output]\nstyle = \"{style}\"\ndelimiter = \";\"\n");
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        done(folder.path(), &["publish", "policy.toml"]);
        let answer = ask(folder.path(), "job = clerk");
        assert_eq!(answer["estimate"].as_f64(), answer["true_count"].as_f64());
        let answer = ask(folder.path(), "age >= 20");
        assert!((answer["estimate"].as_f64().unwrap() - 120.0).abs() < 1e-9);
        let answer = ask(folder.path(), "age < 45 and job = clerk");
        let (estimate, truth) = (&answer["estimate"], &answer["true_count"]);
        let off = estimate.as_f64().unwrap() - truth.as_f64().unwrap();
        assert!(off.abs() < 12.0, "{answer}");
    }
    let without = done(
        folder.path(),
        &["query", "out/release", "--where", "age < 45"],
    );
    assert!(
        without.starts_with("About ") && !without.contains("true count"),
        "{without}"
    );
}

#[test]
fn mistakes_in_questions_are_named() {
    let folder = folder();
    let path = folder.path();
    done(path, &["publish", "policy.toml"]);
    let asked = |conditions: &str| refused(path, &["query", "out", "--where", conditions]);
    let message = asked("age > 30 and rase = black");
    assert!(
        message.contains("character 14: the release has no column `rase`"),
        "{message}"
    );
    assert!(message.contains("did you mean `race`?"), "{message}");
    assert!(asked("age > old").contains("`old` is not a whole number"));
    assert!(asked("race > black").contains("text without an order"));
    assert!(
        asked("name = p1").contains("has no column `name`"),
        "identifiers stay"
    );
    let message = refused(path, &["query", "nowhere", "--where", "age > 30"]);
    assert!(message.contains("cannot read the manifest"), "{message}");
    let told = done(path, &["query", "out", "--where", "race = blak"]);
    assert!(told.contains("About 0.0 of 120 rows"), "{told}");
    assert!(
        told.contains("no row meets the condition on `race`"),
        "{told}"
    );
}

#[test]
fn synthetic_rows_look_like_the_release() {
    let folder = folder();
    let path = folder.path();
    for style in ["anatomy", "generalize"] {
        let policy = format!("{POLICY}[output]\nstyle = \"{style}\"\n");
        fs::write(path.join("policy.toml"), policy).unwrap();
        done(path, &["publish", "policy.toml"]);
        let arguments = [
            "query", "out", "--sample", "3000", "--out", "rows.csv", "--seed", "1",
        ];
        assert!(done(path, &arguments).contains("3,000 synthetic rows"));
        let drawn = rows(
            &path.join("rows.csv"),
            &["race", "age", "sex", "job", "zip"],
        );
        assert_eq!(drawn.len(), 3000);
        let black = drawn.iter().filter(|row| row[0] == "black").count();
        assert!((850..1150).contains(&black), "a third: {black}");
        assert!(
            drawn
                .iter()
                .all(|row| (20..70).contains(&row[1].parse().unwrap()))
        );
    }
}

/// The paper's Table 1 and its three rules.
const TABLE_1: &str = "hospital,age,gender,zipcode,race,icd
111111,37,F,71000,asian,HIV
111111,71,M,72000,white,diabetes
222222,55,F,73000,black,diabetes
222222,37,F,74000,white,flu
333333,23,M,71000,black,alcoholism
333333,37,M,72000,white,HIV
";

const RUNNING: &str = r#"
[input]
path = "people.csv"
[columns]
hospital = { role = "attribute" }
age = { role = "attribute" }
gender = { role = "attribute" }
zipcode = { role = "attribute" }
race = { role = "attribute" }
icd = { role = "attribute" }
[privacy]
model = "l-diversity"
l = 2
[[rules]]
given = ["age", "icd"]
protect = "race"
[[rules]]
given = ["gender", "icd"]
protect = "zipcode"
[[rules]]
given = ["hospital", "race"]
protect = "zipcode"
"#;

/// Puts the running example into a folder and publishes it.
fn running_example() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), TABLE_1).unwrap();
    fs::write(folder.path().join("policy.toml"), RUNNING).unwrap();
    done(folder.path(), &["publish", "policy.toml"]);
    folder
}

/// Replaces the tables of the release by these: columns, groups of rows and their
/// values, in Table 1's order of rows.
fn print_tables(folder: &Path, tables: &[([&str; 3], [[usize; 2]; 3])]) {
    let mut manifest = manifest(folder);
    let lines: Vec<Vec<&str>> = TABLE_1
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let cell = |row: usize, column: &str| {
        let at = lines[0].iter().position(|name| *name == column).unwrap();
        lines[row][at]
    };
    let mut entries = Vec::new();
    for (number, ([first, second, secret], groups)) in tables.iter().enumerate() {
        let name = format!("table-{}", number + 1);
        let mut main = format!("{first},{second},group\n");
        let mut values = format!("group,{secret},count\n");
        for (group, rows) in groups.iter().enumerate() {
            for &row in rows {
                let (a, b, s) = (cell(row, first), cell(row, second), cell(row, secret));
                main.push_str(&format!("{a},{b},{}\n", group + 1));
                values.push_str(&format!("{},{s},1\n", group + 1));
            }
        }
        let files = [format!("{name}.csv"), format!("{name}-values.csv")];
        fs::write(folder.join("out/release").join(&files[0]), main).unwrap();
        fs::write(folder.join("out/release").join(&files[1]), values).unwrap();
        entries.push(serde_json::json!({
            "name": name, "columns": [first, second, secret], "rows": 6, "groups": 3,
            "files": files, "enforces": { "given": [first, second], "protect": [secret], "model": "" },
        }));
    }
    manifest["tables"] = entries.into();
    fs::write(
        folder.join("out/release/manifest.json"),
        manifest.to_string(),
    )
    .unwrap();
}

#[test]
fn intersecting_table_2_finds_the_four_and_our_own_tables_nobody() {
    let folder = running_example();
    let path = folder.path();
    let arguments = [
        "attack",
        "out",
        "--policy",
        "policy.toml",
        "--json",
        "--owner",
    ];
    let report: Value = serde_json::from_str(&done(path, &arguments)).unwrap();
    assert_eq!(report["promise_broken"], false);
    for rule in report["rules"].as_array().unwrap() {
        assert_eq!(
            (&rule["method"], &rule["certain"]),
            (&"worlds".into(), &0.into())
        );
        assert_eq!(rule["above_bound"], 0);
    }
    let tables = [
        (["age", "icd", "race"], [[1, 6], [5, 4], [3, 2]]),
        (["gender", "icd", "zipcode"], [[1, 6], [5, 4], [3, 2]]),
        (["hospital", "race", "zipcode"], [[1, 3], [4, 2], [6, 5]]),
    ];
    print_tables(path, &tables);
    let output = openveil(path, &arguments);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let third = &report["rules"][2];
    assert_eq!(third["rows"], serde_json::json!([1, 3, 5, 6]), "{third}");
    let told = openveil(path, &arguments[..4]);
    assert!(
        text(&told.stdout).contains("hospital, race → zipcode"),
        "{}",
        text(&told.stdout)
    );
}

#[test]
fn attacks_on_larger_releases_rule_values_out() {
    let folder = folder();
    let path = folder.path();
    done(path, &["publish", "policy.toml"]);
    let told = done(path, &["attack", "out", "--policy", "policy.toml"]);
    assert!(told.contains("ruled out person by person"), "{told}");
    let message = refused(path, &["attack", "out", "out", "--policy", "policy.toml"]);
    assert!(message.contains("not several releases"), "{message}");
    let single = "[input]\npath = \"people.csv\"\n[columns]\nage = { role = \"quasi-identifier\" }\nsex = { role = \"drop\" }\nrace = { role = \"drop\" }\njob = { role = \"sensitive\" }\nzip = { role = \"drop\" }\nname = { role = \"drop\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    fs::write(path.join("single.toml"), single).unwrap();
    let message = refused(path, &["attack", "out", "--policy", "single.toml"]);
    assert!(
        message.contains("several tables that keep rules together"),
        "{message}"
    );
}
