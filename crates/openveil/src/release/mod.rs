//! What leaves the building.
//!
//! A [`Content`] holds nothing but what may be published. Groups are sorted by
//! their released content before they are numbered, rows inside a group by
//! theirs, so that neither order says anything about the deal.

mod cells;
pub mod check;
mod guarantee;

pub use cells::Cells;
pub use guarantee::{Chance, Guarantee, Keeper};

use crate::table::{Groups, View};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// How quasi-identifiers are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Every group shows an interval, a hierarchy's label or a set of values.
    Generalize,
    /// Exact quasi-identifiers with a group number; sensitive values in a
    /// second table, per group (the *anatomy* style).
    Anatomy,
}

/// The published content of a table, by group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Content {
    /// Where each group's rows end.
    ends: Vec<u32>,
    /// One sensitive value per row, ascending inside a group.
    values: Vec<u32>,
    /// One entry per quasi-identifier.
    cells: Vec<Cells>,
}

/// Publishes the groups of a table: the release, and the groups in the order in
/// which the release numbers them. The second stays with the owner.
///
/// O(n log n) time.
pub fn publish(table: &View, groups: &Groups, style: Style) -> (Content, Groups) {
    let draft = Content::of_groups(table, groups, style);
    let mut order: Vec<u32> = (0..groups.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| draft.compare_groups(a as usize, b as usize));
    let mut sorted = Groups::with_capacity(groups.row_count(), groups.len());
    for &group in &order {
        sorted.push(groups.get(group as usize).iter().copied());
    }
    (draft.reordered(&order), sorted)
}

impl Content {
    /// A release read back: where each group's rows end, the sensitive value of
    /// every row, and one entry of cells per quasi-identifier. O(n log n).
    ///
    /// # Errors
    /// [`Violation::Shape`](check::Violation::Shape) if there is a group without
    /// rows, or one part is longer than another.
    pub fn from_parts(
        ends: Vec<u32>,
        mut values: Vec<u32>,
        cells: Vec<Cells>,
    ) -> Result<Self, check::Violation> {
        let ascending = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first() != Some(&0);
        let rows = ends.last().map_or(0, |&end| end as usize);
        let fits = |cells: &Cells| match cells {
            Cells::Intervals(bounds) => bounds.len() == ends.len(),
            Cells::Nodes(nodes) => nodes.len() == ends.len(),
            Cells::Sets {
                ends: sets,
                members,
            } => {
                sets.len() == ends.len()
                    && sets.is_sorted()
                    && sets.last().map_or(0, |&end| end as usize) == members.len()
            }
            Cells::Exact(codes) => codes.len() == rows,
        };
        if !ascending || rows != values.len() || !cells.iter().all(fits) {
            return Err(check::Violation::Shape);
        }
        let mut start = 0;
        for &end in &ends {
            values[start..end as usize].sort_unstable();
            start = end as usize;
        }
        Ok(Self {
            ends,
            values,
            cells,
        })
    }

    /// Number of groups.
    pub fn group_count(&self) -> usize {
        self.ends.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len()
    }

    /// The positions of a group's rows in the release.
    pub fn group_rows(&self, group: usize) -> Range<usize> {
        let start = match group {
            0 => 0,
            _ => self.ends[group - 1] as usize,
        };
        start..self.ends[group] as usize
    }

    /// The sensitive value of every row, in the release's order.
    pub fn row_values(&self) -> &[u32] {
        &self.values
    }

    /// The sensitive values of a group, ascending by code.
    pub fn values(&self, group: usize) -> &[u32] {
        &self.values[self.group_rows(group)]
    }

    /// The sensitive values of a group with their counts.
    pub fn value_counts(&self, group: usize) -> impl Iterator<Item = (u32, u32)> {
        let runs = self.values(group).chunk_by(|a, b| a == b);
        runs.map(|run| (run[0], run.len() as u32))
    }

    /// What is published of each quasi-identifier.
    pub fn cells(&self) -> &[Cells] {
        &self.cells
    }

    /// Sizes of all groups.
    pub fn group_sizes(&self) -> impl Iterator<Item = u32> {
        (0..self.group_count()).map(|group| self.group_rows(group).len() as u32)
    }

    fn of_groups(table: &View, groups: &Groups, style: Style) -> Self {
        let mut ends = Vec::with_capacity(groups.len());
        let mut values = Vec::with_capacity(groups.row_count());
        for group in groups.iter() {
            let start = values.len();
            values.extend(
                group
                    .iter()
                    .map(|&row| table.secret().codes()[row as usize]),
            );
            values[start..].sort_unstable();
            ends.push(values.len() as u32);
        }
        let columns = table.known();
        let cells = match style {
            Style::Generalize => columns
                .par_iter()
                .map(|column| Cells::generalized(column, groups))
                .collect(),
            Style::Anatomy => Cells::exact(columns, groups),
        };
        Self {
            ends,
            values,
            cells,
        }
    }

    fn compare_groups(&self, a: usize, b: usize) -> Ordering {
        let (rows_a, rows_b) = (self.group_rows(a), self.group_rows(b));
        self.cells
            .iter()
            .map(|cells| cells.compare((a, rows_a.clone()), (b, rows_b.clone())))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.values(a).cmp(self.values(b)))
    }

    fn reordered(&self, order: &[u32]) -> Self {
        let mut ends = Vec::with_capacity(self.ends.len());
        let mut values = Vec::with_capacity(self.values.len());
        for &group in order {
            values.extend_from_slice(self.values(group as usize));
            ends.push(values.len() as u32);
        }
        let rows_of = |group: u32| self.group_rows(group as usize);
        let cells = self
            .cells
            .par_iter()
            .map(|cells| cells.reordered(order, rows_of))
            .collect();
        Self {
            ends,
            values,
            cells,
        }
    }
}

#[cfg(test)]
mod tests;
