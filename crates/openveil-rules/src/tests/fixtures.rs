//! The running example and small helpers.

use crate::normal_form::{Schema, SubTable};
use crate::{ColumnNames, Rule};
use openveil_core::table::{ColumnSet, Groups, PeopleTable};

/// The columns of the paper's Table 1.
pub const NAMES: [&str; 6] = ["hospital", "age", "gender", "zipcode", "race", "icd"];

pub fn columns() -> ColumnNames {
    ColumnNames::new(NAMES).unwrap()
}

/// `"age icd"` → their set.
pub fn set(names: &str) -> ColumnSet {
    columns().set(names.split_whitespace()).unwrap()
}

/// `"age icd -> race"` → the rule.
pub fn rule(text: &str) -> Rule {
    let (given, protect) = text.split_once("->").unwrap();
    Rule::new(set(given), set(protect)).unwrap()
}

/// Rules 1 to 3 of the running example.
pub fn rules() -> Vec<Rule> {
    vec![rule("age icd -> race"), rule("gender icd -> zipcode"), rule("hospital race -> zipcode")]
}

/// Table 1 as texts, row by row.
const TABLE_1: [[&str; 6]; 6] = [
    ["111111", "37", "F", "71000", "asian", "HIV"],
    ["111111", "71", "M", "72000", "white", "diabetes"],
    ["222222", "55", "F", "73000", "black", "diabetes"],
    ["222222", "37", "F", "74000", "white", "flu"],
    ["333333", "23", "M", "71000", "black", "alcoholism"],
    ["333333", "37", "M", "72000", "white", "HIV"],
];

/// Table 1 in codes: each value's number in the order of its first row.
pub fn table_1() -> PeopleTable {
    let column = |column: usize| {
        let text = |row: usize| TABLE_1[row][column];
        let first = |row: usize| (0..=row).find(|&earlier| text(earlier) == text(row)).unwrap();
        (0..6).map(|row| first(row) as u32).collect()
    };
    PeopleTable::of_codes((0..6).map(column).collect()).unwrap()
}

/// The text of a code.
pub fn text(column: &str, code: u32) -> &'static str {
    let column = NAMES.iter().position(|name| *name == column).unwrap();
    TABLE_1[code as usize][column]
}

/// Groups of these rows.
pub fn groups(of: &[&[u32]]) -> Groups {
    let mut groups = Groups::with_capacity(6, of.len());
    for group in of {
        groups.push(group.iter().copied());
    }
    groups
}

/// The schema of the paper's Table 4.
pub fn table_4() -> Schema {
    let enforcing = |columns, text| SubTable::enforcing(set(columns), rule(text)).unwrap();
    Schema::new(vec![
        enforcing("gender icd hospital", "icd gender -> hospital"),
        enforcing("age hospital zipcode", "hospital -> zipcode"),
        enforcing("age hospital gender race", "age hospital gender -> race"),
        SubTable::open(set("age zipcode")).unwrap(),
    ])
}

/// The schema of the paper's Table 3.
pub fn table_3() -> Schema {
    Schema::new(vec![
        SubTable::open(set("hospital age gender icd")).unwrap(),
        SubTable::guarding(set("race zipcode"), set("zipcode")).unwrap(),
    ])
}
