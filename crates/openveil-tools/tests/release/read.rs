//! Reads the files of a release, as a reader does.

use openveil_core::algorithm::Algorithm;
use openveil_core::coins::SecretCoins;
use openveil_core::release::publish;
use openveil_core::table::View;
use openveil_io::load;
use openveil_io::policy::Policy;
use openveil_io::progress::Nobody;
use openveil_io::release_dir::read::{Released, categories};
use openveil_papers::algorithm::Gda;
use openveil_publication as publish;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

mod damaged;

/// Every kind of cell, labels that look like cells, a combination of values.
const POLICY: &str = r#"
[input]
path = "people.csv"
missing = "keep"
[columns]
age = { role = "quasi-identifier", type = "integer" }
town = { role = "quasi-identifier" }
size = { role = "quasi-identifier", order = ["s, or less", "m", "l, or more"] }
zip = { role = "quasi-identifier", hierarchy = { prefixes = [2, 1] } }
job = { role = "sensitive" }
ill = { role = "sensitive" }
pay = { role = "other", type = "number" }
day = { role = "quasi-identifier", type = "date", publish = "values" }
height = { role = "quasi-identifier", type = "number", publish = "range" }
[privacy]
model = "l-diversity"
l = 2
combine = ["job", "ill"]
[algorithm]
name = "gda"
"#;

fn people() -> String {
    let mut text = String::from("age,town,size,zip,job,ill,pay,day,height\n");
    for row in 0..60 {
        let age = match row % 9 {
            0 => String::new(),
            _ => (row * 7 % 40).to_string(),
        };
        let town = ["a|x", "a", "b", "{c}", "d"][row % 5];
        let size = ["m", "\"s, or less\"", "\"l, or more\""][row * row % 3];
        let zip = ["901", "902", "911", "812"][row * 3 % 4];
        let (job, ill) = (["nurse", "clerk", "judge"][row % 3], ["flu", "cold"][row / 2 % 2]);
        let pay = if row == 7 { String::new() } else { format!("{}.5", row * 11 % 23) };
        let day = format!("2020-0{}-11", row % 4 + 1);
        let height = format!("1.{}", row * 17 % 60 + 30);
        text.push_str(&format!("{age},{town},{size},{zip},{job},{ill},{pay},{day},{height}\n"));
    }
    text
}

/// A published folder, and the policy and table that it was made from.
fn published(output: &str) -> (tempfile::TempDir, Policy, View) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people()).unwrap();
    let text = format!("{POLICY}\n[output]\n{output}\n");
    let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
    let options = publish::Options { accept_algorithm_disclosure: true, ..Default::default() };
    publish::run(&policy, options, &Nobody).unwrap();
    let table = load::load(&policy, &|_| {}).unwrap().view(&policy).unwrap();
    (folder, policy, table)
}

#[test]
fn what_was_written_is_read_back() {
    for output in [
        "format = \"csv\"",
        "format = \"csv\"\ndelimiter = \"|\"",
        "format = \"csv.gz\"",
        "format = \"csv.zst\"\nstyle = \"anatomy\"",
        "format = \"parquet\"",
        "format = \"parquet\"\nstyle = \"anatomy\"",
        "format = \"csv\"\nstyle = \"slice\"",
        "format = \"parquet\"\nstyle = \"slice\"",
        "format = \"csv\"\ncells = \"bounds\"",
        "format = \"parquet\"\ncells = \"bounds\"",
        "format = \"arrow\"",
        "format = \"arrow\"\ncells = \"bounds\"",
    ] {
        let (folder, policy, table) = published(output);
        let out = folder.path().join("out");
        let found = Released::read(&(&out).into(), &table).unwrap();
        let mut no_coins = SecretCoins::from_test_seed(0);
        let groups = Gda.partition(&table, &policy.privacy.model, &mut no_coins).unwrap();
        let (release, _) = publish(&table, &groups, policy.output.style);
        assert!(found.release == release, "{output}");
        assert_eq!((found.style, found.manifest.rows), (policy.output.style, 60));
        let inside = Released::read(&out.join("release").into(), &table).unwrap();
        assert_eq!(inside.folder, found.folder);
    }
}

/// Reads a release after one of its files was changed.
fn refused(output: &str, file: &str, from: &str, to: &str) -> String {
    let (folder, _, table) = published(output);
    let path = folder.path().join("out/release").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    let error = Released::read(&folder.path().join("out").into(), &table);
    error.unwrap_err().to_string()
}

