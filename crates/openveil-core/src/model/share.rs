use super::{Counts, Measured, Property, Tilts, Traits};
use crate::exact::{Fraction, Rational, approximate, compare_products, widen};
use std::cmp::Ordering;

/// The property that no protected value has a share above a bound: ratio l-diversity has the bound
/// 1/l, and (α, k)-anonymity has α.
///
/// Convex and monotone: the share in a mixture or a union is a mean of shares.
#[derive(Debug, Clone)]
pub(super) struct HighestShare {
    pub(super) name: String,
    pub(super) bound: Rational,
    /// Smaller groups are not published.
    pub(super) least_size: u32,
    /// `exempt[value]`: the value needs no protection.
    pub(super) exempt: Vec<bool>,
}

impl HighestShare {
    /// The most frequent protected value and its count.
    fn highest(&self, counts: &Counts<'_>) -> Option<(u32, u128)> {
        counts
            .entries()
            .iter()
            .filter(|&&(value, _)| !self.exempt[value as usize])
            .copied()
            .max_by_key(|&(value, count)| (count, std::cmp::Reverse(value)))
    }
}

impl Property for HighestShare {
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
        let Some((_, count)) = self.highest(counts) else {
            return true;
        };
        let (numerator, denominator) = (*self.bound.numer(), *self.bound.denom());
        let left = [count, denominator.into()];
        compare_products(&left, &[counts.total(), numerator.into()]) != Ordering::Greater
    }

    fn treats_values_alike(&self) -> bool {
        !self.exempt.contains(&true)
    }

    fn least_size(&self) -> u32 {
        self.least_size
    }

    /// A share is highest if its value alone is tilted.
    fn worst_tilts(&self) -> Tilts {
        Tilts::Singles
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let highest = self.highest(counts);
        Measured {
            what: "share of one value",
            value: highest.map(|(value, _)| value),
            found: highest.map_or(0, |(_, count)| count) as f64 / counts.total() as f64,
            bound: approximate(&self.bound),
        }
    }
}
