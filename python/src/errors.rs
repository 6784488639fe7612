//! Converts errors to exceptions.

use openveil_bindings::voice;
use openveil_io::{Error, ErrorKind, Refusal};
use pyo3::import_exception;
use pyo3::prelude::*;
use std::error::Error as Cause;
use std::io;

// Classes of Python can have several bases: an error is also of the kind that Python's users expect.
import_exception!(openveil._errors, OpenveilError);
import_exception!(openveil._errors, PolicyError);
import_exception!(openveil._errors, InputError);
import_exception!(openveil._errors, InputTypeError);
import_exception!(openveil._errors, FileError);
import_exception!(openveil._errors, FileMissingError);
import_exception!(openveil._errors, RefusedError);
import_exception!(openveil._errors, IneligibleError);

/// Returns the exception for an error, in Python's words.
pub(crate) fn raised(error: &Error) -> PyErr {
    let message = error.say(voice(false));
    let made = match (error.refusal(), error.kind()) {
        (Some(_), _) => IneligibleError::new_err(message),
        (None, ErrorKind::Policy) => PolicyError::new_err(message),
        (None, ErrorKind::Io) if is_missing(error) => FileMissingError::new_err(message),
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

/// Whether the system found no file.
fn is_missing(error: &Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound)
}

/// Returns the exception for invalid input from Python.
pub(crate) fn input(message: String) -> PyErr {
    InputError::new_err(message)
}

/// Returns the exception for an argument of another type.
pub(crate) fn wrong_type(message: &'static str) -> PyErr {
    InputTypeError::new_err(message)
}

fn refused(error: &Bound<'_, PyAny>, refusal: &Refusal) -> PyResult<()> {
    error.setattr("value", refusal.value.as_deref())?;
    error.setattr("share", refusal.share)?;
    error.setattr("largest_l", refusal.largest_l)?;
    error.setattr("strata", &refusal.strata)
}
