//! Finite distributions with exact weights.

use super::Abandoned;
use crate::Error;
use crate::exact::{Fraction, fraction};
use std::collections::HashMap;
use std::hash::Hash;

/// A probability distribution over finitely many outcomes, in integers: an
/// outcome of weight w has the probability w / total.
///
/// Outcomes are distinct and ascending. Weights are positive and in lowest terms, so equal
/// distributions are equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution<T> {
    outcomes: Vec<(T, u128)>,
    total: u128,
}

impl<T: Ord + Hash> Distribution<T> {
    /// The distribution with one certain outcome.
    pub fn certain(outcome: T) -> Self {
        Self { outcomes: vec![(outcome, 1)], total: 1 }
    }

    /// Builds a distribution from outcomes with integer weights. The weights of equal outcomes are
    /// added up; outcomes of weight 0 are left out. O(outcomes · log outcomes).
    ///
    /// # Errors
    /// [`Error::Abandoned`] if no outcome has a positive weight; [`Error::BeyondLimit`] if the
    /// total does not fit into 128 bits.
    pub fn from_weights(weights: impl IntoIterator<Item = (T, u128)>) -> Result<Self, Error> {
        let mut tally = ProbabilityBuffer::default();
        for (outcome, weight) in weights {
            tally.add(outcome, weight, 1)?;
        }
        tally.finish()
    }

    /// The outcomes with their weights, ascending.
    pub fn outcomes(&self) -> &[(T, u128)] {
        &self.outcomes
    }

    /// The sum of all weights, at least 1.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// The probability of an outcome, 0 if it cannot occur. O(log outcomes).
    pub fn probability(&self, outcome: &T) -> Fraction {
        let found = self.outcomes.binary_search_by(|(candidate, _)| candidate.cmp(outcome));
        let weight = found.map_or(0, |index| self.outcomes[index].1);
        fraction(weight, self.total)
    }

    /// The distribution of a function of two independent outcomes. O(pairs · log pairs).
    ///
    /// # Errors
    /// [`Error::BeyondLimit`] if the total does not fit into 128 bits.
    pub fn joined<U, V: Ord + Hash>(
        &self,
        other: &Distribution<U>,
        function: impl Fn(&T, &U) -> V,
    ) -> Result<Distribution<V>, Error> {
        let mut tally = ProbabilityBuffer::default();
        for (one, weight) in &self.outcomes {
            for (two, factor) in &other.outcomes {
                let weight = weight.checked_mul(*factor).ok_or_else(weights_overflow)?;
                tally.add(function(one, two), weight, 1)?;
            }
        }
        tally.finish()
    }

    /// The distribution of a random function of the outcome. O(outcomes of all functions).
    ///
    /// # Errors
    /// Errors of the function; [`Error::BeyondLimit`] if the total does not fit into 128 bits.
    pub fn then<V: Ord + Hash>(
        &self,
        mut function: impl FnMut(&T) -> Result<Distribution<V>, Error>,
    ) -> Result<Distribution<V>, Error> {
        let mut tally = ProbabilityBuffer::default();
        for (outcome, weight) in &self.outcomes {
            let own = function(outcome)?;
            for (image, factor) in own.outcomes {
                let weight = weight.checked_mul(factor).ok_or_else(weights_overflow)?;
                tally.add(image, weight, own.total)?;
            }
        }
        tally.finish()
    }

    /// Renames the outcomes by a function that must map different outcomes to different ones.
    /// O(outcomes · log outcomes).
    pub fn renamed(mut self, mut name: impl FnMut(T) -> T) -> Self {
        let named = self.outcomes.into_iter();
        self.outcomes = named.map(|(own, weight)| (name(own), weight)).collect();
        self.outcomes.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self
    }

    /// The distribution of a function of the outcome. O(outcomes · log outcomes).
    pub fn map<U: Ord + Hash>(self, mut function: impl FnMut(T) -> U) -> Distribution<U> {
        let images = self.outcomes.into_iter().map(|(outcome, weight)| (function(outcome), weight));
        Distribution::from_weights(images).expect("weights that fit are only added up")
    }
}

