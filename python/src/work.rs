//! Long work: without the interpreter's lock, with progress, until Ctrl-C.

use crate::errors::{OpenveilError, raised};
use openveil_bindings::work::{self, Failure};
use openveil_io::Error;
use openveil_tools::watch::Watch;
use pyo3::prelude::*;

/// Sets the number of threads that work in parallel; None means as many as there are cores.
#[pyfunction]
#[pyo3(signature = (threads=None))]
pub(crate) fn set_threads(threads: Option<i64>) -> PyResult<()> {
    work::set_threads(threads).map_err(|error| raised(&error))
}

/// Runs a function without the interpreter's lock. The function gets a callback that reports
/// progress, checks for signals, and returns whether to go on.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&mut (dyn FnMut(&Watch) -> bool + Send)) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let progress = progress.map(|progress| progress.clone().unbind());
    let mut interrupted = None;
    let outcome = py.detach(|| {
        work(&mut |watch| {
            let told = Python::attach(|py| {
                py.check_signals()?;
                match (&progress, watch.seen()) {
                    (Some(progress), Some(seen)) => {
                        progress.call1(py, (seen.stage, seen.done, seen.total)).map(|_| ())
                    }
                    _ => Ok(()),
                }
            });
            interrupted = told.err();
            interrupted.is_none()
        })
    });
    match interrupted {
        Some(interrupted) => Err(interrupted),
        None => outcome.map_err(failed),
    }
}

/// Runs a watched work.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    own: impl FnOnce(&Watch) -> Result<T, Error> + Send,
) -> PyResult<T> {
    watched(py, progress, |goes_on| work::run(goes_on, own))
}

/// Runs a short work without the interpreter's lock.
pub(crate) fn brief<T: Send>(
    py: Python<'_>,
    own: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    py.detach(|| work::brief(own)).map_err(failed)
}

/// Returns the exception for a work without a result.
pub(crate) fn failed(failure: Failure) -> PyErr {
    match failure {
        Failure::Error(error) => raised(&error),
        Failure::Stopped | Failure::Defect => OpenveilError::new_err(Failure::DEFECT),
    }
}
