//! Errors become exceptions with the message that a user needs.

use openveil_io::{Error, ErrorKind, Refusal};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    openveil,
    OpenveilError,
    PyException,
    "What openveil refuses, and why. All its other exceptions are of this kind."
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
    "The model asks more than the table allows. `value` is what stands in the way and `share` its share of the rows, where it is one value; `largest_l` the largest l of ratio l-diversity that is possible, if any."
);

/// The exception of an error.
pub(crate) fn raised(error: &Error) -> PyErr {
    let message = error.to_string();
    if let Some(refusal) = error.refusal() {
        return ineligible(message, refusal);
    }
    match error.kind() {
        ErrorKind::Policy => PolicyError::new_err(message),
        ErrorKind::Io => FileError::new_err(message),
        ErrorKind::Refused => RefusedError::new_err(message),
        _ => InputError::new_err(message),
    }
}

/// The exception of input that was given to Python.
pub(crate) fn input(message: String) -> PyErr {
    InputError::new_err(message)
}

fn ineligible(message: String, refusal: &Refusal) -> PyErr {
    let error = IneligibleError::new_err(message);
    let attributes = Python::attach(|py| {
        let value = error.value(py);
        value.setattr("value", refusal.value.as_deref())?;
        value.setattr("share", refusal.share)?;
        value.setattr("largest_l", refusal.largest_l)
    });
    match attributes {
        Ok(()) => error,
        Err(other) => other,
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("OpenveilError", py.get_type::<OpenveilError>())?;
    module.add("PolicyError", py.get_type::<PolicyError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("FileError", py.get_type::<FileError>())?;
    module.add("RefusedError", py.get_type::<RefusedError>())?;
    module.add("IneligibleError", py.get_type::<IneligibleError>())
}
