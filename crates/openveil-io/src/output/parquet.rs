//! Parquet: text columns, and the group's number as an integer.

use super::Progress;
use super::text::{Columns, Content, push_cell};
use crate::{Error, Place};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Rows of one record batch.
const BATCH_ROWS: usize = 1 << 16;

pub(super) fn write(
    path: &Path,
    columns: &Columns<'_>,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let failed = |cause: &dyn std::fmt::Display| {
        Error::new(Place::file(path), format!("cannot write the file: {cause}"))
    };
    let file = File::create(path).map_err(|cause| Error::io(path, "write the file", &cause))?;
    let field = |(name, content): (&String, &Content<'_>)| {
        let data_type = match content {
            Content::Cells(..) | Content::Coded(..) => DataType::Utf8,
            Content::Group | Content::Numbers(_) => DataType::UInt32,
        };
        Field::new(name, data_type, false)
    };
    let fields: Vec<Field> = columns
        .names
        .iter()
        .zip(&columns.contents)
        .map(field)
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut writer =
        ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(|c| failed(&c))?;
    for groups in columns.stretches(BATCH_ROWS) {
        let arrays = columns
            .contents
            .iter()
            .map(|content| array(columns, content, groups.clone()));
        let batch =
            RecordBatch::try_new(schema.clone(), arrays.collect()).map_err(|c| failed(&c))?;
        writer.write(&batch).map_err(|c| failed(&c))?;
        progress(batch.num_rows() as u64);
    }
    writer.close().map_err(|c| failed(&c))?;
    Ok(())
}

fn array(columns: &Columns<'_>, content: &Content<'_>, groups: Range<usize>) -> ArrayRef {
    let rows = columns.group_rows(groups.start).start..columns.group_rows(groups.end - 1).end;
    match content {
        Content::Coded(codes, labels) => Arc::new(StringArray::from_iter_values(
            codes[rows].iter().map(|&code| labels[code as usize]),
        )),
        Content::Numbers(numbers) => Arc::new(UInt32Array::from(numbers[rows].to_vec())),
        Content::Group => {
            Arc::new(UInt32Array::from_iter_values(groups.flat_map(|group| {
                columns.group_rows(group).map(move |_| group as u32 + 1)
            })))
        }
        Content::Cells(column, cells) => {
            let mut texts: Vec<String> = Vec::with_capacity(rows.len());
            for group in groups {
                let mut text = String::new();
                push_cell(&mut text, column, cells, group);
                texts.extend(columns.group_rows(group).map(|_| text.clone()));
            }
            Arc::new(StringArray::from(texts))
        }
    }
}
