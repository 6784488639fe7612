//! Parquet: typed values and bounds, sets as lists, other cells as text.

use super::slices::SlicedClasses;
use super::text::{CodeTexts, Codes, ColumnContents, TextColumns, parts, push_cell};
use super::typed::{Typed, typed};
use super::{RowsWritten, TableWriter};
use crate::policy::ValueType;
use crate::{Error, Location};
use bytes::Bytes;
use openveil_core::coins::Coins;
use openveil_core::release::Cells;
use openveil_core::table::{Column, Form};
use openveil_text::text;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::{
    ColumnCloseResult, ColumnWriter, get_column_writer, get_typed_column_writer_mut,
};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type};
use rayon::prelude::*;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of stretches in a row group.
const STRETCHES: usize = 16;

/// The number of values that are passed to the library at a time: more leave the processor's cache.
const PIECE: usize = 1 << 14;

/// A file to which tables of the same columns are appended.
pub(super) struct ParquetWriter {
    path: PathBuf,
    /// Taken by the writer, which needs the columns of the first table.
    file: Option<File>,
    writer: Option<SerializedFileWriter<File>>,
}

impl ParquetWriter {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|cause| Error::io(path, "write the file", &cause))?;
        Ok(Self { path: path.to_owned(), file: Some(file), writer: None })
    }

    fn try_append(
        &mut self,
        columns: &TextColumns<'_>,
        mut stretches: Vec<SlicedClasses>,
        progress: RowsWritten<'_>,
    ) -> Result<(), ParquetError> {
        if let Some(file) = self.file.take() {
            self.writer = Some(started(file, columns)?);
        }
        let writer = self.writer.as_mut().expect("the file was begun");
        for stretches in stretches.chunks_mut(STRETCHES) {
            let classes = stretches[0].classes.start..stretches[stretches.len() - 1].classes.end;
            let part = RowGroup {
                columns,
                dealt: SlicedClasses::dealt_all(stretches, columns),
                rows: columns.rows_of(&classes),
                classes,
            };
            let described = writer.schema_descr().columns();
            let encoded: Vec<_> = described
                .par_iter()
                .zip(&columns.contents)
                .map(|(column, content)| part.encoded(column, writer.properties(), content))
                .collect::<Result<_, _>>()?;
            let mut row_group = writer.next_row_group()?;
            for (bytes, closed) in encoded {
                row_group.append_column(&bytes, closed)?;
            }
            row_group.close()?;
            progress(part.rows.len() as u64);
        }
        Ok(())
    }

    fn failed(&self, cause: ParquetError) -> Error {
        let malformed = |cause: &dyn std::fmt::Display| {
            let problem = text!("cannot write the file: {cause}");
            Error::new(Location::file(&self.path), problem)
        };
        match cause {
            ParquetError::External(cause) => match cause.downcast_ref::<std::io::Error>() {
                Some(cause) => Error::io(&self.path, "write the file", cause),
                None => malformed(&cause),
            },
            cause => malformed(&cause),
        }
    }
}

