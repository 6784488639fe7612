#![doc = include_str!("proof.md")]

mod columns;
mod dependencies;
mod discover;
mod error;
mod rules;

pub mod baseline;
pub mod decompose;
pub mod estimate;
pub mod normal_form;
pub mod worlds;

pub use columns::ColumnNames;
pub use dependencies::{Dependency, closure, connected, expansion, refuse_determined};
pub use discover::{Discovered, discovered};
pub use error::RulesError;
pub use rules::{Rule, implying, inferred_from, irreducible, is_irreducible};

use openveil_core::table::{ColumnSet, PeopleTable};

/// Checks that a table has some columns.
fn check_columns(table: &PeopleTable, columns: ColumnSet) -> Result<(), RulesError> {
    match (columns - table.all()).least() {
        Some(column) => Err(RulesError::UnequalColumns { column, rows: table.rows() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
