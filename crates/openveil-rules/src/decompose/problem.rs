//! The task of a decomposition.

use crate::normal_form::{NormalFormReport, Schema, SubTable, check};
use crate::{Dependency, Rule, RulesError, connected, refuse_determined};
use openveil_core::table::ColumnSet;

/// Columns to publish, rules to satisfy, and dependencies that the reader knows.
pub(super) struct DecompositionProblem<'a> {
    pub(super) columns: ColumnSet,
    pub(super) rules: &'a [Rule],
    pub(super) dependencies: &'a [Dependency],
    /// Per rule, the protected column that tables will guard.
    pub(super) targets: Vec<usize>,
}

impl<'a> DecompositionProblem<'a> {
    /// Builds a problem; refuses one that no decomposition can solve.
    ///
    /// # Errors
    /// [`RulesError::Determined`], [`RulesError::LinkedByDependencies`].
    pub(super) fn new(
        columns: ColumnSet,
        rules: &'a [Rule],
        dependencies: &'a [Dependency],
    ) -> Result<Self, RulesError> {
        refuse_determined(rules, dependencies)?;
        let mut targets = Vec::with_capacity(rules.len());
        for (index, rule) in rules.iter().enumerate() {
            let possible = rule.protect() - connected(rule.given(), dependencies);
            let target = possible.iter().max_by_key(|&column| {
                (
                    rules.iter().filter(|other| other.protect().contains(column)).count(),
                    std::cmp::Reverse(column),
                )
            });
            targets.push(target.ok_or(RulesError::LinkedByDependencies { rule: index })?);
        }
        Ok(Self { columns, rules, dependencies, targets })
    }

    /// The verdicts on a schema.
    pub(super) fn check(&self, schema: &Schema) -> NormalFormReport {
        check(schema, self.rules, self.dependencies)
    }

    /// Whether every rule holds.
    pub(super) fn is_kept(&self, schema: &Schema) -> bool {
        self.check(schema).normal_form()
    }

    /// Returns the schema if it publishes every column and satisfies every rule.
    ///
    /// # Errors
    /// [`RulesError::NotPublished`], [`RulesError::NotNormalForm`].
    pub(super) fn verified(&self, schema: Schema) -> Result<Schema, RulesError> {
        if let Some(column) = (self.columns - schema.columns()).least() {
            return Err(RulesError::NotPublished { column });
        }
        self.check(&schema).require()?;
        Ok(schema)
    }

    /// Drops parts that cost utility and are not needed: anonymisation without which all rules
    /// still hold, and tables that other tables contain.
    pub(super) fn tidied(&self, mut schema: Schema) -> Schema {
        for index in 0..schema.tables().len() {
            let table = schema.tables()[index];
            if let (Some(_), Ok(open)) = (table.enforces(), SubTable::open(table.columns())) {
                let opened = schema.replaced(index, open);
                if self.is_kept(&opened) {
                    schema = opened;
                }
            }
        }
        let mut kept: Vec<SubTable> = Vec::new();
        let mut tables = schema.tables().to_vec();
        // Widest first, so that a table comes after the tables that contain it.
        tables.sort_by_key(|table| (std::cmp::Reverse(table.columns().len()), *table));
        for table in tables {
            if !kept.iter().any(|other| tells_all_of(*other, table)) {
                kept.push(table);
            }
        }
        let tidied = Schema::new(kept);
        if self.is_kept(&tidied) { tidied } else { schema }
    }
}

/// Whether `wide` shows everything about the columns of `narrow` that `narrow` shows.
fn tells_all_of(wide: SubTable, narrow: SubTable) -> bool {
    let exact = !wide.protects().meets(narrow.columns()) || narrow.columns().len() == 1;
    narrow.columns().is_subset(wide.columns()) && (exact || wide == narrow)
}
