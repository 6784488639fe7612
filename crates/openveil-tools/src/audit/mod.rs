//! Audits: measures what a published table discloses, made by any tool.
//!
//! Columns are read as text: a published cell such as `[17, 24]` is a value like
//! any other, and rows whose quasi-identifiers read the same are a group.

mod cells;
mod demands;
mod disclosure;
mod held;
mod knowledge;
mod lists;
mod population;
mod protected;
mod report;
mod roles;
mod shown;
mod subject;
mod target;
mod utility;
mod verdict;
mod weighted;

pub use cells::SUPPRESSED;
pub use disclosure::{
    Contribution, DisclosureReport, DisclosureRequest, RowRisk, SpecialReport, UniquenessReport,
};
pub use held::{HeldReport, held};
pub use population::Population;
pub use report::{
    AuditReport, AuditVerdict, Check, ClassReport, ColumnReport, ExemptReport, FailedGroup,
    FoundChances, LAlphaReport, RequirementReport, RiskReport, manifest_check,
};

pub use shown::{Part, decimal};
pub use utility::{ClassifierReport, QueryReport, UtilityReport};

pub use demands::{Demand, Met};
use openveil_io::policy::{ColumnPolicy, Policy, Role};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::write::manifest::{Manifest, is_within};
use openveil_io::source::{Batches, BytesRead, IN_MEMORY, RawTable, Source};
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
pub use weighted::IndividualReport;

use cells::AlikeRows;
use openveil_core::exact::number;
use openveil_core::model::CategoryWeights;
use openveil_core::table::Groups;
use openveil_measures::audit::{ColumnCodes, CombinedColumns, Measures, combine};
use report::Findings;
use roles::{GROUP, Roles};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use subject::AuditedSecret;
use target::AuditTarget;

/// A request for an audit.
#[derive(Debug, Clone)]
pub struct AuditRequest {
    /// The table to measure.
    pub table: Audited,
    /// The delimiter of the fields of a CSV file, if it is given.
    pub delimiter: Option<u8>,
    /// Whether blanks around fields are cut off.
    pub trim: bool,
    /// Gives the roles of columns and the model.
    pub policy: Option<Policy>,
    /// The column that numbers the groups.
    pub group: Option<String>,
    /// Quasi-identifiers; by default the policy's.
    pub quasi_identifiers: Vec<String>,
    /// Sensitive columns; by default the policy's.
    pub sensitive: Vec<String>,
    /// Whether a suppressed cell (`*`, `NA`, or empty) matches every value.
    pub wildcard: bool,
    /// The texts of suppressed cells; if there are none, [`SUPPRESSED`].
    pub suppressed: Vec<String>,
    /// The most known columns in a subset, if subsets are measured.
    pub subsets: Option<usize>,
    /// The l for which recursive diversity is measured, each at least 1.
    pub l: Vec<u32>,
    /// `value;category` per line, the most sensitive category first.
    pub categories: Vec<ForColumn>,
    /// How categories are weighed.
    pub weights: CategoryWeights,
    /// Generalisation trees of sensitive columns.
    pub hierarchies: Vec<ForColumn>,
    /// One value per line, least first.
    pub orders: Vec<ForColumn>,
    /// The population of which the table is a sample.
    pub population: Option<Population>,
    /// Further requests about the known columns.
    pub disclosure: DisclosureRequest,
    /// A chance of being found above which a row is at risk.
    pub risk_threshold: f64,
    /// The demands on the table.
    pub demands: Vec<Demand>,
    /// Whether to measure the utility of the release, too, compared with the policy's table.
    pub measure: bool,
}

/// A table to be measured.
#[derive(Debug, Clone)]
pub enum Audited {
    /// A file, or a folder with a release by openveil.
    Path(PathBuf),
    /// A table in memory.
    Table(Batches),
    /// A release by openveil.
    Release(ReleasePlace),
}

impl<P: Into<PathBuf>> From<P> for Audited {
    fn from(path: P) -> Self {
        Self::Path(path.into())
    }
}

