//! The guesses of readers who know correlations, as they are written.

use serde::{Deserialize, Serialize};

/// A measurement, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MeasuredCorrelations {
    /// The guesses of readers.
    Found(Box<Correlations>),
    /// Nothing was measured.
    Not(NotMeasured),
}

/// Why nothing was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotMeasured {
    /// The reason.
    pub not_measured: String,
}

impl MeasuredCorrelations {
    /// Nothing was measured, for a reason.
    pub fn not(reason: impl Into<String>) -> Self {
        Self::Not(NotMeasured {
            not_measured: reason.into(),
        })
    }
}

/// The guesses of readers who know correlations: measured with the true values, for the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correlations {
    /// The table that they know.
    pub public: PublicTable,
    /// People who are guessed.
    pub people: usize,
    /// The probability that beliefs are compared with: 1/l of ratio l-diversity as it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Share of people with the most frequent value.
    pub most_frequent: f64,
    /// By a logistic regression on the public table, without any release.
    pub prior: ReadingEntry,
    /// With the release, informed about the one person only.
    pub one: ReadingEntry,
    /// With the release, groups taken at face value.
    pub face: ReadingEntry,
    /// With the release, after running the algorithm on the public table; none if it refuses that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulating: Option<ReadingEntry>,
    /// With the release alone.
    pub learned: ReadingEntry,
}

/// The table that readers know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicTable {
    /// `half of the table`, or a file.
    pub source: String,
    /// Its rows.
    pub rows: usize,
    /// Those of them with a value that the table has: from them readers learn.
    pub matched: usize,
}

/// How well a reader guesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadingEntry {
    /// Share of people whose value is guessed.
    pub accuracy: f64,
    /// Hits per hundred people beyond those without a release.
    pub gain: f64,
    /// How sure the reader is of its guesses, on average.
    pub mean_belief: f64,
    /// The highest belief in a protected value of anybody.
    pub highest_belief: f64,
    /// Share of people of whom a protected value is believed beyond the bound, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_bound: Option<f64>,
    /// Share of people of whom a value is believed beyond 0.9.
    pub nearly_certain: f64,
    /// By tenths of certainty: people, what is believed, and who is right.
    pub calibration: Vec<SliceEntry>,
}

/// People of whom a reader is about equally sure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SliceEntry {
    /// Number of people.
    pub people: u64,
    /// Mean belief in the guess.
    pub believed: f64,
    /// Share of people guessed rightly.
    pub right: f64,
}

impl Correlations {
    /// The readers with their names, in the order in which they know more; the one who has
    /// seen no release comes first.
    pub fn readers(&self) -> Vec<(&'static str, &ReadingEntry)> {
        let mut readers = vec![
            ("without the release", &self.prior),
            ("of the release alone", &self.learned),
            ("informed about one person", &self.one),
            ("at face value", &self.face),
        ];
        readers.extend(
            self.simulating
                .iter()
                .map(|reading| ("simulating", reading)),
        );
        readers
    }
}
