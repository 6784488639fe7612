use super::{CountedGroup, Diversity};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use openveil_core::exact::Fraction;
use openveil_core::model::{CategoryWeights, category_weights};

/// The category of each value, with number 0 the most sensitive, and the weight of each category: 0
/// for the most sensitive, 1 for the least.
#[derive(Debug, Clone)]
pub struct Categories {
    category_of: Vec<u32>,
    /// The weights times `unit`, their common denominator. They are whole numbers, so that a total
    /// is rounded only once.
    scaled: Vec<f64>,
    unit: f64,
}

impl Categories {
    /// Builds the categories of all values; `category_of[value]` must be below `categories`.
    ///
    /// # Panics
    /// If a category is not below `categories`.
    pub fn new(category_of: Vec<u32>, categories: usize, scheme: CategoryWeights) -> Self {
        let known = categories as u32;
        assert!(category_of.iter().all(|&category| category < known));
        // A single category counts as the most sensitive one.
        let weights = match categories {
            0 | 1 => vec![Fraction::from(BigInt::ZERO)],
            _ => category_weights(scheme, categories),
        };
        let unit = weights
            .iter()
            .fold(BigInt::from(1), |unit, weight| num_integer::lcm(unit, weight.denom().clone()));
        let scaled = |weight: &Fraction| (weight * &unit).to_integer().to_f64();
        Self {
            category_of,
            scaled: weights.iter().filter_map(scaled).collect(),
            unit: unit.to_f64().unwrap_or(f64::INFINITY),
        }
    }

    fn total(&self, counts: &[(u32, u32)]) -> f64 {
        counts
            .iter()
            .map(|&(category, count)| self.scaled[category as usize] * f64::from(count))
            .sum::<f64>()
            / self.unit
    }
}

/// The measures of the categories of every group.
#[derive(Debug, Clone, PartialEq)]
pub struct Categorised {
    /// Diversity of categories instead of values.
    pub diversity: Diversity,
    /// The least total weight of a group: α of (l, α)-diversity.
    pub least_weight: f64,
    /// Rows in groups whose values are all of one category.
    pub similar_rows: u64,
    /// A buffer for the categories of one group.
    counts: Vec<(u32, u32)>,
}

impl Categorised {
    /// The measures of no groups.
    pub(super) fn none(asked: &[u32]) -> Self {
        Self {
            diversity: Diversity::none(asked),
            least_weight: f64::INFINITY,
            similar_rows: 0,
            counts: Vec::new(),
        }
    }

    /// Adds a group.
    pub(super) fn see(&mut self, group: &CountedGroup<'_>, categories: &Categories) {
        let counts = &mut self.counts;
        counts.clear();
        let category_of = |value: u32| categories.category_of[value as usize];
        let entries = group.entries().iter();
        counts.extend(entries.map(|&(value, count)| (category_of(value), count)));
        counts.sort_unstable();
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        if counts.len() == 1 {
            self.similar_rows += u64::from(group.size());
        }
        self.least_weight = self.least_weight.min(categories.total(counts));
        let alone = counts.iter().map(|&(_, count)| count);
        self.diversity.see(alone, group.size());
    }

    /// Combines two measures: the worse of both, and the sum of rows.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            diversity: self.diversity.or(other.diversity),
            least_weight: self.least_weight.min(other.least_weight),
            similar_rows: self.similar_rows + other.similar_rows,
            counts: self.counts,
        }
    }
}
