//! The commands, one module each.

pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod compare;
pub(crate) mod complete;
mod correlations;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod publish;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod verify;

use openveil_io::release_dir::write::{check_beside, real_place};
use openveil_io::{Error, Location};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Prints a document as JSON.
fn print_json(document: &impl serde::Serialize) -> Result<(), Error> {
    say!("{}", as_json(document)?);
    Ok(())
}

/// Checks that a command may write its findings to `path`. The path must not be an input of the
/// command or lie in a part of a release. An existing file must be empty or begin with `begins`,
/// which shows that an earlier run wrote it.
fn check_found<'a>(
    path: &Path,
    begins: &str,
    read: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Error> {
    check_beside(path)?;
    if path.is_file() && !is_written(path, begins)? {
        return Err(Error::new(
            Location::file(path),
            "exists already, and this command did not write it",
        )
        .help("name another file, or move it away"));
    }
    // Compare resolved paths: some inputs do not exist yet, so the files cannot be compared.
    let real = real_place(path);
    match read.into_iter().find(|own| real.is_some() && real_place(own) == real) {
        None => Ok(()),
        Some(_) => Err(Error::new(Location::file(path), "is an input of this command")
            .help("name another file")),
    }
}

/// Returns whether a file is empty or begins with `begins`. Fails if the file cannot be written.
fn is_written(path: &Path, begins: &str) -> Result<bool, Error> {
    let mut first = Vec::new();
    let opened = File::options().read(true).write(true).open(path);
    opened
        .and_then(|file| file.take(begins.len() as u64).read_to_end(&mut first))
        .map_err(|cause| Error::io(path, "write the file", &cause))?;
    Ok(first.is_empty() || first == begins.as_bytes())
}

/// Returns a document as indented JSON.
pub(crate) fn as_json(document: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(document)
        .map_err(|cause| Error::new(Location::default(), cause.to_string()))
}
