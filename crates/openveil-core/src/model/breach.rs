use super::bind::Binding;
use super::prior::Prior;
use super::range::Range;
use super::requirement::{ModelParameters, protected_value};
use super::{Counts, InvalidModel, Measured, Property, Tilts, Traits};
use crate::exact::number::rational;
use crate::exact::text;
use crate::exact::{Fraction, Rational, approximate, compare_products, widen};
use num_traits::One;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;

/// Parameters of ρ₁-to-ρ₂ breaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreachLimit {
    /// Above 0, below `rho2`.
    #[serde(with = "rational")]
    pub rho1: Rational,
    /// At most 1.
    #[serde(with = "rational")]
    pub rho2: Rational,
}

impl ModelParameters for BreachLimit {
    const MODEL: &'static str = "rho1-rho2";

    fn check(&self) -> Result<(), InvalidModel> {
        let range = Range(Self::MODEL);
        range.proper("rho1", &self.rho1)?;
        let sensible = self.rho1 < self.rho2 && self.rho2 <= Rational::one();
        let expected = text!("above `rho1` and at most 1");
        range.holds("rho2", &text(self.rho2), sensible, expected)
    }

    fn name(&self) -> String {
        format!("no {}-to-{} breach", text(self.rho1), text(self.rho2))
    }

    fn in_words(&self, exempt: bool) -> Text {
        let value = protected_value(exempt);
        text!(
            "no {value:text} with a share of at most {} in the whole table is as probable as {} for anybody",
            text(self.rho1),
            text(self.rho2)
        )
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(NoBreach {
            name: self.name(),
            rho1: self.rho1,
            rho2: self.rho2,
            prior: table.prior(),
        })])
    }
}

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
            let left = [self.prior.rows_of(value), unit.into()];
            compare_products(&left, &[self.prior.rows(), rho.into()]) != Ordering::Greater
        };
        !self.prior.is_exempt(value) && rare()
    }

    fn highest(&self, counts: &Counts<'_>) -> Option<(u32, u128)> {
        counts
            .entries()
            .iter()
            .filter(|&&(value, _)| self.concerns(value))
            .copied()
            .max_by_key(|&(value, count)| (count, std::cmp::Reverse(value)))
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
        self.prior.greatest(|value| self.concerns(value).then(|| widen(self.rho2)))
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        let (rho, unit) = (*self.rho2.numer(), *self.rho2.denom());
        self.highest(counts).is_none_or(|(_, count)| {
            let right = [counts.total(), rho.into()];
            compare_products(&[count, unit.into()], &right) == Ordering::Less
        })
    }

    /// A share is highest if its value alone is tilted.
    fn worst_tilts(&self) -> Tilts {
        Tilts::Singles
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let highest = self.highest(counts);
        Measured {
            what: "share of a value that is rare in the whole table",
            value: highest.map(|(value, _)| value),
            found: highest.map_or(0, |(_, count)| count) as f64 / counts.total() as f64,
            bound: approximate(&self.rho2),
        }
    }
}
