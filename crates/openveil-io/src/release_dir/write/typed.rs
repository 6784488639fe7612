//! Typed values of labels, for formats that have types.

use super::text::CodeTexts;
use crate::load::MISSING_LABEL;
use crate::policy::ValueType;
use jiff::civil::Date;

/// The typed value of each code of a column; none for a missing value, if the column may have one.
pub(super) enum Typed {
    /// The labels are the values.
    Text,
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
    /// Days since 1970-01-01.
    Dates(Vec<Option<i32>>),
}

/// Returns the typed values of a column.
///
/// # Errors
/// A label that does not have the column's type. The error is a message.
pub(super) fn typed(values: &CodeTexts<'_>) -> Result<Typed, String> {
    Ok(match values.value_type {
        ValueType::Text => Typed::Text,
        ValueType::Integer => Typed::Integers(parsed(values, |label| label.parse().ok())?),
        ValueType::Number => Typed::Numbers(parsed(values, |label| label.parse().ok())?),
        ValueType::Boolean => Typed::Booleans(parsed(values, |label| label.parse().ok())?),
        ValueType::Date => Typed::Dates(parsed(values, day)?),
    })
}

fn parsed<T>(
    values: &CodeTexts<'_>,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<Option<T>>, String> {
    values
        .labels
        .iter()
        .map(|label| match read(label) {
            None if *label == MISSING_LABEL => Ok(None),
            None => Err(format!("`{label}` is not of its column's type")),
            known => Ok(known),
        })
        .collect()
}

/// Returns days since 1970-01-01.
fn day(label: &str) -> Option<i32> {
    let date: Date = label.parse().ok()?;
    let days = date.duration_since(Date::constant(1970, 1, 1)).as_hours() / 24;
    i32::try_from(days).ok()
}
