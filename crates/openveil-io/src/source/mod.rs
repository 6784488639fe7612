//! Reads text, Parquet, Arrow and workbooks into dictionary-coded columns.

mod arrow;
mod batches;
mod blanks;
mod claims;
mod codebook;
mod content;
mod csv;
mod delimiter;
mod dictionary;
mod encoding;
mod excel;
mod fingerprint;
mod folder;
mod parquet;
mod quotes;
mod raw;
mod shown;
mod sink;
mod split;
mod stream;
mod text;
mod untrusted;

pub use arrow::type_of;
pub use batches::Batches;
pub(crate) use blanks::INVISIBLE;
pub use codebook::Codebook;
pub use delimiter::delimiter;
pub use delimiter::{delimiter_of_text, likely_delimiter, shown_delimiter};
pub use dictionary::{Dictionary, FirstSeen};
pub use encoding::{Encoding, likely_encoding};
pub use excel::SheetsOfFile;
pub use fingerprint::Fingerprint;
pub(crate) use parquet::is_list;
pub use quotes::is_escaped_by_backslash;
pub use raw::{RawColumn, RawTable};
pub(crate) use sink::Take;
pub use split::{records, records_of_text, text_of};
pub use untrusted::is_guarded;

use crate::{Error, Location};
use openveil_text::{Text, text};
use sink::{Sink, pending};
use std::path::{Path, PathBuf};

/// The place of a table, and its format.
#[derive(Debug, Clone)]
pub struct Source {
    /// A file, a folder of files, a pattern such as `part-*.csv`, or `-` for standard input; for a
    /// table in memory, its name in messages.
    pub path: PathBuf,
    /// A table in memory, which is then read instead of a file.
    pub memory: Option<Batches>,
    /// CSV, Parquet, Arrow or a workbook; if not given, the file's extension decides.
    pub format: Option<Format>,
    /// Separator of the fields of a CSV file.
    pub delimiter: u8,
    /// The byte before a quotation mark inside of a field of a CSV file, if it is not doubled.
    pub escape: Option<u8>,
    /// The encoding of a CSV file; if not given, UTF-8, or UTF-16 if the file starts with its byte
    /// order mark.
    pub encoding: Option<Encoding>,
    /// The sheet of a workbook to read; if not given, the first.
    pub sheet: Option<String>,
    /// Column names, for CSV files and sheets whose first line is not a header.
    pub names: Option<Vec<String>>,
    /// Whether blanks around a field are removed.
    pub trim: bool,
    /// Whether Parquet columns of lists of texts are read, as the sets `{a|b}` that
    /// releases show.
    pub lists: bool,
}

/// The format of a table in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Text with a delimiter; possibly compressed (`.gz`, `.zst`).
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow's IPC format: a stream or a file.
    Arrow,
    /// A workbook of Excel or OpenDocument.
    Excel,
}

impl Format {
    /// Returns the format of a file by its name.
    pub(crate) fn by_name(file: &Path) -> Self {
        file.extension()
            .map_or(Self::Csv, |ending| Self::of_ending(&ending.to_string_lossy().to_lowercase()))
    }

    /// Returns the format of files with this extension, in lower case.
    fn of_ending(ending: &str) -> Self {
        match ending {
            "parquet" => Self::Parquet,
            _ if ARROW_ENDINGS.contains(&ending) => Self::Arrow,
            _ if excel::ENDINGS.contains(&ending) => Self::Excel,
            _ => Self::Csv,
        }
    }
}

/// A column that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// Its name.
    pub column: String,
    /// The reason: its type or its content.
    pub reason: Text,
}

/// The name of a table in memory in messages, if no other is given.
pub const IN_MEMORY: &str = "table";

/// The extensions of files in Arrow's IPC format.
const ARROW_ENDINGS: [&str; 4] = ["arrow", "arrows", "feather", "ipc"];

/// Receives the number of bytes of input read since the last call.
pub type BytesRead<'a> = &'a (dyn Fn(u64) + Sync);

/// Returns which columns of a header are wanted, or the problem with it.
pub type Choose<'a> = &'a dyn Fn(&[String]) -> Result<Vec<bool>, Error>;

