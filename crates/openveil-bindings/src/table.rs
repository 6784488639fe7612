//! Conversion of tables from and to a language.

use crate::input;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray,
    RecordBatch, StringArray, new_null_array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use jiff::civil::Date;
use openveil_io::Error;
use openveil_io::load::MISSING_LABEL;
use openveil_io::source::{Batches, RawColumn, Source, type_of};
use std::sync::Arc;

/// A column whose values are numbered.
#[derive(Debug, Clone)]
pub struct NumberedColumn {
    /// Its name.
    pub name: String,
    /// Its type, by its name in policies; also `binary` and `duration`, whose values are never
    /// read.
    pub kind: String,
    /// For each row the number of its value; negative if it is missing.
    pub codes: Vec<i32>,
    /// The values as texts.
    pub values: Vec<String>,
}

/// Returns a table from columns of numbered values.
///
/// # Errors
/// Columns of different lengths; a value that is not of its column's type; a number without a
/// value.
pub fn of_codes(columns: Vec<NumberedColumn>) -> Result<Batches, Error> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for NumberedColumn { name, kind, codes, values } in columns {
        let array = numbered(&kind, codes, &values).map_err(|cause| failed(&name, &cause))?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    of_arrays(fields, arrays)
}

/// Returns a column of numbered values as Arrow's dictionary.
///
/// # Errors
/// As [`of_codes`].
pub fn numbered(kind: &str, codes: Vec<i32>, values: &[String]) -> Result<ArrayRef, ArrowError> {
    let keys: Int32Array = codes.into_iter().map(|code| (code >= 0).then_some(code)).collect();
    let texts: Vec<Option<&str>> = values.iter().map(|text| Some(text.as_str())).collect();
    let all: Vec<u32> = (0..).take(texts.len()).collect();
    let values = typed(kind, &texts, &all)?;
    Ok(Arc::new(DictionaryArray::try_new(keys, values)?))
}

/// Returns a table from Arrow's arrays.
///
/// # Errors
/// Columns of different lengths, or of other types than their fields.
pub fn of_arrays(fields: Vec<Field>, arrays: Vec<ArrayRef>) -> Result<Batches, Error> {
    let schema = Arc::new(Schema::new(fields));
    let batch =
        RecordBatch::try_new(schema.clone(), arrays).map_err(|cause| input(cause.to_string()))?;
    Batches::new(schema, vec![batch])
}

/// Returns a table from columns of texts and further columns. A column gets its type if all of its
/// values fit. In columns that are not texts, missing values are null.
///
/// # Errors
/// Columns of different lengths.
pub fn of_text(
    columns: &[RawColumn],
    types: &[Option<String>],
    beside: Vec<(&str, ArrayRef)>,
) -> Result<Batches, Error> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (column, kind) in columns.iter().zip(types) {
        let texts: Vec<Option<&str>> = column.values.iter().map(Some).collect();
        let shown: Vec<Option<&str>> =
            texts.iter().map(|text| text.filter(|own| *own != MISSING_LABEL)).collect();
        let array = match kind.as_deref() {
            None | Some("text") => typed("text", &texts, &column.codes),
            Some(kind) => {
                typed(kind, &shown, &column.codes).or_else(|_| typed("text", &texts, &column.codes))
            }
        };
        let array = array.map_err(|cause| failed(&column.name, &cause))?;
        let has_none = array.null_count() > 0;
        fields.push(Field::new(&column.name, array.data_type().clone(), has_none));
        arrays.push(array);
    }
    for (name, array) in beside {
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    of_arrays(fields, arrays)
}

/// Returns a column of a table as numbered texts; none if there is no column of that name.
///
/// # Errors
/// A column that has no text form.
pub fn text_of(table: &Batches, name: &str) -> Result<Option<RawColumn>, Error> {
    let mut source = Source::of_memory("table", table.clone());
    source.lists = true;
    let read = source.read(&|names| Ok(names.iter().map(|own| own == name).collect()), &|_| {})?;
    Ok(read.columns.into_iter().find(|column| column.name == name))
}

/// Returns the names of a table's columns, and their types by the names in policies.
pub fn types(table: &Batches) -> Vec<(String, String)> {
    table
        .schema()
        .fields()
        .iter()
        .map(|field| (field.name().clone(), type_of(field.data_type()).to_owned()))
        .collect()
}

fn failed(name: &str, cause: &ArrowError) -> Error {
    input(format!("column `{name}`: {cause}"))
}

/// Returns numbered texts as values of their type.
fn typed(kind: &str, texts: &[Option<&str>], codes: &[u32]) -> Result<ArrayRef, ArrowError> {
    fn parsed<T: ArrowPrimitiveType>(
        texts: &[Option<&str>],
        codes: &[u32],
        parse: impl Fn(&str) -> Option<T::Native>,
    ) -> Result<ArrayRef, ArrowError> {
        let values = texts
            .iter()
            .map(|text| {
                let wrong = |text| ArrowError::ParseError(format!("`{text}` is not of its type"));
                text.map(|text| parse(text).ok_or_else(|| wrong(text))).transpose()
            })
            .collect::<Result<Vec<_>, _>>()?;
        let of_rows = codes.iter().map(|&code| values[code as usize]);
        Ok(Arc::new(of_rows.collect::<PrimitiveArray<T>>()))
    }
    match kind {
        "integer" => parsed::<Int64Type>(texts, codes, |text| text.parse().ok()),
        "number" => parsed::<Float64Type>(texts, codes, |text| text.parse().ok()),
        "boolean" => {
            let values = codes
                .iter()
                .map(|&code| texts[code as usize].map(|text| text.parse()))
                .map(Option::transpose)
                .collect::<Result<BooleanArray, _>>();
            let array =
                values.map_err(|_| ArrowError::ParseError("neither true nor false".to_owned()))?;
            Ok(Arc::new(array))
        }
        // Values of these types are never read.
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
