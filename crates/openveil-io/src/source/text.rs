//! Writes values of typed files as text.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Span, Timestamp};
use openveil_text::{Text, text};
use std::fmt::{Display, Write};

/// Help for a column whose values have no text form.
pub(super) fn drop_it() -> Text {
    text!("give the column the role `drop`, or convert it first")
}

pub(super) fn display(value: &impl Display, text: &mut String) {
    write!(text, "{value}").expect("writing to a string does not fail");
}

/// Appends the date of days since 1970-01-01. A day outside of the calendar stays a number: some
/// programs write one for "never", which a policy can list among `missing_values`. Reading it as a
/// date fails like any other text that is no date.
pub(super) fn push_date(text: &mut String, days: i64) {
    let span = Span::new().try_days(days);
    let date = span.and_then(|span| Date::constant(1970, 1, 1).checked_add(span));
    match date {
        Ok(date) => display(&date, text),
        Err(_) => display(&days, text),
    }
}

/// Appends a point in time as date and time, with a `Z` if it is a moment in UTC rather than a
/// local time. A point outside of the calendar is written as its number of ticks, as for dates.
pub(super) fn push_instant(
    text: &mut String,
    ticks: i64,
    since_1970: SignedDuration,
    is_moment: bool,
) {
    match Timestamp::from_duration(since_1970) {
        Ok(timestamp) => {
            display(&Offset::UTC.to_datetime(timestamp), text);
            text.push_str(if is_moment { "Z" } else { "" });
        }
        Err(_) => display(&ticks, text),
    }
}

/// Appends a time of day; a number of ticks if it is beyond a day.
pub(super) fn push_time(text: &mut String, ticks: i64, since_midnight: SignedDuration) {
    match Time::midnight().checked_add(since_midnight) {
        Ok(time) if !since_midnight.is_negative() => display(&time, text),
        _ => display(&ticks, text),
    }
}

/// Appends a whole number of units of 10^-scale.
pub(super) fn push_decimal(text: &mut String, units: i128, scale: i32) {
    let scale = scale.max(0) as usize;
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    text.push_str(if units < 0 { "-" } else { "" });
    text.push_str(whole);
    if scale > 0 {
        text.push('.');
        text.push_str(fraction);
    }
}
