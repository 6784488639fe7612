//! Privacy properties: predicates on distributions of sensitive values.
//!
//! One file per property. All of them are decided in integers.

mod ratio;

pub use ratio::{Ineligible, RatioDiversity};
