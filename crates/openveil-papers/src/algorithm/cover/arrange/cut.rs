//! Where to cut all columns of a node at once: along which quasi-identifier and
//! after how many rows.

use super::super::deal::DealtColumn;
use super::super::space::{CellSizes, CoverAxis, CoverSpace, Keys};
use super::members::CellMembers;
use std::ops::Range;

/// Nodes of at most this many groups try every position. Larger ones try only the median, the
/// borders of its value and the borders of the axis's tree.
const EXHAUSTIVE_GROUPS: usize = 16;

/// Positions are counted in at most this many bins.
const BINS: usize = 256;

/// A cut: the first `at` records of every column, by position on `axis`, go to one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct ArrangeCut {
    pub(in super::super) axis: usize,
    pub(in super::super) at: usize,
}

/// Memory that is reused from node to node.
#[derive(Default)]
pub(in super::super) struct CutMemory {
    /// Per column: how many records lie in a bin or in the bins below it.
    counts: Vec<[u32; BINS]>,
    /// How many records of all columns lie in a bin or in the bins below it.
    totals: Vec<u32>,
    /// The positions that occur.
    present: Vec<u16>,
}

/// The groups of a node.
pub(in super::super) struct ArrangedNode<'a, 'b, const K: usize> {
    pub(in super::super) columns: &'a [DealtColumn<'b, K>],
    pub(in super::super) groups: Range<usize>,
}

/// A place to cut, with the numbers of values in the cells on both sides.
struct CutPlace {
    at: usize,
    left: usize,
    right: usize,
}

/// Returns the cut that lowers the summed costs most, or `None` if all people of the node are
/// alike. Ties go to the first axis and to the place tried first.
pub(in super::super) fn best<const K: usize>(
    node: &ArrangedNode<'_, '_, K>,
    space: &CoverSpace<'_, K>,
    scratch: &mut CutMemory,
) -> Option<ArrangeCut> {
    let (low, high) = node.bounds();
    let size = node.groups.len();
    let mut best = (0.0, None);
    let mut widest = (-1.0, None);
    for (axis, of) in space.axes().iter().enumerate() {
        let range = (low[axis], high[axis]);
        if range.0 == range.1 {
            continue;
        }
        let mut places = Vec::new();
        let whole = if size <= EXHAUSTIVE_GROUPS {
            node.every_place(axis, of, &mut places)
        } else {
            node.likely_places(axis, of, range, scratch, &mut places)
        };
        let whole = space.cost(axis, whole);
        if whole > widest.0 {
            widest = (whole, Some(ArrangeCut { axis, at: size / 2 }));
        }
        for place in places {
            let left = place.at as f32 * space.cost(axis, place.left);
            let right = (size - place.at) as f32 * space.cost(axis, place.right);
            let gain = size as f32 * whole - left - right;
            if gain > best.0 {
                best = (gain, Some(ArrangeCut { axis, at: place.at }));
            }
        }
    }
    // If no cut pays by itself, halve the widest axis: later cuts may pay.
    best.1.or(widest.1)
}

impl<const K: usize> ArrangedNode<'_, '_, K> {
    /// The least and the greatest position on every axis.
    fn bounds(&self) -> (Keys<K>, Keys<K>) {
        let mut low = [u16::MAX; K];
        let mut high = [0; K];
        for column in self.columns {
            for record in &column[self.groups.clone()] {
                for axis in 0..K {
                    low[axis] = low[axis].min(record.keys[axis]);
                    high[axis] = high[axis].max(record.keys[axis]);
                }
            }
        }
        (low, high)
    }

    /// Collects every position of a small node by sorting each column's keys; returns the number of
    /// values of the whole cell.
    fn every_place(&self, axis: usize, of: &CoverAxis<'_>, places: &mut Vec<CutPlace>) -> usize {
        let size = self.groups.len();
        match of.cells {
            CellSizes::Interval => {
                let mut at_rank = [(u16::MAX, 0); EXHAUSTIVE_GROUPS];
                self.each_sorted(axis, |sorted| {
                    for ((low, high), &key) in at_rank.iter_mut().zip(sorted) {
                        (*low, *high) = (key.min(*low), key.max(*high));
                    }
                });
                // Both rise from rank to rank.
                let width =
                    |from: usize, to: usize| usize::from(at_rank[to].1 - at_rank[from].0) + 1;
                places.extend((1..size).map(|at| CutPlace {
                    at,
                    left: width(0, at - 1),
                    right: width(at, size - 1),
                }));
                width(0, size - 1)
            }
            CellSizes::Set if of.positions() <= u128::BITS as usize => {
                let mut at_rank = [0u128; EXHAUSTIVE_GROUPS];
                self.each_sorted(axis, |sorted| {
                    for (bits, &key) in at_rank.iter_mut().zip(sorted) {
                        *bits |= 1 << key;
                    }
                });
                let values = |bits: u128| bits.count_ones() as usize;
                let all = at_rank.iter().fold(0, |all, bits| all | bits);
                let mut below = 0;
                places.extend((1..size).map(|at| {
                    below |= at_rank[at - 1];
                    let above = at_rank[at..].iter().fold(0, |above, bits| above | bits);
                    CutPlace { at, left: values(below), right: values(above) }
                }));
                values(all)
            }
            CellSizes::Set | CellSizes::Nodes(_) => self.every_place_of_cells(axis, of, places),
        }
    }

