//! Pages for people: what was published, its promise, and its uses.
//!
//! The public page is made only from the published files, so it cannot disclose anything else about
//! the owner's table. The owner's page adds figures measured with the true values.

mod facts;
mod folder;
mod owner;
mod page;
mod public;
pub(crate) mod words;

pub use page::{frame, table};
pub use words::{GROUPS, PEOPLE, ROWS, ShownTable, counted, counted_in, thousands};

pub use folder::check_page;
pub use folder::{WrittenPages, write_again};
pub use owner::{Attacked, owner, true_counts};

use crate::picture::Picture;
use crate::query::{ColumnDistribution, Reader};
use openveil_io::Error;
use openveil_io::release_dir::write::{Viewer, write_whole};
use openveil_io::release_dir::{FileHash, REPORT_FILE, ReleasePlace, hashes};
use openveil_text::{Language, Voice};
use std::path::{Path, PathBuf};

/// A page, and its pictures as separate documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The page: one file that needs no other, and no script.
    pub html: String,
    /// The pictures on it.
    pub pictures: Vec<Picture>,
}

/// Returns the public page of a release in a language: a function of its files.
///
/// O(rows · columns).
///
/// # Errors
/// Files that cannot be read, do not fit their manifest, or show more than it promises.
pub fn public(release: impl Into<ReleasePlace>, language: Language) -> Result<Page, Error> {
    let place = release.into();
    let folder = match &place {
        ReleasePlace::Folder(_) => true,
        ReleasePlace::Memory(_) => false,
    };
    let reader = Reader::open(place)?;
    let files = if folder {
        hashes(&reader.release().path, &reader.release().manifest)?
    } else {
        Vec::new()
    };
    public_of(&reader, &reader.distributions(), &files, language)
}

/// Returns the public page of a release that was read, with its distributions and the hashes of its
/// files.
///
/// # Errors
/// A release that shows more than its manifest promises.
pub fn public_of(
    reader: &Reader,
    distributions: &[ColumnDistribution],
    files: &[FileHash],
    language: Language,
) -> Result<Page, Error> {
    Voice::Page(language).speak(|| public::page(reader, distributions, files, language))
}

/// Writes a page into a folder, in the place of an earlier one.
pub fn write(page: &Page, folder: &Path, viewer: Viewer) -> Result<PathBuf, Error> {
    let path = folder.join(REPORT_FILE);
    write_whole(&path, page.html.as_bytes(), viewer)?;
    Ok(path)
}
