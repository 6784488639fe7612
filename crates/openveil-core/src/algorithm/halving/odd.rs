//! Nodes of odd size: how a cut into unequal halves stays safe if it is refused.

use crate::model::{CountBuffer, Counts, Criteria};
use std::collections::HashMap;

/// Up to this many ways of splitting the values, the posteriors after a refusal are computed.
const SPLITS: u128 = 128;

/// Nodes with more different values draw from all of their rows, unless values are interchangeable:
/// each value is one more corner to test, and in a large node one misplaced row costs nothing.
const VALUES: usize = 64;

/// Nodes up to this size have split counts that fit into 64 bits.
const SMALL: u128 = 60;

/// The most nodes whose window is remembered: small nodes with the same values are common.
const KNOWN: usize = 1 << 12;

/// Decides how a node of 2m + 1 rows is cut, from its values alone.
pub(super) struct OddNode<'a> {
    criteria: &'a Criteria,
    is_symmetric: bool,
    tally: CountBuffer,
    /// Whether small nodes with these values survive a refusal, if that was computed before.
    survivors: HashMap<Vec<(u32, u128)>, bool>,
}

impl<'a> OddNode<'a> {
    pub(super) fn new(criteria: &'a Criteria) -> Self {
        Self {
            criteria,
            is_symmetric: criteria.treats_values_alike(),
            tally: CountBuffer::default(),
            survivors: HashMap::new(),
        }
    }

    /// The size of the window around the middle from which the row that joins either side is drawn.
    /// 1 means that no row is drawn and the middle row joins the lower half, because the exact
    /// posteriors after a refusal satisfy the model. Otherwise it is the least power of two for
    /// which the posteriors satisfy the model whatever the value of the drawn row, or else all rows
    /// of the node, which always suffice.
    pub(super) fn window(&mut self, node: &Counts<'_>) -> usize {
        let size = node.total() as usize;
        let (criteria, corners) = (self.criteria, self.corners(node));
        let is_wide = |window: usize| {
            corners.iter().all(|&certain| is_wide_enough(criteria, node, window as u128, certain))
        };
        let few = corners.len() <= VALUES;
        // This window costs next to nothing and is quickly tested.
        if few && is_wide(2) {
            return 2.min(size);
        }
        if self.survives_refusal(node) {
            return 1;
        }
        let wider = std::iter::successors(Some(4), |window| Some(2 * window));
        let mut narrow = wider.take_while(|&window| few && window < size);
        narrow.find(|&window| is_wide(window)).unwrap_or(size)
    }

    /// The values that the drawn row may have for certain, by position in the node: all of them,
    /// or, if values are interchangeable, the rarest and the most frequent, which lead to the least
    /// even posteriors.
    fn corners(&self, node: &Counts<'_>) -> Vec<usize> {
        let all = 0..node.distinct();
        if !self.is_symmetric {
            return all.collect();
        }
        let count = |&index: &usize| node.entries()[index].1;
        let rarest = all.clone().min_by_key(count);
        rarest.into_iter().chain(all.max_by_key(count)).collect()
    }

    /// Whether the model holds on everybody's posterior after a refusal of the cut into m + 1 and m
    /// rows; false if there are too many ways of splitting the values to compute it. In the lower
    /// half, value v has the weight Σ ∏C(Hᵤ, aᵤ)·a_v over all refused splits a of the values H.
    fn survives_refusal(&mut self, node: &Counts<'_>) -> bool {
        let entries = node.entries();
        let splits =
            entries.iter().try_fold(1u128, |splits, &(_, count)| splits.checked_mul(count + 1));
        if node.total() > SMALL || splits.is_none_or(|splits| splits > SPLITS) {
            return false;
        }
        if let Some(&known) = self.survivors.get(entries) {
            return known;
        }
        let survives = self.holds_after_refusal(node);
        if self.survivors.len() < KNOWN {
            self.survivors.insert(entries.to_vec(), survives);
        }
        survives
    }