impl Source {
    /// Makes a source with the usual settings: comma-separated, with a header.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            memory: None,
            format: None,
            delimiter: b',',
            escape: None,
            encoding: None,
            sheet: None,
            names: None,
            trim: false,
            lists: false,
        }
    }

    /// Makes a source of a table in memory, with its name in messages.
    pub fn of_memory(name: impl Into<PathBuf>, table: Batches) -> Self {
        Self { memory: Some(table), ..Self::new(name) }
    }

    /// Sets another file, folder or pattern to read; its extension decides the format.
    pub fn turn_to(&mut self, path: impl Into<PathBuf>) {
        self.path = path.into();
        self.format = None;
        self.memory = None;
    }

    /// Returns whether the table comes from standard input.
    pub fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Returns whether its values are untyped text.
    pub fn is_text(&self) -> bool {
        self.is_all(Format::Csv)
    }

    /// Returns whether all of its files have a format.
    pub fn is_all(&self, format: Format) -> bool {
        self.memory.is_none()
            && self.files().is_ok_and(|files| {
                files.iter().map(|file| self.format_of(file)).all(|own| own == format)
            })
    }

    /// Returns the files that the path stands for, in order of name.
    ///
    /// # Errors
    /// If a pattern is malformed or matches nothing.
    pub fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let text = self.path.to_string_lossy();
        if self.memory.is_none() && self.path.is_dir() {
            return folder::files(&self.path, self.format);
        }
        if self.memory.is_some()
            || self.is_stdin()
            || self.path.exists()
            || !text.contains(['*', '?', '['])
        {
            return Ok(vec![self.path.clone()]);
        }
        let matches = glob::glob(&text).map_err(|cause| {
            Error::new(Location::file(&self.path), text!("is not a file pattern: {}", cause.msg))
        })?;
        let mut files: Vec<PathBuf> = matches.filter_map(Result::ok).collect();
        files.sort();
        if files.is_empty() {
            return Err(
                Error::new(Location::file(&self.path), "no file matches this pattern").help(
                    "`*` stands for any part of a name; patterns in a policy are relative to the policy's folder",
                ),
            );
        }
        Ok(files)
    }

    /// Returns the bytes of all files together, for a progress bar; none for standard input and
    /// tables in memory.
    pub fn total_bytes(&self) -> Option<u64> {
        if self.memory.is_some() {
            return None;
        }
        let sizes = self.files().ok()?;
        sizes.iter().map(|file| Some(std::fs::metadata(file).ok()?.len())).sum()
    }

    /// Returns the approximate number of rows of all files together: from Parquet's metadata, or
    /// estimated from the size of a text. `None` if it cannot be known before reading, or if the
    /// table is in memory already. Does not depend on who has which value.
    pub fn rows_about(&self, columns: usize) -> Option<u64> {
        if self.memory.is_some() || self.is_stdin() {
            return None;
        }
        self.files()
            .ok()?
            .iter()
            .map(|file| match self.format_of(file) {
                Format::Csv => text_rows(file, columns),
                Format::Parquet => parquet::rows(file).ok(),
                Format::Arrow | Format::Excel => None,
            })
            .sum()
    }

    /// Returns the names of the columns; reads no more than the header needs.
    ///
    /// # Errors
    /// A file that cannot be read, or that has no header.
    pub fn header(&self) -> Result<Vec<String>, Error> {
        let header = std::sync::Mutex::new(None);
        let read = self.read(
            &|names| {
                *header.lock().expect("nobody panics here") = Some(names.to_vec());
                Err(Error::new(Location::default(), "the header is enough"))
            },
            &|_| {},
        );
        match (header.into_inner().expect("nobody panics here"), read) {
            (Some(names), _) => Ok(names),
            (None, Err(error)) => Err(error),
            (None, Ok(_)) => Err(Error::new(Location::file(&self.path), "has no header")),
        }
    }

    /// Returns the columns and their types as policies name them: the types that a table in memory
    /// or the first of several files declares; `text` in CSV files and workbooks, and `list` for
    /// lists.
    ///
    /// # Errors
    /// A file that cannot be read or is malformed.
    pub fn types(&self) -> Result<Vec<(String, &'static str)>, Error> {
        let of_batches = |batches: &Batches| {
            let types = batches.schema().fields().iter().map(|field| type_of(field.data_type()));
            batches.names(self.trim).into_iter().zip(types).collect()
        };
        if let Some(table) = &self.memory {
            return Ok(of_batches(table));
        }
        let files = self.files()?;
        match files.first().map(|file| (file, self.format_of(file))) {
            Some((file, Format::Parquet)) => parquet::types(file, self.parquet_style()),
            Some((file, Format::Arrow)) => Ok(of_batches(&Batches::read_schema(file)?)),
            _ => Ok(self.header()?.into_iter().map(|name| (name, "text")).collect()),
        }
    }

    /// Reads a table of Arrow on standard input into memory, because it can be read only once and
    /// may be needed several times. Leaves any other input alone.
    ///
    /// # Errors
    /// A stream that is damaged.
    pub fn keep_stream(&mut self) -> Result<(), Error> {
        if self.memory.is_none() && self.is_stdin() && self.format_of(&self.path) == Format::Arrow {
            self.memory = Some(Batches::read(&self.path)?);
        }
        Ok(())
    }

    /// Returns the first bytes of a file of text: as UTF-8 if an encoding is given, otherwise
    /// unchanged.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds no text.
    pub fn head(&self, file: &Path, encoding: Option<Encoding>) -> Result<Vec<u8>, Error> {
        stream::head(file, encoding)
    }

    /// Reads the columns that `choose` picks from the header, one flag each; of other columns, only
    /// the name.
    ///
    /// Streams in O(bytes) time; memory is 4 bytes per cell read and the distinct
    /// values.
    ///
    /// # Errors
    /// A file that cannot be read, is malformed, has no rows, or does not have
    /// the columns of the first.
    pub fn read(&self, choose: Choose<'_>, progress: BytesRead<'_>) -> Result<RawTable, Error> {
        self.read_in_blocks(choose, &mut |_| Ok(()), progress)
    }

    /// Reads all columns, without progress reports.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn read_all(&self) -> Result<RawTable, Error> {
        self.read(&|names| Ok(vec![true; names.len()]), &|_| {})
    }

    /// Like [`Source::read`], but block by block. `take` receives all columns after about every
    /// 262,144 further rows, and at the end, and may take their codes away. Files of Arrow and
    /// workbooks arrive whole.
    ///
    /// # Errors
    /// As for [`Source::read`], and errors of `take`.
    pub fn read_in_blocks(
        &self,
        choose: Choose<'_>,
        take: Take<'_>,
        progress: BytesRead<'_>,
    ) -> Result<RawTable, Error> {
        let files = self.files()?;
        let mut columns: Vec<RawColumn> = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let mut sink = Sink { columns: &mut columns, choose, take, file, index };
            if let Some(table) = &self.memory {
                arrow::read(table, self.trim, self.lists, &mut sink, progress)?;
                continue;
            }
            untrusted::unchanged(file, || match self.format_of(file) {
                Format::Csv => csv::read(self, file, &mut sink, progress),
                Format::Parquet => parquet::read(file, self.parquet_style(), &mut sink, progress),
                Format::Excel => excel::read(self, file, &mut sink, progress),
                Format::Arrow => {
                    let table = Batches::read(file)?;
                    arrow::read(&table, self.trim, self.lists, &mut sink, progress)
                }
            })?;
        }
        let rows = pending(&columns);
        take(&mut columns)?;
        let table = RawTable { columns, rows, files, is_thinned: false };
        self.refuse_mixed(&table)?;
        Ok(table)
    }

    /// Refuses texts in the named encoding some of which were UTF-8: one value would be read as two.
    fn refuse_mixed(&self, table: &RawTable) -> Result<(), Error> {
        let Some(encoding) = self.encoding else {
            return Ok(());
        };
        let first = table
            .columns
            .iter()
            .flat_map(|column| {
                (0..)
                    .zip(column.values.iter())
                    .filter(move |(_, text)| encoding.misreads(text))
                    .map(move |(code, _)| (column, code))
            })
            .min_by_key(|(column, code)| {
                let seen = column.values.first_seen(*code);
                (seen.file, seen.line)
            });
        let Some((column, code)) = first else {
            return Ok(());
        };
        let problem = text!(
            "is UTF-8, but the file is to be read as `{}`: one value would be read as two",
            encoding.name()
        );
        let help = text!(
            "save the whole file in one encoding, and name it under [input]; UTF-8 needs no name"
        );
        Err(Error::new(table.place_of(column, code), problem).help(help))
    }

    /// Returns the columns that cannot be read for any role: columns of typed tables that are
    /// nested or whose type has no text form. They can only be dropped.
    ///
    /// # Errors
    /// A file that cannot be read or is malformed.
    pub fn unusable(&self) -> Result<Vec<Unusable>, Error> {
        if let Some(table) = &self.memory {
            return Ok(arrow::unusable(table, self.trim, self.lists));
        }
        let mut unusable: Vec<Unusable> = Vec::new();
        for file in self.files()? {
            let columns = match self.format_of(&file) {
                Format::Csv | Format::Excel => continue,
                Format::Parquet => parquet::unusable(&file, self.parquet_style())?,
                Format::Arrow => arrow::unusable(&Batches::read(&file)?, self.trim, self.lists),
            };
            for column in columns {
                if unusable.iter().all(|known| known.column != column.column) {
                    unusable.push(column);
                }
            }
        }
        Ok(unusable)
    }

    /// Returns the sheets of each workbook; empty for other formats.
    ///
    /// # Errors
    /// A workbook that cannot be read.
    pub fn workbooks(&self) -> Result<Vec<SheetsOfFile>, Error> {
        if self.memory.is_some() || self.is_stdin() {
            return Ok(Vec::new());
        }
        let files = self.files()?;
        files
            .iter()
            .filter(|file| self.format_of(file) == Format::Excel)
            .map(|file| excel::sheets(self, file))
            .collect()
    }

    fn parquet_style(&self) -> parquet::FileForm {
        parquet::FileForm { trim: self.trim, lists: self.lists }
    }

    fn format_of(&self, file: &Path) -> Format {
        self.format.unwrap_or_else(|| match file.extension() {
            None if self.is_stdin() && batches::is_on_stdin() => Format::Arrow,
            _ => Format::by_name(file),
        })
    }
}

/// The approximate number of bytes of a field and its delimiter.
const FIELD: u64 = 8;

/// Estimates the number of lines of a text with so many columns from its size, which does not
/// depend on who has which value. `None` if it is compressed.
fn text_rows(file: &Path, columns: usize) -> Option<u64> {
    let ending = file.extension().unwrap_or_default();
    if ["gz", "zst"].iter().any(|known| ending == *known) {
        return None;
    }
    let bytes = std::fs::metadata(file).ok()?.len();
    Some(bytes / (FIELD * columns.max(1) as u64))
}

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;
