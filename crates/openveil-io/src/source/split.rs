//! Splits delimited text into records. Tables, hierarchies and lists of values are all read here.

use super::quotes::Quotes;
use super::{Encoding, blanks, stream};
use crate::{Error, Location};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr, memrchr2};
use openveil_text::{Text, text};
use std::io::Read;
use std::path::Path;

/// The number of bytes read at a time.
const CHUNK: usize = 1 << 18;

/// The largest number of bytes of a record: a text without line breaks is no table, and may not fit
/// into memory.
const MOST_RECORD: usize = 1 << 26;

/// The number of bytes of fields at which a batch is passed on.
const BATCH: usize = 1 << 20;

/// Signs with a meaning in a text of records.
#[derive(Clone, Copy)]
pub(super) struct Signs {
    /// Separates fields.
    pub(super) delimiter: u8,
    /// Takes the meaning from a quotation mark inside of a field, if any sign does beside the mark
    /// itself.
    pub(super) escape: Option<u8>,
}

/// Whole records, with all fields end to end.
#[derive(Default)]
pub(super) struct Batch {
    text: Vec<u8>,
    /// The end of each field in `text`. Entries behind the last record mean nothing.
    ends: Vec<usize>,
    /// The line on which each record starts, counted from 1.
    pub(super) lines: Vec<u64>,
    /// The number of fields of each record.
    pub(super) widths: Vec<usize>,
}

/// Help for text in another encoding.
fn utf8_help() -> Text {
    text!(
        "under [input], name the encoding, for example `encoding = \"windows-1252\"` (`openveil inspect` guesses it), or save the file as UTF-8"
    )
}

/// Reads all records of a small file, with the line on which each starts; they may differ in width.
/// Blanks around fields are removed.
///
/// # Errors
/// A file that cannot be read, is not text in the encoding (`remedy` helps with this), or leaves a
/// quotation mark open.
pub fn records(
    file: &Path,
    doing: &'static str,
    delimiter: u8,
    encoding: Option<Encoding>,
    remedy: &Text,
) -> Result<Vec<(u64, Vec<String>)>, Error> {
    let input = stream::open(file, doing, encoding, &|_: u64| {})?;
    records_of(file, input, delimiter, (encoding, remedy))
}

/// Returns the text of a small file.
///
/// # Errors
/// A file that cannot be read, or is not text in the encoding.
pub fn text_of(
    file: &Path,
    doing: &'static str,
    encoding: Option<Encoding>,
) -> Result<String, Error> {
    let mut text = String::new();
    stream::open(file, doing, encoding, &|_: u64| {})?
        .read_to_string(&mut text)
        .map_err(|cause| Error::io(file, doing, &cause))?;
    Ok(text)
}

/// Like [`records`], but reads the contents of such a file from `text`.
///
/// # Errors
/// As [`records`].
pub fn records_of_text(
    file: &Path,
    text: &str,
    delimiter: u8,
) -> Result<Vec<(u64, Vec<String>)>, Error> {
    records_of(file, Box::new(text.as_bytes()), delimiter, (None, &utf8_help()))
}

fn records_of(
    file: &Path,
    input: Box<dyn Read + Send + '_>,
    delimiter: u8,
    (encoding, remedy): (Option<Encoding>, &Text),
) -> Result<Vec<(u64, Vec<String>)>, Error> {
    let mut records = Vec::new();
    let mut refused = Ok(());
    let signs = Signs { delimiter, escape: None };
    split(
        file,
        input,
        signs,
        || None,
        |batch| {
            refused = batch.unpack(&mut records).map_err(|line| {
                not_text(Location::file(file).line(line), encoding).help(remedy.clone())
            });
            refused.is_ok()
        },
    )?;
    refused.map(|()| records)
}

