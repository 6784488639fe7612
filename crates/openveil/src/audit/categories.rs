use super::{Diversity, Group};

/// How much each category weighs: 0 for the most sensitive, 1 for the least.
///
/// Equation (1) of the (l, α)-diversity paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The weights times `unit`, which keeps those of the uniform scheme whole.
    scaled: Vec<f64>,
    unit: f64,
}

impl Weights {
    /// Equal steps from each category to the next.
    pub fn uniform(categories: usize) -> Self {
        Self::from_steps((1..categories).map(|_| 1.0))
    }

    /// Steps of 1/(i−1)^β to the i-th category: what is most sensitive weighs less.
    pub fn sensitivity(categories: usize, beta: f64) -> Self {
        Self::from_steps((1..categories).map(|above| (above as f64).powf(-beta)))
    }

    fn from_steps(steps: impl Iterator<Item = f64>) -> Self {
        let mut scaled = vec![0.0];
        for step in steps {
            scaled.push(scaled[scaled.len() - 1] + step);
        }
        // A single category is the most sensitive one.
        let unit = match scaled[scaled.len() - 1] {
            0.0 => 1.0,
            last => last,
        };
        Self { scaled, unit }
    }

    /// The weight of a category, the most sensitive being number 0.
    ///
    /// # Panics
    /// If there is no such category.
    pub fn of(&self, category: u32) -> f64 {
        self.scaled[category as usize] / self.unit
    }

    fn total(&self, counts: &[(u32, u32)]) -> f64 {
        let weigh =
            |&(category, count): &(u32, u32)| self.scaled[category as usize] * f64::from(count);
        counts.iter().map(weigh).sum::<f64>() / self.unit
    }
}

/// The category of each value, the most sensitive being number 0.
#[derive(Debug, Clone)]
pub struct Categories {
    category_of: Vec<u32>,
    weights: Weights,
}

impl Categories {
    /// Categories of all values: `category_of[value]`.
    ///
    /// # Panics
    /// If a category has no weight.
    pub fn new(category_of: Vec<u32>, weights: Weights) -> Self {
        let known = weights.scaled.len() as u32;
        assert!(category_of.iter().all(|&category| category < known));
        Self {
            category_of,
            weights,
        }
    }
}

/// What the categories of every group show.
#[derive(Debug, Clone, PartialEq)]
pub struct Categorised {
    /// Diversity with categories in the place of values.
    pub diversity: Diversity,
    /// The least total weight of a group: α of (l, α)-diversity.
    pub least_weight: f64,
    /// Rows in groups whose values are all of one category.
    pub similar_rows: u64,
    /// Room for the categories of one group.
    counts: Vec<(u32, u32)>,
}

impl Categorised {
    /// What holds of no group at all.
    pub(super) fn none(asked: &[u32]) -> Self {
        Self {
            diversity: Diversity::none(asked),
            least_weight: f64::INFINITY,
            similar_rows: 0,
            counts: Vec::new(),
        }
    }

    /// Takes a group.
    pub(super) fn see(&mut self, group: &Group<'_>, categories: &Categories) {
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
        self.least_weight = self.least_weight.min(categories.weights.total(counts));
        let alone = counts.iter().map(|&(_, count)| count);
        self.diversity.see(alone, group.size());
    }

    /// The worse of both; rows add up.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            diversity: self.diversity.or(other.diversity),
            least_weight: self.least_weight.min(other.least_weight),
            similar_rows: self.similar_rows + other.similar_rows,
            counts: self.counts,
        }
    }
}
