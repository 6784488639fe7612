//! Dates as people and programs write them.

use crate::policy::Period;
use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use std::borrow::Cow;

/// Formats that are no patterns: numbers of days or seconds, and quarters.
const NAMED: [(&str, Named); 5] = [
    ("unix", Named::Since { shift: 0, units: 1 }),
    ("unix-ms", Named::Since { shift: 0, units: 1_000 }),
    ("spss", Named::Since { shift: SPSS_TO_UNIX, units: 1 }),
    ("excel", Named::Excel),
    ("quarter", Named::Quarter),
];

#[derive(Clone, Copy)]
enum Named {
    /// Units, so many in a second, since a moment that lies `shift` seconds before 1970.
    Since { shift: i64, units: i64 },
    /// Days, of which the first is 1 January 1900, and the 60th never was.
    Excel,
    /// `2020-Q2`, `2020Q2`, `Q2 2020`.
    Quarter,
}

/// Seconds from the start of SPSS's time, the eve of the Gregorian calendar, to that of Unix.
const SPSS_TO_UNIX: i64 = 12_219_379_200;

const DAY: i64 = 86_400;

/// Days of Excel on 1 January 1970.
const EXCEL_TO_UNIX: i64 = 25_569;

/// Beginnings of months in German, as far as English ones are spelled otherwise, and their English
/// names.
const GERMAN_MONTHS: [(&str, &str); 7] = [
    ("januar", "January"),
    ("februar", "February"),
    ("mär", "March"),
    ("mrz", "March"),
    ("mai", "May"),
    ("okt", "October"),
    ("dez", "December"),
];

/// The date of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// A day.
    Day(Date),
    /// A point in time, whose day depends on the time zone.
    Moment(Timestamp),
}

fn named(format: &str) -> Option<Named> {
    NAMED.iter().find(|(name, _)| *name == format).map(|(_, named)| *named)
}

/// Returns the period that dates of this format name; none if they name a day.
pub(crate) fn period_of(format: &str) -> Option<Period> {
    const DAYS: [&str; 8] = ["%d", "%-d", "%e", "%j", "%u", "%w", "%D", "%F"];
    const MONTHS: [&str; 5] = ["%m", "%-m", "%b", "%B", "%h"];
    let has = |signs: &[&str]| signs.iter().any(|own| format.contains(own));
    match named(format) {
        Some(Named::Quarter) => Some(Period::Quarter),
        Some(_) => None,
        None => (has(&MONTHS) && !has(&DAYS)).then_some(Period::Month),
    }
}

/// Returns whether a format is a name that is known or a pattern that reads the dates that it
/// writes, even if it contains the time of day.
pub(crate) fn is_format(format: &str) -> bool {
    let day = Date::constant(2020, 3, if period_of(format).is_some() { 1 } else { 14 });
    named(format).is_some() || read(&write(day, format), format) == Some(Written::Day(day))
}

/// Returns a date in this format.
pub(super) fn write(date: Date, format: &str) -> String {
    let days = || (date - Date::constant(1970, 1, 1)).get_days();
    match named(format) {
        Some(Named::Since { shift, units }) => {
            ((DAY * i64::from(days()) + shift) * units).to_string()
        }
        Some(Named::Excel) => (i64::from(days()) + EXCEL_TO_UNIX).to_string(),
        Some(Named::Quarter) => Period::Quarter.text(date.year(), date.month()),
        None => date
            .at(9, 30, 0, 0)
            .to_zoned(TimeZone::UTC)
            .ok()
            .and_then(|moment| jiff::fmt::strtime::format(format, &moment).ok())
            .unwrap_or_default(),
    }
}

/// Returns the date that a text denotes in this format; of a month or a quarter the first day. For
/// `%Y`, a year of fewer than four digits is refused, because 70 hardly means the year 70.
pub fn read(text: &str, format: &str) -> Option<Written> {
    let date = match named(format) {
        Some(Named::Since { shift, units }) => return since(whole(text)?, shift, units),
        Some(Named::Excel) => {
            // Up to 28 February 1900, numbers are a day ahead of their count.
            let number = whole(text).filter(|number| *number > 60)?;
            Date::constant(1970, 1, 1)
                .checked_add(Span::new().try_days(number - EXCEL_TO_UNIX).ok()?)
                .ok()?
        }
        Some(Named::Quarter) => quarter(text)?,
        None => {
            let text = in_english(text, format);
            let (text, format) = match period_of(format) {
                Some(_) => (format!("{text} 1").into(), format!("{format} %d").into()),
                None => (text, Cow::from(format)),
            };
            let date = Date::strptime(&*format, &*text).ok()?;
            let is_written = date.year() >= 1000 || text.contains(&format!("{:04}", date.year()));
            is_written.then_some(date)?
        }
    };
    Some(Written::Day(date))
}

/// Returns the day of a text in this format, if it is one.
pub fn written_date(text: &str, format: &str) -> Option<Date> {
    match read(text, format)? {
        Written::Day(date) => Some(date),
        Written::Moment(_) => None,
    }
}

