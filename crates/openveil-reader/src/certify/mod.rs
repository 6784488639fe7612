//! Checks a release against itself: computes every fact that follows from its own files again, and
//! compares.
//!
//! A consistent forgery cannot be detected from the folder alone: [`CertifiedRelease::not_checked`]
//! lists the facts that the files do not show. If the owner's file is beside the release, the
//! files' hashes decide.

mod cells;
mod columns;
mod counts;
mod files;
mod promise;
mod recount;
mod settings;

pub use recount::with_named_values;

use crate::query::Reader;
use openveil_io::release_dir::write::Manifest;
use openveil_io::release_dir::{MANIFEST, ReleasePlace};
use openveil_io::{Error, ErrorKind, Location};
use openveil_text::{Text, text};
use recount::Recount;
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// A mismatch between a release and its own statements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file, by its name in the folder of the release.
    pub file: String,
    /// The column, or the entry of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The group, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// The row of the table, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The mismatch.
    pub problem: Text,
}

impl Finding {
    /// Returns the mismatch with its place.
    pub fn text(&self) -> Text {
        let mut said = Text::from(self.file.clone());
        if let Some(column) = &self.column {
            said = said.and(text!(", `{column}`"));
        }
        if let Some(group) = self.group {
            said = said.and(text!(", group {group}"));
        }
        if let Some(row) = self.row {
            said = said.and(text!(", row {row}"));
        }
        said.and(": ").and(self.problem.clone())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

/// The result of checking a release against itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CertifiedRelease {
    /// Mismatches; empty if the release agrees with its statements.
    pub findings: Vec<Finding>,
    /// What the statement does not cover, although it is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_to: Vec<String>,
    /// Facts that the files do not show.
    pub not_checked: Vec<Text>,
}

/// What a release by `cover` is open to.
const MATCHED: &str = "a reader who knows one direction of an association (older people have a value a little more often): `cover` matched people who are alike, so their order in groups tells such a reader most people's values, however small the bound; the statement holds for readers without any such idea";

/// Reads a release to be checked. Files that do not fit their manifest are errors of the kind
/// [`ErrorKind::NotKept`].
///
/// # Errors
/// As [`Reader::open`].
pub fn open(place: &ReleasePlace) -> Result<Reader, Error> {
    Reader::open(place.clone()).map_err(|error| match error.kind() {
        ErrorKind::Input if place.manifest().is_ok() => error.of_kind(ErrorKind::NotKept),
        _ => error,
    })
}

/// Compares a release with its own statements, except for its page. O(rows · columns).
///
/// # Errors
/// Files that cannot be read.
pub fn check(reader: &Reader, place: &ReleasePlace) -> Result<CertifiedRelease, Error> {
    let mut check = RunningCheck {
        reader,
        manifest: &reader.release().manifest,
        checked: CertifiedRelease::default(),
    };
    let always = [
        "which person is in which group, and which person has which of the group's values: only the owner knows",
        "whether random draws were secret, and whether they put people into groups and columns into their order",
        "whether cells and values are those of the people in their group, or of anybody, and whether ranges are wider than needed: only the owner has the table",
        "the group numbers, and the order and spelling in which files show rows and columns",
        "the notes, and the manifest's list of what was left out",
    ];
    always.into_iter().for_each(|words| check.leaves(words));
    if check.manifest.is_matched() {
        check.checked.open_to.push(MATCHED.to_owned());
    }
    for table in &reader.release().tables {
        check.cells(table);
    }
    check.columns();
    let recounts = check.recounts();
    check.counts(&recounts);
    check.promise(&recounts);
    check.fitness();
    if let ReleasePlace::Folder(_) = place {
        check.files()?;
    }
    Ok(check.checked)
}

impl CertifiedRelease {
    /// Notes a mismatch of a file.
    pub(crate) fn of_file(&mut self, name: &str, problem: impl Into<Text>) {
        self.findings.push(Finding {
            file: name.to_owned(),
            column: None,
            group: None,
            row: None,
            problem: problem.into(),
        });
    }

    /// Returns an error if the release has findings.
    ///
    /// # Errors
    /// The findings.
    pub fn refused(&self, path: &Path) -> Result<(), Error> {
        if self.findings.is_empty() {
            return Ok(());
        }
        let findings = self.findings.iter().map(Finding::text).collect();
        let problem = "the release is not as its manifest states";
        Err(Error::new(Location::file(path), problem)
            .with_parts(findings)
            .of_kind(ErrorKind::NotKept)
            .help(text!("take the files that `openveil publish` wrote; do not use this release")))
    }
}

/// A check that is under way.
struct RunningCheck<'a> {
    reader: &'a Reader,
    manifest: &'a Manifest,
    checked: CertifiedRelease,
}

impl RunningCheck<'_> {
    fn find(&mut self, finding: Finding) {
        self.checked.findings.push(finding);
    }

    /// A mismatch of an entry of the manifest.
    fn of_manifest(&mut self, entry: &str, problem: impl Into<Text>) {
        self.find(Finding {
            file: MANIFEST.to_owned(),
            column: Some(entry.to_owned()),
            group: None,
            row: None,
            problem: problem.into(),
        });
    }

    /// Compares an entry of the manifest with what follows from the files.
    fn compare<T: PartialEq + fmt::Display>(&mut self, entry: &str, said: T, found: T) {
        if said != found {
            self.of_manifest(entry, format!("says {said}, but the files give {found}"));
        }
    }

    fn leaves(&mut self, words: impl Into<Text>) {
        self.checked.not_checked.push(words.into());
    }

    /// Whether this version of the program wrote the release: other versions may word statements
    /// differently.
    fn is_own_version(&self) -> bool {
        self.manifest.openveil == env!("CARGO_PKG_VERSION")
    }

    /// Recounts the tables with groups; none for a table that cannot be counted.
    fn recounts(&mut self) -> Vec<(usize, Option<Recount>)> {
        self.reader
            .release()
            .tables
            .iter()
            .enumerate()
            .filter(|(_, table)| table.groups.is_some())
            .map(|(number, table)| (number, Recount::new(self.reader, number, table)))
            .collect()
    }
}
