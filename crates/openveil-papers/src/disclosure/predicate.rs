//! Properties that must hold for a reader's conclusions about a person, and for a group.

use openveil_core::Error;
use openveil_core::exact::compare_products;
use openveil_core::model::{CountBuffer, Criteria, RatioDiversity};
use std::cmp::Ordering;

/// A privacy property of a set of tables, decided person by person.
///
/// It holds on a set of tables if it holds on every person's multiset of values over the set. Any
/// function of the counts is allowed, so closures are predicates.
pub trait Predicate: Sync {
    /// Returns whether the property holds for a person who has the value `v` in `counts[v]` tables
    /// of the set; at least one count is positive. The sum of the counts fits into 128 bits.
    fn holds(&self, counts: &[u128]) -> bool;

    /// Returns whether a group with the value `v` in `counts[v]` rows may be published at all,
    /// whatever the conclusions from it are. These are conditions on sizes and totals, which
    /// posteriors do not show. By default, any group may be published.
    fn admits_group(&self, _counts: &[u128]) -> bool {
        true
    }
}

impl<F: Fn(&[u128]) -> bool + Sync> Predicate for F {
    fn holds(&self, counts: &[u128]) -> bool {
        self(counts)
    }
}

/// The properties of a model: its conditions on distributions for posteriors, and its conditions on
/// groups for groups.
impl Predicate for Criteria {
    fn holds(&self, counts: &[u128]) -> bool {
        self.hold_on_posterior(&CountBuffer::default().of_dense(counts))
    }

    fn admits_group(&self, counts: &[u128]) -> bool {
        self.admit_group(&CountBuffer::default().of_dense(counts))
    }
}

/// The highest ratio: no value has a share of more than a/b.
///
/// It is convex. The Privacy Streamliner paper (section 1) uses 2/3, which no [`RatioDiversity`]
/// expresses; the k-jump paper (section 5.3) calls it the highest ratio of sensitive values, with
/// the bound δ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatioBound {
    numerator: u64,
    denominator: u64,
}

impl RatioBound {
    /// Makes the bound `numerator / denominator`, which must be above 0 and below 1.
    ///
    /// # Errors
    /// [`Error::RatioOutOfRange`].
    pub fn new(numerator: u64, denominator: u64) -> Result<Self, Error> {
        if numerator == 0 || numerator >= denominator {
            return Err(Error::RatioOutOfRange { numerator, denominator });
        }
        Ok(Self { numerator, denominator })
    }
}

impl From<RatioDiversity> for RatioBound {
    fn from(model: RatioDiversity) -> Self {
        Self { numerator: 1, denominator: model.l().into() }
    }
}

impl Predicate for RatioBound {
    fn holds(&self, counts: &[u128]) -> bool {
        let highest = counts.iter().copied().max().unwrap_or(0);
        let total: u128 = counts.iter().sum();
        let (left, right) = ([highest, self.denominator.into()], [total, self.numerator.into()]);
        compare_products(&left, &right) != Ordering::Greater
    }
}

/// At least so many different values. It is *set-monotonic*, since a larger set of tables never has
/// fewer of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistinctValues(
    /// The least number of values that a person must possibly have.
    pub usize,
);

impl Predicate for DistinctValues {
    fn holds(&self, counts: &[u128]) -> bool {
        counts.iter().filter(|&&count| count > 0).count() >= self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_exact_whatever_the_size() {
        let bound = RatioBound::new(2, 3).unwrap();
        assert!(bound.holds(&[2, 1, 0]));
        assert!(!bound.holds(&[5, 2, 0]));
        let third = u128::MAX / 3;
        assert!(bound.holds(&[2 * third, third]));
        assert!(!bound.holds(&[2 * third + 1, third - 1]));
        let half = RatioBound::from(RatioDiversity::new(2).unwrap());
        assert_eq!(half, RatioBound::new(1, 2).unwrap());
    }

    #[test]
    fn bounds_that_bind_nothing_or_everything_are_refused() {
        for (numerator, denominator) in [(0, 2), (2, 2), (3, 2), (0, 0)] {
            let error = Error::RatioOutOfRange { numerator, denominator };
            assert_eq!(RatioBound::new(numerator, denominator), Err(error));
        }
    }

    #[test]
    fn distinct_values_and_closures() {
        assert!(DistinctValues(2).holds(&[0, 9, 1]));
        assert!(!DistinctValues(2).holds(&[0, 9, 0]));
        let closure: &dyn Predicate = &|counts: &[u128]| counts[0] == 0;
        assert!(closure.holds(&[0, 3]) && !closure.holds(&[1, 3]));
    }
}
