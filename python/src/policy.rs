//! Policies, with a table in the place of the file that they name.

use crate::errors::raised;
use crate::table::PythonTable;
use crate::work;
use openveil_io::policy::{self, Policy as Checked, ReadRows, Sample};
use openveil_io::source::Source;
use pyo3::prelude::*;
use std::path::PathBuf;

/// A checked policy.
#[pyclass(frozen, name = "Policy", module = "openveil._openveil")]
#[derive(Debug, Clone)]
pub(crate) struct PythonPolicy {
    pub(crate) checked: Checked,
}

#[pymethods]
impl PythonPolicy {
    /// Reads a policy file; its paths start in its folder.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        Self::checked(Checked::read(&path))
    }

    /// Reads a policy from text; `path` names it in messages.
    #[staticmethod]
    fn parse(text: &str, path: PathBuf) -> PyResult<Self> {
        Self::checked(Checked::parse(text, &path))
    }

    /// The columns of the table that the policy names, or of another file read as it says, and
    /// their types.
    #[pyo3(signature = (input=None))]
    fn types(
        &self,
        py: Python<'_>,
        input: Option<PathBuf>,
    ) -> PyResult<Vec<(String, &'static str)>> {
        let mut source = self.checked.source.clone();
        if let Some(input) = input {
            source.turn_to(input);
        }
        work::brief(py, || source.types())
    }

    /// The policy with another table, algorithm and place for what is written; rows of samples
    /// that lie in files are left out.
    #[pyo3(signature = (*, table=None, input=None, algorithm=None, out=None, without_sample=Vec::new()))]
    fn with_(
        &self,
        table: Option<&PythonTable>,
        input: Option<PathBuf>,
        algorithm: Option<&str>,
        out: Option<PathBuf>,
        without_sample: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let mut checked = self.checked.clone();
        let samples = without_sample.iter().map(|file| Sample::read(file));
        let samples: Result<Vec<Sample>, _> = samples.collect();
        let samples = samples.map_err(|error| raised(&error))?;
        if !samples.is_empty() {
            checked.part = ReadRows::Without(samples);
        }
        if let Some(table) = table {
            let source = Source::of_memory("table", table.batches.clone());
            checked.source = Source {
                trim: checked.source.trim,
                ..source
            };
        }
        if let Some(input) = input {
            checked.source.turn_to(input);
        }
        if let Some(name) = algorithm {
            checked.algorithm = policy::algorithm(name).map_err(|error| raised(&error))?;
        }
        if let Some(out) = out {
            checked.out = out;
        }
        Ok(Self { checked })
    }
}

impl PythonPolicy {
    fn checked(policy: Result<Checked, openveil_io::Error>) -> PyResult<Self> {
        let checked = policy.map_err(|error| raised(&error))?;
        Ok(Self { checked })
    }
}
