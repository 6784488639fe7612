//! Evidence about a release, for a board or a data protection officer: a printable page.
//!
//! The owner's statements come from `[purpose]` in the policy. A missing statement is shown as a
//! named blank. Figures are measured on the release and, with the policy, on the owner's table: the
//! page is not for publication.

mod answer;
mod page;
mod risks;
mod sections;

use crate::audit::{AuditReport, AuditRequest, audit};
use openveil_io::policy::{Policy, Purpose, Role};
use openveil_io::release_dir::write::manifest::CellKind;
use openveil_io::release_dir::write::{Manifest, OWNER_FILE, Owner, parent};
use openveil_io::release_dir::{FileHash, ReleasePlace, hashes, regular, sha256};
use openveil_io::{Error, Location};
use openveil_reader::query::Reader;
use openveil_reader::report::Attacked;
use openveil_text::{Language, text};
use std::path::Path;

/// The template of a page of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// By the questions of the European opinion on anonymisation (WP 216), for a recipient.
    European,
    /// An expert determination by HIPAA, 45 CFR 164.514(b)(1), in five parts.
    Hipaa,
    /// Secondary use of health data by the European Health Data Space, Regulation (EU) 2025/327.
    Ehds,
    /// The questions that a statistics office asks before it lets microdata out.
    Office,
}

/// The rows of a release by their known cells.
enum KnownCells {
    /// Each row shows one person's cells; they were measured.
    Measured(Box<AuditReport>),
    /// Rows do not show which known values belong together.
    Shuffled,
    /// There are several tables, or no known columns.
    NotMeasured,
}

impl KnownCells {
    fn report(&self) -> Option<&AuditReport> {
        match self {
            Self::Measured(report) => Some(report),
            Self::Shuffled | Self::NotMeasured => None,
        }
    }
}

/// Reasons why the owner's table was not measured.
enum NotMeasured {
    NoPolicy,
    NoQuasiIdentifiers,
    /// With the error in words.
    Failed(String),
}

/// The facts that a page of evidence shows.
struct Facts {
    manifest: Manifest,
    purpose: Purpose,
    /// The groups of the release, measured.
    after: AuditReport,
    /// The rows of the release by their known cells.
    cells: KnownCells,
    /// Measures of the owner's table, or the reason why there are none.
    before: Result<AuditReport, NotMeasured>,
    files: Vec<FileHash>,
    /// The policy's file and its hash.
    policy: Option<(String, String)>,
    /// Columns that are not published, with their roles.
    withheld: Vec<(String, Role)>,
    owner: Option<Owner>,
}

/// Makes the page of evidence of a release in a folder. `policy` is the policy that it was made
/// with, `attacked` the findings of attacks. O(rows · columns).
///
/// # Errors
/// A release that cannot be read.
pub fn html(
    folder: &Path,
    policy: Option<&Policy>,
    attacked: Option<&Attacked>,
    (template, language): (Template, Language),
) -> Result<String, Error> {
    let facts = Facts::new(folder, policy)?;
    Ok(page::html(&facts, attacked, template, language))
}

impl Facts {
    fn new(folder: &Path, policy: Option<&Policy>) -> Result<Self, Error> {
        let release = folder.join("release");
        let release = if release.is_dir() { release } else { folder.to_owned() };
        let manifest = Reader::open(ReleasePlace::from(&release))?.release().manifest.clone();
        if let Some(policy) = policy {
            same_roles(policy, &manifest)?;
        }
        let own = parent(&release).join("owner").join(OWNER_FILE);
        let owner = regular::read(&own).ok();
        let withheld = policy
            .into_iter()
            .flat_map(|policy| &policy.columns)
            .filter(|(_, own)| matches!(own.role, Role::Identifier | Role::Drop));
        Ok(Self {
            purpose: policy.and_then(|own| own.purpose.clone()).unwrap_or_default(),
            after: audit(&AuditRequest::new(&*release), &|_| {})?,
            cells: cells(&release, &manifest)?,
            before: before(policy),
            files: hashes(&release, &manifest)?,
            policy: policy.and_then(|policy| {
                let hash = sha256(&policy.path).ok()?;
                Some((policy.path.display().to_string(), hash))
            }),
            withheld: withheld.map(|(name, own)| (name.clone(), own.role)).collect(),
            owner: owner.and_then(|text| serde_json::from_slice(&text).ok()),
            manifest,
        })
    }
}

/// Refuses a policy whose roles of columns differ from the release's.
fn same_roles(policy: &Policy, manifest: &Manifest) -> Result<(), Error> {
    let refuse = |name: &str, said: &str, published: &str| {
        let problem = text!("says `{said}` of the column `{name}`, and the release {published}");
        Err(Error::new(Location::file(&policy.path), problem)
            .help("name the policy that the release was made by"))
    };
    for column in &manifest.columns {
        match policy.columns.get(&column.name).map(|own| own.role.name()) {
            Some(role) if role == column.role => {}
            Some(role) => {
                return refuse(&column.name, role, &format!("publishes it as `{}`", column.role));
            }
            None => return refuse(&column.name, "nothing", "publishes it"),
        }
    }
    let is_there = |name: &String| manifest.columns.iter().any(|column| column.name == *name);
    let withheld = [Role::Identifier, Role::Drop, Role::Undecided];
    let mut columns = policy.columns.iter();
    match columns.find(|(name, own)| !withheld.contains(&own.role) && !is_there(name)) {
        Some((name, own)) => refuse(name, own.role.name(), "does not publish it"),
        None => Ok(()),
    }
}

/// Measures the rows of a release by their known cells.
fn cells(release: &Path, manifest: &Manifest) -> Result<KnownCells, Error> {
    let known =
        manifest.columns.iter().filter(|column| column.role == Role::QuasiIdentifier.name());
    let main = manifest.files.first().filter(|_| manifest.tables.is_empty());
    let Some(main) = main else {
        return Ok(KnownCells::NotMeasured);
    };
    if known.clone().any(|column| column.cells == Some(CellKind::Sliced)) {
        return Ok(KnownCells::Shuffled);
    }
    let names = known.flat_map(|column| match &column.names[..] {
        [] => vec![column.name.clone()],
        names => names.to_vec(),
    });
    let request = AuditRequest {
        quasi_identifiers: names.collect(),
        delimiter: Some(manifest.delimiter as u8),
        ..AuditRequest::new(release.join(main))
    };
    if request.quasi_identifiers.is_empty() {
        return Ok(KnownCells::NotMeasured);
    }
    let report = audit(&request, &|_| {})?;
    Ok(KnownCells::Measured(Box::new(report)))
}

/// Measures the owner's table by the roles of its policy.
fn before(policy: Option<&Policy>) -> Result<AuditReport, NotMeasured> {
    let policy = policy.ok_or(NotMeasured::NoPolicy)?;
    let named = |role: Role| {
        policy
            .columns
            .iter()
            .filter(move |(_, column)| column.role == role)
            .map(|(name, _)| name.clone())
            .collect::<Vec<String>>()
    };
    let request = AuditRequest {
        delimiter: Some(policy.input.source.delimiter),
        trim: policy.input.source.trim,
        quasi_identifiers: named(Role::QuasiIdentifier),
        sensitive: named(Role::Sensitive),
        ..AuditRequest::new(&*policy.input.source.path)
    };
    if request.quasi_identifiers.is_empty() {
        return Err(NotMeasured::NoQuasiIdentifiers);
    }
    audit(&request, &|_| {}).map_err(|error| NotMeasured::Failed(error.to_string()))
}
