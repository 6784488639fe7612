//! A table as it was read: coded texts.

use super::Dictionary;
use crate::Location;
use openveil_core::table::counted;
use rayon::prelude::*;
use std::borrow::Cow;
use std::path::PathBuf;

/// A table as text: every column is a list of codes into its values.
#[derive(Debug, Clone)]
pub struct RawTable {
    /// All columns in the order of the file.
    pub columns: Vec<RawColumn>,
    /// Number of rows.
    pub rows: usize,
    /// The files read, in order.
    pub files: Vec<PathBuf>,
    /// Whether rows were left out after reading: the positions of the other rows then differ from
    /// the input.
    pub is_thinned: bool,
}

/// The largest number of rows that are named one by one.
const NAMED: usize = 1_000;

/// One column as text.
#[derive(Debug, Clone)]
pub struct RawColumn {
    /// The column's name.
    pub name: String,
    /// The code of each row into `values`; empty for a column that was not wanted.
    pub codes: Vec<u32>,
    /// The distinct values in order of first appearance.
    pub values: Dictionary,
    /// The number of rows with each value, for a column whose codes are stored elsewhere.
    pub elsewhere: Option<Vec<u32>>,
}

impl RawTable {
    /// Removes the rows without a flag. O(cells).
    pub(crate) fn keep(&mut self, keep: &[bool]) {
        self.columns.par_iter_mut().for_each(|column| {
            let mut kept = keep.iter();
            column.codes.retain(|_| kept.next().copied().unwrap_or(false));
        });
        let kept = keep.iter().filter(|&&keep| keep).count();
        self.is_thinned |= kept < self.rows;
        self.rows = kept;
    }

    /// Returns the first rows of the input, counted from 0, whose value in a column is wanted;
    /// empty if rows are not numbered as in the input. O(rows).
    pub(crate) fn rows_with(
        &self,
        column: &RawColumn,
        is_asked: impl Fn(u32) -> bool,
    ) -> Vec<usize> {
        if self.is_thinned {
            return Vec::new();
        }
        column
            .codes
            .iter()
            .enumerate()
            .filter_map(|(row, &code)| is_asked(code).then_some(row))
            .take(NAMED)
            .collect()
    }

    /// Returns where a value of a column first occurs.
    pub fn place_of(&self, column: &RawColumn, code: u32) -> Location {
        let seen = column.values.first_seen(code);
        let place = Location::file(&self.files[seen.file as usize]).column(&column.name);
        match seen.line {
            0 => place,
            line => place.line(line),
        }
    }
}

impl RawColumn {
    /// Makes a column without rows.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            codes: Vec::new(),
            values: Dictionary::default(),
            elsewhere: None,
        }
    }

    /// Returns the number of rows of each value. O(rows), or O(values) if codes are stored
    /// elsewhere.
    pub fn counts(&self) -> Cow<'_, [u32]> {
        if let Some(counts) = &self.elsewhere {
            return Cow::Borrowed(counts);
        }
        Cow::Owned(counted(&self.codes, self.values.len()))
    }

    /// Replaces the texts of values, and merges values whose texts become equal. O(rows).
    pub(crate) fn rename(&mut self, text_of: impl Fn(&str) -> &str) {
        let old = std::mem::take(&mut self.values);
        let code = |(code, text): (u32, &str)| {
            let interned = self.values.intern(text_of(text).as_bytes(), || old.first_seen(code));
            interned.expect("texts are UTF-8")
        };
        let codes: Vec<u32> = (0..).zip(old.iter()).map(code).collect();
        self.codes.iter_mut().for_each(|own| *own = codes[*own as usize]);
    }
}
