//! CSV: groups are formatted in parallel and written in order.

use super::slices::SlicedClasses;
use super::text::{Codes, ColumnContents, TextColumns, push_bound, push_cell, push_number};
use super::{RowsWritten, TableWriter};
use crate::Error;
use crate::formulas;
use crate::policy::{Compression, OutputFormat};
use openveil_core::coins::Coins;
use rayon::prelude::*;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

/// The number of pieces that are formatted before they are passed to the writing thread.
const PIECES: usize = 8;

/// A file to which tables of the same columns are appended.
pub(super) struct CsvWriter {
    path: PathBuf,
    output: OutputFormat,
    sink: CompressedFile,
    has_header: bool,
}

impl CsvWriter {
    pub(super) fn create(path: &Path, output: OutputFormat) -> Result<Self, Error> {
        let file =
            File::create(path).and_then(|file| CompressedFile::new(file, output.compression));
        Ok(Self {
            path: path.to_owned(),
            output,
            sink: file.map_err(|cause| Error::io(path, "write the file", &cause))?,
            has_header: false,
        })
    }
}

impl TableWriter for CsvWriter {
    fn append(
        &mut self,
        columns: &TextColumns<'_>,
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<(), Error> {
        let mut stretches = SlicedClasses::all(columns, coins);
        let lines = RowFormatter::new(columns, self.output);
        let sink = &mut self.sink;
        let with_header = !std::mem::replace(&mut self.has_header, true);
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel::<Vec<String>>(1);
            let thread = std::thread::Builder::new();
            let writer = thread.spawn_scoped(scope, move || -> io::Result<()> {
                receiver
                    .into_iter()
                    .flatten()
                    .try_for_each(|piece: String| sink.write_all(piece.as_bytes()))
            })?;
            let header = with_header.then(|| lines.header());
            let mut listening = sender.send(header.into_iter().collect()).is_ok();
            for stretches in stretches.chunks_mut(PIECES) {
                if !listening {
                    break;
                }
                let pieces = stretches.par_iter_mut().map(|stretch| {
                    progress(columns.rows_of(&stretch.classes).len() as u64);
                    lines.of_stretch(stretch)
                });
                listening = sender.send(pieces.collect()).is_ok();
            }
            drop(sender);
            writer.join().expect("the writing thread does not panic")
        })
        .map_err(|cause| Error::io(&self.path, "write the file", &cause))
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let finished = self.sink.finish();
        finished.map_err(|cause| Error::io(&self.path, "write the file", &cause))
    }
}

