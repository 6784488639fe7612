//! Correlations: what a reader guesses who knows how values go with quasi-identifiers, and
//! what a release adds to that.
//!
//! Nothing can be promised against readers who are informed about everybody where people
//! are arranged by what is known of them (`algorithm/cover/proof.md`), so the risk is
//! measured. The reader knows a public table with everybody's value, and who stands in
//! which group of the release. Four of them guess:
//!
//! * before any release: a logistic regression on the public table;
//! * at face value: the same beliefs, and each group's values in any order;
//! * simulating: runs the algorithm on the public table, and fits how the members of a
//!   group come to have its values (a conditional logit) inside of those groups. This sees
//!   what arranging gives away, and is still a lower bound of the best reader: it looks at
//!   groups one at a time;
//! * learned: knows no public table, and fits a model to the release itself.
//!
//! And one knows correlations about a single person: for that one a bound is promised
//! (`odds`), and what is measured has to be calibrated.
//!
//! Floats: nothing is decided by them. All is measured with the true values, for the
//! owner, but for [`Reading::mean`] and [`Reading::highest`] of a reader with public
//! beliefs: those are functions of the groups and of public facts.

mod features;
mod fit;
mod posterior;
mod reading;

pub use fit::STEPS;
pub use reading::{Reading, Slice};

use super::Progress;
use features::{FeaturePeople, Features};
use fit::{FitEvidence, ScoreModel};
use openveil_core::table::{Groups, View};
use reading::BeliefBound;

/// The most scores of a model: one per class of people and value.
const MOST_SCORES: usize = 1 << 20;

/// The people who are guessed.
#[derive(Debug, Clone, Copy)]
pub struct GuessedPeople<'a> {
    /// Their table.
    pub table: &'a View,
    /// Rows of each group of the release.
    pub groups: &'a Groups,
}

/// The knowledge that the readers have besides.
#[derive(Debug, Clone, Copy)]
pub struct PublicKnowledge<'a> {
    /// A table of other people, with everybody's value.
    pub table: &'a View,
    /// The groups that the algorithm makes of it, unless it refuses.
    pub groups: Option<&'a Groups>,
}

/// The guesses of readers who know correlations.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelationGuesses {
    /// People with public values.
    pub public: usize,
    /// People who are guessed.
    pub people: usize,
    /// Share of people with the most frequent value: guessed by knowing the histogram.
    pub most_frequent: f64,
    /// Without any release.
    pub prior: Reading,
    /// Informed about the one person only.
    pub one: Reading,
    /// At face value.
    pub face: Reading,
    /// After running the algorithm on the public table, where it takes that.
    pub simulating: Option<Reading>,
    /// From the release alone.
    pub learned: Reading,
}

/// Measures what readers guess of `released`, who know `public` and the groups. `bound` is
/// the probability that is compared with, in 0..=1. None if columns have too many values for
/// a model.
///
/// Linear in people for groups of one size: three fits of at most 80 steps on at most
/// 200,000 people, and the sums over the orders of every group's values, twice.
///
/// # Panics
/// If the tables have different columns, or groups are not of their tables.
pub fn correlations(
    public: PublicKnowledge<'_>,
    released: GuessedPeople<'_>,
    bound: f64,
    progress: Progress<'_>,
) -> Option<CorrelationGuesses> {
    let features = Features::of(released.table);
    if features.parameters() > MOST_SCORES {
        return None;
    }
    let known = features.people(public.table);
    let people = features.people(released.table);
    let prior = FitEvidence::Values(&known).fit(ScoreModel::none(&known), progress);
    let inside = public
        .groups
        .map(|groups| FitEvidence::Members(&known, groups).fit(prior.clone(), progress));
    let learned =
        FitEvidence::Release(&people, released.groups).fit(ScoreModel::none(&people), progress);
    let reader = BeliefBound {
        people: &people,
        groups: released.groups,
        exempt: released.table.secret().exempt(),
        bound,
    };
    Some(CorrelationGuesses {
        public: known.len(),
        people: people.len(),
        most_frequent: most_frequent(&people),
        prior: reader.before(&prior),
        one: reader.of_one(&prior, &known),
        face: reader.of_members(&prior),
        simulating: inside.map(|inside| reader.of_members(&inside)),
        learned: reader.of_members(&learned),
    })
}

fn most_frequent(people: &FeaturePeople) -> f64 {
    f64::from(people.histogram().into_iter().max().unwrap_or(0)) / people.len() as f64
}

#[cfg(test)]
mod tests;
