//! Decompositions of a table's columns into guardian normal form.
//!
//! All of them work on column sets, rules and dependencies; data enters through
//! an injected score only. Their results have been checked: every column is
//! in some table, and every rule holds.

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

/// How bad a schema is: the less, the better. Infinite where it cannot be told.
pub type Score<'a> = dyn FnMut(&Schema) -> Result<f64, RulesError> + 'a;
