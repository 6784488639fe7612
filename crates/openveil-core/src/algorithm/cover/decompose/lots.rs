//! Lots: a histogram divided in proportion, so that each part is composed by itself.

use crate::coins::{Coins, shuffle};
use crate::table::Histogram;

/// A part of a histogram, and the number of groups that it becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lot {
    pub(super) histogram: Histogram,
    pub(super) groups: u32,
}

/// Divides a histogram that becomes `groups` groups into `lots` lots, each of which becomes about
/// equally many of the groups.
///
/// A lot with q of the remaining Q groups gets ⌊n·q/Q⌋ or ⌈n·q/Q⌉ of the remaining n rows, and
/// ⌊c·q/Q⌋ or ⌈c·q/Q⌉ of the c rows of a value. So a value with at most as many rows as there are
/// groups also has at most as many rows as groups in every lot. The mean size of a lot's groups
/// lies between the same two whole numbers as that of all groups. Random draws decide between
/// values with equal remainders.
///
/// O(lots · values · log values).
///
/// # Panics
/// If there is no lot, or there are fewer groups than lots.
pub(super) fn peel(
    histogram: &Histogram,
    groups: u32,
    lots: u32,
    coins: &mut dyn Coins,
) -> Vec<Lot> {
    assert!((1..=groups).contains(&lots), "a lot has groups");
    let mut left = Lot {
        histogram: Histogram::from_counts(histogram.counts().to_vec()),
        groups,
    };
    let mut parted = Vec::with_capacity(lots as usize);
    for more in (1..lots).rev() {
        let lot = first(&left, left.groups / (more + 1), coins);
        let counts = left.histogram.counts().iter().zip(lot.histogram.counts());
        left = Lot {
            histogram: Histogram::from_counts(counts.map(|(all, own)| all - own).collect()),
            groups: left.groups - lot.groups,
        };
        parted.push(lot);
    }
    parted.push(left);
    parted
}

/// Takes a lot of this many groups.
fn first(left: &Lot, groups: u32, coins: &mut dyn Coins) -> Lot {
    let share = |count: u32| {
        let product = u64::from(count) * u64::from(groups);
        let all = u64::from(left.groups);
        ((product / all) as u32, product % all)
    };
    let (mut rows, remainder) = share(left.histogram.rows());
    rows += u32::from(2 * remainder >= u64::from(left.groups));
    let counts = left.histogram.counts().iter();
    let (mut counts, remainders): (Vec<u32>, Vec<u64>) = counts.map(|&count| share(count)).unzip();
    let more = rows - counts.iter().sum::<u32>();
    if more > 0 {
        // Only values with a remainder get one more row; there are enough of them.
        let mut order: Vec<u32> = (0..counts.len() as u32)
            .filter(|&value| remainders[value as usize] > 0)
            .collect();
        shuffle(&mut order, coins);
        order.sort_by_key(|&value| std::cmp::Reverse(remainders[value as usize]));
        for &value in &order[..more as usize] {
            counts[value as usize] += 1;
        }
    }
    Lot {
        histogram: Histogram::from_counts(counts),
        groups,
    }
}
