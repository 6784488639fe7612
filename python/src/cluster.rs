//! Tables on several machines: the tasks that `openveil.spark` gives to each.

use crate::errors::raised;
use crate::table::PythonTable;
use crate::work;
use openveil_bindings::{Voice, json, said};
use openveil_core::coins::SecretCoins;
use openveil_io::policy::{Policy, Role};
use openveil_publication::Options;
use openveil_publication::cluster;
use openveil_publication::cluster::TextCensus;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};

/// The plan of a table's publication.
#[pyclass(frozen, name = "Cluster", module = "openveil._openveil")]
pub(crate) struct PythonCluster {
    plan: cluster::ClusterFacts,
}

/// The parts in which a table is published.
#[pyclass(frozen, name = "Parts", module = "openveil._openveil")]
pub(crate) struct PythonParts {
    made: cluster::TableParts,
}

#[pymethods]
impl PythonParts {
    /// For another machine.
    fn ship<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &cluster::packed(&self.made))
    }

    /// From another machine.
    #[staticmethod]
    fn receive(bytes: &[u8]) -> PyResult<Self> {
        let made = cluster::unpacked(bytes).map_err(|error| raised(&error))?;
        Ok(Self { made })
    }

    /// Returns encoded rows of whole lots with their part and place.
    fn place(&self, py: Python<'_>, rows: &PythonTable) -> PyResult<PythonTable> {
        let batches = work::brief(py, || self.made.place(&rows.batches))?;
        Ok(PythonTable { batches })
    }

    fn __len__(&self) -> usize {
        self.made.count()
    }
}

/// Returns coins of the system, or for tests coins by a seed.
fn coins(seed: Option<u64>) -> SecretCoins {
    seed.map_or_else(SecretCoins::from_os, SecretCoins::from_test_seed)
}

#[pymethods]
impl PythonCluster {
    /// Returns the published columns of a table with this header.
    #[staticmethod]
    fn published(policy: &str, path: PathBuf, header: Vec<String>) -> PyResult<Vec<String>> {
        let policy = Policy::parse(policy, &path);
        let published = policy.and_then(|policy| cluster::published(&policy, &header));
        published.map_err(|error| raised(&error))
    }

    /// Returns the style of the release, and the secret column.
    #[staticmethod]
    fn style(policy: &str, path: PathBuf) -> PyResult<(String, String)> {
        let policy = Policy::parse(policy, &path).map_err(|error| raised(&error))?;
        let mut columns = policy.columns.iter();
        let secret = columns.find(|(_, column)| column.role == Role::Sensitive);
        let secret = secret.map_or_else(String::new, |(name, _)| name.clone());
        Ok((policy.output.style.name().to_owned(), secret))
    }

    /// Counts some rows of a table, and draws one row in so many: kind, text, rows.
    #[staticmethod]
    fn census(
        py: Python<'_>,
        policy: &str,
        path: PathBuf,
        rows: &PythonTable,
        one_in: u32,
        seed: Option<u64>,
    ) -> PyResult<PythonTable> {
        let batches = work::brief(py, || {
            let policy = Policy::parse(policy, Path::new(&path))?;
            let census = TextCensus::new(&policy, &rows.batches, one_in, &mut coins(seed))?;
            Ok(census.table())
        })?;
        Ok(PythonTable { batches })
    }

    /// Plans the publication of a counted table.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    #[pyo3(signature = (policy, path, header, census, *, part_rows, test_seed, accept_algorithm_disclosure))]
    fn plan(
        py: Python<'_>,
        policy: &str,
        path: PathBuf,
        header: Vec<String>,
        census: &PythonTable,
        part_rows: u32,
        test_seed: Option<u64>,
        accept_algorithm_disclosure: bool,
    ) -> PyResult<Self> {
        let options = Options { test_seed, accept_algorithm_disclosure, ..Options::default() };
        let plan = work::brief(py, || {
            let census = TextCensus::read(&census.batches)?;
            cluster::ClusterFacts::plan((policy, path), header, &census, part_rows, options)
        })?;
        Ok(Self { plan })
    }

    /// Serialises the plan for another machine.
    fn ship<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.plan.ship())
    }

    /// Deserialises a plan from another machine.
    #[staticmethod]
    fn receive(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let plan = work::brief(py, || cluster::ClusterFacts::receive(bytes))?;
        Ok(Self { plan })
    }

    /// Number of published columns.
    #[getter]
    fn columns(&self) -> usize {
        self.plan.columns()
    }

    /// Encodes rows, with random numbers that decide their places.
    fn encode(
        &self,
        py: Python<'_>,
        rows: &PythonTable,
        seed: Option<u64>,
    ) -> PyResult<PythonTable> {
        let batches = work::brief(py, || self.plan.encode(&rows.batches, &mut coins(seed)))?;
        Ok(PythonTable { batches })
    }

    /// Returns the parts, after the lots of the grid are counted: lot, count.
    fn parts(
        &self,
        py: Python<'_>,
        counts: &PythonTable,
        seed: Option<u64>,
    ) -> PyResult<PythonParts> {
        let made = work::brief(py, || self.plan.parts(&counts.batches, &mut coins(seed)))?;
        Ok(PythonParts { made })
    }

    /// Returns the released rows of a part, checked, and its tally as a JSON document.
    fn part(
        &self,
        py: Python<'_>,
        rows: &PythonTable,
        parts: &PythonParts,
    ) -> PyResult<(PythonTable, String)> {
        let made = || self.plan.part(&rows.batches, &parts.made);
        let (batches, tally) = work::brief(py, made)?;
        Ok((PythonTable { batches }, tally))
    }

    /// Returns the released table, without rows.
    fn released(&self, py: Python<'_>) -> PyResult<PythonTable> {
        let batches = work::brief(py, || self.plan.released())?;
        Ok(PythonTable { batches })
    }

    /// Returns the manifest and the owner's part, as JSON documents, and the warnings to the owner
    /// in Python's words.
    fn documents(
        &self,
        py: Python<'_>,
        tallies: Vec<String>,
        files: Vec<String>,
        by_keywords: bool,
    ) -> PyResult<(String, String, Vec<String>)> {
        work::brief(py, || {
            let (manifest, owner) = self.plan.documents(&tallies, files)?;
            let warnings = said(&owner.warnings, by_keywords);
            Ok((json(&manifest, Voice::Command)?, json(&owner, Voice::Command)?, warnings))
        })
    }

    /// Checks how many rows of a written release have each value: value, rows.
    fn recount(&self, py: Python<'_>, values: &PythonTable) -> PyResult<()> {
        work::brief(py, || self.plan.recount(&values.batches))
    }
}
