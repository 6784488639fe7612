//! Coarsened values: prefixes, bins and quantiles.

use super::value::LoadedValue;
use super::values::ReadValues;
use crate::policy::{Coarsening, ColumnPolicy};
use crate::source::RawColumn;
use std::collections::HashMap;

/// Returns the labels of the classes, and the class of each value by rank.
pub(super) fn coarsen(
    described: &ColumnPolicy,
    coarsening: &Coarsening,
    read: &ReadValues,
    column: &RawColumn,
) -> (Vec<String>, Vec<u32>) {
    let classes: Vec<String> = match coarsening {
        Coarsening::Prefix(length) => read
            .values()
            .iter()
            .zip(read.labels())
            .map(|(value, label)| match value {
                LoadedValue::Missing => label.clone(),
                _ => label.chars().take(*length).collect(),
            })
            .collect(),
        Coarsening::Bins(borders) => {
            read.values().iter().map(number).map(|number| bin(borders, number)).collect()
        }
        Coarsening::Quantiles(parts) => quantiles(*parts, described, read, &column.counts()),
    };
    let mut labels: Vec<String> = Vec::new();
    let mut class_of: HashMap<String, u32> = HashMap::new();
    let class_of_rank = classes
        .into_iter()
        .map(|class| {
            *class_of.entry(class.clone()).or_insert_with(|| {
                labels.push(class);
                labels.len() as u32 - 1
            })
        })
        .collect();
    (labels, class_of_rank)
}

fn bin(borders: &[f64], number: Option<f64>) -> String {
    let Some(number) = number else {
        return LoadedValue::Missing.label();
    };
    match borders.partition_point(|&border| border <= number) {
        0 => format!("< {}", borders[0]),
        last if last == borders.len() => format!(">= {}", borders[last - 1]),
        next => format!("[{}, {})", borders[next - 1], borders[next]),
    }
}

/// Returns a value as a number; a missing value belongs to no bin.
fn number(value: &LoadedValue) -> Option<f64> {
    match value {
        LoadedValue::Integer(number) => Some(*number as f64),
        LoadedValue::Number(number) => Some(*number),
        _ => None,
    }
}

/// Divides the values of a column, in order, into so many parts of about equally many rows; returns
/// the part of each value. `counts` holds the number of rows of each value.
pub fn parts_of(parts: u32, counts: &[u64]) -> Vec<u64> {
    let rows: u64 = counts.iter().sum();
    let mut before = 0;
    counts
        .iter()
        .map(|&count| {
            // A value belongs to the part in which the middle of its rows lies.
            let own = (2 * before + count) * u64::from(parts) / (2 * rows.max(1));
            before += count;
            own
        })
        .collect()
}

/// Returns closed intervals of values with about equally many rows each. An interval is open where
/// a limit means that no greater or lesser value is published. The intervals depend on the column's
/// histogram alone.
fn quantiles(parts: u32, column: &ColumnPolicy, read: &ReadValues, rows: &[u32]) -> Vec<String> {
    let mut counts = vec![0u64; read.labels().len()];
    for (&rank, &rows) in read.ranks().iter().zip(rows).filter(|(_, rows)| **rows > 0) {
        counts[rank as usize] += u64::from(rows);
    }
    let missing = usize::from(read.values().first() == Some(&LoadedValue::Missing));
    let class = parts_of(parts, &counts[missing..]);
    let mut labels = vec![LoadedValue::Missing.label(); missing];
    for run in class.chunk_by(|a, b| a == b) {
        let (low, high) = (labels.len(), labels.len() + run.len() - 1);
        let is = |place: usize, limit: Option<f64>| {
            limit.is_some() && limit == number(&read.values()[place])
        };
        let (least, most) = (&read.labels()[low], &read.labels()[high]);
        let label = match low == high {
            _ if is(high, column.top) => format!(">= {least}"),
            _ if is(low, column.bottom) => format!("<= {most}"),
            true => least.clone(),
            false => format!("[{least}, {most}]"),
        };
        labels.extend(std::iter::repeat_n(label, run.len()));
    }
    labels
}
