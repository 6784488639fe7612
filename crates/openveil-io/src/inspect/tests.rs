use super::*;
use crate::policy::{Missing, Policy};
use std::path::Path;

fn inspected(csv: &str) -> Inspection {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, csv).unwrap();
    inspect(&Source::new(path), &|_| {}).unwrap()
}

fn people() -> String {
    let mut text = String::from("patient_id,age,zip,born,sex,diagnosis,comment\n");
    for row in 0..200 {
        let illness = ["flu", "cold", "asthma", "cancer", "?"][row % 5];
        text.push_str(&format!(
            "{row},{}.0,0{},19{:02}-01-02,{},{illness},\n",
            20 + row % 60,
            1000 + row % 9,
            row % 90,
            ["f", "m"][row % 2]
        ));
    }
    text
}

#[test]
fn columns_are_profiled() {
    let found = inspected(&people());
    let by_name = |name: &str| {
        found
            .columns
            .iter()
            .find(|column| column.name == name)
            .unwrap()
    };
    assert_eq!(found.rows, 200);
    assert_eq!(by_name("age").value_type, "integer");
    assert_eq!(
        by_name("zip").value_type,
        "text",
        "leading zeros are part of a code"
    );
    assert_eq!(by_name("born").value_type, "date");
    let diagnosis = by_name("diagnosis");
    assert_eq!(
        (diagnosis.distinct, diagnosis.missing, diagnosis.largest_l),
        (4, 40, Some(5)),
        "the missing value is a fifth one"
    );
    assert_eq!(diagnosis.missing_values, ["?"]);
    assert!((diagnosis.top_share - 0.25).abs() < 1e-9);
    assert_eq!(by_name("patient_id").unique_share, 1.0);
}

#[test]
fn roles_are_guessed() {
    let found = inspected(&people());
    let roles: Vec<&str> = found
        .columns
        .iter()
        .map(|column| column.guessed_role)
        .collect();
    let quasi = "quasi-identifier";
    assert_eq!(
        roles,
        [
            "identifier",
            quasi,
            quasi,
            quasi,
            quasi,
            "sensitive",
            "drop"
        ]
    );
}

#[test]
fn the_starter_policy_is_a_policy() {
    let found = inspected(&people());
    let text = starter_policy(&found, &Source::new("t.csv"));
    let policy = Policy::parse(&text, Path::new("t.policy.toml")).unwrap();
    assert_eq!(policy.columns.len(), 7);
    assert_eq!(policy.missing_values, ["?"]);
    assert_eq!(
        policy.missing,
        Missing::Keep,
        "a diagnosis is missing: who lacks one must not show"
    );
    assert_eq!(policy.model.ratio().unwrap().l(), 4);
}

#[test]
fn fields_separated_by_something_else_are_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    for (text, hint) in [
        ("age;sex\n31;f\n", "`--delimiter ';'`"),
        ("age;size\n31;1,75\n", "`--delimiter ';'`"),
        ("age\tsex\n31\tf\n", "`--delimiter '\\t'`"),
        ("age|sex\n31|f\n", "`--delimiter '|'`"),
    ] {
        std::fs::write(&path, text).unwrap();
        let message = inspect(&Source::new(&path), &|_| {})
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("t.csv: has one column only, `age"),
            "{message}"
        );
        assert!(message.contains(hint), "{message}");
    }
    std::fs::write(&path, "age\n31\n").unwrap();
    assert_eq!(
        inspect(&Source::new(&path), &|_| {}).unwrap().columns.len(),
        1
    );
}

#[test]
fn columns_that_cannot_be_read_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    crate::source::tests::odd_parquet(&path, [i32::MAX, 0], ["a", "b"]);
    let source = Source::new(&path);
    let found = inspect(&source, &|_| {}).unwrap();
    let columns = found.columns.iter();
    let types: Vec<(&str, &str)> = columns.map(|c| (&*c.name, c.value_type)).collect();
    let expected = [
        ("word", "text"),
        ("born", "text"),
        ("seen", "integer"),
        ("stamp", "unusable"),
        ("visits", "unusable"),
    ];
    assert_eq!(types, expected);
    assert_eq!((found.rows, found.columns[4].guessed_role), (2, "drop"));
    let starter = starter_policy(&found, &source);
    assert!(
        starter.contains("\"visits\" = { role = \"drop\" }  # is nested; only flat"),
        "{starter}"
    );
}

#[test]
fn timestamps_are_dates_whatever_their_zone() {
    let found = inspected("t\n2017-01-01T06:00:42Z\n2017-01-01T06:00:42+01:00\n2017-01-02\n");
    assert_eq!(found.columns[0].value_type, "date");
}
