use super::ceiling::{STEPS, ceiling};
use super::prior::Prior;
use super::requirement::Distance;
use super::{Counts, Failure, Property, Traits};
use crate::exact::{Fraction, Rational, Whole, approximate, bits, sign_of_log_sum, widen};
use num_bigint::BigInt;
use num_traits::One;
use std::cmp::Ordering;

/// Kifer's generic measure: a distance between a reader's belief before and after,
/// the whole table's distribution and this one, of at most a bound. (Definition 1 of
/// the versatile publishing paper.)
///
/// Convex, since each of the distances is convex in the distribution; hence
/// monotone. Exempt values count like others.
#[derive(Debug, Clone)]
pub(super) struct Generic {
    pub(super) name: String,
    pub(super) distance: Distance,
    pub(super) bound: Rational,
    pub(super) prior: Prior,
}

impl Generic {
    fn fits<T: Whole>(&self, counts: &Counts<'_>) -> bool {
        let (here, whole) = (T::of(counts.total()), T::of(self.prior.rows()));
        let beside = self.prior.beside(counts);
        // Differences of shares, times both totals.
        let differences = beside.map(|(_, count, prior)| {
            (T::of(count) * whole.clone() - T::of(prior) * here.clone()).abs()
        });
        let sum = |sum: T, difference: T| sum + difference;
        let bound = T::of((*self.bound.numer()).into()) * here.clone() * whole.clone();
        let unit = T::of((*self.bound.denom()).into());
        match self.distance {
            Distance::TotalVariation => {
                let twice = differences.fold(T::zero(), sum);
                twice * unit <= bound.clone() + bound
            }
            Distance::Maximum => differences.fold(T::zero(), T::max) * unit <= bound,
            Distance::Euclidean => {
                let squares = differences.map(|difference| difference.clone() * difference);
                let squares = squares.fold(T::zero(), sum);
                squares * unit.clone() * unit <= bound.clone() * bound
            }
            Distance::KullbackLeibler => self.within_divergence(counts),
        }
    }

    /// Σ c ln((c/n) / (w/W)) ≤ n · bound.
    fn within_divergence(&self, counts: &Counts<'_>) -> bool {
        let size = counts.total() as i128;
        let entries = counts.entries().iter();
        let pairs = entries.flat_map(|&(value, count)| {
            let weight = count as i128;
            [(weight, count), (-weight, self.prior.of(value))]
        });
        let totals = [(size, self.prior.rows()), (-size, counts.total())];
        let bound = widen(self.bound) * BigInt::from(size);
        sign_of_log_sum(totals.into_iter().chain(pairs), Some(&-bound)) != Ordering::Greater
    }

    fn is_small(&self, counts: &Counts<'_>) -> bool {
        let parameter = (*self.bound.numer()).max(*self.bound.denom());
        let values = self.prior.present().len() as u128;
        let linear = bits(counts.total()) + bits(self.prior.rows()) + bits(parameter.into()) + 1;
        match self.distance {
            Distance::Euclidean => 2 * linear + bits(values) < 127,
            _ => linear + bits(values) + 1 < 127,
        }
    }

    /// For people to read.
    fn found(&self, counts: &Counts<'_>) -> f64 {
        let shares = self.prior.beside(counts).map(|(_, count, prior)| {
            let p = count as f64 / counts.total() as f64;
            (p, prior as f64 / self.prior.rows() as f64)
        });
        match self.distance {
            Distance::TotalVariation => shares.map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0,
            Distance::Maximum => shares.map(|(p, q)| (p - q).abs()).fold(0.0, f64::max),
            Distance::Euclidean => shares.map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt(),
            Distance::KullbackLeibler => {
                let positive = shares.filter(|&(p, _)| p > 0.0);
                positive.map(|(p, q)| p * (p / q).ln()).sum()
            }
        }
    }

    /// Whether a value may have so many steps of the share, the others as in the
    /// whole table among themselves: no distribution with that share is closer.
    fn diverges_little(&self, value: u32, steps: u32) -> bool {
        let (rows, all) = (self.prior.of(value), self.prior.rows());
        let (one, rest) = (u128::from(steps), u128::from(STEPS - steps));
        let part = |count: u128, prior: u128| {
            let weight = count as i128;
            [(weight, count.max(1)), (-weight, prior.max(1))]
        };
        let size = i128::from(STEPS);
        let totals = [(size, all), (-size, STEPS.into())];
        let terms = totals
            .into_iter()
            .chain(part(one, rows))
            .chain(part(rest, all - rows));
        let bound = widen(self.bound) * BigInt::from(size);
        sign_of_log_sum(terms, Some(&-bound)) != Ordering::Greater
    }
}

impl Property for Generic {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    /// No share grows by more than the bound; with the divergence, up to where two
    /// values alone would diverge too much, rounded up.
    fn max_posterior(&self) -> Option<Fraction> {
        self.prior.greatest(|value| {
            let q = self.prior.share(value);
            match self.distance {
                Distance::TotalVariation | Distance::Maximum | Distance::Euclidean => {
                    Some(q + widen(self.bound))
                }
                Distance::KullbackLeibler if q.is_one() => None,
                Distance::KullbackLeibler => {
                    let lowest =
                        (self.prior.of(value) * u128::from(STEPS) / self.prior.rows()) as u32;
                    ceiling(lowest + 1, |steps| self.diverges_little(value, steps))
                }
            }
        })
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        match self.is_small(counts) {
            true => self.fits::<i128>(counts),
            false => self.fits::<BigInt>(counts),
        }
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        (!self.holds(counts)).then(|| Failure {
            property: self.name(),
            value: None,
            measure: "distance from the whole table's distribution",
            found: self.found(counts),
            bound: approximate(&self.bound),
        })
    }
}
