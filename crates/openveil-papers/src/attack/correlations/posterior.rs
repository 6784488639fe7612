//! The posterior of a group's members, for a reader with beliefs about each of them.
//!
//! The members have the group's values in some order. The weight of an order is the product of the
//! beliefs that each member has the value it gets. In a group with few orders, the probabilities
//! are summed exactly, by a forward and a backward pass over how many of each value are used
//! already. In a large group, every value's beliefs are scaled until the expected number of members
//! with it equals the actual number, which is the limit for large groups.

/// The largest number of states of the exact sums: groups of twelve different values have as many.
const STATES: usize = 1 << 12;

/// Differences of logarithms beyond this are practically certain, and products of sixteen such
/// weights still fit into a float.
const DEEPEST: f64 = 40.0;

/// The number of members whose weights can be multiplied unscaled.
const AS_THEY_ARE: usize = 16;

/// The number of members whose weights can be multiplied once they are scaled.
const ONCE_SCALED: usize = 600;

/// The number of rounds of scaling; fewer if nothing changes any more.
const ROUNDS: usize = 60;

/// The relative difference from the counts below which expected numbers of members are accepted.
const TOLERANCE: f64 = 1e-6;

/// The values of a group, and how many members have each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GroupValueCounts {
    pub(super) which: Vec<u32>,
    pub(super) counts: Vec<u32>,
}

impl GroupValueCounts {
    /// Counts the values of a group's members.
    pub(super) fn count(&mut self, values: impl Iterator<Item = u32>) {
        self.which.clear();
        self.counts.clear();
        for value in values {
            match self.which.iter().position(|&known| known == value) {
                Some(at) => self.counts[at] += 1,
                None => {
                    self.which.push(value);
                    self.counts.push(1);
                }
            }
        }
    }

    /// Returns the number of different values.
    pub(super) fn len(&self) -> usize {
        self.which.len()
    }

    /// Returns the number of states of the exact sums, if it is within the limit.
    fn states(&self) -> Option<usize> {
        let mut states = 1usize;
        for &count in &self.counts {
            states = states.checked_mul(count as usize + 1)?;
            if states > STATES {
                return None;
            }
        }
        Some(states)
    }

    /// Returns the approximate number of steps for a group.
    pub(super) fn work(&self) -> usize {
        let people: usize = self.counts.iter().map(|&count| count as usize).sum();
        match self.states() {
            Some(states) => 3 * states * self.len(),
            None => ROUNDS * people * self.len(),
            // Groups of many members are scaled even if their states are few, which takes fewer
            // steps.
        }
    }
}

/// Memory for the sums, reused for each group.
#[derive(Debug, Default)]
pub(super) struct PosteriorSums {
    /// The counts for which the tables below were made.
    counts: Vec<u32>,
    /// By value: the step in state numbers when one more of it is used.
    strides: Vec<usize>,
    /// By state: how many values are used.
    levels: Vec<u32>,
    /// By state: which values are left, as bits.
    left: Vec<u32>,
    forward: Vec<f64>,
    backward: Vec<f64>,
    weights: Vec<f64>,
    factors: Vec<f64>,
}

impl PosteriorSums {
    /// Turns the logarithms of beliefs about a group's members into the probabilities of their
    /// values. The table has one row per member, with one entry per different value. Returns the
    /// logarithm of the sum of all orders' weights (up to a constant, in large groups).
    ///
    /// O(members · values · states / values) in small groups, O(members · values) in large
    /// ones.
    pub(super) fn posterior(&mut self, values: &GroupValueCounts, table: &mut [f64]) -> f64 {
        let kinds = values.len();
        let mut highest_sum = 0.0;
        self.weights.clear();
        for row in table.chunks(kinds) {
            let highest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            highest_sum += highest;
            let weights = row.iter().map(|log| (log - highest).max(-DEEPEST).exp());
            self.weights.extend(weights);
        }
        let members = table.len() / kinds;
        highest_sum
            + match values.states() {
                Some(states) if members <= AS_THEY_ARE => self.exact(values, states, table),
                // Once scaled, the weights of all orders add up to at least e^(−members) (van der
                // Waerden); the probabilities do not change.
                Some(states) if members <= ONCE_SCALED => {
                    let log = self.scaled(values, table);
                    self.weights.clear();
                    self.weights.extend_from_slice(table);
                    log + self.exact(values, states, table)
                }
                _ => self.scaled(values, table),
            }
    }

