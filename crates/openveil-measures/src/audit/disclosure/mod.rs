//! Disclosure risk of any table, from its known columns alone: population uniqueness, individual
//! risk with survey weights, and special uniques.
//!
//! These are measurements for a data owner. None of them is a guarantee: they do not bound a reader
//! who knows more than the model assumes.

mod gamma;
mod population;
mod special;
mod weighted;

pub use population::{PopulationUniques, UniquesModel};
pub use special::SpecialUniques;
pub use weighted::{household_risk, individual_risk};

#[cfg(test)]
mod tests;
