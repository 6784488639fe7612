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

use openveil_io::release_dir::write::{check_beside, real_place};
use openveil_io::{Error, Location, source};
use std::path::{Path, PathBuf};

/// The byte that separates the fields of a CSV file.
fn delimiter(text: &str) -> Result<u8, Error> {
    let written = match text {
        "\\t" => "\t",
        other => other,
    };
    source::delimiter(written).map_err(|problem| {
        let problem = format!("`--delimiter {text:?}` {problem}");
        Error::new(Location::default(), problem)
            .help("usual ones are `,`, `;`, `|` and `\\t` (a tab)")
    })
}

/// Checks that no value of a list is missing: two commas, or one at the end.
fn refuse_empty(option: &str, values: &[String]) -> Result<(), Error> {
    match values.iter().position(|value| value.trim().is_empty()) {
        None => Ok(()),
        Some(place) => {
            let problem = format!("value {} of `{option}` is empty", place + 1);
            Err(Error::new(Location::default(), problem)
                .help("write a value between any two commas"))
        }
    }
}

/// Prints a document for programs.
fn print_json(document: &impl serde::Serialize) -> Result<(), Error> {
    say!("{}", as_json(document)?);
    Ok(())
}

/// Checks that what a command finds does not go into a file that it reads, or a part of a release.
fn check_found<'a>(path: &Path, read: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Error> {
    check_beside(path)?;
    // Some of them are not there yet, and will be read then.
    let real = real_place(path);
    let is_same = |own: &&PathBuf| real.is_some() && real_place(own) == real;
    match read.into_iter().find(is_same) {
        None => Ok(()),
        Some(_) => Err(
            Error::new(Location::file(path), "is a file that is read here")
                .help("name another file"),
        ),
    }
}

/// A document for programs.
pub(crate) fn as_json(document: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(document)
        .map_err(|cause| Error::new(Location::default(), cause.to_string()))
}
