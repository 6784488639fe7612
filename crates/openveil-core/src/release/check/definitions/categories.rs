use super::diversity::{self, DiversityUnit};
use super::{CheckedGroup, Whole, values};
use crate::exact::{Fraction, Rational};
use crate::model::{LAlphaDiversity, Over, Variant};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use std::collections::{BTreeMap, HashMap};

/// The categories of (l, α)-diversity with their weights, for one table.
pub(super) struct CheckedCategories<'a> {
    parameters: &'a LAlphaDiversity,
    whole: &'a Whole<'a>,
    /// The category of each value, if it has one.
    of_value: Vec<Option<usize>>,
    /// Whether any value of a category needs protection, whether or not it is in a group.
    protected: Vec<bool>,
    /// The weight of each category in units of 1/`unit`.
    weights: Vec<BigInt>,
    unit: BigInt,
}

impl<'a> CheckedCategories<'a> {
    pub(super) fn new(parameters: &'a LAlphaDiversity, whole: &'a Whole<'a>) -> Self {
        let mut category_of: HashMap<&str, usize> = HashMap::new();
        for (category, labels) in parameters.categories.iter().enumerate() {
            category_of.extend(labels.iter().map(|label| (&**label, category)));
        }
        let category = |value| category_of.get(&*whole.label(value)).copied();
        let of_value: Vec<Option<usize>> = (0..whole.counts.len()).map(category).collect();
        let mut protected = vec![false; parameters.categories.len()];
        for (category, &needs) in of_value.iter().zip(whole.protected) {
            if let Some(category) = category {
                protected[*category] |= needs;
            }
        }
        let weights = diversity::weights(parameters.weights, parameters.categories.len());
        let unit = weights
            .iter()
            .map(Fraction::denom)
            .fold(BigInt::one(), |unit, denominator| unit.lcm(denominator));
        let weights = weights.iter().map(|weight| (weight * &unit).to_integer());
        Self { parameters, whole, of_value, protected, weights: weights.collect(), unit }
    }

    pub(super) fn are_satisfied(&self, group: &CheckedGroup<'_>) -> bool {
        let kinds = match self.parameters.over {
            Over::Values => values(group, self.whole),
            Over::Categories => self.kinds(group),
        };
        let l = self.parameters.l;
        let diverse = match self.parameters.variant {
            Variant::Distinct => diversity::distinct(&kinds, l),
            Variant::Entropy => diversity::entropy(&kinds, Rational::from_integer(l.into())),
            Variant::Recursive { c } => diversity::recursive(&kinds, c, l),
        };
        let nothing_to_learn =
            || group.counts.iter().map(|entry| entry.0).all(|value| !self.whole.protected[value]);
        diverse && (self.is_heavy(group) || nothing_to_learn())
    }

    /// Rows of each category in the group. Values without a category are not counted.
    fn rows(&self, group: &CheckedGroup<'_>) -> BTreeMap<usize, u64> {
        let mut rows = BTreeMap::new();
        for &(value, count) in group.counts {
            if let Some(category) = self.of_value[value] {
                *rows.entry(category).or_default() += count;
            }
        }
        rows
    }

    fn kinds(&self, group: &CheckedGroup<'_>) -> Vec<DiversityUnit> {
        self.rows(group)
            .into_iter()
            .map(|(category, count): (usize, u64)| DiversityUnit {
                count,
                protected: self.protected[category],
            })
            .collect()
    }

    /// Whether the weights of all rows together reach α.
    fn is_heavy(&self, group: &CheckedGroup<'_>) -> bool {
        let alpha = self.parameters.alpha;
        let mut total = BigInt::zero();
        for (category, count) in self.rows(group) {
            total += &self.weights[category] * count;
        }
        total * *alpha.denom() >= &self.unit * *alpha.numer()
    }
}
