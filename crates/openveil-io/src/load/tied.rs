//! Finds identifiers whose rows nearly always agree on another column, such as household numbers
//! and a value that members share.

use super::is_missing;
use crate::policy::{Policy, Role};
use crate::source::{RawColumn, RawTable};

/// The least number of rows, not counting the first of each tie, from which a conclusion is drawn.
const LEAST: u64 = 20;

/// Returns whether rows with equal identifiers nearly always share their value of another column,
/// far more often than any two rows of the table. `counts` states whether a text of the identifier
/// counts. O(rows).
pub fn is_shared(ids: &RawColumn, values: &RawColumn, counts: &dyn Fn(&str) -> bool) -> bool {
    let named: Vec<bool> = ids.values.iter().map(counts).collect();
    let mut first: Vec<Option<u32>> = vec![None; ids.values.len()];
    let mut rows_of = vec![0u64; values.values.len()];
    let (mut pairs, mut same, mut rows) = (0u64, 0u64, 0u64);
    for (&id, &value) in ids.codes.iter().zip(&values.codes) {
        if !named[id as usize] {
            continue;
        }
        rows += 1;
        rows_of[value as usize] += 1;
        match first[id as usize] {
            None => first[id as usize] = Some(value),
            Some(own) => {
                pairs += 1;
                same += u64::from(own == value);
            }
        }
    }
    // The chance that two random rows share a value.
    let squares: f64 = rows_of.iter().map(|&own| (own as f64).powi(2)).sum();
    let by_chance = squares / (rows.max(1) as f64).powi(2);
    let share = same as f64 / pairs.max(1) as f64;
    pairs >= LEAST && share >= 0.9 && 1.0 - share <= (1.0 - by_chance) / 4.0
}

/// Returns the identifiers whose rows nearly always agree on a sensitive column, each with that
/// column. Returns nothing if the policy declares that rows are related.
pub(super) fn pairs(policy: &Policy, raw: &RawTable) -> Vec<(String, String)> {
    if policy.identity().is_some() || policy.rules().is_some() {
        return Vec::new();
    }
    let of_role = |role: Role| {
        raw.columns.iter().filter(move |column| policy.columns[&column.name].role == role)
    };
    let ids = of_role(Role::Identifier).filter(|own| own.values.len() < raw.rows);
    ids.flat_map(|ids| {
        of_role(Role::Sensitive)
            .filter(|own| {
                is_shared(ids, own, &|text: &str| !is_missing(policy, &ids.name, text.trim()))
            })
            .map(|own| (ids.name.clone(), own.name.clone()))
    })
    .collect()
}
