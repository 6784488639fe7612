//! Floors as they are written, and settings that do not go with them.

use super::*;

#[test]
fn a_floor_has_the_unit_of_its_column() {
    for (key, floor, published) in [
        ("type = \"integer\", floor = 5", Floor::Width("5".into()), ValueType::Integer),
        ("type = \"number\", floor = 0.5", Floor::Width("0.5".into()), ValueType::Number),
        ("type = \"date\", floor = \"month\"", Floor::Period(Period::Month), ValueType::Text),
        ("type = \"date\", floor = \"year\"", Floor::Period(Period::Year), ValueType::Integer),
        ("floor = 3", Floor::Characters(3), ValueType::Text),
        ("floor = \"us-zip-3\"", Floor::UsZip3, ValueType::Text),
        ("type = \"integer\", hierarchy = \"h.csv\", floor = 2", Floor::Level(2), ValueType::Text),
    ] {
        let policy = parse(&SMALLEST.replace("type = \"integer\"", key)).unwrap();
        let column = &policy.columns["age"];
        assert_eq!(
            (column.floor.as_ref(), column.published_type()),
            (Some(&floor), published),
            "{key}"
        );
    }
}

#[test]
fn floors_that_make_no_sense_are_refused() {
    for (key, expected) in [
        ("type = \"integer\", floor = 0", "`floor = 0` is not a width"),
        ("type = \"integer\", floor = 2.5", "`floor = 2.5` is not a width"),
        ("type = \"number\", floor = -1.0", "is not a width"),
        ("type = \"date\", floor = 3", "write \"month\", \"quarter\" or \"year\""),
        ("type = \"date\", floor = \"week\"", "is not a period of dates"),
        ("floor = \"month\"", "is not a number of characters"),
        ("hierarchy = \"h.csv\", floor = \"year\"", "is not a level of its hierarchy"),
        ("type = \"integer\", floor = 5, top = 87", "`top` that is not a multiple"),
        (
            "type = \"integer\", floor = 5, hierarchy = { intervals = [2, 10] }",
            "coarser than intervals of the width 2",
        ),
        (
            "type = \"date\", floor = \"year\", hierarchy = { dates = [\"month\"] }",
            "coarser than months",
        ),
        ("floor = 2, hierarchy = { prefixes = [3, 1] }", "coarser than prefixes of 3 characters"),
        (
            "type = \"date\", floor = \"month\", cells = \"bounds\"",
            "needs intervals of numbers or dates",
        ),
    ] {
        let message = refused("type = \"integer\"", key);
        assert!(message.contains(expected), "{key}: {message}");
        assert!(message.contains("line 5, column `age`"), "{message}");
    }
    let message = refused("\"drop\"", "\"drop\", floor = 3");
    assert!(message.contains("`drop`, so its values are never published"), "{message}");
    let message = refused("\"sensitive\"", "\"sensitive\", prefix = 2, floor = 3");
    assert!(message.contains("a `floor` and one of `prefix`"), "{message}");
}
