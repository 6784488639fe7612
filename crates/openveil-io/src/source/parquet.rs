//! Parquet: every column as text, whatever its type.

use super::{FirstSeen, Progress, Sink};
use crate::{Error, Place};
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;

pub(super) fn read(file: &Path, sink: &mut Sink<'_>, progress: Progress<'_>) -> Result<(), Error> {
    let opened = File::open(file).map_err(|cause| Error::io(file, "open the file", &cause))?;
    let bytes = opened.metadata().map_or(0, |metadata| metadata.len());
    let malformed = |cause: &dyn std::fmt::Display| {
        Error::new(
            Place::file(file),
            format!("is not a readable Parquet file: {cause}"),
        )
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(opened).map_err(|c| malformed(&c))?;
    let rows = builder.metadata().file_metadata().num_rows().max(0) as u64;
    if rows == 0 {
        return Err(Error::new(Place::file(file), "the table has no rows"));
    }
    let names: Vec<String> = builder
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let wanted = sink.header(&names)?;
    let positions: Vec<usize> = (0..names.len()).filter(|&i| wanted[i]).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), positions.iter().copied());
    let reader = builder
        .with_projection(mask)
        .build()
        .map_err(|c| malformed(&c))?;
    for batch in reader {
        let batch = batch.map_err(|c| malformed(&c))?;
        store(file, sink, &positions, &batch)?;
        progress(bytes * batch.num_rows() as u64 / rows);
    }
    Ok(())
}

fn store(
    file: &Path,
    sink: &mut Sink<'_>,
    positions: &[usize],
    batch: &RecordBatch,
) -> Result<(), Error> {
    let seen = FirstSeen {
        file: sink.index as u32,
        line: 0,
    };
    for (array, &position) in batch.columns().iter().zip(positions) {
        let column = &mut sink.columns[position];
        let unsupported = |_| {
            let place = Place::file(file).column(&column.name);
            Error::new(
                place,
                format!("has the type {}, which has no text form", array.data_type()),
            )
            .help("give the column the role `drop`, or convert it first")
        };
        let text = arrow_cast::cast(array, &DataType::Utf8).map_err(unsupported)?;
        let text = text.as_string::<i32>();
        column.codes.reserve(text.len());
        for row in 0..text.len() {
            let value = if text.is_null(row) {
                ""
            } else {
                text.value(row)
            };
            let code = column.values.intern(value.as_bytes(), || seen);
            column.codes.push(code.expect("Arrow strings are UTF-8"));
        }
    }
    Ok(())
}
