//! The space in which people lie, and where a node is cut. Cuts depend on quasi-identifiers and
//! coins only.

use super::PARALLEL;
use super::record::{HalvingRecord, compare};
use crate::coins::Coins;
use crate::table::{Column, View};
use rayon::prelude::*;

/// The most quasi-identifiers that decide about cuts: the ones with the greatest weight.
pub(super) const AXES: usize = 32;

/// In larger nodes, cuts are chosen on a sample of this many people.
const SAMPLE: usize = 128;

/// Added to a column's share of its domain before the logarithm is taken: below it,
/// narrower cells gain little.
const NARROW: f32 = 0.2;

/// The quasi-identifiers of a table, and the costs of spanning them.
pub(super) struct HalvingSpace<'a, const K: usize> {
    axes: Vec<HalvingAxis<'a>>,
}

struct HalvingAxis<'a> {
    column: &'a Column,
    /// How many low bits of a code are cut off to make a position of 16 bits.
    shift: u32,
    /// The cost by extent, in steps of positions.
    costs: Vec<f32>,
}

/// The columns that decide about cuts: all columns, or the [`AXES`] columns with the greatest
/// weight.
fn leading(table: &View) -> Vec<&Column> {
    let mut columns: Vec<&Column> = table.known().iter().collect();
    columns.sort_by_key(|column| std::cmp::Reverse(column.weight()));
    columns.truncate(AXES);
    columns
}

impl<'a> HalvingAxis<'a> {
    fn new(column: &'a Column) -> Self {
        let full = column.domain().full_extent();
        let shift = (u32::BITS - full.leading_zeros()).saturating_sub(u16::BITS);
        let whole = (full >> shift).max(1) as f32;
        Self {
            column,
            shift,
            costs: (0..=full >> shift)
                .map(|extent: u32| column.weight() as f32 * (extent as f32 / whole + NARROW).ln())
                .collect(),
        }
    }

    #[inline]
    fn cost(&self, low: u16, high: u16) -> f32 {
        let extent = match self.column.domain().hierarchy() {
            None => u32::from(high - low),
            Some(tree) => {
                let last = ((u32::from(high) + 1) << self.shift) - 1;
                let last = last.min(self.column.domain().full_extent());
                tree.extent(u32::from(low) << self.shift, last) >> self.shift
            }
        };
        self.costs[extent as usize]
    }
}

/// The smallest box around some people.
#[derive(Clone, Copy)]
struct SmallestBox<const K: usize> {
    low: [u16; K],
    high: [u16; K],
    people: usize,
}

impl<const K: usize> SmallestBox<K> {
    const EMPTY: Self = Self { low: [u16::MAX; K], high: [0; K], people: 0 };

    #[inline]
    fn with(mut self, records: &[HalvingRecord<K>]) -> Self {
        for record in records {
            for axis in 0..K {
                self.low[axis] = self.low[axis].min(record.keys[axis]);
                self.high[axis] = self.high[axis].max(record.keys[axis]);
            }
        }
        self.people += records.len();
        self
    }
}

impl<'a, const K: usize> HalvingSpace<'a, K> {
    pub(super) fn new(table: &'a View) -> Self {
        let columns = leading(table).into_iter();
        Self { axes: columns.map(HalvingAxis::new).collect() }
    }

    /// Records of everybody in the table.
    pub(super) fn records(&self, table: &View) -> Vec<HalvingRecord<K>> {
        (0..table.rows())
            .into_par_iter()
            .with_min_len(PARALLEL)
            .map(|row: usize| {
                let mut keys = [0; K];
                for (key, axis) in keys.iter_mut().zip(&self.axes) {
                    *key = (axis.column.codes()[row] >> axis.shift) as u16;
                }
                HalvingRecord { keys, row: row as u32, value: table.secret().codes()[row] }
            })
            .collect()
    }

    /// Returns the axis along which a cut in the middle of every strand leaves the boxes that cost
    /// least. O(axes · n) up to [`SAMPLE`] people; larger nodes cost no more.
    pub(super) fn best_axis(
        &self,
        node: &[HalvingRecord<K>],
        strands: usize,
        sample: &mut Vec<HalvingRecord<K>>,
        coins: &mut dyn Coins,
    ) -> usize {
        draw(node, strands, sample, coins);
        let whole = SmallestBox::EMPTY.with(sample);
        let (mut best, mut least) = (0, f32::INFINITY);
        for axis in (0..self.axes.len()).filter(|&axis| whole.low[axis] < whole.high[axis]) {
            let size = sample.len() / strands;
            for strand in sample.chunks_exact_mut(size) {
                strand.select_nth_unstable_by(size / 2, |a, b| compare(axis, a, b));
            }
            let cost = self.cost_of(sample.chunks_exact(size), size / 2);
            if cost < least {
                (least, best) = (cost, axis);
            }
        }
        best
    }

    /// The cost of the boxes of both sides for everybody in them, if all strands are cut at one
    /// place.
    fn cost_of<'b>(&self, strands: impl Iterator<Item = &'b [HalvingRecord<K>]>, at: usize) -> f32 {
        let (mut lower, mut upper) = (SmallestBox::EMPTY, SmallestBox::EMPTY);
        for strand in strands {
            lower = lower.with(&strand[..at]);
            upper = upper.with(&strand[at..]);
        }
        self.cost(&lower) + self.cost(&upper)
    }

    fn cost(&self, bounds: &SmallestBox<K>) -> f32 {
        if bounds.people == 0 {
            return 0.0;
        }
        let cost: f32 = self
            .axes
            .iter()
            .zip(bounds.low.iter().zip(&bounds.high))
            .map(|(axis, (&low, &high))| axis.cost(low, high))
            .sum();
        bounds.people as f32 * cost
    }
}

/// Draws people of a node, equally many of each strand, by coins; the whole node if it is small
/// enough.
fn draw<const K: usize>(
    node: &[HalvingRecord<K>],
    strands: usize,
    sample: &mut Vec<HalvingRecord<K>>,
    coins: &mut dyn Coins,
) {
    sample.clear();
    if node.len() <= SAMPLE {
        sample.extend_from_slice(node);
        return;
    }
    for strand in node.chunks_exact(node.len() / strands) {
        let mut one = || strand[coins.below(strand.len() as u32) as usize];
        sample.extend((0..SAMPLE / strands).map(|_| one()));
    }
}
