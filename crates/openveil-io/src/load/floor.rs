//! Brings values to the floor of their column, before any other step sees them.
//!
//! The published value depends on the row's own value and on the policy, not on other rows. The
//! random assignment of secrets to people is therefore the same before and after, and the guarantee
//! holds for the table with floors.

use super::decimal;
use super::hierarchy;
use super::value::LoadedValue;
use crate::Error;
use crate::policy::{ColumnPolicy, Floor, Period, Policy, us_zip_area};
use jiff::civil::Date;
use std::collections::HashMap;

/// The floor of a column, ready to be applied.
pub(super) struct AppliedFloor<'a> {
    floor: Option<&'a Floor>,
    /// The label of the floor's level, by value.
    label_of: HashMap<String, String>,
}

impl<'a> AppliedFloor<'a> {
    /// Prepares the floor of a column; reads the hierarchy if the floor is one of its levels.
    ///
    /// # Errors
    /// A hierarchy that cannot be read, or has too few levels.
    pub(super) fn new(
        policy: &Policy,
        column: &'a ColumnPolicy,
        name: &str,
    ) -> Result<Self, Error> {
        let label_of = match (&column.floor, &column.hierarchy) {
            (Some(Floor::Level(level)), Some(section)) => {
                hierarchy::labels_of_level(policy, section, column, name, *level)?
            }
            _ => HashMap::new(),
        };
        Ok(Self { floor: column.floor.as_ref(), label_of })
    }

    /// Returns the value at the floor that stands for a value; a missing value stays missing.
    ///
    /// # Errors
    /// A number that is too large; a value that the hierarchy does not have. The error is a
    /// message.
    pub(super) fn bring(&self, value: LoadedValue) -> Result<LoadedValue, String> {
        let Some(floor) = self.floor else {
            return Ok(value);
        };
        Ok(match (floor, value) {
            (_, LoadedValue::Missing) => LoadedValue::Missing,
            (Floor::Width(width), LoadedValue::Integer(number)) => {
                let width: i64 = width.parse().expect("a width of whole numbers is whole");
                let lowered = number.div_euclid(width).checked_mul(width);
                LoadedValue::Integer(lowered.ok_or_else(|| too_large(&number.to_string()))?)
            }
            (Floor::Width(width), LoadedValue::Number(number)) => {
                let text = number.to_string();
                let lowered = decimal::lowered(&text, width).ok_or_else(|| too_large(&text))?;
                LoadedValue::Number(lowered.parse().expect("digits are a number"))
            }
            (Floor::Period(Period::Year), LoadedValue::Date(date)) => {
                LoadedValue::Integer(i64::from(date.year()))
            }
            (Floor::Period(period), LoadedValue::Date(date)) => {
                LoadedValue::Text(period.text(date.year(), date.month()))
            }
            (Floor::Characters(kept), LoadedValue::Text(text)) => {
                LoadedValue::Text(text.chars().take(*kept).collect())
            }
            (Floor::UsZip3, LoadedValue::Text(text)) => match us_zip_area(&text) {
                Some(area) => LoadedValue::Text(area.to_owned()),
                None => {
                    return Err(format!("`{text}` is not a ZIP code like 02139 or 02139-4307"));
                }
            },
            (Floor::Level(_), value) => {
                let leaf = value.label();
                let label = self.label_of.get(&leaf);
                let is_label = || self.label_of.values().any(|label| *label == leaf);
                match label {
                    Some(label) => LoadedValue::Text(label.clone()),
                    // A value may already be written as a label of its level.
                    None if is_label() => LoadedValue::Text(leaf),
                    None => {
                        return Err(format!("`{leaf}` has no entry in the column's hierarchy"));
                    }
                }
            }
            (_, other) => other,
        })
    }
}

fn too_large(number: &str) -> String {
    format!("`{number}` has too many digits to be rounded down to the `floor` of its column")
}

/// Returns a value of the table that is published under this label: the first day of a period.
pub(super) fn as_written(column: &ColumnPolicy, label: &str) -> String {
    let Some(Floor::Period(period)) = &column.floor else {
        return label.to_owned();
    };
    let (year, part) = match period {
        Period::Year => (label, "1"),
        _ => label.rsplit_once('-').unwrap_or((label, "1")),
    };
    let month = match part.strip_prefix('Q') {
        Some(quarter) => quarter.parse().map(|own: i8| 3 * own - 2),
        None => part.parse(),
    };
    let first =
        year.parse().ok().zip(month.ok()).and_then(|(year, month)| Date::new(year, month, 1).ok());
    first.map_or(label.to_owned(), |day| day.to_string())
}
