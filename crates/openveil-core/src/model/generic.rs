use super::bind::Binding;
use super::ceiling::{STEPS, ceiling};
use super::prior::Prior;
use super::range::Range;
use super::requirement::ModelParameters;
use super::{Counts, InvalidModel, Measured, Property, Traits};
use crate::exact::number::rational;
use crate::exact::text;
use crate::exact::{Fraction, Integer, Rational, approximate, bits, sign_of_log_sum, widen};
use num_bigint::BigInt;
use num_traits::One;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;

/// Parameters of Kifer's generic measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenericDistance {
    /// How the distance between distributions is measured.
    pub distance: Distance,
    /// Above 0.
    #[serde(with = "rational")]
    pub bound: Rational,
}

/// A distance between two distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// Half the sum of the differences: 0 to 1.
    TotalVariation,
    /// The greatest difference in the share of one value: 0 to 1.
    Maximum,
    /// Root of the summed squared differences.
    Euclidean,
    /// Kullback–Leibler divergence from the whole table's distribution, in nats.
    KullbackLeibler,
}

impl Distance {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::TotalVariation => "total-variation",
            Self::Maximum => "maximum",
            Self::Euclidean => "euclidean",
            Self::KullbackLeibler => "kullback-leibler",
        }
    }
}

impl ModelParameters for GenericDistance {
    const MODEL: &'static str = "kifer";

    fn check(&self) -> Result<(), InvalidModel> {
        Range(Self::MODEL).positive("bound", &self.bound)
    }

    fn name(&self) -> String {
        format!("{} distance of at most {}", self.distance.name(), text(self.bound))
    }

    fn in_words(&self, _exempt: bool) -> Text {
        text!(
            "what can be learned of anybody is within {} of the whole table's distribution",
            text(self.bound)
        )
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(Generic {
            name: self.name(),
            distance: self.distance,
            bound: self.bound,
            prior: table.prior(),
        })])
    }
}

/// Kifer's generic measure: the distance between a reader's beliefs before and after the release
/// (the whole table's distribution and this one) is at most a bound. (Definition 1 of the versatile
/// publishing paper.)
///
/// Convex, since each of the distances is convex in the distribution; hence monotone. Exempt values
/// count like others.
#[derive(Debug, Clone)]
pub(super) struct Generic {
    pub(super) name: String,
    pub(super) distance: Distance,
    pub(super) bound: Rational,
    pub(super) prior: Prior,
}

impl Generic {
    fn fits<T: Integer>(&self, counts: &Counts<'_>) -> bool {
        let (here, whole) = (T::from_number(counts.total()), T::from_number(self.prior.rows()));
        let beside = self.prior.beside(counts);
        // Differences of shares, times both totals.
        let differences = beside.map(|(_, count, prior)| {
            (T::from_number(count) * whole.clone() - T::from_number(prior) * here.clone()).abs()
        });
        let sum = |sum: T, difference: T| sum + difference;
        let bound = T::from_number((*self.bound.numer()).into()) * here.clone() * whole.clone();
        let unit = T::from_number((*self.bound.denom()).into());
        match self.distance {
            Distance::TotalVariation => {
                let twice = differences.fold(T::zero(), sum);
                twice * unit <= bound.clone() + bound
            }
            Distance::Maximum => differences.fold(T::zero(), T::max) * unit <= bound,
            Distance::Euclidean => {
                differences.map(|difference| difference.clone() * difference).fold(T::zero(), sum)
                    * unit.clone()
                    * unit
                    <= bound.clone() * bound
            }
            Distance::KullbackLeibler => self.within_divergence(counts),
        }
    }

    /// Σ c ln((c/n) / (w/W)) ≤ n · bound.
    fn within_divergence(&self, counts: &Counts<'_>) -> bool {
        if counts.entries().iter().any(|&(value, _)| self.prior.rows_of(value) == 0) {
            // Infinite: the whole table does not have the value.
            return false;
        }
        let size = counts.total() as i128;
        let pairs = counts.entries().iter().flat_map(|&(value, count)| {
            let weight = count as i128;
            [(weight, count), (-weight, self.prior.rows_of(value))]
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

    /// The distance, for display.
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
                shares.filter(|&(p, _)| p > 0.0).map(|(p, q)| p * (p / q).ln()).sum()
            }
        }
    }

    /// Whether a value may have a share of `steps / STEPS`, if the other values keep the
    /// proportions of the whole table. No distribution with that share is closer.
    fn diverges_little(&self, value: u32, steps: u32) -> bool {
        let (rows, all) = (self.prior.rows_of(value), self.prior.rows());
        let (one, rest) = (u128::from(steps), u128::from(STEPS - steps));
        let part = |count: u128, prior: u128| {
            let weight = count as i128;
            [(weight, count.max(1)), (-weight, prior.max(1))]
        };
        let size = i128::from(STEPS);
        let totals = [(size, all), (-size, STEPS.into())];
        let terms = totals.into_iter().chain(part(one, rows)).chain(part(rest, all - rows));
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

    /// No share grows by more than the bound. For the divergence: the greatest share at which two
    /// values alone stay within the bound, rounded up.
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
                        (self.prior.rows_of(value) * u128::from(STEPS) / self.prior.rows()) as u32;
                    ceiling(lowest + 1, |steps| self.diverges_little(value, steps))
                }
            }
        })
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        if self.is_small(counts) { self.fits::<i128>(counts) } else { self.fits::<BigInt>(counts) }
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        Measured {
            what: "distance from the whole table's distribution",
            value: None,
            found: self.found(counts),
            bound: approximate(&self.bound),
        }
    }
}
