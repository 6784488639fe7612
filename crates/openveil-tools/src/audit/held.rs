//! Checks a release of several tables against itself.

use super::{AuditRequest, DisclosureRequest};
use openveil_io::Error;
use openveil_reader::certify;
use openveil_reader::certify::CertifiedRelease;
use openveil_reader::{metadata, report};
use openveil_text::{Text, text};
use serde::Serialize;

/// The result of checking a release of several tables against itself. There are no measures,
/// because each measure is of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldReport {
    /// The release.
    pub table: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of tables.
    pub tables: usize,
    /// The files with the protected values of each table that has groups.
    pub guarded: Vec<String>,
    /// Why there are no measures, and how to get them.
    pub measures: Text,
    /// Mismatches between the release and its own statements, and facts that were not checked.
    #[serde(flatten)]
    pub checked: CertifiedRelease,
}

impl HeldReport {
    /// Whether the release agrees with its own statements.
    pub fn passes(&self) -> bool {
        self.checked.findings.is_empty()
    }
}

/// Checks a release against itself. `None` if it is a single table with groups, or the request
/// names columns or measures. O(rows · columns).
///
/// # Errors
/// Files that cannot be read, or do not fit their manifest.
pub fn held(request: &AuditRequest) -> Result<Option<HeldReport>, Error> {
    let Some(place) = request.table.release().filter(|_| !request.asks_more()) else {
        return Ok(None);
    };
    let tables = place.manifest()?.tables;
    let guarded = tables.iter().filter(|table| table.enforces.is_some());
    if tables.is_empty() || guarded.count() == 1 {
        return Ok(None);
    }
    let reader = certify::open(&place)?;
    let mut checked = certify::check(&reader, &place)?;
    report::check_page(&reader, &place, &mut checked)?;
    metadata::check(&reader, &place, &mut checked)?;
    let release = reader.release();
    let guarded = release.tables.iter().filter(|table| table.groups.is_some());
    Ok(Some(HeldReport {
        table: request.table.path().display().to_string(),
        rows: release.manifest.rows,
        tables: release.tables.len(),
        guarded: guarded.filter_map(|table| table.entry.files.last().cloned()).collect(),
        measures: text!(
            "measures work per table. Join a table that has groups with its values, and audit that file with `--sensitive`"
        ),
        checked,
    }))
}

impl AuditRequest {
    /// Whether measures are asked for, or columns named.
    fn asks_more(&self) -> bool {
        self.policy.is_some()
            || self.group.is_some()
            || self.population.is_some()
            || self.subsets.is_some()
            || self.wildcard
            || self.disclosure != DisclosureRequest::default()
            || !(self.quasi_identifiers.is_empty()
                && self.sensitive.is_empty()
                && self.demands.is_empty()
                && self.categories.is_empty()
                && self.hierarchies.is_empty()
                && self.orders.is_empty())
    }
}
