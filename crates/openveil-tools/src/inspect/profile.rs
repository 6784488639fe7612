//! The contents of a column.

use super::{is_missing, types};
use openveil_io::load::merged_counts;
use openveil_io::policy::{Role, ValueType, us_zip_area};
use openveil_io::source::{RawColumn, Unusable};
use openveil_text::Text;

/// The findings about a column.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ColumnProfile {
    /// The column's name.
    pub name: String,
    /// Its label in the codebook, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The guessed type: `integer`, `number`, `date` or `text`; or `unusable`.
    #[serde(rename = "type")]
    pub value_type: &'static str,
    /// The format of dates, if not ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_format: Option<&'static str>,
    /// Whether days and months could be the other way round.
    #[serde(skip)]
    pub(super) is_ambiguous: bool,
    /// The sign between its thousands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thousands: Option<char>,
    /// The format of dates that its numbers may be.
    #[serde(skip)]
    pub(super) may_be_dates: Option<&'static str>,
    /// Whether its numbers have a decimal comma.
    #[serde(skip)]
    pub(super) decimal_comma: bool,
    /// Distinct values, missing ones not counted.
    pub distinct: usize,
    /// Share of rows with a unique value.
    pub unique_share: f64,
    /// Rows without a value.
    pub missing: usize,
    /// Texts that seem to stand for a missing value.
    pub missing_values: Vec<String>,
    /// The most frequent value.
    pub top_value: String,
    /// Its share of the rows that have a value.
    pub top_share: f64,
    /// Its rare texts, if it has some beside others.
    #[serde(skip)]
    pub(super) rare: Option<RareTexts>,
    /// The distribution of its rows, for a small picture: over equal parts of the range for
    /// numbers, else over the most frequent values; twelve at most.
    #[serde(skip)]
    pub bars: Vec<usize>,
    /// The largest l that is possible if the column is sensitive, if any.
    pub largest_l: Option<u32>,
    /// Whether some of its texts read alike, as `flu` and `Flu` do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_spellings: bool,
    /// The guessed role, for the user to correct.
    pub guessed_role: &'static str,
    /// The reason for this role.
    pub reason: Text,
    /// Whether its name or its values say of what it is.
    #[serde(skip)]
    pub(super) is_told: bool,
    /// Whether it numbers households.
    #[serde(skip)]
    pub(super) is_household: bool,
    /// Its kind of identifier in HIPAA's Safe Harbor, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe_harbor: Option<&'static str>,
    /// Whether all values are moments in UTC, whose day depends on the time zone.
    #[serde(skip)]
    pub(super) are_moments: bool,
    /// Whether all values look like ZIP codes of the United States.
    #[serde(skip)]
    pub(super) is_us_zip: bool,
    /// The reason if the column cannot be read; it can then only be dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<Text>,
}

/// Returns the profile of a column that cannot be read.
pub(super) fn unread(column: &Unusable) -> ColumnProfile {
    ColumnProfile {
        name: column.column.clone(),
        label: None,
        value_type: "unusable",
        date_format: None,
        is_ambiguous: false,
        thousands: None,
        may_be_dates: None,
        decimal_comma: false,
        distinct: 0,
        unique_share: 0.0,
        missing: 0,
        missing_values: Vec::new(),
        top_value: String::new(),
        top_share: 0.0,
        rare: None,
        bars: Vec::new(),
        largest_l: None,
        has_spellings: false,
        guessed_role: Role::Drop.name(),
        is_told: false,
        is_household: false,
        reason: column.reason.clone(),
        safe_harbor: None,
        are_moments: false,
        is_us_zip: false,
        unusable: Some(column.reason.clone()),
    }
}

/// The most bars in a small picture of a column.
pub const BARS: usize = 12;

/// Returns the distribution of rows over a column's values.
fn bars<'a>(present: impl Iterator<Item = (&'a str, &'a usize)>) -> Vec<usize> {
    let present: Vec<(&str, &usize)> = present.collect();
    let numbers: Option<Vec<(f64, usize)>> = present
        .iter()
        .map(|(text, count)| Some((text.parse().ok().filter(|n: &f64| n.is_finite())?, **count)))
        .collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() > BARS) else {
        let mut counts: Vec<usize> = present.iter().map(|(_, count)| **count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts.truncate(BARS);
        return counts;
    };
    let least = numbers.iter().map(|own| own.0).fold(f64::INFINITY, f64::min);
    let most = numbers.iter().map(|own| own.0).fold(f64::NEG_INFINITY, f64::max);
    let mut bars = vec![0; BARS];
    for (number, count) in numbers {
        let part = (number - least) / (most - least) * BARS as f64;
        bars[(part as usize).min(BARS - 1)] += count;
    }
    bars
}