    fn exact(&mut self, values: &GroupValueCounts, states: usize, table: &mut [f64]) -> f64 {
        self.prepare(values, states);
        let kinds = values.len();
        self.forward.clear();
        self.forward.resize(states, 0.0);
        self.forward[0] = 1.0;
        self.backward.clear();
        self.backward.resize(states, 0.0);
        self.backward[states - 1] = 1.0;
        for state in 0..states - 1 {
            let weights = &self.weights[self.levels[state] as usize * kinds..];
            let here = self.forward[state];
            for kind in bits(self.left[state]) {
                self.forward[state + self.strides[kind]] += here * weights[kind];
            }
        }
        table.fill(0.0);
        for state in (0..states - 1).rev() {
            let start = self.levels[state] as usize * kinds;
            let weights = &self.weights[start..start + kinds];
            let chances = &mut table[start..start + kinds];
            let before = self.forward[state];
            let mut sum = 0.0;
            for kind in bits(self.left[state]) {
                let onwards = weights[kind] * self.backward[state + self.strides[kind]];
                sum += onwards;
                chances[kind] += before * onwards;
            }
            self.backward[state] = sum;
        }
        let total = self.forward[states - 1];
        table.iter_mut().for_each(|chance| *chance /= total);
        total.ln()
    }

    /// Prepares the tables that depend on the counts alone.
    fn prepare(&mut self, values: &GroupValueCounts, states: usize) {
        if self.counts == values.counts {
            return;
        }
        self.counts.clone_from(&values.counts);
        self.strides.clear();
        let mut stride = 1;
        for &count in &values.counts {
            self.strides.push(stride);
            stride *= count as usize + 1;
        }
        self.levels.clear();
        self.left.clear();
        for state in 0..states {
            let (mut level, mut left) = (0, 0);
            for (kind, (&count, &stride)) in values.counts.iter().zip(&self.strides).enumerate() {
                let given = (state / stride) % (count as usize + 1);
                level += given as u32;
                left |= u32::from(given < count as usize) << kind;
            }
            self.levels.push(level);
            self.left.push(left);
        }
    }

    fn scaled(&mut self, values: &GroupValueCounts, table: &mut [f64]) -> f64 {
        let kinds = values.len();
        self.factors.clear();
        self.factors.extend(values.counts.iter().map(|&c| f64::from(c)));
        let mut expected = vec![0.0; kinds];
        for _ in 0..ROUNDS {
            expected.fill(0.0);
            for weights in self.weights.chunks(kinds) {
                let pairs = || weights.iter().zip(&self.factors);
                let sum: f64 = pairs().map(|(weight, factor)| weight * factor).sum();
                for (expected, (weight, factor)) in expected.iter_mut().zip(pairs()) {
                    *expected += weight * factor / sum;
                }
            }
            let mut worst: f64 = 0.0;
            for ((factor, expected), &count) in
                self.factors.iter_mut().zip(&expected).zip(&values.counts)
            {
                let ratio = f64::from(count) / expected;
                *factor *= ratio;
                worst = worst.max((ratio - 1.0).abs());
            }
            if worst < TOLERANCE {
                break;
            }
        }
        let mut log = 0.0;
        for (weights, chances) in self.weights.chunks(kinds).zip(table.chunks_mut(kinds)) {
            let pairs = weights.iter().zip(&self.factors);
            for (chance, (weight, factor)) in chances.iter_mut().zip(pairs) {
                *chance = weight * factor;
            }
            let sum: f64 = chances.iter().sum();
            chances.iter_mut().for_each(|chance| *chance /= sum);
            log += sum.ln();
        }
        let scaling = self.factors.iter().zip(&values.counts);
        log - scaling.map(|(factor, &count)| f64::from(count) * factor.ln()).sum::<f64>()
    }
}

