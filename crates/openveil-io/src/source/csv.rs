//! CSV: one thread splits the text into fields, the other looks them up.

use super::{FirstSeen, Progress, Sink, Source, stream};
use crate::{Error, Location};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Bytes read at a time.
const CHUNK: usize = 1 << 18;

/// A batch is handed on when its fields fill this many bytes.
const BATCH: usize = 1 << 20;

/// Batches that may wait to be looked up.
const QUEUE: usize = 4;

/// Whole records: the fields of all of them end to end.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    /// Where each field ends in `text`.
    ends: Vec<usize>,
    /// Line on which each record starts.
    lines: Vec<u64>,
    /// Fields of each record.
    widths: Vec<usize>,
}

pub(super) fn read(
    source: &Source,
    file: &Path,
    sink: &mut Sink<'_>,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let input = stream::open(file, progress)?;
    let reader = ReaderBuilder::new().delimiter(source.delimiter).build();
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(QUEUE);
        let splitter = scope.spawn(move || split(input, reader, &sender));
        let stored = store(source, file, sink, &receiver);
        // Hang up first: a splitter that is not listened to any more stops.
        drop(receiver);
        let split = splitter
            .join()
            .expect("the splitting thread does not panic");
        // A file that broke off explains more than the records that are missing.
        let opened = split.map_err(|cause| Error::io(file, "read the file", &cause))?;
        match opened {
            None => stored,
            Some(line) => Err(Error::new(
                Location::file(file).line(line),
                "opens a quotation mark that is never closed; the rest of the file would be one value",
            )
            .help("close the quotation mark, or double it (`\"\"`) if it is part of a value")),
        }
    })
}

/// Splits text into batches of whole records until it ends or nobody listens. The
/// line of a record that ends inside of a quoted field, if the last one does.
fn split(
    mut input: Box<dyn Read + Send + '_>,
    mut reader: Reader,
    batches: &SyncSender<Batch>,
) -> std::io::Result<Option<u64>> {
    let mut chunk = vec![0; CHUNK];
    let (mut start, mut end) = (0, 0);
    let mut batch = Splitting::default();
    loop {
        if start == end {
            start = 0;
            end = fill(&mut *input, &mut chunk)?;
            if end == 0 && batch.swallows_a_line_break(&mut reader) {
                return Ok(Some(batch.line));
            }
        }
        let (result, read) = batch.read_record(&mut reader, &chunk[start..end]);
        start += read;
        let finished = matches!(result, ReadRecordResult::End);
        if (finished || batch.is_full()) && batches.send(batch.take()).is_err() {
            return Ok(None);
        }
        if finished {
            return Ok(None);
        }
    }
}

