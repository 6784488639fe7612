//! Publishes a table end to end: read, anonymise, check, write. A single table is a schema of one
//! table; with rules there may be several.

mod association;
mod chunked;
pub mod cluster;
mod columns;
mod forecast;
mod history;
mod job;
mod manifest;
mod owner;
mod plan;
mod publication;
mod refusal;
mod release;
mod sample;
mod schema;
mod strata;
mod table;
mod ties;
mod utility;

pub use chunked::{bytes, memory};
pub use forecast::GroupForecast;
pub use plan::{Plan, plan, plan_of};
pub use publication::{Publication, Table};
pub use release::{MOST_REPORTED, Release};
pub use sample::check_left_out;

use job::Job;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::record::recorded;
use openveil_io::release_dir::write::{Manifest, Owner, Staging, WrittenRelease};
use std::collections::BTreeMap;
use std::time::Instant;

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
    /// The approximate bytes of memory that a release may take; if not given, most of the free
    /// memory. A table that needs more is published chunk by chunk, with its rows on disk.
    pub memory: Option<u64>,
}

/// The result of publishing.
#[derive(Debug, Clone)]
pub struct Published {
    /// The manifest, published beside the table.
    pub manifest: Manifest,
    /// The figures that stay with the owner.
    pub owner: Owner,
    /// The folders of the release.
    pub written: WrittenRelease,
}

/// Publishes the table that a policy describes, or with rules the tables that satisfy them
/// together.
///
/// Nothing is written before the independent check has passed, and then both
/// folders appear complete or not at all.
///
/// # Errors
/// Bad input, an ineligible table, an unsafe algorithm without consent, a failed
/// check or a full disk; nothing is left behind.
pub fn run(policy: &Policy, options: Options, observer: &dyn Observer) -> Result<Published, Error> {
    published(policy, options, observer).map_err(|error| recorded(policy, error))
}

fn published(
    policy: &Policy,
    options: Options,
    observer: &dyn Observer,
) -> Result<Published, Error> {
    let job = Job::checked(policy, options)?;
    // The key of the draw has to exist before the next owner's folder is made, which takes it over.
    job.coins_of_draw()?;
    // The folder is made first, so that an output that cannot be written costs no work.
    let staging = Staging::new(&policy.out)?;
    observer.staging(Some(staging.path()));
    match chunked::ChunkedPlan::new(&job)? {
        None => Release::made(job, observer)?.write_into(staging, observer),
        Some(plan) => chunked::run(plan, job, staging, observer),
    }
}

/// Milliseconds per stage.
#[derive(Debug, Default)]
struct Clock {
    timings_ms: BTreeMap<String, f64>,
}

impl Clock {
    fn time<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        // Timings are not logged, because they depend on the random assignment.
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        *self.timings_ms.entry(stage.name().to_owned()).or_default() += elapsed;
        done
    }
}
