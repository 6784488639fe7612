//! Correlations: the guesses of a reader who knows how values go with quasi-identifiers, and what a
//! release adds to that knowledge.
//!
//! If people are arranged by what is known about them, nothing can be guaranteed against readers
//! who are informed about everybody (`algorithm/cover/proof.md`), so the risk is measured. The
//! reader knows a public table with everybody's value, and knows who is in which group of the
//! release. Four readers guess:
//!
//! * before any release: a logistic regression on the public table;
//! * at face value: uses the same beliefs, and each group's values in any order;
//! * simulating: runs the algorithm on the public table, and fits a conditional logit for which
//!   member of those groups has which of its values. This captures what arranging discloses, and is
//!   still a lower bound of the best reader, because it considers groups one at a time;
//! * learned: knows no public table, and fits a model to the release itself.
//!
//! A fifth reader knows correlations about a single person. For this reader a bound is guaranteed
//! (`odds`), and the measured beliefs have to be calibrated.
//!
//! Floats decide nothing here. Everything is measured with the true values, for the owner, except
//! [`Reading::mean`] and [`Reading::highest`] of a reader with public beliefs: these depend on the
//! groups and on public facts only.

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

/// The largest number of scores of a model: one per class of people and value.
const MOST_SCORES: usize = 1 << 20;

/// The people whose values are guessed.
#[derive(Debug, Clone, Copy)]
pub struct GuessedPeople<'a> {
    /// Their table.
    pub table: &'a View,
    /// Rows of each group of the release.
    pub groups: &'a Groups,
}

/// The other knowledge of the readers.
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
    /// Number of people with public values.
    pub public: usize,
    /// Number of people whose value is guessed.
    pub people: usize,
    /// Share of people with the most frequent value: the guess from the histogram alone.
    pub most_frequent: f64,
    /// The reader without any release.
    pub prior: Reading,
    /// The reader informed about the one person only.
    pub one: Reading,
    /// The reader at face value.
    pub face: Reading,
    /// The reader after running the algorithm on the public table, if it accepts that.
    pub simulating: Option<Reading>,
    /// The reader from the release alone.
    pub learned: Reading,
}

/// Measures the guesses about `released` of readers who know `public` and the groups. `bound` is
/// the probability to compare with, in 0..=1. None if columns have too many values for a model.
///
/// Linear in people for groups of one size: three fits of at most 80 steps on at most 200,000
/// people, and twice the sums over the orders of every group's values.
///
/// # Panics
/// If the tables have different columns, or groups are not of their tables.
pub fn correlations(
    public: PublicKnowledge<'_>,
    released: GuessedPeople<'_>,
    bound: f64,
    progress: Progress<'_>,
) -> Option<CorrelationGuesses> {
    let features = Features::new(released.table);
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
