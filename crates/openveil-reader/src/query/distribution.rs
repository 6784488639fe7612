//! The distribution of a column's values over the people of a release.

use super::Reader;
use super::bins::Bin;
use super::matcher::Matcher;
use super::parse::{Condition, Test};
use super::scale::{CoveredValues, Scale, TextComparison};
use crate::picture::step;
use openveil_io::load::MISSING_LABEL;
use openveil_io::release_dir::read::ReleasedTable;
use rayon::prelude::*;
use std::collections::HashMap;

/// The most values with a part of their own; the rest is one part.
const MOST_VALUES: usize = 12;

/// Share of the rows at either end of a number column that is one part.
const TAIL: f64 = 0.01;

/// A column in a few parts, with a reader's estimate of the rows in each. A row counts evenly for
/// every value that its cell covers.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDistribution {
    /// The column.
    pub column: String,
    /// Whether some cell stands for several values.
    pub is_coarse: bool,
    /// Names of the parts: a value, a range, or the rest.
    pub names: Vec<String>,
    /// Rows of each part; together, the rows of the release.
    pub rows: Vec<f64>,
    /// The standard deviation of each, if all values in a cell are equally likely.
    pub deviations: Vec<f64>,
    parts: ColumnDivision,
}

/// How a column is divided.
#[derive(Debug, Clone, PartialEq)]
enum ColumnDivision {
    /// One part for each of these values, and one for the rest if there is any.
    Values(Vec<String>, bool),
    /// Ranges between borders (at least one border). The first range has no lower end, the last no
    /// upper end. A part for missing values follows, if there are any.
    Ranges(Vec<f64>, bool),
}

impl Reader {
    /// The distribution of every published column, in the order of the manifest.
    ///
    /// O(rows · columns), and the lengths of all sets.
    pub fn distributions(&self) -> Vec<ColumnDistribution> {
        self.tables.columns.names().par_iter().filter_map(|name| self.distribution(name)).collect()
    }

    fn distribution(&self, name: &str) -> Option<ColumnDistribution> {
        let scale = self.tables.scale(name)?;
        let cells = self.cells(name)?;
        let cells = || cells.iter().map(|(text, rows)| (text.as_str(), *rows));
        // If all cells hide everything, there is no distribution.
        if scale.has_places() && scale.span().is_none() {
            return None;
        }
        let parts = match &scale.kind {
            TextComparison::Whole | TextComparison::Real(_) | TextComparison::Day => {
                ranges(scale, &cells)
            }
            TextComparison::Order(_) | TextComparison::Bins(_) => values(scale, &cells, true),
            TextComparison::Text | TextComparison::Sets(_) => values(scale, &cells, false),
        };
        let counts = parts.count(scale, &cells).into_iter();
        let (rows, variances): (Vec<f64>, Vec<f64>) = counts.unzip();
        Some(ColumnDistribution {
            column: name.to_owned(),
            is_coarse: cells().any(|(text, rows)| rows > 0.0 && scale.is_coarse(text)),
            names: parts.names(scale),
            rows,
            deviations: variances.into_iter().map(f64::sqrt).collect(),
            parts,
        })
    }

    /// Counts the rows of a table in the parts of a distribution, from the values and their
    /// frequencies.
    pub fn beside<'a>(
        &self,
        distribution: &ColumnDistribution,
        values: impl Iterator<Item = (&'a str, f64)> + Clone,
    ) -> Vec<f64> {
        let scale = self
            .tables
            .scale(&distribution.column)
            .expect("the distribution is one of this release");
        let counts = distribution.parts.count(scale, &|| values.clone());
        counts.into_iter().map(|(rows, _)| rows).collect()
    }

    /// Returns the cells of a column in the first table that has it, and how many rows show each.
    fn cells(&self, name: &str) -> Option<Vec<(String, f64)>> {
        let tables = &self.tables.folder().tables;
        let (table, (raw, column)) = tables.iter().find_map(|table| {
            Some((table, ReleasedTable::columns(table).find(|(_, column)| column.name == name)?))
        })?;
        let mut rows = vec![0.0; column.values.len()];
        match table.values.as_ref().filter(|_| !table.is_main(raw)) {
            Some(values) => {
                for (&code, &count) in column.codes.iter().zip(&values.counts) {
                    rows[code as usize] += f64::from(count);
                }
            }
            None => column.codes.iter().for_each(|&code| rows[code as usize] += 1.0),
        }
        Some(column.values.iter().map(str::to_owned).zip(rows).collect())
    }
}

