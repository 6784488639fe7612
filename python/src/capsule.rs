//! Arrow's PyCapsule stream: tables come in and go out without a copy.
//!
//! This is the only unsafe code. It relies on the protocol: a capsule named `arrow_array_stream`
//! holds a valid `ArrowArrayStream`, which may be moved out once and is then marked as released.

#![allow(unsafe_code)]

use crate::errors::input;
use arrow_array::RecordBatchIterator;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use openveil_io::source::Batches;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// The protocol's name for capsules of streams.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// Reads the stream of an object that has `__arrow_c_stream__`.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Batches> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: the name was checked, and the protocol guarantees a valid stream. `from_raw` moves it
    // out and leaves a released one for the capsule's destructor.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr().cast()) };
    let reader = reader.map_err(|cause| input(format!("is not an Arrow stream: {cause}")))?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    // Streams of Python objects call back into Python, so this thread keeps the lock.
    let batches = reader.collect::<Result<Vec<_>, _>>();
    let batches = batches.map_err(|cause| input(format!("the Arrow stream ended: {cause}")))?;
    Batches::new(schema, batches).map_err(|error| crate::errors::raised(&error))
}

/// Returns a capsule with a stream of a table.
pub(crate) fn export<'py>(py: Python<'py>, table: &Batches) -> PyResult<Bound<'py, PyCapsule>> {
    let batches: Vec<_> = table.batches().iter().cloned().map(Ok).collect();
    let reader = RecordBatchIterator::new(batches, table.schema().clone());
    // The capsule owns the stream, and drops it if nobody consumes it.
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}
