//! A few groups, and what it costs to put a record of one column into each of them.

use super::super::deal::Record;
use super::super::space::{Cells, Keys, Space};

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

/// The values that a cell would have.
pub(super) struct Extent {
    pub(super) low: u16,
    pub(super) high: u16,
    pub(super) values: usize,
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

    /// The cell of a group on an axis with a record of these positions in the column that
    /// is left out.
    #[inline]
    pub(super) fn extent(
        &self,
        others: &Others<K>,
        group: usize,
        key: u16,
        axis: usize,
        space: &Space<'_, K>,
    ) -> Extent {
        let cell = &others.cells[group];
        let (low, high) = (cell.low[axis].min(key), cell.high[axis].max(key));
        let values = match space.axes()[axis].cells {
            Cells::Interval => usize::from(high - low) + 1,
            Cells::Set if high < BITS => (cell.bits[axis] | 1 << key).count_ones() as usize,
            _ => {
                let mut keys = self.keys(others, group, axis);
                keys.push(key);
                keys.sort_unstable();
                space.axes()[axis].values(&keys)
            }
        };
        Extent { low, high, values }
    }

    /// The positions on an axis of a group's other members.
    pub(super) fn keys(&self, others: &Others<K>, group: usize, axis: usize) -> Vec<u16> {
        let columns = self.columns.iter().enumerate();
        let columns = columns.filter(|(number, _)| *number != others.column);
        columns
            .map(|(_, records)| records[group].keys[axis])
            .collect()
    }

    /// What each group costs with each record of the column that is left out:
    /// `costs[record · groups + group]`.
    pub(super) fn costs(&self, others: &Others<K>, space: &Space<'_, K>, costs: &mut Vec<f32>) {
        let groups = self.groups();
        costs.clear();
        costs.resize(groups * groups, 0.0);
        for axis in 0..space.axes().len() {
            match space.axes()[axis].cells {
                Cells::Interval => self.add_intervals(others, axis, space, costs),
                _ => self.add_by_key(others, axis, space, costs),
            }
        }
    }

    fn add_intervals(
        &self,
        others: &Others<K>,
        axis: usize,
        space: &Space<'_, K>,
        costs: &mut [f32],
    ) {
        let groups = self.groups();
        let rows = costs.chunks_exact_mut(groups);
        for (row, record) in rows.zip(self.columns[others.column].iter()) {
            let key = record.keys[axis];
            for (cost, cell) in row.iter_mut().zip(&others.cells) {
                let width = cell.high[axis].max(key) - cell.low[axis].min(key);
                *cost += space.cost(axis, usize::from(width) + 1);
            }
        }
    }

    /// Records with the same position cost the same.
    fn add_by_key(&self, others: &Others<K>, axis: usize, space: &Space<'_, K>, costs: &mut [f32]) {
        let groups = self.groups();
        let records = &self.columns[others.column];
        let mut order: Vec<usize> = (0..groups).collect();
        order.sort_unstable_by_key(|&record| records[record].keys[axis]);
        let mut of_key = vec![0.0; groups];
        for alike in order.chunk_by(|&a, &b| records[a].keys[axis] == records[b].keys[axis]) {
            let key = records[alike[0]].keys[axis];
            for (group, cost) in of_key.iter_mut().enumerate() {
                *cost = space.cost(axis, self.extent(others, group, key, axis, space).values);
            }
            for &record in alike {
                let row = &mut costs[record * groups..(record + 1) * groups];
                row.iter_mut()
                    .zip(&of_key)
                    .for_each(|(cost, add)| *cost += add);
            }
        }
    }
}
