//! States what is asked of a run: the policy with the user's options, and what is refused before
//! anything is read.
//!
//! Belongs here: what can be decided without the table. Does not: what depends on a value.

mod job;
mod refusal;
mod state;

pub(crate) use job::{CoinsOf, Job};
pub(crate) use state::check_state;

use openveil_text::Language;

/// The user's options beside the policy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The seed for reproducible draws; the release is then marked as unfit for publication.
    pub test_seed: Option<u64>,
    /// Publish although the algorithm is known to disclose people's values.
    pub accept_algorithm_disclosure: bool,
    /// Write the l-cover of the whole table into the owner's folder: for every person, the people
    /// who could stand for them. Only for safe algorithms whose guarantee rests on exchanges within
    /// groups.
    pub certify: bool,
    /// Measure with the true values, for the owner: the error of count queries, and the guesses of
    /// readers who know correlations.
    pub measure: bool,
    /// Write no reports beside the release and for the owner.
    pub no_report: bool,
    /// The language of the reports.
    pub language: Language,
    /// The approximate bytes of memory that a release may take; if not given, most of the free
    /// memory. A table that needs more is published chunk by chunk, with its rows on disk.
    pub memory: Option<u64>,
}
