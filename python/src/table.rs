//! Conversion of tables from and to Python.

use crate::errors::{input, raised};
use crate::{capsule, work};
use openveil_bindings::table::{self, NumberedColumn};
use openveil_io::source::Codebook;
use openveil_io::source::{Batches, type_of};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::collections::{BTreeMap, HashMap};

/// A table in memory, in Arrow's layout.
#[pyclass(frozen, name = "Table", module = "openveil._openveil")]
#[derive(Debug, Clone)]
pub(crate) struct PythonTable {
    pub(crate) batches: Batches,
}

/// Labels by code, codes of missing answers, and whether codes are texts.
type PythonCodebook = (BTreeMap<String, String>, Vec<String>, bool);

#[pymethods]
impl PythonTable {
    /// Makes a table from an object with `__arrow_c_stream__`, without a copy.
    #[staticmethod]
    fn from_stream(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let batches = capsule::import(object)?;
        Ok(Self { batches })
    }

    /// Returns the same table, with labels of columns, and codebooks by column.
    fn with_codebooks(
        &self,
        labels: HashMap<String, String>,
        codes: HashMap<String, PythonCodebook>,
    ) -> Self {
        let codebook = |(name, (labels, missing, text)): (String, PythonCodebook)| {
            (name, Codebook { label: None, labels, missing: missing.into_iter().collect(), text })
        };
        let codes = codes.into_iter().map(codebook).collect();
        Self { batches: self.batches.with_codebooks(&labels, &codes) }
    }

    /// Makes a table from columns of numbered values. Each column has a name, its type by the name
    /// in policies, four bytes per row (the number of its value, least byte first; -1 if it is
    /// missing), and the values as texts.
    #[staticmethod]
    fn from_codes(columns: Vec<(String, String, Vec<u8>, Vec<String>)>) -> PyResult<Self> {
        let column = |(name, kind, codes, values): (_, _, Vec<u8>, _)| {
            let codes = codes.as_chunks::<4>().0.iter();
            let codes = codes.map(|bytes| i32::from_le_bytes(*bytes)).collect();
            NumberedColumn { name, kind, codes, values }
        };
        let batches = table::of_codes(columns.into_iter().map(column).collect());
        Ok(Self { batches: batches.map_err(|error| raised(&error))? })
    }

    /// Returns the table as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A requested schema is ignored, as the protocol allows.
        drop(requested_schema);
        capsule::export(py, &self.batches)
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.batches.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The types of the columns, by their names in policies; `list` for lists.
    #[getter]
    fn types(&self) -> Vec<&'static str> {
        let fields = self.batches.schema().fields().iter();
        fields.map(|field| type_of(field.data_type())).collect()
    }

    /// For columns whose values have an order (such as categories): the values, least first.
    #[getter]
    fn orders(&self) -> HashMap<String, Vec<String>> {
        self.batches.orders().into_iter().collect()
    }

    fn __len__(&self) -> usize {
        self.batches.rows()
    }

    /// Returns a column as numbers of values and the values, in the form of `from_codes`, for
    /// programs without Arrow.
    fn codes<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let column = work::brief(py, || table::text_of(&self.batches, name))?;
        let column = column.ok_or_else(|| input(format!("the table has no column `{name}`")))?;
        let bytes: Vec<u8> = column.codes.iter().flat_map(|code| code.to_le_bytes()).collect();
        let values = column.values.iter().map(str::to_owned).collect();
        Ok((PyBytes::new(py, &bytes), values))
    }
}