#[test]
fn files_that_do_not_fit_are_named() {
    let csv = "format = \"csv\"";
    let anatomy = "format = \"csv\"\nstyle = \"anatomy\"";
    let slice = "format = \"csv\"\nstyle = \"slice\"";
    let bounds = "format = \"csv\"\ncells = \"bounds\"";
    for (output, file, from, to, expected) in [
        (
            csv,
            "manifest.json",
            "\"rows\": 60",
            "\"rows\": 61",
            "has 60 rows, but its manifest says 61",
        ),
        (
            csv,
            "manifest.json",
            "\"style\": \"gen",
            "\"style\": \"xen",
            "unknown style `xeneralize`",
        ),
        (csv, "manifest.json", "{", "", "is not the manifest of a release"),
        (csv, "manifest.json", "\"groups\": ", "\"groups\": 99999999", "groups of 60 rows"),
        (csv, "release.csv", ",group\n", ",grp\n", "has no column `group`"),
        (
            csv,
            "release.csv",
            "age,",
            "years,",
            "column `years`: is a column that its manifest does not name",
        ),
        (
            csv,
            "release.csv",
            "nurse",
            "thief",
            "column `job`: no row of the table has the value `thief",
        ),
        (csv, "release.csv", ",1\n", ",x\n", "column `group`: `x` is not a whole number"),
        (csv, "release.csv", ",1\n", ",9999\n", "`9999` is not a number from 1 to"),
        (csv, "release.csv", "[", "[x", "the rows of group 1 show different cells"),
        (
            bounds,
            "release.csv",
            "age_max",
            "age_most",
            "has no column `age_max`, which its manifest names",
        ),
        (
            slice,
            "manifest.json",
            "\"cells\": \"sliced\"",
            "\"cells\": \"interval\"",
            "column `age`: is published as ranges, but the policy says otherwise",
        ),
        (
            slice,
            "manifest.json",
            "\"cells\": \"sliced\"",
            "\"cells\": \"diced\"",
            "is not the manifest of a release: unknown variant `diced`",
        ),
        (
            slice,
            "release.csv",
            "nurse",
            "thief",
            "column `job`: no row of the table has the value `thief",
        ),
        (
            slice,
            "release.csv",
            "2020-01-11",
            "2020-01-1x",
            "column `day`: `2020-01-1x` does not describe values of the table",
        ),
        (anatomy, "release-values.csv", "count\n1,", "count\n2,", "one value per row of group 1"),
        (anatomy, "release.csv", "s, or less", "xs", "`xs` does not describe values"),
    ] {
        let message = refused(output, file, from, to);
        assert!(message.contains(expected), "{message}");
    }
}

/// A group that straddles branches is read back as the set of their labels.
#[test]
fn sets_of_labels_are_read_back() {
    for format in ["csv", "parquet"] {
        let (folder, _, table) = published(&format!("format = \"{format}\""));
        let found = Released::read(&folder.path().join("out").into(), &table).unwrap();
        let place = table.known().iter().position(|column| column.name() == "zip");
        let cells = &found.release.cells()[place.unwrap()];
        let several =
            (0..found.release.group_count()).filter(|&group| cells.nodes(group).len() > 1);
        assert!(several.count() > 0, "{format}");
    }
}

#[test]
fn categories_need_every_value_once() {
    let (folder, _, table) = published("format = \"csv\"");
    let path = folder.path().join("categories.csv");
    let labels: Vec<String> = (0..6).map(|value| table.secret().label(value)).collect();
    let lines = |labels: &[String]| -> String {
        labels.iter().enumerate().map(|(i, label)| format!("{label};c{}\n", i / 2)).collect()
    };
    fs::write(&path, lines(&labels)).unwrap();
    assert_eq!(categories(&path, table.secret()).unwrap(), [0, 0, 1, 1, 2, 2]);
    let message = |text: String| {
        fs::write(&path, text).unwrap();
        categories(&path, table.secret()).unwrap_err().to_string()
    };
    assert!(message(lines(&labels[1..])).contains("has no line for the value `clerk + cold`"));
    let twice = message(lines(&labels) + "judge + flu;c9\n");
    assert!(twice.contains("names the value `judge + flu` twice"), "{twice}");
    let close = message(lines(&labels) + "judge + flue;c9\n");
    assert!(close.contains("line 7") && close.contains("did you mean `judge + flu`?"), "{close}");
    let wide = message("a;b;c\n".to_owned());
    assert!(wide.contains("line 1") && wide.contains("3 fields"), "{wide}");
}
