mod floors;
mod models;
mod rules;
mod strata;
mod styles;
mod trials;

use super::*;

const SMALLEST: &str = r#"
[input]
path = "a.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
job = { role = "sensitive" }
note = { role = "drop" }
[privacy]
model = "l-diversity"
l = 6
"#;

fn parse(text: &str) -> Result<Policy, Error> {
    Policy::parse(text, Path::new("some/policy.toml"))
}

fn refused(from: &str, to: &str) -> String {
    assert!(SMALLEST.contains(from), "{from:?} is in the smallest policy");
    parse(&SMALLEST.replace(from, to)).unwrap_err().to_string()
}

#[test]
fn the_smallest_policy_has_sensible_defaults() {
    let policy = parse(SMALLEST).unwrap();
    assert_eq!(policy.method.algorithm.name(), "auto");
    assert_eq!(policy.output.style, Style::Generalize);
    assert_eq!(policy.input.missing, Missing::Error);
    assert_eq!(policy.privacy.model.ratio().unwrap().l(), 6);
    assert_eq!(policy.input.source.path, Path::new("some/a.csv"));
    assert_eq!(policy.output.dir, Path::new("some/out"));
    assert_eq!(policy.columns["age"].value_type, ValueType::Integer);
    assert_eq!(policy.columns["job"].role, Role::Sensitive);
}

#[test]
fn unknown_keys_and_values_are_errors_with_a_suggestion() {
    let message = refused("path =", "pth =");
    assert!(message.contains("some/policy.toml, line 3: unknown key `pth`"), "{message}");
    assert!(message.contains("did you mean `path`?"), "{message}");
    let message = refused("\"sensitive\"", "\"sensitiv\"");
    assert!(
        message.contains("unknown value `sensitiv`")
            && message.contains("did you mean `sensitive`?")
    );
    let message = refused("type = \"integer\"", "typ = \"integer\"");
    assert!(message.contains("unknown key `typ`") && message.contains("did you mean `type`?"));
    let message = refused("l-diversity", "l-diversty");
    assert!(message.contains("line 9: unknown value `l-diversty`"), "{message}");
    assert!(message.contains("did you mean `l-diversity`?"));
    let message =
        parse(&format!("{SMALLEST}\n[algorithm]\nname = \"covr\"")).unwrap_err().to_string();
    assert!(
        message.contains("unknown algorithm `covr`") && message.contains("did you mean `cover`?")
    );
}

#[test]
fn a_column_needs_a_role_that_fits_its_keys() {
    let message = refused("role = \"drop\"", "type = \"text\"");
    assert!(
        message.contains("column `note`: has no role, and every column needs one, so that nothing is published by accident"),
        "{message}"
    );
    let message = refused("role = \"drop\"", "role = \"drop\", weight = 2");
    assert!(
        message.contains("`weight` is for columns with the role `quasi-identifier`"),
        "{message}"
    );
    let message =
        refused("role = \"sensitive\"", "role = \"sensitive\", prefix = 3, quantiles = 4");
    assert!(message.contains("several of `prefix`, `bins` and `quantiles`"), "{message}");
    let message = refused("role = \"sensitive\"", "role = \"sensitive\", bins = [3, 1]");
    assert!(message.contains("`bins` needs at least one border, in ascending order"), "{message}");
}

#[test]
fn sensitive_columns_are_one_or_explicitly_combined() {
    let none = refused("role = \"sensitive\"", "role = \"drop\"");
    assert!(none.contains("no column has the role `sensitive`"), "{none}");
    let two = SMALLEST.replace("role = \"drop\"", "role = \"sensitive\"");
    let message = parse(&two).unwrap_err().to_string();
    assert!(message.contains("several columns are sensitive: job, note"), "{message}");
    assert!(message.contains("`combine = [\"job\", \"note\"]`"), "{message}");
    let combined = two.replace("l = 6", "l = 6\ncombine = [\"job\", \"note\"]");
    assert_eq!(parse(&combined).unwrap().privacy.combine, ["job", "note"]);
    let stranger = combined.replace("combine = [\"job\"", "combine = [\"age\"");
    assert!(parse(&stranger).unwrap_err().to_string().contains("`combine` names `age`"));
}

#[test]
fn l_and_delimiters_are_checked() {
    assert!(refused("l = 6", "l = 1").contains("line 10: l-diversity: `l = 1` must be"));
    assert!(refused("l = 6", "l = -1").contains("line 10"));
    let message = refused("path = \"a.csv\"", "path = \"a.csv\"\ndelimiter = \"::\"");
    assert!(message.contains("`delimiter = \"::\"` is not one ASCII character"), "{message}");
}

/// With `1` as delimiter, a group numbered `1` could not be read back.
#[test]
fn no_digit_separates_fields() {
    let message = refused("path = \"a.csv\"", "path = \"a.csv\"\ndelimiter = \"1\"");
    assert!(message.contains("is a digit"), "{message}");
}

#[test]
fn a_policy_that_is_not_there_is_named() {
    let message = Policy::read(Path::new("no/policy.toml")).unwrap_err().to_string();
    assert!(message.contains("no/policy.toml: cannot read the policy: there is no such file"));
}

#[test]
fn more_columns_than_a_table_can_have_are_refused_before_it_is_read() {
    let columns = |count: usize| -> String {
        let known = (0..count).map(|number| format!("c{number} = {{ role = \"other\" }}\n"));
        format!("[columns]\n{}", known.collect::<String>())
    };
    let message = refused("[columns]\n", &columns(127));
    assert_eq!(
        message,
        "some/policy.toml: publishes 129 columns, and a table can have 128 at most\n  help: give at least 1 of them the role `drop`"
    );
    assert!(parse(&SMALLEST.replace("[columns]\n", &columns(126))).is_ok());
}
