//! Values at the floors of their columns.

use super::*;

/// Returns the labels of a column of these values under a floor.
fn floored(key: &str, values: &[&str]) -> Vec<String> {
    let rows: String = values
        .iter()
        .enumerate()
        .map(|(n, value)| format!("\"{value}\",{}\n", ["u", "v"][n % 2]))
        .collect();
    let column = format!("q = {{ role = \"quasi-identifier\", {key} }}\n{S}");
    labels(&load_with(&format!("q,s\n{rows}"), &column, "missing = \"keep\"").unwrap(), 0)
}

#[test]
fn values_are_brought_to_their_floor() {
    for (key, values, expected) in [
        (
            "type = \"integer\", floor = 5",
            &["23", "20", "-1", ""][..],
            &["20", "20", "-5", "(missing)"][..],
        ),
        (
            "type = \"integer\", floor = 5, top = 90, bottom = 20",
            &["93", "7", "23"],
            &["90", "20", "20"],
        ),
        ("type = \"number\", floor = 0.1", &["0.3", "0.75", "-0.05"], &["0.3", "0.7", "-0.1"]),
        (
            "type = \"date\", floor = \"month\"",
            &["2020-03-14", "2020-12-31"],
            &["2020-03", "2020-12"],
        ),
        (
            "type = \"date\", floor = \"quarter\"",
            &["2020-03-31", "2020-04-01"],
            &["2020-Q1", "2020-Q2"],
        ),
        (
            "type = \"date\", format = \"%d.%m.%Y\", floor = \"year\"",
            &["14.03.1987", ""],
            &["1987", "(missing)"],
        ),
        ("floor = 3", &["90210", "äöüß", "A"], &["902", "äöü", "A"]),
        (
            "floor = \"us-zip-3\"",
            &["02139", "02139-4307", "03601", "893"],
            &["021", "021", "000", "000"],
        ),
        (
            "hierarchy = \"tree.csv\", floor = 1",
            &["a", "b", "c", "vowel"],
            &["vowel", "consonant", "consonant", "vowel"],
        ),
        (
            "hierarchy = { tree = { X = { Y = [\"a\"] }, Z = [\"b\"] } }, floor = 2",
            &["a", "b"],
            &["X", "Z"],
        ),
    ] {
        assert_eq!(floored(key, values), expected, "{key}");
    }
}

/// With a floor, the leaves of the hierarchy are the published values.
#[test]
fn hierarchies_begin_at_the_floor() {
    let csv = "m,w,h,s\n2020-03-14,23,a,u\n2020-07-01,27,b,v\n";
    let columns = format!(
        "m = {{ role = \"quasi-identifier\", type = \"date\", floor = \"quarter\", hierarchy = {{ dates = [\"year\"] }} }}
         w = {{ role = \"quasi-identifier\", type = \"integer\", floor = 5, hierarchy = {{ intervals = [10] }} }}
         h = {{ role = \"quasi-identifier\", floor = 1, hierarchy = \"tree.csv\" }}\n{S}"
    );
    let loaded = load_with(csv, &columns, "").unwrap();
    let found = |column: usize| {
        let tree = loaded.table.known()[column].domain().hierarchy().unwrap();
        let leaves: Vec<String> = tree.leaf_labels().map(str::to_owned).collect();
        (leaves, tree.label(tree.common_ancestor(0, 1)).to_owned())
    };
    let texts = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
    assert_eq!(found(0), (texts(["2020-Q1", "2020-Q3"]), "2020".into()));
    assert_eq!(found(1), (texts(["20", "25"]), "[20, 29]".into()));
    assert_eq!(found(2).1, "*");
}

#[test]
fn floors_that_cannot_be_kept_are_named() {
    for (key, value, expected) in [
        (
            "hierarchy = \"tree.csv\", floor = 3",
            "a",
            "its hierarchy has one level above the values",
        ),
        ("hierarchy = \"tree.csv\", floor = 1", "z", "`z` has no entry in the column's hierarchy"),
        ("floor = \"us-zip-3\"", "SW1A", "line 2, column `q`: `SW1A` is not a ZIP code"),
        ("type = \"integer\", floor = 7", "-9223372036854775808", "too many digits"),
    ] {
        let column = format!("q = {{ role = \"quasi-identifier\", {key} }}\n{S}");
        let message = refused(&format!("q,s\n{value},u\n"), &column, "");
        assert!(message.contains(expected), "{message}");
    }
}
