//! Arrow: typed values and bounds, other cells as text, for programs that take tables from memory
//! or from a pipe.

use super::slices::SlicedClasses;
use super::text::{CodeTexts, Codes, ColumnContents, TextColumns, push_cell};
use super::typed::{Typed, typed};
use super::{Manifest, RowsWritten, TableWriter};
use crate::release_dir::Texts;
use crate::source::Batches;
use crate::{Error, Location};
use arrow_array::builder::{ArrayBuilder, StringBuilder, StringViewBuilder};
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray, RecordBatch};
use arrow_array::{DictionaryArray, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use openveil_core::coins::Coins;
use openveil_text::text;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of stretches in a batch; offsets of 32 bits suffice for their texts.
const STRETCHES: usize = 8;

/// The key of a stream's schema metadata under which the manifest is stored.
const METADATA: &str = "openveil.manifest";

/// Returns the columns as batches in memory.
///
/// # Errors
/// A value that is not of its column's type.
pub(super) fn batches(
    columns: &TextColumns<'_>,
    texts: Texts,
    coins: &mut dyn Coins,
    progress: RowsWritten<'_>,
) -> Result<Batches, Error> {
    let made = batches_of(columns, texts, coins, progress);
    made.map_err(|cause| Error::new(Location::default(), cause.to_string()))
        .and_then(|(schema, batches)| Batches::new(schema, batches))
}

/// An IPC file that grows by tables of the same columns.
pub(super) struct ArrowWriter {
    path: PathBuf,
    /// Taken by the writer, which needs the columns of the first table.
    file: Option<File>,
    writer: Option<FileWriter<BufWriter<File>>>,
}

impl ArrowWriter {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|cause| Error::io(path, "write the file", &cause))?;
        Ok(Self { path: path.to_owned(), file: Some(file), writer: None })
    }

    fn failed(&self, cause: ArrowError) -> Error {
        match cause {
            ArrowError::IoError(_, cause) => Error::io(&self.path, "write the file", &cause),
            cause => {
                Error::new(Location::file(&self.path), text!("cannot write the file: {cause}"))
            }
        }
    }
}

