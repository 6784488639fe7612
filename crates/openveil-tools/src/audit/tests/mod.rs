//! Tests of measures, from files.

mod disclosure;
mod verdict;

use super::*;
use openveil_core::exact::Rational;
use openveil_core::model::{GroundDistance, LAlphaDiversity, Model, Over, Requirement, Variant};
use openveil_io::source::Encoding;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A minimal manifest; the last column is sensitive.
fn manifest(
    style: &str,
    (rows, groups): (usize, usize),
    columns: &[&str],
    files: &[&str],
) -> Value {
    let columns = columns.iter().enumerate().map(|(at, name)| {
        let is_last = at + 1 == columns.len();
        let role = if is_last { "sensitive" } else { "quasi-identifier" };
        json!({ "name": name, "role": role })
    });
    json!({
        "openveil": "0", "rows": rows, "groups": groups, "algorithm": "cover", "style": style,
        "model": { "name": "l-diversity", "variant": "ratio", "l": 2 },
        "guarantee": {
            "adversary": "knows-algorithm", "max_posterior": "1/2", "protects": [], "statement": "",
        },
        "utility": {
            "groups": groups, "smallest_group": 2, "largest_group": 2, "dm": 0, "dm_optimal": 0,
            "cavg": 1.0, "mean_extent": {},
        },
        "columns": columns.collect::<Vec<Value>>(),
        "omitted": { "identifiers": [], "dropped": [], "rows": 0, "reasons": [] },
        "files": files, "fit_for_publication": true, "notes": [],
    })
}

/// Table 5 of the (l, α)-diversity paper.
const TABLE_5: &str = "Age,Country,Zip,Disease
<30,America,142**,HIV
<30,America,142**,HIV
<30,America,142**,Cancer
<30,America,142**,Cancer
>40,Asia,130**,Hepatitis
>40,Asia,130**,Phthisis
>40,Asia,130**,Asthma
>40,Asia,130**,Obesity
3*,America,142**,Flu
3*,America,142**,Flu
3*,America,142**,Flu
3*,America,142**,Indigestion
";

const CATEGORIES: &str = "HIV;Top Secret\nCancer;Top Secret\nPhthisis;Secret\nHepatitis;Secret
Obesity;Less Secret\nAsthma;Less Secret\nFlu;Non Secret\nIndigestion;Non Secret\n";

struct Files(TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn about(&self, column: Option<&str>, name: &str) -> Vec<ForColumn> {
        vec![ForColumn { column: column.map(str::to_owned), file: self.path(name) }]
    }

    fn request(&self, table: &str, sensitive: &[&str]) -> AuditRequest {
        AuditRequest {
            sensitive: sensitive.iter().map(|name| (*name).to_owned()).collect(),
            ..AuditRequest::new(self.path(table))
        }
    }
}

fn measured(request: &AuditRequest) -> AuditReport {
    audit(request, &|_| {}).unwrap()
}

fn refused(request: &AuditRequest) -> String {
    audit(request, &|_| {}).unwrap_err().to_string()
}

fn policy(privacy: &str) -> Policy {
    let text = format!(
        "[input]\npath = \"raw.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\n\
         job = {{ role = \"sensitive\" }}\nname = {{ role = \"identifier\" }}\n[privacy]\n{privacy}\n"
    );
    Policy::parse(&text, Path::new("policy.toml")).unwrap()
}

#[test]
fn a_published_table_is_read_as_text() {
    let files = Files::new(&[("t.csv", TABLE_5), ("kinds.csv", CATEGORIES)]);
    let mut request = files.request("t.csv", &["Disease"]);
    request.categories = files.about(None, "kinds.csv");
    let report = measured(&request);
    assert_eq!((report.rows, report.groups, report.k), (12, 3, 4));
    assert_eq!(report.grouped_by, ["Age", "Country", "Zip"]);
    let measures = report.measures.as_ref().unwrap();
    assert_eq!((measures.l_distinct, &*measures.l_ratio_exact), (2, "4/3"));
    assert_eq!((measures.alpha, &*measures.alpha_exact), (0.75, "3/4"));
    assert_eq!(measures.recursive[&2], Some(3.0));
    assert_eq!((measures.recursive[&3], measures.delta), (None, None));
    assert_eq!(measures.similarity_rows, Some(8));
    let kinds = measures.l_alpha.as_ref().unwrap();
    assert_eq!((kinds.alpha, kinds.distinct, kinds.distinct_categories), (0.0, 2, 1));
    for key in ["recursive.3", "recursive.4", "delta", "l_alpha.recursive.2"] {
        assert!(measures.infinite.iter().any(|name| name == key), "{key}");
    }
    // Diseases have no order, and no tree was given.
    assert_eq!((measures.t_ordered, measures.t_hierarchical), (None, None));
    assert_eq!(report.satisfied, None);
}