/// Profiles a column; its role is guessed later. O(rows).
pub(super) fn profile(column: &RawColumn) -> ColumnProfile {
    let mut counts = vec![0usize; column.values.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    let written = types::guess(column);
    let texts = || column.values.iter().zip(&counts);
    let present = || texts().filter(|(text, _)| !is_missing(text));
    let rows: usize = present().map(|(_, &count)| count).sum();
    let top = present().max_by_key(|(_, count)| **count);
    let (top_value, top_count) =
        top.map_or((String::new(), 0), |(text, &count)| (text.to_owned(), count));
    let unique = present().filter(|(_, count)| **count == 1).count();
    let distinct = present().count();
    // In the sensitive column, missing counts as one more value.
    let missing = column.codes.len() - rows;
    let merged = match written.value_type {
        ValueType::Text => merged_counts(present().map(|(text, &count)| (text, count))),
        _ => None,
    };
    let (values, most) = match &merged {
        Some(rows) => (rows.len(), rows.iter().copied().max().unwrap_or(0)),
        None => (distinct, top_count),
    };
    let values = values + usize::from(missing > 0);
    let most = most.max(missing);
    let largest = column.codes.len().checked_div(most).unwrap_or(0).min(values) as u32;
    ColumnProfile {
        name: column.name.clone(),
        label: None,
        value_type: written.value_type.name(),
        date_format: written.date_format,
        is_ambiguous: written.is_ambiguous,
        thousands: written.thousands,
        may_be_dates: written.may_be_dates,
        decimal_comma: written.decimal_comma,
        distinct,
        unique_share: unique as f64 / column.codes.len().max(1) as f64,
        missing,
        missing_values: texts()
            .map(|(text, _)| text.to_owned())
            .filter(|text| is_missing(text) && !text.is_empty())
            .collect(),
        top_value,
        top_share: top_count as f64 / rows.max(1) as f64,
        rare: match written.value_type {
            ValueType::Text => rare(present()),
            _ => None,
        },
        bars: bars(present()),
        largest_l: (largest >= 2).then_some(largest),
        has_spellings: merged.is_some(),
        guessed_role: Role::Drop.name(),
        is_told: false,
        is_household: false,
        reason: Text::default(),
        safe_harbor: None,
        are_moments: written.value_type == ValueType::Date
            && present().all(|(text, _)| text.ends_with('Z')),
        is_us_zip: is_us_zip(column),
        unusable: None,
    }
}

/// The number of rows below which a text is rare.
pub(super) const RARE: usize = 10;

/// Texts that few people have.
#[derive(Debug, Clone)]
pub(super) struct RareTexts {
    /// The rare texts, and as many of the next rarest as make up [`RARE`] rows together.
    pub(super) joined: Vec<String>,
    /// All others.
    pub(super) left: Vec<String>,
}

/// Returns the rare texts; none if no text is rare, or nothing else is left. O(texts · log texts).
fn rare<'a>(present: impl Iterator<Item = (&'a str, &'a usize)>) -> Option<RareTexts> {
    let mut counts: Vec<(usize, &str)> = present.map(|(text, &count)| (count, text)).collect();
    counts.sort_unstable();
    if counts.first().is_none_or(|(count, _)| *count >= RARE) {
        return None;
    }
    let mut rows = 0;
    let joined = counts.iter().take_while(|(count, _)| {
        let is_joined = *count < RARE || rows < RARE;
        rows += count;
        is_joined
    });
    let (joined, left) = counts.split_at(joined.count());
    let texts = |some: &[(usize, &str)]| some.iter().map(|(_, text)| (*text).to_owned()).collect();
    (!left.is_empty()).then(|| RareTexts { joined: texts(joined), left: texts(left) })
}

/// Whether all present values have five digits, or nine with a hyphen.
fn is_us_zip(column: &RawColumn) -> bool {
    let mut present = column.values.iter().filter(|text| !is_missing(text)).peekable();
    present.peek().is_some() && present.all(|text| text.len() >= 5 && us_zip_area(text).is_some())
}
