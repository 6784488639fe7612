//! Reads the distinct values of a column by their type.

use super::dates::{self, Written};
use super::floor::AppliedFloor;
use super::missing::is_missing;
use super::value::LoadedValue;
use crate::policy::{ColumnPolicy, Floor, Policy, ValueType};
use crate::source::{RawColumn, RawTable};
use crate::{Error, Location};
use openveil_text::text;
use rayon::prelude::*;

/// The values of a column in order, and the position in it of each value of its dictionary.
pub(super) struct ReadValues {
    labels: Vec<String>,
    values: Vec<LoadedValue>,
    ranks: Vec<u32>,
    ordered: bool,
}

impl ReadValues {
    /// The rank of a value that no row holds any more.
    pub(super) const UNUSED: u32 = u32::MAX;

    /// Reads a column's dictionary. Skips values whose rows were all left out.
    pub(super) fn new(
        policy: &Policy,
        column: &ColumnPolicy,
        raw: &RawTable,
        raw_column: &RawColumn,
    ) -> Result<Self, Error> {
        let floor = AppliedFloor::new(policy, column, &raw_column.name)?;
        let counts = raw_column.counts();
        let mut values: Vec<(LoadedValue, u32)> = Vec::new();
        for (code, text) in
            raw_column.values.iter().enumerate().filter(|(code, _)| counts[*code] > 0)
        {
            let code = code as u32;
            let value = if is_missing(policy, &raw_column.name, text) {
                LoadedValue::Missing
            } else {
                let value = LoadedValue::parse(column, text);
                let value = value.and_then(|value| floor.bring(value));
                value.map_err(|problem| {
                    bad_value(raw.place_of(raw_column, code), text, problem, column)
                        .with_rows(raw.rows_with(raw_column, |own| own == code))
                })?
            };
            values.push((value.limited(column), code));
        }
        values.sort_by(|(a, _), (b, _)| a.compare(b));
        let mut ranks = vec![Self::UNUSED; raw_column.values.len()];
        let mut distinct: Vec<LoadedValue> = Vec::new();
        for (value, code) in values {
            if distinct.last() != Some(&value) {
                distinct.push(value);
            }
            ranks[code as usize] = distinct.len() as u32 - 1;
        }
        Ok(Self {
            labels: distinct.iter().map(LoadedValue::label).collect(),
            values: distinct,
            ranks,
            ordered: column.value_type.is_ordered()
                && !matches!(column.floor, Some(Floor::Level(_))),
        })
    }

    /// Returns the published text of each value, in order.
    pub(super) fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Returns the values in order.
    pub(super) fn values(&self) -> &[LoadedValue] {
        &self.values
    }

    /// Returns the position in the order of each value of the dictionary.
    pub(super) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Returns whether the values have a natural order.
    pub(super) fn is_ordered(&self) -> bool {
        self.ordered
    }
}

fn bad_value(place: Location, text: &str, problem: String, column: &ColumnPolicy) -> Error {
    // A comma where a point is expected: `12,5` or `1.234,5`.
    let mut digits = text.bytes().filter(|byte| !b".,-".contains(byte)).peekable();
    let has_comma =
        text.contains(',') && digits.peek().is_some() && digits.all(|byte| byte.is_ascii_digit());
    let is_written_as_moment =
        |format| matches!(dates::read(text, format), Some(Written::Moment(_)));
    let is_moment =
        column.is_zoned || column.date_format.as_deref().is_some_and(is_written_as_moment);
    let error = Error::new(place, problem);
    match column.value_type {
        ValueType::Integer | ValueType::Number if has_comma && !column.decimal_comma => error.help(
            text!("if the comma is the decimal separator, set `decimal = \",\"` under [input]; numbers with decimals need `type = \"number\"`"),
        ),
        ValueType::Date if column.date_format.as_deref().is_some_and(|own| own.contains("%Y")) => error.help(
            text!("correct the value, list it under [input] as `missing_values = [...]`, or correct `format`: `%Y` is a year of four digits; `%y` is a year of two digits, where 69 to 99 mean 1969 to 1999 and 00 to 68 mean 2000 to 2068"),
        ),
        ValueType::Date if is_moment && column.timezone.is_none() => error.help(
            text!("under [input], name the time zone, for example `timezone = \"America/New_York\"` or `timezone = \"UTC\"`"),
        ),
        ValueType::Date => error.help(
            text!("give the date format, for example `format = \"%d.%m.%Y\"` (the default reads 2020-03-14 and 2020-03-14T09:30:00Z), or list the value under [input] as `missing_values = [...]`"),
        ),
        _ => error.help(
            text!("correct the value, list it under [input] as `missing_values = [...]`, or read the column as `type = \"text\"`"),
        ),
    }
}

/// Replaces every code by its entry in `code_of`, in parallel.
pub fn recode(mut codes: Vec<u32>, code_of: &[u32]) -> Vec<u32> {
    codes
        .par_chunks_mut(1 << 16)
        .for_each(|chunk| chunk.iter_mut().for_each(|code| *code = code_of[*code as usize]));
    codes
}
