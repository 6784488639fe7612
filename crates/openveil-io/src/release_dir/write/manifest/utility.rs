//! How useful a release is.

use openveil_measures::utility::MeasuredLink;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How useful a release is: functions of the release and public facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utility {
    /// Number of groups.
    pub groups: usize,
    /// Rows of the smallest group.
    pub smallest_group: u32,
    /// Rows of the largest group.
    pub largest_group: u32,
    /// Discernability: the sum of squared group sizes.
    pub dm: u64,
    /// Lower bound of the discernability of any release with this model.
    #[serde(default)]
    pub dm_lower_bound: u64,
    /// The least discernability that any release with this model can have, where it
    /// is known for certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dm_optimal: Option<u64>,
    /// Rows per group over l.
    pub cavg: f64,
    /// Per quasi-identifier, the mean share of the domain that a cell spans.
    pub mean_extent: BTreeMap<String, f64>,
    /// Links of known columns with each sensitive one that the release still shows; none beyond
    /// 200,000 rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub association: Vec<Association>,
    /// Facts to learn from each table with groups: by an analyst about columns, by a reader about
    /// people. None beyond 200,000 rows, where it would take longer than publishing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<LearnedEntry>,
}

/// Facts to learn from a table with groups by fitting a model of the sensitive column to it:
/// functions of the release and of the known columns' domains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedEntry {
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// Belief of a reader who learns from the release: the mean chance of the value that seems
    /// likeliest for a person. A calibrated reader guesses as many values right.
    pub believed: f64,
    /// The share of people of whom such a reader believes a protected value with a chance above
    /// the bound of the guarantee, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above_bound: Option<f64>,
    /// The share of people of whom such a reader believes a protected value with a chance above 0.9.
    pub nearly_certain: f64,
    /// Per known column, what an analyst can learn about it and the sensitive one.
    pub columns: Vec<LearnedColumn>,
}

/// How a known column goes with the sensitive one, as far as the release shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedColumn {
    /// The known column.
    pub column: String,
    /// The share of what the release shows of the association that is not chance of the grouping: 0
    /// to 1.
    pub recovered: f64,
    /// Where the association is strongest; not of columns that show ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strongest: Option<Strongest>,
}

/// People with a value of a known column, and a sensitive value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strongest {
    /// The value of the known column; of numbers, the least of a fifth of them.
    pub known: String,
    /// The sensitive value.
    pub sensitive: String,
    /// The share of these people who have it, less the share of all people: positive for more often.
    pub difference: f64,
}

impl LearnedColumn {
    /// Below this share, too little of an association is left to be used.
    pub const USABLE: f64 = 0.5;

    /// Whether the association can be used.
    pub fn is_usable(&self) -> bool {
        self.recovered >= Self::USABLE
    }
}

/// How strongly known columns go with a sensitive one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Association {
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// `cramers-v`, or `correlation-ratio` where sensitive values have an order.
    pub measure: String,
    /// Per known column, 0 for no link to 1 for the closest there is.
    pub strength: BTreeMap<String, f64>,
}

/// The mean error of random count queries of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryError {
    /// Columns that the queries ask about.
    pub predicate: String,
    /// Mean of |true − estimated| / max(true, 0.5 % of the rows).
    pub mean: f64,
}

/// How much of the links with a sensitive column a release keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssociationKept {
    /// Limits of the figures.
    pub note: String,
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// `cramers-v`, or `correlation-ratio` where sensitive values have an order.
    pub measure: String,
    /// Each known column.
    pub columns: Vec<LinkKept>,
    /// Each pair of known columns; none if there are many.
    pub pairs: Vec<LinkKept>,
    /// The mean error of queries on one known column and the sensitive one: |true −
    /// estimated| / max(true, 0.5 % of the rows).
    pub query_error: f64,
}

/// The strength of a link in a table and in its release, 0 to 1.
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
    /// Links of a table and the same ones of its release.
    pub fn beside(table: &[MeasuredLink], release: &[MeasuredLink]) -> Vec<Self> {
        let kept = |(table, release): (&MeasuredLink, &MeasuredLink)| Self {
            columns: table.columns.clone(),
            table: table.strength,
            release: release.strength,
        };
        table.iter().zip(release).map(kept).collect()
    }
}

/// How many rows of the owner's table fall into each part of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrueCounts {
    /// The column.
    pub column: String,
    /// Names of the parts, as on the public page.
    pub parts: Vec<String>,
    /// Rows of the owner's table.
    pub table: Vec<f64>,
    /// Rows, as the release's reader estimates them.
    pub release: Vec<f64>,
}