/// Chooses the most frequent values, or all values in the column's order if they fit.
fn values<'a, I: Iterator<Item = (&'a str, f64)>>(
    scale: &Scale,
    cells: &dyn Fn() -> I,
    ordered: bool,
) -> ColumnDivision {
    let rows = rows_by_value(scale, cells);
    let mut values: Vec<(String, f64)> = rows.into_iter().collect();
    values.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let rest = values.len() > MOST_VALUES;
    values.truncate(MOST_VALUES);
    if ordered {
        values.sort_by(|a, b| rank(scale, &a.0).total_cmp(&rank(scale, &b.0)));
    }
    ColumnDivision::Values(values.into_iter().map(|(value, _)| value).collect(), rest)
}

/// Counts the rows of each value, with cells spread evenly over the values they cover.
fn rows_by_value<'a, I: Iterator<Item = (&'a str, f64)>>(
    scale: &Scale,
    cells: &dyn Fn() -> I,
) -> HashMap<String, f64> {
    let mut rows: HashMap<String, f64> = HashMap::new();
    for (text, count) in cells() {
        each_value(scale, text, |value, share| match rows.get_mut(value) {
            Some(rows) => *rows += count * share,
            None => drop(rows.insert(value.to_owned(), count * share)),
        });
    }
    rows
}

/// Chooses ranges of equal width over the span of nearly all values.
fn ranges<'a, I: Iterator<Item = (&'a str, f64)>>(
    scale: &Scale,
    cells: &dyn Fn() -> I,
) -> ColumnDivision {
    let mut middles: Vec<(f64, f64)> = Vec::new();
    let mut missing = false;
    for (text, rows) in cells() {
        match scale.read(text) {
            CoveredValues::Interval(low, high) => middles.push((f64::midpoint(low, high), rows)),
            CoveredValues::UpTo(low, high) => {
                middles.push((f64::midpoint(low, high), rows));
                missing |= rows > 0.0;
            }
            CoveredValues::Members(members) => {
                let own = rows / members.len() as f64;
                for place in members.iter().map(|member| scale.place(member)) {
                    match place {
                        Some(place) => middles.push((place, own)),
                        None => missing |= own > 0.0,
                    }
                }
            }
            CoveredValues::Begins(_) => {
                let span = scale.span();
                middles.extend(span.map(|(low, high)| (f64::midpoint(low, high), rows)));
            }
            CoveredValues::Value => match scale.place(text) {
                Some(place) => middles.push((place, rows)),
                None => missing |= rows > 0.0,
            },
        }
    }
    middles.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = middles.iter().map(|(_, rows)| rows).sum();
    let quantile = |share: f64| {
        let mut before = 0.0;
        middles
            .iter()
            .find(|(_, rows)| {
                before += rows;
                before >= share * all
            })
            .or(middles.last())
            .map_or(0.0, |(place, _)| *place)
    };
    let (low, high) = (quantile(TAIL), quantile(1.0 - TAIL));
    let mut width = step(high - low);
    if !matches!(scale.kind, TextComparison::Real(_)) {
        width = width.max(1.0).round();
    }
    let first = (low / width).floor();
    let count = ((high / width).floor() - first).clamp(1.0, 11.0) as u32;
    let borders = (1..=count).map(|number| (first + f64::from(number)) * width);
    ColumnDivision::Ranges(borders.collect(), missing)
}

impl ColumnDivision {
    fn names(&self, scale: &Scale) -> Vec<String> {
        match self {
            Self::Values(values, rest) => {
                let rest = rest.then(|| "all others".to_owned());
                values.iter().cloned().chain(rest).collect()
            }
            Self::Ranges(borders, missing) => {
                let (first, last) = (borders[0], borders[borders.len() - 1]);
                let mut names = vec![format!("below {}", scale.text(first))];
                names.extend(borders.windows(2).map(|pair| range(scale, pair[0], pair[1])));
                names.push(format!("{} and above", scale.text(last)));
                names.extend(missing.then(|| MISSING_LABEL.to_owned()));
                names
            }
        }
    }