    /// Like [`Self::survives_refusal`], but computed at any cost.
    fn holds_after_refusal(&mut self, node: &Counts<'_>) -> bool {
        let entries = node.entries();
        let mut refused = Refused {
            criteria: self.criteria,
            tally: &mut self.tally,
            node: entries,
            lower: vec![0; entries.len()],
            weights: [vec![0; entries.len()], vec![0; entries.len()]],
        };
        refused.split(0, node.total() / 2 + 1, 1);
        let [lower, upper] = refused.weights;
        [lower, upper].into_iter().all(|weights| {
            let posterior: Vec<(u32, u128)> = entries
                .iter()
                .zip(weights)
                .filter(|&(_, weight)| weight > 0)
                .map(|(&(value, _), weight)| (value, weight))
                .collect();
            // A refusal that never happens discloses nothing.
            posterior.is_empty() || self.criteria.hold_on_posterior(&Counts::new(&posterior))
        })
    }
}

/// Whether a window of W rows is wide enough. A person inside the window has the posterior β/W + (1
/// − 1/W)·(H − β)/2m, and a person outside has (H − β)/2m. H are the node's values, and β is the
/// unknown distribution of the row drawn. Both are linear in β and the model is convex, so it
/// suffices to test the corners, at which β is certain of one value.
fn is_wide_enough(criteria: &Criteria, node: &Counts<'_>, window: u128, certain: usize) -> bool {
    let halves = node.total() - 1;
    let entries = node.entries();
    let others = |index: usize, count: u128| count - u128::from(index == certain);
    let counts = |inside: bool| -> Vec<(u32, u128)> {
        let weight = |(index, &(value, count)): (usize, &(u32, u128))| {
            let drawn = if index == certain { halves } else { 0 };
            let weight = if inside {
                (window - 1) * others(index, count) + drawn
            } else {
                others(index, count)
            };
            (value, weight)
        };
        entries.iter().enumerate().map(weight).filter(|&(_, weight)| weight > 0).collect()
    };
    [true, false]
        .into_iter()
        .all(|inside| criteria.hold_on_posterior(&Counts::new(&counts(inside))))
}

/// Sums up the splits of a node's values that would be refused.
struct Refused<'a> {
    criteria: &'a Criteria,
    tally: &'a mut CountBuffer,
    node: &'a [(u32, u128)],
    /// The number of rows of each value in the lower half.
    lower: Vec<u128>,
    /// The weights per value, in the lower and in the upper half.
    weights: [Vec<u128>; 2],
}

impl Refused<'_> {
    /// Chooses how many rows of each value from `index` on go to the lower half, `left` in all;
    /// `ways` is the number of assignments that agree with the choice so far.
    fn split(&mut self, index: usize, left: u128, ways: u128) {
        let Some(&(_, count)) = self.node.get(index) else {
            if left == 0 && self.is_refused() {
                self.add(ways);
            }
            return;
        };
        let mut choices = 1;
        for chosen in 0..=count.min(left) {
            self.lower[index] = chosen;
            self.split(index + 1, left - chosen, ways * choices);
            choices = choices * (count - chosen) / (chosen + 1);
        }
    }

    fn is_refused(&mut self) -> bool {
        let halves: Vec<(u32, [u128; 2])> = self
            .node
            .iter()
            .zip(&self.lower)
            .map(|(&(value, count), &lower)| (value, [lower, count - lower]))
            .collect();
        [0, 1].into_iter().any(|half| {
            let codes =
                halves.iter().flat_map(|&(value, counts)| (0..counts[half]).map(move |_| value));
            !self.criteria.hold_on_group(&self.tally.of_codes(codes))
        })
    }

    fn add(&mut self, ways: u128) {
        for (index, &(_, count)) in self.node.iter().enumerate() {
            let lower = self.lower[index];
            self.weights[0][index] += ways * lower;
            self.weights[1][index] += ways * (count - lower);
        }
    }
}
