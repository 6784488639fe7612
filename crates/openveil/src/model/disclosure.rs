use super::ceiling::{STEPS, ceiling};
use super::prior::Prior;
use super::{Counts, Failure, Property, Traits};
use crate::exact::{Fraction, Rational, approximate, clear_order, sign_of_log_sum, widen};
use num_traits::Zero;
use std::cmp::Ordering;

/// δ-disclosure privacy: |ln(p/q)| < δ for every protected value that occurs in the
/// whole table, with share q there and p here. (Brickell, Shmatikov: The cost of
/// privacy, 2008; logarithms are natural.)
///
/// In particular every protected value stands in every group. Convex and monotone:
/// for each value it is a range of shares. Exempt values may have any share.
#[derive(Debug, Clone)]
pub(super) struct DeltaDisclosure {
    pub(super) name: String,
    pub(super) delta: Rational,
    pub(super) prior: Prior,
}

impl DeltaDisclosure {
    /// How e^δ compares to p/q (`above`), or to q/p.
    fn reach(&self, value: u32, count: u128, size: u128, above: bool) -> Ordering {
        let (rows, all) = (self.prior.of(value), self.prior.rows());
        let ratio = (count as f64 / size as f64) * (all as f64 / rows as f64);
        let delta = approximate(&self.delta);
        let (left, sign) = if above { (ratio, 1) } else { (1.0 / ratio, -1) };
        if let Some(order) = clear_order(delta.exp(), left) {
            return order;
        }
        let terms = [(sign, count), (sign, all), (-sign, size), (-sign, rows)];
        sign_of_log_sum(terms.into_iter(), Some(&-widen(self.delta))).reverse()
    }

    fn allows(&self, value: u32, count: u128, size: u128) -> bool {
        let within = |above| self.reach(value, count, size, above) == Ordering::Greater;
        count > 0 && within(true) && within(false)
    }

    fn broken_by(&self, counts: &Counts<'_>) -> Option<(u32, u128)> {
        let mut beside = self.prior.beside(counts);
        let broken = beside.find(|&(value, count, _)| {
            !self.prior.is_exempt(value) && !self.allows(value, count, counts.total())
        });
        broken.map(|(value, count, _)| (value, count))
    }
}

impl Property for DeltaDisclosure {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    /// The greatest q · e^δ, rounded up.
    fn max_posterior(&self) -> Option<Fraction> {
        self.prior.greatest(|value| {
            ceiling(0, |steps| {
                let (count, size) = (steps.into(), STEPS.into());
                steps.is_zero() || self.reach(value, count, size, true) == Ordering::Greater
            })
        })
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        self.broken_by(counts).is_none()
    }

    fn least_size(&self) -> u32 {
        self.prior.protected().count() as u32
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        let (value, count) = self.broken_by(counts)?;
        let q = self.prior.of(value) as f64 / self.prior.rows() as f64;
        let p = count as f64 / counts.total() as f64;
        Some(Failure {
            property: self.name(),
            value: Some(value),
            measure: "logarithm of a value's share over the whole table's",
            found: (p / q).ln().abs(),
            bound: approximate(&self.delta),
        })
    }
}
