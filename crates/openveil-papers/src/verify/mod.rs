#![doc = include_str!("proof.md")]

mod enumerate;
mod exchange;
mod history;
mod informed;
pub mod l_cover;
mod listing;
mod mechanism;
mod report;
pub mod safe_sets;
mod scenario;
mod symmetry;
mod verdict;

pub use enumerate::verify;
pub use exchange::{Exchanges, exchanges};
pub use history::{History, HistoryVerification, HistoryWay};
pub use informed::InformedVerification;
pub use mechanism::Mechanism;
pub use report::{Counterexample, Observation, SeenGroup, Survivor, Verification};
pub use scenario::{Limits, Scenario, Visibility};

#[cfg(test)]
pub(crate) mod tests;
