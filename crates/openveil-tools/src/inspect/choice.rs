//! Chooses the column that a starter policy protects, and how.

use super::names::speaks_of;
use super::roles::{FACTS, words};
use super::words::{KNOWN, SECRET};
use super::{ColumnProfile, is_missing};
use openveil_io::load::{MISSING_LABEL, first_alike, parts_of};
use openveil_io::policy::Role;
use openveil_io::source::{RawColumn, RawTable};
use openveil_papers::algorithm::cover::MAX_QUASI_IDENTIFIERS;
use openveil_text::{Text, text};
use std::collections::BTreeMap;

/// The default `l`, if more is possible.
const USUAL_L: u32 = 4;

/// The number of distinct numbers from which a column is published in ranges.
const MANY_NUMBERS: usize = 50;

/// The number of ranges, with equally many rows each.
const QUANTILES: u32 = 10;

/// The largest share of rows that may be left out because of missing values.
const TOO_MANY: f64 = 0.05;

/// The contents of a starter policy apart from the roles.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Choice {
    /// The column to protect.
    pub sensitive: String,
    /// The reason for this column.
    pub reason: Text,
    /// The `l` of ratio l-diversity.
    pub l: u32,
    /// The largest that is possible.
    pub largest_l: u32,
    /// A value that is too frequent to be protected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exempt: Option<String>,
    /// The number of ranges into which numbers are divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<u32>,
    /// `drop-rows` or `keep`, if values are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<&'static str>,
}

/// Returns an l below the largest possible one, if there is one, and at most the usual one. At the
/// largest, groups are large, and a few rows more or less make it impossible.
pub(super) fn with_slack(largest: u32, usual: u32) -> u32 {
    usual.min(largest.saturating_sub(1)).max(2)
}

/// Chooses a column to protect, and makes it the sensitive column if there is none. O(rows ·
/// columns).
pub(super) fn choose(columns: &mut [ColumnProfile], raw: &RawTable) -> Option<Choice> {
    let mut known = published_known(columns);
    let others =
        (0..columns.len()).filter(|&index| columns[index].guessed_role == Role::Other.name());
    known.extend(others);
    let complete = complete_rows(&known, raw);
    let left = complete.iter().filter(|&&is| is).count();
    let drops = raw.rows - left;
    // An undecided column may become one whose missing values leave rows out, which would make the
    // l of the starter impossible.
    let is_asked = columns
        .iter()
        .filter(|column| column.guessed_role == Role::Undecided.name())
        .any(|column| column.missing > 0);
    let keep = is_asked || drops as f64 > TOO_MANY * raw.rows as f64;
    let rows = (!keep).then_some(&complete[..]);
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        if column.guessed_role == Role::Sensitive.name() {
            let subject = speaks_of(&words(column), &SECRET);
            let rank = SECRET.iter().position(|own| Some(own.what) == subject);
            candidates.push((rank.unwrap_or(SECRET.len()), index));
        }
    }
    candidates.sort_unstable();
    let lacks = |column: &ColumnProfile| column.missing > 0;
    let of = |&(rank, index): &(usize, usize)| {
        // If the column itself has missing values, they are kept, and so is every row.
        let rows = rows.filter(|_| !lacks(&columns[index]));
        let possible = possible(&columns[index], &raw.columns[index], rows)?;
        Some((rank, index, possible))
    };
    let candidates: Vec<(usize, usize, Possible)> = candidates.iter().filter_map(of).collect();
    // Columns whose names or values suggest a secret come first, among them the ones that can be protected
    // well.
    let found = candidates
        .into_iter()
        .min_by_key(|(rank, index, possible)| {
            let is_told = columns[*index].is_told;
            let is_whole = possible.exempt.is_none();
            (!is_told, !is_whole, possible.largest_l < 3, *rank)
        })
        .map(|(_, index, possible)| (index, possible));
    let (index, found) = match found {
        Some(found) => found,
        None => {
            let (index, found) = widest(columns, raw, rows)?;
            let column = &mut columns[index];
            column.guessed_role = Role::Sensitive.name();
            column.reason = text!(
                "no column looks secret; this one has enough different values to be protected"
            );
            (index, found)
        }
    };
    let missing = if lacks(&columns[index]) || keep {
        Some("keep")
    } else {
        known.iter().any(|&known| known != index && lacks(&columns[known])).then_some("drop-rows")
    };
    Some(Choice {
        sensitive: columns[index].name.clone(),
        reason: columns[index].reason.clone(),
        l: with_slack(found.largest_l, USUAL_L),
        largest_l: found.largest_l,
        exempt: found.exempt,
        quantiles: found.quantiles,
        missing,
    })
}

/// Returns the columns that are published as known, limited to the possible number.
pub(super) fn published_known(columns: &[ColumnProfile]) -> Vec<usize> {
    columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.guessed_role == Role::QuasiIdentifier.name())
        .map(|(index, _)| index)
        .take(MAX_QUASI_IDENTIFIERS)
        .collect()
}

