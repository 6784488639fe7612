//! Opens files only if they are regular: a pipe or a device that somebody else put there may never
//! end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Opens a file; refuses pipes and devices.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// Reads a whole file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole file of text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Refuses pipes and devices. A folder passes, because reading it fails with a clear error.
pub fn check(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    if found.is_file() || found.is_dir() {
        Ok(())
    } else {
        Err(io::Error::other("it is a pipe or a device, not a file"))
    }
}
