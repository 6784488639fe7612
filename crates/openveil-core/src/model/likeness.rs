use super::bind::Binding;
use super::ceiling::{STEPS, ceiling};
use super::prior::Prior;
use super::range::Range;
use super::requirement::{ModelParameters, protected_value};
use super::{Counts, InvalidModel, Measured, Property, Tilts, Traits};
use crate::exact::number::rational;
use crate::exact::text;
use crate::exact::{
    Fraction, Rational, approximate, clear_order, compare_products, sign_of_log_sum, widen,
};
use num_bigint::BigInt;
use num_traits::One;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;

/// Parameters of β-likeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetaLikeness {
    /// Above 0.
    #[serde(with = "rational")]
    pub beta: Rational,
    /// Whether frequent values have a closer bound: the variant `enhanced`.
    #[serde(rename = "variant", default, with = "likeness_variant")]
    pub enhanced: bool,
}

/// `basic` or `enhanced`.
mod likeness_variant {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum LikenessVariant {
        Basic,
        Enhanced,
    }

    pub(super) fn serialize<S: Serializer>(enhanced: &bool, to: S) -> Result<S::Ok, S::Error> {
        let variant = if *enhanced { LikenessVariant::Enhanced } else { LikenessVariant::Basic };
        variant.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        LikenessVariant::deserialize(from)
            .map(|variant| matches!(variant, LikenessVariant::Enhanced))
    }
}

impl ModelParameters for BetaLikeness {
    const MODEL: &'static str = "beta-likeness";

    fn check(&self) -> Result<(), InvalidModel> {
        Range(Self::MODEL).positive("beta", &self.beta)
    }

    fn name(&self) -> String {
        let kind = if self.enhanced { "enhanced" } else { "basic" };
        format!("{kind} {}-likeness", text(self.beta))
    }

    fn in_words(&self, exempt: bool) -> Text {
        let value = protected_value(exempt);
        let beta = text(self.beta);
        let limit = if self.enhanced {
            text!("{beta}, or −ln of that share if it is less")
        } else {
            beta.into()
        };
        text!(
            "no {value:text} is more probable for anybody than its share in the whole table by more than that share times {limit:text}"
        )
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(Likeness {
            name: self.name(),
            beta: self.beta,
            enhanced: self.enhanced,
            prior: table.prior(),
        })])
    }
}

/// β-likeness: for a protected value with share q in the whole table and a greater
/// share p here, (p − q)/q ≤ β; enhanced, (p − q)/q ≤ min(β, −ln q). (Cao, Karras:
/// Publishing microdata with a robust privacy guarantee, 2012.)
///
/// Convex and monotone: for each value it is a bound on its share. Values may become
/// rarer, even disappear. Exempt values may have any share.
#[derive(Debug, Clone)]
pub(super) struct Likeness {
    pub(super) name: String,
    pub(super) beta: Rational,
    pub(super) enhanced: bool,
    pub(super) prior: Prior,
}

impl Likeness {
    /// Whether a protected value may have `count` of `size` rows.
    fn allows(&self, value: u32, count: u128, size: u128) -> bool {
        let (rows, all) = (self.prior.rows_of(value), self.prior.rows());
        // p/q ≤ 1 + β
        let (beta, unit) = (u128::from(*self.beta.numer()), u128::from(*self.beta.denom()));
        let gain = compare_products(&[count, all, unit], &[rows, size, unit + beta]);
        gain != Ordering::Greater && (!self.enhanced || below_logarithm(count, size, rows, all))
    }

    /// (p − q)/q, for display.
    fn gain(&self, value: u32, count: u128, size: u128) -> f64 {
        let q = self.prior.rows_of(value) as f64 / self.prior.rows() as f64;
        count as f64 / size as f64 / q - 1.0
    }

    fn limit(&self, value: u32) -> f64 {
        let beta = approximate(&self.beta);
        let q = self.prior.rows_of(value) as f64 / self.prior.rows() as f64;
        if self.enhanced { beta.min(-q.ln()) } else { beta }
    }

    fn broken_by(&self, counts: &Counts<'_>) -> Option<(u32, u128)> {
        counts.entries().iter().copied().find(|&(value, count)| {
            !self.prior.is_exempt(value) && !self.allows(value, count, counts.total())
        })
    }
}

/// Whether p/q − 1 ≤ −ln q, for p = count/size and q = rows/all.
fn below_logarithm(count: u128, size: u128, rows: u128, all: u128) -> bool {
    let ratio = (count as f64 / size as f64) * (all as f64 / rows as f64);
    let limit = 1.0 + (all as f64 / rows as f64).ln();
    if let Some(order) = clear_order(ratio, limit) {
        return order == Ordering::Less;
    }
    // 0 ≤ ln all − ln rows + 1 − (count · all)/(size · rows)
    let big = |number: u128| BigInt::from(number);
    let gain = Fraction::new(big(count) * all, big(size) * rows) - Fraction::one();
    let terms = [(1, all), (-1, rows)].into_iter();
    sign_of_log_sum(terms, Some(&-gain)) != Ordering::Less
}

impl Property for Likeness {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    /// The greatest q · (1 + β). In the enhanced variant it is rounded up where −ln q is the bound.
    fn max_posterior(&self) -> Option<Fraction> {
        self.prior.greatest(|value| {
            let q = self.prior.share(value);
            let basic = &q * (Fraction::one() + widen(self.beta));
            let enhanced = self
                .enhanced
                .then(|| ceiling(0, |steps: u32| self.allows(value, steps.into(), STEPS.into())))
                .flatten();
            Some(enhanced.map_or(basic.clone(), |bound| bound.min(basic)))
        })
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        self.broken_by(counts).is_none()
    }

    /// A share is highest if its value alone is tilted.
    fn worst_tilts(&self) -> Tilts {
        Tilts::Singles
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let gain = |&(value, count): &(u32, u128)| self.gain(value, count, counts.total());
        let entries =
            counts.entries().iter().filter(|entry| !self.prior.is_exempt(entry.0)).copied();
        let worst =
            self.broken_by(counts).or_else(|| entries.max_by(|a, b| gain(a).total_cmp(&gain(b))));
        Measured {
            what: "gain of a value's share over the whole table's, as a part of that,",
            value: worst.map(|(value, _)| value),
            found: worst.map_or(0.0, |entry| gain(&entry)),
            bound: worst.map_or(approximate(&self.beta), |(value, _)| self.limit(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enhanced_bound_turns_between_rational_neighbours() {
        // q = 1/2: p ≤ (1 + ln 2)/2 = 0.846573590279972654708616…
        let unit = 10u128.pow(21);
        let bound = 846_573_590_279_972_654_708u128;
        assert!(below_logarithm(bound, unit, 1, 2));
        assert!(!below_logarithm(bound + 1, unit, 1, 2));
        assert!(below_logarithm(bound, unit, 3, 6) && !below_logarithm(bound + 1, unit, 3, 6));
        assert!(below_logarithm(1, 1, 7, 7));
    }
}
