//! Takes fingerprints of the rows that a run keeps.

use super::alike::{is_plain, readings};
use crate::policy::Policy;
use crate::prints::{PrintKey, RowPrints, Watched};
use crate::source::{RawColumn, RawTable};
use openveil_core::table::Column;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use twox_hash::XxHash64;

/// Texts that stand for a missing value in some program, as [`readings`] gives them.
const NOTHING: [&str; 10] = ["na", "n/a", "nan", "null", "none", "<na>", "nat", "?", ".", "-"];

/// The fingerprints of rows and, until their column is cut, of cells.
pub(super) struct Prints {
    rows: RowPrints,
    cells: BTreeMap<String, Vec<u64>>,
}

impl Prints {
    /// Returns the fingerprints of a table as text: by all columns that are published or tell
    /// people apart, by those of them that are not protected, and by the columns of earlier looks.
    /// O(cells).
    pub(super) fn new(policy: &Policy, raw: &RawTable, watched: &Watched) -> Self {
        let key = watched.key.clone();
        let is_own = |name: &str| {
            let is_named = policy.identity() == Some(name) || policy.episode() == Some(name);
            policy.columns[name].role.is_published() || is_named
        };
        let mut columns: Vec<String> =
            raw.columns.iter().map(|own| own.name.clone()).filter(|name| is_own(name)).collect();
        columns.sort_unstable();
        let open: Vec<String> =
            columns.iter().filter(|name| !policy.protects(name)).cloned().collect();
        let own = [columns.clone(), open.clone()];
        let sets: BTreeSet<Vec<String>> = watched.columns.iter().cloned().chain(own).collect();
        let mut read: BTreeMap<&str, &RawColumn> = BTreeMap::new();
        let mut cells: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for column in &raw.columns {
            let is_read = !column.codes.is_empty() || column.elsewhere.is_some();
            if is_read && sets.iter().flatten().any(|name| *name == column.name) {
                read.insert(&column.name, column);
                cells.insert(column.name.clone(), cells_of(&key, column));
            }
        }
        let is_by_row = raw.columns.iter().all(|own| own.elsewhere.is_none());
        let sums = sets
            .into_iter()
            .filter_map(|set: Vec<String>| {
                let columns: Vec<ReadCells<'_>> = set
                    .iter()
                    .map(|name| Some((*read.get(name.as_str())?, &cells[name][..])))
                    .collect::<Option<_>>()?;
                let sum = match is_by_row {
                    true => of_rows(raw.rows, &columns),
                    false => of_columns(&columns),
                };
                Some((set, sum))
            })
            .collect();
        let rows = RowPrints {
            sums,
            rows: raw.rows,
            cuts: BTreeMap::new(),
            input: None,
            is_by_row,
            columns,
            open,
            key,
        };
        Self { rows, cells }
    }

    /// Returns the fingerprints of the rows.
    pub(super) fn rows(&self) -> &RowPrints {
        &self.rows
    }

    /// Returns the fingerprints of the rows, with those of all rows that were read.
    pub(super) fn after(self, input: Option<RowPrints>) -> RowPrints {
        let input = input.map(Box::new);
        RowPrints { input, ..self.rows }
    }

    /// Adds a column as it was cut. `counts` are the rows of each text, and `code_of` its code in
    /// the column.
    pub(super) fn add(&mut self, counts: &[u32], code_of: &[u32], column: &Column) {
        let cells = self.cells.remove(column.name()).unwrap_or_default();
        let labels = column.domain().labels();
        let seed = self.rows.key.hash(&["labels"]);
        let labels: Vec<u64> =
            labels.map(|label| XxHash64::oneshot(seed, label.as_bytes())).collect();
        let cut = cells
            .iter()
            .zip(counts)
            .zip(code_of)
            .filter(|((_, rows), _)| **rows > 0)
            .map(|((cell, &rows), &code)| {
                mixed(cell ^ mixed(labels[code as usize])).wrapping_mul(u64::from(rows))
            })
            .fold(0, u64::wrapping_add);
        self.rows.cuts.insert(column.name().to_owned(), cut);
    }
}

/// A column, and the fingerprint of each of its cells.
type ReadCells<'a> = (&'a RawColumn, &'a [u64]);

/// Returns the fingerprint of each cell of a column.
fn cells_of(key: &PrintKey, column: &RawColumn) -> Vec<u64> {
    let seed = key.hash(&[&column.name]);
    let of = |text: &str| {
        let first = match is_plain(text) {
            true => Cow::Borrowed(text),
            false => Cow::Owned(readings(text).swap_remove(0)),
        };
        let read = if NOTHING.contains(&&*first) { "" } else { &*first };
        XxHash64::oneshot(seed, read.as_bytes())
    };
    let texts: Vec<&str> = column.values.iter().collect();
    texts.into_par_iter().map(of).collect()
}

/// Returns the sum of the fingerprints of rows.
fn of_rows(rows: usize, columns: &[ReadCells<'_>]) -> u64 {
    (0..rows)
        .into_par_iter()
        .map(|row: usize| {
            columns
                .iter()
                .map(|(column, cells)| cells[column.codes[row] as usize])
                .fold(0, |sum, cell| mixed(sum ^ cell))
        })
        .reduce(|| 0, u64::wrapping_add)
}

/// Returns the sum of the fingerprints of columns, whose rows are only counted.
fn of_columns(columns: &[ReadCells<'_>]) -> u64 {
    columns
        .iter()
        .map(|(column, cells): &ReadCells<'_>| {
            let counts = column.counts();
            cells
                .iter()
                .zip(&*counts)
                .map(|(cell, &rows)| mixed(*cell).wrapping_mul(rows as u64))
                .fold(0, u64::wrapping_add)
        })
        .fold(0, |sum, own| mixed(sum ^ own))
}

/// Mixes the bits of a number (the last step of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