impl Audited {
    /// Its path, as messages name it.
    fn path(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Table(_) => Path::new(IN_MEMORY),
            Self::Release(place) => place.path(),
        }
    }

    /// The place of the release, if it is one.
    fn release(&self) -> Option<ReleasePlace> {
        match self {
            Self::Path(path) => path.is_dir().then(|| path.into()),
            Self::Table(_) => None,
            Self::Release(place) => Some(place.clone()),
        }
    }

    /// How to read it, if it is not a release.
    fn source(&self) -> Source {
        match self {
            Self::Table(table) => Source::of_memory(IN_MEMORY, table.clone()),
            _ => Source::new(self.path()),
        }
    }
}

/// A file for one sensitive column; the column may be omitted if there is only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForColumn {
    /// The column.
    pub column: Option<String>,
    /// The file.
    pub file: PathBuf,
}

impl AuditRequest {
    /// Returns the texts of suppressed cells that match every value, if there are wildcards.
    fn wildcards(&self) -> Option<Vec<&str>> {
        self.wildcard.then(|| {
            if self.suppressed.is_empty() {
                SUPPRESSED.to_vec()
            } else {
                self.suppressed.iter().map(String::as_str).collect()
            }
        })
    }

    /// A request with the usual settings.
    pub fn new(table: impl Into<Audited>) -> Self {
        Self {
            table: table.into(),
            delimiter: None,
            trim: false,
            policy: None,
            group: None,
            quasi_identifiers: Vec::new(),
            sensitive: Vec::new(),
            wildcard: false,
            suppressed: Vec::new(),
            subsets: None,
            l: vec![2, 3, 4],
            categories: Vec::new(),
            weights: CategoryWeights::Uniform,
            hierarchies: Vec::new(),
            orders: Vec::new(),
            population: None,
            disclosure: DisclosureRequest::default(),
            risk_threshold: 0.2,
            demands: Vec::new(),
            measure: false,
        }
    }

    /// Bytes of the table to read, for a progress bar.
    pub fn total_bytes(&self) -> Option<u64> {
        match self.table.release() {
            None => self.table.source().total_bytes(),
            Some(_) => None,
        }
    }
}

/// The rows of a table in their groups.
struct GroupedTable {
    raw: RawTable,
    roles: Roles,
    groups: Groups,
    /// A row of each group.
    first_rows: Vec<u32>,
}

impl GroupedTable {
    /// The names of the columns whose values a group shares.
    fn key_names(&self) -> Vec<String> {
        self.roles.key().iter().map(|&index| self.raw.columns[index].name.clone()).collect()
    }

