//! The types of a column's values: whole numbers, numbers, dates or text.

use super::is_missing;
use openveil_io::load::{iso_date, number, read_date, written_date};
use openveil_io::policy::ValueType;
use openveil_io::source::RawColumn;

/// Date formats other than `2020-03-14`, and the shortest text of each; if two fit, the first is
/// taken.
const DATE_FORMATS: [(&str, usize); 21] = [
    ("%d.%m.%Y", 8),
    ("%d/%m/%Y", 8),
    ("%m/%d/%Y", 8),
    ("%d-%m-%Y", 8),
    ("%m-%d-%Y", 8),
    ("%Y/%m/%d", 8),
    ("%d %b %Y", 8),
    ("%d. %b %Y", 8),
    ("%d. %B %Y", 8),
    ("%d %B %Y", 8),
    ("%B %d, %Y", 8),
    ("%G-W%V-%u", 10),
    ("%Y-%m", 6),
    ("quarter", 6),
    // `1/2/21` is a date, `1.2.3` is not.
    ("%d.%m.%y", 6),
    ("%d/%m/%y", 6),
    ("%m/%d/%y", 6),
    ("%d-%m-%y", 6),
    ("%m-%d-%y", 6),
    ("%y-%m-%d", 6),
    ("%m/%Y", 6),
];

/// Formats of dates that are whole numbers, with the least and the greatest number from 1950 to
/// 2049 (people in dates of the calendar may be older), and whether every number of the range may also be something else.
const NUMBERED_DATES: [(&str, i64, i64, bool); 5] = [
    ("%Y%m%d", 18_500_101, 20_491_231, false),
    ("unix", -631_152_000, 2_524_521_600, true),
    ("unix-ms", -631_152_000_000, 2_524_521_600_000, true),
    ("spss", 11_588_227_200, 14_743_900_800, true),
    ("excel", 18_264, 54_788, true),
];

/// The first second of 1990.
const YEAR_1990: i64 = 631_152_000;

/// Distinct dates that show that whole numbers are dates.
const LEAST_DATES: usize = 3;

/// Signs between thousands that have no other meaning in numbers; two of them are blanks that do not
/// break.
const CLEAR_THOUSANDS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '’', '\''];

/// The most distinct texts that may be slips in a column of another type.
const MOST_SLIPS: usize = 3;

/// The type of values, and their written form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrittenType {
    pub(super) value_type: ValueType,
    /// The pattern of dates that are not in ISO 8601.
    pub(super) date_format: Option<&'static str>,
    /// Whether its numbers need a decimal comma to be numbers.
    pub(super) decimal_comma: bool,
    /// The sign between its thousands, if it can be nothing else.
    pub(super) thousands: Option<char>,
    /// The format of dates that its numbers may be.
    pub(super) may_be_dates: Option<&'static str>,
    /// Whether days and months could be the other way round.
    pub(super) is_ambiguous: bool,
}

impl WrittenType {
    const fn plain(value_type: ValueType) -> Self {
        Self {
            value_type,
            date_format: None,
            decimal_comma: false,
            thousands: None,
            may_be_dates: None,
            is_ambiguous: false,
        }
    }
}

/// Guesses the type from all present values. O(distinct values).
pub(super) fn guess(column: &RawColumn) -> WrittenType {
    let present = || column.values.iter().filter(|text| !is_missing(text));
    if present().next().is_none() {
        return WrittenType::plain(ValueType::Text);
    }
    let all = |fits: &dyn Fn(&str) -> bool| present().all(fits);
    if all(&|text| ["true", "false"].contains(&&*text.to_ascii_lowercase())) {
        return WrittenType::plain(ValueType::Boolean);
    }
    if all(&is_whole) {
        let found = numbered(column);
        return match found {
            Some(NumberedDates { format, is_sure: true }) => {
                WrittenType { date_format: Some(format), ..WrittenType::plain(ValueType::Date) }
            }
            _ => WrittenType {
                may_be_dates: found.map(|found| found.format),
                ..WrittenType::plain(ValueType::Integer)
            },
        };
    }
    if all(&is_number) {
        return WrittenType::plain(ValueType::Number);
    }
    if all(&|text| is_number(text) && !text.contains('.') || is_comma_number(text)) {
        return WrittenType { decimal_comma: true, ..WrittenType::plain(ValueType::Number) };
    }
    if let Some(sign) = CLEAR_THOUSANDS.into_iter().find(|sign| {
        present().any(|text| text.contains(*sign))
            && all(&|text| may_have_thousands(unsigned(text), *sign))
    }) {
        return WrittenType { thousands: Some(sign), ..WrittenType::plain(ValueType::Integer) };
    }
    if all(&|text| iso_date(text).is_some()) {
        return WrittenType::plain(ValueType::Date);
    }
    let mut formats = DATE_FORMATS
        .into_iter()
        .filter(|(format, shortest)| {
            all(&|text| text.len() >= *shortest && written_date(text, format).is_some())
        })
        .map(|(format, _)| format);
    let Some(format) = formats.next() else {
        return WrittenType::plain(ValueType::Text);
    };
    let differs =
        |other| present().any(|text| written_date(text, other) != written_date(text, format));
    WrittenType {
        date_format: Some(format),
        is_ambiguous: formats.any(differs),
        ..WrittenType::plain(ValueType::Date)
    }
}

