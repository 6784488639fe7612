//! The findings of attacks, for programs and for people. Keys are stable.

use super::composition::Independent;
use super::ties::TiesReport;
use openveil_io::release_dir::write::manifest::MeasuredCorrelations;
use openveil_text::Text;
use serde::Serialize;
use std::collections::BTreeMap;

/// The findings of the attacks. For the owner only: they are measured with the true values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackReport {
    /// Rows of the release.
    pub rows: usize,
    /// Groups of the release.
    pub groups: usize,
    /// The algorithm's name.
    pub algorithm: String,
    /// The reader against whom the release promises something.
    pub adversary: String,
    /// The promised bound, a fraction.
    pub max_posterior: Option<String>,
    /// Attack 1.
    pub rerun: Rerun,
    /// Attack 2.
    pub homogeneity: HomogeneityFound,
    /// Attack 3.
    pub similarity: Measurement<SimilarityEntry>,
    /// Attack 4.
    pub background: BackgroundEntry,
    /// Attack 5.
    pub minimality: Measurement<MinimalityEntry>,
    /// Attack 6.
    pub learning: Measurement<LearningEntry>,
    /// The strongest simulated reader: one who learns by the fit that analysts use.
    pub learner: Measurement<Learner>,
    /// Attack 7.
    pub intersection: Measurement<IntersectionEntry>,
    /// The combined knowledge from releases made one after the other, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub independent: Vec<Independent>,
    /// Attack 8, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlations: Option<MeasuredCorrelations>,
    /// The findings of a reader who knows which rows share their value, if the release was made for
    /// such readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<TiesReport>,
    /// Whether re-running found a promise of the release broken, or a group shows a protected value
    /// with a larger share than the manifest promises.
    pub promise_broken: bool,
    /// The rows of the people found, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<OwnerRows>,
}

/// The findings about several sensitive columns, each of which is protected by itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EachReport {
    /// Whether a promise about some column is broken.
    pub promise_broken: bool,
    /// By column.
    pub columns: BTreeMap<String, AttackReport>,
}

/// A measurement, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Measurement<T> {
    /// The measurement.
    Measured(T),
    /// No measurement.
    NotMeasured {
        /// Why not.
        not_measured: Text,
    },
}

impl<T> Measurement<T> {
    pub(super) fn not_measured(reason: impl Into<Text>) -> Self {
        Self::NotMeasured { not_measured: reason.into() }
    }
}

/// The findings of re-running.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rerun {
    /// `none` (not run), `exchanges` (no random draws), `invariance` (exchanges with corresponding draws) or
    /// `stand-ins` (a certificate).
    pub kind: String,
    /// People attacked.
    pub sampled: usize,
    /// People for whom no exchange of values reproduces the release. With random draws: people for
    /// whom some exchange does not.
    pub exposed: usize,
    /// People in groups too large to try every exchange, none of which reproduced
    /// the release.
    pub undecided: usize,
    /// `exposed` of `sampled`.
    pub share: f64,
    /// The method, in words.
    pub note: Text,
}

/// Groups of one value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HomogeneityFound {
    /// Groups in which everybody has the same protected value.
    pub groups: usize,
    /// Their rows.
    pub rows: usize,
    /// The greatest share of a protected value in a group, a fraction.
    pub highest_share: String,
}

/// Groups of one category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimilarityEntry {
    /// Groups all of whose values are of one category.
    pub groups: usize,
    /// Their rows.
    pub rows: usize,
}

/// Facts of the kind "not this value" that a reader needs to be certain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BackgroundEntry {
    /// The fewest that suffice for any person.
    pub min: u32,
    /// The mean over rows.
    pub mean: f64,
    /// Number of rows by the number of facts needed.
    pub rows_by_facts: BTreeMap<u32, u64>,
}

/// Values that are ruled out because an algorithm stops at its first success.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MinimalityEntry {
    /// People attacked.
    pub sampled: usize,
    /// People for whom a value of their group is ruled out.
    pub affected: usize,
    /// Values in their groups, on average.
    pub mean_values: f64,
    /// Values that are left, on average.
    pub mean_possible: f64,
}

/// The predictions of a reader who learns from the groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearningEntry {
    /// Share of people whose value is predicted.
    pub accuracy: f64,
    /// Share of people whose value is the most frequent one of their groups.
    pub majority: f64,
    /// Hits per hundred people beyond the majority's.
    pub gain: f64,
    /// Rounds of learning.
    pub rounds: usize,
    /// `known`, or `by-cells`: how people were found in their groups.
    pub membership: String,
    /// Groups that come into question for a person, on average.
    pub mean_groups: f64,
    /// The predictions of a reader who knows everybody's group, measured on a release made
    /// with random draws of our own; for algorithms with random draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members_known: Option<MembersKnown>,
}

/// The predictions of a reader who learns from the groups and knows who is in which.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MembersKnown {
    /// Share of people whose value is predicted.
    pub accuracy: f64,
    /// Share of people whose value is the most frequent one of their group.
    pub majority: f64,
    /// Hits per hundred people beyond the majority's.
    pub gain: f64,
}

/// The beliefs of a reader who learns from the release by the fit that analysts use.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learner {
    /// The mean chance of a row's most likely value, from the release alone.
    pub believed: f64,
    /// The share of rows for which the reader believes a protected value with more than the
    /// promised bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_bound: Option<f64>,
    /// The share of rows for which the reader believes a protected value with a chance above 0.9.
    pub nearly_certain: f64,
    /// The share of people whose value is guessed right by a reader who finds people by their
    /// published values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// `accuracy` of a reader who knows everybody's group, on this release or another one of its
    /// kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_members_known: Option<f64>,
    /// `accuracy` by the model alone, as for people who are not in the release.
    pub accuracy_of_model: f64,
}

/// The combined knowledge from several releases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IntersectionEntry {
    /// Releases.
    pub releases: usize,
    /// Number of them that are of other people, or by other programs. Every person of the table
    /// whom they cover is assumed to be in them.
    pub others: usize,
    /// People for whom a single value is left that needs protection: at least so many are certain.
    pub certain: usize,
    /// At most so many are certain: people whose value no other person with the same
    /// quasi-identifiers has. With `exact`: the people who are certain.
    pub certain_at_most: usize,
    /// The exact findings, on tables of up to ten people and 5,040 possible tables, if all releases
    /// were made as the policy says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactlyKnown>,
    /// People for whom a single value is left that needs no protection.
    pub certain_exempt: usize,
    /// People for whom no value is left, or only a wrong one: some release is not of them.
    pub contradicted: usize,
    /// Values left, on average.
    pub mean_values: f64,
    /// The highest combined probability of a protected value.
    pub highest_posterior: f64,
    /// The highest combined probability for each person, on average.
    pub mean_highest_posterior: f64,
    /// People with a protected value above the bound that one release promises.
    pub above_bound: usize,
}

/// The knowledge of a reader who weighs every table by how often it leads to all releases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactlyKnown {
    /// People whose protected value is certain.
    pub certain: usize,
    /// The highest probability of a protected value, a fraction.
    pub max_posterior: String,
    /// People with a protected value above the bound that one release promises.
    pub above_bound: usize,
}

/// Rows of the table, counted from 1 without the rows left out for missing values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnerRows {
    /// Rows exposed by re-running (of the sample).
    pub rerun: Vec<u64>,
    /// Rows with a single possible value in all groups that cover them.
    pub homogeneity: Vec<u64>,
    /// Rows with values of one category in all groups that cover them.
    pub similarity: Vec<u64>,
    /// Rows with a single value in the intersection.
    pub intersection: Vec<u64>,
}
