//! Preserves the distribution of each single quasi-identifier.
//!
//! A reader who spreads a group's people evenly over its cell finds too many people with rare
//! values and too few with frequent ones. Here each value has a price for the surplus or shortfall,
//! so that groups whose cells reduce it become cheaper.

use super::super::space::{CellSizes, CoverAxis, CoverSpace};
use super::block::{BlockAxis, MatchedBlock};

/// The price of one row too many or too few, in nats, added to the logarithms of cells.
pub(super) const PRICE: f32 = 0.5;

/// The price is full from this many rows on.
const FULL: f32 = 16.0;

/// Positions are summed up in at most this many bins.
const BINS: u32 = 512;

/// For some groups and each quasi-identifier: how many rows too many a reader finds by spreading
/// every group evenly over its cell, and the cost of that.
pub(super) struct Marginals {
    axes: Vec<Marginal>,
}

struct Marginal {
    /// How many low bits of a position are cut off.
    shift: u32,
    /// Estimated minus true rows, per bin. For stretches: the increase from each bin to the next,
    /// with one more entry behind the last bin.
    rises: Vec<f32>,
    is_of_stretches: bool,
    has_changed: bool,
    /// The sums of the prices of all positions in the bins below, with one more entry than bins;
    /// and the price of one position.
    below: Vec<f32>,
    each: Vec<f32>,
}

