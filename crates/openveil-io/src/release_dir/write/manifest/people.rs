//! Rows that a release has, and rows that it leaves out.

use crate::load::Omitted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row of the release is a person, whose rows were several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonsEntry {
    /// How many rows of a person count; all without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u32>,
    /// The column that says how many they are, and fixes strata.
    pub column: String,
}

/// Which release of a history this is: facts that a reader knows who knows who was in the
/// table when, and what the program adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The history's name: releases of one history have the same.
    pub id: String,
    /// Its number, from 1 on.
    pub release: usize,
    /// People in this release.
    pub people: usize,
    /// Those of them who were given a place at this release.
    pub arrived: usize,
    /// People of the release before who are not in this one.
    pub left: usize,
    /// People of the table who are not in this release: their values together allow none,
    /// and they wait for others.
    #[serde(default, skip_serializing_if = "is_none")]
    pub waiting: usize,
    /// Whether groups are those of the release before.
    pub same_groups: bool,
    /// Whether the state of an earlier history was not there: together with its releases,
    /// nothing is promised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Runs of the history so far that were refused because of the values of the people in the
    /// table. The promise does not cover a reader who knows of them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub refused: usize,
    /// Rows that are nobody's.
    pub fakes: FakesEntry,
}

/// Rows with values that nobody in their group has any more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FakesEntry {
    /// How many there are.
    pub rows: usize,
    /// How many in each group that has any, by its number in the release.
    pub groups: BTreeMap<usize, usize>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Rows that share their sensitive value: public facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TiesEntry {
    /// The column that says to which tie a row belongs; it is not published.
    pub id: String,
    /// Ties with more rows show so many of them, drawn by coins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<u32>,
    /// The sizes of ties as they are published, ascending: rows of a tie, and ties of this size.
    pub sizes: Vec<TieSizeEntry>,
}

/// Several sensitive columns, each protected by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EachEntry {
    /// By column, the l by which it is protected.
    pub l: BTreeMap<String, u32>,
    /// Whether rows show which values of the columns go together; otherwise every column is shuffled inside of
    /// each group by itself.
    pub linked: bool,
}

/// Ties of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TieSizeEntry {
    /// Rows of each.
    pub rows: u32,
    /// How many there are.
    pub ties: u32,
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
    /// Words for what was left out. Counts per column are the owner's.
    pub fn of(omitted: &Omitted) -> Self {
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
                let counts = omitted
                    .missing
                    .iter()
                    .filter(|count| count.sensitive == sensitive);
                counts.map(|count| &*count.column).collect()
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
