//! Publishes a table end to end: read, anonymise, check, write. A single table is a schema of one
//! table; with rules there may be several.
//!
//! Four rooms, each above the ones that it uses: what is `asked`, what is `made`, what is `checked`,
//! what is `said`. A [`Release`] joins them; `chunked` and [`cluster`] make the same from tables that do
//! not fit into memory. Does not belong here: how groups are made (`openveil-core`), how files look
//! (`openveil-io`).

mod asked;
mod checked;
mod chunked;
pub mod cluster;
mod made;
mod plan;
mod publication;
mod release;
mod said;

pub use asked::Options;
pub use chunked::{bytes, memory};
pub use made::sample::check_left_out;
pub use plan::{Plan, plan, plan_of};
pub use publication::{Publication, Table};
pub use release::{MOST_REPORTED, Published, Release};
pub use said::forecast::GroupForecast;

use asked::Job;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::progress::Observer;
use openveil_io::release_dir::record::recorded;
use openveil_io::release_dir::write::Staging;

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
    let staging = Staging::new(&policy.output.dir)?;
    observer.staging(Some(staging.path()));
    match chunked::ChunkedPlan::new(&job)? {
        None => Release::made(job, observer)?.write_into(staging, observer),
        Some(plan) => chunked::run(plan, job, staging, observer),
    }
}
