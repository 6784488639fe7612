//! A node and its cuts: which cuts are tried, and what follows a refusal.

use super::PARALLEL;
use super::odd::OddNode;
use super::record::{HalvingRecord, choose, partition, regroup, split};
use super::space::{HalvingCut, HalvingSpace, PersonCodes};
use super::uneven::survives_refusal;
use crate::coins::{Coins, SecretCoins};
use crate::model::{CountBuffer, Counts, Criteria};

/// Which cuts are tried, where the proof allows several.
#[derive(Debug, Clone, Copy)]
pub struct Attempts {
    /// A node with this many strands becomes a leaf at the next refusal: a power of 2.
    pub strands: usize,
    /// Cuts into sides of different size are tried in nodes of at least this many times the fewest
    /// people that a group can have. After a refusal the node is a leaf, so refusals should be
    /// rare.
    pub uneven_from: usize,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            strands: 8,
            uneven_from: 8,
        }
    }
}

/// Data that all nodes share.
pub(super) struct Engine<'a, const K: usize> {
    space: &'a HalvingSpace<'a, K>,
    criteria: &'a Criteria,
    attempts: Attempts,
    least_size: usize,
    /// The number of values.
    values: usize,
    /// Whether values are interchangeable, so that the condition on uneven cuts can be decided.
    is_symmetric: bool,
}

/// Buffers to work in, one set for each thread at a time.
pub(super) struct Room<'a, const K: usize> {
    tally: CountBuffer,
    odd: OddNode<'a>,
    sample: Vec<HalvingRecord<K>>,
    spare: Vec<HalvingRecord<K>>,
}

impl<'a, const K: usize> Room<'a, K> {
    pub(super) fn of(criteria: &'a Criteria) -> Self {
        Self {
            tally: CountBuffer::default(),
            odd: OddNode::of(criteria),
            sample: Vec::new(),
            spare: Vec::new(),
        }
    }
}

impl<'a, const K: usize> Engine<'a, K> {
    pub(super) fn of(
        space: &'a HalvingSpace<'a, K>,
        criteria: &'a Criteria,
        attempts: Attempts,
        values: usize,
    ) -> Self {
        Self {
            space,
            criteria,
            attempts,
            values,
            least_size: criteria.least_size() as usize,
            is_symmetric: criteria.treats_values_alike(),
        }
    }

    /// Cuts a node, on which the model holds, as far as possible. Adds the sizes of the leaves,
    /// which end up one after the other in `node`. The node consists of strands of equal length,
    /// one after the other. Every cut refused at this node or above it has doubled their number,
    /// and every cut divides all strands alike.
    pub(super) fn visit(
        &self,
        node: &mut [HalvingRecord<K>],
        strands: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
        leaves: &mut Vec<u32>,
    ) {
        let size = node.len() / strands;
        if node.len() < 2 * self.least_size || size < 2 {
            leaves.push(node.len() as u32);
            return;
        }
        let cut = self.best_cut(node, strands, room, coins);
        if let PersonCodes::Below(key) = cut.place {
            let lower = partition(node, |record| record.keys[cut.axis] < key);
            if self.may_differ(node, lower, &mut room.tally) {
                self.visit_uneven(node, lower, room, coins, leaves);
                return;
            }
        }
        let (middle, may_go_on) = match (size % 2, strands) {
            (0, _) => (self.halve(node, strands, cut.axis, room, coins), true),
            (_, 1) => (self.halve_odd(node, cut.axis, room, coins), false),
            _ => (
                self.halve_odd_strands(node, strands, cut.axis, room, coins),
                false,
            ),
        };
        if self.holds_on_both(node, middle, &mut room.tally) {
            self.visit_both(node, middle, strands, room, coins, leaves);
        } else if may_go_on && strands < self.attempts.strands {
            self.visit(node, 2 * strands, room, coins, leaves);
        } else {
            leaves.push(node.len() as u32);
        }
    }

    fn best_cut(
        &self,
        node: &[HalvingRecord<K>],
        strands: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
    ) -> HalvingCut {
        let Room { tally, sample, .. } = room;
        let mut sorted = None;
        let may_differ = |differ: usize| {
            self.tries_uneven(node.len()) && {
                let sorted = sorted.get_or_insert_with(|| self.sorted_counts(node, tally));
                survives_refusal(self.criteria, sorted, differ as u128)
            }
        };
        self.space
            .best_cut(node, strands, may_differ, sample, coins)
    }

    fn tries_uneven(&self, size: usize) -> bool {
        self.is_symmetric && size >= self.attempts.uneven_from * self.least_size
    }

    /// Whether a node may be cut into `lower` people and the rest, if that is not the middle.
    fn may_differ(&self, node: &[HalvingRecord<K>], lower: usize, tally: &mut CountBuffer) -> bool {
        let differ = node.len().abs_diff(2 * lower);
        differ > 1
            && differ < node.len()
            && self.tries_uneven(node.len())
            && survives_refusal(
                self.criteria,
                &self.sorted_counts(node, tally),
                differ as u128,
            )
    }

