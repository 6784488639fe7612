//! Measuring a table that somebody cut into groups, whoever did it and however.
//!
//! It takes the view of a reader who knows nothing of the algorithm: the groups and their sensitive
//! values. The measures are numbers for people to read; whether a privacy model holds is decided
//! exactly, by [`openveil_core::model`].
//!
//! Every measure is the worst over all groups, in one pass over [`GroupCounts`].

mod categories;
mod closeness;
mod combined;
mod counts;
pub mod disclosure;
mod diversity;
mod likeness;
mod risk;
pub mod risks;
mod tree;

pub use categories::{Categories, Categorised};
pub use closeness::LargestDistance;
pub use combined::{ColumnCodes, CombinedColumns, combine};
pub use counts::{CountedGroup, GroupCounts};
pub use diversity::Diversity;
pub use likeness::LikenessFound;
pub use risk::{Reidentification, separation, uniqueness};
pub use tree::GroundTree;

use closeness::WholeDistribution;
use likeness::TableShares;
use rayon::prelude::*;

/// Groups that one thread measures in one go.
const STRETCH: usize = 1 << 12;

/// Knowledge of a sensitive column besides its values.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// Whether the order of the codes means something.
    pub ordered: bool,
    /// How far values are apart in a generalisation tree.
    pub tree: Option<GroundTree>,
    /// Which values are of one kind, and how sensitive the kinds are.
    pub categories: Option<Categories>,
}

/// The measures of one sensitive column.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// How diverse the values of every group are.
    pub diversity: Diversity,
    /// How far every group is from the whole table.
    pub closeness: LargestDistance,
    /// How much a reader of a group learns about single values.
    pub likeness: LikenessFound,
    /// The measures by categories, where there are any.
    pub categorised: Option<Categorised>,
}

impl Measures {
    /// Measures a sensitive column; `asked` are the l of recursive diversity.
    ///
    /// O(rows · log values), with a tree also · its depth. Of no groups at all, the
    /// measures say nothing.
    pub fn of(counts: &GroupCounts, knowledge: &Knowledge, asked: &[u32]) -> Self {
        let shares = TableShares::of(counts);
        let ground = WholeDistribution::of(counts, knowledge);
        let none = || Self {
            diversity: Diversity::none(asked),
            closeness: LargestDistance::none(&ground),
            likeness: LikenessFound::none(),
            categorised: knowledge
                .categories
                .as_ref()
                .map(|_| Categorised::none(asked)),
        };
        let see = |mut worst: Self, group: usize| {
            let group = counts.group(group);
            worst.diversity.see(group.counts(), group.size());
            worst.closeness.see(&group, &ground);
            worst.likeness.see(&group, &shares);
            if let (Some(worst), Some(categories)) = (&mut worst.categorised, &knowledge.categories)
            {
                worst.see(&group, categories);
            }
            worst
        };
        let groups = (0..counts.len()).into_par_iter().with_min_len(STRETCH);
        groups.fold(none, see).reduce(none, Self::or)
    }

    /// The worse of both.
    fn or(self, other: Self) -> Self {
        let both = self.categorised.zip(other.categorised);
        Self {
            diversity: self.diversity.or(other.diversity),
            closeness: self.closeness.or(other.closeness),
            likeness: self.likeness.or(other.likeness),
            categorised: both.map(|(one, other)| one.or(other)),
        }
    }
}

#[cfg(test)]
mod tests;
