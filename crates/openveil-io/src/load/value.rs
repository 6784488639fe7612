//! One value of a column, read by its type.

use super::dates::{self, Written, iso_date};
use super::missing::MISSING_LABEL;
use crate::policy::{ColumnPolicy, ValueType};
use jiff::Timestamp;
use jiff::civil::Date;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::num::{IntErrorKind, ParseIntError};

/// A value by its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LoadedValue {
    Missing,
    Integer(i64),
    Number(f64),
    Date(Date),
    Boolean(bool),
    Text(String),
}

impl LoadedValue {
    /// Reads one text.
    pub(super) fn parse(column: &ColumnPolicy, text: &str) -> Result<Self, String> {
        // The label of missing values may occur as a text. Both would be published as the same
        // text, so they have to be the same value.
        if text == MISSING_LABEL {
            return Ok(Self::Missing);
        }
        match column.value_type {
            ValueType::Text => Ok(Self::Text(text.to_owned())),
            ValueType::Integer => as_written(column, text, integer).map(Self::Integer),
            ValueType::Number => as_written(column, text, number).map(Self::Number),
            ValueType::Date => date(column, text).map(Self::Date),
            ValueType::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" => Ok(Self::Boolean(true)),
                "false" => Ok(Self::Boolean(false)),
                _ => Err(format!("`{text}` is neither `true` nor `false`")),
            },
        }
    }

    /// Returns the value within the column's limits: numbers beyond a limit are replaced by it.
    pub(super) fn limited(self, column: &ColumnPolicy) -> Self {
        let limit = |number: f64| {
            let number = column.top.map_or(number, |top| number.min(top));
            column.bottom.map_or(number, |bottom| number.max(bottom))
        };
        match self {
            // Limits of whole numbers are whole. Numbers within the limits stay exact.
            Self::Integer(number) if limit(number as f64) != number as f64 => {
                Self::Integer(limit(number as f64) as i64)
            }
            Self::Number(number) => Self::Number(limit(number)),
            other => other,
        }
    }

    /// Returns the text in which the value is published.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Missing => MISSING_LABEL.to_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Date(date) => date.to_string(),
            Self::Boolean(is) => is.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            // Missing values come first; no column has values of two types.
            (a, b) => (*a != Self::Missing).cmp(&(*b != Self::Missing)),
        }
    }
}

/// The number of decimal digits that an `f64` keeps in every case.
const NUMBER_DIGITS: usize = 15;

/// Reads a number; refuses one with more digits than an `f64` keeps.
pub fn number(text: &str) -> Result<f64, String> {
    let number = match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number,
        _ => return Err(format!("`{text}` is not a number")),
    };
    let digits: String = text
        .split(['e', 'E'])
        .next()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let is_long = digits.trim_matches('0').len() > NUMBER_DIGITS;
    if is_long && text != number.to_string() && !is_printed(text, number) {
        return Err(format!("`{text}` has more digits than a number can hold"));
    }
    // Adding zero makes -0 and 0 one value.
    Ok(number + 0.0)
}

/// Returns whether a text is the output of a program that prints the number with this many digits
/// after the decimal point: longer than needed, but exactly the same number.
fn is_printed(text: &str, number: f64) -> bool {
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // With an exponent: the fewest digits that give back the number, in any notation of the
    // exponent.
    let fewest = format!("{number:e}");
    let mantissa = text.split_once(['e', 'E']).map(|(mantissa, _)| mantissa);
    text == format!("{number:.decimals$}") || mantissa == fewest.split('e').next()
}

/// Reads a number; errors quote the text as it stands in the file.
fn as_written<T>(
    column: &ColumnPolicy,
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, String> {
    let plain = plain(column, text)?;
    read(&plain).map_err(|problem| problem.replacen(&*plain, text, 1))
}

/// Returns a number in the notation of programs: without signs between thousands, and with a
/// decimal point.
fn plain<'a>(column: &ColumnPolicy, text: &'a str) -> Result<Cow<'a, str>, String> {
    match column.thousands.filter(|&sign| text.contains(sign)) {
        None => with_point(column, text),
        Some(sign) => {
            let whole = undivided(text, sign).ok_or_else(|| {
                format!("`{text}` is not a number with `{sign}` between thousands")
            })?;
            Ok(Cow::Owned(with_point(column, &whole)?.into_owned()))
        }
    }
}

/// Returns a number without the signs between its thousands; none if they are elsewhere.
fn undivided(text: &str, sign: char) -> Option<String> {
    let end = text.find(['.', ',', 'e', 'E']).filter(|&at| !text[at..].starts_with(sign));
    let (whole, rest) = text.split_at(end.unwrap_or(text.len()));
    let mut groups = whole.split(sign);
    let first = groups.next()?.trim_start_matches(['-', '+']);
    let are_groups = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    (are_groups && !rest.contains(sign)).then(|| whole.replace(sign, "") + rest)
}

/// Returns a number with a decimal point.
fn with_point<'a>(column: &ColumnPolicy, text: &'a str) -> Result<Cow<'a, str>, String> {
    if !column.decimal_comma || !text.contains(['.', ',']) {
        return Ok(Cow::Borrowed(text));
    }
    let (whole, fraction) = text.split_once(',').unwrap_or((text, ""));
    let plain = if whole.contains('.') { undivided(whole, '.') } else { Some(whole.to_owned()) };
    match plain.filter(|_| !fraction.contains(['.', ','])) {
        None => Err(format!("`{text}` is not a number with a decimal comma, like 1.234,5")),
        Some(whole) if fraction.is_empty() => Ok(Cow::Owned(whole)),
        Some(whole) => Ok(Cow::Owned(format!("{whole}.{fraction}"))),
    }
}

fn integer(text: &str) -> Result<i64, String> {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    whole.parse().map_err(|cause: ParseIntError| match cause.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
            format!("`{text}` is too large for a whole number of 64 bits")
        }
        _ => format!("`{text}` is not a whole number"),
    })
}

/// Returns the day of a text. A moment in UTC falls on different days in different zones:
/// `timezone` decides which.
fn date(column: &ColumnPolicy, text: &str) -> Result<Date, String> {
    match (column.date_format.as_deref(), &column.timezone) {
        (None, Some(zone)) if text.parse::<Timestamp>().is_ok() => {
            let moment: Timestamp = text.parse().expect("it was read before");
            Ok(moment.to_zoned(zone.clone()).date())
        }
        (None, None) if column.is_zoned && text.ends_with('Z') => Err(moment_of_no_zone(text)),
        (Some(format), Some(zone)) => match dates::read(text, format) {
            Some(Written::Moment(moment)) => Ok(moment.to_zoned(zone.clone()).date()),
            _ => plain_date(text, Some(format)),
        },
        (format, _) => plain_date(text, format),
    }
}

fn plain_date(text: &str, format: Option<&str>) -> Result<Date, String> {
    match format {
        None => iso_date(text).ok_or_else(|| format!("`{text}` is not a date like 2020-03-14")),
        Some(format) => match dates::read(text, format) {
            Some(Written::Day(date)) => Ok(date),
            Some(Written::Moment(_)) => Err(moment_of_no_zone(text)),
            None => Err(format!("`{text}` is not a date of the form `{format}`")),
        },
    }
}

fn moment_of_no_zone(text: &str) -> String {
    format!("`{text}` is a point in time, and its date depends on the time zone")
}

/// Returns the published form of a text, read by the column's type.
///
/// # Errors
/// A text that the type does not allow. The error is a message.
pub(super) fn canonical(column: &ColumnPolicy, text: &str) -> Result<String, String> {
    LoadedValue::parse(column, text).map(|value| value.label())
}
