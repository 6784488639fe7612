//! The other commands, as JSON documents.

use crate::errors::{raised, wrong_type};
use crate::policy::{PythonPolicy, section_of};
use crate::release::PythonRelease;
use crate::table::PythonTable;
use crate::work;
use openveil_bindings::{commands, document};
use openveil_cli::{Around, Database};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::source::Source;
use openveil_measures::audit::risks::Mode;
use openveil_reader::risks::Compared;
use openveil_tools::audit::Audited;
use openveil_tools::schema::SchemaFile;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// An argument of a function: a table, a release, or a path.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    Table(PyRef<'py, PythonTable>),
    Release(PyRef<'py, PythonRelease>),
    Path(PathBuf),
}

impl Given<'_> {
    fn audited(self) -> PyResult<Audited> {
        Ok(match self {
            Self::Table(table) => Audited::Table(table.batches.clone()),
            Self::Release(release) => Audited::Release(place_of(&release)?),
            Self::Path(path) => Audited::Path(path),
        })
    }

    fn source(&self) -> PyResult<Source> {
        match self {
            Self::Table(table) => Ok(Source::of_memory("table", table.batches.clone())),
            Self::Path(path) => Ok(Source::new(path)),
            Self::Release(_) => Err(wrong_type("a release is not a table: pass its `.table`")),
        }
    }
}

fn place_of(release: &PythonRelease) -> PyResult<ReleasePlace> {
    release.held.place().cloned().map_err(work::failed)
}

/// Returns the options of a command, by name.
#[pyfunction]
pub(crate) fn options(command: &str) -> Vec<String> {
    commands::options(command)
}

/// Inspects a table; returns the findings and a starter policy.
#[pyfunction]
pub(crate) fn inspect(
    py: Python<'_>,
    table: Given<'_>,
    options: &Bound<'_, PyDict>,
) -> PyResult<(String, Option<String>)> {
    let (source, options) = (table.source()?, section_of(options)?);
    work::run(py, None, |_| commands::inspect(options, source))
}

/// Measures any table; with `rows` also returns the risks of each row.
#[pyfunction]
#[pyo3(signature = (table, options, policy=None, rows=false))]
pub(crate) fn audit(
    py: Python<'_>,
    table: Given<'_>,
    options: &Bound<'_, PyDict>,
    policy: Option<&PythonPolicy>,
    rows: bool,
) -> PyResult<(String, Option<PythonTable>)> {
    let audited = table.audited()?;
    let (options, policy) = (section_of(options)?, policy.map(|policy| policy.checked.clone()));
    let (document, risks) =
        work::run(py, None, |_| commands::audit(options, audited, policy, rows))?;
    Ok((document, risks.map(|batches| PythonTable { batches })))
}

/// Checks a table or a release against a policy; returns a JSON list of checks.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, table: Given<'_>, policy: &PythonPolicy) -> PyResult<String> {
    let (audited, policy) = (table.audited()?, policy.checked.clone());
    work::run(py, None, |_| commands::check(audited, policy))
}

/// Enumerates small tables.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<String> {
    let options = section_of(options)?;
    work::run(py, None, |_| commands::verify(options))
}

/// Shows what readers conclude about a few people.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<String> {
    let options = section_of(options)?;
    work::run(py, None, |_| commands::explain(options))
}

/// Measures ways of publishing side by side.
#[pyfunction]
#[pyo3(signature = (policies, options, progress=None))]
pub(crate) fn compare(
    py: Python<'_>,
    policies: Vec<PyRef<'_, PythonPolicy>>,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let policies = policies.iter().map(|policy| policy.checked.clone()).collect();
    let options = section_of(options)?;
    work::run(py, progress, |watch| commands::compare(options, policies, watch))
}

/// Attacks releases of the table of a policy.
#[pyfunction]
#[pyo3(signature = (releases, policy, options, progress=None))]
pub(crate) fn attack(
    py: Python<'_>,
    releases: Vec<Given<'_>>,
    policy: &PythonPolicy,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let place = |given: &Given<'_>| match given {
        Given::Release(release) => place_of(release),
        Given::Path(path) => Ok(ReleasePlace::Folder(path.clone())),
        Given::Table(_) => Err(wrong_type("a table is not a release: its manifest is missing")),
    };
    let places: Vec<ReleasePlace> = releases.iter().map(place).collect::<PyResult<_>>()?;
    let (options, policy) = (section_of(options)?, policy.checked.clone());
    work::run(py, progress, |watch| commands::attack(options, &policy, &places, watch))
}

/// Writes the pages of a release in a folder again, its metadata, and a page of evidence.
#[pyfunction]
#[pyo3(signature = (folder, options, policy=None, evidence=None, progress=None))]
pub(crate) fn report(
    py: Python<'_>,
    folder: PathBuf,
    options: &Bound<'_, PyDict>,
    policy: Option<&PythonPolicy>,
    evidence: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (options, policy) = (section_of(options)?, policy.map(|policy| policy.checked.clone()));
    work::run(py, progress, |watch| {
        commands::report(options, &folder, policy.as_ref(), evidence.as_deref(), watch)
    })
}

/// Checks whether tables together satisfy rules: `text` is a schema in TOML, `path` names it.
#[pyfunction]
pub(crate) fn check_schema(text: &str, path: &str) -> PyResult<String> {
    let report = SchemaFile::parse(text, Path::new(path)).and_then(|schema| schema.report());
    report.and_then(|report| document(&report)).map_err(|error| raised(&error))
}

/// Runs the command `openveil`; returns its exit code. `read` takes the address of a database and a
/// query, and returns a table.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<String>, read: Py<PyAny>) -> u8 {
    let database = Database::new(move |place, query| {
        Python::attach(|py| {
            let answer = read.call1(py, (place, query))?;
            Ok(answer.bind(py).cast::<PythonTable>()?.borrow().batches.clone())
        })
        .map_err(|cause: PyErr| cause.to_string())
    });
    let around = Around { database: Some(database) };
    py.detach(|| openveil_cli::main_within(arguments.into_iter().map(Into::into), around))
}

/// Runs the attacks for one of the three risks of a pair of tables.
#[pyfunction]
#[pyo3(signature = (
    original, other, control, kind, *, n_attacks, seed=None, n_cols=0, max_attempts=None,
    aux=Vec::new(), others=Vec::new(), n_neighbors=1, secret="", tolerance=None
))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn risk(
    py: Python<'_>,
    original: &PythonTable,
    other: &PythonTable,
    control: Option<&PythonTable>,
    kind: &str,
    n_attacks: usize,
    seed: Option<u64>,
    n_cols: usize,
    max_attempts: Option<usize>,
    aux: Vec<String>,
    others: Vec<String>,
    n_neighbors: usize,
    secret: &str,
    tolerance: Option<f64>,
) -> PyResult<String> {
    let control = control.map(|table| &table.batches);
    let (original, other) = (&original.batches, &other.batches);
    work::run(py, None, |_| {
        let mut compared = Compared::new(original, other, control)?;
        compared.attacks = n_attacks;
        compared.seed = seed;
        let found = match (kind, n_cols) {
            ("linkability", _) => compared.linkability([&aux, &others], n_neighbors),
            ("inference", _) => compared.inference(&aux, secret, tolerance),
            (_, 0) => compared.singling_out(Mode::Univariate),
            (_, columns) => compared.singling_out(Mode::Multivariate {
                columns,
                most_tried: max_attempts.unwrap_or(usize::MAX),
            }),
        };
        document(&found?)
    })
}