impl TableWriter for ArrowWriter {
    fn append(
        &mut self,
        columns: &TextColumns<'_>,
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<(), Error> {
        batches_of(columns, Texts::Plain, coins, progress)
            .and_then(|(schema, batches)| {
                if let Some(file) = self.file.take() {
                    let options = IpcWriteOptions::default()
                        .try_with_compression(Some(CompressionType::ZSTD))?;
                    let file = BufWriter::new(file);
                    self.writer = Some(FileWriter::try_new_with_options(file, &schema, options)?);
                }
                let writer = self.writer.as_mut().expect("the file was begun");
                batches.iter().try_for_each(|batch| writer.write(batch))
            })
            .map_err(|cause| self.failed(cause))
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let finished = self.writer.as_mut().map_or(Ok(()), FileWriter::finish);
        finished.map_err(|cause| self.failed(cause))
    }
}

/// Writes a table as an IPC stream, with the manifest in the metadata of the schema.
///
/// # Errors
/// An output that cannot be written.
pub(crate) fn write_stream(
    table: &Batches,
    manifest: &Manifest,
    out: impl Write,
) -> std::io::Result<()> {
    let manifest = serde_json::to_string(manifest)?;
    let metadata = HashMap::from([(METADATA.to_owned(), manifest)]);
    let written = table.with_metadata(metadata).write_stream(BufWriter::new(out));
    written.map_err(|cause| match cause {
        ArrowError::IoError(_, cause) => cause,
        cause => std::io::Error::other(cause),
    })
}

fn batches_of(
    columns: &TextColumns<'_>,
    texts: Texts,
    coins: &mut dyn Coins,
    progress: RowsWritten<'_>,
) -> Result<(Arc<Schema>, Vec<RecordBatch>), ArrowError> {
    let kinds: Vec<Storage> = columns
        .contents
        .iter()
        .map(|content| Storage::new(content, texts))
        .collect::<Result<_, ArrowError>>()?;
    let fields = columns.names.iter().zip(&kinds).map(Storage::field);
    let schema = Arc::new(Schema::new(fields.collect::<Vec<Field>>()));
    let mut stretches = SlicedClasses::all(columns, coins);
    let batches = stretches.par_chunks_mut(STRETCHES).map(|stretches| {
        let part = BatchPart {
            columns,
            dealt: SlicedClasses::dealt_all(stretches, columns),
            classes: stretches[0].classes.start..stretches[stretches.len() - 1].classes.end,
        };
        let arrays = columns
            .contents
            .par_iter()
            .zip(&kinds)
            .map(|(content, kind)| part.array(content, kind));
        progress(columns.rows_of(&part.classes).len() as u64);
        RecordBatch::try_new(schema.clone(), arrays.collect())
    });
    Ok((schema.clone(), batches.collect::<Result<_, ArrowError>>()?))
}

/// How a column's values are stored.
enum Storage {
    Text(Texts),
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
    Dates(Vec<Option<i32>>),
    Counts,
}

impl Storage {
    fn new(content: &ColumnContents<'_>, texts: Texts) -> Result<Self, ArrowError> {
        Ok(match content {
            ColumnContents::Cells(..) => Self::Text(texts),
            ColumnContents::Group | ColumnContents::Class | ColumnContents::Numbers(_) => {
                Self::Counts
            }
            ColumnContents::Rows(_, values) | ColumnContents::Bound(_, values) => {
                match typed(values).map_err(ArrowError::ParseError)? {
                    Typed::Text => Self::Text(texts),
                    Typed::Integers(known) => Self::Integers(known),
                    Typed::Numbers(known) => Self::Numbers(known),
                    Typed::Booleans(known) => Self::Booleans(known),
                    Typed::Dates(known) => Self::Dates(known),
                }
            }
        })
    }

    fn field((name, kind): (&String, &Self)) -> Field {
        fn misses<T>(known: &[Option<T>]) -> bool {
            known.iter().any(Option::is_none)
        }
        let (data_type, optional) = match kind {
            Self::Text(Texts::Plain) => (DataType::Utf8, false),
            Self::Text(Texts::Views) => (DataType::Utf8View, false),
            Self::Text(Texts::Keyed) => {
                let types = [DataType::Int32, DataType::Utf8].map(Box::new);
                let [keys, texts] = types;
                (DataType::Dictionary(keys, texts), false)
            }
            Self::Integers(known) => (DataType::Int64, misses(known)),
            Self::Numbers(known) => (DataType::Float64, misses(known)),
            Self::Booleans(known) => (DataType::Boolean, misses(known)),
            Self::Dates(known) => (DataType::Date32, misses(known)),
            Self::Counts => (DataType::Int64, false),
        };
        Field::new(name, data_type, optional)
    }
}

/// Consecutive classes that form a batch.
struct BatchPart<'a> {
    columns: &'a TextColumns<'a>,
    classes: std::ops::Range<usize>,
    /// The shuffled codes of each slice.
    dealt: Vec<Vec<u32>>,
}

