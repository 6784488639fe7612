//! Small sets of positions on an axis whose cells are sets or nodes of a tree.

use super::super::space::{CellSizes, CoverAxis};

/// Positions below this are kept as bits; others are listed.
const BITS: u16 = 128;

/// The positions that occur in a cell.
#[derive(Debug, Clone)]
pub(super) struct CellMembers {
    bits: u128,
    /// The positions that are not kept as bits, in any order, without repetition.
    listed: Vec<u16>,
}

impl CellMembers {
    pub(super) const EMPTY: Self = Self { bits: 0, listed: Vec::new() };

    /// Adds a position.
    pub(super) fn insert(&mut self, key: u16) {
        if key < BITS {
            self.bits |= 1 << key;
        } else if !self.listed.contains(&key) {
            self.listed.push(key);
        }
    }

    pub(super) fn extend(&mut self, others: &Self) {
        self.bits |= others.bits;
        for &key in &others.listed {
            if !self.listed.contains(&key) {
                self.listed.push(key);
            }
        }
    }

    /// The number of values in a cell of these positions, of which there is at least one.
    pub(super) fn values(&self, axis: &CoverAxis<'_>) -> usize {
        match axis.cells {
            CellSizes::Set => self.bits.count_ones() as usize + self.listed.len(),
            CellSizes::Interval | CellSizes::Nodes(_) => axis.values(&self.ascending()),
        }
    }

    fn ascending(&self) -> Vec<u16> {
        let mut keys: Vec<u16> = (0..BITS)
            .filter(|&key| self.bits >> key & 1 == 1)
            .chain(self.listed.iter().copied())
            .collect();
        keys.sort_unstable();
        keys
    }
}
