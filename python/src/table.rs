//! Tables that came from Python, or go there.

use crate::capsule;
use crate::errors::input;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray,
    RecordBatch, StringArray, new_null_array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use jiff::civil::Date;
use openveil_io::load::MISSING_LABEL;
use openveil_io::source::{Batches, RawColumn, type_of};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::collections::HashMap;
use std::sync::Arc;

/// A table in memory, in Arrow's layout.
#[pyclass(frozen, name = "Table", module = "openveil._openveil")]
#[derive(Debug, Clone)]
pub(crate) struct PythonTable {
    pub(crate) batches: Batches,
}

#[pymethods]
impl PythonTable {
    /// A table of an object that has `__arrow_c_stream__`; nothing is copied.
    #[staticmethod]
    fn from_stream(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let batches = capsule::import(object)?;
        Ok(Self { batches })
    }

    /// Returns the same table, with a codebook's labels of its columns.
    fn with_labels(&self, labels: HashMap<String, String>) -> Self {
        Self {
            batches: self.batches.with_labels(&labels),
        }
    }

    /// A table of columns whose values are numbered: for each its name, its type as policies
    /// name it, four bytes per row (the number of its value, least byte first; -1 where it is
    /// missing), and the values as texts.
    #[staticmethod]
    fn from_codes(columns: Vec<(String, String, Vec<u8>, Vec<String>)>) -> PyResult<Self> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, kind, codes, texts) in columns {
            let failed = |cause: ArrowError| input(format!("column `{name}`: {cause}"));
            let codes = codes.as_chunks::<4>().0.iter();
            let codes = codes.map(|bytes| i32::from_le_bytes(*bytes));
            let keys: Int32Array = codes.map(|code| (code >= 0).then_some(code)).collect();
            let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
            let all: Vec<u32> = (0..).take(texts.len()).collect();
            let values = typed(&kind, &texts, &all).map_err(failed)?;
            let array: ArrayRef = Arc::new(DictionaryArray::try_new(keys, values).map_err(failed)?);
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

    /// The types of the columns, as policies name them; `list` for lists.
    #[getter]
    fn types(&self) -> Vec<&'static str> {
        let fields = self.batches.schema().fields().iter();
        fields.map(|field| type_of(field.data_type())).collect()
    }

    /// Of columns whose values have an order, as categories can: the values, least first.
    #[getter]
    fn orders(&self) -> HashMap<String, Vec<String>> {
        self.batches.orders().into_iter().collect()
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
        let column = crate::commands::text_of(py, &self.batches, name)?;
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

impl PythonTable {
    fn of(fields: Vec<Field>, arrays: Vec<ArrayRef>) -> PyResult<Self> {
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays);
        let batch = batch.map_err(|cause| input(cause.to_string()))?;
        let batches = Batches::new(schema, vec![batch]);
        let batches = batches.map_err(|error| crate::errors::raised(&error))?;
        Ok(Self { batches })
    }

    /// A table of texts, each column as what its type says, if all of it is that; and other columns
    /// beside them. In columns that are no texts, missing values are none.
    pub(crate) fn of_text(
        columns: &[RawColumn],
        types: &[Option<String>],
        beside: Vec<(&str, ArrayRef)>,
    ) -> PyResult<Self> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (column, kind) in columns.iter().zip(types) {
            let texts: Vec<Option<&str>> = column.values.iter().map(Some).collect();
            let shown = texts
                .iter()
                .map(|text| text.filter(|own| *own != MISSING_LABEL));
            let shown: Vec<Option<&str>> = shown.collect();
            let array = match kind.as_deref() {
                None | Some("text") => typed("text", &texts, &column.codes),
                Some(kind) => typed(kind, &shown, &column.codes)
                    .or_else(|_| typed("text", &texts, &column.codes)),
            };
            let array =
                array.map_err(|cause| input(format!("column `{}`: {cause}", column.name)))?;
            let has_none = array.null_count() > 0;
            fields.push(Field::new(
                &column.name,
                array.data_type().clone(),
                has_none,
            ));
            arrays.push(array);
        }
        for (name, array) in beside {
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        Self::of(fields, arrays)
    }
}

/// Numbered texts as what they stand for.
fn typed(kind: &str, texts: &[Option<&str>], codes: &[u32]) -> Result<ArrayRef, ArrowError> {
    fn parsed<T: ArrowPrimitiveType>(
        texts: &[Option<&str>],
        codes: &[u32],
        parse: impl Fn(&str) -> Option<T::Native>,
    ) -> Result<ArrayRef, ArrowError> {
        let parse = |text: &Option<&str>| {
            let wrong = |text| ArrowError::ParseError(format!("`{text}` is not of its type"));
            text.map(|text| parse(text).ok_or_else(|| wrong(text)))
                .transpose()
        };
        let values = texts.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let of_rows = codes.iter().map(|&code| values[code as usize]);
        Ok(Arc::new(of_rows.collect::<PrimitiveArray<T>>()))
    }
    match kind {
        "integer" => parsed::<Int64Type>(texts, codes, |text| text.parse().ok()),
        "number" => parsed::<Float64Type>(texts, codes, |text| text.parse().ok()),
        "boolean" => {
            let of_rows = codes
                .iter()
                .map(|&code| texts[code as usize].map(|text| text.parse()));
            let values = of_rows
                .map(Option::transpose)
                .collect::<Result<BooleanArray, _>>();
            let array =
                values.map_err(|_| ArrowError::ParseError("neither true nor false".to_owned()))?;
            Ok(Arc::new(array))
        }
        // No value of these is ever read.
        "binary" => Ok(new_null_array(&DataType::Binary, codes.len())),
        "duration" => {
            let duration = DataType::Duration(TimeUnit::Microsecond);
            Ok(new_null_array(&duration, codes.len()))
        }
        "date" => parsed::<Date32Type>(texts, codes, day),
        _ => {
            let of_rows = codes.iter().map(|&code| texts[code as usize]);
            Ok(Arc::new(of_rows.collect::<StringArray>()))
        }
    }
}

/// Days since 1970-01-01.
fn day(text: &str) -> Option<i32> {
    let date: Date = text.parse().ok()?;
    let hours = date.duration_since(Date::constant(1970, 1, 1)).as_hours();
    i32::try_from(hours / 24).ok()
}
