//! Releases in memory, and those that are read back.

use crate::commands::json;
use crate::errors::input;
use crate::policy::Policy;
use crate::table::Table;
use crate::work;
use openveil_io::publish::{Options, Release as Made};
use openveil_io::query::{Cells, Reader};
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_io::release_dir::{ReleasePlace, Texts};
use openveil_io::report;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A release: what may be published, and with it, where it was just made, what stays.
#[pyclass(frozen, module = "openveil._openveil")]
pub(crate) struct Release {
    pub(crate) place: ReleasePlace,
    /// The release as it was made; none of one that was read back.
    made: Option<Made>,
    manifest: String,
    reader: OnceLock<Reader>,
}

/// Publishes in memory.
#[pyfunction]
#[pyo3(signature = (policy, *, test_seed=None, accept_algorithm_disclosure=false, certify=false, measure=false, views=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn publish(
    py: Python<'_>,
    policy: &Policy,
    test_seed: Option<u64>,
    accept_algorithm_disclosure: bool,
    certify: bool,
    measure: bool,
    views: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Release> {
    let options = Options {
        test_seed,
        accept_algorithm_disclosure,
        certify,
        measure,
        no_report: false,
        memory: None,
    };
    work::run(py, progress, |watch| {
        let made = Made::of(&policy.checked, options, watch)?;
        let memory = made.in_memory(if views { Texts::Views } else { Texts::Plain })?;
        Ok(Release {
            manifest: json(&memory.manifest)?,
            place: ReleasePlace::Memory(Arc::new(memory)),
            made: Some(made),
            reader: OnceLock::new(),
        })
    })
}

/// What publishing would do, as a JSON document.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, policy: &Policy) -> PyResult<String> {
    work::run(py, None, |watch| {
        json(&openveil_io::publish::plan(
            &policy.checked,
            Options::default(),
            watch,
        )?)
    })
}

/// Reads a release from its folder.
#[pyfunction]
pub(crate) fn read_release(py: Python<'_>, folder: PathBuf) -> PyResult<Release> {
    work::brief(py, || {
        let place = ReleasePlace::Folder(folder);
        let read = ReleaseFolder::read(&place)?;
        Ok(Release {
            manifest: json(&read.manifest)?,
            place,
            made: None,
            reader: OnceLock::new(),
        })
    })
}

#[pymethods]
impl Release {
    /// The manifest, as a JSON document.
    #[getter]
    fn manifest(&self) -> &str {
        &self.manifest
    }

    /// What stays with the owner, as a JSON document; of a release that was just made.
    fn owner(&self, py: Python<'_>) -> PyResult<String> {
        let made = self.made()?;
        work::brief(py, || json(&made.owner()?))
    }

    /// The tables by name. Cells are texts as in files, or unpacked: bounds as two columns,
    /// sets as lists.
    #[pyo3(signature = (*, unpack=false))]
    fn tables(&self, py: Python<'_>, unpack: bool) -> PyResult<Vec<(String, Table)>> {
        let table = |(name, batches)| (name, Table { batches });
        if let (ReleasePlace::Memory(release), false) = (&self.place, unpack) {
            let stem = |name: &String| name.split('.').next().unwrap_or(name).to_owned();
            let tables = release.manifest.files.iter();
            let tables = tables.map(|name| table((stem(name), release.tables[name].clone())));
            return Ok(tables.collect());
        }
        let cells = if unpack { Cells::Unpacked } else { Cells::Text };
        let tables = work::brief(py, || self.reader()?.tables(cells))?;
        Ok(tables.into_iter().map(table).collect())
    }

    /// The public page, as HTML: a function of the release.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        work::brief(py, || Ok(report::public(self.place.clone())?.html))
    }

    /// How many rows meet conditions, as a JSON document.
    #[pyo3(signature = (conditions, policy=None))]
    fn count(&self, py: Python<'_>, conditions: &str, policy: Option<&Policy>) -> PyResult<String> {
        work::brief(py, || {
            let policy = policy.map(|policy| &policy.checked);
            json(&self.reader()?.count(conditions, policy)?)
        })
    }

    /// Draws synthetic rows from what the release says.
    #[pyo3(signature = (rows, seed=None))]
    fn sample(&self, py: Python<'_>, rows: usize, seed: Option<u64>) -> PyResult<Table> {
        let (drawn, types) = work::brief(py, || {
            let reader = self.reader()?;
            Ok((reader.sample(rows, seed)?, reader.types()))
        })?;
        Table::of_text(&drawn, &types)
    }

    /// Writes `release/` and `owner/` into a folder; says whether an earlier release was
    /// replaced.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<bool> {
        let made = self.made()?;
        let published = work::brief(py, || made.write(&folder))?;
        Ok(published.written.replaced)
    }
}

impl Release {
    fn made(&self) -> PyResult<&Made> {
        let read_back = || input("this release was read back: its owner's part is not here".into());
        self.made.as_ref().ok_or_else(read_back)
    }

    fn reader(&self) -> Result<&Reader, openveil_io::Error> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader);
        }
        let reader = Reader::open(self.place.clone())?;
        Ok(self.reader.get_or_init(|| reader))
    }
}
