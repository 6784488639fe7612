//! Where to cut all slots of a node at once: along which quasi-identifier and
//! after how many rows.

use super::super::deal::Slot;
use super::super::space::{Keys, Space};
use std::ops::Range;

/// Nodes of at most this many groups try every position, larger ones only the
/// median, the borders of its value and those of the axis's tree.
const EXHAUSTIVE_GROUPS: usize = 8;

/// Positions are counted in at most this many bins.
const BINS: usize = 256;

/// A cut of a large node leaves at least one part in this many on either side.
const LEAST_PART: usize = 16;

/// A cut: the first `at` records of every slot by position on `axis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) axis: usize,
    pub(super) at: usize,
}

/// Memory that is used again from node to node.
#[derive(Default)]
pub(super) struct Scratch {
    /// Per slot: how many records lie in a bin or below it.
    counts: Vec<[u32; BINS]>,
    sorted: Vec<u16>,
}

/// A place to cut, with the greatest position on its left and the least on its
/// right, over all slots.
struct Place {
    at: usize,
    left_high: u16,
    right_low: u16,
}

/// The cut that lowers the summed extents most, or `None` if all people of the
/// node are alike. Ties go to the first axis and the place tried first.
pub(super) fn best<const K: usize>(
    slots: &[Slot<'_, K>],
    groups: Range<usize>,
    space: &Space<'_, K>,
    scratch: &mut Scratch,
) -> Option<Cut> {
    let (low, high) = bounds(slots, groups.clone());
    let size = groups.len();
    let mut best = (0.0, None);
    let mut widest = (-1.0, None);
    for axis in (0..space.len()).filter(|&axis| low[axis] < high[axis]) {
        let (low, high) = (low[axis], high[axis]);
        let whole = space.cost(axis, low, high);
        if whole > widest.0 {
            widest = (whole, Some(Cut { axis, at: size / 2 }));
        }
        let consider = |place: Place| {
            let left = place.at as f32 * space.cost(axis, low, place.left_high);
            let right = (size - place.at) as f32 * space.cost(axis, place.right_low, high);
            let gain = size as f32 * whole - left - right;
            if gain > best.0 {
                best = (gain, Some(Cut { axis, at: place.at }));
            }
        };
        if size <= EXHAUSTIVE_GROUPS {
            every_place(slots, groups.clone(), axis, &mut scratch.sorted, consider);
        } else {
            let borders = space.borders(axis, low, high);
            let range = (low, high);
            likely_places(
                slots,
                groups.clone(),
                axis,
                range,
                &borders,
                scratch,
                consider,
            );
        }
    }
    // Where no cut pays by itself, halve the widest axis: later cuts may pay.
    best.1.or(widest.1)
}

/// The least and the greatest position on every axis.
fn bounds<const K: usize>(slots: &[Slot<'_, K>], groups: Range<usize>) -> (Keys<K>, Keys<K>) {
    let mut low = [u16::MAX; K];
    let mut high = [0; K];
    for slot in slots {
        for record in &slot[groups.clone()] {
            for axis in 0..K {
                low[axis] = low[axis].min(record.keys[axis]);
                high[axis] = high[axis].max(record.keys[axis]);
            }
        }
    }
    (low, high)
}

/// Tries every position of a small node, by sorting each slot's keys.
fn every_place<const K: usize>(
    slots: &[Slot<'_, K>],
    groups: Range<usize>,
    axis: usize,
    sorted: &mut Vec<u16>,
    mut consider: impl FnMut(Place),
) {
    let size = groups.len();
    let mut greatest = [0u16; EXHAUSTIVE_GROUPS];
    let mut least = [u16::MAX; EXHAUSTIVE_GROUPS];
    for slot in slots {
        sorted.clear();
        sorted.extend(slot[groups.clone()].iter().map(|record| record.keys[axis]));
        sorted.sort_unstable();
        for (position, &key) in sorted.iter().enumerate() {
            greatest[position] = greatest[position].max(key);
            least[position] = least[position].min(key);
        }
    }
    for at in 1..size {
        consider(Place {
            at,
            left_high: greatest[at - 1],
            right_low: least[at],
        });
    }
}

/// Tries the median and the places, over all slots, where the first or the last
/// of them comes to the median's value or passes it, or comes to a border of the
/// axis's tree.
fn likely_places<const K: usize>(
    slots: &[Slot<'_, K>],
    groups: Range<usize>,
    axis: usize,
    (low, high): (u16, u16),
    borders: &[u16],
    scratch: &mut Scratch,
    mut consider: impl FnMut(Place),
) {
    let size = groups.len();
    let width = high - low;
    let shift = (u16::BITS - width.leading_zeros()).saturating_sub(BINS.ilog2());
    let bin_of_key = |key: u16| usize::from((key - low) >> shift);
    let bins = bin_of_key(high) + 1;
    count_bins(slots, groups, bins, &mut scratch.counts, |keys| {
        bin_of_key(keys[axis])
    });
    let counts = &scratch.counts[..slots.len()];
    let half = slots.len() * size / 2;
    let median = (0..bins)
        .find(|&bin| counts.iter().map(|slot| slot[bin] as usize).sum::<usize>() > half)
        .unwrap_or(bins - 1);
    // Where the first and the last slot come to a bin.
    let arrivals = |bin: usize| {
        let below = |slot: &[u32; BINS]| bin.checked_sub(1).map_or(0, |last| slot[last] as usize);
        let least = counts.iter().map(below).min().unwrap_or(0);
        [least, counts.iter().map(below).max().unwrap_or(0)]
    };
    let [[first_in, last_in], [first_out, last_out]] = [arrivals(median), arrivals(median + 1)];
    let least = (size / LEAST_PART).max(1);
    let around = [first_in, last_in, size / 2, first_out, last_out];
    let around = around
        .into_iter()
        .filter(|&at| least <= at && at <= size - least);
    // There are few borders, so even small parts may be cut off at them.
    let at_borders = borders
        .iter()
        .flat_map(|&border| arrivals(bin_of_key(border)));
    for at in around.chain(at_borders.filter(|&at| 0 < at && at < size)) {
        let bin_of_rank = |slot: &[u32; BINS], rank: usize| {
            slot[..bins].partition_point(|&count| (count as usize) < rank)
        };
        let left = counts
            .iter()
            .map(|slot| bin_of_rank(slot, at))
            .max()
            .unwrap_or(0);
        let right = counts
            .iter()
            .map(|slot| bin_of_rank(slot, at + 1))
            .min()
            .unwrap_or(0);
        let left_high = u32::from(low) + ((left as u32 + 1) << shift) - 1;
        consider(Place {
            at,
            left_high: left_high.min(u32::from(high)) as u16,
            right_low: low + ((right as u16) << shift),
        });
    }
}

/// Fills `counts` with each slot's cumulative counts per bin.
fn count_bins<const K: usize>(
    slots: &[Slot<'_, K>],
    groups: Range<usize>,
    bins: usize,
    counts: &mut Vec<[u32; BINS]>,
    bin_of: impl Fn(&Keys<K>) -> usize,
) {
    if counts.len() < slots.len() {
        counts.resize(slots.len(), [0; BINS]);
    }
    for (slot, counts) in slots.iter().zip(counts) {
        let counts = &mut counts[..bins];
        counts.fill(0);
        for record in &slot[groups.clone()] {
            counts[bin_of(&record.keys)] += 1;
        }
        for bin in 1..bins {
            counts[bin] += counts[bin - 1];
        }
    }
}
