//! Tests the share of a cell that meets conditions.

use super::super::parse::parse;
use super::*;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry, PREFIXES};

fn column(value_type: Option<&str>, order: &[&str]) -> ColumnEntry {
    ColumnEntry {
        name: "x".to_owned(),
        value_type: value_type.map(str::to_owned),
        order: order.iter().map(|text| (*text).to_owned()).collect(),
        ..ColumnEntry::default()
    }
}

fn share(column: &ColumnEntry, conditions: &str, cell: &str) -> f64 {
    share_among(column, &[cell], conditions, cell)
}

/// Returns the share of a cell, in a column that shows some cells.
fn share_among(column: &ColumnEntry, cells: &[&str], conditions: &str, cell: &str) -> f64 {
    let conditions = parse(conditions).unwrap();
    let conditions: Vec<&Condition> = conditions.iter().collect();
    let cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
    let scale = Scale::new(column, &cells);
    Matcher::new(&scale, &conditions).unwrap().share_of(cell)
}

#[test]
fn cells_are_spread_evenly() {
    let whole = column(Some("integer"), &[]);
    assert_eq!(share(&whole, "x >= 30", "[21, 30]"), 0.1);
    assert_eq!(share(&whole, "x > 30", "[21, 30]"), 0.0);
    assert_eq!(share(&whole, "x > 20.5 and x < 23", "[21, 30]"), 0.2);
    assert_eq!(share(&whole, "x in (21, 22, 40)", "[21, 30]"), 0.2);
    assert_eq!(share(&whole, "x != 21", "[21, 30]"), 0.9);
    assert_eq!(share(&whole, "x = 30.0", "30"), 1.0);
    assert_eq!(share(&whole, "x < 30", "(missing)"), 0.0);
    assert_eq!(share(&whole, "x = '(missing)'", "(missing)"), 1.0);
    let real = column(Some("number"), &[]);
    assert_eq!(share(&real, "x < 2.5", "[1.5, 5.5]"), 0.25);
    assert_eq!(share(&real, "x = 2", "[1.5, 5.5]"), 0.0);
    let day = column(Some("date"), &[]);
    assert_eq!(share(&day, "x <= 2020-03-01", "[2020-02-29, 2020-03-03]"), 0.5);
    let text = column(None, &[]);
    assert_eq!(share(&text, "x = a", "{a|b}"), 0.5);
    assert_eq!(share(&text, "x in (a, c)", "a"), 1.0);
    let order = column(None, &["low", "middle", "high"]);
    assert_eq!(share(&order, "x >= middle", "[low, middle]"), 0.5);
    let mut tree = column(None, &[]);
    let leaves = vec!["France".to_owned(), "Spain".to_owned()];
    tree.covers.insert("Europe".to_owned(), leaves);
    assert_eq!(share(&tree, "x = Spain", "Europe"), 0.5);
    assert_eq!(share(&tree, "x = Europe", "Europe"), 1.0);
    assert_eq!(share(&tree, "x = Europe", "Spain"), 1.0);
    assert_eq!(share(&tree, "x != Europe", "Spain"), 0.0);
    let mut ages = column(Some("integer"), &[]);
    let decade = (40..50).map(|age: u32| age.to_string()).collect();
    ages.covers.insert("[40, 49]".to_owned(), decade);
    assert_eq!(share(&ages, "x = '[40, 49]'", "[36, 45]"), 0.6);
    assert_eq!(share(&ages, "x != '[40, 49]'", "[36, 45]"), 0.4);
    // If values are published exactly, braces are a part of them.
    let mut value = column(None, &[]);
    value.cells = Some(CellKind::Sliced);
    assert_eq!(share(&value, "x = '{a|b}'", "{a|b}"), 1.0);
    assert_eq!(share(&value, "x = a", "{a|b}"), 0.0);
}