#[test]
fn weights_of_categories_follow_their_scheme() {
    let table = "q,d\n1,Cancer\n1,Phthisis\n1,Asthma\n1,Flu\n";
    let files = Files::new(&[("t.csv", table), ("kinds.csv", CATEGORIES)]);
    let alpha = |weights| {
        let mut request = files.request("t.csv", &["d"]);
        request.categories = files.about(Some("d"), "kinds.csv");
        request.weights = weights;
        measured(&request).measures.unwrap().l_alpha.unwrap().alpha
    };
    assert_eq!(alpha(CategoryWeights::Uniform), 2.0);
    assert_eq!(alpha(CategoryWeights::Sensitivity { beta: 2 }), 130.0 / 49.0);
}

#[test]
fn groups_are_told_by_column_or_by_equal_cells() {
    let table = "age,sex,job,group\n\"[1, 2]\",f,a,1\n\"[1, 2]\",f,b,1\n\"[1, 2]\",f,a,2\n\"[1, 2]\",f,b,2\n7,f,a,3\n";
    let files = Files::new(&[("t.csv", table)]);
    let mut request = files.request("t.csv", &["job"]);
    let report = measured(&request);
    assert_eq!((report.groups, &report.grouped_by[..]), (3, &["group".to_owned()][..]));
    assert_eq!(report.uniqueness, 0.2);
    request.quasi_identifiers = vec!["age".to_owned()];
    assert_eq!(measured(&request).groups, 2, "named columns are compared");
    request.group = Some("sex".to_owned());
    assert_eq!(measured(&request).groups, 1, "a named column comes first");
}

#[test]
fn many_columns_are_combined_without_collisions() {
    // 13 columns of 40 values: more combinations than 64 bits can number.
    let names: Vec<String> = (0..13).map(|n| format!("q{n}")).collect();
    let mut text = format!("{},s\n", names.join(","));
    for row in 0..400u32 {
        let cells: Vec<String> = (1..=13).map(|n| (row * n % 40).to_string()).collect();
        text.push_str(&format!("{},{}\n", cells.join(","), row % 3));
    }
    let files = Files::new(&[("t.csv", &text)]);
    let report = measured(&files.request("t.csv", &["s"]));
    // Rows that agree on the first column agree on all.
    assert_eq!((report.groups, report.k), (40, 10));
}

#[test]
fn orders_come_from_numbers_intervals_days_and_files() {
    let ordered = |values: [&str; 3], order: Option<&str>| {
        let rows = values.map(|value| format!("1,\"{value}\"\n"));
        let table = format!("q,s\n{}2,\"{}\"\n", rows.concat(), values[0]);
        let files = Files::new(&[("t.csv", &table), ("order", order.unwrap_or("-"))]);
        let mut request = files.request("t.csv", &["s"]);
        if order.is_some() {
            request.orders = files.about(None, "order");
        }
        measured(&request).measures.unwrap().t_ordered
    };
    // The second group is at the lower end: shares 1, 0, 0 against 2/4, 1/4, 1/4.
    let end = Some((0.5 + 0.25) / 2.0);
    assert_eq!(ordered(["9", "10", "100"], None), end);
    assert_eq!(ordered(["< 10", "[10, 100)", ">= 100"], None), end);
    assert_eq!(ordered(["1999-12-31", "2000-01-01", "2000-01-02"], None), end);
    assert_eq!(ordered(["", "10", "100"], None), end, "what is missing comes first");
    assert_eq!(ordered(["low", "mid", "high"], None), None);
    assert_eq!(ordered(["low", "mid", "high"], Some("low\nmid\nhigh\n")), end);
    let middle = Some((0.25 + 0.25) / 2.0);
    assert_eq!(ordered(["low", "mid", "high"], Some("mid\nlow\nhigh\n")), middle);
}