/// Returns the positions of the bits that are set.
fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (at < u32::BITS).then_some(at as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::{Coins, SecretCoins};

    /// Enumerates all orders of the values.
    fn by_orders(values: &GroupValueCounts, beliefs: &[f64]) -> (Vec<f64>, f64) {
        fn visit(
            member: usize,
            weight: f64,
            left: &mut [u32],
            given: &mut Vec<usize>,
            beliefs: &[f64],
            found: &mut (Vec<f64>, f64),
        ) {
            let kinds = left.len();
            if member * kinds == beliefs.len() {
                found.1 += weight;
                for (member, &kind) in given.iter().enumerate() {
                    found.0[member * kinds + kind] += weight;
                }
                return;
            }
            for kind in 0..kinds {
                if left[kind] > 0 {
                    left[kind] -= 1;
                    given.push(kind);
                    let weight = weight * beliefs[member * kinds + kind];
                    visit(member + 1, weight, left, given, beliefs, found);
                    given.pop();
                    left[kind] += 1;
                }
            }
        }
        let mut found = (vec![0.0; beliefs.len()], 0.0);
        let mut left = values.counts.clone();
        visit(0, 1.0, &mut left, &mut Vec::new(), beliefs, &mut found);
        let total = found.1;
        found.0.iter_mut().for_each(|chance| *chance /= total);
        found
    }

    fn values(counts: &[u32]) -> GroupValueCounts {
        GroupValueCounts { which: (0..counts.len() as u32).collect(), counts: counts.to_vec() }
    }

    fn random_logs(cells: usize, coins: &mut SecretCoins) -> Vec<f64> {
        (0..cells).map(|_| f64::from(coins.below(600)) / 100.0 - 3.0).collect()
    }

    #[test]
    fn exact_sums_are_those_over_all_orders() {
        let mut coins = SecretCoins::from_test_seed(3);
        let mut sums = PosteriorSums::default();
        for counts in
            [&[1, 1, 1, 1][..], &[2, 1, 1], &[3, 2, 1, 1], &[4], &[2, 2, 2], &[1; 7], &[9, 8]]
        {
            let values = values(counts);
            let members = counts.iter().sum::<u32>() as usize;
            for _ in 0..20 {
                let mut table = random_logs(members * counts.len(), &mut coins);
                let beliefs: Vec<f64> = table.iter().map(|log| log.exp()).collect();
                let log = sums.posterior(&values, &mut table);
                let (chances, total) = by_orders(&values, &beliefs);
                assert!((log - total.ln()).abs() < 1e-9, "{counts:?}");
                for (found, expected) in table.iter().zip(&chances) {
                    assert!((found - expected).abs() < 1e-9, "{counts:?}");
                }
            }
        }
    }

    #[test]
    fn large_groups_keep_their_counts() {
        let mut coins = SecretCoins::from_test_seed(4);
        let values = values(&[60, 25, 10, 5]);
        assert_eq!(values.states(), None);
        let logs = random_logs(400, &mut coins);
        let mut table = logs.clone();
        let log = PosteriorSums::default().posterior(&values, &mut table);
        for (kind, &count) in values.counts.iter().enumerate() {
            let expected: f64 = table.iter().skip(kind).step_by(4).sum();
            assert!((expected - f64::from(count)).abs() < 1e-2);
        }
        // The probabilities are the derivatives of the sum's logarithm.
        let step = 1e-4;
        for cell in [0, 5, 42, 399] {
            let mut moved = logs.clone();
            moved[cell] += step;
            let slope = (PosteriorSums::default().posterior(&values, &mut moved) - log) / step;
            assert!((slope - table[cell]).abs() < 1e-3, "{slope} {}", table[cell]);
        }
    }

    /// A hundred and ninety members, nearly all of whom are believed to have the rare value.
    #[test]
    fn beliefs_that_do_not_fit_a_group_do_no_harm() {
        let values = values(&[171, 19]);
        assert!(values.states().is_some());
        let mut table: Vec<f64> = (0..190).flat_map(|_| [-30.0, 0.0]).collect();
        let log = PosteriorSums::default().posterior(&values, &mut table);
        assert!(log.is_finite());
        for chances in table.chunks(2) {
            assert!((chances[0] - 0.9).abs() < 1e-9, "{chances:?}");
        }
    }

    /// Scaling is the limit of the exact sums: in groups of six the two are close.
    #[test]
    fn scaling_is_near_the_exact_chances() {
        let mut coins = SecretCoins::from_test_seed(5);
        let values = values(&[4, 4, 4]);
        let mut worst: f64 = 0.0;
        for _ in 0..20 {
            let logs = random_logs(36, &mut coins);
            let (mut exact, mut scaled) = (logs.clone(), logs);
            let mut sums = PosteriorSums::default();
            sums.posterior(&values, &mut exact);
            sums.weights.clear();
            sums.weights.extend(scaled.iter().map(|log| log.exp()));
            sums.scaled(&values, &mut scaled);
            let off = exact.iter().zip(&scaled).map(|(a, b)| (a - b).abs());
            worst = worst.max(off.fold(0.0, f64::max));
        }
        assert!(worst < 0.1, "{worst}");
    }
}
