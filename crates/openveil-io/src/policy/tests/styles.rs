//! Styles, forms of single columns, and columns for analysis.

use super::*;
use openveil_core::table::Form;

const STYLED: &str = r#"
[input]
path = "a.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
zip = { role = "quasi-identifier", hierarchy = { prefixes = [2] } }
town = { role = "quasi-identifier" }
job = { role = "sensitive" }
pay = { role = "insensitive", type = "number" }
name = { role = "drop" }
[privacy]
model = "l-diversity"
l = 3
[output]
style = "generalize"
"#;

fn changed(from: &str, to: &str) -> Result<Policy, Error> {
    assert!(STYLED.contains(from), "{from:?} is in the policy");
    parse(&STYLED.replacen(from, to, 1))
}

fn column(from: &str, keys: &str) -> Result<Policy, Error> {
    changed(&format!("{from} = {{"), &format!("{from} = {{ {keys},"))
}

fn message(policy: Result<Policy, Error>) -> String {
    match policy {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it is a mistake"),
    }
}

#[test]
fn styles_and_forms_are_read() {
    let policy = parse(STYLED).unwrap();
    assert_eq!(policy.columns["pay"].role, Role::Other);
    assert!(policy.columns.values().all(|column| column.form.is_none() && !column.bounds));
    let slice = changed("\"generalize\"", "\"slice\"").unwrap();
    assert_eq!(slice.output.style, Style::Slice);
    let form = |column: &str, keys: &str| self::column(column, keys).unwrap().columns[column].form;
    assert_eq!(form("age", "publish = \"values\""), Some(Form::Values));
    assert_eq!(form("town", "publish = \"range\""), Some(Form::Range));
    assert_eq!(form("zip", "lowest-common-ancestor = true"), Some(Form::Label));
    assert_eq!(form("zip", "lowest-common-ancestor = false"), None);
    let both = column("zip", "publish = \"range\", lowest-common-ancestor = true").unwrap();
    assert_eq!(both.columns["zip"].form, Some(Form::Label));
    let own = column("age", "cells = \"bounds\"").unwrap();
    assert!(own.columns["age"].bounds);
    // `cells` under [output] applies only to the columns that can have bounds.
    let all = changed("style =", "cells = \"bounds\"\nstyle =").unwrap();
    let bounds = all.columns.iter().filter(|(_, column)| column.bounds);
    assert_eq!(bounds.map(|(name, _)| name).collect::<Vec<_>>(), ["age"]);
}

#[test]
fn what_cannot_be_published_so_is_named_with_its_line() {
    for (column, keys, expected) in [
        ("job", "publish = \"range\"", "line 8, column `job`: is sensitive"),
        ("pay", "publish = \"range\"", "line 9, column `pay`: has the role `other`"),
        ("name", "publish = \"values\"", "line 10, column `name`: is not published"),
        ("age", "publish = \"value\"", "line 5, column `age`: unknown form `value`"),
        (
            "town",
            "cells = \"bounds\"",
            "line 7, column `town`: contains text: `cells = \"bounds\"` needs",
        ),
        ("zip", "cells = \"bounds\"", "line 6, column `zip`: has a `hierarchy`"),
        ("age", "cells = \"bound\"", "line 5: unknown kind of cells `bound`"),
        ("age", "publish = \"values\", cells = \"bounds\"", "column `age`: is published by value"),
        ("job", "cells = \"bounds\"", "column `job`: is sensitive"),
        ("age", "lowest-common-ancestor = true", "line 5, column `age`: has no `hierarchy`"),
        ("zip", "lowest-common-ancestor = true, publish = \"values\"", "is published by value"),
        ("pay", "hierarchy = \"a.csv\"", "`hierarchy` is for columns"),
        ("pay", "exempt = [\"1\"]", "`exempt` is for columns"),
    ] {
        let message = message(self::column(column, keys));
        assert!(message.contains(expected), "{column} {keys}: {message}");
        assert!(message.contains("help:") || message.contains("is for columns"), "{message}");
    }
    let style = message(changed("\"generalize\"", "\"sliced\""));
    assert!(style.contains("line 15: unknown style `sliced`"), "{style}");
    assert!(style.contains("did you mean `slice`?"), "{style}");
    let bounds = changed("style = \"generalize\"", "style = \"slice\"\ncells = \"bounds\"");
    let bounds = message(bounds);
    assert!(bounds.contains("line 16: `cells = \"bounds\"` has no effect: no column"), "{bounds}");
    let close = message(changed("\"insensitive\"", "\"insensitiv\""));
    assert!(close.contains("did you mean `insensitive`?"), "{close}");
}

/// Rows of a k-anonymous table look alike; exact values would tell them apart.
#[test]
fn models_of_rows_that_look_alike_take_ranges_only() {
    for model in [
        "model = \"k-anonymity\"\nk = 3",
        "model = \"alpha-k-anonymity\"\nalpha = 0.5\nk = 3",
        "model = \"p-sensitive-k-anonymity\"\np = 2\nk = 3",
    ] {
        let text = STYLED.replace("model = \"l-diversity\"\nl = 3", model);
        parse(&text).unwrap();
        for style in ["slice", "anatomy"] {
            let message = message(parse(&text.replace("generalize", style)));
            assert!(message.contains("line 11"), "{message}");
            assert!(message.contains("needs rows that look alike, but `age`"), "{message}");
        }
        let exact = text.replace("town = {", "town = { publish = \"values\",");
        let message = message(parse(&exact));
        assert!(message.contains("but `town` is published by value"), "{message}");
    }
    let one = "model = \"alpha-k-anonymity\"\nalpha = 0.5\nk = 1";
    let text = STYLED.replace("model = \"l-diversity\"\nl = 3", one);
    parse(&text.replace("generalize", "slice")).unwrap();
}

#[test]
fn with_rules_forms_are_for_columns_that_no_rule_protects() {
    let rules = r#"
[input]
path = "a.csv"
[columns]
age = { role = "attribute", type = "integer", publish = "range" }
job = { role = "attribute" }
[[rules]]
given = "age"
protect = "job"
model = "l-diversity"
l = 2
"#;
    let policy = parse(rules).unwrap();
    assert_eq!(policy.columns["age"].form, Some(Form::Range));
    let protected = rules.replace("job = {", "job = { publish = \"values\",");
    let protected = message(parse(&protected));
    assert!(protected.contains("line 6, column `job`: is protected by a rule"), "{protected}");
    let other = rules.replace(
        "type = \"integer\", publish = \"range\" }",
        "type = \"integer\" }\nw = { role = \"other\" }",
    );
    let other = message(parse(&other));
    assert!(other.contains("has the role `other`, but the policy has [[rules]]"), "{other}");
    let alike = rules.replace("model = \"l-diversity\"\nl = 2", "model = \"k-anonymity\"\nk = 2");
    let alike = alike.replace(", publish = \"range\"", "");
    let alike = message(parse(&alike));
    assert!(alike.contains("line 7") && alike.contains("look alike"), "{alike}");
}