/// Labels made by a rule show what they stand for; the manifest does not list people's values.
#[test]
fn labels_of_rules_are_read() {
    let rule = |rule: &str, kind, value_type| ColumnEntry {
        cells: Some(kind),
        rule: Some(rule.to_owned()),
        ..column(value_type, &[])
    };
    let ages = rule("intervals", CellKind::Label, Some("integer"));
    assert_eq!(share(&ages, "x < 60", "[50, 99]"), 0.2);
    assert_eq!(share(&ages, "x = '[50, 59]'", "[50, 99]"), 0.2);
    assert_eq!(share_among(&ages, &["[0, 49]", "[50, 99]"], "x < 50", "*"), 0.5);
    let sets = rule("intervals", CellKind::Labels, Some("integer"));
    let cells = ["{21|[50, 99]}"];
    assert_eq!(share_among(&sets, &cells, "x >= 60", cells[0]), 40.0 / 51.0);
    let weights = rule("intervals", CellKind::Label, Some("number"));
    assert_eq!(share(&weights, "x < 1.75", "[1.5, 2)"), 0.5);
    let days = rule("dates", CellKind::Label, Some("date"));
    assert_eq!(share(&days, "x < 2023-02-01", "2023"), 31.0 / 365.0);
    assert_eq!(share(&days, "x = 2024-02-29", "2024-02"), 1.0 / 29.0);
    let codes = rule(PREFIXES, CellKind::Label, None);
    let cells = ["902*", "90210"];
    assert_eq!(share(&codes, "x = 90210", "902*"), 0.5);
    assert_eq!(share(&codes, "x = 90210", "913*"), 0.0);
    assert_eq!(share(&codes, "x = 90210", "*"), 0.5);
    assert_eq!(share(&codes, "x != 90210", "902*"), 0.5);
    assert_eq!(share(&codes, "x = '902*'", "902*"), 1.0);
    assert_eq!(share_among(&codes, &cells, "x = 90211", "902*"), 1.0 / 3.0);
}

#[test]
fn all_of_a_set_of_a_person_are_that_persons() {
    let sets = ColumnEntry { sets: true, ..column(None, &[]) };
    for (conditions, shares) in [
        ("x = a", [1.0, 1.0, 0.0]),
        ("x != a", [0.0, 0.0, 1.0]),
        ("x in (b, c)", [0.0, 1.0, 1.0]),
        ("x = a and x = b", [0.0, 1.0, 0.0]),
        ("x = '{a|b}'", [0.0, 1.0, 0.0]),
        ("x != '{a|b}'", [1.0, 0.0, 1.0]),
    ] {
        let found = ["a", "{a|b}", "c"].map(|cell| share(&sets, conditions, cell));
        assert_eq!(found, shares, "{conditions}");
    }
    let numbers = ColumnEntry { sets: true, ..column(Some("integer"), &[]) };
    for (conditions, shares) in [
        ("x = 3.0", [1.0, 1.0, 0.0]),
        ("x > 5", [0.0, 1.0, 0.0]),
        ("x >= 3 and x < 5", [1.0, 1.0, 1.0]),
        ("x > 4 and x < 6", [0.0, 0.0, 0.0]),
        ("x != 4", [1.0, 1.0, 0.0]),
    ] {
        let found = ["3", "{3|7}", "4"].map(|cell| share(&numbers, conditions, cell));
        assert_eq!(found, shares, "{conditions}");
    }
}

#[test]
fn intervals_from_a_missing_value_on_cover_it() {
    let cells = ["[(missing), 3]", "[1, 4]", "7"];
    let whole = column(Some("integer"), &[]);
    let among = |conditions| share_among(&whole, &cells, conditions, cells[0]);
    // Present values begin at the least number shown.
    assert_eq!(among("x = '(missing)'"), 0.25);
    assert_eq!(among("x = 1"), 0.25);
    assert_eq!(among("x != 1"), 0.75);
    assert_eq!(among("x >= 2"), 0.5);
    assert_eq!(among("x < 9"), 0.75, "a missing value is below nothing");
    // The cell may hide a number below all shown ones.
    assert!((0.0..1e-6).contains(&among("x < 1")) && among("x < 1") > 0.0);
    assert_eq!((among("x > 3"), among("x > 9")), (0.0, 0.0));
    let real = column(Some("number"), &[]);
    let cells = ["[(missing), 2.5]", "[0.5, 4]", "7"];
    let among = |conditions| share_among(&real, &cells, conditions, cells[0]);
    assert_eq!((among("x = '(missing)'"), among("x < 1.5")), (0.5, 0.25));
    let order = column(None, &["(missing)", "low", "high"]);
    assert_eq!(share(&order, "x = '(missing)'", "[(missing), high]"), 1.0 / 3.0);
    assert_eq!(share(&order, "x < high", "[(missing), high]"), 1.0 / 3.0);
    assert_eq!(share(&order, "x < low", "(missing)"), 0.0);
}

#[test]
fn values_have_to_be_of_the_columns_type() {
    let refused = |column: &ColumnEntry, text: &str| {
        let conditions = parse(text).unwrap();
        let conditions: Vec<&Condition> = conditions.iter().collect();
        let scale = Scale::new(column, &[]);
        Matcher::new(&scale, &conditions).unwrap_err().to_string()
    };
    let message = refused(&column(Some("integer"), &[]), "x = 1 and x = abc");
    assert!(message.contains("character 11: `abc` is not a whole number"), "{message}");
    let message = refused(&column(None, &[]), "x < b");
    assert!(message.contains("`x` is text without an order"), "{message}");
    let message = refused(&column(None, &["a"]), "x < b");
    assert!(message.contains("not one of the values of its order"), "{message}");
}

