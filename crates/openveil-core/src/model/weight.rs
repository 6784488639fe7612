use super::CategoryWeights;
use super::{Counts, Measured, Property, Traits};
use crate::exact::{Fraction, Rational, approximate, bits, fraction, widen};
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};

/// The weights of `categories` categories, at least two, from 0 for the most
/// sensitive to 1: Equation 1 of the (l, α)-diversity paper. The step from category
/// i − 1 to i is w(i, i−1) of its scheme, divided by the sum of all steps.
pub fn category_weights(weights: CategoryWeights, categories: usize) -> Vec<Fraction> {
    let step = |i: usize| match weights {
        CategoryWeights::Uniform => fraction(1, 1),
        CategoryWeights::Sensitivity { beta } => Fraction::new(1.into(), BigInt::from(i).pow(beta)),
    };
    let mut sums = vec![Fraction::zero()];
    for i in 1..categories {
        sums.push(&sums[i - 1] + step(i));
    }
    let all = sums[categories - 1].clone();
    sums.into_iter().map(|sum| sum / &all).collect()
}

/// The total weight of a group's values is at least α: the weight condition of
/// (l, α)-diversity.
///
/// A condition on groups: a total is not a share, so it does not apply to a posterior. Monotone,
/// since weights are not negative. A group without any protected value satisfies it.
#[derive(Debug, Clone)]
pub(super) struct TotalWeight {
    name: String,
    alpha: Rational,
    exempt: Vec<bool>,
    category_of: Vec<u32>,
    /// Weight of each value, over a common denominator.
    weights: Vec<BigUint>,
    denominator: BigUint,
    /// The weights and the total that they must reach, both times the denominator of α, if they fit
    /// into 64 bits.
    small: Option<(Vec<u64>, u64)>,
}

impl TotalWeight {
    /// `category_of[value]` is the value's category, and `of_category` its weight.
    pub(super) fn new(
        name: String,
        alpha: Rational,
        category_of: Vec<u32>,
        of_category: &[Fraction],
        exempt: Vec<bool>,
    ) -> Self {
        let common = of_category.iter().fold(BigInt::from(1), |common, weight| {
            num_integer::lcm(common, weight.denom().clone())
        });
        let of_category: Vec<BigUint> = of_category
            .iter()
            .map(|weight| (weight * &common).to_integer().magnitude().clone())
            .collect();
        let weight = |&category: &u32| of_category[category as usize].clone();
        let weights: Vec<BigUint> = category_of.iter().map(weight).collect();
        let denominator = common.magnitude().clone();
        let small: Option<Vec<u64>> =
            weights.iter().map(|weight| (weight * *alpha.denom()).to_u64()).collect();
        let bound = (&denominator * *alpha.numer()).to_u64();
        Self { name, alpha, exempt, category_of, small: small.zip(bound), weights, denominator }
    }

    fn total(&self, counts: &Counts<'_>) -> BigUint {
        counts.entries().iter().map(|&(value, count)| &self.weights[value as usize] * count).sum()
    }

    fn protects_nobody(&self, counts: &Counts<'_>) -> bool {
        counts.entries().iter().all(|&(value, _)| self.exempt[value as usize])
    }

    fn suffices(&self, counts: &Counts<'_>) -> bool {
        match &self.small {
            // 63 + 64 digits: neither a summand nor the sum overflows.
            Some((weights, bound)) if bits(counts.total()) < 64 => {
                counts
                    .entries()
                    .iter()
                    .map(|&(value, count)| u128::from(weights[value as usize]) * count)
                    .sum::<u128>()
                    >= u128::from(*bound)
            }
            _ => {
                let (alpha, unit) = (*self.alpha.numer(), *self.alpha.denom());
                self.total(counts) * unit >= &self.denominator * alpha
            }
        }
    }
}

impl Property for TotalWeight {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_GROUPS
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        self.suffices(counts) || self.protects_nobody(counts)
    }

    fn least_size(&self) -> u32 {
        match self.exempt.contains(&true) {
            true => 1,
            // No value weighs more than 1.
            false => {
                let least = self.alpha.numer().div_ceil(*self.alpha.denom());
                least.try_into().unwrap_or(u32::MAX)
            }
        }
    }

    fn classes(&self) -> Option<&[u32]> {
        Some(&self.category_of)
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let total = Fraction::new(self.total(counts).into(), self.denominator.clone().into());
        Measured {
            what: "total weight of the values",
            value: None,
            found: approximate(&total),
            bound: approximate(&widen(self.alpha)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;

    fn weight(of_category: &[Fraction], alpha: Rational) -> TotalWeight {
        let values = of_category.len();
        let category_of = (0..values as u32).collect();
        TotalWeight::new("weight".to_owned(), alpha, category_of, of_category, vec![false; values])
    }

    /// Weights of ten and of hundreds of digits, compared with sums of fractions.
    #[test]
    fn long_weights_are_added_like_short_ones() {
        const MILLION: u128 = 1_000_000;
        for (beta, categories) in [(1, 3), (2, 5), (16, 12)] {
            let of_category = category_weights(CategoryWeights::Sensitivity { beta }, categories);
            for most in 1..40u128 {
                let counts =
                    (0..).zip(1..=categories as u128).map(|(value, at)| (value, 1 + at * most % 7));
                let counts: Vec<(u32, u128)> = counts.collect();
                let counts = Counts::new(&counts);
                let weighed = counts.entries().iter().zip(&of_category);
                let total: Fraction =
                    weighed.map(|(entry, weight)| weight * fraction(entry.1, 1)).sum();
                let millionths =
                    (&total * fraction(MILLION, 1)).floor().to_integer().to_u64().unwrap();
                let holds = |millionths| {
                    let alpha = Rational::new(millionths, MILLION as u64);
                    weight(&of_category, alpha).holds(&counts)
                };
                assert!(holds(millionths - 1) && holds(millionths) && !holds(millionths + 1));
            }
        }
    }

    /// More than 64 binary digits of people, or 128 of weight.
    #[test]
    fn many_people_are_weighed_like_few() {
        let even = category_weights(CategoryWeights::Uniform, 2);
        for (alpha, holds) in [(Rational::from_integer(5), true), (Rational::new(51, 10), false)] {
            for light in [1, 1 << 64, 1 << 100] {
                let counts = [(0, light), (1, 5)];
                assert_eq!(weight(&even, alpha).holds(&Counts::new(&counts)), holds, "{light}");
            }
        }
        let fine = Rational::new((1 << 60) + 1, 1 << 60);
        assert!(weight(&even, fine).holds(&Counts::new(&[(1, 1 << 70)])));
        assert!(!weight(&even, fine).holds(&Counts::new(&[(1, 1)])));
    }

    #[test]
    fn weights_go_from_nothing_to_one() {
        for categories in 2..6 {
            for weights in [CategoryWeights::Uniform, CategoryWeights::Sensitivity { beta: 3 }] {
                let all = category_weights(weights, categories);
                assert!(all[0].is_zero() && all[categories - 1].is_one());
                assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
