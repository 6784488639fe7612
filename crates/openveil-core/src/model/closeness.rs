use super::bind::Binding;
use super::ground::Ground;
use super::prior::Prior;
use super::range::Range;
use super::requirement::ModelParameters;
use super::{Counts, InvalidModel, Measured, Property, Traits};
use crate::exact::number::rational;
use crate::exact::text;
use crate::exact::{Fraction, Integer, Rational, approximate, bits, fraction, widen};
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of t-closeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TCloseness {
    /// Above 0 and below 1.
    #[serde(with = "rational")]
    pub t: Rational,
    /// How far values are from each other.
    #[serde(rename = "distance")]
    pub ground: GroundDistance,
}

/// How far sensitive values are from each other: 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroundDistance {
    /// All different values are at distance 1.
    Equal,
    /// The difference in rank in the order of the values, divided by the greatest difference.
    Ordered,
    /// The height of the common ancestor in the sensitive column's hierarchy, divided by the height
    /// of the root.
    Hierarchical,
}

impl GroundDistance {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered => "ordered",
            Self::Hierarchical => "hierarchical",
        }
    }
}

impl ModelParameters for TCloseness {
    const MODEL: &'static str = "t-closeness";

    fn check(&self) -> Result<(), InvalidModel> {
        Range(Self::MODEL).proper("t", &self.t)
    }

    fn name(&self) -> String {
        format!("{}-closeness ({} distance)", text(self.t), self.ground.name())
    }

    fn in_words(&self, _exempt: bool) -> Text {
        let ground = Text::from(match self.ground {
            GroundDistance::Equal => "all values equally far apart",
            GroundDistance::Ordered => "values as far apart as their ranks",
            GroundDistance::Hierarchical => "values as far apart as their hierarchy says",
        });
        text!(
            "what can be learned of anybody is within {} of the whole table's distribution, with {ground:text}",
            text(self.t)
        )
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(Closeness {
            name: self.name(),
            t: self.t,
            ground: match self.ground {
                GroundDistance::Equal => Ground::Equal,
                GroundDistance::Ordered => Ground::Ordered,
                GroundDistance::Hierarchical => Ground::Tree(table.tree()?),
            },
            prior: table.prior(),
        })])
    }
}

/// With more values, distances are not sorted for each of them.
const MANY: usize = 2_000;

/// t-closeness: the earth mover's distance to the whole table's distribution is at
/// most t. (Li, Li, Venkatasubramanian, 2007.)
///
/// Convex: moving two distributions moves their mixture, at the mixed cost. Hence monotone. Exempt
/// values count like others, because the distance compares whole distributions.
#[derive(Debug, Clone)]
pub(super) struct Closeness {
    pub(super) name: String,
    pub(super) t: Rational,
    pub(super) ground: Ground,
    pub(super) prior: Prior,
}

impl Closeness {
    fn fits<T: Integer>(&self, counts: &Counts<'_>) -> bool {
        let (t, unit) = ((*self.t.numer()).into(), (*self.t.denom()).into());
        let scale = self.ground.scale(&self.prior);
        let cost: T = self.ground.cost(&self.prior, counts);
        let whole = T::from_number(self.prior.rows())
            * T::from_number(counts.total())
            * T::from_number(scale);
        cost * T::from_number(unit) <= whole * T::from_number(t)
    }

    fn is_small(&self, counts: &Counts<'_>) -> bool {
        let parameter = (*self.t.numer()).max(*self.t.denom());
        self.ground.digits(&self.prior, counts) + bits(parameter.into()) < 127
    }

    /// The greatest share that the value at a position can have: the nearest values move to it
    /// first, up to a cost of t. Whole values move in integers.
    fn highest_share(&self, position: usize) -> Fraction {
        let values = self.prior.present();
        let scale = self.ground.scale(&self.prior);
        let mut others: Vec<(u128, u128)> = (0..values.len())
            .filter(|&other| other != position)
            .map(|other| {
                let distance = self.ground.distance(&self.prior, position, other);
                (distance, self.prior.rows_of(values[other]))
            })
            .collect();
        others.sort_unstable();
        // t in rows moved by a scaled distance of 1, times the denominator of t.
        let (t, unit) = (u128::from(*self.t.numer()), u128::from(*self.t.denom()));
        let mut budget = BigUint::from(t) * self.prior.rows() * scale;
        let mut rows = self.prior.rows_of(values[position]);
        let mut part = Fraction::zero();
        for (distance, count) in others {
            let cost = BigUint::from(distance) * count * unit;
            if cost > budget {
                let step = BigUint::from(distance) * unit;
                part = Fraction::new(budget.into(), step.into());
                break;
            }
            budget -= cost;
            rows += count;
        }
        (part + fraction(rows, 1)) / fraction(self.prior.rows(), 1)
    }
}

impl Property for Closeness {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    /// The bound is attained. O(values² · log values); not computed for more than 2,000 values
    /// unless all are equally far apart.
    fn max_posterior(&self) -> Option<Fraction> {
        if let Ground::Equal = self.ground {
            return self.prior.greatest(|value| Some(self.prior.share(value) + widen(self.t)));
        }
        let values = self.prior.present();
        if values.len() > MANY {
            return None;
        }
        self.prior.greatest(|value| {
            let position = values.binary_search(&value).ok()?;
            Some(self.highest_share(position))
        })
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        if self.is_small(counts) { self.fits::<i128>(counts) } else { self.fits::<BigInt>(counts) }
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let cost: BigInt = self.ground.cost(&self.prior, counts);
        let scale = self.ground.scale(&self.prior) as f64;
        let unit = counts.total() as f64 * self.prior.rows() as f64 * scale;
        Measured {
            what: "distance from the whole table's distribution",
            value: None,
            found: cost.to_f64().unwrap_or(f64::INFINITY) / unit,
            bound: approximate(&self.t),
        }
    }
}
