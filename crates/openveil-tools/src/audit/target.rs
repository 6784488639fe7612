//! The table to be read: a file, or the right one of a release's tables.

use super::AuditRequest;
use openveil_io::policy::Policy;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_io::release_dir::write::Manifest;
use openveil_io::release_dir::write::manifest::{CellKind, StrataEntry};
use openveil_io::source::{RawTable, Source};
use openveil_io::{Error, Location};
use openveil_reader::certify;
use openveil_reader::certify::CertifiedRelease;
use openveil_reader::{metadata, report};
use openveil_text::text;
use std::path::PathBuf;

/// The table to be read.
pub(super) struct AuditTarget {
    /// The path that the user named.
    pub(super) path: PathBuf,
    /// The form of the file, and of other files with it.
    pub(super) source: Source,
    /// The release, if the user named its folder.
    pub(super) release: Option<AuditedTable>,
}

/// One table of a release, a row for each person.
pub(super) struct AuditedTable {
    /// The cells, until they are taken.
    pub(super) raw: Option<RawTable>,
    /// The check of the release against its own statements.
    pub(super) checked: CertifiedRelease,
    strata: Option<StrataEntry>,
    /// The release's manifest.
    pub(super) manifest: Manifest,
    /// The columns that the table protects, if it is one of several tables that satisfy rules
    /// together.
    pub(super) guarded: Vec<String>,
    /// The values that need no protection.
    pub(super) exempt: Vec<String>,
}

impl AuditTarget {
    pub(super) fn new(request: &AuditRequest) -> Result<Self, Error> {
        let release =
            request.table.release().map(|place| AuditedTable::read(&place)).transpose()?;
        let written = release.as_ref().map(|release| release.manifest.delimiter as u8);
        // The policy's own table has the form that the policy states; other tables have the form of
        // releases.
        let own = request.table.path().canonicalize().ok();
        let is_own =
            |policy: &&Policy| own.is_some() && policy.input.source.path.canonicalize().ok() == own;
        let owners = request.policy.as_ref().filter(is_own);
        let output = match (owners, &request.policy) {
            (Some(policy), _) => Some(policy.input.source.delimiter),
            (None, policy) => policy.as_ref().map(|policy| policy.output.format.delimiter),
        };
        let delimiter = request.delimiter.or(written).or(output);
        let mut source = Source {
            delimiter: delimiter.unwrap_or(b','),
            escape: owners.and_then(|policy| policy.input.source.escape),
            trim: request.trim,
            lists: true,
            ..request.table.source()
        };
        if release.is_none() {
            let said = request.policy.as_ref().and_then(|policy| policy.input.source.encoding);
            source.encoding = source.guessed_encoding()?.map(|guessed| said.unwrap_or(guessed));
        }
        Ok(Self { source, path: request.table.path().to_owned(), release })
    }
}

impl AuditTarget {
    /// Whether the release states that a column's values are shuffled inside groups.
    pub(super) fn is_sliced(&self, name: &str) -> bool {
        self.release
            .iter()
            .flat_map(|release| &release.manifest.columns)
            .filter(|column| column.name == name)
            .any(|column| column.cells == Some(CellKind::Sliced))
    }
}

impl AuditedTable {
    /// Reads the table with the sensitive values; with several tables, the only protected one. Also
    /// checks the release against itself.
    fn read(place: &ReleasePlace) -> Result<Self, Error> {
        let reader = certify::open(place)?;
        let mut checked = certify::check(&reader, place)?;
        report::check_page(&reader, place, &mut checked)?;
        metadata::check(&reader, place, &mut checked)?;
        let ReleaseFolder { path, manifest, mut tables, .. } = reader.into_release();
        tables.retain(|table| table.groups.is_some());
        let misfit = |problem: String| Error::new(Location::file(&path), problem);
        if tables.len() != 1 {
            checked.refused(&path)?;
        }
        if tables.len() > 1 {
            let names: Vec<&str> = tables
                .iter()
                .filter_map(|table| table.entry.files.last())
                .map(String::as_str)
                .collect();
            return Err(misfit(format!(
                "contains several tables with groups: {}",
                names.join(", ")
            ))
            .help(text!(
                "join each with its values, and audit them one by one with `--sensitive`"
            )));
        }
        let table = tables.pop().ok_or_else(|| {
            misfit("contains no table with groups".to_owned())
                .help("audit measures groups; tables that are published exactly have none")
        })?;
        let enforces = table.entry.enforces.as_ref();
        let strata = table.entry.strata.clone();
        let columns = strata.as_ref().map_or(&[][..], |strata| &strata.columns);
        Ok(Self {
            guarded: enforces.map_or(Vec::new(), |enforced| enforced.protect.clone()),
            exempt: exempt(&manifest, &table.entry.name),
            raw: Some(table.into_values(columns)),
            checked,
            strata,
            manifest,
        })
    }

    /// Returns the strata in which the table was published, if there are any.
    pub(super) fn strata(&self) -> Option<&StrataEntry> {
        self.strata.as_ref()
    }
}

/// Returns the values that no rule of a table protects; without rules, the exempt values of the
/// model.
fn exempt(manifest: &Manifest, table: &str) -> Vec<String> {
    let mut models = manifest.rules.iter().filter(|rule| rule.by == table);
    let first = models.next().map_or(&manifest.model, |rule| &rule.model);
    let mut exempt = first.exempt.clone();
    for rule in models {
        exempt.retain(|value| rule.model.exempt.contains(value));
    }
    exempt
}
