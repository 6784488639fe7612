//! Sums over the orders in which a group's values can be assigned to its members.
//!
//! The members and the slots of a group make a matrix of weights. An order puts every member into a
//! slot; its weight is the product of the chosen entries. The sum over all orders is the permanent,
//! and the weight of the orders that put member i into slot j, as a share of that sum, is a
//! reader's belief that i has j. Source: READERS.md, A1.

use crate::descent::dot;
use openveil_core::coins::Coins;

/// Groups with up to this many members are summed exactly, over 2^m states.
pub(crate) const EXACT: usize = 10;

/// The number of groups whose orders are summed in parallel, with the same steps on one number of
/// each group.
pub(crate) const LANES: usize = 8;

/// One number for each of several groups.
pub(crate) type Lanes = [f64; LANES];

/// Rounds of scaling for larger groups.
const ROUNDS: usize = 200;

/// Scaling ends when the sums are this close to their targets, relative to them: the logarithm is then
/// off by about the square of it.
const TOLERANCE: f64 = 1e-5;

/// For each member of a large group, the exchanges that are tried when its order is drawn.
const EXCHANGES: usize = 16;

/// Working memory for one group at a time.
#[derive(Debug, Default)]
pub(crate) struct OrderMemory {
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// Slot factors of large groups.
    factors: Vec<f64>,
    /// Both directions, with one number for each of several groups.
    forward_lanes: Vec<Lanes>,
    backward_lanes: Vec<Lanes>,
}

impl OrderMemory {
    /// Returns the logarithm of the permanent of an m × m matrix (`weights[i * m + j]`, all
    /// positive). Writes the share of orders in which i has j into `shares`. Exact up to ten
    /// members, in O(m 2^m). For larger groups, computes the leading term by iterative scaling, in
    /// O(m²) per round.
    pub(crate) fn shares(&mut self, m: usize, weights: &[f64], shares: &mut [f64]) -> f64 {
        match m {
            1 => {
                shares[0] = 1.0;
                weights[0].ln()
            }
            2 => {
                let (straight, crossed) = (weights[0] * weights[3], weights[1] * weights[2]);
                let all = straight + crossed;
                let share = straight / all;
                shares.copy_from_slice(&[share, 1.0 - share, 1.0 - share, share]);
                all.ln()
            }
            _ if m <= EXACT => self.exact(m, weights, shares),
            _ => self.scaled(&vec![1.0; m], weights, shares),
        }
    }

    fn exact(&mut self, m: usize, weights: &[f64], shares: &mut [f64]) -> f64 {
        let states = 1usize << m;
        self.pass_back(m, weights);
        let forward = &mut self.forward;
        forward.clear();
        forward.resize(states, 0.0);
        forward[0] = 1.0;
        shares.fill(0.0);
        let backward = &self.backward;
        for state in 0..states - 1 {
            let reached = forward[state];
            let member = state.count_ones() as usize;
            let row = &weights[member * m..(member + 1) * m];
            let own = &mut shares[member * m..(member + 1) * m];
            each_free(state, states, |slot| {
                let next = state | 1 << slot;
                let weight = reached * row[slot];
                forward[next] += weight;
                own[slot] += weight * backward[next];
            });
        }
        let all = backward[0];
        shares.iter_mut().for_each(|share| *share /= all);
        all.ln()
    }

    /// Like [`Self::shares`], but for several groups of m members, from 3 to [`EXACT`]:
    /// `weights[i * m + j]` has the entry of each group. Returns the logarithms of the permanents.
    /// Computes the same as [`Self::exact`] for each group, but steps from state to state only once
    /// for all groups.
    pub(crate) fn shares_of_many(
        &mut self,
        m: usize,
        weights: &[Lanes],
        shares: &mut [Lanes],
    ) -> Lanes {
        let states = 1usize << m;
        let backward = &mut self.backward_lanes;
        backward.clear();
        backward.resize(states, [0.0; LANES]);
        backward[states - 1] = [1.0; LANES];
        for state in (0..states - 1).rev() {
            let row = &weights[state.count_ones() as usize * m..][..m];
            let mut sum = [0.0; LANES];
            each_free(state, states, |slot| {
                let behind = &backward[state | 1 << slot];
                for ((sum, weight), behind) in sum.iter_mut().zip(&row[slot]).zip(behind) {
                    *sum += weight * behind;
                }
            });
            backward[state] = sum;
        }
        let forward = &mut self.forward_lanes;
        forward.clear();
        forward.resize(states, [0.0; LANES]);
        forward[0] = [1.0; LANES];
        shares.fill([0.0; LANES]);
        for state in 0..states - 1 {
            let reached = forward[state];
            let member = state.count_ones() as usize;
            let row = &weights[member * m..][..m];
            let own = &mut shares[member * m..][..m];
            each_free(state, states, |slot| {
                let next = state | 1 << slot;
                let places = forward[next].iter_mut().zip(&mut own[slot]);
                let numbers = reached.iter().zip(&row[slot]).zip(&backward[next]);
                for ((forward, share), ((reached, weight), behind)) in places.zip(numbers) {
                    let weight = reached * weight;
                    *forward += weight;
                    *share += weight * behind;
                }
            });
        }
        let all = backward[0];
        for share in shares.iter_mut() {
            share.iter_mut().zip(&all).for_each(|(share, all)| *share /= all);
        }
        all.map(f64::ln)
    }