impl Marginals {
    /// The marginals of some blocks as they are. O(rows · width of cells).
    pub(super) fn new<const K: usize>(
        blocks: &[MatchedBlock<'_, K>],
        space: &CoverSpace<'_, K>,
        axes: &mut [BlockAxis<'_>],
    ) -> Self {
        let mut all = Self { axes: space.axes().iter().map(Marginal::new).collect() };
        for block in blocks {
            for (number, (marginal, axis)) in all.axes.iter_mut().zip(&mut *axes).enumerate() {
                axis.read(block, number);
                marginal.add_members(axis, block.groups());
            }
        }
        all.set_prices();
        all
    }

    /// Replaces the cells of groups that get another member of a column. The column was taken out;
    /// group g gets the member that group `members[g]` had.
    pub(super) fn move_members(
        &mut self,
        (number, axis): (usize, &BlockAxis<'_>),
        column: usize,
        members: &[u8],
        scratch: &mut Vec<u16>,
    ) {
        let marginal = &mut self.axes[number];
        let keys = &axis.keys[column];
        for (group, &member) in members.iter().enumerate() {
            let member = usize::from(member);
            if keys[member] != keys[group] {
                marginal.has_changed = true;
                marginal.exchange(axis, column, [group, member], scratch);
            }
        }
    }

    /// Sets the prices by the present surplus or shortfall. O(bins).
    pub(super) fn set_prices(&mut self) {
        for marginal in self.axes.iter_mut().filter(|own| own.has_changed) {
            marginal.has_changed = false;
            let width = (1u32 << marginal.shift) as f32;
            let (mut excess, mut sum) = (0.0, 0.0);
            for ((below, each), rise) in
                marginal.below.iter_mut().zip(&mut marginal.each).zip(&marginal.rises)
            {
                excess = if marginal.is_of_stretches { excess + rise } else { *rise };
                *each = PRICE * (excess / FULL).clamp(-1.0, 1.0);
                *below = sum;
                sum += *each * width;
            }
        }
    }

    /// The sum of the prices of the positions below `key` on an axis; `key` may be one past the
    /// last position.
    #[inline]
    pub(super) fn price_below(&self, axis: usize, key: u32) -> f32 {
        let marginal = &self.axes[axis];
        let bin = (key >> marginal.shift) as usize;
        let within = key & ((1 << marginal.shift) - 1);
        marginal.below[bin] + marginal.each[bin] * within as f32
    }
}

impl Marginal {
    fn new(axis: &CoverAxis<'_>) -> Self {
        let last = axis.last_key();
        let bits = u32::BITS - u32::from(last).leading_zeros();
        let shift = bits.saturating_sub(BINS.ilog2());
        let bins = usize::from(last >> shift) + 1;
        Self {
            shift,
            rises: vec![0.0; bins + 1],
            is_of_stretches: !matches!(axis.cells, CellSizes::Set),
            has_changed: true,
            below: vec![0.0; bins + 1],
            each: vec![0.0; bins + 1],
        }
    }

    /// Removes a group's cell with its own member of a column, and adds its cell with another
    /// group's member instead.
    fn exchange(
        &mut self,
        axis: &BlockAxis<'_>,
        column: usize,
        [group, other]: [usize; 2],
        scratch: &mut Vec<u16>,
    ) {
        let size = axis.keys.len() as f32;
        let places = [group, other];
        let [from, to] = places.map(|place| axis.keys[column][place]);
        match axis.of.cells {
            CellSizes::Interval => {
                let (low, high) = (axis.low[group], axis.high[group]);
                for (key, size) in [(from, -size), (to, size)] {
                    self.add_interval(low.min(key), high.max(key), size);
                }
            }
            CellSizes::Nodes(_) => {
                for (key, size) in [(from, -size), (to, size)] {
                    axis.with(group, key, scratch);
                    self.add_nodes(&axis.of, scratch, size);
                }
            }
            CellSizes::Set => {
                let is_new = places
                    .map(|place| usize::from(axis.numbers[column][place]))
                    .map(|number| axis.holders[number][group] == 0.0);
                let each = is_new
                    .map(|is_new| axis.counts[group] + f32::from(u8::from(is_new)))
                    .map(|count| size / count);
                if is_new[0] != is_new[1] {
                    let more = each[1] - each[0];
                    axis.set(group).for_each(|key| self.add_to_bin(key, more));
                }
                if is_new[0] {
                    self.add_to_bin(from, -each[0]);
                }
                if is_new[1] {
                    self.add_to_bin(to, each[1]);
                }
            }
        }
    }

    /// Adds all cells of a block, and subtracts its members.
    fn add_members(&mut self, axis: &BlockAxis<'_>, groups: usize) {
        let size = axis.keys.len() as f32;
        match axis.of.cells {
            CellSizes::Interval => {
                axis.low
                    .iter()
                    .zip(&axis.high)
                    .take(groups)
                    .for_each(|(&low, &high)| self.add_interval(low, high, size));
            }
            CellSizes::Nodes(_) => {
                for group in 0..groups {
                    self.add_nodes(&axis.of, axis.members(group), size);
                }
            }
            CellSizes::Set => {
                for (&key, holders) in axis.present.iter().zip(&axis.holders) {
                    let cells = holders.iter().zip(&axis.counts).take(groups);
                    let amount =
                        cells.map(|(&own, count)| if own > 0.0 { size / count } else { 0.0 });
                    self.add_to_bin(key, amount.sum());
                }
            }
        }
        for &key in axis.keys.iter().flat_map(|keys| &keys[..groups]) {
            if self.is_of_stretches {
                self.add_to_bins(key >> self.shift, key >> self.shift, -1.0);
            } else {
                self.add_to_bin(key, -1.0);
            }
        }
    }

    /// Adds rows that are spread evenly over an interval.
    fn add_interval(&mut self, low: u16, high: u16, rows: f32) {
        self.add(low, high, rows / (f32::from(high - low) + 1.0));
    }

    /// Adds rows that are spread evenly over the nodes that stand for some positions, ascending.
    fn add_nodes(&mut self, axis: &CoverAxis<'_>, keys: &[u16], rows: f32) {
        let each = rows / axis.values(keys) as f32;
        axis.spans(keys, |low, high| self.add(low, high, each));
    }

    /// Adds `each` at each position of `low..=high`.
    fn add(&mut self, low: u16, high: u16, each: f32) {
        let (first, last) = (low >> self.shift, high >> self.shift);
        let width = 1u32 << self.shift;
        self.add_to_bins(first, last, each * width as f32);
        if width > 1 {
            // The bins at both ends are covered in part.
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

    /// For sets: adds at one position.
    fn add_to_bin(&mut self, key: u16, amount: f32) {
        self.rises[usize::from(key >> self.shift)] += amount;
    }
}
