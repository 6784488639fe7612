//! Privacy properties: predicates on multisets of sensitive values, decided in
//! integers.
//!
//! A [`Requirement`] is what a policy asks for; a [`Model`] is all of several.
//! For one table a model becomes [`Criteria`]: a [`Property`] or two per
//! requirement, each in a file of its own.

mod bind;
mod breach;
mod ceiling;
mod classes;
mod closeness;
mod counts;
mod disclosure;
mod distinct;
mod entropy;
mod generic;
mod ground;
mod k_anonymity;
mod likeness;
mod model;
mod names;
mod prior;
mod property;
mod ratio;
mod recursive;
mod requirement;
mod share;
mod unfit;
mod weight;

pub use counts::{CountBuffer, Counts};
pub use model::{Criteria, Model};
pub use property::{Failure, Property, Scope, Traits};
pub use ratio::{Ineligible, RatioDiversity};
pub use requirement::{Distance, GroundDistance, LAlpha, Over, Requirement, Variant, Weights};
pub use unfit::InvalidModel;
pub(crate) use weight::category_weights;

#[cfg(test)]
mod tests;
