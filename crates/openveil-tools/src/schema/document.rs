//! The unchecked sections of a schema file.

use serde::Deserialize;
use toml::{Spanned, Value};

/// A name and its position.
pub(super) type Name = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaDocument {
    #[serde(default)]
    pub(super) columns: Vec<Name>,
    /// A file with everybody's columns, to play readers.
    pub(super) people: Option<Spanned<String>>,
    /// The l of one table with all columns, for comparison.
    pub(super) l: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) rules: Vec<Spanned<RuleSection>>,
    #[serde(default)]
    pub(super) tables: Vec<Spanned<TableSection>>,
    #[serde(default)]
    pub(super) dependencies: Vec<Spanned<SchemaDependency>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleSection {
    pub(super) given: Vec<Name>,
    /// A name or a list of names.
    pub(super) protect: Spanned<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableSection {
    pub(super) columns: Vec<Name>,
    pub(super) enforces: Option<Spanned<RuleSection>>,
    /// The column of the people's file with the groups of the table.
    pub(super) groups: Option<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaDependency {
    pub(super) given: Vec<Name>,
    /// A name or a list of names.
    pub(super) determines: Spanned<Value>,
}
