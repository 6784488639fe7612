//! One file per command.

pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod compare;
mod correlations;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod publish;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod verify;

use openveil_io::{Error, Location};

/// The byte that separates the fields of a CSV file.
fn delimiter(text: &str) -> Result<u8, Error> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err(Error::new(
            Location::default(),
            format!("--delimiter `{text}` is not one character"),
        )),
    }
}

/// Prints a document for programs.
fn print_json(document: &impl serde::Serialize) -> Result<(), Error> {
    say!("{}", as_json(document)?);
    Ok(())
}

/// A document for programs.
pub(crate) fn as_json(document: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(document)
        .map_err(|cause| Error::new(Location::default(), cause.to_string()))
}
