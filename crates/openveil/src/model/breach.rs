use super::prior::Prior;
use super::{Counts, Failure, Property, Traits};
use crate::exact::{Fraction, Rational, approximate, compare_products, widen};
use std::cmp::Ordering;

/// No ρ₁-to-ρ₂ breach: a protected value with a share of at most ρ₁ in the whole
/// table has one below ρ₂. (Evfimievski, Gehrke, Srikant: Limiting privacy
/// breaches, 2003: their *upward* breach, for statements about one value.)
///
/// Convex and monotone: the shares in a mixture or a union are means. Exempt values
/// may reach any share.
#[derive(Debug, Clone)]
pub(super) struct NoBreach {
    pub(super) name: String,
    pub(super) rho1: Rational,
    pub(super) rho2: Rational,
    pub(super) prior: Prior,
}

impl NoBreach {
    /// Whether a value is protected, and rare enough in the whole table.
    fn concerns(&self, value: u32) -> bool {
        let (rho, unit) = (*self.rho1.numer(), *self.rho1.denom());
        let rare = || {
            let left = [self.prior.of(value), unit.into()];
            compare_products(&left, &[self.prior.rows(), rho.into()]) != Ordering::Greater
        };
        !self.prior.is_exempt(value) && rare()
    }

    fn highest(&self, counts: &Counts<'_>) -> Option<(u32, u128)> {
        let concerns = |&&(value, _): &&(u32, u128)| self.concerns(value);
        let entries = counts.entries().iter().filter(concerns).copied();
        entries.max_by_key(|&(value, count)| (count, std::cmp::Reverse(value)))
    }
}

impl Property for NoBreach {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    fn max_posterior(&self) -> Option<Fraction> {
        let concerned = |value| self.concerns(value).then(|| widen(self.rho2));
        self.prior.greatest(concerned)
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        let (rho, unit) = (*self.rho2.numer(), *self.rho2.denom());
        self.highest(counts).is_none_or(|(_, count)| {
            let right = [counts.total(), rho.into()];
            compare_products(&[count, unit.into()], &right) == Ordering::Less
        })
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        let (value, count) = self.highest(counts)?;
        (!self.holds(counts)).then(|| Failure {
            property: self.name(),
            value: Some(value),
            measure: "share of a value that is rare in the whole table",
            found: count as f64 / counts.total() as f64,
            bound: approximate(&self.rho2),
        })
    }
}
