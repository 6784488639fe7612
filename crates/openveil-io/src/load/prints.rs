//! Fingerprints of a table's rows, which show whether two runs read the same people.
//!
//! Rows are a multiset: their order, the format of the file, blank lines and the spelling of a
//! cell do not count. Only who has the key can test a guess about the rows.

use super::alike::{is_plain, readings};
use crate::Error;
use crate::policy::Policy;
use crate::release_dir::record::{self, PrintKey};
use crate::source::{RawColumn, RawTable};
use openveil_core::table::Column;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use twox_hash::XxHash64;

/// Texts that stand for a missing value in some program, as [`readings`] gives them.
const NOTHING: [&str; 10] = [
    "na", "n/a", "nan", "null", "none", "<na>", "nat", "?", ".", "-",
];

/// Fingerprints of the rows that a run kept.
#[derive(Debug, Clone)]
pub struct RowPrints {
    pub(crate) key: PrintKey,
    /// The columns of the run, and those of them that are not protected; sorted.
    pub(crate) columns: Vec<String>,
    pub(crate) open: Vec<String>,
    /// The sum over all rows, by the columns that count.
    sums: BTreeMap<Vec<String>, u64>,
    /// Whether a sum is over rows, or over columns of a table whose rows lie elsewhere.
    is_by_row: bool,
    rows: usize,
    /// How each published column was cut: which cells have which label.
    cuts: BTreeMap<String, u64>,
    /// The fingerprints before rows with missing values were left out, if they count.
    pub(crate) input: Option<Box<Self>>,
    /// The fingerprints of cells, until their column is cut.
    cells: BTreeMap<String, Vec<u64>>,
}

impl RowPrints {
    /// Returns the fingerprints of a table as text: by all columns that are published or tell
    /// people apart, by those of them that are not protected, and by the columns of earlier looks.
    /// O(cells).
    ///
    /// # Errors
    /// Records that cannot be read.
    pub(super) fn of(policy: &Policy, raw: &RawTable) -> Result<Self, Error> {
        let record::Watched {
            key,
            columns: looked_at,
            ..
        } = record::watched(policy)?;
        let is_own = |name: &str| {
            let is_named = policy.identity() == Some(name) || policy.episode() == Some(name);
            policy.columns[name].role.is_published() || is_named
        };
        let names = raw.columns.iter().map(|own| own.name.clone());
        let mut columns: Vec<String> = names.filter(|name| is_own(name)).collect();
        columns.sort_unstable();
        let open = columns.iter().filter(|name| !policy.protects(name));
        let open: Vec<String> = open.cloned().collect();
        let sets: BTreeSet<Vec<String>> = looked_at
            .into_iter()
            .chain([columns.clone(), open.clone()])
            .collect();
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
        let sum = |set: Vec<String>| {
            let column = |name: &String| Some((*read.get(name.as_str())?, &cells[name][..]));
            let columns: Vec<ReadCells<'_>> = set.iter().map(column).collect::<Option<_>>()?;
            let sum = match is_by_row {
                true => of_rows(raw.rows, &columns),
                false => of_columns(&columns),
            };
            Some((set, sum))
        };
        let sums = sets.into_iter().filter_map(sum).collect();
        Ok(Self {
            sums,
            rows: raw.rows,
            cuts: BTreeMap::new(),
            cells,
            input: None,
            is_by_row,
            columns,
            open,
            key,
        })
    }

    /// Returns the fingerprints, with those of the rows before some were left out.
    pub(super) fn after(self, input: Option<Self>) -> Self {
        let input = input.map(Box::new);
        Self { input, ..self }
    }

    /// Adds a column as it was cut. `texts` and `counts` are those of the table as text, and
    /// `code_of` the code of each text in the column.
    pub(super) fn add(&mut self, counts: &[u32], code_of: &[u32], column: &Column) {
        let cells = self.cells.remove(column.name()).unwrap_or_default();
        let labels = column.domain().labels();
        let seed = self.key.hash(&["labels"]);
        let labels = labels.map(|label| XxHash64::oneshot(seed, label.as_bytes()));
        let labels: Vec<u64> = labels.collect();
        let pairs = cells.iter().zip(counts).zip(code_of);
        let cut = pairs
            .filter(|((_, rows), _)| **rows > 0)
            .map(|((cell, &rows), &code)| {
                mixed(cell ^ mixed(labels[code as usize])).wrapping_mul(u64::from(rows))
            });
        let cut = cut.fold(0, u64::wrapping_add);
        self.cuts.insert(column.name().to_owned(), cut);
    }

    /// Returns the fingerprint of the rows by some columns, together with how columns were cut and
    /// which rows of people were drawn; none if a column was not read.
    pub(crate) fn print<'a>(
        &self,
        columns: &[String],
        cut: impl Iterator<Item = &'a String>,
        drawn: &str,
    ) -> Option<String> {
        let sum = self.sums.get(columns)?;
        let mut parts = vec![
            format!("{} {} {sum}", self.is_by_row, self.rows),
            drawn.to_owned(),
        ];
        for name in cut {
            parts.push(format!("{} {name}", self.cuts.get(name)?));
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Some(format!("{:016x}", self.key.hash(&parts)))
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
        let read = if NOTHING.contains(&&*first) {
            ""
        } else {
            &*first
        };
        XxHash64::oneshot(seed, read.as_bytes())
    };
    let texts: Vec<&str> = column.values.iter().collect();
    texts.into_par_iter().map(of).collect()
}

/// Returns the sum of the fingerprints of rows.
fn of_rows(rows: usize, columns: &[ReadCells<'_>]) -> u64 {
    let of = |row: usize| {
        let cells = columns
            .iter()
            .map(|(column, cells)| cells[column.codes[row] as usize]);
        cells.fold(0, |sum, cell| mixed(sum ^ cell))
    };
    (0..rows)
        .into_par_iter()
        .map(of)
        .reduce(|| 0, u64::wrapping_add)
}

/// Returns the sum of the fingerprints of columns, whose rows are only counted.
fn of_columns(columns: &[ReadCells<'_>]) -> u64 {
    let of = |(column, cells): &ReadCells<'_>| {
        let counts = column.counts();
        let cells = cells.iter().zip(&*counts);
        let sum = cells.map(|(cell, &rows)| mixed(*cell).wrapping_mul(rows as u64));
        sum.fold(0, u64::wrapping_add)
    };
    columns.iter().map(of).fold(0, |sum, own| mixed(sum ^ own))
}

/// Mixes the bits of a number (the last step of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl PrintKey {
    /// Returns the keyed hash of some texts.
    pub(crate) fn hash(&self, texts: &[&str]) -> u64 {
        let mut digest = Sha256::new_with_prefix(self.0);
        for text in texts {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        }
        let digest = digest.finalize();
        u64::from_le_bytes(digest[..8].try_into().expect("8 bytes"))
    }
}