/// Returns which rows have a value in all of these columns.
fn complete_rows(known: &[usize], raw: &RawTable) -> Vec<bool> {
    let mut complete = vec![true; raw.rows];
    for &index in known {
        let column = &raw.columns[index];
        let missing: Vec<bool> = column.values.iter().map(is_missing).collect();
        if missing.contains(&true) {
            complete
                .iter_mut()
                .zip(&column.codes)
                .for_each(|(complete, &code)| *complete &= !missing[code as usize]);
        }
    }
    complete
}

/// How a column can be protected.
struct Possible {
    largest_l: u32,
    exempt: Option<String>,
    quantiles: Option<u32>,
}

/// Returns how a column can be protected in these rows: unchanged, with numbers in ranges, or all
/// values but the most frequent one.
fn possible(
    profile: &ColumnProfile,
    column: &RawColumn,
    rows: Option<&[bool]>,
) -> Option<Possible> {
    let mut counts = vec![0u64; column.values.len()];
    let kept = |row: usize| rows.is_none_or(|rows| rows[row]);
    column
        .codes
        .iter()
        .enumerate()
        .filter(|(row, _)| kept(*row))
        .for_each(|(_, &code)| counts[code as usize] += 1);
    // All texts for a missing value count as one value, and so do texts that denote the same
    // number.
    let is_number = ["integer", "number"].contains(&profile.value_type);
    let mut rows_of: BTreeMap<String, u64> = BTreeMap::new();
    let texts: Vec<&str> = column.values.iter().collect();
    let first = if profile.has_spellings { first_alike(&texts) } else { Vec::new() };
    for (at, (text, &count)) in texts.iter().zip(&counts).enumerate() {
        if count == 0 {
            continue;
        }
        let plain = profile.thousands.map_or((*text).to_owned(), |sign| text.replace(sign, ""));
        let published = match plain.replace(',', ".").parse::<f64>() {
            _ if is_missing(text) => MISSING_LABEL.to_owned(),
            Ok(number) if is_number => (number + 0.0).to_string(),
            _ if profile.has_spellings => texts[first[at]].to_owned(),
            _ => (*text).to_owned(),
        };
        *rows_of.entry(published).or_default() += count;
    }
    let mut values: Vec<(u64, String)> =
        rows_of.into_iter().map(|(text, rows)| (rows, text)).collect();
    values.sort_unstable_by(|a, b| b.cmp(a));
    let all: u64 = values.iter().map(|(count, _)| count).sum();
    let largest = |most: u64| all.checked_div(most).unwrap_or(0) as u32;
    let most = values.first()?.0;
    if is_number && profile.distinct > MANY_NUMBERS {
        let parts = in_parts(&values);
        let largest_l = largest(parts.iter().copied().max()?);
        return (largest_l >= 2).then_some(Possible {
            largest_l,
            exempt: None,
            quantiles: Some(QUANTILES),
        });
    }
    let plain = largest(most);
    if plain >= 2 {
        return Some(Possible { largest_l: plain, exempt: None, quantiles: None });
    }
    let (_, most_frequent) = values[0].clone();
    let (next, _) = values.get(1)?;
    let largest_l = largest(*next);
    // A date or a spelling may be published in another form than in the table.
    let is_written_otherwise = profile.value_type == "date" || profile.has_spellings;
    let is_as_written = !is_written_otherwise || most_frequent == MISSING_LABEL;
    (largest_l >= 2 && is_as_written).then_some(Possible {
        largest_l,
        exempt: Some(most_frequent),
        quantiles: None,
    })
}

/// Counts the rows of each range of numbers, and of missing values.
fn in_parts(values: &[(u64, String)]) -> Vec<u64> {
    let mut numbers: Vec<(f64, u64)> =
        values.iter().filter_map(|(rows, text)| Some((text.parse::<f64>().ok()?, *rows))).collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let counts: Vec<u64> = numbers.iter().map(|(_, rows)| *rows).collect();
    let mut found: BTreeMap<u64, u64> = BTreeMap::new();
    for (part, rows) in parts_of(QUANTILES, &counts).into_iter().zip(counts) {
        *found.entry(part).or_default() += rows;
    }
    let missing = values.iter().filter(|(_, text)| text == MISSING_LABEL);
    found.into_values().chain(missing.map(|(rows, _)| *rows)).collect()
}

/// Returns the known or undecided column that can be protected best, if no name suggests a secret.
/// Text with a list of values is preferred to numbers.
fn widest(
    columns: &[ColumnProfile],
    raw: &RawTable,
    rows: Option<&[bool]>,
) -> Option<(usize, Possible)> {
    let best = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| {
            let usable = [Role::QuasiIdentifier, Role::Other, Role::Undecided];
            usable.iter().any(|role| role.name() == column.guessed_role)
        })
        .filter_map(|(index, column)| {
            let rows = rows.filter(|_| column.missing == 0);
            let possible = possible(column, &raw.columns[index], rows)?;
            let is_list = column.value_type == "text" && column.distinct <= MANY_NUMBERS;
            // Age, sex and the like are known to others in any case.
            let known = speaks_of(&words(column), &KNOWN);
            let is_free = known.is_none_or(|what| !FACTS.contains(&what));
            let rank =
                (is_free, possible.exempt.is_none(), is_list, possible.largest_l.min(USUAL_L));
            Some((rank, index, possible))
        })
        .max_by_key(|(rank, index, _)| (*rank, *index))?;
    Some((best.1, best.2))
}
