//! Commands and policies with tables instead of files.

use crate::{Section, document, table};
use arrow_array::{ArrayRef, Float64Array, Int64Array};
use arrow_schema::{DataType, Field};
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::progress::{Nobody, Observer};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::source::{Batches, Source};
use openveil_requests::{
    Attack, Audit, Compare, Explain, Inspect, Publish, Report, Request, Verify, fields,
};
use openveil_tools::audit::{self, Audited, Check, RowRisk};
use openveil_tools::compare;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Replacements for parts of a policy; parts that are None stay.
#[derive(Debug, Clone, Default)]
pub struct Replaced {
    /// The table.
    pub table: Option<Batches>,
    /// The file of the table.
    pub input: Option<PathBuf>,
    /// The algorithm.
    pub algorithm: Option<String>,
    /// The folder that is written to.
    pub out: Option<PathBuf>,
    /// Files of samples whose rows are left out.
    pub without_sample: Vec<PathBuf>,
}

/// Returns a policy with some parts replaced.
///
/// # Errors
/// A sample that cannot be read, an algorithm that does not exist.
pub fn with(policy: &Policy, replaced: Replaced) -> Result<Policy, Error> {
    let mut policy = policy.clone();
    if let Some(table) = replaced.table {
        for (name, column) in &mut policy.columns {
            column.codes = column.codes.take().or_else(|| table.codes(name));
        }
        policy.input.source =
            Source { trim: policy.input.source.trim, ..Source::of_memory("table", table) };
    }
    if let Some(input) = replaced.input {
        policy.input.source.turn_to(input);
    }
    if let Some(out) = replaced.out {
        policy.output.dir = out;
    }
    let Replaced { algorithm, without_sample, .. } = replaced;
    Publish { algorithm, without_sample, ..Publish::default() }.apply(&mut policy)?;
    Ok(policy)
}

/// Returns the options of a command, by name.
///
/// # Panics
/// There is no such command.
pub fn options(command: &str) -> Vec<String> {
    let fields = match command {
        Attack::COMMAND => fields::<Attack>(),
        Audit::COMMAND => fields::<Audit>(),
        Compare::COMMAND => fields::<Compare>(),
        Explain::COMMAND => fields::<Explain>(),
        Inspect::COMMAND => fields::<Inspect>(),
        Report::COMMAND => fields::<Report>(),
        Verify::COMMAND => fields::<Verify>(),
        _ => panic!("no command is called {command}"),
    };
    fields.into_iter().map(|field| field.name).collect()
}

/// Inspects a table; returns the findings as a JSON document, and a starter policy, if some column
/// can be protected.
///
/// # Errors
/// As [`Inspect::run`].
pub fn inspect(options: Section, source: Source) -> Result<(String, Option<String>), Error> {
    let request: Inspect = asked(options)?;
    let path = source.path.clone();
    let found = request.run(source, &|_| {})?;
    let inspection = document(&found.inspection)?;
    // Without a column to protect there are still findings.
    Ok((inspection, found.starter_policy(&path, request.wish()).ok()))
}

/// Measures a table; returns the findings as a JSON document. With `rows` also returns a table of the
/// risks of each row, in the order of the table, for the owner only; the document does not have them.
///
/// # Errors
/// As [`audit::audit`] and [`Audit::request`].
pub fn audit(
    options: Section,
    table: Audited,
    policy: Option<Policy>,
    rows: bool,
) -> Result<(String, Option<Batches>), Error> {
    let request = asked::<Audit>(options)?.request(table, policy, rows)?;
    if let Some(held) = audit::held(&request)? {
        return Ok((document(&held)?, None));
    }
    let report = audit::audit(&request, &|_| {})?;
    let risks = report.disclosure.as_ref().filter(|_| rows).map(|own| risks_of(&own.rows));
    Ok((document(&report)?, risks.transpose()?))
}

/// Checks a table or a release against a policy; returns a JSON list of checks, each with its failure
/// or null.
///
/// # Errors
/// As [`audit::audit`].
pub fn check(table: Audited, policy: Policy) -> Result<String, Error> {
    let report = audit::audit(&Audit::default().request(table, Some(policy), false)?, &|_| {})?;
    let mut checks: Vec<Check> = report.checks();
    checks.extend(report.unpublished.iter().map(|name| Check {
        check: format!("no column `{name}`"),
        failure: Some("the policy does not publish it".to_owned()),
    }));
    checks.extend(report.protects_others.then(|| Check {
        check: "the columns that the release protects".to_owned(),
        failure: Some("they, or their exempt values, are not the policy's".to_owned()),
    }));
    document(&checks)
}

/// Returns the risks of rows as a table, with the columns of the command's file but the row's number.
fn risks_of(rows: &[RowRisk]) -> Result<Batches, Error> {
    let alike: Int64Array = rows.iter().map(|row| i64::from(row.alike)).collect();
    let mut fields = vec![Field::new("alike", DataType::Int64, false)];
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(alike)];
    for (name, figure) in RowRisk::measured(rows) {
        fields.push(Field::new(name, DataType::Float64, true));
        arrays.push(Arc::new(rows.iter().map(figure).collect::<Float64Array>()));
    }
    table::of_arrays(fields, arrays)
}

/// Enumerates small tables; returns the findings as a JSON document.
///
/// # Errors
/// As [`Verify::run`].
pub fn verify(options: Section) -> Result<String, Error> {
    document(&asked::<Verify>(options)?.run(&Nobody)?)
}

/// Explains what readers infer about a few people, as a JSON document.
///
/// # Errors
/// As [`Explain::run`].
pub fn explain(options: Section) -> Result<String, Error> {
    document(&asked::<Explain>(options)?.run(None)?)
}

/// Compares settings; returns the figures as a JSON document.
///
/// # Errors
/// As [`compare::run`] and [`Compare::request`].
pub fn compare(
    options: Section,
    policies: Vec<Policy>,
    observer: &dyn Observer,
) -> Result<String, Error> {
    let request = asked::<Compare>(options)?.request(policies)?;
    document(&compare::run(&request, observer)?)
}

/// Attacks releases of a policy's table; returns the findings as a JSON document.
///
/// # Errors
/// As [`Attack::run`].
pub fn attack(
    options: Section,
    policy: &Policy,
    releases: &[ReleasePlace],
    observer: &dyn Observer,
) -> Result<String, Error> {
    document(&asked::<Attack>(options)?.run(policy, releases, observer)?)
}

/// Writes the pages of a release in a folder again, its metadata, and a page of evidence; returns
/// the paths as a JSON document.
///
/// # Errors
/// As [`Report::run`].
pub fn report(
    options: Section,
    folder: &Path,
    policy: Option<&Policy>,
    evidence: Option<&Path>,
    observer: &dyn Observer,
) -> Result<String, Error> {
    let read: Vec<PathBuf> = policy.iter().map(|policy| policy.path.clone()).collect();
    let written = asked::<Report>(options)?.run(folder, policy, (evidence, &read), observer)?;
    document(&written.document(evidence))
}

fn asked<R: Request>(options: Section) -> Result<R, Error> {
    let options = options.into_iter().map(|(name, value)| (name, value.into())).collect();
    R::from_values(options)
}
