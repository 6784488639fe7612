//! Converts errors to exceptions.

use openveil_bindings::voice;
use openveil_io::{Error, ErrorKind, Refusal};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyList;

create_exception!(
    openveil,
    OpenveilError,
    PyException,
    "Openveil refuses something, and says why. All other exceptions are of this kind. `column` is where the trouble is, if it is in one; `rows` are the first rows of the table that show it, counted from 0, where they are known; `help` is the remedy."
);
create_exception!(
    openveil,
    PolicyError,
    OpenveilError,
    "A policy that does not make sense, or does not fit the table."
);
create_exception!(
    openveil,
    InputError,
    OpenveilError,
    "A table, release or option that cannot be read or used."
);
create_exception!(
    openveil,
    FileError,
    OpenveilError,
    "A file or folder that cannot be read or written."
);
create_exception!(
    openveil,
    RefusedError,
    OpenveilError,
    "No release keeps the promise that is asked for."
);
create_exception!(
    openveil,
    IneligibleError,
    RefusedError,
    "The model asks more than the table allows. `value` is what stands in the way and `share` its share of the rows, where it is one value; `largest_l` the largest l of ratio l-diversity that is possible, if any; `strata` the columns that fix the strata in which the model is refused."
);

/// Returns the exception for an error, in Python's words.
pub(crate) fn raised(error: &Error) -> PyErr {
    let message = error.say(voice(false));
    let made = match (error.refusal(), error.kind()) {
        (Some(_), _) => IneligibleError::new_err(message),
        (None, ErrorKind::Policy) => PolicyError::new_err(message),
        (None, ErrorKind::Io) => FileError::new_err(message),
        (None, ErrorKind::Refused) => RefusedError::new_err(message),
        (None, _) => InputError::new_err(message),
    };
    let described = Python::attach(|py| {
        let value = made.value(py);
        value.setattr("column", error.location().column.as_deref())?;
        value.setattr("rows", error.rows())?;
        value.setattr("_by_keywords", error.say(voice(true)))?;
        match error.refusal() {
            Some(refusal) => refused(value.as_any(), refusal),
            None => Ok(()),
        }
    });
    match described {
        Ok(()) => made,
        Err(other) => other,
    }
}

/// Returns the exception for invalid input from Python.
pub(crate) fn input(message: String) -> PyErr {
    InputError::new_err(message)
}

fn refused(error: &Bound<'_, PyAny>, refusal: &Refusal) -> PyResult<()> {
    error.setattr("value", refusal.value.as_deref())?;
    error.setattr("share", refusal.share)?;
    error.setattr("largest_l", refusal.largest_l)?;
    error.setattr("strata", &refusal.strata)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let every = py.get_type::<OpenveilError>();
    // Default values.
    every.setattr("column", py.None())?;
    every.setattr("rows", PyList::empty(py))?;
    every.setattr("_by_keywords", py.None())?;
    module.add("OpenveilError", every)?;
    module.add("PolicyError", py.get_type::<PolicyError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("FileError", py.get_type::<FileError>())?;
    module.add("RefusedError", py.get_type::<RefusedError>())?;
    module.add("IneligibleError", py.get_type::<IneligibleError>())
}
