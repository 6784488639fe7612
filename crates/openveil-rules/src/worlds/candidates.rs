//! Values that can be ruled out for a person, at any size.

use super::PublishedTable;
use openveil_core::table::ColumnSet;

use std::collections::{BTreeMap, BTreeSet};

/// The values of column `about` that the tables leave possible for a person whose columns `given`
/// are known. `code(column)` returns the person's codes. For every table it determines the rows and
/// values that may be the person's, again and again until nothing more is ruled out. `None` if no
/// table with known columns leads to `about`.
///
/// It considers one person at a time and does not rule out values that other people use up, so a
/// real reader may know more. O(rounds · size of the tables).
pub fn candidates(
    tables: &[PublishedTable],
    given: ColumnSet,
    code: impl Fn(usize) -> u32,
    about: usize,
) -> Option<BTreeSet<u32>> {
    let mut possible: BTreeMap<usize, BTreeSet<u32>> =
        given.iter().map(|column| (column, [code(column)].into())).collect();
    loop {
        let mut changed = false;
        for table in tables {
            let reached = table.columns().iter().any(|c| possible.contains_key(&c));
            if !reached {
                continue;
            }
            for (column, values) in supported(table, &possible) {
                let before = possible.get(&column).map(BTreeSet::len);
                if before != Some(values.len()) {
                    changed = true;
                    possible.insert(column, values);
                }
            }
        }
        if !changed {
            return possible.remove(&about);
        }
    }
}

/// Per column of a table, the values in rows that may be the person's.
fn supported(
    table: &PublishedTable,
    possible: &BTreeMap<usize, BTreeSet<u32>>,
) -> BTreeMap<usize, BTreeSet<u32>> {
    let fits = |columns: ColumnSet, codes: &[u32]| {
        columns.iter().zip(codes).all(|(column, code)| {
            let allowed = possible.get(&column);
            allowed.is_none_or(|allowed| allowed.contains(code))
        })
    };
    let mut found: BTreeMap<usize, BTreeSet<u32>> =
        table.columns().iter().map(|column| (column, BTreeSet::new())).collect();
    for (known, secret) in &table.groups {
        let own: Vec<&Vec<u32>> = known.keys().filter(|row| fits(table.known, row)).collect();
        let values: Vec<&Vec<u32>> =
            secret.keys().filter(|values| fits(table.secret, values)).collect();
        if own.is_empty() || values.is_empty() {
            continue;
        }
        let parts = [(table.known, own), (table.secret, values)];
        for (columns, tuples) in parts {
            for tuple in tuples {
                for (column, &code) in columns.iter().zip(tuple) {
                    found.entry(column).or_default().insert(code);
                }
            }
        }
    }
    found
}
