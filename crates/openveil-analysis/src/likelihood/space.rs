//! Sums over the orders of one group at a time.

use super::kinds::Chances;
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

    /// Like [`Self::look`], but for members of these kinds.
    pub(super) fn look_at(&mut self, of_kinds: &Chances, kinds: &[u32], classes: usize) {
        self.chances.clear();
        self.sums.clear();
        for &kind in kinds {
            let start = kind as usize * classes;
            self.chances.extend_from_slice(&of_kinds.chances[start..start + classes]);
            self.sums.push(of_kinds.sums[kind as usize]);
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
        self.weigh(own, classes);
        self.sum_orders(own.len());
    }

    /// Computes the chances that members have the values of their group's slots, member after
    /// member.
    pub(super) fn weigh(&mut self, own: &[u16], classes: usize) {
        self.slots(own);
        self.weights.clear();
        for member in self.chances.chunks_exact(classes).take(own.len()) {
            let slots = self.slots.iter();
            self.weights.extend(slots.map(|&class| member[class as usize]));
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

    /// Sets the gradient of a group by the scores of classes, for each member; returns the group's
    /// log likelihood.
    pub(super) fn gradient(
        &self,
        m: usize,
        classes: usize,
        mut log: f64,
        gradient: &mut Vec<f64>,
    ) -> f64 {
        gradient.clear();
        gradient.resize(m * classes, 0.0);
        let slots = self.slots.len();
        for (member, own) in gradient.chunks_exact_mut(classes).enumerate() {
            let shares = &self.shares[member * slots..(member + 1) * slots];
            for (&class, share) in self.slots.iter().zip(shares) {
                own[class as usize] += share;
            }
        }
        for (member, own) in gradient.chunks_exact_mut(classes).enumerate() {
            let sum = self.sums[member];
            log -= sum.ln();
            let chances = &self.chances[member * classes..(member + 1) * classes];
            own.iter_mut().zip(chances).for_each(|(own, chance)| *own -= chance / sum);
        }
        log
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
