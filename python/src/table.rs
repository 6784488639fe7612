//! Tables that came from Python, or go there.

use crate::capsule;
use crate::errors::input;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use openveil_io::source::{Batches, RawColumn};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::sync::Arc;

/// A table in memory, in Arrow's layout.
#[pyclass(frozen, module = "openveil._openveil")]
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) batches: Batches,
}

#[pymethods]
impl Table {
    /// A table of an object that has `__arrow_c_stream__`; nothing is copied.
    #[staticmethod]
    fn from_stream(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let batches = capsule::import(object)?;
        Ok(Self { batches })
    }

    /// A table of columns whose values are numbered: for each its name, four bytes per row
    /// (the number of its value, least byte first; -1 where it is missing), and the values.
    #[staticmethod]
    fn from_codes(columns: Vec<(String, Vec<u8>, Vec<String>)>) -> PyResult<Self> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, codes, values) in columns {
            let codes = codes.as_chunks::<4>().0.iter();
            let codes = codes.map(|bytes| i32::from_le_bytes(*bytes));
            let keys: Int32Array = codes.map(|code| (code >= 0).then_some(code)).collect();
            let array = DictionaryArray::try_new(keys, Arc::new(StringArray::from(values)));
            let array = array.map_err(|cause| input(format!("column `{name}`: {cause}")))?;
            let array: ArrayRef = Arc::new(array);
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        Self::of(fields, arrays)
    }

    /// The table as a stream, for whoever takes one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Whoever asks for another schema gets ours, as the protocol allows.
        drop(requested_schema);
        capsule::export(py, &self.batches)
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.batches.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// What the columns hold, as policies name it: `integer`, `number`, `date` or `text`.
    #[getter]
    fn types(&self) -> Vec<&'static str> {
        let fields = self.batches.schema().fields().iter();
        fields.map(|field| type_name(field.data_type())).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.rows()
    }

    /// A column as numbers of values and the values, for programs without Arrow: as
    /// `from_codes` takes it.
    fn codes<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let raw = crate::commands::text_of(&self.batches)?;
        let mut columns = raw.columns.iter();
        let column = columns.find(|column| column.name == name);
        let column = column.ok_or_else(|| input(format!("the table has no column `{name}`")))?;
        let bytes: Vec<u8> = column
            .codes
            .iter()
            .flat_map(|code| code.to_le_bytes())
            .collect();
        let values = column.values.iter().map(str::to_owned).collect();
        Ok((PyBytes::new(py, &bytes), values))
    }
}

impl Table {
    fn of(fields: Vec<Field>, arrays: Vec<ArrayRef>) -> PyResult<Self> {
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays);
        let batch = batch.map_err(|cause| input(cause.to_string()))?;
        let batches = Batches::new(schema, vec![batch]);
        let batches = batches.map_err(|error| crate::errors::raised(&error))?;
        Ok(Self { batches })
    }

    /// A table of texts.
    pub(crate) fn of_text(columns: &[RawColumn]) -> PyResult<Self> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for column in columns {
            let texts = column.codes.iter().map(|&code| column.values.get(code));
            fields.push(Field::new(&column.name, DataType::Utf8, false));
            arrays.push(Arc::new(StringArray::from_iter_values(texts)) as ArrayRef);
        }
        Self::of(fields, arrays)
    }
}

fn type_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Dictionary(_, values) => type_name(values),
        number if number.is_integer() => "integer",
        number if number.is_floating() => "number",
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => "number",
        DataType::Date32 | DataType::Date64 => "date",
        _ => "text",
    }
}
