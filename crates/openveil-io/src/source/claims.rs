//! Checks the lengths that a file in Arrow's IPC format claims, before memory is allocated for
//! them.
//!
//! The library allocates as much as a message or a compressed buffer claims to hold. Here these
//! numbers are compared with the file: a message lies inside of it, and no buffer decompresses to
//! more than its codec could have compressed.

use super::untrusted;
use crate::{Error, Location};
use arrow_ipc::{Message, MessageHeader, RecordBatch, root_as_footer, root_as_message};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The bytes at the start and the end of a file in the IPC format; a stream does not have them.
const MAGIC: &[u8; 6] = b"ARROW1";

/// The number of bytes that one byte of a compressed buffer may stand for: more than zstd's longest
/// runs.
const MOST_RATIO: u64 = 1 << 16;

/// The marker before the length of a message, in all but the oldest streams.
const CONTINUES: u32 = u32::MAX;

/// Checks all lengths of a file or stream; returns whether it is a file, with a footer that lists
/// its parts.
///
/// # Errors
/// A file that cannot be read, or that claims more than it can hold.
pub(super) fn check(path: &Path, file: &mut File) -> Result<bool, Error> {
    let refuse = |problem: &'static str| malformed(path, std::io::Error::other(problem));
    match walk(file) {
        Ok(Ok(claimed)) => {
            untrusted::check_rows(path, claimed.rows, claimed.bytes)?;
            Ok(claimed.is_file)
        }
        Ok(Err(problem)) => Err(refuse(problem)),
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
            Err(refuse("it ends in the middle"))
        }
        Err(cause) => Err(Error::io(path, "read the file", &cause)),
    }
}

/// The claimed contents of a file, and its size.
#[derive(Default)]
struct Claimed {
    rows: u64,
    bytes: u64,
    /// Whether it ends with a list of its parts.
    is_file: bool,
}

type CheckedClaims<T> = io::Result<Result<T, &'static str>>;

/// Returns early with a problem of the file if its content is invalid.
macro_rules! check {
    ($checked:expr) => {
        match $checked {
            Ok(value) => value,
            Err(problem) => return Ok(Err(problem)),
        }
    };
}

fn walk(file: &mut File) -> CheckedClaims<Claimed> {
    let mut claimed = Claimed { bytes: file.metadata()?.len(), ..Claimed::default() };
    let mut start = [0; MAGIC.len()];
    file.read_exact(&mut start)?;
    file.rewind()?;
    claimed.is_file = start == *MAGIC;
    let messages = if claimed.is_file {
        of_footer(file, claimed.bytes)?
    } else {
        of_stream(file, claimed.bytes)?
    };
    for (at, metadata, body) in check!(messages) {
        claimed.rows += check!(message(file, at, metadata, body, claimed.bytes)?);
    }
    file.rewind()?;
    Ok(Ok(claimed))
}

/// The place of a message: its start, the length of its prefix and metadata, and the length of its
/// body.
type MessagePlace = (u64, u64, u64);

