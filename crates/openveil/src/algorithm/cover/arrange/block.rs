//! A few groups, and what it costs to put a record of one column into each of them.

use super::super::deal::Record;
use super::super::space::{Cells, Keys, Space};
use super::marginals::Marginals;

/// Positions below this are bits; others are looked up in the groups.
const BITS: u16 = 128;

/// Some groups, column by column: the g-th record of every column is group g.
pub(super) struct Block<'a, const K: usize> {
    pub(super) columns: Vec<&'a mut [Record<K>]>,
}

/// What the groups of a block are without the records of one column.
pub(super) struct Others<const K: usize> {
    column: usize,
    cells: Vec<Cell<K>>,
}

/// The cell of some members of a group.
#[derive(Clone, Copy)]
struct Cell<const K: usize> {
    low: Keys<K>,
    high: Keys<K>,
    bits: [u128; K],
}

impl<const K: usize> Block<'_, K> {
    pub(super) fn groups(&self) -> usize {
        self.columns[0].len()
    }

    /// The groups without the records of a column. O(columns · groups).
    pub(super) fn without(&self, column: usize) -> Others<K> {
        let empty = Cell {
            low: [u16::MAX; K],
            high: [0; K],
            bits: [0; K],
        };
        let mut cells = vec![empty; self.groups()];
        for (other, records) in self.columns.iter().enumerate() {
            if other == column {
                continue;
            }
            for (cell, record) in cells.iter_mut().zip(records.iter()) {
                for axis in 0..K {
                    let key = record.keys[axis];
                    cell.low[axis] = cell.low[axis].min(key);
                    cell.high[axis] = cell.high[axis].max(key);
                    cell.bits[axis] |= 1u128.checked_shl(key.into()).unwrap_or(0);
                }
            }
        }
        Others { column, cells }
    }

    /// What each group costs with each record of the column that is left out:
    /// `costs[record · groups + group]`.
    pub(super) fn costs(
        &self,
        others: &Others<K>,
        space: &Space<'_, K>,
        marginals: Option<&Marginals>,
        costs: &mut Vec<f32>,
    ) {
        let groups = self.groups();
        costs.clear();
        costs.resize(groups * groups, 0.0);
        let terms = Terms {
            block: self,
            others,
            space,
            marginals,
        };
        for axis in 0..space.axes().len() {
            match space.axes()[axis].cells {
                Cells::Interval => terms.add_intervals(axis, costs),
                _ => terms.add_by_key(axis, costs),
            }
        }
    }
}

/// What one column's records cost in the groups of a block.
struct Terms<'a, 'b, 'c, const K: usize> {
    block: &'a Block<'b, K>,
    others: &'a Others<K>,
    space: &'a Space<'c, K>,
    marginals: Option<&'a Marginals>,
}

impl<const K: usize> Terms<'_, '_, '_, K> {
    fn records(&self) -> &[Record<K>] {
        self.block.columns[self.others.column]
    }

    /// Rows of a group times weight: what prices per value are multiplied with.
    fn rows(&self, axis: usize) -> f32 {
        self.block.columns.len() as f32 * self.space.axes()[axis].weight
    }

    fn add_intervals(&self, axis: usize, costs: &mut [f32]) {
        let rows = costs.chunks_exact_mut(self.block.groups());
        let mass = self.rows(axis);
        for (row, record) in rows.zip(self.records()) {
            let key = record.keys[axis];
            for (cost, cell) in row.iter_mut().zip(&self.others.cells) {
                let (low, high) = (cell.low[axis].min(key), cell.high[axis].max(key));
                let width = usize::from(high - low) + 1;
                *cost += self.space.cost(axis, width);
                if let Some(marginals) = self.marginals {
                    *cost += mass * marginals.price(axis, low, high) / width as f32;
                }
            }
        }
    }

    /// Records with the same position cost the same.
    fn add_by_key(&self, axis: usize, costs: &mut [f32]) {
        let (groups, records) = (self.block.groups(), self.records());
        let mut order: Vec<usize> = (0..groups).collect();
        order.sort_unstable_by_key(|&record| records[record].keys[axis]);
        let mut of_key = vec![0.0; groups];
        for alike in order.chunk_by(|&a, &b| records[a].keys[axis] == records[b].keys[axis]) {
            let key = records[alike[0]].keys[axis];
            for (group, cost) in of_key.iter_mut().enumerate() {
                *cost = self.cost(group, key, axis);
            }
            for &record in alike {
                let row = &mut costs[record * groups..(record + 1) * groups];
                row.iter_mut()
                    .zip(&of_key)
                    .for_each(|(cost, add)| *cost += add);
            }
        }
    }

    /// What a group costs on an axis with a record of this position.
    fn cost(&self, group: usize, key: u16, axis: usize) -> f32 {
        let cell = &self.others.cells[group];
        let (high, of) = (cell.high[axis].max(key), &self.space.axes()[axis]);
        let mut price = 0.0;
        let values = if matches!(of.cells, Cells::Set) && high < BITS {
            let mut bits = cell.bits[axis] | 1 << key;
            let values = bits.count_ones();
            while let (Some(marginals), true) = (self.marginals, bits > 0) {
                let member = bits.trailing_zeros() as u16;
                price += marginals.price(axis, member, member);
                bits &= bits - 1;
            }
            values as usize
        } else {
            let columns = self.block.columns.iter().enumerate();
            let others = columns.filter(|(number, _)| *number != self.others.column);
            let mut keys: Vec<u16> = others.map(|(_, column)| column[group].keys[axis]).collect();
            keys.push(key);
            keys.sort_unstable();
            if let Some(marginals) = self.marginals {
                of.spans(&keys, |low, high| price += marginals.price(axis, low, high));
            }
            of.values(&keys)
        };
        self.space.cost(axis, values) + self.rows(axis) * price / values as f32
    }
}
