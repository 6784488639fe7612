use openveil_core::release::Content;
use std::collections::BTreeMap;

/// The background knowledge that a reader needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// The fewest facts with which somebody's value is certain; 0 in a release without rows.
    pub least: u32,
    /// The mean over all rows.
    pub mean: f64,
    /// The number of rows by the number of facts that they need.
    pub rows_by_facts: BTreeMap<u32, u64>,
}

/// Counts, for every person, the facts of the form "this person does not have that value" that make
/// the person's value certain to a reader who knows the person's group: the number of different
/// values in the group, minus one. O(rows).
pub fn background(release: &Content) -> Background {
    let mut rows_by_facts: BTreeMap<u32, u64> = BTreeMap::new();
    for group in 0..release.group_count() {
        let facts = release.value_counts(group).count().saturating_sub(1) as u32;
        *rows_by_facts.entry(facts).or_default() += release.group_rows(group).len() as u64;
    }
    let all: u64 = rows_by_facts.iter().map(|(&facts, rows)| u64::from(facts) * rows).sum();
    Background {
        least: rows_by_facts.keys().next().copied().unwrap_or(0),
        mean: all as f64 / release.rows().max(1) as f64,
        rows_by_facts,
    }
}
