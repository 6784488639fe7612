//! Files where somebody else may have laid a pipe or a device, which may never end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Opens a file, and nothing else.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// All of a file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// All of a file of text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Refuses a pipe and a device. A folder says by itself that it is no file.
pub fn check(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    if found.is_file() || found.is_dir() {
        Ok(())
    } else {
        Err(io::Error::other("it is a pipe or a device, not a file"))
    }
}