#[test]
fn numbers_lie_where_the_cells_say() {
    let real = column(Some("number"), &[]);
    // Whole numbers, as ages often are.
    assert_eq!(share(&real, "x = 30", "[21, 30]"), 0.1);
    assert_eq!(share(&real, "x <= 21", "[21, 30]"), 0.1);
    // Four numbers, each an end of several cells, are all the values.
    let cells = ["[0.5, 1]", "[0.5, 2]", "[1, 8]", "[0.5, 8]", "[2, 8]"];
    let among = |conditions, cell| share_among(&real, &cells, conditions, cell);
    assert_eq!(among("x = 1", "[0.5, 8]"), 0.25);
    assert_eq!(among("x <= 2", "[0.5, 8]"), 0.75);
    assert_eq!(among("x = 3", "[0.5, 8]"), 0.0);
    assert_eq!(among("x != 1 and x < 8", "[1, 8]"), 1.0 / 3.0);
    assert_eq!(among("x <= 0.5", "[0.5, 1]"), 0.5);
}

#[test]
fn bins_answer_ranges() {
    let cells = ["< 300", "[300, 410)", ">= 410", "(missing)"];
    let secret = column(None, &[]);
    let known = column(None, &cells);
    for (conditions, shares) in [
        ("x < 300", [1.0, 0.0, 0.0, 0.0]),
        ("x >= 300", [0.0, 1.0, 1.0, 0.0]),
        ("x < 410", [1.0, 1.0, 0.0, 0.0]),
        ("x >= 355", [0.0, 0.5, 1.0, 0.0]),
        ("x > 500", [0.0, 0.0, 0.5, 0.0]),
        ("x = '[300, 410)'", [0.0, 1.0, 0.0, 0.0]),
        ("x != '< 300'", [0.0, 1.0, 1.0, 1.0]),
        ("x <= '[300, 410)'", [1.0, 1.0, 0.0, 0.0]),
        ("x > '< 300'", [0.0, 1.0, 1.0, 0.0]),
    ] {
        for (cell, expected) in cells.into_iter().zip(shares) {
            let found = share_among(&secret, &cells, conditions, cell);
            assert_eq!(found, expected, "{conditions} in {cell}");
            assert_eq!(share(&known, conditions, cell), expected, "{conditions} in {cell}");
        }
    }
    let named = |conditions, cell: &str| {
        let conditions = parse(conditions).unwrap();
        let conditions: Vec<&Condition> = conditions.iter().collect();
        let cells = cells.map(str::to_owned);
        let scale = Scale::new(&secret, &cells);
        Matcher::new(&scale, &conditions).unwrap().names_inside(cell)
    };
    assert!(named("x = 350", "[300, 410)") && named("x != 350", "[300, 410)"));
    assert!(!named("x = 350", ">= 410") && !named("x = '[300, 410)'", "[300, 410)"));
    assert!(!named("x >= 350", "[300, 410)") && !named("x = '(missing)'", "(missing)"));
    assert_eq!(share(&known, "x < 355", "[< 300, [300, 410)]"), 0.75);
    let quantiles = ["7", "[1, 5]", "[8, 18]"];
    let among = |conditions, cell| share_among(&secret, &quantiles, conditions, cell);
    assert_eq!(among("x <= 5", "[1, 5]"), 1.0);
    assert_eq!(among("x < 8", "7"), 1.0);
    assert_eq!(among("x >= 13", "[8, 18]"), 0.5);
}

#[test]
fn draws_stay_inside_of_the_cell() {
    let mut coins = openveil_core::coins::SecretCoins::from_test_seed(1);
    let mut draw = |column: &ColumnEntry, cell: &str| {
        Scale::new(column, &[cell.to_owned()]).draw(cell, &mut coins)
    };
    let whole = column(Some("integer"), &[]);
    for _ in 0..50 {
        let age: i64 = draw(&whole, "[21, 30]").parse().unwrap();
        assert!((21..=30).contains(&age));
    }
    assert_eq!(draw(&whole, "7"), "7");
    let maybe: Vec<String> = (0..50).map(|_| draw(&whole, "[(missing), 3]")).collect();
    assert!(maybe.iter().all(|age| ["(missing)", "3"].contains(&&**age)));
    assert!(["(missing)", "3"].iter().all(|age| maybe.contains(&(*age).to_owned())));
    let sets = ColumnEntry { sets: true, ..column(None, &[]) };
    assert_eq!(draw(&sets, "{a|b}"), "{a|b}");
    let real = column(Some("number"), &[]);
    let weight: f64 = draw(&real, "[0.5, 0.75]").parse().unwrap();
    assert!((0.5..=0.75).contains(&weight));
    assert!(["a", "b"].contains(&&*draw(&column(None, &[]), "{a|b}")));
}
