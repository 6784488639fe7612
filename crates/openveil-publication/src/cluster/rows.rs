//! Rows of codes and numbers as Arrow tables.

use super::AnswerMismatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, ArrowPrimitiveType, Int32Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use openveil_io::Error;
use openveil_io::source::Batches;
use std::sync::Arc;

/// Returns a table of columns of codes, followed by columns of numbers.
pub(super) fn table_of(
    codes: Vec<(String, Vec<u32>)>,
    numbers: Vec<(&str, Vec<u64>)>,
) -> Result<Batches, Error> {
    let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = Default::default();
    for (name, codes) in codes {
        fields.push(Field::new(name, DataType::Int32, false));
        arrays.push(array_of(&codes));
    }
    for (name, numbers) in numbers {
        fields.push(Field::new(name, DataType::Int64, false));
        let numbers = numbers.into_iter().map(|number| number as i64);
        arrays.push(Arc::new(Int64Array::from_iter_values(numbers)));
    }
    let schema = Arc::new(Schema::new(fields));
    let batch =
        RecordBatch::try_new(schema.clone(), arrays).map_err(|_| AnswerMismatch::Changed)?;
    Batches::new(schema, vec![batch])
}

/// Returns columns of codes beside those columns of a table whose names are wanted.
pub(super) fn beside(
    own: Vec<(&str, Vec<u32>)>,
    table: &Batches,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Batches, Error> {
    let fields = table.schema().fields();
    let wanted: Vec<usize> = (0..fields.len()).filter(|&at| is_wanted(fields[at].name())).collect();
    let named = own.iter().map(|(name, _)| Field::new(*name, DataType::Int32, false));
    let others = wanted.iter().map(|&at| fields[at].as_ref().clone());
    let schema = Arc::new(Schema::new(named.chain(others).collect::<Vec<_>>()));
    let (mut batches, mut start) = (Vec::new(), 0);
    for batch in table.batches() {
        let end = start + batch.num_rows();
        let codes = own.iter().map(|(_, codes)| array_of(&codes[start..end]));
        let others = wanted.iter().map(|&at| batch.column(at).clone());
        let batch = RecordBatch::try_new(schema.clone(), codes.chain(others).collect());
        batches.push(batch.map_err(|_| AnswerMismatch::Changed)?);
        start = end;
    }
    Batches::new(schema, batches)
}

/// Returns codes as an array.
fn array_of(codes: &[u32]) -> ArrayRef {
    // Codes and places are far below 2^31.
    Arc::new(Int32Array::from_iter_values(codes.iter().map(|&code| code as i32)))
}

/// Reads a column of codes.
pub(super) fn codes(table: &Batches, name: &str) -> Result<Vec<u32>, Error> {
    column::<Int32Type, _>(table, name, |code| code as u32)
}

/// Reads a column of numbers.
pub(super) fn numbers(table: &Batches, name: &str) -> Result<Vec<u64>, Error> {
    column::<Int64Type, _>(table, name, |number| number as u64)
}

fn column<T: ArrowPrimitiveType, V>(
    table: &Batches,
    name: &str,
    of: impl Fn(T::Native) -> V + Copy,
) -> Result<Vec<V>, Error> {
    let index = table.schema().index_of(name).map_err(|_| AnswerMismatch::Changed)?;
    let mut column = Vec::with_capacity(table.rows());
    for batch in table.batches() {
        let array = batch.column(index).as_primitive_opt::<T>();
        let own = array.ok_or(AnswerMismatch::Changed)?.values();
        column.extend(own.iter().copied().map(of));
    }
    Ok(column)
}
