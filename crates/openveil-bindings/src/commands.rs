//! Commands and policies with tables instead of files.

use crate::{input, json};
use openveil_io::Error;
use openveil_io::policy::{self, Policy, ReadRows, Sample};
use openveil_io::source::{Batches, Encoding, Source};
use openveil_tools::inspect::{Said, StarterWish, inspect as look};
use std::path::PathBuf;

/// Replacements for parts of a policy; parts that are None stay.
#[derive(Debug, Clone, Default)]
pub struct Replaced {
    /// The table.
    pub table: Option<Batches>,
    /// The file of the table.
    pub input: Option<PathBuf>,
    /// The algorithm.
    pub algorithm: Option<String>,
    /// The folder that is written to.
    pub out: Option<PathBuf>,
    /// Files of samples whose rows are left out.
    pub without_sample: Vec<PathBuf>,
}

/// Returns a policy with some parts replaced.
///
/// # Errors
/// A sample that cannot be read, an algorithm that does not exist.
pub fn with(policy: &Policy, replaced: Replaced) -> Result<Policy, Error> {
    let mut policy = policy.clone();
    let samples: Vec<Sample> =
        replaced.without_sample.iter().map(|file| Sample::read(file)).collect::<Result<_, _>>()?;
    if !samples.is_empty() {
        policy.part = ReadRows::Without(samples);
    }
    if let Some(table) = replaced.table {
        policy.source = Source { trim: policy.source.trim, ..Source::of_memory("table", table) };
    }
    if let Some(input) = replaced.input {
        policy.source.turn_to(input);
    }
    if let Some(name) = replaced.algorithm {
        policy.algorithm = policy::algorithm(&name)?;
    }
    if let Some(out) = replaced.out {
        policy.out = out;
    }
    Ok(policy)
}

/// Inspects a table; returns the findings as a JSON document, and a starter policy, if some column
/// can be protected.
///
/// # Errors
/// A table that cannot be read; a delimiter or an encoding that does not exist.
pub fn inspect(
    mut source: Source,
    delimiter: Option<&str>,
    encoding: Option<&str>,
    sheet: Option<String>,
    trim: bool,
) -> Result<(String, Option<String>), Error> {
    source.trim = trim;
    let said = Said {
        delimiter: delimiter.map(separator).transpose()?,
        encoding: encoding.map(Encoding::named).transpose().map_err(input)?,
        sheet,
    };
    let found = look(&source, &said, &|_| {})?;
    let inspection = json(&found.inspection)?;
    let policy = found.starter_policy(&source.path, StarterWish::default());
    // Without a column to protect there are still findings.
    Ok((inspection, policy.ok()))
}

/// Returns the byte that separates fields.
fn separator(text: &str) -> Result<u8, Error> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err(input(format!("the delimiter {text:?} is not one character"))),
    }
}
