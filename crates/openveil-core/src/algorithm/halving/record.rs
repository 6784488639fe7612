//! People as the engine carries them: flat records, so that nothing has to be looked up again.

use crate::coins::Coins;
use std::cmp::Ordering;

/// A person: the position, and the data that decisions and the release need.
#[derive(Clone, Copy)]
pub(super) struct HalvingRecord<const K: usize> {
    /// Positions on quasi-identifiers; unused ones are 0.
    pub(super) keys: [u16; K],
    pub(super) row: u32,
    pub(super) value: u32,
}

/// Compares by one axis, then by the others in turn. The order of people who differ anywhere does
/// not depend on the file.
#[inline]
pub(super) fn compare<const K: usize>(
    axis: usize,
    a: &HalvingRecord<K>,
    b: &HalvingRecord<K>,
) -> Ordering {
    // Up to eight positions are compared as one number, without branches.
    let bits = 16 * axis as u32;
    match K {
        4 => {
            let number = |own: &HalvingRecord<K>| {
                own.keys.iter().fold(0u64, |all, &key| all << 16 | u64::from(key)).rotate_left(bits)
            };
            number(a).cmp(&number(b))
        }
        8 => {
            let number = |own: &HalvingRecord<K>| {
                let all = own.keys.iter().fold(0u128, |all, &key| all << 16 | u128::from(key));
                all.rotate_left(bits)
            };
            number(a).cmp(&number(b))
        }
        _ => a.keys[axis].cmp(&b.keys[axis]).then_with(|| {
            let behind = a.keys[axis + 1..].cmp(&b.keys[axis + 1..]);
            behind.then_with(|| a.keys[..axis].cmp(&b.keys[..axis]))
        }),
    }
}

/// Moves the `at` records that are least by an axis to the front. Coins decide between identical
/// records. O(n).
pub(super) fn split<const K: usize>(
    records: &mut [HalvingRecord<K>],
    at: usize,
    axis: usize,
    coins: &mut dyn Coins,
) {
    if at == 0 || at == records.len() {
        return;
    }
    let (_, pivot, _) = records.select_nth_unstable_by(at, |a, b| compare(axis, a, b));
    let keys = pivot.keys;
    let first = partition(&mut records[..at], |record| record.keys != keys);
    if first < at {
        let last = at + partition(&mut records[at..], |record| record.keys == keys);
        choose(&mut records[first..last], at - first, coins);
    }
}

/// Moves the items that meet a condition to the front; returns their number. O(n).
pub(super) fn partition<T>(items: &mut [T], meets: impl Fn(&T) -> bool) -> usize {
    let mut met = 0;
    for index in 0..items.len() {
        if meets(&items[index]) {
            items.swap(met, index);
            met += 1;
        }
    }
    met
}

/// Moves a uniform choice of `front` items to the front. To toss as few coins as possible, it draws
/// the smaller side.
pub(super) fn choose<T>(items: &mut [T], front: usize, coins: &mut dyn Coins) {
    let all = items.len();
    if front <= all / 2 {
        for place in 0..front {
            items.swap(place, place + coins.below((all - place) as u32) as usize);
        }
    } else {
        for place in (front..all).rev() {
            items.swap(place, coins.below(place as u32 + 1) as usize);
        }
    }
}

/// Moves the first `at` records of each of several strands of equal length to the front, strand by
/// strand, and the others behind them. O(n).
pub(super) fn regroup<const K: usize>(
    records: &mut [HalvingRecord<K>],
    strands: usize,
    at: usize,
    spare: &mut Vec<HalvingRecord<K>>,
) {
    if strands == 1 {
        return;
    }
    spare.clear();
    let mut kept = 0;
    let size = records.len() / strands;
    for start in (0..records.len()).step_by(size) {
        spare.extend_from_slice(&records[start + at..start + size]);
        records.copy_within(start..start + at, kept);
        kept += at;
    }
    records[kept..].copy_from_slice(spare);
}
