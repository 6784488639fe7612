//! Reading back: the files of a release, as its reader has them.
//!
//! [`ReleaseFolder`] is the only reader of release folders. A folder may come from
//! anybody: no number that it claims is used before it was counted, and no file
//! outside of it is opened.

mod bounds;
mod categories;
mod cells;
mod codes;
mod columns;
mod foreign;
mod loose;
mod manifest;
mod table;

pub use categories::categories;
pub use codes::Released;
pub(crate) use foreign::foreign;
pub use table::{GroupValues, GroupedRows, ReleasedTable};

use super::MANIFEST;
use super::write::Manifest;
use crate::{Error, Location};
use openveil::release::Style;
use std::path::{Path, PathBuf};

/// A release as text, checked against its manifest.
#[derive(Debug)]
pub struct ReleaseFolder {
    /// The folder with the manifest.
    pub path: PathBuf,
    /// What is said of the release.
    pub manifest: Manifest,
    /// How quasi-identifiers are published.
    pub style: Style,
    /// Its tables: one, or several that keep rules together.
    pub tables: Vec<ReleasedTable>,
}

impl ReleaseFolder {
    /// Reads a release: `folder` holds `manifest.json`, or a folder `release` that
    /// does. O(rows · columns).
    ///
    /// # Errors
    /// Files that cannot be read or do not fit their manifest.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let inner = folder.join("release");
        let path = if inner.join(MANIFEST).exists() {
            inner
        } else {
            folder.to_owned()
        };
        let manifest = manifest::read(&path)?;
        let (style, entries) = manifest::tables(&manifest)
            .map_err(|problem| Error::new(Location::file(&path.join(MANIFEST)), problem))?;
        let tables = entries.into_iter();
        let tables = tables.map(|entry| ReleasedTable::read(&path, &manifest, style, entry));
        Ok(Self {
            tables: tables.collect::<Result<_, Error>>()?,
            path,
            manifest,
            style,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
