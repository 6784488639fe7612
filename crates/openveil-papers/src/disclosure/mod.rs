#![doc = include_str!("proof.md")]

mod census;
mod classes;
mod compositions;
mod functions;
pub mod jump;
mod keys;
mod predicate;
mod space;
mod tables;

pub use census::{Census, Counter};
pub use classes::ContingencyTables;
pub use functions::Functions;
pub use predicate::{DistinctValues, Predicate, RatioBound};
pub use space::{Generalizations, TableSpace};
pub use tables::ListedTables;

#[cfg(test)]
mod tests;
