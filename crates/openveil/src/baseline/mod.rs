//! The algorithms that others use, behind the same interface: for comparison.
//!
//! They take sensitive values into account where they choose groups, so a reader
//! who runs them on the possible tables may learn more than the groups show. Each
//! is marked [`SeesRelease`](crate::algorithm::Adversary::SeesRelease): what a group
//! shows satisfies the model, and no more is promised.

mod anatomy;
mod incognito;
mod mondrian;
mod taxonomy;
#[cfg(test)]
mod testing;
mod top_down;

pub use anatomy::anatomy;
pub use incognito::{Generalization, Score, incognito, minimal_generalizations};
pub use mondrian::{Cut, mondrian};
pub use top_down::top_down;
