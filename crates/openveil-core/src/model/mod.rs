//! Privacy models: what a policy may ask for, decided in integers on multisets of
//! sensitive values.
//!
//! A [`Requirement`] is one condition of a policy, given by its parameters. A [`Model`] combines
//! one or more requirements. For one table a model becomes [`Criteria`]: one or two [`Property`]
//! values per requirement.
//!
//! One file per model holds its parameters, the decision, the measure, and its guarantee in words
//! and numbers. To add a model, write its file and add it to the list in `requirement.rs`. The
//! compiler then requires its definition in [`crate::release::check`], and `tests/list.rs` requires
//! its place in the documentation and in the suites.

mod alpha_k;
mod bind;
mod breach;
mod ceiling;
mod classes;
mod closeness;
mod counts;
mod criteria;
mod disclosure;
mod distinct;
mod entropy;
mod generic;
mod ground;
mod informed;
mod invalid;
mod k_anonymity;
mod l_alpha;
mod likeness;
mod members;
mod p_sensitive;
mod parameters;
mod prior;
mod property;
mod range;
mod ratio;
mod recursive;
mod remembered;
mod requirement;
mod share;
mod weight;

pub use alpha_k::AlphaKAnonymity;
pub use breach::BreachLimit;
pub use closeness::{GroundDistance, TCloseness};
pub use counts::{CountBuffer, Counts};
pub use criteria::{Criteria, Model, l_diversity};
pub use disclosure::DeltaDisclosure;
pub use distinct::DistinctDiversity;
pub use entropy::EntropyDiversity;
pub use generic::{Distance, GenericDistance};
pub use informed::{About, Informed, Tilts};
pub use invalid::InvalidModel;
pub use k_anonymity::KAnonymity;
pub use l_alpha::{CategoryWeights, LAlphaDiversity, Over, Variant};
pub use likeness::BetaLikeness;
pub use p_sensitive::PSensitiveKAnonymity;
pub use parameters::{Parameters, Value};
pub use property::{Failure, Measured, Property, Scope, Traits};
pub use ratio::{Ineligible, RatioDiversity};
pub use recursive::RecursiveDiversity;
pub use requirement::Requirement;
pub use weight::category_weights;

#[cfg(any(test, feature = "testing"))]
pub mod suite;

#[cfg(test)]
mod tests;
