//! Schemas of several published tables, and whether they satisfy every rule.

mod check;
mod reach;

pub use check::{Cause, Leak, NormalFormReport, RuleVerdict, check};
pub use reach::{ColumnLink, Hop, Path, path, reachable};

use super::{Rule, RulesError};
use openveil_core::table::ColumnSet;

/// One published table: its columns, and the rule that its anonymisation
/// enforces, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubTable {
    columns: ColumnSet,
    enforces: Option<Rule>,
}

impl SubTable {
    /// A table that is published unchanged.
    ///
    /// # Errors
    /// [`RulesError::EmptyTable`].
    pub fn open(columns: ColumnSet) -> Result<Self, RulesError> {
        if columns.is_empty() {
            Err(RulesError::EmptyTable)
        } else {
            Ok(Self { columns, enforces: None })
        }
    }

    /// A table anonymised so that `protect` is safe from a reader who knows *all* its other
    /// columns. Openveil publishes no other kind of anonymised table.
    ///
    /// # Errors
    /// [`RulesError::EmptyGiven`] if there is no other column, [`RulesError::EmptyProtect`],
    /// [`RulesError::ForeignColumn`] if a protected column is not in the table.
    pub fn guarding(columns: ColumnSet, protect: ColumnSet) -> Result<Self, RulesError> {
        Self::enforcing(columns, Rule::new(columns - protect, protect)?)
    }

    /// A table anonymised so that a rule of its own columns holds on it.
    ///
    /// # Errors
    /// [`RulesError::ForeignColumn`].
    pub fn enforcing(columns: ColumnSet, rule: Rule) -> Result<Self, RulesError> {
        match ((rule.given() | rule.protect()) - columns).least() {
            Some(column) => Err(RulesError::ForeignColumn { column }),
            None => Ok(Self { columns, enforces: Some(rule) }),
        }
    }

    /// The columns of the table.
    pub fn columns(self) -> ColumnSet {
        self.columns
    }

    /// The rule that its anonymisation enforces.
    pub fn enforces(self) -> Option<Rule> {
        self.enforces
    }

    /// The columns that are anonymised in it; empty if it is published unchanged.
    pub fn protects(self) -> ColumnSet {
        self.enforces.map_or(ColumnSet::EMPTY, Rule::protect)
    }
}

/// The tables of one publication.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Schema {
    tables: Vec<SubTable>,
}

impl Schema {
    /// A schema of these tables.
    pub fn new(tables: Vec<SubTable>) -> Self {
        Self { tables }
    }

    /// A schema in which every column is a separate table, so that no connection between columns is
    /// published.
    pub fn single_columns(columns: ColumnSet) -> Self {
        Self::new(
            columns
                .iter()
                .map(|column| SubTable { columns: ColumnSet::one(column), enforces: None })
                .collect(),
        )
    }

    /// The tables.
    pub fn tables(&self) -> &[SubTable] {
        &self.tables
    }

    /// All columns that occur.
    pub fn columns(&self) -> ColumnSet {
        self.tables.iter().map(|table| table.columns).fold(ColumnSet::EMPTY, |all, set| all | set)
    }

    /// This schema with every table changed or, if `change` returns `None`, left out.
    pub(super) fn map(&self, change: impl FnMut(&SubTable) -> Option<SubTable>) -> Self {
        Self::new(self.tables.iter().filter_map(change).collect())
    }

    /// This schema with one more table.
    pub(super) fn with(mut self, table: SubTable) -> Self {
        self.tables.push(table);
        self
    }

    /// This schema with one table replaced.
    pub(super) fn replaced(&self, index: usize, table: SubTable) -> Self {
        let mut tables = self.tables.clone();
        tables[index] = table;
        Self { tables }
    }
}

impl SubTable {
    /// The table with other columns. It still guards its protected column if that is among them;
    /// otherwise it is published unchanged. `None` if there are no columns.
    pub(super) fn reshaped(self, columns: ColumnSet) -> Option<Self> {
        let protect = self.protects();
        if protect.is_subset(columns) {
            Self::guarding(columns, protect).or_else(|_| Self::open(columns))
        } else {
            Self::open(columns)
        }
        .ok()
    }
}
