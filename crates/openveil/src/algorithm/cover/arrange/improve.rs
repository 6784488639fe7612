//! Exchanges between neighbouring groups while the total cost falls.

use super::super::deal::{Record, Slot};
use super::super::space::{Keys, Space};

/// Distances between the groups that exchange, pass by pass.
const PASSES: [usize; 2] = [1, 2];

/// Exchanges records of one slot between groups a short way apart wherever that
/// lowers the sum of their box costs. A fixed number of passes: what is done
/// depends on positions only, never on a clock. O(n) per pass.
pub(super) fn exchange<const K: usize>(slots: &mut [Slot<'_, K>], space: &Space<'_, K>) {
    let groups = slots[0].len();
    let mut behind = vec![Bounds::EMPTY; 2 * (slots.len() + 1)];
    for distance in PASSES {
        for left in 0..groups.saturating_sub(distance) {
            exchange_pair(slots, left, left + distance, space, &mut behind);
        }
    }
}

/// The smallest box around some positions.
#[derive(Clone, Copy)]
struct Bounds<const K: usize> {
    low: Keys<K>,
    high: Keys<K>,
}

impl<const K: usize> Bounds<K> {
    const EMPTY: Self = Self {
        low: [u16::MAX; K],
        high: [0; K],
    };

    #[inline]
    fn with(mut self, record: &Record<K>) -> Self {
        for axis in 0..K {
            self.low[axis] = self.low[axis].min(record.keys[axis]);
            self.high[axis] = self.high[axis].max(record.keys[axis]);
        }
        self
    }

    #[inline]
    fn union(mut self, other: &Self) -> Self {
        for axis in 0..K {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
        self
    }

    #[inline]
    fn cost(&self, space: &Space<'_, K>) -> f32 {
        space.box_cost(&self.low, &self.high)
    }
}

/// One walk through the slots: `ahead` holds the box of the records already
/// decided, `behind` those of the records still to come.
fn exchange_pair<const K: usize>(
    slots: &mut [Slot<'_, K>],
    left: usize,
    right: usize,
    space: &Space<'_, K>,
    behind: &mut [Bounds<K>],
) {
    let (behind_left, behind_right) = behind.split_at_mut(slots.len() + 1);
    for slot in (0..slots.len()).rev() {
        behind_left[slot] = behind_left[slot + 1].with(&slots[slot][left]);
        behind_right[slot] = behind_right[slot + 1].with(&slots[slot][right]);
    }
    let mut cost = behind_left[0].cost(space) + behind_right[0].cost(space);
    let (mut ahead_left, mut ahead_right) = (Bounds::EMPTY, Bounds::EMPTY);
    for slot in 0..slots.len() {
        let (a, b) = (slots[slot][left], slots[slot][right]);
        if a.keys != b.keys {
            let exchanged = ahead_left
                .with(&b)
                .union(&behind_left[slot + 1])
                .cost(space)
                + ahead_right
                    .with(&a)
                    .union(&behind_right[slot + 1])
                    .cost(space);
            if exchanged < cost {
                slots[slot].swap(left, right);
                cost = exchanged;
            }
        }
        ahead_left = ahead_left.with(&slots[slot][left]);
        ahead_right = ahead_right.with(&slots[slot][right]);
    }
}
