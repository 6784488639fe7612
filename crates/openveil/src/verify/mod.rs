#![doc = include_str!("proof.md")]

mod coin_tree;
pub mod disclosure;
mod distribution;
mod enumerate;
mod history;
mod informed;
pub mod jump;
pub mod l_cover;
mod links;
mod mechanism;
mod memory;
mod report;
pub mod safe_sets;
mod scenario;
mod symmetry;
mod verdict;
mod worlds;

pub use coin_tree::{CoinTree, PATH_LIMIT, distribution};
pub use distribution::Distribution;
pub use enumerate::verify;
pub use history::{History, HistoryVerification, Way};
pub use informed::InformedVerification;
pub use links::{JOINABLE_ROWS, Links, join_links};
pub use mechanism::Mechanism;
pub use memory::Memory;
pub use report::{Counterexample, Observation, SeenGroup, Survivor, Verification};
pub use scenario::{Limits, Scenario, Visibility};
pub use worlds::{Worlds, histograms};

#[cfg(test)]
pub(crate) mod tests;
