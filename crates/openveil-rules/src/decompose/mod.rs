//! Decompositions of a table's columns into guardian normal form.
//!
//! They work on column sets, rules and dependencies; data enter only through a score that the
//! caller passes. Every result is checked: every column is in some table, and every rule holds.

mod colouring;
mod gd;
mod problem;
mod score;
mod search;
mod uad;

pub use colouring::dsatur;
pub use gd::{gd, gd_skeleton};
pub use score::{entropy_bound, estimated_divergence, potential};
pub use search::{SearchResult, search};
pub use uad::uad;

use super::RulesError;
use super::normal_form::Schema;

/// The loss of a schema: less is better. Infinite if it cannot be computed.
pub type Score<'a> = dyn FnMut(&Schema) -> Result<f64, RulesError> + 'a;
