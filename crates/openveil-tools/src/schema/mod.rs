//! Schema files: rules, tables, and whether the tables satisfy the rules.
//!
//! A schema file is TOML with `[[rules]]`, `[[tables]]` and, if the reader knows any,
//! `[[dependencies]]`. See `docs/reference/rules.md`.

mod check;
mod document;
mod people;
mod report;

pub use people::{OneTable, ReaderFound, SchemaPeople};
pub use report::{RuleReport, SchemaReport};

use check::SchemaCheck;
use openveil_io::policy::errors;
use openveil_io::{Error, Location};
use openveil_rules::normal_form::Schema;
use openveil_rules::{ColumnNames, Dependency, Rule};
use std::path::{Path, PathBuf};

/// A checked schema file: names are known, and rules and tables are valid.
#[derive(Debug, Clone)]
pub struct SchemaFile {
    /// The file it was read from.
    pub path: PathBuf,
    /// All columns, in the order in which they are first named.
    pub columns: ColumnNames,
    /// The rules that must hold.
    pub rules: Vec<Rule>,
    /// The published tables.
    pub schema: Schema,
    /// Dependencies between columns that the reader knows.
    pub dependencies: Vec<Dependency>,
    /// People on whom readers are played.
    pub people: Option<SchemaPeople>,
}

impl SchemaFile {
    /// Reads a schema file.
    ///
    /// # Errors
    /// A file that cannot be read, unknown keys and columns, rules that are invalid or that known
    /// dependencies rule out.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|cause| Error::io(path, "read the schema", &cause))?;
        Self::parse(&text, path)
    }

    /// Reads a schema from text; `path` names it in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let document =
            toml::from_str(text).map_err(|cause| errors::toml_error(text, path, &cause))?;
        SchemaCheck { text, path }.schema(&document)
    }

    /// Reports whether the tables satisfy the rules, with reasons; with people, also what readers
    /// conclude about them.
    ///
    /// # Errors
    /// People that cannot be read.
    pub fn report(&self) -> Result<SchemaReport, Error> {
        SchemaReport::new(self)
    }
}

/// Returns the place in a file for a position in its text.
fn place(path: &Path, text: &str, position: usize) -> Location {
    let before = &text.as_bytes()[..position.min(text.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    Location::file(path).line(line)
}

#[cfg(test)]
mod tests;
