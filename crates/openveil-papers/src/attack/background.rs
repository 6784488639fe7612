use openveil_core::release::Content;
use std::collections::BTreeMap;

/// How much a reader has to know from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// The fewest facts with which somebody's value is certain; 0 in a release
    /// without rows.
    pub least: u32,
    /// The mean over all rows.
    pub mean: f64,
    /// How many rows need how many facts.
    pub rows_by_facts: BTreeMap<u32, u64>,
}

/// Counts, for everybody, the facts of the kind "this person does not have that
/// value" that make the person's value certain to a reader who knows the
/// person's group: one less than the different values in it. O(rows).
pub fn background(release: &Content) -> Background {
    let mut rows_by_facts: BTreeMap<u32, u64> = BTreeMap::new();
    for group in 0..release.group_count() {
        let facts = release.value_counts(group).count().saturating_sub(1) as u32;
        *rows_by_facts.entry(facts).or_default() += release.group_rows(group).len() as u64;
    }
    let all: u64 = rows_by_facts
        .iter()
        .map(|(&facts, rows)| u64::from(facts) * rows)
        .sum();
    Background {
        least: rows_by_facts.keys().next().copied().unwrap_or(0),
        mean: all as f64 / release.rows().max(1) as f64,
        rows_by_facts,
    }
}
