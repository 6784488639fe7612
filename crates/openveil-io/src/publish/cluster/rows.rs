//! Rows of codes and numbers as Arrow tables.

use super::Problem;
use crate::Error;
use crate::source::Batches;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use std::sync::Arc;

/// A table of columns of codes, and behind them of numbers.
pub(super) fn table_of(
    codes: Vec<(String, Vec<u32>)>,
    numbers: Vec<(&str, Vec<u64>)>,
) -> Result<Batches, Error> {
    let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = Default::default();
    for (name, codes) in codes {
        fields.push(Field::new(name, DataType::Int32, false));
        // Codes and places are far below 2^31.
        let codes = codes.into_iter().map(|code| code as i32);
        arrays.push(Arc::new(Int32Array::from_iter_values(codes)));
    }
    for (name, numbers) in numbers {
        fields.push(Field::new(name, DataType::Int64, false));
        let numbers = numbers.into_iter().map(|number| number as i64);
        arrays.push(Arc::new(Int64Array::from_iter_values(numbers)));
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|_| Problem::Changed)?;
    Batches::new(schema, vec![batch])
}

/// A column of codes.
pub(super) fn codes(table: &Batches, name: &str) -> Result<Vec<u32>, Error> {
    let mut codes = Vec::with_capacity(table.rows());
    for array in columns(table, name)? {
        let own = array
            .as_primitive_opt::<Int32Type>()
            .ok_or(Problem::Changed)?;
        codes.extend(own.values().iter().map(|&code| code as u32));
    }
    Ok(codes)
}

/// A column of numbers.
pub(super) fn numbers(table: &Batches, name: &str) -> Result<Vec<u64>, Error> {
    let mut numbers = Vec::with_capacity(table.rows());
    for array in columns(table, name)? {
        let own = array
            .as_primitive_opt::<Int64Type>()
            .ok_or(Problem::Changed)?;
        numbers.extend(own.values().iter().map(|&number| number as u64));
    }
    Ok(numbers)
}

fn columns<'a>(
    table: &'a Batches,
    name: &str,
) -> Result<impl Iterator<Item = &'a ArrayRef>, Error> {
    let index = table
        .schema()
        .index_of(name)
        .map_err(|_| Problem::Changed)?;
    Ok(table.batches().iter().map(move |batch| batch.column(index)))
}