/// Splits text into batches of whole records until it ends or `take` returns false. `spare` may
/// return the memory of a batch that is no longer needed.
///
/// # Errors
/// A file that cannot be read further, or that ends inside of a quoted field.
pub(super) fn split(
    file: &Path,
    mut input: Box<dyn Read + Send + '_>,
    signs: Signs,
    spare: impl Fn() -> Option<Batch>,
    mut take: impl FnMut(Batch) -> bool,
) -> Result<(), Error> {
    let Signs { delimiter, escape } = signs;
    let mut reader = ReaderBuilder::new().delimiter(delimiter).escape(escape).build();
    let mut quotes = Quotes::new(delimiter, escape);
    let (mut stray, mut is_plain) = (None, false);
    let mut chunk = vec![0; CHUNK];
    let (mut start, mut end) = (0, 0);
    let mut batch = Splitting::default();
    loop {
        if start == end {
            start = 0;
            end = stream::fill(&mut *input, &mut chunk)
                .map_err(|cause| Error::io(file, "read the file", &cause))?;
            if end == 0 && batch.swallows_a_line_break(&mut reader) {
                return Err(never_closed(file, batch.line));
            }
            is_plain = quotes.is_outside() && memchr(b'"', &chunk[..end]).is_none();
            stray = quotes.stray(&chunk[..end]);
        }
        let rest = &chunk[start..end];
        let plain = if is_plain { batch.read_plain(&mut reader, delimiter, rest) } else { 0 };
        // An empty input would end the table.
        let (result, read) = match plain {
            0 => batch.read_record(&mut reader, rest),
            read => (ReadRecordResult::Record, read),
        };
        start += read;
        if stray.is_some_and(|stray| start > stray) {
            return Err(text_after_mark(file, batch.line, escape));
        }
        if batch.record_bytes() > MOST_RECORD {
            return Err(too_long(file, batch.line));
        }
        let finished = matches!(result, ReadRecordResult::End);
        let wanted = !(finished || batch.is_full()) || take(batch.take(spare()));
        if finished || !wanted {
            return Ok(());
        }
    }
}

fn never_closed(file: &Path, line: u64) -> Error {
    Error::new(
        Location::file(file).line(line),
        "opens a quotation mark that is never closed; the rest of the file would be one value",
    )
    .help("close the quotation mark, or double it (`\"\"`) if it is part of a value")
}

fn text_after_mark(file: &Path, line: u64, escape: Option<u8>) -> Error {
    let problem = "has text after a closing quotation mark, so its fields are not clear";
    let error = Error::new(Location::file(file).line(line), problem);
    error.help(match escape {
        None => text!("double quotation marks inside of a value (`\"\"`); if the file writes them as `\\\"`, set `escape = \"\\\\\"` under [input]"),
        Some(_) => text!("write a backslash before each quotation mark inside of a value"),
    })
}

fn too_long(file: &Path, line: u64) -> Error {
    let problem = text!("begins a row of more than {} MB", MOST_RECORD >> 20);
    Error::new(Location::file(file).line(line), problem)
        .help("look for a quotation mark that is never closed, or check that this is a table")
}

/// A batch under construction; its last record may be incomplete.
#[derive(Default)]
struct Splitting {
    batch: Batch,
    text_len: usize,
    ends_len: usize,
    /// The start of the current record in text and in ends, and its line.
    record: (usize, usize),
    line: u64,
    /// Whether a record was read, in this batch or in one before.
    has_read: bool,
}

impl Splitting {
    fn read_record(&mut self, reader: &mut Reader, input: &[u8]) -> (ReadRecordResult, usize) {
        self.make_room();
        let mut input = input;
        if self.record == (self.text_len, self.ends_len) {
            self.line = reader.line();
            input = breaks_alone(input);
        }
        let Batch { text, ends, .. } = &mut self.batch;
        let (result, read, text_added, ends_added) =
            reader.read_record(input, &mut text[self.text_len..], &mut ends[self.ends_len..]);
        self.text_len += text_added;
        self.ends_len += ends_added;
        if matches!(result, ReadRecordResult::Record) {
            self.finish_record();
        }
        (result, read)
    }

