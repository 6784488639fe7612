#![doc = include_str!("proof.md")]

use super::{check_whole, holds};
use openveil_core::Error;
use openveil_core::model::{Counts, Criteria};
use openveil_core::table::{Column, Groups, View};

/// The side to which rows with the median value go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MedianRows {
    /// All to the lower side: boxes do not overlap.
    Strict,
    /// To either side, so that both have as equally many rows as possible (the lower one gets the
    /// odd row); rows with the lowest numbers go to the lower side.
    Relaxed,
}

/// Divides a table into groups by Mondrian. **Unsafe** against a reader who knows it: it is
/// deterministic, and whether a cut is allowed depends on values.
///
/// A node is cut at the median of the column with the widest range (as a share of the domain's
/// steps, times the column's weight; ties: the first column). If a side violates the model or is
/// empty, the next column is tried; if no column can be cut, the node is a group. Codes count in
/// the order of their domain, so for a column with a tree by leaf.
///
/// It works for any model: every group is checked, and the search starts at the whole table. O(n ·
/// columns · depth) time beside the checks; O(n) memory.
///
/// # Errors
/// [`Error::Unsatisfiable`] or [`Error::Ineligible`] if the table as one group does
/// not satisfy the model.
pub fn mondrian(table: &View, criteria: &Criteria, cut: MedianRows) -> Result<Groups, Error> {
    check_whole(table, criteria)?;
    let values = table.secret().codes();
    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
    rows.sort_by_key(|&row| values[row as usize]);
    let mut cutter = MondrianCutter {
        columns: table.known(),
        values,
        criteria,
        cut,
        scratch: MondrianMemory::default(),
    };
    let mut groups = Groups::with_capacity(rows.len(), 0);
    let mut open = vec![(0, rows.len())];
    while let Some((start, end)) = open.pop() {
        match cutter.divide(&mut rows[start..end]) {
            Some(size) => open.extend([(start, start + size), (start + size, end)]),
            None => groups.push(rows[start..end].iter().copied()),
        }
    }
    Ok(groups)
}

struct MondrianCutter<'a> {
    columns: &'a [Column],
    values: &'a [u32],
    criteria: &'a Criteria,
    cut: MedianRows,
    scratch: MondrianMemory,
}

/// Memory that is reused for every node.
#[derive(Default)]
struct MondrianMemory {
    codes: Vec<u32>,
    ties: Vec<u32>,
    counts: Vec<(u32, u128)>,
    upper: Vec<u32>,
    widths: Vec<(f64, usize)>,
}

/// The rows that go to the lower side.
#[derive(Clone, Copy)]
struct Lower<'a> {
    codes: &'a [u32],
    median: u32,
    /// Rows with the median value go to the lower side up to this row number.
    last_tie: u32,
}

impl Lower<'_> {
    fn has(self, row: u32) -> bool {
        let code = self.codes[row as usize];
        code < self.median || (code == self.median && row <= self.last_tie)
    }
}

impl<'a> MondrianCutter<'a> {
    /// Cuts a node, whose rows are ascending by value, and returns the size of the lower side,
    /// which is put first; `None` if it cannot be cut. Both sides stay ascending by value.
    fn divide(&mut self, rows: &mut [u32]) -> Option<usize> {
        if (rows.len() as u64) < 2 * u64::from(self.criteria.least_size()) {
            return None;
        }
        self.order_columns(rows);
        for at in 0..self.scratch.widths.len() {
            let lower = self.lower_side(rows, self.scratch.widths[at].1);
            if self.side_holds(rows, lower, true) && self.side_holds(rows, lower, false) {
                return Some(self.separate(rows, lower));
            }
        }
        None
    }

    /// Lists the columns that are not constant on the rows, the widest first.
    fn order_columns(&mut self, rows: &[u32]) {
        let widths = &mut self.scratch.widths;
        widths.clear();
        for (index, column) in self.columns.iter().enumerate() {
            let codes = rows.iter().map(|&row| column.codes()[row as usize]);
            let (low, high) =
                codes.fold((u32::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
            if low < high {
                let share = f64::from(high - low) / f64::from(column.domain().full_extent());
                widths.push((share * f64::from(column.weight()), index));
            }
        }
        // The sort is stable: of equally wide columns the first stays first.
        widths.sort_by(|a, b| b.0.total_cmp(&a.0));
    }

    /// Returns the rows up to the median of a column, which is the value of the last row of the
    /// lower half.
    fn lower_side(&mut self, rows: &[u32], column: usize) -> Lower<'a> {
        let codes = self.columns[column].codes();
        let of_rows = &mut self.scratch.codes;
        of_rows.clear();
        of_rows.extend(rows.iter().map(|&row| codes[row as usize]));
        let half = rows.len().div_ceil(2);
        let (below, &mut median, _) = of_rows.select_nth_unstable(half - 1);
        let last_tie = match self.cut {
            MedianRows::Strict => u32::MAX,
            MedianRows::Relaxed => {
                let less = below.iter().filter(|&&code| code < median).count();
                let ties = &mut self.scratch.ties;
                ties.clear();
                ties.extend(rows.iter().copied().filter(|&row| codes[row as usize] == median));
                *ties.select_nth_unstable(half - less - 1).1
            }
        };
        Lower { codes, median, last_tie }
    }

    fn side_holds(&mut self, rows: &[u32], lower: Lower<'_>, side: bool) -> bool {
        let counts = &mut self.scratch.counts;
        counts.clear();
        for &row in rows.iter().filter(|&&row| lower.has(row) == side) {
            let value = self.values[row as usize];
            match counts.last_mut() {
                Some(last) if last.0 == value => last.1 += 1,
                _ => counts.push((value, 1)),
            }
        }
        holds(self.criteria, &Counts::new(counts))
    }

    fn separate(&mut self, rows: &mut [u32], lower: Lower<'_>) -> usize {
        let upper = &mut self.scratch.upper;
        upper.clear();
        let mut size = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            if lower.has(row) {
                rows[size] = row;
                size += 1;
            } else {
                upper.push(row);
            }
        }
        rows[size..].copy_from_slice(upper);
        size
    }
}

#[cfg(test)]
mod tests;
