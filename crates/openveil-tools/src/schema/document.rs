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
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaDependency {
    pub(super) given: Vec<Name>,
    /// A name or a list of names.
    pub(super) determines: Spanned<Value>,
}