/// Collects probabilities whose denominators are not known in advance.
pub(super) struct ProbabilityBuffer<T> {
    /// Numerators by outcome and denominator: integers stay small, and the common denominator is
    /// computed once, at the end.
    shares: HashMap<(T, u128), u128>,
}

impl<T> Default for ProbabilityBuffer<T> {
    fn default() -> Self {
        Self { shares: HashMap::new() }
    }
}

impl<T: Ord + Hash> ProbabilityBuffer<T> {
    /// Adds the share `numerator / denominator` to an outcome.
    pub(super) fn add(
        &mut self,
        outcome: T,
        numerator: u128,
        denominator: u128,
    ) -> Result<(), Error> {
        let share = self.shares.entry((outcome, denominator)).or_default();
        *share = share.checked_add(numerator).ok_or_else(weights_overflow)?;
        Ok(())
    }

    /// Returns the distribution in proportion to the shares added.
    pub(super) fn finish(self) -> Result<Distribution<T>, Error> {
        let common = self
            .shares
            .keys()
            .try_fold(1, |common, &(_, denominator)| least_common_multiple(common, denominator))?;
        let mut shares: Vec<(T, u128)> = Vec::with_capacity(self.shares.len());
        for ((outcome, denominator), numerator) in self.shares {
            if numerator > 0 {
                let weight = numerator.checked_mul(common / denominator);
                shares.push((outcome, weight.ok_or_else(weights_overflow)?));
            }
        }
        shares.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut outcomes: Vec<(T, u128)> = Vec::with_capacity(shares.len());
        let mut total = 0u128;
        for (outcome, weight) in shares {
            // The total bounds every sum of weights.
            total = total.checked_add(weight).ok_or_else(weights_overflow)?;
            match outcomes.last_mut() {
                Some((last, sum)) if *last == outcome => *sum += weight,
                _ => outcomes.push((outcome, weight)),
            }
        }
        if outcomes.is_empty() {
            return Err(Abandoned.into());
        }
        let divisor =
            outcomes.iter().fold(0, |divisor, &(_, weight)| common_divisor(divisor, weight));
        outcomes.iter_mut().for_each(|(_, weight)| *weight /= divisor);
        Ok(Distribution { outcomes, total: total / divisor })
    }
}

/// Exact weights would need more than 128 bits.
pub fn weights_overflow() -> Error {
    Error::BeyondLimit {
        what: "bits of an exact probability",
        needed: "more than 128".to_owned(),
        limit: 128,
    }
}

/// The least common multiple of two positive integers.
pub fn least_common_multiple(a: u128, b: u128) -> Result<u128, Error> {
    (a / common_divisor(a, b)).checked_mul(b).ok_or_else(weights_overflow)
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_outcomes_are_added_up_in_lowest_terms() {
        let found = Distribution::from_weights([('b', 6), ('a', 4), ('b', 2), ('c', 0)]).unwrap();
        assert_eq!(found.outcomes(), [('a', 1), ('b', 2)]);
        assert_eq!(found.total(), 3);
        assert_eq!(found.probability(&'b'), fraction(2, 3));
        assert_eq!(found.probability(&'c'), fraction(0, 1));
        let merged = found.map(|_| 'x');
        assert_eq!(merged, Distribution::certain('x'));
    }

    #[test]
    fn unlike_denominators_meet() {
        let mut tally = ProbabilityBuffer::default();
        tally.add('a', 1, 2).unwrap();
        tally.add('b', 1, 3).unwrap();
        tally.add('a', 1, 6).unwrap();
        let found = tally.finish().unwrap();
        assert_eq!(found.outcomes(), [('a', 2), ('b', 1)]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let too_much = Distribution::from_weights([('a', u128::MAX), ('b', 1)]);
        assert_eq!(too_much, Err(weights_overflow()));
        let mut tally = ProbabilityBuffer::default();
        tally.add('a', 1, u128::MAX).unwrap();
        tally.add('b', 1, u128::MAX - 1).unwrap();
        assert_eq!(tally.finish(), Err(weights_overflow()));
        let nothing = Distribution::from_weights([('a', 0)]);
        assert_eq!(nothing, Err(Abandoned.into()));
    }
}
