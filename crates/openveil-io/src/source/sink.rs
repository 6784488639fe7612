//! The destination of what readers read.

use super::{Choose, RawColumn};
use crate::{Error, Location};
use openveil_text::text;
use std::collections::HashSet;
use std::path::Path;

/// Receives columns, and may take their codes away.
pub(crate) type Take<'a> = &'a mut dyn FnMut(&mut [RawColumn]) -> Result<(), Error>;

/// The number of rows after which columns are offered.
pub(super) const BLOCK: usize = 1 << 18;

/// Returns the number of rows whose codes were not taken.
pub(super) fn pending(columns: &[RawColumn]) -> usize {
    columns.iter().map(|column| column.codes.len()).max().unwrap_or(0)
}

/// The destination of what readers read.
pub(super) struct Sink<'a> {
    pub(super) columns: &'a mut Vec<RawColumn>,
    pub(super) choose: Choose<'a>,
    pub(super) take: Take<'a>,
    pub(super) file: &'a Path,
    pub(super) index: usize,
}

impl Sink<'_> {
    /// Offers the columns if they hold enough rows; all columns have equally many.
    pub(super) fn offer(&mut self) -> Result<(), Error> {
        if pending(self.columns) < BLOCK { Ok(()) } else { (self.take)(self.columns) }
    }

    /// Takes a file's column names; returns which columns are wanted.
    pub(super) fn header(&mut self, names: &[String]) -> Result<Vec<bool>, Error> {
        let mut known = HashSet::new();
        if let Some(twice) = names.iter().find(|name| !known.insert(*name)) {
            let (problem, help) = if twice.is_empty() {
                (
                    "several columns have no name in the header".to_owned(),
                    "is the first line a title? Remove it from the file; or name every column",
                )
            } else {
                (
                    format!("the column `{twice}` appears in the header twice"),
                    "rename one of the two",
                )
            };
            return Err(Error::new(Location::file(self.file), problem).help(help));
        }
        if self.index == 0 {
            self.columns.extend(names.iter().map(RawColumn::named));
        } else if !self.columns.iter().map(|column| &column.name).eq(names) {
            let expected: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
            return Err(Error::new(
                Location::file(self.file),
                text!(
                    "has the columns {}, but the files before it have {}",
                    names.join(", "),
                    expected.join(", ")
                ),
            )
            .help("files that are read together must have the same columns in the same order"));
        }
        (self.choose)(names)
    }
}
