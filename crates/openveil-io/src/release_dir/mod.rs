//! Release folders: written complete or not at all, and read back.

mod carried;
mod hashes;
pub mod read;
pub mod record;
pub mod regular;
pub mod write;

pub use carried::carried;
pub use hashes::FileHash;
pub use hashes::{digest, hashes, hexadecimal, sha256};

use crate::source::Batches;
use crate::{Error, Location};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use write::Manifest;

/// The layout of texts in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Texts {
    /// One after the other, with 32-bit offsets: every reader of Arrow supports it.
    #[default]
    Plain,
    /// As views, with short texts inside the view: the layout of polars.
    Views,
    /// Each text once per batch, with a number for each row: for callers who read them back at
    /// once.
    Keyed,
}

/// A release in memory: the contents of a release folder.
#[derive(Debug, Clone)]
pub struct MemoryRelease {
    /// The manifest, published beside its tables; tables have the names that files would have.
    pub manifest: Manifest,
    /// The tables by name.
    pub tables: BTreeMap<String, Batches>,
}

impl MemoryRelease {
    /// Writes the only table as a stream in Arrow's IPC format, with the manifest in the metadata
    /// of its schema under `openveil.manifest`.
    ///
    /// # Errors
    /// A release of several tables; an output that cannot be written.
    pub fn write_stream(&self, out: impl std::io::Write) -> Result<(), Error> {
        let mut tables = self.tables.values();
        let (Some(only), None) = (tables.next(), tables.next()) else {
            let problem = "the release has several tables, and a stream takes one";
            return Err(Error::new(Location::default(), problem).help("write it to a folder"));
        };
        write::write_stream(only, &self.manifest, out)
            .map_err(|cause| Error::io(Path::new("-"), "write the stream", &cause))
    }
}

/// The place from which a release is read.
#[derive(Debug, Clone)]
pub enum ReleasePlace {
    /// The folder that holds `manifest.json`, or a folder `release` that does.
    Folder(PathBuf),
    /// In memory.
    Memory(Arc<MemoryRelease>),
}

impl ReleasePlace {
    /// Returns its name in messages.
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Memory(_) => Path::new("release"),
        }
    }

    /// Returns the release's manifest.
    ///
    /// # Errors
    /// A file that cannot be read, or is no manifest.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        match self {
            Self::Folder(folder) => read::manifest(folder),
            Self::Memory(release) => Ok(release.manifest.clone()),
        }
    }
}

impl From<&Path> for ReleasePlace {
    fn from(folder: &Path) -> Self {
        Self::Folder(folder.to_owned())
    }
}

impl From<&PathBuf> for ReleasePlace {
    fn from(folder: &PathBuf) -> Self {
        Self::Folder(folder.to_owned())
    }
}

impl From<PathBuf> for ReleasePlace {
    fn from(folder: PathBuf) -> Self {
        Self::Folder(folder)
    }
}

/// Name of the file that describes a release.
pub const MANIFEST: &str = "manifest.json";

/// Name of the pages in the folders of a release and of its owner.
pub const REPORT_FILE: &str = "report.html";

/// Names of the metadata files beside the table: a Data Package, Croissant, and a DDI codebook.
pub const METADATA_FILES: [&str; 3] = ["datapackage.json", "croissant.json", "ddi.xml"];

/// The prefix of pages and records while they are written: a killed run leaves such files behind.
pub const UNFINISHED: &str = ".openveil-unfinished-";

/// The record of measures on the true values.
pub(crate) const TRUE_VALUES_FILE: &str = "true-values.json";

/// The record of samples on which parameters were compared.
pub(crate) const SAMPLES_FILE: &str = "samples.json";

/// The record of outputs that depended on who has which value, and the key of its fingerprints.
pub(crate) const LOOKS_FILE: &str = "refusals.json";
pub(crate) const PRINT_KEY_FILE: &str = "fingerprints-key.json";

/// The key by which rows were drawn.
pub(crate) const DRAW_FILE: &str = "rows-drawn.json";

/// The owner's files that later releases do not overwrite.
pub(crate) const RECORD_FILES: [&str; 5] =
    [TRUE_VALUES_FILE, SAMPLES_FILE, LOOKS_FILE, PRINT_KEY_FILE, DRAW_FILE];

/// Returns whether a table's file can have this name: `release.csv`, `table-2-values.parquet`.
/// Files with other names are neither read nor replaced.
fn is_table_file(name: &str) -> bool {
    let endings = [".csv", ".csv.gz", ".csv.zst", ".parquet", ".arrow"];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
    let stem = stem.map(|stem| stem.strip_suffix("-values").unwrap_or(stem));
    stem.is_some_and(|stem| {
        stem == "release"
            || stem
                .strip_prefix("table-")
                .is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
    })
}