    fn every_place_of_cells(
        &self,
        axis: usize,
        of: &CoverAxis<'_>,
        places: &mut Vec<CutPlace>,
    ) -> usize {
        let size = self.groups.len();
        let mut at_rank = [const { CellMembers::EMPTY }; EXHAUSTIVE_GROUPS];
        self.each_sorted(axis, |sorted| {
            for (members, &key) in at_rank.iter_mut().zip(sorted) {
                members.insert(key);
            }
        });
        // From the right: counts at a rank or above it.
        let mut above = at_rank.clone();
        for rank in (0..size - 1).rev() {
            let (here, next) = above.split_at_mut(rank + 1);
            here[rank].extend(&next[0]);
        }
        let whole = above[0].values(of);
        let mut below = CellMembers::EMPTY;
        for at in 1..size {
            below.extend(&at_rank[at - 1]);
            places.push(CutPlace { at, left: below.values(of), right: above[at].values(of) });
        }
        whole
    }

    /// Calls `call` with the positions of each column of a small node, ascending.
    fn each_sorted(&self, axis: usize, mut call: impl FnMut(&[u16])) {
        let mut sorted = [0; EXHAUSTIVE_GROUPS];
        for column in self.columns {
            let records = &column[self.groups.clone()];
            for (number, record) in records.iter().enumerate() {
                let key = record.keys[axis];
                let mut place = number;
                while place > 0 && sorted[place - 1] > key {
                    sorted[place] = sorted[place - 1];
                    place -= 1;
                }
                sorted[place] = key;
            }
            call(&sorted[..records.len()]);
        }
    }

    /// Collects the likely places: the median, and the places where the first or the last of the
    /// columns reaches or passes the median's value, or reaches a border of the axis's tree.
    /// Returns the number of values of the whole cell.
    fn likely_places(
        &self,
        axis: usize,
        of: &CoverAxis<'_>,
        (low, high): (u16, u16),
        scratch: &mut CutMemory,
        places: &mut Vec<CutPlace>,
    ) -> usize {
        let (columns, size) = (self.columns.len(), self.groups.len());
        let shift = (u16::BITS - (high - low).leading_zeros()).saturating_sub(BINS.ilog2());
        let bin_of_key = |key: u16| usize::from((key - low) >> shift);
        let bins = bin_of_key(high) + 1;
        self.count_bins(bins, &mut scratch.counts, |keys| bin_of_key(keys[axis]));
        let counts = &scratch.counts[..columns];
        let totals = &mut scratch.totals;
        totals.clear();
        totals.resize(bins, 0);
        for column in counts {
            totals.iter_mut().zip(column).for_each(|(all, own)| *all += own);
        }
        let half = columns * size / 2;
        let median = totals.iter().position(|&up_to| up_to as usize > half).unwrap_or(bins - 1);
        // The places where the first and the last column reach a bin.
        let arrivals = |bin: usize| {
            let below = |column: &[u32; BINS]| bin.checked_sub(1).map_or(0, |last| column[last]);
            let below = counts.iter().map(|column| below(column) as usize);
            [below.clone().min().unwrap_or(0), below.max().unwrap_or(0)]
        };
        let [[first_in, last_in], [first_out, last_out]] = [arrivals(median), arrivals(median + 1)];
        let around = [first_in, last_in, size / 2, first_out, last_out];
        let borders = of.borders(low, high);
        let at_borders = borders.iter().flat_map(|&border| arrivals(bin_of_key(border)));
        let tried = around.into_iter().chain(at_borders).filter(|&at| 0 < at && at < size);
        let present = &mut scratch.present;
        present.clear();
        let is_present = |bin: &usize| *bin == 0 || totals[*bin] > totals[*bin - 1];
        let start = |bin: usize| low + ((bin as u16) << shift);
        // Intervals need their ends only.
        if !matches!(of.cells, CellSizes::Interval) {
            present.extend((0..bins).filter(is_present).map(start));
        }
        let width = 1 << shift;
        let values = |keys: &[u16], low: u16, high: u16| match of.cells {
            CellSizes::Interval => usize::from(high - low) + 1,
            _ => (of.values(keys) * width).min(usize::from(high - low) + 1).max(1),
        };
        for at in tried {
            let bin_of_rank = |column: &[u32; BINS], rank: usize| {
                column[..bins].partition_point(|&count| (count as usize) < rank)
            };
            let left = counts.iter().map(|column| bin_of_rank(column, at)).max();
            let right = counts.iter().map(|column| bin_of_rank(column, at + 1)).min();
            let (left, right) = (left.unwrap_or(0), right.unwrap_or(0));
            let left_high = (u32::from(start(left)) + width as u32 - 1).min(high.into()) as u16;
            let below = present.partition_point(|&key| key <= start(left));
            let above = present.partition_point(|&key| key < start(right));
            places.push(CutPlace {
                at,
                left: values(&present[..below], low, left_high),
                right: values(&present[above..], start(right), high),
            });
        }
        values(present, low, high)
    }

    /// Fills `counts` with each column's cumulative counts per bin.
    fn count_bins(
        &self,
        bins: usize,
        counts: &mut Vec<[u32; BINS]>,
        bin_of: impl Fn(&Keys<K>) -> usize,
    ) {
        if counts.len() < self.columns.len() {
            counts.resize(self.columns.len(), [0; BINS]);
        }
        for (column, counts) in self.columns.iter().zip(counts) {
            let counts = &mut counts[..bins];
            counts.fill(0);
            for record in &column[self.groups.clone()] {
                counts[bin_of(&record.keys)] += 1;
            }
            for bin in 1..bins {
                counts[bin] += counts[bin - 1];
            }
        }
    }
}
