//! Releases in memory, just made or read from a folder.

use crate::policy::PythonPolicy;
use crate::table::PythonTable;
use crate::work;
use openveil_bindings::release::{Crosstab, HeldRelease};
use openveil_bindings::{json, voice};
use openveil_io::release_dir::Texts;
use openveil_io::source::Batches;
use openveil_publication::Options;
use openveil_reader::query::{Effort, Rounding, Statistic};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A χ² test: the statistic, its degrees of freedom, and p.
type Independence = (f64, f64, f64);

/// The columns of a term, with values.
type Term = Vec<(String, Option<String>)>;

/// A release: the published part and, if it was just made, the owner's part.
#[pyclass(frozen, name = "Release", module = "openveil._openveil")]
pub(crate) struct PythonRelease {
    pub(crate) held: HeldRelease,
}

/// Publishes in memory, after checking that the output folder, if any, can be written to.
#[pyfunction]
#[pyo3(signature = (policy, *, out=None, test_seed=None, accept_algorithm_disclosure=false, certify=false, measure=false, views=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn publish(
    py: Python<'_>,
    policy: &PythonPolicy,
    out: Option<PathBuf>,
    test_seed: Option<u64>,
    accept_algorithm_disclosure: bool,
    certify: bool,
    measure: bool,
    views: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PythonRelease> {
    let options =
        Options { test_seed, accept_algorithm_disclosure, certify, measure, ..Options::default() };
    let texts = if views { Texts::Views } else { Texts::Plain };
    let held = work::watched(py, progress, |goes_on| {
        HeldRelease::publish(goes_on, &policy.checked, options, out, texts)
    })?;
    Ok(PythonRelease { held })
}

/// Returns a description of what publishing would do, as a JSON document; `by_keywords` as for
/// [`PythonRelease::owner`].
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, policy: &PythonPolicy, by_keywords: bool) -> PyResult<String> {
    work::run(py, None, |watch| {
        let options = Options::default();
        json(&openveil_publication::plan(&policy.checked, options, watch)?, voice(by_keywords))
    })
}

/// Reads a release from its folder.
#[pyfunction]
pub(crate) fn read_release(py: Python<'_>, folder: PathBuf) -> PyResult<PythonRelease> {
    let held = py.detach(|| HeldRelease::read(folder)).map_err(work::failed)?;
    Ok(PythonRelease { held })
}

fn table(batches: Batches) -> PythonTable {
    PythonTable { batches }
}

#[pymethods]
impl PythonRelease {
    /// The manifest, as a JSON document.
    #[getter]
    fn manifest(&self, py: Python<'_>) -> PyResult<&str> {
        py.detach(|| self.held.manifest()).map_err(work::failed)
    }

    /// Returns the owner's figures as a JSON document, and the warnings in Python's words, if the
    /// release was just made; `by_keywords` says whether its policy was given by keywords.
    fn owner(&self, py: Python<'_>, by_keywords: bool) -> PyResult<(String, Vec<String>)> {
        py.detach(|| self.held.owner(by_keywords)).map_err(work::failed)
    }

    /// The tables by name. Cells are texts as in files, or unpacked: bounds as two columns,
    /// sets as lists.
    #[pyo3(signature = (*, unpack=false))]
    fn tables(&self, py: Python<'_>, unpack: bool) -> PyResult<Vec<(String, PythonTable)>> {
        let made = work::watched(py, None, |goes_on| self.held.tables(goes_on, unpack))?;
        Ok(made.into_iter().map(|(name, own)| (name, table(own))).collect())
    }

