//! The main job, end to end: read, anonymise, check, write. A single table is a schema
//! of one table; with rules there may be several.

mod association;
mod chunked;
pub mod cluster;
mod columns;
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

/// Choices of the user beside the policy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Coins that repeat themselves; the release is then marked unfit.
    pub test_seed: Option<u64>,
    /// Publish although the algorithm is known to give people away.
    pub accept_algorithm_disclosure: bool,
    /// Write the l-cover of the whole table into the owner's folder: for every
    /// person, who could stand for them. Safe algorithms only.
    pub certify: bool,
    /// Measure with the true values, for the owner: the error of count queries, and what
    /// readers guess who know correlations.
    pub measure: bool,
    /// Write no reports beside the release and for the owner.
    pub no_report: bool,
    /// Bytes of memory that a release may take, about; most of what is free, if not said. A
    /// table that needs more is published chunk by chunk, with its rows on disk.
    pub memory: Option<u64>,
}

/// Result of publishing.
#[derive(Debug, Clone)]
pub struct Published {
    /// The manifest, published beside the table.
    pub manifest: Manifest,
    /// The figures that stay with the owner.
    pub owner: Owner,
    /// Where everything is.
    pub written: WrittenRelease,
}

/// Publishes the table that a policy describes, or with rules the tables that keep
/// them together.
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
    let job = Job::of(policy, options)?;
    // What the owner's folder keeps is there before the next one is made.
    job.coins_of_draw()?;
    // Made first, so that an output that cannot be written costs no work.
    let staging = Staging::new(&policy.out)?;
    observer.staging(Some(staging.path()));
    match chunked::ChunkedPlan::of(&job)? {
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
        // Not logged: how long a stage took depends on the deal.
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        *self.timings_ms.entry(stage.name().to_owned()).or_default() += elapsed;
        done
    }
}
