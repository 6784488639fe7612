#![doc = include_str!("proof.md")]

mod columns;
mod dependencies;
mod discover;
mod error;
mod records;
mod rules;

pub mod decompose;
pub mod estimate;
pub mod schema;
pub mod worlds;

pub use columns::{ColumnSet, Columns, MAX_COLUMNS};
pub use dependencies::{Dependency, closure, connected, expansion, refuse_determined};
pub use discover::{Discovered, discovered};
pub use error::Error;
pub use records::Records;
pub use rules::{Rule, inferred_from, irreducible, is_irreducible};

#[cfg(test)]
mod tests;