#[test]
fn trees_measure_the_hierarchical_distance() {
    let table = "q,s\n1,flu\n1,cold\n2,burn\n2,cut\n";
    let tree = "flu;infection;*\ncold;infection;*\nburn;injury;*\ncut;injury;*\n";
    let files = Files::new(&[("t.csv", table), ("tree.csv", tree)]);
    let mut request = files.request("t.csv", &["s"]);
    request.hierarchies = files.about(None, "tree.csv");
    // Half of all rows pass the root, whose height is that of the tree.
    assert_eq!(measured(&request).measures.unwrap().t_hierarchical, Some(0.5));
    fs::write(files.path("tree.csv"), "flu;infection\ncold;infection\n").unwrap();
    let message = refused(&request);
    assert!(message.contains("no entry for the value `burn`"), "{message}");
}

#[test]
fn several_sensitive_columns_are_measured_each_and_as_one() {
    let table = "q,s,w\n1,a,1\n1,b,1\n2,a,2\n2,a,3\n";
    let files = Files::new(&[("t.csv", table)]);
    let report = measured(&files.request("t.csv", &["s", "w"]));
    assert_eq!(report.sensitive, ["s", "w"]);
    assert_eq!(report.measures.clone().unwrap().l_distinct, 2, "combinations");
    assert_eq!((report.columns["s"].l_distinct, report.columns["w"].l_distinct), (1, 1));
    assert_eq!(report.columns["w"].t_ordered, Some(0.375));
    assert_eq!(report.measures.clone().unwrap().t_ordered, None, "combinations have no order");
}

#[test]
fn risks_of_samples_come_from_a_population() {
    let table = "age,job\n1,a\n1,b\n2,a\n2,c\n2,a\n";
    let people = "job,age\nx,1\nx,1\nx,1\nx,1\nx,2\nx,2\nx,2\nx,3\n";
    let files = Files::new(&[("t.csv", table), ("people.csv", people)]);
    let mut request = files.request("t.csv", &["job"]);
    assert_eq!(measured(&request).risk.journalist, None);
    request.population = Some(Population::Table(files.path("people.csv")));
    let risk = measured(&request).risk;
    let journalist = risk.journalist.unwrap();
    assert_eq!((risk.prosecutor.highest, journalist.highest), (0.5, 1.0 / 3.0));
    assert_eq!(journalist.average, (2.0 / 4.0 + 3.0 / 3.0) / 5.0);
    assert_eq!((risk.marketer, journalist.records_at_risk), (0.4, 1.0));
    request.population = Some(Population::People(50));
    assert_eq!(measured(&request).risk.journalist.unwrap().highest, 1.0 / 20.0);
    request.population = Some(Population::People(4));
    assert!(refused(&request).contains("has 5 rows, but the population has only 4 people"));
    fs::write(files.path("people.csv"), "age\n1\n1\n2\n").unwrap();
    request.population = Some(Population::Table(files.path("people.csv")));
    // A population that lacks people is reported, and the table's rows count.
    let report = measured(&request);
    assert_eq!(report.risk.journalist.unwrap().highest, 0.5);
    assert_eq!(report.disclosure.as_ref().unwrap().k_map, Some(2));
    assert!(
        report.notes[0].to_string().contains("for 1 combinations of known values (3 rows)"),
        "{:?}",
        report.notes
    );
}

/// A release in the anatomy style: five people in two groups.
fn anatomy(values: &str, change: impl FnOnce(&mut serde_json::Value)) -> Files {
    let files = ["release.csv", "release-values.csv"];
    let mut manifest = manifest("anatomy", (5, 2), &["age", "job"], &files);
    change(&mut manifest);
    Files::new(&[
        ("out/release/manifest.json", &manifest.to_string()),
        ("out/release/release.csv", "age,group\n1,1\n2,1\n3,1\n4,2\n5,2\n"),
        ("out/release/release-values.csv", values),
    ])
}

