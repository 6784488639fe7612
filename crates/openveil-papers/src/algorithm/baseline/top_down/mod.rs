#![doc = include_str!("proof.md")]

mod split;

use super::check_whole;
use crate::algorithm::taxonomy::Taxonomy;
use openveil_core::Error;
use openveil_core::model::Criteria;
use openveil_core::table::{Groups, View};
use split::NodeSplit;

/// Divides a table into groups by top-down local recoding. **Unsafe** against a reader who knows
/// it: it is deterministic and uses quasi-identifiers and values together.
///
/// It works for any model, monotone or not: every group is checked, and the search starts at the
/// whole table.
///
/// O(n · columns · levels) time, with the levels of all columns together, and a check of the model
/// for every branch and every row that is taken back; O(n) memory.
///
/// # Errors
/// [`Error::Unsatisfiable`] or [`Error::Ineligible`] if the table as one group does
/// not satisfy the model.
pub fn top_down(table: &View, criteria: &Criteria) -> Result<Groups, Error> {
    check_whole(table, criteria)?;
    let mut tree = GrowingTree::new(table, criteria);
    while tree.specialize_next() {}
    Ok(tree.finished)
}

/// The growing tree of Algorithm 1: nodes that may still be specialised.
struct GrowingTree<'a> {
    table: &'a View,
    criteria: &'a Criteria,
    taxonomies: Vec<Taxonomy>,
    /// All rows; the rows of a node are consecutive, ascending by value, then by row.
    rows: Vec<u32>,
    /// The open nodes, by their ranges in `rows`.
    open: Vec<(usize, usize)>,
    /// The level of every column, for each open node in turn.
    levels: Vec<u32>,
    /// The levels of the current node.
    current: Vec<u32>,
    best: NodeSplit,
    trial: NodeSplit,
    scratch: Vec<u32>,
    finished: Groups,
}

impl<'a> GrowingTree<'a> {
    /// Lines 1–3: everything in its most general form.
    fn new(table: &'a View, criteria: &'a Criteria) -> Self {
        let values = table.secret().codes();
        let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
        rows.sort_by_key(|&row| values[row as usize]);
        let columns = table.known();
        let taxonomies: Vec<Taxonomy> =
            columns.iter().map(|column| Taxonomy::by_depth(column.domain())).collect();
        let levels: Vec<u32> = taxonomies.iter().map(|t| t.len() as u32 - 1).collect();
        Self {
            table,
            criteria,
            taxonomies,
            open: vec![(0, rows.len())],
            current: levels.clone(),
            levels,
            best: NodeSplit::default(),
            trial: NodeSplit::default(),
            scratch: Vec::with_capacity(rows.len()),
            finished: Groups::with_capacity(rows.len(), 0),
            rows,
        }
    }

    /// Lines 6–13 for one node; `false` if there is none left.
    fn specialize_next(&mut self) -> bool {
        let Some((start, end)) = self.open.pop() else {
            return false;
        };
        let columns = self.taxonomies.len();
        self.current.clear();
        let from = self.levels.len() - columns;
        self.current.extend(self.levels.drain(from..));
        match self.best_column(start, end) {
            Some(column) => self.grow(start, end, column),
            None => self.finish(start, end),
        }
        true
    }

    /// Returns the column along which most rows can be specialised, with its split in `best`; ties:
    /// the fewest branches, then the first column.
    fn best_column(&mut self, start: usize, end: usize) -> Option<usize> {
        let rows = &self.rows[start..end];
        let values = self.table.secret().codes();
        let mut best = None;
        for (column, taxonomy) in self.taxonomies.iter().enumerate() {
            let Some(level) = self.current[column].checked_sub(1) else {
                continue;
            };
            let codes = self.table.known()[column].codes();
            let classes = taxonomy.classes(level as usize);
            self.trial.divide(rows, values, |row: u32| classes[codes[row as usize] as usize]);
            self.trial.settle(self.criteria);
            let (specialized, branches) = self.trial.outcome();
            let key = (specialized, std::cmp::Reverse(branches));
            if specialized > 0 && best.is_none_or(|(greatest, _)| key > greatest) {
                best = Some((key, column));
                std::mem::swap(&mut self.best, &mut self.trial);
            }
        }
        best.map(|(_, column)| column)
    }

    /// Replaces the node by the branches of `best`, and finishes the rows that stay behind.
    fn grow(&mut self, start: usize, end: usize, column: usize) {
        self.scratch.clear();
        let values = self.table.secret().codes();
        let rows = &mut self.rows[start..end];
        self.best.arrange(rows, values, &mut self.scratch);
        self.current[column] -= 1;
        let mut at = start;
        for &size in self.best.branch_sizes() {
            self.open.push((at, at + size as usize));
            self.levels.extend_from_slice(&self.current);
            at += size as usize;
        }
        self.finish(at, end);
    }

    fn finish(&mut self, start: usize, end: usize) {
        self.finished.push(self.rows[start..end].iter().copied());
    }
}

#[cfg(test)]
mod tests;