/// A file, possibly behind a compressor.
enum CompressedFile {
    Plain(File),
    Gzip(flate2::write::GzEncoder<File>),
    Zstd(zstd::Encoder<'static, File>),
}

impl CompressedFile {
    fn new(file: File, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::Plain => Self::Plain(file),
            Compression::Gzip => {
                Self::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            Compression::Zstd => Self::Zstd(zstd::Encoder::new(file, 0)?),
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<()> {
        let mut file = match self {
            Self::Plain(file) => file,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        file.flush()
    }
}

/// Formats rows; formats the part that all rows of a class share only once.
struct RowFormatter<'a> {
    columns: &'a TextColumns<'a>,
    fields: Fields,
    /// For columns with a value per row, the text of each code with quotes where needed.
    labels: Vec<Vec<String>>,
}

impl<'a> RowFormatter<'a> {
    fn new(columns: &'a TextColumns<'a>, output: OutputFormat) -> Self {
        let fields = Fields {
            delimiter: char::from(output.delimiter),
            spreadsheet_safe: output.spreadsheet_safe,
        };
        Self {
            columns,
            fields,
            labels: columns
                .contents
                .iter()
                .map(|content: &ColumnContents<'_>| match content {
                    ColumnContents::Rows(_, values) => values
                        .labels
                        .iter()
                        .map(|label| {
                            let mut text = (*label).to_owned();
                            fields.finish(&mut text, 0);
                            text
                        })
                        .collect(),
                    _ => Vec::new(),
                })
                .collect(),
        }
    }

    fn header(&self) -> String {
        let mut line = String::new();
        for (position, name) in self.columns.names.iter().enumerate() {
            if position > 0 {
                line.push(self.fields.delimiter);
            }
            let start = line.len();
            line.push_str(name);
            self.fields.finish(&mut line, start);
        }
        line.push('\n');
        line
    }

    fn of_stretch(&self, stretch: &mut SlicedClasses) -> String {
        let dealt = stretch.dealt(self.columns);
        let first = self.columns.rows_of(&stretch.classes).start;
        let mut text = String::new();
        // The part that the rows of a class share, with the end of each column's field.
        let mut shared = String::new();
        let mut ends = Vec::with_capacity(self.columns.contents.len());
        for class in stretch.classes.clone() {
            shared.clear();
            ends.clear();
            for content in &self.columns.contents {
                let start = shared.len();
                match content {
                    ColumnContents::Cells(column, cells) => {
                        push_cell(&mut shared, column, cells, class);
                        self.fields.finish(&mut shared, start);
                    }
                    ColumnContents::Bound(codes, values) => {
                        push_bound(&mut shared, values.labels[codes[class] as usize]);
                    }
                    ColumnContents::Group => {
                        push_number(&mut shared, self.columns.group_number(class));
                    }
                    ColumnContents::Class => {
                        push_number(&mut shared, self.columns.class_number(class));
                    }
                    ColumnContents::Rows(..) | ColumnContents::Numbers(_) => {}
                }
                ends.push(shared.len());
            }
            for row in self.columns.class_rows(class) {
                let code = |codes: &Codes<'_>| match codes {
                    Codes::InOrder(codes) => codes[row],
                    Codes::Slice(slice) => dealt[*slice][row - first],
                };
                self.push_row(&mut text, row, &code, (&shared, &ends));
            }
        }
        text
    }

    fn push_row(
        &self,
        text: &mut String,
        row: usize,
        code: &impl Fn(&Codes<'_>) -> u32,
        (shared, ends): (&str, &[usize]),
    ) {
        let mut start = 0;
        for (position, content) in self.columns.contents.iter().enumerate() {
            if position > 0 {
                text.push(self.fields.delimiter);
            }
            match content {
                ColumnContents::Rows(codes, _) => {
                    text.push_str(&self.labels[position][code(codes) as usize]);
                }
                ColumnContents::Numbers(numbers) => push_number(text, u64::from(numbers[row])),
                ColumnContents::Cells(..)
                | ColumnContents::Bound(..)
                | ColumnContents::Group
                | ColumnContents::Class => {
                    text.push_str(&shared[start..ends[position]]);
                }
            }
            start = ends[position];
        }
        text.push('\n');
    }
}

/// The format of fields.
#[derive(Clone, Copy)]
struct Fields {
    delimiter: char,
    spreadsheet_safe: bool,
}

impl Fields {
    /// Turns the text from `start` on into a field: with an apostrophe in front if a spreadsheet
    /// would run it, and in quotes if a reader of CSV needs them.
    fn finish(self, text: &mut String, start: usize) {
        if self.spreadsheet_safe && formulas::is_marked(&text[start..]) {
            text.insert(start, formulas::MARK);
        }
        if let Cow::Owned(quoted) = quoted(&text[start..], self.delimiter) {
            text.truncate(start);
            text.push_str(&quoted);
        }
    }
}

/// Returns a field of CSV, in quotes if a reader needs them.
pub fn quoted(field: &str, delimiter: char) -> Cow<'_, str> {
    // A byte order mark at the start of the first field would be mistaken for the file's mark.
    let is_cut = field.starts_with([' ', '\u{feff}']) || field.ends_with(' ');
    if field.contains([delimiter, '"', '\n', '\r']) || is_cut {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}
