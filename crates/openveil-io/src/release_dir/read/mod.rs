//! Reads the files of a release, without the owner's table.
//!
//! [`ReleaseFolder`] is the only reader of release folders. A folder is untrusted: no number in it
//! is used before it was counted, and no file outside of it is opened.

mod bounds;
mod categories;
mod cells;
mod codes;
mod columns;
mod foreign;
mod loose;
mod manifest;
mod parquet;
mod sets;
mod table;

pub use categories::categories;
pub use cells::needs_owners;
pub use codes::Released;
pub use foreign::foreign;
pub use loose::Interval;
pub use sets::{is_exempt_set, members, members_of};
pub use table::{GroupValues, GroupedRows, ReleasedTable};

use super::write::Manifest;
use super::{MANIFEST, ReleasePlace, regular};
use crate::formulas;
use crate::source::{Batches, Format, RawColumn, RawTable, Source};
use crate::{Error, Location};
use openveil_core::release::Style;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A release as text, checked against its manifest.
#[derive(Debug)]
pub struct ReleaseFolder {
    /// The folder with the manifest.
    pub path: PathBuf,
    /// The manifest of the release.
    pub manifest: Manifest,
    /// How quasi-identifiers are published.
    pub style: Style,
    /// Its tables: one, or several that satisfy rules together.
    pub tables: Vec<ReleasedTable>,
}

impl ReleaseFolder {
    /// Reads a release. O(rows · columns).
    ///
    /// # Errors
    /// Files that cannot be read or do not fit their manifest.
    pub fn read(place: &ReleasePlace) -> Result<Self, Error> {
        let files = Files::new(place);
        let manifest = match place {
            ReleasePlace::Folder(_) => manifest::read(&files.folder)?,
            ReleasePlace::Memory(release) => release.manifest.clone(),
        };
        let (style, entries) = manifest::tables(&manifest)
            .map_err(|problem| Error::new(Location::file(&files.folder.join(MANIFEST)), problem))?;
        let tables =
            entries.into_iter().map(|entry| ReleasedTable::read(&files, &manifest, style, entry));
        Ok(Self {
            tables: tables.collect::<Result<_, Error>>()?,
            path: files.folder,
            manifest,
            style,
        })
    }
}

/// Returns the manifest of a release in a folder.
///
/// # Errors
/// A file that cannot be read, or is no manifest.
pub(crate) fn manifest(folder: &Path) -> Result<Manifest, Error> {
    manifest::read(&Files::new(&folder.into()).folder)
}

/// The files of a release.
struct Files<'a> {
    /// The folder with the manifest; for a release in memory, its name.
    folder: PathBuf,
    memory: Option<&'a BTreeMap<String, Batches>>,
}

impl<'a> Files<'a> {
    fn new(place: &'a ReleasePlace) -> Self {
        match place {
            ReleasePlace::Memory(release) => {
                Self { folder: place.path().to_owned(), memory: Some(&release.tables) }
            }
            ReleasePlace::Folder(folder) => {
                let inner = folder.join("release");
                let has_manifest = inner.join(MANIFEST).exists();
                Self { folder: if has_manifest { inner } else { folder.clone() }, memory: None }
            }
        }
    }

    /// Reads one file, whose name was checked to lie in the folder.
    fn read(&self, manifest: &Manifest, name: &str) -> Result<RawTable, Error> {
        let path = self.folder.join(name);
        let mut source = match self.memory {
            None => Source::new(&path),
            Some(tables) => Source::of_memory(
                &path,
                tables
                    .get(name)
                    .ok_or_else(|| Error::new(Location::file(&path), "there is no such table"))?
                    .clone(),
            ),
        };
        source.delimiter = manifest.delimiter as u8;
        source.lists = true;
        if self.memory.is_none() {
            source.format = Some(format(&path, name, manifest.rows)?);
        }
        let mut raw = source.read_all()?;
        if manifest.spreadsheet_safe && source.format == Some(Format::Csv) {
            raw.columns.iter_mut().for_each(without_marks);
        }
        // Codes of rows have 32 bits.
        if raw.rows >= u32::MAX as usize {
            return Err(Error::new(Location::file(&path), "has too many rows"));
        }
        column_lengths(&raw)?;
        Ok(raw)
    }
}

/// Removes the marks that stop spreadsheets from running texts.
fn without_marks(column: &mut RawColumn) {
    column.name = formulas::unmarked(&column.name).to_owned();
    if column.values.iter().any(|text| formulas::unmarked(text) != text) {
        column.rename(formulas::unmarked);
    }
}

/// Returns the format of a file; refuses what is no regular file.
fn format(path: &Path, name: &str, rows: usize) -> Result<Format, Error> {
    let metadata =
        std::fs::metadata(path).map_err(|cause| Error::io(path, "open the file", &cause))?;
    if name.ends_with(".parquet") {
        // Spark writes a folder of Parquet files.
        for file in Source::new(path).files()? {
            regular::check(&file).map_err(|cause| Error::io(&file, "open the file", &cause))?;
            parquet::check(&file, rows)?;
        }
        return Ok(Format::Parquet);
    }
    if !metadata.is_file() {
        return Err(Error::new(Location::file(path), "is not a file"));
    }
    Ok(if name.ends_with(".arrow") { Format::Arrow } else { Format::Csv })
}

/// Checks that every column has a value in every row.
fn column_lengths(raw: &RawTable) -> Result<(), Error> {
    match raw.columns.iter().find(|column| column.codes.len() != raw.rows) {
        None => Ok(()),
        Some(column) => {
            let place = Location::file(&raw.files[0]).column(&column.name);
            Err(Error::new(place, "has fewer values than the file has rows"))
        }
    }
}