    /// The public page, as HTML: a function of the release.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.held.report()).map_err(work::failed)
    }

    /// Returns an estimate of how many rows meet conditions, as a JSON document.
    #[pyo3(signature = (conditions, policy=None, *, worlds=Effort::WORLDS, seed=1))]
    fn count(
        &self,
        py: Python<'_>,
        conditions: &str,
        policy: Option<&PythonPolicy>,
        worlds: usize,
        seed: u64,
    ) -> PyResult<String> {
        let policy = policy.map(|policy| &policy.checked);
        work::watched(py, None, |goes_on| {
            self.held.count(goes_on, Effort { worlds, seed }, conditions, policy)
        })
    }

    /// Returns a cross-table, a test of independence (statistic, degrees of freedom, p) and notes.
    /// `by` are its columns; `statistic` is a column for means or for a quantile; `bins` are the
    /// borders of cut columns; `weight` says how many people a row stands for;
    /// `rounding` is the least count that is printed, and what counts are multiples of.
    #[pyo3(signature = (by, conditions=None, statistic=None, bins=Vec::new(), weight=None, rounding=None, *, worlds=Effort::WORLDS, seed=1))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn crosstab(
        &self,
        py: Python<'_>,
        by: Vec<String>,
        conditions: Option<String>,
        statistic: Option<(String, Option<f64>)>,
        bins: Vec<(String, Vec<String>)>,
        weight: Option<String>,
        rounding: Option<(u64, u64)>,
        worlds: usize,
        seed: u64,
    ) -> PyResult<(PythonTable, Option<Independence>, Vec<String>)> {
        let statistic = match statistic {
            None => Statistic::Count,
            Some((column, None)) => Statistic::Mean(column),
            Some((column, Some(share))) => Statistic::Quantile(column, share),
        };
        let rounding = rounding.map(|(least, base)| Rounding { least, base });
        let asked = Crosstab { by, conditions, statistic, weight, bins, rounding };
        let (made, independence, notes) = work::watched(py, None, |goes_on| {
            self.held.crosstab(goes_on, Effort { worlds, seed }, asked)
        })?;
        let independence = independence.map(|own| (own.chi2, own.freedom, own.p));
        Ok((table(made), independence, notes))
    }

    /// Returns a regression by its formula, as a JSON document, the covariances of its coefficients,
    /// row after row, and for each coefficient the columns of its term, each with the value that it is
    /// about; none for a column of numbers.
    #[pyo3(signature = (formula, *, references=Vec::new(), worlds=Effort::WORLDS, seed=1))]
    fn regression(
        &self,
        py: Python<'_>,
        formula: &str,
        references: Vec<(String, String)>,
        worlds: usize,
        seed: u64,
    ) -> PyResult<(String, Vec<f64>, Vec<Term>)> {
        let (made, document) = work::watched(py, None, |goes_on| {
            self.held.regression(goes_on, Effort { worlds, seed }, formula, &references)
        })?;
        let terms = made.coefficients.into_iter().map(|own| own.of).collect();
        Ok((document, made.covariance, terms))
    }

    /// Returns the possible values of each row: the columns, `row` and `weight`.
    #[pyo3(signature = (*, worlds=Effort::WORLDS, seed=1))]
    fn weights(&self, py: Python<'_>, worlds: usize, seed: u64) -> PyResult<PythonTable> {
        work::watched(py, None, |goes_on| self.held.weights(goes_on, Effort { worlds, seed }))
            .map(table)
    }

    /// Returns completed tables that are consistent with the release.
    #[pyo3(signature = (number, *, worlds=Effort::WORLDS, seed=1))]
    fn completed(
        &self,
        py: Python<'_>,
        number: usize,
        worlds: usize,
        seed: u64,
    ) -> PyResult<Vec<PythonTable>> {
        let made = work::watched(py, None, |goes_on| {
            self.held.completed(goes_on, Effort { worlds, seed }, number)
        })?;
        Ok(made.into_iter().map(table).collect())
    }

    /// Draws synthetic rows from the release.
    #[pyo3(signature = (rows, seed=None))]
    fn sample(&self, py: Python<'_>, rows: usize, seed: Option<u64>) -> PyResult<PythonTable> {
        work::watched(py, None, |goes_on| self.held.sample(goes_on, rows, seed)).map(table)
    }

    /// Writes `release/` and `owner/` into a folder; returns whether an earlier release was
    /// replaced.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<bool> {
        py.detach(|| self.held.save(&folder)).map_err(work::failed)
    }
}
