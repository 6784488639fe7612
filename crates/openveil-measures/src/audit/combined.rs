//! Combinations of columns as numbers.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use rayon::prelude::*;
use std::hash::BuildHasher;

/// The rows of a table, numbered by their combination of values on some columns.
#[derive(Debug)]
pub struct CombinedColumns {
    /// Per row, the number of its combination, in order of first appearance.
    pub ids: Vec<u32>,
    /// The first row of each combination.
    pub first_rows: Vec<u32>,
}

/// A column's codes, and a number greater than all of them.
pub type ColumnCodes<'a> = (&'a [u32], u64);

/// Numbers the combinations of some columns. O(rows · columns).
///
/// A row's codes are the digits of one number. Before that number exceeds 64 bits, the combinations
/// so far are renumbered.
pub fn combine(columns: &[ColumnCodes<'_>], rows: usize) -> CombinedColumns {
    let mut keys = vec![0u64; rows];
    let mut span = 1u64;
    for &(codes, values) in columns {
        if span.checked_mul(values).is_none() {
            let so_far = number(&keys);
            span = so_far.first_rows.len() as u64;
            keys = so_far.ids.into_iter().map(u64::from).collect();
        }
        span *= values;
        keys.par_iter_mut()
            .zip(codes)
            .for_each(|(key, &code)| *key = *key * values + u64::from(code));
    }
    number(&keys)
}

/// Numbers different keys by first appearance.
pub(super) fn number(keys: &[u64]) -> CombinedColumns {
    let hasher = FixedState::default();
    let mut known: HashTable<u32> = HashTable::new();
    let mut first_rows: Vec<u32> = Vec::new();
    let mut ids = Vec::with_capacity(keys.len());
    for (row, &key) in keys.iter().enumerate() {
        let same = |&id: &u32| keys[first_rows[id as usize] as usize] == key;
        let hash = hasher.hash_one(key);
        let id = known.find(hash, same).copied().unwrap_or_else(|| {
            let id = first_rows.len() as u32;
            first_rows.push(row as u32);
            known.insert_unique(hash, id, |&id| {
                hasher.hash_one(keys[first_rows[id as usize] as usize])
            });
            id
        });
        ids.push(id);
    }
    CombinedColumns { ids, first_rows }
}
