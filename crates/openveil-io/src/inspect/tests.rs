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