    /// Counts the rows of some cells or values in each part, and the variance of each count if all
    /// values in a cell are equally likely.
    fn count<'a, I: Iterator<Item = (&'a str, f64)>>(
        &self,
        scale: &Scale,
        cells: &dyn Fn() -> I,
    ) -> Vec<(f64, f64)> {
        let shares = CellShares::new(self, scale);
        let mut rows = vec![(0.0, 0.0); self.len()];
        for (text, count) in cells() {
            let mut own = vec![0.0; rows.len()];
            shares.add(text, &mut own);
            for ((sum, variance), share) in rows.iter_mut().zip(own) {
                *sum += count * share;
                *variance += count * share * (1.0 - share).max(0.0);
            }
        }
        rows
    }

    fn len(&self) -> usize {
        match self {
            Self::Values(values, rest) => values.len() + usize::from(*rest),
            Self::Ranges(borders, missing) => borders.len() + 1 + usize::from(*missing),
        }
    }
}

/// Computes the share of a cell in each part.
enum CellShares<'a> {
    Values(&'a Scale, HashMap<&'a str, usize>, usize),
    Ranges(Vec<Matcher<'a>>),
}

impl<'a> CellShares<'a> {
    fn new(parts: &'a ColumnDivision, scale: &'a Scale) -> Self {
        match parts {
            ColumnDivision::Values(values, _) => {
                let numbers: HashMap<&str, usize> =
                    values.iter().map(String::as_str).zip(0..).collect();
                let rest = numbers.len();
                Self::Values(scale, numbers, rest)
            }
            ColumnDivision::Ranges(borders, _) => Self::Ranges(range_matchers(scale, borders)),
        }
    }

    fn add(&self, cell: &str, shares: &mut [f64]) {
        match self {
            Self::Values(scale, numbers, rest) => each_value(scale, cell, |value, share| {
                let part = numbers.get(value).copied().unwrap_or(*rest);
                if let Some(own) = shares.get_mut(part) {
                    *own += share;
                }
            }),
            Self::Ranges(matchers) => {
                let mut left = 1.0;
                for (own, matcher) in shares.iter_mut().zip(matchers) {
                    *own = matcher.share_of(cell);
                    left -= *own;
                }
                // A missing value is in no range; a remainder from rounding is not a missing value.
                if let Some(missing) = shares.get_mut(matchers.len()).filter(|_| left > 1e-9) {
                    *missing = left;
                }
            }
        }
    }
}

/// The values that a cell covers, each with its share.
fn each_value(scale: &Scale, cell: &str, mut value: impl FnMut(&str, f64)) {
    match scale.read(cell) {
        CoveredValues::Value | CoveredValues::Begins(_) => value(cell, 1.0),
        CoveredValues::Members(members) => {
            let share = 1.0 / members.len() as f64;
            members.into_iter().for_each(|member| value(member, share));
        }
        CoveredValues::Interval(low, high) => {
            let share = 1.0 / (high - low + 1.0);
            scale.texts(low, high).for_each(|text| value(&text, share));
        }
        CoveredValues::UpTo(low, high) => {
            let missing = scale.missing_share(low, high);
            value(MISSING_LABEL, missing);
            let share = (1.0 - missing) / (high - low + 1.0);
            scale.texts(low, high).for_each(|text| value(&text, share));
        }
    }
}

/// Returns the position of a value in the order; missing values come first.
fn rank(scale: &Scale, text: &str) -> f64 {
    match &scale.kind {
        TextComparison::Bins(_) => Bin::read(text).map_or(f64::NEG_INFINITY, |bin| bin.low),
        _ => scale.place(text).unwrap_or(-1.0),
    }
}

/// A range of places, the second not included, in words.
fn range(scale: &Scale, from: f64, to: f64) -> String {
    match scale.kind {
        TextComparison::Real(_) => format!("{} to below {}", scale.text(from), scale.text(to)),
        _ if to - from <= 1.0 => scale.text(from),
        _ => format!("{} to {}", scale.text(from), scale.text(to - 1.0)),
    }
}

/// Returns a matcher for each range.
fn range_matchers<'a>(scale: &'a Scale, borders: &[f64]) -> Vec<Matcher<'a>> {
    let mut ends = vec![None];
    ends.extend(borders.iter().copied().map(Some));
    ends.push(None);
    let condition = |test| Condition { column: String::new(), test, position: 0 };
    ends.windows(2)
        .map(|pair| {
            let from = pair[0].map(|low| condition(Test::Above(scale.text(low), true)));
            let to = pair[1].map(|high| condition(Test::Below(scale.text(high), false)));
            let conditions: Vec<Condition> = from.into_iter().chain(to).collect();
            let conditions: Vec<&Condition> = conditions.iter().collect();
            Matcher::new(scale, &conditions).expect("borders are places of the column")
        })
        .collect()
}

#[cfg(test)]
mod tests;
