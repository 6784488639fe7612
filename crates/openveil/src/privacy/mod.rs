//! Privacy properties: predicates on multisets of sensitive values, decided in
//! integers.
//!
//! A [`Requirement`] is what a policy asks for; a [`Model`] is all of several.
//! For one table a model becomes [`Criteria`]: a [`Property`] or two per
//! requirement, each in a file of its own.

mod counts;
mod distinct;
mod k_anonymity;
mod model;
mod property;
mod ratio;
mod share;

pub use counts::{Counts, Tally};
pub use model::{Criteria, Model, Requirement};
pub use property::{Property, Scope, Shortfall};
pub use ratio::{Ineligible, RatioDiversity};
