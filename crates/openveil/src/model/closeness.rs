use super::ground::Ground;
use super::prior::Prior;
use super::{Counts, Failure, Property, Traits};
use crate::exact::{Fraction, Rational, Whole, approximate, bits, fraction, widen};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

/// With more values, distances are not sorted for every one of them.
const MANY: usize = 2_000;

/// t-closeness: the earth mover's distance to the whole table's distribution is at
/// most t. (Li, Li, Venkatasubramanian, 2007.)
///
/// Convex: moving two distributions moves their mixture, at the mixed cost. Hence
/// monotone. Exempt values count like others: the distance is one of distributions.
#[derive(Debug, Clone)]
pub(super) struct Closeness {
    pub(super) name: String,
    pub(super) t: Rational,
    pub(super) ground: Ground,
    pub(super) prior: Prior,
}

impl Closeness {
    fn fits<T: Whole>(&self, counts: &Counts<'_>) -> bool {
        let (t, unit) = ((*self.t.numer()).into(), (*self.t.denom()).into());
        let scale = self.ground.scale(&self.prior);
        let cost: T = self.ground.cost(&self.prior, counts);
        let whole = T::of(self.prior.rows()) * T::of(counts.total()) * T::of(scale);
        cost * T::of(unit) <= whole * T::of(t)
    }

    fn is_small(&self, counts: &Counts<'_>) -> bool {
        let parameter = (*self.t.numer()).max(*self.t.denom());
        self.ground.digits(&self.prior, counts) + bits(parameter.into()) < 127
    }

    /// The greatest share of one value, by position: what is nearest moves to it
    /// first, as far as a cost of t goes.
    fn highest_share(&self, position: usize) -> Fraction {
        let values = self.prior.present();
        let scale = self.ground.scale(&self.prior);
        let mut others: Vec<(u128, u32)> = (0..values.len())
            .filter(|&other| other != position)
            .map(|other| {
                let distance = self.ground.distance(&self.prior, position, other);
                (distance, values[other])
            })
            .collect();
        others.sort_unstable();
        let mut budget = widen(self.t);
        let mut share = self.prior.share(values[position]);
        for (distance, value) in others {
            let distance = fraction(distance, scale);
            let moved = self.prior.share(value).min(&budget / &distance);
            budget -= &moved * distance;
            share += moved;
            if budget.is_zero() {
                break;
            }
        }
        share
    }
}

impl Property for Closeness {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    /// Attained. O(values² · log values); not worked out for more than 2,000 values
    /// unless all are equally far apart.
    fn max_posterior(&self) -> Option<Fraction> {
        if let Ground::Equal = self.ground {
            let grown = |value| Some(self.prior.share(value) + widen(self.t));
            return self.prior.greatest(grown);
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
        match self.is_small(counts) {
            true => self.fits::<i128>(counts),
            false => self.fits::<BigInt>(counts),
        }
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        (!self.holds(counts)).then(|| {
            let cost: BigInt = self.ground.cost(&self.prior, counts);
            let scale = self.ground.scale(&self.prior) as f64;
            let unit = counts.total() as f64 * self.prior.rows() as f64 * scale;
            Failure {
                property: self.name(),
                value: None,
                measure: "distance from the whole table's distribution",
                found: cost.to_f64().unwrap_or(f64::INFINITY) / unit,
                bound: approximate(&self.t),
            }
        })
    }
}
