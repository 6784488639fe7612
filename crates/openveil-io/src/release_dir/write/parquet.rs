//! Parquet: text columns, and the group's number as an integer.

use super::Progress;
use super::text::{Columns, Shown, push_cell};
use crate::{Error, Location};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Rows of one row group.
const GROUP_ROWS: usize = 1 << 19;

pub(super) fn write(
    path: &Path,
    columns: &Columns<'_>,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let file = File::create(path).map_err(|cause| Error::io(path, "write the file", &cause))?;
    write_to(file, columns, progress).map_err(|cause| match cause {
        ParquetError::External(cause) => match cause.downcast_ref::<std::io::Error>() {
            Some(cause) => Error::io(path, "write the file", cause),
            None => Error::new(
                Location::file(path),
                format!("cannot write the file: {cause}"),
            ),
        },
        cause => Error::new(
            Location::file(path),
            format!("cannot write the file: {cause}"),
        ),
    })
}

fn write_to(file: File, columns: &Columns<'_>, progress: Progress<'_>) -> Result<(), ParquetError> {
    let fields: Result<Vec<_>, _> = columns
        .names
        .iter()
        .zip(&columns.contents)
        .map(|(name, content)| field(name, content))
        .collect();
    let schema = Type::group_type_builder("release")
        .with_fields(fields?)
        .build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    for groups in columns.stretches(GROUP_ROWS) {
        let mut row_group = writer.next_row_group()?;
        for content in &columns.contents {
            write_column(&mut row_group, columns, content, groups.clone())?;
        }
        row_group.close()?;
        progress(rows_of(columns, &groups).len() as u64);
    }
    writer.close()?;
    Ok(())
}

fn field(name: &str, content: &Shown<'_>) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match content {
        Shown::Cells(..) | Shown::Coded(..) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Shown::Group | Shown::Numbers(_) => (Physical::INT64, None),
    };
    let field = Type::primitive_type_builder(name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::REQUIRED)
        .build()?;
    Ok(Arc::new(field))
}

fn rows_of(columns: &Columns<'_>, groups: &Range<usize>) -> Range<usize> {
    columns.group_rows(groups.start).start..columns.group_rows(groups.end - 1).end
}

fn write_column(
    row_group: &mut SerializedRowGroupWriter<'_, File>,
    columns: &Columns<'_>,
    content: &Shown<'_>,
    groups: Range<usize>,
) -> Result<(), ParquetError> {
    let rows = rows_of(columns, &groups);
    let mut writer = row_group
        .next_column()?
        .ok_or_else(|| ParquetError::General("a column is missing in the schema".to_owned()))?;
    match content {
        Shown::Coded(codes, labels) => {
            let labels: Vec<ByteArray> =
                labels.iter().map(|&label| ByteArray::from(label)).collect();
            let texts: Vec<ByteArray> = codes[rows]
                .iter()
                .map(|&code| labels[code as usize].clone())
                .collect();
            writer
                .typed::<ByteArrayType>()
                .write_batch(&texts, None, None)?;
        }
        Shown::Cells(column, cells) => {
            let mut texts: Vec<ByteArray> = Vec::with_capacity(rows.len());
            for group in groups {
                let mut text = String::new();
                push_cell(&mut text, column, cells, group);
                let text = ByteArray::from(text.into_bytes());
                texts.extend(columns.group_rows(group).map(|_| text.clone()));
            }
            writer
                .typed::<ByteArrayType>()
                .write_batch(&texts, None, None)?;
        }
        Shown::Numbers(numbers) => {
            let numbers: Vec<i64> = numbers[rows]
                .iter()
                .map(|&number| i64::from(number))
                .collect();
            writer
                .typed::<Int64Type>()
                .write_batch(&numbers, None, None)?;
        }
        Shown::Group => {
            let number = |group: usize| columns.group_rows(group).map(move |_| group as i64 + 1);
            let numbers: Vec<i64> = groups.flat_map(number).collect();
            writer
                .typed::<Int64Type>()
                .write_batch(&numbers, None, None)?;
        }
    }
    writer.close()
}
