//! Entries about how useful a release is.

use openveil_measures::utility::MeasuredLink;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Measures of usefulness, which depend on the release and on public facts only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utility {
    /// The number of groups.
    pub groups: usize,
    /// The number of rows of the smallest group.
    pub smallest_group: u32,
    /// The number of rows of the largest group.
    pub largest_group: u32,
    /// Discernability: the sum of squared group sizes.
    pub dm: u64,
    /// A lower bound of the discernability of any release with this model.
    #[serde(default)]
    pub dm_lower_bound: u64,
    /// The least discernability that any release with this model can have, if it is known for
    /// certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dm_optimal: Option<u64>,
    /// The mean number of rows per group, divided by l.
    pub cavg: f64,
    /// The mean share of the domain that a cell spans, per quasi-identifier.
    pub mean_extent: BTreeMap<String, f64>,
    /// Association of the known columns with each sensitive column as the release shows it; empty
    /// beyond 200,000 rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub association: Vec<Association>,
    /// For each table with groups, what an analyst can learn about columns and a reader about
    /// people. Empty beyond 200,000 rows, where it would take longer than publishing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<LearnedEntry>,
}

/// The facts that can be learned from a table with groups by fitting a model of the sensitive
/// column to it. Depends on the release and on the known columns' domains only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedEntry {
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// The share of people of the table whose value a reader guesses who learns from the release:
    /// the mean chance of the value that seems most likely to a reader who believes in the fit as
    /// far as it predicts groups left out.
    pub believed: f64,
    /// The share of people like them whose value the same reader guesses if they are not in the
    /// table. Absent in releases before 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<f64>,
    /// The share of people with the most frequent value, which a guess without any knowledge gets
    /// right. Absent in releases before 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_frequent: Option<f64>,
    /// The share of people for whom such a reader believes a protected value with more than the
    /// bound of the guarantee, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above_bound: Option<f64>,
    /// The share of people for whom such a reader believes a protected value with more than 0.9.
    pub nearly_certain: f64,
    /// The facts that an analyst can learn about each known column and the sensitive one.
    pub columns: Vec<LearnedColumn>,
}

impl LearnedEntry {
    /// Returns how much being in the table adds to the share of right guesses, if it was measured
    /// outside.
    pub fn because(&self) -> Option<f64> {
        self.outside.map(|outside| (self.believed - outside).max(0.0))
    }

    /// How often the reader guesses right, in words: about people of the table, about people like
    /// them, and the difference; and how often a guess without any knowledge is right.
    pub fn hits(&self) -> Text {
        let percent = |share: f64| Text::number(format!("{:.0} %", 100.0 * share));
        let inside = percent(self.believed);
        let Some(outside) = self.outside.map(percent) else {
            return text!("the value of {inside:text} of the people");
        };
        let points = Text::number(format!("{:.1}", 100.0 * self.because().unwrap_or_default()));
        let usual = self.most_frequent.map_or_else(Text::default, |share| {
            text!("; always guessing the most frequent value: {:text}", percent(share))
        });
        text!(
            "the value of {inside:text} of the people ({outside:text} of people like them who are not in the table; being in it costs {points:text} points{usual:text})"
        )
    }
}

/// The association of a known column with the sensitive one, as far as the release shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedColumn {
    /// The known column.
    pub column: String,
    /// The share of the shown association that is not chance variation of the grouping: 0 to 1.
    pub recovered: f64,
    /// Where the association is strongest; absent for columns that show ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strongest: Option<Strongest>,
}

/// A value of a known column and a sensitive value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strongest {
    /// The value of the known column; for numbers, the least number of a fifth of the values.
    pub known: String,
    /// The sensitive value.
    pub sensitive: String,
    /// The share of people with the known value who have the sensitive value, minus the share among
    /// all people. Positive if they have it more often.
    pub difference: f64,
}

/// The strength of association of known columns with a sensitive one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Association {
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// `cramers-v`, or `correlation-ratio` if the sensitive values have an order.
    pub measure: String,
    /// The strength per known column, from 0 for no association to 1 for the closest.
    pub strength: BTreeMap<String, f64>,
}

/// The mean error of random count queries of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryError {
    /// The columns that the queries use.
    pub predicate: String,
    /// Mean of |true − estimated| / max(true, 0.5 % of the rows).
    pub mean: f64,
}

/// How much of the association with a sensitive column a release retains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssociationKept {
    /// The limits of the figures.
    pub note: String,
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// `cramers-v`, or `correlation-ratio` if the sensitive values have an order.
    pub measure: String,
    /// Each known column.
    pub columns: Vec<LinkKept>,
    /// Each pair of known columns; empty if there are many.
    pub pairs: Vec<LinkKept>,
    /// The mean error of queries on one known column and the sensitive one: |true −
    /// estimated| / max(true, 0.5 % of the rows).
    pub query_error: f64,
}

/// The strength of an association in a table and in its release, 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkKept {
    /// The known columns.
    pub columns: Vec<String>,
    /// In the owner's table.
    pub table: f64,
    /// In the release, as its reader estimates it.
    pub release: f64,
}

impl LinkKept {
    /// Pairs the associations of a table with those of its release, which are in the same order.
    pub fn beside(table: &[MeasuredLink], release: &[MeasuredLink]) -> Vec<Self> {
        table
            .iter()
            .zip(release)
            .map(|(table, release)| Self {
                columns: table.columns.clone(),
                table: table.strength,
                release: release.strength,
            })
            .collect()
    }
}

/// The number of rows of the owner's table in each part of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrueCounts {
    /// The column.
    pub column: String,
    /// Names of the parts, as on the public page.
    pub parts: Vec<String>,
    /// Rows of the owner's table, per part.
    pub table: Vec<f64>,
    /// Rows per part, as the release's reader estimates them.
    pub release: Vec<f64>,
}
