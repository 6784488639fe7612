//! Entries about the people and rows of a release, and about rows that were left out.

use crate::load::Omitted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Each row of the release is a person, who may have had several rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonsEntry {
    /// The largest number of rows of a person that count; absent if all count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u32>,
    /// The column that states the number of a person's rows, and fixes strata.
    pub column: String,
}

/// The place of this release in a history. A reader who knows who was in the table at what time,
/// and what the program adds, knows these facts anyway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The history's identifier, which all of its releases share.
    pub id: String,
    /// Its number, from 1 on.
    pub release: usize,
    /// People in this release.
    pub people: usize,
    /// People among them who got a place at this release.
    pub arrived: usize,
    /// People of the last release who are not in this one.
    pub left: usize,
    /// People of the table who are held back until the next release, because their values together
    /// allow no publication.
    #[serde(default, skip_serializing_if = "is_none")]
    pub waiting: usize,
    /// Whether the groups are the groups of the last release.
    pub same_groups: bool,
    /// Whether the state of an earlier history was missing: together with the releases of that
    /// history, nothing is guaranteed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Number of runs of the history so far that were refused because of the values of the people
    /// in the table. The guarantee does not cover a reader who knows of them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub refused: usize,
    /// The filler rows.
    pub fakes: FakesEntry,
}

/// Rows with values that no person of their group has any more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FakesEntry {
    /// The number of filler rows.
    pub rows: usize,
    /// The number of filler rows in each group that has any, by the group's number in the release.
    pub groups: BTreeMap<usize, usize>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Rows that share their sensitive value: public facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TiesEntry {
    /// The column that names the tie of a row; it is not published.
    pub id: String,
    /// The largest number of rows that are shown of a tie; if it has more, they are drawn at
    /// random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<u32>,
    /// The published sizes of ties, ascending: the number of rows of a tie, and the number of such
    /// ties.
    pub sizes: Vec<TieSizeEntry>,
}

/// Several sensitive columns, each protected by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EachEntry {
    /// The l of each column, by column.
    pub l: BTreeMap<String, u32>,
    /// Whether a row shows the values of the columns together; if not, each column is shuffled
    /// within each group by itself.
    pub linked: bool,
}

/// Ties of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TieSizeEntry {
    /// The number of rows of each tie.
    pub rows: u32,
    /// The number of such ties.
    pub ties: u32,
    /// The fewest ties that were left in a group; none before format 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_group: Option<u32>,
}

/// Columns and rows that were left out of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedEntry {
    /// Columns that identify people.
    pub identifiers: Vec<String>,
    /// Columns that were not wanted.
    pub dropped: Vec<String>,
    /// Rows left out, for missing values or because they are in a sample.
    pub rows: usize,
    /// Why rows were left out.
    pub reasons: Vec<String>,
}

impl OmittedEntry {
    /// Describes what was left out. Counts per column stay with the owner.
    pub fn new(omitted: &Omitted) -> Self {
        let mut reasons = Vec::new();
        if omitted.beyond_rows > 0 {
            let rows = omitted.beyond_rows;
            reasons.push(format!("{rows} rows belong to people with more rows than count: the rows that count were chosen by random draws"));
        }
        if omitted.beyond_ties > 0 {
            let rows = omitted.beyond_ties;
            reasons.push(format!("{rows} rows belong to ties with more rows than count: the rows that count were chosen by random draws"));
        }
        if omitted.sampled > 0 {
            let rows = omitted.sampled;
            reasons.push(format!("{rows} rows are a sample chosen by random draws, from which nothing is published, so that algorithm and parameters could be chosen on it. A reader who knows how often each value occurs in the whole table can subtract and learn how often it occurs among these rows, which satisfy the model by themselves; there is no further guarantee for the people in them"));
        }
        if omitted.rows > 0 {
            let names = |sensitive: bool| -> Vec<&str> {
                omitted
                    .missing
                    .iter()
                    .filter(|count| count.sensitive == sensitive)
                    .map(|count| &*count.column)
                    .collect()
            };
            let (known, secret) = (names(false), names(true));
            if !known.is_empty() {
                reasons.push(format!("a value of {} was missing", known.join(" or ")));
            }
            if !secret.is_empty() {
                reasons.push(format!(
                    "the sensitive value ({}) was missing: a reader who knows that a person was in the input, but not in the released rows, learns that this value was missing",
                    secret.join(" or ")
                ));
            }
        }
        Self {
            identifiers: omitted.identifiers.clone(),
            dropped: omitted.dropped.clone(),
            rows: omitted.rows + omitted.sampled + omitted.beyond_rows + omitted.beyond_ties,
            reasons,
        }
    }
}
