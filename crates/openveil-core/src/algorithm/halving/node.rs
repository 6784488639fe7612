//! A node and its cuts: which cuts are tried, and what follows a refusal.

use super::PARALLEL;
use super::odd::OddNode;
use super::record::{HalvingRecord, choose, regroup, split};
use super::space::HalvingSpace;
use crate::algorithm::Settings;
use crate::coins::{Coins, SecretCoins};
use crate::model::{CountBuffer, Counts, Criteria};
use crate::table::{Groups, View};

/// Which cuts are tried, where the proof allows several.
#[derive(Debug, Clone, Copy)]
pub struct Attempts {
    /// A node with this many strands becomes a leaf at the next refusal: a power of 2.
    pub strands: usize,
    /// The fewest rows of a group, beside what the model asks for.
    pub smallest: usize,
}

impl Attempts {
    /// The attempts of a run on a table.
    pub(super) fn new(settings: &Settings, table: &View) -> Self {
        Self { smallest: settings.smallest_group(&[table]).get() as usize, ..Self::default() }
    }
}

impl Default for Attempts {
    fn default() -> Self {
        Self { strands: 16, smallest: 1 }
    }
}

/// Strands are shorter than nodes, so tables are made divisible beyond the smallest group: down to
/// one in four of it.
const BEYOND: usize = 4;

/// How often coins may set rows of a table aside, until the model holds on them and on the others.
pub(super) fn draws(rows: usize) -> usize {
    (rows / 8).clamp(1, 32)
}

/// How many rows of a table are set aside, if groups have at least `least`: none, or enough for a
/// group, at most a quarter, and no more than costs no groups, such that the others can be halved as
/// often as possible, but no more often than to [`BEYOND`] of a group.
pub(super) fn rows_aside(rows: usize, least: usize) -> usize {
    let often = (BEYOND * rows / least).max(1).ilog2();
    let aside = |halvings: u32| rows % (1 << halvings);
    // As many groups as halving leads to where nothing is refused.
    let groups = |rows: usize| 1 << (rows / least).max(1).ilog2();
    (0..=often)
        .rev()
        .map(aside)
        .find(|&aside| {
            aside == 0
                || aside >= least
                    && 4 * aside <= rows
                    && (groups(rows - aside) + groups(aside) >= groups(rows))
        })
        .unwrap_or(0)
}

/// Data that all nodes share.
pub(super) struct Engine<'a, const K: usize> {
    space: &'a HalvingSpace<'a, K>,
    criteria: &'a Criteria,
    attempts: Attempts,
    least_size: usize,
    /// The number of values.
    values: usize,
}

/// The groups that cuts led to, one after the other.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    /// The number of rows, and of strands that refusals left: equally many rows each, one after the
    /// other. [`UNEQUAL`] if the last refused cut was of an odd number of rows.
    pub(super) sizes: Vec<(u32, u32)>,
}

/// Marks a leaf that has no strands of equal length.
const UNEQUAL: u32 = 0;

impl Leaves {
    fn push(&mut self, rows: usize, strands: u32) {
        self.sizes.push((rows as u32, strands));
    }

    /// The groups of records that are ordered leaf after leaf.
    pub(super) fn groups<const K: usize>(self, records: &[HalvingRecord<K>]) -> Groups {
        let mut groups = Groups::with_capacity(records.len(), self.sizes.len());
        let (mut rest, mut unrefused) = (records, 0);
        for (rows, strands) in self.sizes {
            let (leaf, behind) = rest.split_at(rows as usize);
            groups.push(leaf.iter().map(|record| record.row));
            unrefused += if strands == 1 { rows } else { 0 };
            rest = behind;
        }
        groups.with_unrefused(unrefused)
    }
}

/// Buffers to work in, one set for each thread at a time.
pub(super) struct Room<'a, const K: usize> {
    tally: CountBuffer,
    odd: OddNode<'a>,
    sample: Vec<HalvingRecord<K>>,
    spare: Vec<HalvingRecord<K>>,
}

