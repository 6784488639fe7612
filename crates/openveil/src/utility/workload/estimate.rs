//! Answers of a reader who has nothing but the release.

use super::{AxisRange, Query};
use crate::release::{Cells, Content};
use std::ops::{Range, RangeInclusive};

/// How many rows of the release meet a query, spread evenly inside each box.
pub(super) fn count(query: &Query, release: &Content) -> f64 {
    let predicates: Vec<(&Cells, &AxisRange)> = query
        .ranges
        .iter()
        .map(|range| (&release.cells()[range.axis], range))
        .collect();
    let exact: Vec<(&[u32], &AxisRange)> = predicates
        .iter()
        .filter_map(|&(cells, range)| match cells {
            Cells::Exact(codes) => Some((&codes[..], range)),
            _ => None,
        })
        .collect();
    let count_in_group = |group: usize| {
        let rows = release.group_rows(group);
        let meet = match &query.values {
            Some(asked) => occurrences(release.values(group), asked),
            None => rows.len(),
        };
        // A product of shares: for most groups some share ends it early.
        let mut count = meet as f64;
        for &(cells, range) in &predicates {
            if count == 0.0 {
                return 0.0;
            }
            count *= share(cells, group, rows.clone(), range);
        }
        if exact.is_empty() || count == 0.0 {
            return count;
        }
        // Multiplied first: whole numbers stay whole.
        count * exact_rows(&exact, rows.clone()) as f64 / rows.len() as f64
    };
    (0..release.group_count()).map(count_in_group).sum()
}

/// How many of a group's values, which ascend, lie in a range.
fn occurrences(values: &[u32], asked: &RangeInclusive<u32>) -> usize {
    let first = values.partition_point(|value| value < asked.start());
    values[first..].partition_point(|value| value <= asked.end())
}

/// The share of what a group shows that lies in a range; 1 for exact cells, which are
/// counted row by row.
#[inline]
fn share(cells: &Cells, group: usize, rows: Range<usize>, range: &AxisRange) -> f64 {
    if let Cells::Exact(_) = cells {
        return 1.0;
    }
    let (from, to) = (*range.codes.start(), *range.codes.end());
    let (mut inside, mut all) = (0, 0);
    for (low, high) in cells.spans(group, rows) {
        all += high - low + 1;
        inside += (high.min(to) + 1).saturating_sub(low.max(from));
    }
    f64::from(inside) / f64::from(all)
}

/// How many rows meet all predicates on exact columns.
fn exact_rows(exact: &[(&[u32], &AxisRange)], rows: Range<usize>) -> usize {
    let meets = |&row: &usize| {
        exact
            .iter()
            .all(|(codes, range)| range.codes.contains(&codes[row]))
    };
    rows.filter(meets).count()
}
