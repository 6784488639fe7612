use super::bind::Binding;
use super::ceiling::{STEPS, ceiling};
use super::prior::Prior;
use super::range::Range;
use super::requirement::{ModelParameters, protected_value};
use super::{Counts, InvalidModel, Measured, Property, Tilts, Traits};
use crate::exact::number::rational;
use crate::exact::text;
use crate::exact::{Fraction, Rational, approximate, clear_order, sign_of_log_sum, widen};
use num_traits::Zero;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;

/// Parameters of δ-disclosure privacy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaDisclosure {
    /// Above 0.
    #[serde(with = "rational")]
    pub delta: Rational,
}

impl ModelParameters for DeltaDisclosure {
    const MODEL: &'static str = "delta-disclosure";

    fn check(&self) -> Result<(), InvalidModel> {
        Range(Self::MODEL).positive("delta", &self.delta)
    }

    fn name(&self) -> String {
        format!("{}-disclosure privacy", text(self.delta))
    }

    fn in_words(&self, exempt: bool) -> Text {
        let value = protected_value(exempt);
        text!(
            "no {value:text} is more or less probable for anybody than in the whole table by a factor of e^{}",
            text(self.delta)
        )
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(Disclosure {
            name: self.name(),
            delta: self.delta,
            prior: table.prior(),
        })])
    }
}

/// δ-disclosure privacy: |ln(p/q)| < δ for every protected value that occurs in the
/// whole table, with share q there and p here. (Brickell, Shmatikov: The cost of
/// privacy, 2008; logarithms are natural.)
///
/// In particular every group has every protected value. Convex and monotone: for each value it is a
/// range of shares. Exempt values may have any share.
#[derive(Debug, Clone)]
pub(super) struct Disclosure {
    pub(super) name: String,
    pub(super) delta: Rational,
    pub(super) prior: Prior,
}

impl Disclosure {
    /// How e^δ compares to p/q (`above`), or to q/p.
    fn reach(&self, value: u32, count: u128, size: u128, above: bool) -> Ordering {
        let (rows, all) = (self.prior.rows_of(value), self.prior.rows());
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

impl Property for Disclosure {
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

    /// A share is highest if its value alone is tilted, and lowest if all others are.
    fn worst_tilts(&self) -> Tilts {
        Tilts::SinglesAndRests
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let change = |&(value, count): &(u32, u128)| {
            let q = self.prior.rows_of(value) as f64 / self.prior.rows() as f64;
            (count as f64 / counts.total() as f64 / q).ln().abs()
        };
        let beside = self.prior.beside(counts);
        let protected = beside
            .filter(|&(value, ..)| !self.prior.is_exempt(value))
            .map(|(value, count, _)| (value, count));
        let worst = self
            .broken_by(counts)
            .or_else(|| protected.max_by(|a, b| change(a).total_cmp(&change(b))));
        Measured {
            what: "logarithm of a value's share over the whole table's",
            value: worst.map(|(value, _)| value),
            found: worst.map_or(0.0, |entry| change(&entry)),
            bound: approximate(&self.delta),
        }
    }
}
