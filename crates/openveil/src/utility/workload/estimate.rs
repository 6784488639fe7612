//! Answers of a reader who has nothing but the release.

use super::{AxisRange, Query};
use crate::release::{Cells, Content};
use std::ops::Range;

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
        let rows = match query.value {
            Some(value) => occurrences(release.values(group), value),
            None => release.group_rows(group).len(),
        };
        // A product of shares: for most groups some share ends it early.
        let mut count = rows as f64;
        for &(cells, range) in &predicates {
            if count == 0.0 {
                return 0.0;
            }
            count *= share(cells, group, range);
        }
        if exact.is_empty() || count == 0.0 {
            return count;
        }
        // Multiplied first: whole numbers stay whole.
        let rows = release.group_rows(group);
        count * exact_rows(&exact, rows.clone()) as f64 / rows.len() as f64
    };
    (0..release.group_count()).map(count_in_group).sum()
}

/// How often a value stands in a group's list.
fn occurrences(values: &[u32], value: u32) -> usize {
    values.iter().filter(|&&other| other == value).count()
}

/// The share of a group's cell that lies in a range; 1 for exact cells, which
/// are counted row by row.
#[inline]
fn share(cells: &Cells, group: usize, range: &AxisRange) -> f64 {
    match cells {
        Cells::Intervals(bounds) => overlap(bounds[group], range),
        Cells::Nodes(nodes) => overlap(nodes[group].0, range),
        Cells::Sets { .. } => {
            let members = cells.members(group);
            let inside = members.iter().filter(|code| range.codes.contains(code));
            inside.count() as f64 / members.len() as f64
        }
        Cells::Exact(_) => 1.0,
    }
}

/// The share of the codes `low..=high` that lie in a range.
#[inline]
fn overlap((low, high): (u32, u32), range: &AxisRange) -> f64 {
    let (from, to) = (low.max(*range.codes.start()), high.min(*range.codes.end()));
    if from > to {
        return 0.0;
    }
    f64::from(to - from + 1) / f64::from(high - low + 1)
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