    /// For each state (the slots taken by earlier members), the sum over the orders of the other
    /// members. O(m 2^m).
    pub(crate) fn pass_back(&mut self, m: usize, weights: &[f64]) {
        let states = 1usize << m;
        let backward = &mut self.backward;
        backward.clear();
        backward.resize(states, 0.0);
        backward[states - 1] = 1.0;
        for state in (0..states - 1).rev() {
            let member = state.count_ones() as usize;
            let row = &weights[member * m..(member + 1) * m];
            let mut sum = 0.0;
            each_free(state, states, |slot| {
                sum += row[slot] * backward[state | 1 << slot];
            });
            backward[state] = sum;
        }
    }

    /// The permanent of a group of up to [`EXACT`] members, if the weights of the first one or two
    /// members differ from those passed to [`Self::pass_back`]. O(m) for one, O(m²) for two.
    pub(crate) fn sum_with(&self, m: usize, first: &[f64]) -> f64 {
        let (one, two) = first.split_at(m);
        let behind = |slot: usize| {
            if two.is_empty() {
                return self.backward[1 << slot];
            }
            (0..m)
                .filter(|&other| other != slot)
                .map(|other| two[other] * self.backward[1 << slot | 1 << other])
                .sum()
        };
        (0..m).map(|slot| one[slot] * behind(slot)).sum()
    }

    /// The weight of a member in the group last passed to [`Self::scaled`]. The product over its
    /// members, times a factor that depends on the slots only, is the leading term of the sum.
    pub(crate) fn scaled_weight(&self, weights: &[f64]) -> f64 {
        dot(weights, &self.factors)
    }

    /// Like [`Self::shares`], but slot j of a group is taken by `counts[j]` members, with no limit
    /// on their number. Slots are scaled until the expected number of members in each equals its
    /// count. The result is the leading term of the sum for large groups, and the shares are its
    /// gradient.
    pub(crate) fn scaled(&mut self, counts: &[f64], weights: &[f64], shares: &mut [f64]) -> f64 {
        let mut factors = std::mem::take(&mut self.factors);
        factors.clear();
        factors.resize(counts.len(), 1.0);
        let log = self.scaled_from(&mut factors, counts, weights, shares);
        self.factors = factors;
        log
    }

    /// Like [`Self::scaled`], but begins with these factors of the slots, and leaves there the ones
    /// that it ends with.
    pub(crate) fn scaled_from(
        &mut self,
        factors: &mut [f64],
        counts: &[f64],
        weights: &[f64],
        shares: &mut [f64],
    ) -> f64 {
        let slots = counts.len();
        let taken = &mut self.forward;
        for _ in 0..ROUNDS {
            taken.clear();
            taken.resize(slots, 0.0);
            for row in weights.chunks_exact(slots) {
                let share = 1.0 / dot(row, factors);
                taken.iter_mut().zip(row).for_each(|(taken, w)| *taken += w * share);
            }
            let mut off: f64 = 0.0;
            for ((factor, taken), count) in factors.iter_mut().zip(&*taken).zip(counts) {
                let wanted = count / taken;
                off = off.max((*factor / wanted - 1.0).abs());
                *factor = wanted;
            }
            if off < TOLERANCE {
                break;
            }
        }
        let mut log = 0.0;
        for (row, own) in weights.chunks_exact(slots).zip(shares.chunks_exact_mut(slots)) {
            let sum = dot(row, factors);
            log += sum.ln();
            for ((share, w), f) in own.iter_mut().zip(row).zip(&*factors) {
                *share = w * f / sum;
            }
        }
        let scaled = factors.iter().zip(counts);
        log - scaled.map(|(factor, count)| count * factor.ln()).sum::<f64>()
    }

