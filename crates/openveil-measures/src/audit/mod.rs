//! Measures a table that is cut into groups by any method.
//!
//! It uses only what a reader without knowledge of the algorithm sees: the groups and their
//! sensitive values. The measures are numbers for display. Whether a privacy model holds is decided
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

/// The number of groups that one thread measures in one go.
const STRETCH: usize = 1 << 12;

/// Facts about a sensitive column besides its values.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// Whether the order of the codes is meaningful.
    pub ordered: bool,
    /// Distances between values in a generalisation tree.
    pub tree: Option<GroundTree>,
    /// The categories of values, and how sensitive they are.
    pub categories: Option<Categories>,
}

/// The measures of one sensitive column.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// The diversity of the values in groups.
    pub diversity: Diversity,
    /// The largest distance of a group from the whole table.
    pub closeness: LargestDistance,
    /// The largest change in a single value's share in a group.
    pub likeness: LikenessFound,
    /// The measures by categories, if there are any.
    pub categorised: Option<Categorised>,
}

impl Measures {
    /// Measures a sensitive column. `asked` lists the l of recursive diversity.
    ///
    /// O(rows · log values), with a tree times its depth. Without groups, the measures have no
    /// meaning.
    pub fn new(counts: &GroupCounts, knowledge: &Knowledge, asked: &[u32]) -> Self {
        let shares = TableShares::new(counts);
        let ground = WholeDistribution::new(counts, knowledge);
        let none = || Self {
            diversity: Diversity::none(asked),
            closeness: LargestDistance::none(&ground),
            likeness: LikenessFound::none(),
            categorised: knowledge.categories.as_ref().map(|_| Categorised::none(asked)),
        };
        (0..counts.len())
            .into_par_iter()
            .with_min_len(STRETCH)
            .fold(none, |mut worst: Self, group: usize| {
                let group = counts.group(group);
                worst.diversity.see(group.counts(), group.size());
                worst.closeness.see(&group, &ground);
                worst.likeness.see(&group, &shares);
                if let (Some(worst), Some(categories)) =
                    (&mut worst.categorised, &knowledge.categories)
                {
                    worst.see(&group, categories);
                }
                worst
            })
            .reduce(none, Self::or)
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
