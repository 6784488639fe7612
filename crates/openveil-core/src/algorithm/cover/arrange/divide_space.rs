//! The cuts that *arrange* would make, as places in space instead of ranks.

use super::cut::{self, ArrangedNode, CutMemory};
use crate::algorithm::cover::deal::DealtColumn;
use crate::algorithm::cover::space::CoverSpace;

/// How a part of the space is divided further.
pub(in crate::algorithm) enum Division {
    /// It is not cut.
    Whole {
        /// The position of one of its people.
        keys: Vec<u16>,
        /// Whether there are several people, all at this position.
        are_alike: bool,
    },
    /// It is cut into codes below `below` on an axis, and the others.
    Cut {
        axis: usize,
        below: u32,
        parts: Box<[Division; 2]>,
    },
}

/// Cuts the space as if each of these people were a group, until parts have at most `most` of them.
/// People who are alike stay together. O(n log n).
pub(in crate::algorithm::cover) fn divide_space<const K: usize>(
    people: DealtColumn<'_, K>,
    space: &CoverSpace<'_, K>,
    most: usize,
) -> Division {
    divide(people, space, most.max(1), &mut CutMemory::default())
}

fn divide<const K: usize>(
    people: DealtColumn<'_, K>,
    space: &CoverSpace<'_, K>,
    most: usize,
    scratch: &mut CutMemory,
) -> Division {
    let found = (people.len() > most)
        .then(|| best(people, space, scratch))
        .flatten();
    let Some((axis, below)) = found else {
        return Division::Whole {
            keys: people[0].keys.to_vec(),
            are_alike: people.len() > 1 && people.iter().all(|own| own.keys == people[0].keys),
        };
    };
    let first = partition(people, |key| key < below, axis);
    let (low, high) = people.split_at_mut(first);
    Division::Cut {
        axis,
        below: u32::from(below) << space.shift(axis),
        parts: Box::new([
            divide(low, space, most, scratch),
            divide(high, space, most, scratch),
        ]),
    }
}

/// Returns where the best cut goes through the space: the nearest place on its axis with people on
/// both sides. `None` if all people are alike.
fn best<const K: usize>(
    people: &mut [crate::algorithm::cover::deal::CoverRecord<K>],
    space: &CoverSpace<'_, K>,
    scratch: &mut CutMemory,
) -> Option<(usize, u16)> {
    let groups = 0..people.len();
    let columns = &[&mut *people];
    let cut = cut::best(&ArrangedNode { columns, groups }, space, scratch)?;
    let keys = || people.iter().map(|record| record.keys[cut.axis]);
    let mut sorted: Vec<u16> = keys().collect();
    let (_, &mut key, _) = sorted.select_nth_unstable(cut.at);
    // People who share the position stay together: they go to the side where the greater part of
    // them is.
    let before = keys().filter(|&own| own < key).count();
    let behind = keys().filter(|&own| own > key).count();
    match (before, behind) {
        (0, 0) => None,
        (0, _) => Some((cut.axis, key + 1)),
        (_, 0) => Some((cut.axis, key)),
        _ if cut.at.abs_diff(before) <= (people.len() - behind).abs_diff(cut.at) => {
            Some((cut.axis, key))
        }
        _ => Some((cut.axis, key + 1)),
    }
}

/// Moves people whose position is in the first part to the front; returns their number.
fn partition<const K: usize>(
    people: DealtColumn<'_, K>,
    is_first: impl Fn(u16) -> bool,
    axis: usize,
) -> usize {
    let mut first = 0;
    for at in 0..people.len() {
        if is_first(people[at].keys[axis]) {
            people.swap(at, first);
            first += 1;
        }
    }
    first
}