    /// Draws the slot of each member, for up to ten members: each order has a chance in proportion
    /// to its weight. O(m 2^m).
    pub(crate) fn draw(
        &mut self,
        m: usize,
        weights: &[f64],
        coins: &mut dyn Coins,
        slots: &mut Vec<usize>,
    ) {
        if m > EXACT {
            return self.draw_scaled(&vec![1.0; m], weights, coins, slots);
        }
        slots.clear();
        self.pass_back(m, weights);
        let mut state = 0usize;
        for member in 0..m {
            let row = &weights[member * m..(member + 1) * m];
            let backward = &self.backward;
            let own = (0..m).map(|slot| match state >> slot & 1 {
                1 => 0.0,
                _ => row[slot] * backward[state | 1 << slot],
            });
            let slot = choose(own, coins);
            state |= 1 << slot;
            slots.push(slot);
        }
    }

    /// Like [`Self::draw`], but for large groups: one member after the other takes a slot, by its
    /// scaled weights and by the slot's remaining count. Then random pairs of members exchange their
    /// slots with the chance that their weights give, which makes up for the order of the members.
    /// O(members · (slots + [`EXCHANGES`])).
    pub(crate) fn draw_scaled(
        &mut self,
        counts: &[f64],
        weights: &[f64],
        coins: &mut dyn Coins,
        slots: &mut Vec<usize>,
    ) {
        slots.clear();
        self.scaled(counts, weights, &mut vec![0.0; weights.len()]);
        let mut left = counts.to_vec();
        for row in weights.chunks_exact(counts.len()) {
            let own = row.iter().zip(&self.factors).zip(counts.iter().zip(&left));
            let mut slot = choose(own.map(|((w, f), (all, left))| w * f * left / all), coins);
            if left[slot] <= 0.0 {
                // All weights have underflowed.
                slot = left.iter().position(|left| *left > 0.0).unwrap_or(slot);
            }
            left[slot] -= 1.0;
            slots.push(slot);
        }
        let m = slots.len() as u32;
        for _ in 0..EXCHANGES * slots.len() {
            let [a, b] = [(); 2].map(|()| coins.below(m) as usize);
            let weight = |member: usize, slot: usize| weights[member * counts.len() + slot];
            let (first, second) = (slots[a], slots[b]);
            if first == second {
                continue;
            }
            let stay = weight(a, first) * weight(b, second);
            let exchange = weight(a, second) * weight(b, first);
            if uniform(coins) * (stay + exchange) < exchange {
                slots.swap(a, b);
            }
        }
    }
}

/// Calls `call` for each slot that a state has not taken.
#[inline]
fn each_free(state: usize, states: usize, mut call: impl FnMut(usize)) {
    let mut free = !state & (states - 1);
    while free != 0 {
        call(free.trailing_zeros() as usize);
        free &= free - 1;
    }
}

/// Draws a position with chances in proportion to these weights.
pub(crate) fn choose(weights: impl Iterator<Item = f64> + Clone, coins: &mut dyn Coins) -> usize {
    let total: f64 = weights.clone().sum();
    let mut left = uniform(coins) * total;
    let mut last = 0;
    for (at, weight) in weights.enumerate() {
        if weight > 0.0 {
            last = at;
            if left < weight {
                return at;
            }
            left -= weight;
        }
    }
    last
}