/// Dates that are written as whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NumberedDates {
    format: &'static str,
    /// Whether the numbers can hardly be anything else: days of a calendar, or midnights.
    is_sure: bool,
}

/// Returns the format of dates that the whole numbers of a column may be. O(distinct values).
fn numbered(column: &RawColumn) -> Option<NumberedDates> {
    let texts = || column.values.iter().filter(|text| !is_missing(text));
    let number = |text: &str| text.strip_suffix(".0").unwrap_or(text).parse::<i64>().ok();
    let numbers: Vec<i64> = texts().map(number).collect::<Option<_>>()?;
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    if numbers.len() < LEAST_DATES {
        return None;
    }
    // Numbers up to 100,000,000 are seconds of 1970 to 1973, or anything.
    let is_large = least > 100_000_000;
    NUMBERED_DATES.into_iter().find_map(|(format, from, to, may_be_other)| {
        let fits = (from..=to).contains(&least)
            && most <= to
            && texts().all(|text| read_date(text, format).is_some());
        let is_likely = match format {
            // Amounts of money are rounder than chance makes them.
            "excel" => {
                let round = numbers.iter().filter(|number| *number % 5 == 0).count();
                numbers.len() >= 20 && 10 * round < 4 * numbers.len()
            }
            "unix" => least > YEAR_1990,
            "unix-ms" => least > 1_000 * YEAR_1990,
            _ => true,
        };
        let is_sure = !may_be_other
            || is_large && is_likely && texts().all(|text| written_date(text, format).is_some());
        (fits && is_likely).then_some(NumberedDates { format, is_sure })
    })
}

