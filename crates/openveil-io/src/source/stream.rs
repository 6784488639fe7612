//! Bytes of a file, decompressed where its ending says so.

use super::Progress;
use crate::Error;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file (or standard input for `-`) and reports what is read of it.
pub(super) fn open<'a>(
    path: &Path,
    progress: Progress<'a>,
) -> Result<Box<dyn Read + Send + 'a>, Error> {
    let raw: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        let file = File::open(path).map_err(|cause| Error::io(path, "open the file", &cause))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            let cause = io::Error::other("it is a folder, not a file");
            return Err(Error::io(path, "read the file", &cause));
        }
        Box::new(file)
    };
    let counted = Counted {
        inner: raw,
        progress,
    };
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("gz") => Ok(Box::new(flate2::read::MultiGzDecoder::new(counted))),
        Some("zst") => {
            let decoder = zstd::Decoder::new(counted);
            Ok(Box::new(decoder.map_err(|cause| {
                Error::io(path, "decompress the file", &cause)
            })?))
        }
        _ => Ok(Box::new(counted)),
    }
}

struct Counted<'a> {
    inner: Box<dyn Read + Send>,
    progress: Progress<'a>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        (self.progress)(bytes as u64);
        Ok(bytes)
    }
}
