//! In which order a node is cut: quasi-identifiers and coins, nothing else.

use crate::coins::{Coins, shuffle};
use crate::table::{Column, View};
use rayon::slice::ParallelSliceMut;
use std::cmp::Ordering;

/// Nodes of at least so many rows are sorted by several threads.
const PARALLEL: usize = 1 << 14;

/// The quasi-identifiers of a table, and nothing else of it.
pub(super) struct Order<'a> {
    columns: &'a [Column],
}

impl<'a> Order<'a> {
    pub(super) fn of(table: &'a View) -> Self {
        Self {
            columns: table.known(),
        }
    }

    /// The columns by what the node's extent on them costs, the dearest first.
    pub(super) fn axes(&self, node: &[u32]) -> Vec<usize> {
        let cost = |column: &Column| {
            let codes = column.codes();
            let (mut low, mut high) = (u32::MAX, 0);
            for &row in node {
                let code = codes[row as usize];
                (low, high) = (low.min(code), high.max(code));
            }
            let extent = f64::from(column.domain().extent(low, high));
            let full = f64::from(column.domain().full_extent().max(1));
            f64::from(column.weight()) * extent / full
        };
        let costs: Vec<f64> = self.columns.iter().map(cost).collect();
        let mut axes: Vec<usize> = (0..costs.len()).collect();
        axes.sort_by(|&a, &b| costs[b].total_cmp(&costs[a]));
        axes
    }

    /// Sorts a node by the columns in the order of `axes`. Rows that no column tells
    /// apart stand in an order set by coins where that matters: around the middle,
    /// less than `window` rows away from it.
    pub(super) fn sort_around(
        &self,
        node: &mut [u32],
        axes: &[usize],
        middle: usize,
        window: usize,
        coins: &mut dyn Coins,
    ) {
        match node.len() >= PARALLEL {
            true => node.par_sort_unstable_by(|&a, &b| self.compare(axes, a, b)),
            false => node.sort_unstable_by(|&a, &b| self.compare(axes, a, b)),
        }
        let (first, last) = (middle.saturating_sub(window), middle + window);
        let mut start = 0;
        for alike in node.chunk_by_mut(|&a, &b| self.compare(axes, a, b).is_eq()) {
            let end = start + alike.len();
            if start < last && end > first && alike.len() > 1 {
                // The order of equal rows after sorting is that of the input.
                alike.sort_unstable();
                shuffle(alike, coins);
            }
            start = end;
        }
    }

    fn compare(&self, axes: &[usize], a: u32, b: u32) -> Ordering {
        let code = |axis: usize, row: u32| self.columns[axis].codes()[row as usize];
        axes.iter()
            .map(|&axis| code(axis, a).cmp(&code(axis, b)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}
