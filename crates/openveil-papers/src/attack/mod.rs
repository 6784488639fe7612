//! Attacks on a release of real size, for its owner: what a determined reader could find out.
//!
//! [`crate::verify`] models the reader completely, on small tables. Here the table is large, so
//! every attack measures one thing a reader could do:
//!
//! 1. [`rerun`]: does any exchange of two values within a group lead to the same release?
//!    [`invariance`] asks the same of algorithms with coins.
//! 2. [`homogeneity()`]: groups of one value.
//! 3. [`similarity()`]: groups of one category of values.
//! 4. [`background()`]: how many values have to be ruled out by other knowledge.
//! 5. [`minimality`]: the conclusions from a stop at the first success about the attempts before.
//! 6. [`learning`]: uses what the release shows about everybody to guess the values of its own
//!    people (the deFinetti attack).
//! 7. [`composition`]: what several releases disclose together.
//! 8. [`correlations()`]: the guesses of readers who know how values go with quasi-identifiers,
//!    before the release and with it.
//!
//! Attacks 2 to 4 use the release alone. The others need the owner's table, and their results
//! belong to the owner: none may be published. No attack decides whether something is published, so
//! posteriors are floats here.

mod background;
pub mod beliefs;
pub mod composition;
pub mod correlations;
mod homogeneity;
pub mod invariance;
pub mod learning;
pub mod minimality;
pub mod rerun;
mod similarity;

pub use background::{Background, background};
pub use composition::{Intersection, intersection};
pub use correlations::{CorrelationGuesses, correlations};
pub use homogeneity::{Homogeneity, homogeneity};
pub use similarity::{Similarity, similarity};

use openveil_core::Error;
use openveil_core::coins::{SecretCoins, draw};
use openveil_core::table::View;

/// Receives the number of people processed since the last call.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Returns a uniform sample of `wanted` different rows out of `rows`, ascending; all of them if
/// there are not more. The seed makes it reproducible: the people who are attacked in a measurement
/// are no secret of the release. O(rows).
pub fn sample(rows: usize, wanted: usize, seed: u64) -> Vec<u32> {
    let mut people: Vec<u32> = (0..rows as u32).collect();
    let wanted = wanted.min(rows);
    let mut coins = SecretCoins::from_test_seed(seed);
    draw(&mut people, wanted, &mut coins);
    people.truncate(wanted);
    people.sort_unstable();
    people
}

/// Returns the table in which each pair of rows has exchanged its sensitive values.
fn exchanged(table: &View, pairs: impl IntoIterator<Item = (u32, u32)>) -> Result<View, Error> {
    let mut codes = table.secret().codes().to_vec();
    for (a, b) in pairs {
        codes.swap(a as usize, b as usize);
    }
    table.with_secret_codes(codes)
}

#[cfg(test)]
mod tests;