impl TableWriter for ParquetWriter {
    fn append(
        &mut self,
        columns: &TextColumns<'_>,
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<(), Error> {
        let stretches = SlicedClasses::all(columns, coins);
        let appended = self.try_append(columns, stretches, progress);
        appended.map_err(|cause| self.failed(cause))
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        self.writer
            .as_mut()
            .map_or(Ok(()), |writer| writer.finish().map(drop))
            .map_err(|cause| self.failed(cause))
    }
}

/// Starts a file with the schema of some columns, and no rows.
fn started(
    file: File,
    columns: &TextColumns<'_>,
) -> Result<SerializedFileWriter<File>, ParquetError> {
    let fields =
        columns.names.iter().zip(&columns.contents).map(|(name, content)| field(name, content));
    let schema = Type::group_type_builder("release")
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let mut properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
    // The least and the greatest label of sets and of texts such as `[17, 24]` tell readers nothing.
    let schema = Arc::new(schema);
    for (column, content) in
        SchemaDescriptor::new(schema.clone()).columns().iter().zip(&columns.contents)
    {
        if matches!(content, ColumnContents::Cells(..)) {
            let path = column.path().clone();
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
    }
    SerializedFileWriter::new(file, schema, Arc::new(properties.build()))
}

/// Returns whether a column's cells are sets, which are written as lists even if they have one
/// member.
fn is_list(column: &Column, cells: &Cells) -> bool {
    match cells {
        Cells::Sets { .. } => true,
        Cells::Nodes { .. } => column.form() != Some(Form::Label),
        _ => false,
    }
}

fn field(name: &str, content: &ColumnContents<'_>) -> Result<Arc<Type>, ParquetError> {
    let text = (Physical::BYTE_ARRAY, Some(LogicalType::String));
    let ((physical, logical), optional) = match content {
        ColumnContents::Cells(column, cells) if is_list(column, cells) => return list(name),
        ColumnContents::Cells(..) => (text, false),
        ColumnContents::Rows(_, values) | ColumnContents::Bound(_, values) => {
            let of_type = match values.value_type {
                ValueType::Text => text,
                ValueType::Integer => (Physical::INT64, None),
                ValueType::Number => (Physical::DOUBLE, None),
                ValueType::Boolean => (Physical::BOOLEAN, None),
                ValueType::Date => (Physical::INT32, Some(LogicalType::Date)),
            };
            (of_type, is_optional(values))
        }
        ColumnContents::Group | ColumnContents::Class | ColumnContents::Numbers(_) => {
            ((Physical::INT64, None), false)
        }
    };
    let field = Type::primitive_type_builder(name, physical)
        .with_logical_type(logical)
        .with_repetition(if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED })
        .build()?;
    Ok(Arc::new(field))
}

/// Returns whether missing values are null, as in numbers and dates.
fn is_optional(values: &CodeTexts<'_>) -> bool {
    values.value_type != ValueType::Text && values.has_missing()
}

/// Returns the type of a list of texts, in the usual three levels.
fn list(name: &str) -> Result<Arc<Type>, ParquetError> {
    let element = Type::primitive_type_builder("element", Physical::BYTE_ARRAY)
        .with_logical_type(Some(LogicalType::String))
        .with_repetition(Repetition::REQUIRED)
        .build()?;
    let elements = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(element)])
        .build()?;
    let list = Type::group_type_builder(name)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(elements)])
        .build()?;
    Ok(Arc::new(list))
}

/// Consecutive classes that form a row group.
struct RowGroup<'a> {
    columns: &'a TextColumns<'a>,
    classes: Range<usize>,
    rows: Range<usize>,
    /// The shuffled codes of each slice.
    dealt: Vec<Vec<u32>>,
}