    /// Cuts a node into sides of different size. Coins draw, from the greater side, as many people
    /// as the other side has. The model must hold on all four sets that a cut along either of the
    /// two would make, so that the two can replace each other.
    fn visit_uneven(
        &self,
        node: &mut [HalvingRecord<K>],
        lower: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
        leaves: &mut Vec<u32>,
    ) {
        let upper = node.len() - lower;
        let (few, many) = (lower.min(upper), lower.max(upper));
        // The other people of the greater side go between the two.
        if lower == few {
            choose(&mut node[few..], many - few, coins);
        } else {
            choose(&mut node[..many], few, coins);
        }
        let mut holds_at = |at: usize| self.holds_on_both(node, at, &mut room.tally);
        if holds_at(few) && holds_at(many) {
            self.visit_both(node, lower, 1, room, coins, leaves);
        } else {
            leaves.push(node.len() as u32);
        }
    }

    /// Cuts every strand in the middle, and brings the lower parts to the front.
    fn halve(
        &self,
        node: &mut [HalvingRecord<K>],
        strands: usize,
        axis: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
    ) -> usize {
        let size = node.len() / strands;
        for strand in node.chunks_exact_mut(size) {
            split(strand, size / 2, axis, coins);
        }
        regroup(node, strands, size / 2, &mut room.spare);
        node.len() / 2
    }

    /// Cuts 2m + 1 people: one near the middle joins either side by a coin.
    fn halve_odd(
        &self,
        node: &mut [HalvingRecord<K>],
        axis: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
    ) -> usize {
        let middle = node.len() / 2;
        let window = room.odd.window(&self.counts(node, &mut room.tally));
        if window == 1 {
            split(node, middle + 1, axis, coins);
            return middle + 1;
        }
        let first = middle - window / 2;
        split(node, first, axis, coins);
        split(&mut node[first..], window, axis, coins);
        let inside = &mut node[first..first + window];
        let drawn = coins.below(window as u32) as usize;
        split(inside, drawn, axis, coins);
        split(&mut inside[drawn..], 1, axis, coins);
        inside.swap(drawn, window - 1);
        split(&mut inside[..window - 1], window / 2, axis, coins);
        inside.swap(window / 2, window - 1);
        middle + coins.below(2) as usize
    }

    /// Cuts strands of 2m + 1 people: one person of each, drawn by coins, is set aside, and all of
    /// these join the same side by a coin.
    fn halve_odd_strands(
        &self,
        node: &mut [HalvingRecord<K>],
        strands: usize,
        axis: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
    ) -> usize {
        let size = node.len() / strands;
        let (middle, last) = (size / 2, size - 1);
        for strand in node.chunks_exact_mut(size) {
            strand.swap(coins.below(size as u32) as usize, last);
            split(&mut strand[..last], middle, axis, coins);
            strand.swap(middle, last);
        }
        let lower = middle + coins.below(2) as usize;
        regroup(node, strands, lower, &mut room.spare);
        strands * lower
    }

    fn holds_on_both(
        &self,
        node: &[HalvingRecord<K>],
        middle: usize,
        tally: &mut CountBuffer,
    ) -> bool {
        let (lower, upper) = node.split_at(middle);
        let mut sides = [lower, upper].into_iter();
        sides.all(|side| self.criteria.hold_on_group(&self.counts(side, tally)))
    }

    /// How often each value occurs among some people. O(n).
    fn counts<'t>(&self, people: &[HalvingRecord<K>], tally: &'t mut CountBuffer) -> Counts<'t> {
        let values = people.iter().map(|person| person.value);
        if people.len() < self.values {
            return tally.of_codes(values);
        }
        let mut counts = vec![0u32; self.values];
        values.for_each(|value| counts[value as usize] += 1);
        tally.of_dense(&counts)
    }

    /// The counts of the values of a node, greatest first.
    fn sorted_counts(&self, node: &[HalvingRecord<K>], tally: &mut CountBuffer) -> Vec<u128> {
        let counts = self.counts(node, tally);
        let mut sorted: Vec<u128> = counts.entries().iter().map(|&(_, count)| count).collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted
    }

    /// Continues with both sides of a cut that is kept. In large nodes each side gets its own
    /// coins, drawn before either begins, so that threads do not affect the result.
    fn visit_both(
        &self,
        node: &mut [HalvingRecord<K>],
        middle: usize,
        strands: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
        leaves: &mut Vec<u32>,
    ) {
        let is_large = node.len() >= PARALLEL;
        let (lower, upper) = node.split_at_mut(middle);
        if !is_large {
            self.visit(lower, strands, room, coins, leaves);
            self.visit(upper, strands, room, coins, leaves);
            return;
        }
        let [mut of_lower, mut of_upper] = [(); 2].map(|()| SecretCoins::keyed_by(coins));
        let mut behind = Vec::new();
        rayon::join(
            || self.visit(lower, strands, room, &mut of_lower, leaves),
            || {
                let mut room = Room::of(self.criteria);
                self.visit(upper, strands, &mut room, &mut of_upper, &mut behind);
            },
        );
        leaves.append(&mut behind);
    }
}