#[test]
fn a_release_with_separate_values_is_counted_out() {
    let files = anatomy("group,job,count\n1,a,2\n1,b,1\n2,a,1\n2,c,1\n", |_| {});
    let report = measured(&AuditRequest::new(files.path("out")));
    assert_eq!((report.rows, report.groups, report.k), (5, 2, 2));
    assert_eq!(report.measures.clone().unwrap().alpha_exact, "2/3");
    for (count, expected) in [
        ("two", "line 2, column `count`: `two` is not a whole number"),
        // Written out, these would not fit into memory.
        ("4294967295", "does not hold one value per row of group 1"),
    ] {
        let files = anatomy(&format!("group,job,count\n1,a,{count}\n2,a,2\n"), |_| {});
        let message = refused(&AuditRequest::new(files.path("out/release")));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn exempt_values_are_those_of_the_release() {
    let values = "group,job,count\n1,none,3\n2,none,1\n2,c,1\n";
    let plain = measured(&AuditRequest::new(anatomy(values, |_| {}).path("out"))).measures.unwrap();
    assert_eq!((plain.l_distinct, &*plain.l_ratio_exact), (1, "1"));
    assert_eq!((plain.recursive[&2], plain.exempt), (None, None));
    let files = anatomy(values, |manifest| {
        manifest["model"]["exempt"] = serde_json::json!(["none"]);
    });
    let sound = measured(&AuditRequest::new(files.path("out"))).measures.unwrap();
    assert_eq!((sound.l_distinct, &*sound.l_ratio_exact), (2, "2"));
    assert_eq!(sound.recursive[&2], Some(1.0));
    let exempt = ExemptReport { values: vec!["none".to_owned()], groups: 1, rows: 3 };
    assert_eq!(sound.exempt, Some(exempt));
}

#[test]
fn what_is_wrong_is_named() {
    let files = Files::new(&[("t.csv", TABLE_5), ("kinds.csv", CATEGORIES)]);
    let error = |change: &dyn Fn(&mut AuditRequest)| {
        let mut request = files.request("t.csv", &["Disease"]);
        change(&mut request);
        refused(&request)
    };
    let message = error(&|request| request.sensitive = vec!["Diseas".to_owned()]);
    assert!(message.contains("no column `Diseas`") && message.contains("did you mean `Disease`?"));
    let message = error(&|request| request.quasi_identifiers = vec!["income".to_owned()]);
    assert!(message.contains("the table has Age, Country, Zip, Disease"), "{message}");
    let message = error(&|request| request.group = Some("Disease".to_owned()));
    assert!(message.contains("cannot be both sensitive and known"), "{message}");
    let message = error(&|request| request.sensitive.clear());
    assert!(message.contains("no sensitive column is named"), "{message}");
    let message = error(&|request| request.delimiter = Some(b';'));
    assert!(message.contains("the table has one column only"), "{message}");
    let message = error(&|request| request.categories = files.about(Some("Zip"), "kinds.csv"));
    assert!(message.contains("`Zip`, which is not a sensitive column"), "{message}");
    let message = error(&|request| {
        request.sensitive.push("Zip".to_owned());
        request.categories = files.about(None, "kinds.csv");
    });
    assert!(message.contains("write `--categories Disease=FILE`"), "{message}");
    for (text, expected) in [
        ("HIV;a\n", "no category for the value `Asthma`"),
        ("HIV;a\nHIV;b\n", "line 2: puts `HIV` into a second category"),
        ("HIV,a\n", "line 1: has 1 fields where 2 are expected"),
    ] {
        fs::write(files.path("kinds.csv"), text).unwrap();
        let message = error(&|request| request.categories = files.about(None, "kinds.csv"));
        assert!(message.contains(expected), "{message}");
    }
    fs::create_dir(files.path("empty")).unwrap();
    let message = error(&|request| request.table = files.path("empty").into());
    assert!(message.contains("cannot read the manifest"), "{message}");
}

/// Files from spreadsheets of older machines are read, with a note.
#[test]
fn encodings_are_guessed() {
    let files = Files::new(&[]);
    let path = files.path("t.csv");
    fs::write(&path, b"ort,job\nZ\xfcrich,a\nZ\xfcrich,b\n").unwrap();
    let report = measured(&files.request("t.csv", &["job"]));
    assert_eq!((report.k, report.measures.clone().unwrap().l_distinct), (2, 2));
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.to_string() == "the file is not UTF-8: read as windows-1252")
    );
    fs::write(&path, "ort,job\nZürich,a\n").unwrap();
    assert!(measured(&files.request("t.csv", &["job"])).notes.is_empty());
    // The policy takes precedence over a guess.
    fs::write(&path, b"ort,job\n\xa3\xf3d\xbc,a\n").unwrap();
    let mut request = files.request("t.csv", &["ort"]);
    let mut polish = policy("model = \"l-diversity\"\nl = 2");
    polish.input.source.encoding = Encoding::named("iso-8859-2").unwrap();
    request.policy = Some(polish);
    request.quasi_identifiers = vec!["job".to_owned()];
    let report = measured(&request);
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.to_string() == "the file is not UTF-8: read as iso-8859-2")
    );
}
