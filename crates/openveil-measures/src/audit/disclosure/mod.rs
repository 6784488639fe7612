//! Disclosure risk of any table, by its known columns alone: population uniqueness, individual risk
//! with survey weights, and special uniques.
//!
//! These are measurements for a data owner. None of them is a promise: a reader who has more than
//! the model assumes is not bounded.

mod gamma;
mod population;
mod special;
mod weighted;

pub use population::{PopulationUniques, UniquesModel};
pub use special::SpecialUniques;
pub use weighted::{household_risk, individual_risk};

#[cfg(test)]
mod tests;
