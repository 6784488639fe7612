//! Tables in memory in Arrow's layout, and files and streams of them.

use super::Codebook;
use super::{blanks, claims, type_of, untrusted};
use crate::{Error, Location};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::collections::HashMap;
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// The key in a column's metadata for its label in a codebook.
const LABEL: &str = "label";

/// The key in a column's metadata for the codebook of its values.
const CODES: &str = "codes";

/// A table in memory: batches of one schema. Clones share the data.
#[derive(Clone)]
pub struct Batches {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

impl Debug for Batches {
    // Values must not appear in a log.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Batches({} rows)", self.rows())
    }
}

impl Batches {
    /// Makes a table of batches that have the schema.
    ///
    /// # Errors
    /// A batch of another schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self, Error> {
        if batches.iter().any(|batch| batch.schema().fields() != schema.fields()) {
            let problem = "the batches of the table have different columns";
            return Err(Error::new(Location::default(), problem));
        }
        Ok(Self { schema, batches: batches.into() })
    }

    /// Returns the schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the rows, in order.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Returns this table with metadata in its schema.
    pub(crate) fn with_metadata(&self, metadata: HashMap<String, String>) -> Self {
        let schema = self.schema.as_ref().clone().with_metadata(metadata);
        Self { schema: Arc::new(schema), batches: self.batches.clone() }
    }

    /// Returns this table with the labels of columns and the codebooks of their values, by the name
    /// of the column, in its columns' metadata.
    #[must_use]
    pub fn with_codebooks(
        &self,
        labels: &HashMap<String, String>,
        codes: &HashMap<String, Codebook>,
    ) -> Self {
        let codes = |name| serde_json::to_string(codes.get(name)?).ok();
        let fields: Vec<Field> = self
            .schema
            .fields()
            .iter()
            .map(|field| {
                let mut metadata = field.metadata().clone();
                let label = labels.get(field.name()).map(|label| (LABEL.to_owned(), label.clone()));
                let codes = codes(field.name()).map(|codes| (CODES.to_owned(), codes));
                metadata.extend(label.into_iter().chain(codes));
                field.as_ref().clone().with_metadata(metadata)
            })
            .collect();
        let schema = Arc::new(Schema::new(fields).with_metadata(self.schema.metadata().clone()));
        let batches = self.batches.iter().map(|batch| {
            let labelled = batch.clone().with_schema(schema.clone());
            labelled.expect("only metadata differs")
        });
        Self { batches: batches.collect(), schema: schema.clone() }
    }

    /// Returns a column's label in a codebook.
    pub fn label(&self, name: &str) -> Option<&str> {
        let field = self.schema.field_with_name(name).ok()?;
        field.metadata().get(LABEL).map(String::as_str)
    }

    /// Returns a column's codebook, with its label.
    pub fn codes(&self, name: &str) -> Option<Codebook> {
        let field = self.schema.field_with_name(name).ok()?;
        let codes = field.metadata().get(CODES).and_then(|text| serde_json::from_str(text).ok());
        let label = self.label(name).map(str::to_owned);
        if codes.is_none() && label.is_none() {
            return None;
        }
        Some(Codebook { label, ..codes.unwrap_or_default() })
    }

    /// Returns the columns of texts whose values have an order, such as ordered categories, with
    /// the values, least first.
    pub fn orders(&self) -> Vec<(String, Vec<String>)> {
        let order = |(index, field): (usize, &Arc<Field>)| {
            let is_ordered = field.dict_is_ordered() == Some(true);
            let values = self
                .batches
                .first()
                .filter(|_| is_ordered)?
                .column(index)
                .as_any_dictionary_opt()?
                .values();
            let texts: Vec<Option<&str>> = match values.data_type() {
                DataType::Utf8 => values.as_string::<i32>().iter().collect(),
                DataType::LargeUtf8 => values.as_string::<i64>().iter().collect(),
                DataType::Utf8View => values.as_string_view().iter().collect(),
                _ => return None,
            };
            let texts = texts.into_iter().flatten().map(str::to_owned);
            Some((field.name().clone(), texts.collect()))
        };
        self.schema.fields().iter().enumerate().filter_map(order).collect()
    }

    /// Returns whether a column holds numbers, days or points in time.
    pub fn has_numbers(&self, name: &str) -> bool {
        let field = self.schema.field_with_name(name);
        field.is_ok_and(|field| matches!(type_of(field.data_type()), "integer" | "number" | "date"))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Reads a stream or a file in the IPC format; the first bytes tell which it is.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        Self::begun(path, usize::MAX)
    }

    /// Reads the columns of a file, without its rows.
    pub(super) fn read_schema(path: &Path) -> Result<Self, Error> {
        Self::begun(path, 0)
    }

    /// Reads at most so many batches.
    fn begun(path: &Path, most: usize) -> Result<Self, Error> {
        if path.as_os_str() == "-" {
            return Self::of_stream(path, io::stdin().lock(), most);
        }
        let mut file =
            File::open(path).map_err(|cause| Error::io(path, "open the file", &cause))?;
        // A pipe can be read only once, so it cannot be checked before.
        if !file
            .metadata()
            .map_err(|cause: io::Error| Error::io(path, "read the file", &cause))?
            .is_file()
        {
            return Self::of_stream(path, BufReader::new(file), most);
        }
        let has_end = claims::check(path, &mut file)?;
        let file = BufReader::new(file);
        if !has_end {
            return Self::of_stream(path, file, most);
        }
        Self::of_reader(path, || {
            let reader = FileReader::try_new(file, None)?;
            Ok((reader.schema(), reader.take(most).collect::<Result<_, _>>()?))
        })
    }

    /// Writes the table as a stream in the IPC format.
    pub(crate) fn write_stream(&self, out: impl Write) -> Result<(), ArrowError> {
        let mut writer = StreamWriter::try_new(out, &self.schema)?;
        self.batches.iter().try_for_each(|batch| writer.write(batch))?;
        writer.finish()
    }

    fn of_stream(path: &Path, stream: impl Read, most: usize) -> Result<Self, Error> {
        Self::of_reader(path, || {
            let reader = StreamReader::try_new(stream, None)?;
            Ok((reader.schema(), reader.take(most).collect::<Result<_, _>>()?))
        })
    }

    fn of_reader(
        path: &Path,
        read: impl FnOnce() -> Result<(SchemaRef, Vec<RecordBatch>), ArrowError>,
    ) -> Result<Self, Error> {
        let read =
            untrusted::guarded(read, || ArrowError::IpcError("the file is damaged".to_owned()));
        let (schema, batches) = read.map_err(|cause| claims::malformed(path, cause))?;
        Self::new(schema, batches)
    }

    pub(super) fn names(&self, trim: bool) -> Vec<String> {
        self.schema
            .fields()
            .iter()
            .map(|field| {
                if trim { blanks::trim_text(field.name()).to_owned() } else { field.name().clone() }
            })
            .collect()
    }
}

/// Returns whether standard input holds a stream in the IPC format: no text starts like one.
/// Consumes nothing.
pub(super) fn is_on_stdin() -> bool {
    let start = [0xff, 0xff];
    let mut stdin = io::stdin().lock();
    stdin.fill_buf().is_ok_and(|waiting| waiting.starts_with(&start))
}
