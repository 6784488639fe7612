use super::{Counts, Measured, Property, Traits};
use crate::exact::{Fraction, Rational, approximate, compare_products, widen};
use crate::table::Members;
use std::cmp::Ordering;

/// No protected member of values that are sets is in a share of them above a bound.
///
/// Where a set holds what a person's rows have, this is ratio l-diversity for all of them,
/// whatever they have to do with one another. Convex and monotone: how many of a multiset's
/// sets have a member is a sum. (READERS, C2.)
#[derive(Debug, Clone)]
pub(super) struct MemberShare {
    pub(super) name: String,
    pub(super) bound: Rational,
    /// Smaller groups are not published.
    pub(super) least_size: u32,
    pub(super) members: Members,
}

impl MemberShare {
    /// How many sets have the protected member that most of them have.
    fn highest(&self, counts: &Counts<'_>) -> u128 {
        let mut sets = vec![0; self.members.count()];
        for &(value, count) in counts.entries() {
            for &member in self.members.of(value) {
                sets[member as usize] += count;
            }
        }
        let protected = sets.iter().zip(self.members.exempt());
        let protected = protected.filter(|(_, exempt)| !**exempt);
        protected.map(|(&count, _)| count).max().unwrap_or(0)
    }
}

impl Property for MemberShare {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    fn max_posterior(&self) -> Option<Fraction> {
        Some(widen(self.bound))
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        let (numerator, denominator) = (*self.bound.numer(), *self.bound.denom());
        let left = [self.highest(counts), denominator.into()];
        compare_products(&left, &[counts.total(), numerator.into()]) != Ordering::Greater
    }

    fn least_size(&self) -> u32 {
        self.least_size
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        Measured {
            what: "share of people with one value",
            value: None,
            found: self.highest(counts) as f64 / counts.total() as f64,
            bound: approximate(&self.bound),
        }
    }
}
