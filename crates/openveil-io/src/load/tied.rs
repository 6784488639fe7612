//! Columns inside of which another is nearly the same: numbers of households, and what their members share.

use super::is_missing;
use crate::policy::{Policy, Role};
use crate::source::{RawColumn, RawTable};

/// Rows beside the first of their tie from which on something is concluded.
const LEAST: u64 = 20;

/// Whether rows with one value of a column nearly always share their value of another, and two rows of the
/// table do not anyway. `counts` says of a text whether it does. O(rows).
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
    // How often two rows have one value, wherever they are.
    let squares: f64 = rows_of.iter().map(|&own| (own as f64).powi(2)).sum();
    let by_chance = squares / (rows.max(1) as f64).powi(2);
    let share = same as f64 / pairs.max(1) as f64;
    pairs >= LEAST && share >= 0.9 && 1.0 - share <= (1.0 - by_chance) / 4.0
}

/// Identifiers inside of which a sensitive column is nearly the same, of a policy that takes rows for unrelated.
pub(super) fn pairs(policy: &Policy, raw: &RawTable) -> Vec<(String, String)> {
    if policy.identity().is_some() || policy.rules().is_some() {
        return Vec::new();
    }
    let of_role = |role: Role| {
        let columns = raw.columns.iter();
        columns.filter(move |column| policy.columns[&column.name].role == role)
    };
    let counts = |text: &str| !is_missing(policy, text.trim());
    let ids = of_role(Role::Identifier).filter(|own| own.values.len() < raw.rows);
    let pairs = ids.flat_map(|ids| {
        let shared = of_role(Role::Sensitive).filter(|own| is_shared(ids, own, &counts));
        shared.map(|own| (ids.name.clone(), own.name.clone()))
    });
    pairs.collect()
}