impl RowGroup<'_> {
    /// A column of the row group as the bytes of a file.
    fn encoded(
        &self,
        described: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
        content: &ColumnContents<'_>,
    ) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let mut bytes = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut bytes));
        let mut column = get_column_writer(described.clone(), properties.clone(), pages);
        self.write(&mut column, content)?;
        let closed = column.close()?;
        Ok((bytes.into_inner()?.into(), closed))
    }

    fn write(
        &self,
        column: &mut ColumnWriter<'_>,
        content: &ColumnContents<'_>,
    ) -> Result<(), ParquetError> {
        match content {
            ColumnContents::Rows(codes, values) => {
                let codes = match codes {
                    Codes::InOrder(codes) => &codes[self.rows.clone()],
                    Codes::Slice(slice) => &self.dealt[*slice],
                };
                write_values(column, codes, values)?;
            }
            ColumnContents::Bound(codes, values) => {
                let codes: Vec<u32> = self.each_row(|class| codes[class]);
                write_values(column, &codes, values)?;
            }
            ColumnContents::Cells(quasi, cells) if is_list(quasi, cells) => {
                let members = |class| parts(quasi, cells, class).into_iter().map(ByteArray::from);
                self.write_labels(column, |class| members(class).collect(), true)?;
            }
            ColumnContents::Cells(quasi, cells) => {
                let cell = |class| {
                    let mut text = String::new();
                    push_cell(&mut text, quasi, cells, class);
                    vec![ByteArray::from(text.into_bytes())]
                };
                self.write_labels(column, cell, false)?;
            }
            ColumnContents::Numbers(numbers) => {
                let numbers: Vec<i64> =
                    numbers[self.rows.clone()].iter().map(|&number| i64::from(number)).collect();
                get_typed_column_writer_mut::<Int64Type>(column)
                    .write_batch(&numbers, None, None)?;
            }
            ColumnContents::Class => {
                let numbers: Vec<i64> =
                    self.each_row(|class| self.columns.class_number(class) as i64);
                get_typed_column_writer_mut::<Int64Type>(column)
                    .write_batch(&numbers, None, None)?;
            }
            ColumnContents::Group => {
                let numbers: Vec<i64> =
                    self.each_row(|class| self.columns.group_number(class) as i64);
                get_typed_column_writer_mut::<Int64Type>(column)
                    .write_batch(&numbers, None, None)?;
            }
        }
        Ok(())
    }

    /// Returns the value of its class for each row.
    fn each_row<T: Clone>(&self, of_class: impl Fn(usize) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.rows.len());
        for class in self.classes.clone() {
            let rows = self.columns.class_rows(class).len();
            all.extend(std::iter::repeat_n(of_class(class), rows));
        }
        all
    }

    /// Writes the labels of its class for each row: as a list, or the only one.
    fn write_labels(
        &self,
        column: &mut ColumnWriter<'_>,
        labels_of: impl Fn(usize) -> Vec<ByteArray>,
        are_lists: bool,
    ) -> Result<(), ParquetError> {
        let column = get_typed_column_writer_mut::<ByteArrayType>(column);
        let (mut texts, mut starts): (Vec<ByteArray>, Vec<i16>) = Default::default();
        // Every list has members, and no member is null.
        let mut present: Vec<i16> = Vec::new();
        for class in self.classes.clone() {
            let labels = labels_of(class);
            for _ in self.columns.class_rows(class) {
                if are_lists {
                    starts.extend((0..labels.len()).map(|at| i16::from(at > 0)));
                }
                texts.extend_from_slice(&labels);
            }
            if texts.len() >= PIECE || class + 1 == self.classes.end {
                present.resize(starts.len(), 1);
                let levels = are_lists.then_some((&present[..], &starts[..])).unzip();
                column.write_batch(&texts, levels.0, levels.1)?;
                texts.clear();
                starts.clear();
            }
        }
        Ok(())
    }
}

/// Writes values by their type.
fn write_values(
    column: &mut ColumnWriter<'_>,
    codes: &[u32],
    values: &CodeTexts<'_>,
) -> Result<(), ParquetError> {
    match typed(values).map_err(ParquetError::General)? {
        Typed::Integers(known) => write_as::<Int64Type>(column, codes, &known),
        Typed::Numbers(known) => write_as::<DoubleType>(column, codes, &known),
        Typed::Booleans(known) => write_as::<BoolType>(column, codes, &known),
        Typed::Dates(known) => write_as::<Int32Type>(column, codes, &known),
        Typed::Text => {
            let known: Vec<_> =
                values.labels.iter().map(|label| Some(ByteArray::from(*label))).collect();
            write_as::<ByteArrayType>(column, codes, &known)
        }
    }
}

/// Writes values of one physical type; missing values as null.
fn write_as<T: DataType>(
    column: &mut ColumnWriter<'_>,
    codes: &[u32],
    known: &[Option<T::T>],
) -> Result<(), ParquetError> {
    let optional = known.iter().any(Option::is_none);
    let of_code = |&code: &u32| known[code as usize].clone();
    let is_known = |&code: &u32| i16::from(known[code as usize].is_some());
    let writer = get_typed_column_writer_mut::<T>(column);
    for codes in codes.chunks(PIECE) {
        let written: Vec<T::T> = codes.iter().filter_map(of_code).collect();
        let levels: Option<Vec<i16>> = optional.then(|| codes.iter().map(is_known).collect());
        writer.write_batch(&written, levels.as_deref(), None)?;
    }
    Ok(())
}
