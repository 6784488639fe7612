//! Neighbourhoods of groups: blocks of a random k-d tree over their centres.

use super::super::deal::DealtColumn;
use super::super::space::CoverSpace;
use openveil_core::coins::{Coins, SecretCoins};

/// Above this many groups both sides of a node are divided in parallel.
const PARALLEL_GROUPS: usize = 4_096;

/// Orders groups so that every `block` of them, counted from the front, are close to each other.
/// Coins choose the axis of each node of the tree, so that another call finds other neighbourhoods.
/// O(n log n).
pub(super) fn gather<const K: usize>(
    columns: &mut [DealtColumn<'_, K>],
    space: &CoverSpace<'_, K>,
    block: usize,
    coins: &mut dyn Coins,
) {
    if columns[0].len() <= block {
        return;
    }
    let mut centres = centres(columns);
    divide(&mut centres, space.axes().len(), block, coins);
    let mut gathered = Vec::with_capacity(centres.len());
    for column in columns {
        gathered.clear();
        gathered.extend(centres.iter().map(|centre| column[centre.group as usize]));
        column.copy_from_slice(&gathered);
    }
}

/// Where a group lies: the sums of its members' positions.
#[derive(Clone, Copy)]
struct Centre<const K: usize> {
    group: u32,
    sums: [u32; K],
}

fn centres<const K: usize>(columns: &[DealtColumn<'_, K>]) -> Vec<Centre<K>> {
    let groups = 0..columns[0].len() as u32;
    let mut centres: Vec<Centre<K>> = groups.map(|group| Centre { group, sums: [0; K] }).collect();
    for column in columns {
        for (centre, record) in centres.iter_mut().zip(column.iter()) {
            for axis in 0..K {
                centre.sums[axis] += u32::from(record.keys[axis]);
            }
        }
    }
    centres
}

fn divide<const K: usize>(
    centres: &mut [Centre<K>],
    axes: usize,
    block: usize,
    coins: &mut dyn Coins,
) {
    if centres.len() <= block {
        return;
    }
    let spread: Vec<usize> = (0..axes)
        .filter(|&axis| centres.iter().any(|c| c.sums[axis] != centres[0].sums[axis]))
        .collect();
    if spread.is_empty() {
        return;
    }
    let axis = spread[coins.below(spread.len() as u32) as usize];
    // The left side consists of whole blocks.
    let middle = (centres.len() / 2).next_multiple_of(block).min(centres.len() - 1);
    centres.select_nth_unstable_by_key(middle, |centre| centre.sums[axis]);
    let (left, right) = centres.split_at_mut(middle);
    if left.len() + right.len() > PARALLEL_GROUPS {
        let mut own = [(); 2].map(|()| SecretCoins::keyed_by(coins));
        let [for_left, for_right] = &mut own;
        rayon::join(
            || divide(left, axes, block, for_left),
            || divide(right, axes, block, for_right),
        );
    } else {
        divide(left, axes, block, coins);
        divide(right, axes, block, coins);
    }
}