    /// Reads whole records of an input without quotation marks, until the batch is full; returns the
    /// number of bytes read. Nothing is read inside of a record, or before the first one, which may
    /// begin with a byte order mark. The reader would do the same, several times slower.
    fn read_plain(&mut self, reader: &mut Reader, delimiter: u8, input: &[u8]) -> usize {
        let is_between = self.record == (self.text_len, self.ends_len);
        let Some(last) = memrchr2(b'\r', b'\n', input).filter(|_| is_between && self.has_read)
        else {
            return 0;
        };
        self.make_room();
        self.line = reader.line();
        let (mut line, mut read) = (self.line, 0);
        for &byte in &input[..=last] {
            read += 1;
            if byte == delimiter {
                self.end_field();
                continue;
            }
            if !matches!(byte, b'\r' | b'\n') {
                self.batch.text[self.text_len] = byte;
                self.text_len += 1;
                continue;
            }
            line += u64::from(byte == b'\n');
            if self.record != (self.text_len, self.ends_len) {
                self.end_field();
                self.finish_record();
                if self.is_full() {
                    break;
                }
            }
            self.line = line;
        }
        reader.set_line(line);
        read
    }

    /// Ends a field of the current record.
    fn end_field(&mut self) {
        if self.ends_len == self.batch.ends.len() {
            self.batch.ends.resize(2 * self.ends_len, 0);
        }
        // Relative to the record, as the reader counts.
        self.batch.ends[self.ends_len] = self.text_len - self.record.0;
        self.ends_len += 1;
    }

    /// Returns whether a line break at the end of the input would become part of a value, because a
    /// quotation mark is open. Otherwise it ends the last record, or has no effect.
    fn swallows_a_line_break(&mut self, reader: &mut Reader) -> bool {
        let before = self.text_len;
        let (result, _) = self.read_record(reader, b"\n");
        !matches!(result, ReadRecordResult::Record) && self.text_len > before
    }

    fn make_room(&mut self) {
        if self.batch.text.len() - self.text_len < CHUNK {
            let len = (self.batch.text.len() * 2).max(BATCH + 2 * CHUNK);
            self.batch.text.resize(len, 0);
        }
        if self.batch.ends.len() - self.ends_len < 1_024 {
            let len = (self.batch.ends.len() * 2).max(1 << 16);
            self.batch.ends.resize(len, 0);
        }
    }

    /// Makes ends relative to the batch: the reader counts from the start of the record.
    fn finish_record(&mut self) {
        let (text_start, ends_start) = self.record;
        for end in &mut self.batch.ends[ends_start..self.ends_len] {
            *end += text_start;
        }
        self.batch.lines.push(self.line);
        self.batch.widths.push(self.ends_len - ends_start);
        self.record = (self.text_len, self.ends_len);
        self.has_read = true;
    }

    /// Returns the bytes of the current record. The ends of fields count too, so that empty fields
    /// have a size.
    fn record_bytes(&self) -> usize {
        let fields = self.ends_len - self.record.1;
        self.text_len - self.record.0 + fields * size_of::<usize>()
    }

    fn is_full(&self) -> bool {
        let (text, fields) = self.record;
        let is_whole = self.record == (self.text_len, self.ends_len);
        is_whole && text + fields * size_of::<usize>() >= BATCH
    }

    /// Returns the batch, and begins another one.
    fn take(&mut self, spare: Option<Batch>) -> Batch {
        let mut batch = spare.unwrap_or_default();
        batch.lines.clear();
        batch.widths.clear();
        let new = Self { batch, has_read: self.has_read, ..Self::default() };
        std::mem::replace(self, new).batch
    }
}