impl<'a, const K: usize> Room<'a, K> {
    pub(super) fn new(criteria: &'a Criteria) -> Self {
        Self {
            tally: CountBuffer::default(),
            odd: OddNode::new(criteria),
            sample: Vec::new(),
            spare: Vec::new(),
        }
    }
}

impl<'a, const K: usize> Engine<'a, K> {
    pub(super) fn new(
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
            least_size: attempts.smallest.max(criteria.least_size() as usize),
        }
    }

    /// Cuts a table, on which the model holds. If its number of rows cannot be halved often, coins
    /// set some rows aside, which are cut as a table by themselves: refused cuts then come at nodes
    /// of even size, where other cuts may follow.
    pub(super) fn visit_table(
        &self,
        table: &mut [HalvingRecord<K>],
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
        leaves: &mut Leaves,
    ) {
        let aside = rows_aside(table.len(), self.least_size);
        if aside > 0 {
            let kept = table.len() - aside;
            for _ in 0..draws(table.len()) {
                choose(table, kept, coins);
                if self.holds_on_both(table, kept, &mut room.tally) {
                    let (kept, aside) = table.split_at_mut(kept);
                    self.visit(kept, 1, room, coins, leaves);
                    self.visit_table(aside, room, coins, leaves);
                    return;
                }
            }
        }
        self.visit(table, 1, room, coins, leaves);
    }

    /// Cuts a node, on which the model holds, as far as possible. Adds the leaves, which end up
    /// one after the other in `node`. The node consists of strands of equal length,
    /// one after the other. Every cut refused at this node or above it has doubled their number,
    /// and every cut divides all strands alike.
    pub(super) fn visit(
        &self,
        node: &mut [HalvingRecord<K>],
        strands: usize,
        room: &mut Room<'a, K>,
        coins: &mut dyn Coins,
        leaves: &mut Leaves,
    ) {
        let size = node.len() / strands;
        // The smaller half must be large enough, which depends on numbers of rows only.
        if strands * (size / 2) < self.least_size || size < 2 {
            leaves.push(node.len(), strands as u32);
            return;
        }
        let axis = self.space.best_axis(node, strands, &mut room.sample, coins);
        let (middle, may_go_on) = match (size % 2, strands) {
            (0, _) => (self.halve(node, strands, axis, room, coins), true),
            (_, 1) => (self.halve_odd(node, axis, room, coins), false),
            _ => (self.halve_odd_strands(node, strands, axis, room, coins), false),
        };
        if self.holds_on_both(node, middle, &mut room.tally) {
            self.visit_both(node, middle, strands, room, coins, leaves);
        } else if may_go_on && strands < self.attempts.strands {
            self.visit(node, 2 * strands, room, coins, leaves);
        } else {
            let strands = if may_go_on { 2 * strands as u32 } else { UNEQUAL };
            leaves.push(node.len(), strands);
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
        [lower, upper]
            .into_iter()
            .all(|side| self.criteria.hold_on_group(&self.counts(side, tally)))
    }

    /// How often each value occurs among some people. O(n).
    fn counts<'t>(&self, people: &[HalvingRecord<K>], tally: &'t mut CountBuffer) -> Counts<'t> {
        let values = people.iter().map(|person| person.value);
        // A few values that do not occur cost less than sorting.
        if 8 * people.len() < self.values {
            return tally.of_codes(values);
        }
        let mut counts = vec![0u32; self.values];
        values.for_each(|value| counts[value as usize] += 1);
        tally.of_dense(&counts)
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
        leaves: &mut Leaves,
    ) {
        let is_large = node.len() >= PARALLEL;
        let (lower, upper) = node.split_at_mut(middle);
        if !is_large {
            self.visit(lower, strands, room, coins, leaves);
            self.visit(upper, strands, room, coins, leaves);
            return;
        }
        let [mut of_lower, mut of_upper] = [(); 2].map(|()| SecretCoins::keyed_by(coins));
        let mut behind = Leaves::default();
        rayon::join(
            || self.visit(lower, strands, room, &mut of_lower, leaves),
            || {
                let mut room = Room::new(self.criteria);
                self.visit(upper, strands, &mut room, &mut of_upper, &mut behind);
            },
        );
        leaves.sizes.append(&mut behind.sizes);
    }
}