/// Draws a uniform number from 0 to 1.
pub(crate) fn uniform(coins: &mut dyn Coins) -> f64 {
    const PARTS: u32 = 1 << 30;
    (f64::from(coins.below(PARTS)) + 0.5) / f64::from(PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::SecretCoins;

    fn naive(m: usize, weights: &[f64]) -> (f64, Vec<f64>) {
        fn visit(m: usize, w: &[f64], taken: &mut Vec<usize>, shares: &mut [f64]) -> f64 {
            let member = taken.len();
            if member == m {
                let product: f64 = taken.iter().enumerate().map(|(i, &j)| w[i * m + j]).product();
                taken.iter().enumerate().for_each(|(i, &j)| shares[i * m + j] += product);
                return product;
            }
            let mut sum = 0.0;
            for slot in 0..m {
                if !taken.contains(&slot) {
                    taken.push(slot);
                    sum += visit(m, w, taken, shares);
                    taken.pop();
                }
            }
            sum
        }
        let mut shares = vec![0.0; m * m];
        let all = visit(m, weights, &mut Vec::new(), &mut shares);
        shares.iter_mut().for_each(|share| *share /= all);
        (all.ln(), shares)
    }

    #[test]
    fn sums_are_those_of_all_orders() {
        let mut coins = SecretCoins::from_test_seed(3);
        for m in [1, 2, 3, 4, 5, 6] {
            for _ in 0..20 {
                let weights: Vec<f64> = (0..m * m).map(|_| uniform(&mut coins) + 1e-3).collect();
                let mut shares = vec![0.0; m * m];
                let log = OrderMemory::default().shares(m, &weights, &mut shares);
                let (expected, all) = naive(m, &weights);
                assert!((log - expected).abs() < 1e-9);
                assert!(shares.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-9));
            }
        }
    }

    #[test]
    fn first_members_may_have_other_weights() {
        let mut coins = SecretCoins::from_test_seed(8);
        for (m, first) in (1..=6).flat_map(|m| [(m, 1), (m, 2)]) {
            if first > m {
                continue;
            }
            let mut weights: Vec<f64> = (0..m * m).map(|_| uniform(&mut coins)).collect();
            let mut orders = OrderMemory::default();
            orders.pass_back(m, &weights);
            let own = &mut weights[..first * m];
            own.iter_mut().for_each(|own| *own = uniform(&mut coins));
            let found = orders.sum_with(m, own);
            assert!((found.ln() - naive(m, &weights).0).abs() < 1e-9);
        }
    }

    #[test]
    fn groups_side_by_side_are_summed_as_by_themselves() {
        let mut coins = SecretCoins::from_test_seed(6);
        for m in 3..=EXACT {
            let mut weights = vec![[0.0; LANES]; m * m];
            weights.iter_mut().flatten().for_each(|entry| *entry = uniform(&mut coins) + 1e-3);
            let mut shares = vec![[0.0; LANES]; m * m];
            let mut orders = OrderMemory::default();
            let logs = orders.shares_of_many(m, &weights, &mut shares);
            for lane in 0..LANES {
                let own: Vec<f64> = weights.iter().map(|entry| entry[lane]).collect();
                let mut alone = vec![0.0; m * m];
                assert_eq!(orders.shares(m, &own, &mut alone), logs[lane]);
                assert!(shares.iter().map(|share| share[lane]).eq(alone));
            }
        }
    }

    #[test]
    fn large_groups_are_scaled_and_near_the_sums() {
        let mut coins = SecretCoins::from_test_seed(4);
        let m = 9;
        let weights: Vec<f64> = (0..m * m).map(|_| uniform(&mut coins) + 0.2).collect();
        let (mut exact, mut scaled) = (vec![0.0; m * m], vec![0.0; m * m]);
        let mut orders = OrderMemory::default();
        orders.exact(m, &weights, &mut exact);
        orders.scaled(&vec![1.0; m], &weights, &mut scaled);
        let most = exact.iter().zip(&scaled).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(most < 0.03, "{most}");
        let rows = scaled.chunks(m).map(|row| row.iter().sum::<f64>());
        assert!(rows.into_iter().all(|sum| (sum - 1.0).abs() < 1e-9));
    }

    #[test]
    fn orders_are_drawn_by_their_weights() {
        let mut coins = SecretCoins::from_test_seed(5);
        let m = 3;
        let weights = [0.9, 0.1, 0.4, 0.2, 0.7, 0.3, 0.5, 0.5, 0.5];
        let (_, shares) = naive(m, &weights);
        let (mut orders, mut slots) = (OrderMemory::default(), Vec::new());
        let mut drawn = vec![0.0; m * m];
        const DRAWS: usize = 20_000;
        for _ in 0..DRAWS {
            orders.draw(m, &weights, &mut coins, &mut slots);
            slots.iter().enumerate().for_each(|(i, &j)| drawn[i * m + j] += 1.0 / DRAWS as f64);
        }
        // A tolerance of five standard errors.
        assert!(drawn.iter().zip(&shares).all(|(a, b)| (a - b).abs() < 0.018));
    }

    #[test]
    fn orders_of_large_groups_are_drawn_by_their_weights() {
        let mut coins = SecretCoins::from_test_seed(9);
        // Eight members, the later ones likelier in the second slot; five of them have the first.
        let (m, counts) = (8, [5.0, 3.0]);
        let weights: Vec<f64> = (0..m).flat_map(|i| [1.0, (0.4 * i as f64).exp()]).collect();
        let all: Vec<f64> =
            (0..m * m).map(|at| weights[at / m * 2 + (usize::from((at % m) >= 5))]).collect();
        let (_, shares) = naive(m, &all);
        let (mut orders, mut slots) = (OrderMemory::default(), Vec::new());
        let mut drawn = vec![0.0; m];
        const DRAWS: usize = 20_000;
        for _ in 0..DRAWS {
            orders.draw_scaled(&counts, &weights, &mut coins, &mut slots);
            drawn
                .iter_mut()
                .zip(&slots)
                .for_each(|(drawn, &slot)| *drawn += slot as f64 / DRAWS as f64);
        }
        for (member, drawn) in drawn.iter().enumerate() {
            let share: f64 = shares[member * m + 5..(member + 1) * m].iter().sum();
            // A tolerance of five standard errors.
            assert!((drawn - share).abs() < 0.018, "{member}: {drawn} {share}");
        }
    }
}
