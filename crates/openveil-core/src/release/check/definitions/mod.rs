//! The definitions of a model's requirements, word by word.
//!
//! The check implements the definitions by itself and shares no code with [`crate::model`].
//! Everything that depends on the table alone is computed once. A group costs O(k log m) for its k
//! of m values. The tests of [`crate::model`] compare it with the fast decisions.

mod categories;
mod distances;
mod diversity;
mod logarithms;
mod numbers;
mod shares;
#[cfg(test)]
mod tests;
mod tilts;

use crate::model::{
    AlphaKAnonymity, BetaLikeness, BreachLimit, DeltaDisclosure, Distance, DistinctDiversity,
    EntropyDiversity, GenericDistance, GroundDistance, Informed, KAnonymity, PSensitiveKAnonymity,
    RecursiveDiversity, Requirement, TCloseness,
};
use crate::table::Secret;
use categories::CheckedCategories;
use distances::{Ranks, RowTree, TableDistance};
use diversity::DiversityUnit;
use numbers::{Share, at_most, exact};

/// Facts about the whole table. Values are numbered in their order.
pub(crate) struct Whole<'a> {
    /// Whether a value needs protection.
    pub(crate) protected: &'a [bool],
    /// How many rows have a value.
    pub(crate) counts: &'a [u64],
    /// The sensitive column, for its labels and its hierarchy.
    pub(crate) sensitive: &'a Secret,
}

impl Whole<'_> {
    fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Values that occur, in their order.
    fn values(&self) -> Vec<usize> {
        (0..self.counts.len()).filter(|&value| self.counts[value] > 0).collect()
    }

    fn label(&self, value: usize) -> String {
        self.sensitive.label(value as u32)
    }
}

/// A group: its values, ascending, with their positive counts.
struct CheckedGroup<'a> {
    counts: &'a [(usize, u64)],
    size: u64,
}

impl<'a> CheckedGroup<'a> {
    fn new(counts: &'a [(usize, u64)]) -> Self {
        let size = counts.iter().map(|&(_, count)| count).sum();
        Self { counts, size }
    }

    fn count(&self, value: usize) -> u64 {
        let found = self.counts.binary_search_by_key(&value, |entry| entry.0);
        found.map_or(0, |place| self.counts[place].1)
    }

    fn share(&self, count: u64) -> Share {
        (count.into(), self.size.into())
    }
}

/// A requirement as it applies to the groups of one table.
pub(crate) struct Definition<'a> {
    requirement: &'a Requirement,
    informed: Option<Informed>,
    holds: Box<Holds<'a>>,
}

type Holds<'a> = dyn Fn(&CheckedGroup<'_>) -> bool + Sync + 'a;

impl<'a> Definition<'a> {
    /// Reads a requirement and the readers for whom it must hold. O(m log m) for m values of the
    /// table.
    pub(crate) fn new(
        requirement: &'a Requirement,
        informed: Option<Informed>,
        whole: &'a Whole<'a>,
    ) -> Self {
        Self { requirement, informed, holds: holds(requirement, whole) }
    }

    /// Whether a group satisfies the requirement; `counts` lists values, ascending, with their
    /// positive counts.
    pub(crate) fn is_satisfied(&self, counts: &[(usize, u64)]) -> bool {
        let holds = |counts: &[(usize, u64)]| (self.holds)(&CheckedGroup::new(counts));
        holds(counts)
            && self
                .informed
                .is_none_or(|informed| tilts::all(self.requirement, informed, counts, holds))
    }
}

fn holds<'a>(requirement: &'a Requirement, whole: &'a Whole<'a>) -> Box<Holds<'a>> {
    let table = TableDistance::new(whole);
    match requirement {
        Requirement::KAnonymity(KAnonymity { k }) => Box::new(|group| group.size >= u64::from(*k)),
        Requirement::Ratio(l) => {
            let bound = (1, l.l().into());
            Box::new(move |group| shares::none_exceeds(bound, group, whole))
        }
        Requirement::Distinct(DistinctDiversity { l }) => {
            Box::new(|group| diversity::distinct(&values(group, whole), *l))
        }
        Requirement::Entropy(EntropyDiversity { l }) => {
            Box::new(|group| diversity::entropy(&values(group, whole), *l))
        }
        Requirement::Recursive(RecursiveDiversity { c, l }) => {
            Box::new(|group| diversity::recursive(&values(group, whole), *c, *l))
        }
        Requirement::AlphaK(AlphaKAnonymity { alpha, k }) => Box::new(|group| {
            let few = shares::none_exceeds(exact(*alpha), group, whole);
            few && group.size >= u64::from(*k)
        }),
        Requirement::PSensitive(PSensitiveKAnonymity { p, k }) => Box::new(|group| {
            diversity::distinct(&values(group, whole), *p) && group.size >= u64::from(*k)
        }),
        Requirement::Closeness(TCloseness { t, ground }) => match ground {
            GroundDistance::Equal => {
                Box::new(move |group| at_most(table.total_variation(group), *t))
            }
            GroundDistance::Ordered => {
                let ranks = Ranks::new(whole);
                Box::new(move |group| at_most(ranks.distance(group), *t))
            }
            GroundDistance::Hierarchical => match RowTree::new(whole) {
                Some(tree) => Box::new(move |group| at_most(tree.distance(group, &table), *t)),
                None => Box::new(|_| false),
            },
        },
        Requirement::Breach(BreachLimit { rho1, rho2 }) => {
            let bounds = (*rho1, *rho2);
            Box::new(move |group| shares::none_breaks(bounds, group, whole, &table))
        }
        Requirement::Generic(GenericDistance { distance, bound }) => match distance {
            Distance::TotalVariation => {
                Box::new(move |group| at_most(table.total_variation(group), *bound))
            }
            Distance::Maximum => Box::new(move |group| at_most(table.maximum(group), *bound)),
            Distance::Euclidean => Box::new(move |group| table.is_euclidean_within(group, *bound)),
            Distance::KullbackLeibler => {
                Box::new(move |group| table.diverges_by_at_most(group, *bound))
            }
        },
        Requirement::Likeness(BetaLikeness { beta, enhanced }) => {
            let bound = (*beta, *enhanced);
            Box::new(move |group| shares::are_alike(bound, group, whole, &table))
        }
        Requirement::DeltaDisclosure(DeltaDisclosure { delta }) => {
            Box::new(move |group| shares::disclose_less_than(*delta, group, whole, &table))
        }
        Requirement::LAlpha(parameters) => {
            let categories = CheckedCategories::new(parameters, whole);
            Box::new(move |group| categories.are_satisfied(group))
        }
    }
}

/// The group's values as kinds.
fn values(group: &CheckedGroup<'_>, whole: &Whole<'_>) -> Vec<DiversityUnit> {
    group
        .counts
        .iter()
        .map(|&(value, count)| DiversityUnit { count, protected: whole.protected[value] })
        .collect()
}