/// Returns the day of an ISO date or timestamp as it is written: the clock of its own zone decides,
/// and `Z` is treated like any other offset.
pub fn iso_date(text: &str) -> Option<Date> {
    Pieces::parse(text).ok().map(|pieces| pieces.date())
}

/// Returns a whole number, also `44714.0`.
fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_suffix(".0").unwrap_or(text);
    digits.parse().ok()
}

/// Midnights are days; other seconds are moments.
fn since(number: i64, shift: i64, units: i64) -> Option<Written> {
    let parts = number.checked_sub(shift.checked_mul(units)?)?;
    let moment = Timestamp::from_millisecond(parts.checked_mul(1_000 / units)?).ok()?;
    Some(if parts % (DAY * units) == 0 {
        Written::Day(moment.to_zoned(TimeZone::UTC).date())
    } else {
        Written::Moment(moment)
    })
}

fn quarter(text: &str) -> Option<Date> {
    let (before, after) = text.split_once(['Q', 'q'])?;
    let (quarter, rest) = after.split_at_checked(1)?;
    let year = format!("{before}{rest}");
    let year = year.trim_matches([' ', '-', '/']);
    let quarter: i8 = quarter.parse().ok().filter(|own| (1..=4).contains(own))?;
    let year = year.parse().ok().filter(|_| year.len() == 4)?;
    Date::new(year, 3 * quarter - 2, 1).ok()
}

/// Returns a text with English names of months, if the format has a name.
fn in_english<'a>(text: &'a str, format: &str) -> Cow<'a, str> {
    if !["%b", "%B", "%h"].iter().any(|own| format.contains(own)) {
        return text.into();
    }
    let is_letter = |sign: char| sign.is_alphabetic();
    let Some(from) = text.find(is_letter) else { return text.into() };
    let word = &text[from..];
    let word = &word[..word.find(|sign| !is_letter(sign)).unwrap_or(word.len())];
    // Abbreviations have a point, which the format has not.
    let after = text[from + word.len()..].strip_prefix('.').unwrap_or(&text[from + word.len()..]);
    let small = word.to_lowercase();
    match GERMAN_MONTHS.iter().find(|(start, _)| small.starts_with(start)) {
        Some((_, english)) => {
            let english = if format.contains("%B") { english } else { &english[..3] };
            format!("{}{english}{after}", &text[..from]).into()
        }
        None => format!("{}{word}{after}", &text[..from]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(year: i16, month: i8, day: i8) -> Option<Date> {
        Some(Date::constant(year, month, day))
    }

    #[test]
    fn dates_are_read_as_they_are_written() {
        for (text, format, expected) in [
            ("20200418", "%Y%m%d", day(2020, 4, 18)),
            ("2020-04", "%Y-%m", day(2020, 4, 1)),
            ("04/2020", "%m/%Y", day(2020, 4, 1)),
            ("2020-W16-6", "%G-W%V-%u", day(2020, 4, 18)),
            ("18. Apr 2020", "%d. %b %Y", day(2020, 4, 18)),
            ("2. Mai 2022", "%d. %b %Y", day(2022, 5, 2)),
            ("27. Feb. 2020", "%d. %b %Y", day(2020, 2, 27)),
            ("3. März 2020", "%d. %B %Y", day(2020, 3, 3)),
            ("3. Mär 2020", "%d. %b %Y", day(2020, 3, 3)),
            ("3. Januar 2020", "%d. %B %Y", day(2020, 1, 3)),
            ("24. Dezember 2020", "%d. %b %Y", day(2020, 12, 24)),
            ("1587168000", "unix", day(2020, 4, 18)),
            ("1587168000000", "unix-ms", day(2020, 4, 18)),
            ("13806547200", "spss", day(2020, 4, 18)),
            ("43939", "excel", day(2020, 4, 18)),
            ("43939.0", "excel", day(2020, 4, 18)),
            ("61", "excel", day(1900, 3, 1)),
            ("60", "excel", None),
            ("2020-Q2", "quarter", day(2020, 4, 1)),
            ("2020Q2", "quarter", day(2020, 4, 1)),
            ("Q2 2020", "quarter", day(2020, 4, 1)),
            ("2020-Q5", "quarter", None),
            ("70-01-01", "%Y-%m-%d", None),
        ] {
            let found = written_date(text, format);
            assert_eq!(found, expected, "{text} as {format}");
            if let Some(date) = found {
                assert_eq!(written_date(&write(date, format), format), Some(date), "{format}");
            }
        }
        assert!(matches!(read("1587168001", "unix"), Some(Written::Moment(_))));
    }

    #[test]
    fn formats_are_names_or_patterns_with_a_date() {
        for format in
            ["%d.%m.%Y", "%Y-%m", "%b %Y", "unix", "quarter", "%Y-%m-%dT%H:%M", "%G-W%V-%u"]
        {
            assert!(is_format(format), "{format}");
        }
        for format in ["", "d.m.Y", "%Y", "%H:%M", "unix-days"] {
            assert!(!is_format(format), "{format}");
        }
        assert_eq!(period_of("%m/%Y"), Some(Period::Month));
        assert_eq!(period_of("quarter"), Some(Period::Quarter));
        assert_eq!(period_of("%d %b %Y"), None);
    }
}
