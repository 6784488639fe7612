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
            let of = &space.axes()[axis];
            match of.cells {
                Cells::Interval => terms.add_intervals(axis, costs),
                Cells::Set if of.last_key() < BITS => terms.add_sets(axis, costs),
                Cells::Set | Cells::Nodes(_) => terms.add_by_key(axis, costs),
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

    /// Sets of positions that are bits: what the other members make up is summed once for
    /// each group, so that a record adds at most one member to it.
    fn add_sets(&self, axis: usize, costs: &mut [f32]) {
        let last = self.space.axes()[axis].last_key();
        let price = |key: u16| self.marginals.map_or(0.0, |all| all.price(axis, key, key));
        let prices: Vec<f32> = (0..=last).map(price).collect();
        let members = |cell: &Cell<K>| {
            let (mut bits, mut sum) = (cell.bits[axis], 0.0);
            while bits > 0 {
                sum += prices[bits.trailing_zeros() as usize];
                bits &= bits - 1;
            }
            (cell.bits[axis], cell.bits[axis].count_ones(), sum)
        };
        let cells: Vec<(u128, u32, f32)> = self.others.cells.iter().map(members).collect();
        let mass = self.rows(axis);
        let rows = costs.chunks_exact_mut(self.block.groups());
        for (row, record) in rows.zip(self.records()) {
            let key = record.keys[axis];
            for (cost, &(bits, count, sum)) in row.iter_mut().zip(&cells) {
                let is_new = bits >> key & 1 == 0;
                let values = (count + u32::from(is_new)) as usize;
                let price = if is_new {
                    sum + prices[usize::from(key)]
                } else {
                    sum
                };
                *cost += self.space.cost(axis, values) + mass * price / values as f32;
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
        let of = &self.space.axes()[axis];
        let columns = self.block.columns.iter().enumerate();
        let others = columns.filter(|(number, _)| *number != self.others.column);
        let mut keys: Vec<u16> = others.map(|(_, column)| column[group].keys[axis]).collect();
        keys.push(key);
        keys.sort_unstable();
        let mut price = 0.0;
        if let Some(marginals) = self.marginals {
            of.spans(&keys, |low, high| price += marginals.price(axis, low, high));
        }
        let values = of.values(&keys);
        self.space.cost(axis, values) + self.rows(axis) * price / values as f32
    }
}