impl BatchPart<'_> {
    fn array(&self, content: &ColumnContents<'_>, kind: &Storage) -> ArrayRef {
        match content {
            ColumnContents::Rows(codes, values) => {
                let codes = match codes {
                    Codes::InOrder(codes) => &codes[self.columns.rows_of(&self.classes)],
                    Codes::Slice(slice) => &self.dealt[*slice],
                };
                of_codes(codes.iter().copied(), values, kind)
            }
            ColumnContents::Bound(codes, values) => {
                of_codes(self.each_row(|class| codes[class]), values, kind)
            }
            ColumnContents::Cells(quasi, cells) => {
                let mut texts = TextColumn::new(kind);
                let mut text = String::new();
                for class in self.classes.clone() {
                    text.clear();
                    push_cell(&mut text, quasi, cells, class);
                    texts.push(&text, self.columns.class_rows(class).len());
                }
                texts.finish()
            }
            ColumnContents::Numbers(numbers) => {
                let numbers = &numbers[self.columns.rows_of(&self.classes)];
                counts(numbers.iter().map(|&number| i64::from(number)))
            }
            ColumnContents::Class => {
                counts(self.each_row(|class| self.columns.class_number(class) as i64))
            }
            ColumnContents::Group => {
                counts(self.each_row(|class| self.columns.group_number(class) as i64))
            }
        }
    }

    /// Returns the value of its class for each row.
    fn each_row<T: Copy>(&self, of_class: impl Fn(usize) -> T) -> impl Iterator<Item = T> {
        let classes = self.classes.clone();
        classes.flat_map(move |class| {
            std::iter::repeat_n(of_class(class), self.columns.class_rows(class).len())
        })
    }
}

/// A column of texts under construction.
enum TextColumn {
    Plain(StringBuilder),
    Views(StringViewBuilder),
    Keyed(StringBuilder, Vec<i32>),
}

impl TextColumn {
    fn new(kind: &Storage) -> Self {
        match kind {
            Storage::Text(Texts::Views) => Self::Views(StringViewBuilder::new()),
            Storage::Text(Texts::Keyed) => Self::Keyed(StringBuilder::new(), Vec::new()),
            _ => Self::Plain(StringBuilder::new()),
        }
    }

    /// Appends a text for so many rows.
    fn push(&mut self, text: &str, rows: usize) {
        match self {
            Self::Plain(texts) => (0..rows).for_each(|_| texts.append_value(text)),
            Self::Views(texts) => (0..rows).for_each(|_| texts.append_value(text)),
            Self::Keyed(texts, keys) => {
                keys.extend(std::iter::repeat_n(texts.len() as i32, rows));
                texts.append_value(text);
            }
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Plain(mut texts) => Arc::new(texts.finish()),
            Self::Views(mut texts) => Arc::new(texts.finish()),
            Self::Keyed(mut texts, keys) => keyed(keys.into_iter(), Arc::new(texts.finish())),
        }
    }
}

fn keyed(keys: impl Iterator<Item = i32>, texts: ArrayRef) -> ArrayRef {
    let keys = PrimitiveArray::<Int32Type>::from_iter_values(keys);
    Arc::new(DictionaryArray::new(keys, texts))
}

fn counts(numbers: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(PrimitiveArray::<Int64Type>::from_iter_values(numbers))
}

/// Returns the values that codes stand for.
fn of_codes(codes: impl Iterator<Item = u32>, values: &CodeTexts<'_>, kind: &Storage) -> ArrayRef {
    match kind {
        Storage::Integers(known) => primitive::<Int64Type>(codes, known),
        Storage::Numbers(known) => primitive::<Float64Type>(codes, known),
        Storage::Dates(known) => primitive::<Date32Type>(codes, known),
        Storage::Booleans(known) => {
            let values = codes.map(|code| known[code as usize]);
            Arc::new(values.collect::<BooleanArray>())
        }
        Storage::Text(Texts::Keyed) => {
            let labels = StringArray::from_iter_values(&values.labels);
            keyed(codes.map(|code| code as i32), Arc::new(labels))
        }
        Storage::Text(_) | Storage::Counts => {
            let mut texts = TextColumn::new(kind);
            codes.for_each(|code| texts.push(values.labels[code as usize], 1));
            texts.finish()
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(
    codes: impl Iterator<Item = u32>,
    known: &[Option<T::Native>],
) -> ArrayRef {
    let numbers = codes.map(|code| known[code as usize]);
    Arc::new(numbers.collect::<PrimitiveArray<T>>())
}