/// Returns the line breaks before a record, if there are any, or else all of the input. The rest of
/// the last record's break is read alone, so that it counts as a line before the next record
/// starts.
fn breaks_alone(input: &[u8]) -> &[u8] {
    let mut bytes = input.iter();
    match bytes.position(|byte| !matches!(byte, b'\r' | b'\n')) {
        None | Some(0) => input,
        Some(breaks) => &input[..breaks],
    }
}

/// Returns the error for bytes that are not UTF-8, or not in the named encoding.
pub(super) fn not_text(place: Location, encoding: Option<Encoding>) -> Error {
    let problem = match encoding {
        None => text!("is not UTF-8 text"),
        Some(encoding) => text!("is not text in `{}`", encoding.name()),
    };
    Error::new(place, problem).help(utf8_help())
}

impl Batch {
    pub fn records(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn field(&self, index: usize, trim: bool) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let field = &self.text[start..self.ends[index]];
        if trim { blanks::trim(field) } else { field }
    }

    /// Appends all records as text. The error is the line of a record that is no text.
    fn unpack(&self, records: &mut Vec<(u64, Vec<String>)>) -> Result<(), u64> {
        let mut index = 0;
        for (&line, &width) in self.lines.iter().zip(&self.widths) {
            let fields: Result<Vec<String>, _> = (index..index + width)
                .map(|index| self.field(index, true).to_vec())
                .map(String::from_utf8)
                .collect();
            records.push((line, fields.map_err(|_| line)?));
            index += width;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::{Coins, SecretCoins};

    /// Reads `text` as the program does, and by its definition where it has no quotation marks.
    fn check(text: &str) {
        let read = records_of_text(Path::new("a.csv"), text, b',').unwrap();
        let mut expected = Vec::new();
        let mut line = 1;
        for part in text.split_inclusive(['\r', '\n']) {
            let record = part.trim_end_matches(['\r', '\n']);
            if !record.is_empty() {
                let fields = record.split(',').map(|field| field.trim().to_owned());
                expected.push((line, fields.collect::<Vec<_>>()));
            }
            line += u64::from(part.ends_with('\n'));
        }
        let differs = read.iter().zip(&expected).find(|(read, expected)| read != expected);
        assert_eq!(differs, None, "{} bytes", text.len());
        assert_eq!(read.len(), expected.len(), "{} bytes", text.len());
    }

    #[test]
    fn texts_without_quotation_marks_are_read_as_they_stand() {
        let mut coins = SecretCoins::from_test_seed(1);
        let sign = |coins: &mut SecretCoins| {
            ["a", "é", ",", "\n", "\r", "\r\n", " "][coins.below(7) as usize]
        };
        for size in (0..200).chain([3 * CHUNK]) {
            check(&(0..size).map(|_| sign(&mut coins)).collect::<String>());
        }
        // Many fields, and batches that end between the bytes of a line break.
        check(&",".repeat(CHUNK + 7));
        check(&"ab,cd,e\r\n".repeat(CHUNK));
    }

    /// A part without quotation marks may begin inside of a quoted field, which may be empty so far.
    #[test]
    fn marks_before_a_part_count_in_it() {
        for (before, after, value) in [("\"", "x\ny,z\n\",2\n", "x\ny,z"), ("\"\"", ",2\n", "")] {
            let mut text = String::from("a,b\n");
            while text.len() + before.len() + 4 <= CHUNK {
                text.push_str("1,2\n");
            }
            let rest = CHUNK - text.len() - before.len();
            text.push_str(&"\n".repeat(rest));
            text.push_str(before);
            assert_eq!(text.len(), CHUNK);
            text.push_str(after);
            text.push_str(&"3,4\n".repeat(CHUNK));
            let read = records_of_text(Path::new("a.csv"), &text, b',').unwrap();
            let own = read.iter().filter(|(_, own)| own[..] != ["1", "2"] && own[..] != ["3", "4"]);
            let own: Vec<&[String]> = own.map(|(_, own)| &own[..]).skip(1).collect();
            assert_eq!(own, [[value, "2"]]);
        }
    }
}
