use super::{ColumnProfile, Inspection};
use crate::source::Source;
use std::fmt::Write;

/// A commented policy for an inspected table, with guessed roles.
///
/// `source` says how the table was read; its path is written as it is.
pub fn starter_policy(inspection: &Inspection, source: &Source) -> String {
    let sensitive = inspection
        .columns
        .iter()
        .find(|column| column.guessed_role == "sensitive");
    let mut text = String::new();
    text.push_str(HEAD);
    let path = source.path.to_string_lossy();
    push(
        &mut text,
        format_args!("\n[input]\npath = {}\n", quoted(&path)),
    );
    if source.delimiter != b',' {
        let delimiter = char::from(source.delimiter).to_string();
        push(
            &mut text,
            format_args!("delimiter = {}\n", quoted(&delimiter)),
        );
    }
    if source.trim {
        text.push_str("trim = true\n");
    }
    push_missing(&mut text, inspection);
    text.push_str(COLUMNS);
    for column in &inspection.columns {
        push_column(&mut text, column, inspection.rows);
    }
    text.push_str(PRIVACY);
    match sensitive.and_then(|column| column.largest_l) {
        Some(largest) => push(
            &mut text,
            format_args!(
                "l = {}  # at most {largest} with this sensitive column\n",
                largest.min(4)
            ),
        ),
        None => text.push_str(
            "l = 2  # no column was found that allows it; choose the sensitive one above\n",
        ),
    }
    text.push_str(TAIL);
    text
}

const HEAD: &str = "\
# A starter policy, written by `openveil inspect`. The roles are guesses: go
# through every column and correct them before you publish anything.
";

const COLUMNS: &str = "
# Roles: quasi-identifier  others may know it of a person; published coarsened
#        sensitive         what must stay secret; published, but per group
#        other             neither: for analysis; published by value, not protected
#        identifier        names a person; never published
#        drop              not needed; never published
# Types: integer, number, date, text
[columns]
";

const PRIVACY: &str = "
[privacy]
model = \"l-diversity\"  # nobody's sensitive value can be guessed with a chance above 1/l
";

const TAIL: &str = "
[algorithm]
name = \"cover\"  # safe against a reader who knows the algorithm

[output]
dir = \"out\"  # becomes out/release (may be published) and out/owner (may not)
";

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("writing to a string does not fail");
}

/// A text as TOML writes it: what JSON escapes, TOML does, in the same way.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn push_missing(text: &mut String, inspection: &Inspection) {
    let mut tokens: Vec<&str> = inspection
        .columns
        .iter()
        .flat_map(|column| column.missing_values.iter().map(String::as_str))
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    if !tokens.is_empty() {
        let tokens: Vec<String> = tokens.into_iter().map(quoted).collect();
        push(
            text,
            format_args!(
                "missing_values = [{}]  # texts that seem to stand for a missing value\n",
                tokens.join(", ")
            ),
        );
    }
    let lacks = |role: &str| {
        let mut columns = inspection.columns.iter();
        columns.any(|column| column.missing > 0 && column.guessed_role == role)
    };
    if lacks("sensitive") {
        text.push_str(
            "missing = \"keep\"  # as the value (missing); dropping rows would tell who has none\n",
        );
    } else if lacks("quasi-identifier") {
        text.push_str("missing = \"drop-rows\"  # or \"keep\" (as a value), or \"error\"\n");
    }
}

fn push_column(text: &mut String, column: &ColumnProfile, rows: usize) {
    let mut entry = format!(
        "{} = {{ role = \"{}\"",
        quoted(&column.name),
        column.guessed_role
    );
    let published = matches!(column.guessed_role, "quasi-identifier" | "sensitive");
    if published && column.value_type != "text" {
        push(
            &mut entry,
            format_args!(", type = \"{}\"", column.value_type),
        );
    }
    entry.push_str(" }");
    let mut facts = match &column.unusable {
        None => format!("{} values", column.distinct),
        Some(reason) => reason.clone(),
    };
    if column.missing > 0 {
        push(
            &mut facts,
            format_args!(
                ", {:.1} % missing",
                100.0 * column.missing as f64 / rows as f64
            ),
        );
    }
    if column.guessed_role == "identifier" && column.distinct + column.missing < rows {
        facts.push_str(", repeats: bring the table to one row per person first");
    }
    if let Some(l) = column.largest_l {
        push(&mut facts, format_args!(", l up to {l}"));
    }
    push(text, format_args!("{entry}  # {facts}\n"));
}
