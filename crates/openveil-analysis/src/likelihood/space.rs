//! Sums over the orders of one group at a time.

use super::scores::Scores;
use crate::orders::{EXACT, LANES, Lanes, OrderMemory};
use std::ops::Range;

/// Working memory for one group.
#[derive(Default)]
pub(crate) struct GroupMemory {
    pub(crate) orders: OrderMemory,
    chances: Vec<f64>,
    pub(super) sums: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) shares: Vec<f64>,
    slots: Vec<u16>,
    counts: Vec<f64>,
}

impl GroupMemory {
    /// Computes the chances of classes for each member of a group.
    pub(crate) fn look(&mut self, scores: &Scores, levels: &[Vec<u16>], rows: Range<usize>) {
        let classes = scores.shared.len();
        self.chances.resize(rows.len() * classes, 0.0);
        self.sums.clear();
        for (row, chances) in rows.zip(self.chances.chunks_exact_mut(classes)) {
            let levels = levels.iter().map(|levels| levels[row]);
            self.sums.push(scores.chances(levels, chances));
        }
    }

    /// Allocates memory for the m members of a group.
    pub(super) fn make_room(&mut self, m: usize, classes: usize) {
        self.chances.resize(m * classes, 0.0);
        self.sums.resize(m, 0.0);
    }

    /// Computes the chances of one member of a group.
    pub(super) fn see(
        &mut self,
        scores: &Scores,
        levels: impl Iterator<Item = u16>,
        member: usize,
    ) {
        let classes = scores.shared.len();
        let chances = &mut self.chances[member * classes..(member + 1) * classes];
        self.sums[member] = scores.chances(levels, chances);
    }

    /// Recomputes the weights of one member of a group of m.
    pub(super) fn weigh_again(&mut self, m: usize, member: usize) {
        let classes = self.chances.len() / m;
        let chances = &self.chances[member * classes..(member + 1) * classes];
        let weights = &mut self.weights[member * self.slots.len()..];
        weights
            .iter_mut()
            .zip(&self.slots)
            .for_each(|(weight, &class)| *weight = chances[class as usize]);
    }

    /// The slots of a group: its classes with their counts. With up to ten members, one slot for
    /// each row, in the order of the rows.
    pub(crate) fn slots(&mut self, own: &[u16]) {
        self.slots.clear();
        self.counts.clear();
        if own.len() <= EXACT {
            self.slots.extend_from_slice(own);
            self.counts.resize(own.len(), 1.0);
            return;
        }
        for &class in own {
            match self.slots.iter().position(|&known| known == class) {
                Some(at) => self.counts[at] += 1.0,
                None => {
                    self.slots.push(class);
                    self.counts.push(1.0);
                }
            }
        }
    }

    /// Computes the chances that members have the values of slots, and their posterior, member
    /// after member. `own` are the classes of the group's values.
    pub(crate) fn posterior(&mut self, own: &[u16], classes: usize) {
        self.weigh_seen(own, classes);
        self.sum_orders(own.len());
    }

    /// Like [`Self::weigh`], with the chances that were computed for the members.
    pub(super) fn weigh_seen(&mut self, own: &[u16], classes: usize) {
        let chances = std::mem::take(&mut self.chances);
        self.weigh(own, chances.chunks_exact(classes).take(own.len()));
        self.chances = chances;
    }

    /// Computes the chances that members have the values of their group's slots, member after
    /// member, from each member's chances of all classes.
    pub(super) fn weigh<'a>(&mut self, own: &[u16], members: impl Iterator<Item = &'a [f64]>) {
        self.slots(own);
        self.weights.clear();
        for chances in members {
            self.weights.extend(self.slots.iter().map(|&class| chances[class as usize]));
        }
    }

    /// Sums over the orders of a weighted group of m members; returns the logarithm of the sum.
    pub(super) fn sum_orders(&mut self, m: usize) -> f64 {
        let slots = self.slots.len();
        self.shares.resize(m * slots, 0.0);
        let shares = &mut self.shares[..m * slots];
        if m <= EXACT {
            self.orders.shares(m, &self.weights, shares)
        } else {
            self.orders.scaled(&self.counts, &self.weights, shares)
        }
    }

    /// Like [`Self::sum_orders`], for a group of more than [`EXACT`] members whose slots have had
    /// factors before: those from `at` on, if there are any. Leaves the new ones there, and moves
    /// `at` behind them.
    pub(super) fn sum_orders_from(&mut self, factors: &mut Vec<f64>, at: &mut usize) -> f64 {
        let own = *at..*at + self.slots.len();
        if factors.len() < own.end {
            factors.resize(own.end, 1.0);
        }
        *at = own.end;
        self.shares.resize(self.weights.len(), 0.0);
        let factors = &mut factors[own];
        self.orders.scaled_from(factors, &self.counts, &self.weights, &mut self.shares)
    }

    /// Draws the slots of the members of the current group.
    pub(crate) fn draw(
        &mut self,
        m: usize,
        coins: &mut dyn openveil_core::coins::Coins,
        drawn: &mut Vec<usize>,
    ) {
        if m <= EXACT {
            self.orders.draw(m, &self.weights, coins, drawn)
        } else {
            self.orders.draw_scaled(&self.counts, &self.weights, coins, drawn)
        }
    }

    /// The slots of the current group.
    pub(crate) fn slot_classes(&self) -> &[u16] {
        &self.slots
    }

    /// The posterior of the slots, for each member of the current group.
    pub(super) fn shares(&self) -> impl Iterator<Item = &[f64]> {
        self.shares.chunks_exact(self.slots.len())
    }
}

/// Memory for summing over the orders of several groups at once.
#[derive(Default)]
pub(super) struct ManyGroups {
    orders: OrderMemory,
    weights: Vec<Lanes>,
    shares: Vec<Lanes>,
}

impl ManyGroups {
    /// Sums over the orders of weighted groups of m members, like [`GroupMemory::sum_orders`];
    /// returns the logarithm of the sum for each.
    pub(super) fn sum_orders(&mut self, m: usize, groups: &mut [GroupMemory]) -> Vec<f64> {
        let is_many = groups.len() > 1 && (3..=EXACT).contains(&m);
        if !is_many {
            return groups.iter_mut().map(|group| group.sum_orders(m)).collect();
        }
        // Lanes without a group are filled with ones, which are not read.
        self.weights.clear();
        self.weights.resize(m * m, [1.0; LANES]);
        self.shares.resize(m * m, [0.0; LANES]);
        for (lane, group) in groups.iter().enumerate() {
            self.weights
                .iter_mut()
                .zip(&group.weights)
                .for_each(|(place, &weight)| place[lane] = weight);
        }
        let shares = &mut self.shares[..m * m];
        let logs = self.orders.shares_of_many(m, &self.weights, shares);
        for (lane, group) in groups.iter_mut().enumerate() {
            group.shares.clear();
            group.shares.extend(shares.iter().map(|share| share[lane]));
        }
        logs[..groups.len()].to_vec()
    }
}