/// Returns the type of nearly all values of a text column, and a value that does not fit: a slip of
/// the pen, or a word for a missing value. `rows_of[code]` is the number of rows with each text.
/// O(distinct values).
pub(super) fn nearly(column: &RawColumn, rows_of: &[u32]) -> Option<(&'static str, u32)> {
    type Kind = (&'static str, fn(&str) -> bool);
    const KINDS: [Kind; 4] = [
        ("whole numbers", is_whole),
        ("numbers", is_number),
        ("numbers", |text| is_whole(text) || is_comma_number(text)),
        ("dates", is_date),
    ];
    let present = || {
        (0..)
            .zip(column.values.iter().zip(rows_of))
            .filter(|(_, (text, rows))| **rows > 0 && !is_missing(text))
    };
    let all: u64 = present().map(|(_, (_, &rows))| u64::from(rows)).sum();
    KINDS.into_iter().find_map(|(what, fits)| {
        let others = || present().filter(|(_, (text, _))| !fits(text));
        let (first, (text, _)) = others().next()?;
        let rows: u64 = others().map(|(_, (_, &rows))| u64::from(rows)).sum();
        // Codes with leading zeros are not slips.
        let is_code = text.bytes().all(|byte| byte.is_ascii_digit());
        let are_few = others().count() <= MOST_SLIPS && 20 * rows <= all;
        (are_few && !is_code).then_some((what, first))
    })
}

fn is_whole(text: &str) -> bool {
    let digits = text.strip_suffix(".0").unwrap_or(text);
    // Codes such as `00123` would lose their zeros as numbers.
    digits.parse::<i64>().is_ok_and(|number| number.to_string() == digits)
}

fn is_date(text: &str) -> bool {
    let mut formats = DATE_FORMATS.into_iter();
    iso_date(text).is_some() || formats.any(|(format, _)| written_date(text, format).is_some())
}

/// Whether a text is a number, and not a code such as `007`.
fn is_number(text: &str) -> bool {
    let digits = unsigned(text);
    let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    !is_code && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && number(text).is_ok()
}

/// `12,5`, `-0,75`, `1.234,5`.
fn is_comma_number(text: &str) -> bool {
    let digits = unsigned(text);
    digits.split_once(',').is_some_and(|(whole, fraction)| {
        are_digits(fraction) && (are_digits(whole) || may_have_thousands(whole, '.'))
    })
}

/// Whether digits may contain separators of thousands: `6,900`, `1,234,567`, or `12`, which needs
/// none.
fn may_have_thousands(digits: &str, sign: char) -> bool {
    let mut groups = digits.split(sign);
    let first = groups.next().unwrap_or("");
    let is_number = are_digits(first) && (!first.starts_with('0') || digits == "0");
    is_number && first.len() <= 3 && groups.all(|group| group.len() == 3 && are_digits(group))
}

/// Returns the text without a leading minus.
fn unsigned(text: &str) -> &str {
    text.strip_prefix('-').unwrap_or(text)
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the sign that may separate thousands in all numbers of a column, and a value with it.
/// Only columns with large enough numbers are considered. O(distinct values).
pub(super) fn thousands(column: &RawColumn) -> Option<(char, &str)> {
    let present = || column.values.iter().filter(|text| !is_missing(text));
    [',', '.'].into_iter().find_map(|sign| {
        let divided = present().find(|text| text.contains(sign))?;
        let all = present().all(|text| may_have_thousands(unsigned(text), sign));
        // Numbers below ten with three decimals are probably grades and the like.
        (all && present().any(|text| {
            unsigned(text).find(sign).is_none_or(|at| at > 1) || text.matches(sign).count() > 1
        }))
        .then_some((sign, divided))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_io::source::{Dictionary, FirstSeen};

    fn guessed(texts: &[&str]) -> WrittenType {
        guess(&column(texts))
    }

    fn column(texts: &[&str]) -> RawColumn {
        let mut values = Dictionary::default();
        for text in texts {
            values.intern(text.as_bytes(), || FirstSeen { file: 0, line: 0 }).unwrap();
        }
        RawColumn { values, ..RawColumn::named("x") }
    }

    #[test]
    fn what_may_be_thousands_is_told_from_decimals() {
        for (texts, expected) in [
            (&["6,900", "12,500", "850", "?"][..], Some((',', "6,900"))),
            (&["-1.234.567", "0"], Some(('.', "-1.234.567"))),
            (&["6,900", "1200"], None),
            (&["6,900", "7,5"], None),
            (&["0,125", "16,900"], None),
            (&["2.986", "3.125"], None),
            (&["2.986", "12"], Some(('.', "2.986"))),
            (&["6,900", "6.900"], None),
            (&["850", "900"], None),
            (&["", "NA"], None),
        ] {
            assert_eq!(thousands(&column(texts)), expected, "{texts:?}");
        }
    }

    #[test]
    fn types_are_told_by_all_values() {
        use ValueType::{Date, Integer, Number, Text};
        for (texts, expected) in [
            (&["1", "2.0", "-3"][..], Integer),
            (&["1", "2.5", "?", ""], Number),
            (&["0.5", "-0.25", "1e-3"], Number),
            (&["007", "123"], Text),
            (&["1,5", "2", "1.234,75"], Number),
            (&["1,5", "2.5"], Text),
            (&["1,2,3"], Text),
            (&["--1.234,5", "2"], Text),
            (&["2020-03-14", "2020-03-14T09:30:00Z", "2020-03-14T09:30:00+01:00"], Date),
            (&["14.03.2020", "01.02.2021"], Date),
            (&["", "NA"], Text),
            (&["inf", "nan"], Text),
            (&["0.12345678901234567", "0.5"], Text),
        ] {
            assert_eq!(guessed(texts).value_type, expected, "{texts:?}");
        }
        assert!(guessed(&["1,5", "2"]).decimal_comma);
        let american = guessed(&["03/14/2020", "01/02/2021"]);
        assert_eq!((american.date_format, american.is_ambiguous), (Some("%m/%d/%Y"), false));
        let short = guessed(&["27/08/70", "01/02/21"]);
        assert_eq!((short.date_format, short.is_ambiguous), (Some("%d/%m/%y"), false));
        for (texts, format) in [
            (&["20200418", "20191231", "20200229"][..], "%Y%m%d"),
            (&["2020-04", "2019-12"], "%Y-%m"),
            (&["2020-W16-6", "2019-W01-1"], "%G-W%V-%u"),
            (&["18. Apr 2020", "2. Mai 2022"], "%d. %b %Y"),
            (&["2020-Q2", "2019-Q4"], "quarter"),
            (&["1587168000", "1654128000", "1582761600"], "unix"),
            (&["13806547200", "13873507200", "13802140800"], "spss"),
        ] {
            let guessed = guessed(texts);
            assert_eq!(guessed.date_format, Some(format), "{texts:?}");
            assert!(!guessed.is_ambiguous, "{texts:?}");
        }
        for texts in [
            &["20200418", "20191331", "20200229"][..],
            &["43939", "44714", "43888"],
            &["0", "86400", "172800"],
        ] {
            assert_eq!(guessed(texts).value_type, Integer, "{texts:?}");
        }
        let swiss = guessed(&["1’234", "-12’345’678", "850"]);
        assert_eq!((swiss.value_type, swiss.thousands), (Integer, Some('’')));
        assert_eq!(guessed(&["1 234", "12 34"]).value_type, Text);
        let either = guessed(&["03/04/2020", "01/02/2021"]);
        assert_eq!((either.date_format, either.is_ambiguous), (Some("%d/%m/%Y"), true));
    }
}
