//! Entries about strata, and about several tables that satisfy rules together.

use super::ModelEntry;
use openveil_core::table::{Column, Secret, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One of several tables that satisfy rules together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name, as in the names of its files.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Requirements that its anonymisation enforces; absent if it is published unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enforces: Option<Enforced>,
    /// The strata and their histograms, if the table was published in strata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strata: Option<StrataEntry>,
    /// Number of rows of the table.
    pub rows: usize,
    /// Number of groups of the table; 0 if it is published unchanged.
    pub groups: usize,
    /// Number of classes of the table: rows of a group that are shown alike. Absent if groups are
    /// not divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<usize>,
    /// Its files; in the anatomy style the second holds the values of each group.
    pub files: Vec<String>,
}

/// The strata of a table: cells fixed by known columns. The model holds in each stratum by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrataEntry {
    /// The columns that fix them.
    pub columns: Vec<String>,
    /// The strata, in the order of their values.
    pub strata: Vec<StratumEntry>,
}

impl StrataEntry {
    /// Returns the strata of a view with their histograms, which a release shows; none if no column
    /// fixes strata.
    pub fn new(view: &View) -> Option<Self> {
        let columns: Vec<&Column> = view.strata_columns().collect();
        if columns.is_empty() {
            return None;
        }
        Some(Self {
            columns: columns.iter().map(|c| c.name().to_owned()).collect(),
            strata: view
                .strata()
                .iter()
                .map(|stratum| {
                    let histogram = stratum.view(view).histogram();
                    let values = columns.iter().zip(stratum.codes());
                    StratumEntry {
                        values: values
                            .map(|(column, &code)| column.domain().label(code).to_owned())
                            .collect(),
                        rows: histogram.rows(),
                        histogram: counts(view.secret(), histogram.counts()),
                    }
                })
                .collect(),
        })
    }
}

/// Returns the values that occur, each with its number of rows. If columns are published apart, it counts
/// the values of each: which go together is not published.
fn counts(secret: &Secret, histogram: &[u32]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for (value, &rows) in (0..).zip(histogram).filter(|(_, rows)| **rows > 0) {
        match secret.members().filter(|_| secret.is_apart()) {
            None => drop(counts.insert(secret.label(value), rows)),
            Some(members) => {
                for &member in members.members(value) {
                    *counts.entry(members.label(member).to_owned()).or_insert(0) += rows;
                }
            }
        }
    }
    counts
}

/// A stratum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StratumEntry {
    /// The values that its people share, one of each of the columns.
    pub values: Vec<String>,
    /// The number of its people.
    pub rows: u32,
    /// The number of its people with each sensitive value.
    pub histogram: BTreeMap<String, u32>,
}

/// Requirements that the anonymisation of a table enforces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// The columns counted as known: all others of the table.
    pub given: Vec<String>,
    /// The protected column.
    pub protect: Vec<String>,
    /// The condition that must hold in every group, in words.
    pub model: String,
}

/// A rule that the tables satisfy together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleEntry {
    /// Columns that the reader knows of everybody.
    pub given: Vec<String>,
    /// Columns that must not be inferred; several columns as a combination.
    pub protect: Vec<String>,
    /// The privacy model of the rule.
    pub model: ModelEntry,
    /// The reason why the rule holds: `unreachable`, or the name of the table that guards it.
    pub by: String,
    /// The highest chance that a guess of the protected value is right.
    pub max_posterior: Option<String>,
}

/// A dependency between columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyEntry {
    /// The columns that determine.
    pub given: Vec<String>,
    /// The columns that are determined.
    pub determines: Vec<String>,
}
