//! *arrange*: inside a bucket, bring people with close quasi-identifiers into
//! one group.
//!
//! Group g consists of the g-th record of every slot, so arranging means
//! ordering each slot. The code sees slots as an unordered set: it puts them in
//! an order that depends on their content alone before it does anything else,
//! and "first" and "last" are minimum and maximum over all slots.

mod cut;
mod improve;

use super::deal::Slot;
use super::space::Space;
use cut::{Cut, Scratch};

/// Above this many groups both parts of a cut are arranged in parallel.
const PARALLEL_GROUPS: usize = 2_048;

/// Neighbourhoods of at most this many groups are improved by exchanges; small
/// enough to stay in the first-level cache.
const NEIGHBOURHOOD_GROUPS: usize = 256;

/// Orders the slots of one bucket so that the g-th records are close.
///
/// O(n log d) for d groups in n rows: each level of cuts selects, never sorts.
pub(super) fn arrange<const K: usize>(mut slots: Vec<Slot<'_, K>>, space: &Space<'_, K>) {
    canonical_order(&mut slots);
    divide(&mut slots, space, &mut Scratch::default());
}

/// Slots with the same sequence of keys are interchangeable; all others get an
/// order of their content's making.
pub(super) fn canonical_order<const K: usize>(slots: &mut [Slot<'_, K>]) {
    slots.sort_by(|a, b| a.iter().map(|r| r.keys).cmp(b.iter().map(|r| r.keys)));
}

fn divide<const K: usize>(slots: &mut [Slot<'_, K>], space: &Space<'_, K>, scratch: &mut Scratch) {
    let groups = slots[0].len();
    if groups <= NEIGHBOURHOOD_GROUPS {
        divide_neighbourhood(slots, 0..groups, space, scratch);
        improve::exchange(slots, space);
        return;
    }
    let Some(cut) = cut::best(slots, 0..groups, space, scratch) else {
        return;
    };
    select(slots, 0..groups, cut);
    let (mut left, mut right): (Vec<_>, Vec<_>) = slots
        .iter_mut()
        .map(|slot| slot.split_at_mut(cut.at))
        .unzip();
    if groups > PARALLEL_GROUPS {
        rayon::join(
            || divide(&mut left, space, &mut Scratch::default()),
            || divide(&mut right, space, &mut Scratch::default()),
        );
    } else {
        divide(&mut left, space, scratch);
        divide(&mut right, space, scratch);
    }
}

fn divide_neighbourhood<const K: usize>(
    slots: &mut [Slot<'_, K>],
    groups: std::ops::Range<usize>,
    space: &Space<'_, K>,
    scratch: &mut Scratch,
) {
    if groups.len() < 2 {
        return;
    }
    let Some(cut) = cut::best(slots, groups.clone(), space, scratch) else {
        return;
    };
    select(slots, groups.clone(), cut);
    let middle = groups.start + cut.at;
    divide_neighbourhood(slots, groups.start..middle, space, scratch);
    divide_neighbourhood(slots, middle..groups.end, space, scratch);
}

/// Brings the records that belong left of the cut to the left, in every slot.
fn select<const K: usize>(slots: &mut [Slot<'_, K>], groups: std::ops::Range<usize>, cut: Cut) {
    for slot in slots {
        slot[groups.clone()].select_nth_unstable_by_key(cut.at, |record| record.keys[cut.axis]);
    }
}

#[cfg(test)]
mod tests;