/// Returns the messages that the footer of a file lists.
fn of_footer(file: &mut File, bytes: u64) -> CheckedClaims<Vec<MessagePlace>> {
    const TRAILER: u64 = 10;
    let Some(end) = bytes.checked_sub(TRAILER) else {
        return Ok(Err("it has no end"));
    };
    file.seek(SeekFrom::Start(end))?;
    let mut trailer = [0; TRAILER as usize];
    file.read_exact(&mut trailer)?;
    let length = u64::from(u32::from_le_bytes(trailer[..4].try_into().expect("4 bytes")));
    let Some(start) = end.checked_sub(length).filter(|_| trailer.ends_with(MAGIC)) else {
        return Ok(Err("it has no end"));
    };
    let footer = part(file, start, length)?;
    let Ok(footer) = root_as_footer(&footer) else {
        return Ok(Err("its end is damaged"));
    };
    let blocks = [footer.dictionaries(), footer.recordBatches()];
    let places = blocks.into_iter().flatten().flatten().map(|block| {
        let number = |n: i64| u64::try_from(n).map_err(|_| "a length is negative");
        let (at, metadata) = (number(block.offset())?, number(block.metaDataLength().into())?);
        Ok((at, metadata, number(block.bodyLength())?))
    });
    let places = check!(places.collect::<Result<Vec<MessagePlace>, &'static str>>());
    // A part that is listed twice would be read twice.
    let mut ordered = places.clone();
    ordered.sort_unstable();
    let overlaps = ordered.windows(2).any(|pair| {
        let (at, metadata, body) = pair[0];
        at.saturating_add(metadata).saturating_add(body) > pair[1].0
    });
    if overlaps {
        return Ok(Err("parts of it overlap"));
    }
    Ok(Ok(places))
}

/// Returns the messages of a stream, in order.
fn of_stream(file: &mut File, bytes: u64) -> CheckedClaims<Vec<MessagePlace>> {
    let (mut messages, mut at) = (Vec::new(), 0);
    while at + 4 <= bytes {
        let (metadata, prefix) = length(file, at)?;
        if metadata == 0 {
            break;
        }
        let Some(end) = inside(&[at, prefix, metadata], bytes) else {
            return Ok(Err("a message is longer than the file"));
        };
        let own = part(file, at + prefix, metadata)?;
        let Ok(found) = root_as_message(&own) else {
            return Ok(Err("a message is damaged"));
        };
        let Ok(body) = u64::try_from(found.bodyLength()) else {
            return Ok(Err("a length is negative"));
        };
        messages.push((at, prefix + metadata, body));
        at = match inside(&[end, body], bytes) {
            Some(next) => next,
            None => return Ok(Err("a message is longer than the file")),
        };
    }
    Ok(Ok(messages))
}

/// Returns the length of the metadata at a position, and the number of bytes that state it.
fn length(file: &mut File, at: u64) -> io::Result<(u64, u64)> {
    file.seek(SeekFrom::Start(at))?;
    let mut word = [0; 4];
    file.read_exact(&mut word)?;
    if u32::from_le_bytes(word) != CONTINUES {
        return Ok((u32::from_le_bytes(word).into(), 4));
    }
    file.read_exact(&mut word)?;
    Ok((u32::from_le_bytes(word).into(), 8))
}

/// Returns the sum of lengths, if it lies inside of the file.
fn inside(lengths: &[u64], bytes: u64) -> Option<u64> {
    let sum = lengths.iter().try_fold(0u64, |sum, &own| sum.checked_add(own));
    sum.filter(|&sum| sum <= bytes)
}

fn part(file: &mut File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut part = Vec::new();
    file.take(length).read_to_end(&mut part)?;
    Ok(part)
}

/// Checks one message; returns the number of rows that it claims.
fn message(file: &mut File, at: u64, metadata: u64, body: u64, bytes: u64) -> CheckedClaims<u64> {
    let Some(start) = inside(&[at, metadata], bytes) else {
        return Ok(Err("a message is longer than the file"));
    };
    if inside(&[start, body], bytes).is_none() {
        return Ok(Err("a message is longer than the file"));
    }
    let (_, prefix) = length(file, at)?;
    let own = part(file, at + prefix, metadata.saturating_sub(prefix))?;
    let Ok(found) = root_as_message(&own) else {
        return Ok(Err("a message is damaged"));
    };
    let Some((batch, is_rows)) = batch(&found) else {
        return Ok(Ok(0));
    };
    if batch.compression().is_some() {
        for buffer in batch.buffers().into_iter().flatten() {
            let (offset, length) = (buffer.offset() as u64, buffer.length() as u64);
            if inside(&[offset, length], body).is_none() {
                return Ok(Err("a buffer is longer than its message"));
            }
            check!(unpacked(file, start + offset, length)?);
        }
    }
    let rows = u64::try_from(batch.length()).unwrap_or(u64::MAX);
    Ok(Ok(if is_rows { rows } else { 0 }))
}

/// Returns the batch of a message, and whether it holds rows rather than a dictionary.
fn batch<'a>(message: &Message<'a>) -> Option<(RecordBatch<'a>, bool)> {
    match message.header_type() {
        MessageHeader::RecordBatch => Some((message.header_as_record_batch()?, true)),
        MessageHeader::DictionaryBatch => {
            Some((message.header_as_dictionary_batch()?.data()?, false))
        }
        _ => None,
    }
}

/// Checks a compressed buffer. It starts with its decompressed length; −1 means that it is not
/// compressed.
fn unpacked(file: &mut File, at: u64, length: u64) -> CheckedClaims<()> {
    if length < 8 {
        return Ok(Ok(()));
    }
    file.seek(SeekFrom::Start(at))?;
    let mut claimed = [0; 8];
    file.read_exact(&mut claimed)?;
    let claimed = i64::from_le_bytes(claimed);
    Ok(match u64::try_from(claimed) {
        Ok(claimed) if claimed > MOST_RATIO.saturating_mul(length) => {
            Err("a compressed buffer claims more than it can hold")
        }
        _ => Ok(()),
    })
}

pub(super) fn malformed(
    path: &Path,
    cause: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    let problem = "is not a readable Arrow file: it is damaged, incomplete, or another format";
    Error::new(Location::file(path), problem)
        .help("write it again; if it is CSV, give it a name that ends in `.csv`")
        .because(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    use arrow_ipc::writer::FileWriter;
    use std::sync::Arc;

    /// A footer may list the same part many times: it would be read each time.
    #[test]
    fn parts_do_not_lie_in_one_another() {
        let batch = |values: [i32; 2]| {
            let column = Arc::new(Int32Array::from_iter_values(values)) as ArrayRef;
            RecordBatch::try_from_iter([("a", column)]).unwrap()
        };
        let batches = [batch([1, 2]), batch([3, 4])];
        let mut writer = FileWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        let mut bytes = writer.into_inner().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.arrow");
        let checked = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            check(&path, &mut File::open(&path).unwrap())
        };
        assert!(checked(&bytes).unwrap());
        let end = bytes.len() - 10;
        let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
        let footer = root_as_footer(&bytes[end - length..end]).unwrap();
        let blocks = footer.recordBatches().unwrap();
        let [first, second] = [blocks.get(0).0, blocks.get(1).0];
        let at = bytes.windows(second.len()).rposition(|own| own == second).unwrap();
        bytes[at..at + first.len()].copy_from_slice(&first);
        let refused = checked(&bytes).unwrap_err();
        let cause = std::error::Error::source(&refused).map(ToString::to_string);
        let said = format!("{refused} {}", cause.unwrap_or_default());
        assert!(said.contains("overlap"), "{said}");
    }
}