    /// Describes the cells that the rows of a group share.
    fn describe(&self, group: usize) -> String {
        let row = self.first_rows[group] as usize;
        match self.roles.key() {
            [] => "the whole table".to_owned(),
            key => key
                .iter()
                .map(|&index| {
                    let column = &self.raw.columns[index];
                    format!("{} = {}", column.name, column.values.get(column.codes[row]))
                })
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}

/// Measures a table. O(n), and reads the needed columns once.
///
/// # Errors
/// Files that cannot be read, columns or values that do not exist, a policy that does not fit the
/// table.
pub fn audit(request: &AuditRequest, progress: BytesRead<'_>) -> Result<AuditReport, Error> {
    let mut target = AuditTarget::new(request)?;
    let mut utility = match &request.policy {
        Some(policy) if request.measure => utility::measure(request, &target, policy)?,
        _ => Vec::new(),
    };
    let grouped = group(request, &mut target, progress)?;
    let subjects = AuditedSecret::all(request, &target, &grouped)?;
    let measured: Vec<_> = subjects
        .iter()
        .map(|subject| {
            let counts = subject.counts(&grouped.groups);
            let knowledge = knowledge::read(request, subject)?;
            let measures = Measures::new(&counts, &knowledge, &request.l);
            let (measures, exempt) = protected::only(measures, &counts, subject, request, &grouped);
            let report = ColumnReport::new(&counts, measures, exempt);
            Ok((counts, report))
        })
        .collect::<Result<_, Error>>()?;
    // All columns as one come last.
    let whole = subjects.last().zip(measured.last());
    let verdict = match (&request.policy, whole) {
        (Some(policy), Some((subject, (counts, _)))) => {
            Some(verdict::decide(policy, subject, counts, &grouped)?)
        }
        _ => None,
    };
    let fakes = fakes(&target, &grouped);
    let sizes = if request.wildcard && grouped.roles.group.is_none() {
        AlikeRows::new(&grouped.raw, grouped.roles.key(), request.wildcards().as_deref())
    } else {
        let sizes: Vec<u32> = grouped.groups.iter().map(|rows| rows.len() as u32).collect();
        AlikeRows::alone(people(&sizes, fakes.as_deref()))
    };
    let (risk, crowds) = population::risks(request, &target, &grouped, &sizes)?;
    let mut notes = roles::notes(request, &target, &grouped);
    if let (Some(crowds), Some(Population::Table(path))) = (&crowds, &request.population) {
        notes.extend(crowds.note(path));
    }
    let findings = Findings {
        disclosure: disclosure::measure(request, &target, &grouped, crowds.as_ref())?,
        risk,
        notes,
        sizes,
        are_people: fakes.is_some(),
        verdict,
    };
    let reports = subjects
        .iter()
        .map(|subject| subject.sensitive.columns().to_vec())
        .zip(measured.into_iter().map(|(_, report)| report));
    let report = AuditReport::new(&target.path, &grouped, reports.collect(), findings);
    let mut report =
        report.ok_or_else(|| Error::new(Location::file(request.table.path()), "has no rows"))?;
    report.keep_promise(request, &target);
    report.unpublished = roles::unpublished(request, &grouped);
    report.protects_others =
        request.policy.as_ref().zip(target.release.as_ref()).is_some_and(|(policy, release)| {
            release.manifest.tables.is_empty() && !is_about(policy, &release.manifest)
        });
    report.notes.extend(nobodys_rows(&target, fakes.is_some()));
    let persons = target.release.as_ref().and_then(|release| release.manifest.persons.as_ref());
    report.notes.extend(persons.map(|_| {
        text!("the release shows sets of people's values: the measures treat each set as one value")
    }));
    let demands = request.demands.iter().map(|demand| demand.met(&report));
    Ok(AuditReport {
        demands: demands.collect(),
        by_cells: cells::beside(request, &target, &grouped),
        subsets: cells::subsets(request, &target, &grouped)?,
        checked: target.release.map(|release| release.checked),
        utility: (utility.len() == 1).then(|| utility.remove(0)),
        utility_of_each: utility,
        ..report
    })
}

impl AuditReport {
    /// Compares a release of one table with the promise of its manifest, if the audit is about the
    /// same columns.
    fn keep_promise(&mut self, request: &AuditRequest, target: &AuditTarget) {
        let policy = request.policy.as_ref();
        let is_about = |own: &Manifest| policy.is_none_or(|policy| is_about(policy, own));
        let asks_else = request.group.is_some()
            || !request.sensitive.is_empty()
            || !request.quasi_identifiers.is_empty();
        let manifest = target.release.as_ref().map(|release| &release.manifest);
        // If people have sets of values, the promise is about members of sets, which are not
        // counted here.
        let is_said = |own: &&Manifest| own.tables.is_empty() && own.persons.is_none();
        let Some(manifest) = manifest.filter(|own| is_said(own) && is_about(own) && !asks_else)
        else {
            return;
        };
        let promised = manifest.guarantee.max_posterior.as_deref();
        let Some(measures) = &self.measures else {
            return;
        };
        let found = &measures.alpha_exact;
        self.keeps_promise = number::parse(found).and_then(|shown| is_within(promised, shown));
        if self.keeps_promise == Some(false) {
            let promised = promised.unwrap_or_default();
            self.notes.push(text!("the manifest states at most {promised}, but a protected value has a share of {found} in a group: table and manifest are not from one release, or were changed"));
        }
    }
}

/// Whether a policy protects the same columns and values as a release.
fn is_about(policy: &Policy, manifest: &Manifest) -> bool {
    let secret = policy.columns.iter();
    let secret: BTreeMap<&String, &ColumnPolicy> =
        secret.filter(|(_, column)| column.role == Role::Sensitive).collect();
    let protects = manifest.guarantee.protects.iter().collect::<BTreeSet<_>>();
    secret.keys().copied().eq(protects)
        && manifest.model.exempt.iter().all(|label| {
            secret.iter().any(|(name, column)| {
                let own = label
                    .strip_prefix(&format!("{name} = "))
                    .filter(|_| manifest.each.is_some())
                    .unwrap_or(label);
                column.exempt.iter().any(|value| value == own)
            })
        })
}

/// Returns the number of filler rows of each group. None if there are none, or if rows are not
/// grouped as in the release, which lists filler rows for its own groups only.
fn fakes(target: &AuditTarget, grouped: &GroupedTable) -> Option<Vec<u32>> {
    let history = target.release.as_ref()?.manifest.history.as_ref()?;
    let column = &grouped.raw.columns[grouped.roles.group?];
    if history.fakes.rows == 0 || column.name != GROUP {
        return None;
    }
    Some(
        grouped
            .first_rows
            .iter()
            .map(|&first| {
                let number = column.values.get(column.codes[first as usize]).parse();
                let fakes = number.ok().and_then(|number: usize| history.fakes.groups.get(&number));
                fakes.map_or(0, |&fakes| fakes as u32)
            })
            .collect(),
    )
}

/// Returns the number of people in each group.
fn people(sizes: &[u32], fakes: Option<&[u32]>) -> Vec<u32> {
    match fakes {
        None => sizes.to_vec(),
        Some(fakes) => {
            sizes.iter().zip(fakes).map(|(rows, fakes)| rows.saturating_sub(*fakes)).collect()
        }
    }
}

/// Explains how the filler rows of a history's release count in the audit, if it has any.
fn nobodys_rows(target: &AuditTarget, are_told_apart: bool) -> Option<Text> {
    let history = target.release.as_ref()?.manifest.history.as_ref()?;
    let fakes = history.fakes.rows;
    let words = Text::from(if are_told_apart {
        "k and the chances of being found count people only; measures of values count all rows"
    } else {
        "they count as rows here, so groups have fewer people than rows, and the true chance of being found is higher than shown"
    });
    (fakes > 0)
        .then(|| text!("{fakes} rows are fillers (`history.fakes` in the manifest): {words:text}"))
}

/// Returns a column as it was read.
fn column(raw: &RawTable, index: usize) -> ColumnCodes<'_> {
    let column = &raw.columns[index];
    (&column.codes, column.values.len() as u64)
}

/// Reads a table and groups the rows that a reader cannot distinguish.
fn group(
    request: &AuditRequest,
    target: &mut AuditTarget,
    progress: BytesRead<'_>,
) -> Result<GroupedTable, Error> {
    let read_back = target.release.as_mut().and_then(|release| release.raw.take());
    let raw = match read_back {
        Some(raw) => raw,
        None => {
            let target = &*target;
            let choose =
                |names: &[String]| Ok(Roles::find(request, target, names)?.wanted(names.len()));
            target.source.read(&choose, progress)?
        }
    };
    let names: Vec<String> = raw.columns.iter().map(|column| column.name.clone()).collect();
    let roles = Roles::find(request, target, &names)?;
    if raw.rows >= u32::MAX as usize {
        return Err(Error::new(
            Location::file(&target.path),
            text!("has {} rows, more than can be audited at once", raw.rows),
        ));
    }
    let key: Vec<_> = roles.key().iter().map(|&index| column(&raw, index)).collect();
    let CombinedColumns { ids, first_rows } = combine(&key, raw.rows);
    let groups = Groups::from_labels(&ids, first_rows.len());
    Ok(GroupedTable { raw, roles, groups, first_rows })
}

#[cfg(test)]
mod tests;
