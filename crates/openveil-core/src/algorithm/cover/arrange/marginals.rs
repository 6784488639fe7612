//! Keeping each quasi-identifier's own distribution.
//!
//! A reader spreads a group's people evenly over its cell, and so finds too many people
//! with rare values and too few with frequent ones. What is over or missing per value has
//! a price here, which makes groups cheaper whose cells work against it.

use super::super::deal::CoverRecord;
use super::super::space::{CellSizes, CoverAxis, CoverSpace};
use super::block::MatchedBlock;

/// The price of a row too many or too few, in nats beside the logarithms of cells.
const PRICE: f32 = 0.5;

/// From so many rows on the price is full.
const FULL: f32 = 16.0;

/// Positions are summed up in at most this many bins.
const BINS: u32 = 512;

/// For some groups, per quasi-identifier: how many rows too many a reader finds who
/// spreads every group evenly over its cell, and what that costs.
pub(super) struct Marginals {
    axes: Vec<Marginal>,
}

struct Marginal {
    /// How many low bits of a position are cut off.
    shift: u32,
    /// Estimated less true rows, per bin: by how much it rises from bin to bin, with one
    /// more behind the last.
    rises: Vec<f32>,
    /// Sums of the prices of all positions in the bins below, and those of one position;
    /// one more than bins.
    below: Vec<f32>,
    each: Vec<f32>,
}

impl Marginals {
    /// Those of some blocks as they are. O(rows · width of cells).
    pub(super) fn of<const K: usize>(
        blocks: &[MatchedBlock<'_, K>],
        space: &CoverSpace<'_, K>,
    ) -> Self {
        let marginal = |axis: &CoverAxis<'_>| {
            let last = axis.last_key();
            let bits = u32::BITS - u32::from(last).leading_zeros();
            let shift = bits.saturating_sub(BINS.ilog2());
            let bins = usize::from(last >> shift) + 1;
            Marginal {
                shift,
                rises: vec![0.0; bins + 1],
                below: vec![0.0; bins + 1],
                each: vec![0.0; bins + 1],
            }
        };
        let mut all = Self {
            axes: space.axes().iter().map(marginal).collect(),
        };
        let mut keys = Vec::new();
        for block in blocks {
            for group in 0..block.groups() {
                all.add_group(block, group, space, 1.0, &mut keys);
            }
            for record in block.columns.iter().flat_map(|column| column.iter()) {
                all.add_record(record);
            }
        }
        all.set_prices();
        all
    }

    /// Adds a group's cells, or takes them away (`sign` −1).
    pub(super) fn add_group<const K: usize>(
        &mut self,
        block: &MatchedBlock<'_, K>,
        group: usize,
        space: &CoverSpace<'_, K>,
        sign: f32,
        keys: &mut Vec<u16>,
    ) {
        let size = sign * block.columns.len() as f32;
        for (number, (marginal, axis)) in self.axes.iter_mut().zip(space.axes()).enumerate() {
            let members = block.columns.iter();
            let members = members.map(|column| column[group].keys[number]);
            if let CellSizes::Interval = axis.cells {
                let bounds = |(low, high): (u16, u16), key: u16| (low.min(key), high.max(key));
                let (low, high) = members.fold((u16::MAX, 0), bounds);
                marginal.add(low, high, size / (f32::from(high - low) + 1.0));
            } else if axis.is_set_of_bits() {
                let mut bits = members.fold(0u128, |bits, key| bits | 1 << key);
                let each = size / bits.count_ones() as f32;
                while bits > 0 {
                    let key = bits.trailing_zeros() as u16;
                    marginal.add(key, key, each);
                    bits &= bits - 1;
                }
            } else {
                keys.clear();
                keys.extend(members);
                keys.sort_unstable();
                let each = size / axis.values(keys) as f32;
                axis.spans(keys, |low, high| marginal.add(low, high, each));
            }
        }
    }

    fn add_record<const K: usize>(&mut self, record: &CoverRecord<K>) {
        for (axis, marginal) in self.axes.iter_mut().enumerate() {
            let key = record.keys[axis];
            marginal.add_to_bins(key >> marginal.shift, key >> marginal.shift, -1.0);
        }
    }

    /// Prices for what is over or missing now. O(bins).
    pub(super) fn set_prices(&mut self) {
        for marginal in &mut self.axes {
            let width = (1u32 << marginal.shift) as f32;
            let (mut excess, mut sum) = (0.0, 0.0);
            for (bin, rise) in marginal.rises.iter().enumerate() {
                excess += rise;
                let price = PRICE * (excess / FULL).clamp(-1.0, 1.0);
                marginal.each[bin] = price;
                marginal.below[bin] = sum;
                sum += price * width;
            }
        }
    }

    /// The sum of the prices of the positions `low..=high` of an axis.
    #[inline]
    pub(super) fn price(&self, axis: usize, low: u16, high: u16) -> f32 {
        let marginal = &self.axes[axis];
        let up_to = |key: u32| {
            let bin = (key >> marginal.shift) as usize;
            let within = key & ((1 << marginal.shift) - 1);
            marginal.below[bin] + marginal.each[bin] * within as f32
        };
        up_to(u32::from(high) + 1) - up_to(low.into())
    }
}

impl Marginal {
    /// Adds as much at each position of `low..=high`.
    fn add(&mut self, low: u16, high: u16, each: f32) {
        let (first, last) = (low >> self.shift, high >> self.shift);
        let width = 1u32 << self.shift;
        self.add_to_bins(first, last, each * width as f32);
        if width > 1 {
            // Bins at the ends are covered in part.
            let before = u32::from(low) - u32::from(first) * width;
            let behind = (u32::from(last) + 1) * width - (u32::from(high) + 1);
            self.add_to_bins(first, first, -each * before as f32);
            self.add_to_bins(last, last, -each * behind as f32);
        }
    }

    fn add_to_bins(&mut self, first: u16, last: u16, amount: f32) {
        self.rises[usize::from(first)] += amount;
        self.rises[usize::from(last) + 1] -= amount;
    }
}
