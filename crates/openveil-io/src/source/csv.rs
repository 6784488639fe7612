//! CSV: one thread splits the text into fields, another looks them up.

use super::split::{Batch, Signs, not_text, split};
use super::{BytesRead, FirstSeen, Sink, Source, stream};
use crate::{Error, Location};
use openveil_text::text;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

/// The number of batches that may be queued for the look-up.
const QUEUE: usize = 4;

pub(super) fn read(
    source: &Source,
    file: &Path,
    sink: &mut Sink<'_>,
    progress: BytesRead<'_>,
) -> Result<(), Error> {
    let input = stream::open(file, "open the file", source.encoding, progress)?;
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(QUEUE);
        let (returned, spare) = channel();
        let thread = std::thread::Builder::new();
        let splitter = thread
            .spawn_scoped(scope, move || {
                let signs = Signs { delimiter: source.delimiter, escape: source.escape };
                let spare = || spare.try_recv().ok();
                split(file, input, signs, spare, |batch| sender.send(batch).is_ok())
            })
            .map_err(|cause| Error::io(file, "read the file", &cause))?;
        let stored = store(source, file, sink, (&receiver, &returned));
        // Close the channel first: the splitter stops when nobody receives.
        drop(receiver);
        // A truncated file explains more than the missing records, so its error comes first. A
        // panic is passed on: an observer stops the work by unwinding, in any thread.
        match splitter.join() {
            Ok(split) => split?,
            Err(cause) => std::panic::resume_unwind(cause),
        }
        stored
    })
}

/// Looks up the fields of all batches and stores their codes. Returns the memory of batches.
fn store(
    source: &Source,
    file: &Path,
    sink: &mut Sink<'_>,
    (batches, returned): (&Receiver<Batch>, &Sender<Batch>),
) -> Result<(), Error> {
    let mut wanted = source.names.as_ref().map(|names| sink.header(names)).transpose()?;
    let (mut rows, mut is_first) = (0, true);
    for batch in batches {
        let mut first_record = 0;
        if is_first && batch.records() > 0 {
            let names = header_names(file, &batch, source);
            match &source.names {
                Some(given) => refuse_header(file, given, names)?,
                None => {
                    wanted = Some(sink.header(&names?)?);
                    first_record = 1;
                }
            }
            is_first = false;
        }
        if let Some(wanted) = &wanted {
            check_widths(file, &batch, first_record, wanted.len())?;
            store_batch(source, file, sink, wanted, &batch, first_record)?;
            rows += batch.records() - first_record;
            sink.offer()?;
        }
        // The splitter may have ended.
        let _ = returned.send(batch);
    }
    if rows == 0 {
        return Err(Error::new(Location::file(file), "the table has no rows")
            .help("a table needs a header line and at least one row under it"));
    }
    Ok(())
}

fn header_names(file: &Path, batch: &Batch, source: &Source) -> Result<Vec<String>, Error> {
    let name = |index| {
        String::from_utf8(batch.field(index, source.trim).to_vec()).map_err(|_| {
            let error = not_text(Location::file(file).line(batch.lines[0]), source.encoding);
            let problem = text!("the header {:text}", error.problem());
            error.with_problem(problem)
        })
    };
    let names: Vec<String> = (0..batch.widths[0]).map(name).collect::<Result<_, _>>()?;
    if names.iter().any(|name| name.contains('\0')) {
        let error = Error::new(Location::file(file), "contains zero bytes, so it is not text");
        return Err(error.help("check that this is the right file"));
    }
    if names
        .first()
        .filter(|_| names.len() <= 2)
        .is_some_and(|name| name.to_ascii_lowercase().starts_with("sep="))
    {
        Err(Error::new(
            Location::file(file).line(batch.lines[0]),
            "begins with a line that names the delimiter (`sep=`), as spreadsheets write it, instead of column names",
        )
        .help("remove the line from the file, and set `delimiter` if it is not a comma"))
    } else {
        Ok(names)
    }
}

/// Refuses a first line of column names if the names are given: it would be read as a person.
fn refuse_header(
    file: &Path,
    given: &[String],
    first: Result<Vec<String>, Error>,
) -> Result<(), Error> {
    if first.is_ok_and(|first| first == given) {
        Err(Error::new(
            Location::file(file).line(1),
            "is equal to the names in `names`: the file has a header",
        )
        .help("leave `names` out"))
    } else {
        Ok(())
    }
}

fn check_widths(file: &Path, batch: &Batch, first: usize, expected: usize) -> Result<(), Error> {
    match (first..batch.records()).find(|&record| batch.widths[record] != expected) {
        None => Ok(()),
        Some(record) if expected == 1 => Err(Error::new(
            Location::file(file).line(batch.lines[record]),
            text!("has {} fields where the first line has one", batch.widths[record]),
        )
        .help("is the first line a title, a comment or `sep=`? Remove it from the file; or set `delimiter`")),
        Some(record) => Err(Error::new(
            Location::file(file).line(batch.lines[record]),
            text!(
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
    // A header of another width is not among the records that are looked up here.
    let before = if first_record == 0 { 0 } else { batch.widths[0] };
    for (position, column) in sink.columns.iter_mut().enumerate().filter(|(i, _)| wanted[*i]) {
        column.codes.reserve(batch.records());
        for record in first_record..batch.records() {
            let field =
                batch.field(before + (record - first_record) * width + position, source.trim);
            let line = batch.lines[record];
            let code = column.values.intern(field, || FirstSeen { file: file_number, line });
            column.codes.push(code.map_err(|_| {
                let place = Location::file(file).line(line).column(&column.name);
                not_text(place, source.encoding)
            })?);
        }
    }
    Ok(())
}
