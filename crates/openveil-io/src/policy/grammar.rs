//! Explains grammar errors of a policy in plain words.

use crate::{Error, Location};
use openveil_text::{Text, text};

/// Explains the form of a policy to a user who wrote something else.
fn in_toml() -> Text {
    text!(
        "a policy is written in TOML: `key = value` in lines under [sections]; for a table, `openveil inspect` writes one"
    )
}

/// Explains the error at a position, if it is a grammar error.
pub fn explain(place: &Location, text: &str, at: usize, message: &str) -> Option<Error> {
    let line_start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text[line_start..].lines().next().unwrap_or("");
    let error = |problem: Text, help: Text| Some(Error::new(place.clone(), problem).help(help));
    let is_grammar = message.contains("expected") && !message.starts_with("invalid ")
        || message.starts_with("invalid key-value pair")
        || message.starts_with("duplicate")
        || message.starts_with("missing escaped");
    if !is_grammar {
        return None;
    }
    if line.contains(['“', '”', '„', '‘', '’']) {
        return error(text!("has curly quotation marks"), text!("write straight ones: \"…\""));
    }
    if message.starts_with("duplicate key") {
        let key = text.get(at..)?.split(['=', '\n', ']', ' ']).next().unwrap_or("").trim();
        return error(
            text!("`{}` appears here for the second time", key.trim_start_matches('[')),
            text!("remove one of the two"),
        );
    }
    if message.starts_with("missing escaped value") {
        return error(
            text!("a backslash in double quotes starts an escape sequence"),
            text!("write paths with `/`, or in single quotes: 'C:\\data\\people.csv'"),
        );
    }
    if message.starts_with("missing assignment") {
        return error(
            text!("has no `=` between a key and its value"),
            text!("write `key = value`, with `=` instead of the colon"),
        );
    }
    if message.starts_with("missing comma") {
        return error(
            text!("something is missing here: a comma, a quotation mark, or the brace at the end"),
            text!(
                "write `name = {{ role = \"…\", type = \"…\" }}` in one line, with commas between"
            ),
        );
    }
    if place.line == Some(1) {
        return error(text!("is not a policy"), in_toml());
    }
    if message.starts_with("key with no value") {
        return error(
            text!("is a key without a value"),
            text!(
                "write `key = value`; a name with blanks needs quotes: `\"my column\" = {{ … }}`"
            ),
        );
    }
    None
}

/// Explains a message of serde about a value.
pub(super) fn plain(place: Location, message: &str) -> Error {
    if message.contains("HierarchySection") {
        return Error::new(place, "is not a hierarchy").help(
            "write a file's name, or one of { file = { path, delimiter } }, { tree = {...} }, { intervals = [...] }, { dates = [...] }, { prefixes = [...] }",
        );
    }
    if message.contains("enum Level") {
        return Error::new(place, "is not a level of a column").help(
            "levels are whole numbers: 0 for the values, 1 for the level above them, and so on; \"*\" puts everybody into one group",
        );
    }
    if message.contains("struct ColumnSection") {
        return Error::new(place, "is not the description of a column")
            .help(text!("write `name = {{ role = \"...\" }}`; column names that contain dots or blanks need quotes"));
    }
    if let Some(section) =
        message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'))
    {
        return missing(place, section);
    }
    match message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: ")) {
        Some(rest) => match rest.rsplit_once(", expected ") {
            Some((found, wanted)) => mistyped(place, found, wanted),
            None => Error::new(place, message.to_owned()),
        },
        None => Error::new(place, message.to_owned()),
    }
}

/// Reports a missing section or key that every policy has.
fn missing(place: Location, name: &str) -> Error {
    let whole = Location { line: None, ..place.clone() };
    match name {
        "input" => Error::new(whole, text!("has no section [input]")).help(text!("name the table: `[input]`, `path = \"people.csv\"`")),
        "columns" => Error::new(whole, text!("has no section [columns]"))
            .help(text!("give every column a role: `[columns]`, `age = {{ role = \"quasi-identifier\" }}`; `openveil inspect` writes a starter policy")),
        "path" => Error::new(whole, "names no table").help(text!("name the file: `path = \"people.csv\"` under [input]")),
        _ => Error::new(place, text!("lacks `{name}`")),
    }
}

/// Reports a value of a kind that the key does not take.
fn mistyped(place: Location, found: &str, wanted: &str) -> Error {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let (kind, value) = match (kind, value.split_once(' ')) {
        ("floating", Some(("point", value))) => ("floating point", value),
        _ => (kind, value),
    };
    let value = match kind {
        // serde writes an integer beyond `i64` as the number in backticks, followed by its type.
        "integer" => value.split('`').nth(1).unwrap_or(value),
        _ => value.trim_matches('`'),
    };
    let has_more_than = |bits: u32| {
        let number = value.parse::<u128>();
        kind == "integer" && number.is_ok_and(|number| number >> bits > 0)
    };
    let found = match kind {
        "string" => format!("the text {value} does not fit here"),
        "integer" | "floating point" => format!("the number {value} does not fit here"),
        "boolean" => format!("{value} does not fit here"),
        "map" => "braces do not fit here".to_owned(),
        "sequence" => "a list does not fit here".to_owned(),
        _ => format!("{found} does not fit here"),
    };
    let wanted = match wanted {
        "a boolean" => "`true` or `false`, without quotes",
        "f64" | "f32" => "a number, without quotes",
        _ if has_more_than(63) => "a smaller number",
        "u32" if has_more_than(32) => "a smaller whole number",
        "u32" | "usize" | "u64" => "a whole number of 0 or more",
        "a sequence" => "a list in square brackets: `[\"a\", \"b\"]`",
        "a string" | "a borrowed string" | "path string" => "a text in quotes",
        other => other,
    };
    Error::new(place, found).help(text!("write {wanted}"))
}
