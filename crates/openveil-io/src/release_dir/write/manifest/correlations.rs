//! Entries about the guesses of readers who know correlations.

use openveil_text::Text;
use serde::{Deserialize, Serialize};

/// A measurement, or the reason why there is none.
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
    pub not_measured: Text,
}

impl MeasuredCorrelations {
    /// Makes the entry for a measurement that was not made.
    pub fn not(reason: impl Into<Text>) -> Self {
        Self::Not(NotMeasured { not_measured: reason.into() })
    }
}

/// The guesses of readers who know correlations: measured with the true values, for the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correlations {
    /// The table that the readers know.
    pub public: PublicTable,
    /// Number of people whose value is guessed.
    pub people: usize,
    /// The probability with which beliefs are compared: the 1/l of the requested ratio l-diversity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Share of people with the most frequent value.
    pub most_frequent: f64,
    /// The reader without any release, who fits a logistic regression to the public table.
    pub prior: ReadingEntry,
    /// The reader with the release, informed about the one person only.
    pub one: ReadingEntry,
    /// The reader with the release who takes groups at face value.
    pub face: ReadingEntry,
    /// The reader with the release who runs the algorithm on the public table; none if the
    /// algorithm refuses that table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulating: Option<ReadingEntry>,
    /// The reader with the release alone.
    pub learned: ReadingEntry,
}

/// The table that the readers know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicTable {
    /// `half of the table`, or a file.
    pub source: String,
    /// Its rows.
    pub rows: usize,
    /// The rows whose sensitive value occurs in the owner's table: readers learn from them.
    pub matched: usize,
}

/// How well a reader guesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadingEntry {
    /// Share of people whose value is guessed correctly.
    pub accuracy: f64,
    /// Percentage points of accuracy gained over the reader without a release.
    pub gain: f64,
    /// Mean belief of the reader in the guesses.
    pub mean_belief: f64,
    /// The highest belief in any person's protected value.
    pub highest_belief: f64,
    /// Share of people for whom a protected value is believed with more than the bound, if there is
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_bound: Option<f64>,
    /// Share of people for whom a value is believed with more than 0.9.
    pub nearly_certain: f64,
    /// By tenths of certainty: the number of people, the mean belief, and the share guessed
    /// correctly.
    pub calibration: Vec<SliceEntry>,
}

/// People whose values a reader believes with about equal certainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SliceEntry {
    /// Number of people.
    pub people: u64,
    /// Mean belief in the guess.
    pub believed: f64,
    /// Share of people guessed correctly.
    pub right: f64,
}

impl Correlations {
    /// Returns the readers with their names, in order of growing knowledge; the reader without a
    /// release comes first.
    pub fn readers(&self) -> Vec<(&'static str, &ReadingEntry)> {
        let mut readers = vec![
            ("without the release", &self.prior),
            ("of the release alone", &self.learned),
            ("informed about one person", &self.one),
            ("at face value", &self.face),
        ];
        readers.extend(self.simulating.iter().map(|reading| ("simulating", reading)));
        readers
    }
}