/// Reads until the chunk is full or the input ends, so that a byte order mark
/// is never cut in two.
fn fill(input: &mut dyn Read, chunk: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < chunk.len() {
        match input.read(&mut chunk[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
    Ok(filled)
}

/// A batch under construction; a record may be only partly there.
#[derive(Default)]
struct Splitting {
    batch: Batch,
    text_len: usize,
    ends_len: usize,
    /// Where the record in hand starts, in text and in ends, and on which line.
    record: (usize, usize),
    line: u64,
}

impl Splitting {
    fn read_record(&mut self, reader: &mut Reader, input: &[u8]) -> (ReadRecordResult, usize) {
        self.make_room();
        if self.record == (self.text_len, self.ends_len) {
            self.line = reader.line();
        }
        let Batch { text, ends, .. } = &mut self.batch;
        let (result, read, text_added, ends_added) = reader.read_record(
            input,
            &mut text[self.text_len..],
            &mut ends[self.ends_len..],
        );
        self.text_len += text_added;
        self.ends_len += ends_added;
        if matches!(result, ReadRecordResult::Record) {
            self.finish_record();
        }
        (result, read)
    }

    /// Whether a line break at the end of the input would become part of a value: a
    /// quotation mark is open. Otherwise it ends the last record, or does nothing.
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

    /// The reader counts from the start of the record; we from the batch's.
    fn finish_record(&mut self) {
        let (text_start, ends_start) = self.record;
        for end in &mut self.batch.ends[ends_start..self.ends_len] {
            *end += text_start;
        }
        self.batch.lines.push(self.line);
        self.batch.widths.push(self.ends_len - ends_start);
        self.record = (self.text_len, self.ends_len);
    }

    fn is_full(&self) -> bool {
        self.record.0 >= BATCH && self.record == (self.text_len, self.ends_len)
    }

    fn take(&mut self) -> Batch {
        let mut batch = std::mem::take(self).batch;
        let fields = batch.widths.iter().sum();
        batch.ends.truncate(fields);
        batch
    }
}

impl Batch {
    fn records(&self) -> usize {
        self.lines.len()
    }

    fn field(&self, index: usize, trim: bool) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let field = &self.text[start..self.ends[index]];
        if trim { field.trim_ascii() } else { field }
    }
}

const UTF8_HELP: &str = "convert the file first, for example with `iconv -f latin1 -t utf-8`";

/// Looks the fields of all batches up and stores their codes.
fn store(
    source: &Source,
    file: &Path,
    sink: &mut Sink<'_>,
    batches: &Receiver<Batch>,
) -> Result<(), Error> {
    let mut wanted = source
        .names
        .as_ref()
        .map(|names| sink.header(names))
        .transpose()?;
    let mut rows = 0;
    for batch in batches {
        let mut first_record = 0;
        if wanted.is_none() && batch.records() > 0 {
            wanted = Some(sink.header(&header_names(file, &batch, source.trim)?)?);
            first_record = 1;
        }
        if let Some(wanted) = &wanted {
            check_widths(file, &batch, first_record, wanted.len())?;
            store_batch(source, file, sink, wanted, &batch, first_record)?;
            rows += batch.records() - first_record;
        }
    }
    if rows == 0 {
        return Err(Error::new(Location::file(file), "the table has no rows")
            .help("a table needs a header line and at least one row under it"));
    }
    Ok(())
}

fn header_names(file: &Path, batch: &Batch, trim: bool) -> Result<Vec<String>, Error> {
    let name = |index| {
        String::from_utf8(batch.field(index, trim).to_vec()).map_err(|_| {
            Error::new(Location::file(file).line(1), "the header is not UTF-8 text").help(UTF8_HELP)
        })
    };
    (0..batch.widths[0]).map(name).collect()
}

fn check_widths(file: &Path, batch: &Batch, first: usize, expected: usize) -> Result<(), Error> {
    match (first..batch.records()).find(|&record| batch.widths[record] != expected) {
        None => Ok(()),
        Some(record) => Err(Error::new(
            Location::file(file).line(batch.lines[record]),
            format!(
                "has {} fields where {expected} are expected",
                batch.widths[record]
            ),
        )
        .help("look for a stray or missing delimiter or quote on this line, or set `delimiter`")),
    }
}

/// Stores a batch whose records all have the same width, column by column.
fn store_batch(
    source: &Source,
    file: &Path,
    sink: &mut Sink<'_>,
    wanted: &[bool],
    batch: &Batch,
    first_record: usize,
) -> Result<(), Error> {
    let file_number = sink.index as u32;
    let width = wanted.len();
    // A header of another width is not among the records looked up here.
    let before = if first_record == 0 {
        0
    } else {
        batch.widths[0]
    };
    for (position, column) in sink
        .columns
        .iter_mut()
        .enumerate()
        .filter(|(i, _)| wanted[*i])
    {
        column.codes.reserve(batch.records());
        for record in first_record..batch.records() {
            let field = batch.field(
                before + (record - first_record) * width + position,
                source.trim,
            );
            let line = batch.lines[record];
            let code = column.values.intern(field, || FirstSeen {
                file: file_number,
                line,
            });
            column.codes.push(code.map_err(|_| {
                Error::new(
                    Location::file(file).line(line).column(&column.name),
                    "is not UTF-8 text",
                )
                .help(UTF8_HELP)
            })?);
        }
    }
    Ok(())
}
