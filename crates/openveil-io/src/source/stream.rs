//! Reads the bytes of a file, decompressed if its extension says so.

use super::{BytesRead, Encoding, content};
use crate::{Error, Location};
use openveil_text::text;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// The number of bytes from which encoding and delimiter are guessed.
const LOOKED_AT: usize = 1 << 16;

/// The number of bytes that are checked before a file is read as text.
const HEAD: usize = 4_096;

/// Opens a file of text (or standard input for `-`), as UTF-8, and reports the bytes read.
///
/// # Errors
/// A file that cannot be read, or whose first bytes are not text.
pub(super) fn open<'a>(
    path: &Path,
    doing: &'static str,
    encoding: Option<Encoding>,
    progress: BytesRead<'a>,
) -> Result<Box<dyn Read + Send + 'a>, Error> {
    let counted = CountedBytes { inner: raw(path, doing)?, progress };
    let mut text = decompressed(path, counted)?;
    let mut head = vec![0; HEAD];
    let filled =
        fill(&mut *text, &mut head).map_err(|cause| Error::io(path, "read the file", &cause))?;
    head.truncate(filled);
    content::check(path, &head, encoding)?;
    Ok(Encoding::decoded(encoding, head, text))
}

/// Returns the first bytes of a file, decompressed: unchanged, or decoded.
pub(super) fn head(path: &Path, encoding: Option<Encoding>) -> Result<Vec<u8>, Error> {
    let silent = |_: u64| {};
    let mut head = vec![0; LOOKED_AT];
    let filled = match encoding {
        Some(_) => fill(&mut *open(path, "open the file", encoding, &silent)?, &mut head),
        None => {
            let inner = raw(path, "open the file")?;
            let mut plain = decompressed(path, CountedBytes { inner, progress: &silent })?;
            fill(&mut *plain, &mut head)
        }
    };
    head.truncate(filled.map_err(|cause: io::Error| Error::io(path, "read the file", &cause))?);
    Ok(head)
}

fn raw(path: &Path, doing: &'static str) -> Result<Box<dyn Read + Send>, Error> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|cause| {
        let error = Error::io(path, doing, &cause);
        if path.to_string_lossy().contains("://") {
            error.help("only files on this machine can be read: download it first")
        } else {
            error
        }
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let cause = io::Error::from(io::ErrorKind::IsADirectory);
        return Err(Error::io(path, "read the file", &cause));
    }
    Ok(Box::new(file))
}

/// The extensions of compressed files, with their first bytes and names.
const COMPRESSED: [(&str, &[u8], &str); 2] =
    [("gz", b"\x1f\x8b", "gzip"), ("zst", b"\x28\xb5\x2f\xfd", "zstd")];

/// Refuses a file that has the extension of a compressed file, but not its first bytes.
fn check_compressed(path: &Path, raw: &mut dyn Read) -> Result<Vec<u8>, Error> {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    let named =
        COMPRESSED.iter().find(|(own, ..)| ending.as_ref().is_some_and(|ending| ending == own));
    let Some((own, start, name)) = named else {
        return Ok(Vec::new());
    };
    let mut head = vec![0; start.len()];
    let filled = fill(raw, &mut head).map_err(|cause| Error::io(path, "read the file", &cause))?;
    head.truncate(filled);
    if head != *start {
        let problem = text!("is not compressed by {name}, although its name says so");
        let help = text!("if it is plain text, rename it without `.{own}`");
        return Err(Error::new(Location::file(path), problem).help(help));
    }
    Ok(head)
}

fn decompressed<'a>(
    path: &Path,
    mut raw: CountedBytes<'a>,
) -> Result<Box<dyn Read + Send + 'a>, Error> {
    let head = check_compressed(path, &mut raw)?;
    let raw = Cursor::new(head).chain(raw);
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("gz") => Ok(Box::new(flate2::read::MultiGzDecoder::new(raw))),
        Some("zst") => {
            let decoder = zstd::Decoder::new(raw);
            Ok(Box::new(decoder.map_err(|cause| Error::io(path, "decompress the file", &cause))?))
        }
        _ => Ok(Box::new(raw)),
    }
}

/// Reads until the chunk is full or the input ends, so that a byte order mark is never
/// cut in two.
pub(super) fn fill(input: &mut dyn Read, chunk: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < chunk.len() {
        match input.read(&mut chunk[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
    Ok(filled)
}

struct CountedBytes<'a> {
    inner: Box<dyn Read + Send>,
    progress: BytesRead<'a>,
}

impl Read for CountedBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        (self.progress)(bytes as u64);
        Ok(bytes)
    }
}
