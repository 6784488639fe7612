//! Small sets of positions on one axis.

use super::super::space::{CellSizes, CoverAxis};

/// Positions below this are bits; others are listed.
const BITS: u16 = 128;

/// The positions that occur in a cell.
#[derive(Debug, Clone)]
pub(super) struct CellMembers {
    low: u16,
    high: u16,
    bits: u128,
    /// Those that are no bits, in any order, without repetition.
    listed: Vec<u16>,
}

impl CellMembers {
    pub(super) const EMPTY: Self = Self {
        low: u16::MAX,
        high: 0,
        bits: 0,
        listed: Vec::new(),
    };

    /// Adds a position; of an interval only the ends are kept.
    pub(super) fn insert(&mut self, key: u16, axis: &CoverAxis<'_>) {
        self.low = self.low.min(key);
        self.high = self.high.max(key);
        if let CellSizes::Interval = axis.cells {
            return;
        }
        if key < BITS {
            self.bits |= 1 << key;
        } else if !self.listed.contains(&key) {
            self.listed.push(key);
        }
    }

    pub(super) fn extend(&mut self, others: &Self) {
        self.low = self.low.min(others.low);
        self.high = self.high.max(others.high);
        self.bits |= others.bits;
        for &key in &others.listed {
            if !self.listed.contains(&key) {
                self.listed.push(key);
            }
        }
    }

    /// How many values a cell of these positions has; at least one is there.
    pub(super) fn values(&self, axis: &CoverAxis<'_>) -> usize {
        match axis.cells {
            CellSizes::Interval => usize::from(self.high - self.low) + 1,
            CellSizes::Set => self.bits.count_ones() as usize + self.listed.len(),
            CellSizes::Nodes(_) => axis.values(&self.ascending()),
        }
    }

    fn ascending(&self) -> Vec<u16> {
        let bits = (0..BITS).filter(|&key| self.bits >> key & 1 == 1);
        let mut keys: Vec<u16> = bits.chain(self.listed.iter().copied()).collect();
        keys.sort_unstable();
        keys
    }
}
