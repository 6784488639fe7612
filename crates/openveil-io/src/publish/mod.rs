//! The main job, end to end: read, anonymise, check, write.

mod documents;
mod plan;
mod promise;
mod refusal;
mod rules;
mod words;

pub use plan::{Plan, plan};
pub use promise::model_entry;

use crate::load::{self, Loaded};
use crate::policy::Policy;
use crate::release_dir::write::{self, Manifest, Owner, Staging, Written};
use crate::{Error, Location};
use openveil::coins::SecretCoins;
use openveil::release::{Release, check, publish};
use openveil::table::{Groups, View};
use openveil::verify::l_cover::certificate::{self, Certificate};
use refusal::{explain, refuse_unsafe};
use std::collections::BTreeMap;
use std::time::Instant;

/// What a user decides beside the policy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Coins that repeat themselves; the release is then marked unfit.
    pub test_seed: Option<u64>,
    /// Publish although the algorithm is known to give people away.
    pub accept_algorithm_disclosure: bool,
    /// Write the l-cover of the whole table into the owner's folder: for every
    /// person, who could stand for them. Safe algorithms only.
    pub certify: bool,
    /// Measure the error of count queries with the true values, for the owner.
    pub measure: bool,
}

/// A stage of the main job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Reading the input, in bytes.
    Read,
    /// Cutting the table into groups.
    Anonymize,
    /// Generalising and sorting the groups.
    Release,
    /// Recounting the release.
    Verify,
    /// Writing, in rows.
    Write,
}

impl Stage {
    /// The name in timings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Anonymize => "anonymize",
            Self::Release => "release",
            Self::Verify => "verify",
            Self::Write => "write",
        }
    }
}

/// Somebody who watches the job: a progress bar, or nobody.
pub trait Observer: Sync {
    /// A stage begins; `total` is its work in bytes or rows, if known.
    fn begin(&self, stage: Stage, total: Option<u64>);
    /// Work done since the last call.
    fn advance(&self, work: u64);
    /// A folder that has to go if the program is interrupted from now on; none
    /// while the release is put in place, which must not be interrupted.
    fn staging(&self, path: Option<&std::path::Path>);
}

/// What came out.
#[derive(Debug, Clone)]
pub struct Published {
    /// What is published beside the table.
    pub manifest: Manifest,
    /// What stays with the owner.
    pub owner: Owner,
    /// Where everything is.
    pub written: Written,
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
    refuse_unsafe(policy, options)?;
    if let Some(rules) = &policy.rules {
        return rules::run(policy, rules, options, observer);
    }
    let mut clock = Clock::default();
    // Made first, so that an output that cannot be written costs no work.
    let staging = Staging::new(&policy.out)?;
    observer.staging(Some(staging.path()));

    observer.begin(Stage::Read, policy.source.total_bytes());
    let loaded = clock.time(Stage::Read, || {
        load::load(policy, &|bytes| observer.advance(bytes))
    })?;
    let view = loaded.view(policy)?;
    let table = &view;

    let criteria = policy.model.bind(table);
    let criteria = criteria.map_err(|cause| explain(policy, table, cause))?;

    observer.begin(Stage::Anonymize, None);
    let mut coins = match options.test_seed {
        Some(seed) => SecretCoins::from_test_seed(seed),
        None => SecretCoins::from_os(),
    };
    let groups = clock.time(Stage::Anonymize, || {
        policy.algorithm.partition(table, &policy.model, &mut coins)
    });
    let groups = groups.map_err(|cause| explain(policy, table, cause))?;

    observer.begin(Stage::Release, None);
    let (release, membership) =
        clock.time(Stage::Release, || publish(table, &groups, policy.style));
    drop(groups);

    observer.begin(Stage::Verify, None);
    clock
        .time(Stage::Verify, || {
            check::release(&release, table, &membership, &policy.model, policy.style)
        })
        .map_err(|violation| {
            Error::new(
                Location::default(),
                openveil::Error::from(violation).to_string(),
            )
        })?;
    let certificate = match options.certify {
        true => Some(certified(policy, table, &membership)?),
        false => None,
    };
    drop(membership);

    let outcome = Outcome {
        loaded,
        view,
        release,
        certificate,
        least_size: criteria.least_size(),
    };
    write(policy, options, observer, staging, clock, &outcome)
}

/// What is left to write once the check has passed.
struct Outcome {
    loaded: Loaded,
    view: View,
    release: Release,
    certificate: Option<Certificate>,
    least_size: u32,
}

/// Writes both folders and puts them in place.
fn write(
    policy: &Policy,
    options: Options,
    observer: &dyn Observer,
    staging: Staging,
    mut clock: Clock,
    outcome: &Outcome,
) -> Result<Published, Error> {
    let Outcome {
        loaded,
        view,
        release,
        certificate,
        least_size,
    } = outcome;
    let (table, folder) = (view, staging.release());
    observer.begin(Stage::Write, Some(release.rows() as u64));
    let progress = |rows| observer.advance(rows);
    let files = clock.time(Stage::Write, || {
        let target = write::Target {
            folder: &folder,
            name: "release",
            output: policy.output,
        };
        let (style, published) = (policy.style, &loaded.names);
        write::write_release(&target, style, table, release, published.names(), &progress)
    })?;
    let manifest = documents::manifest(policy, options, loaded, table, release, files, *least_size);
    write::write_json(&folder.join("manifest.json"), &manifest)?;
    let mut owner = documents::owner(
        policy,
        options,
        &loaded.omitted,
        loaded.warnings.clone(),
        clock.timings_ms,
    );
    owner.warnings.extend(documents::remarks(&manifest));
    if options.measure {
        owner.query_errors = documents::query_errors(table, release);
    }
    if let Some(certificate) = certificate {
        write::write_certificate(&staging.owner(), table, certificate)?;
        owner.certificate = Some(CERTIFICATE_NOTE.to_owned());
    }
    write::write_json(&staging.owner().join("owner.json"), &owner)?;
    observer.staging(None);
    let written = staging.commit()?;
    Ok(Published {
        manifest,
        owner,
        written,
    })
}

/// What the file beside the owner's report is.
const CERTIFICATE_NOTE: &str = "l-cover.csv lists, for every row, rows of the same group with other values that could stand for it: exchanging their values leaves the release as it is. It names who was exchangeable with whom, so it must not be published.";

/// The l-cover of a release, checked by code that did not make it.
fn certified(policy: &Policy, table: &View, membership: &Groups) -> Result<Certificate, Error> {
    let refused =
        |cause: &dyn std::fmt::Display| Error::new(Location::default(), cause.to_string());
    let ratio = policy.model.ratio().ok_or_else(|| {
        let cause = format!(
            "there are certificates for ratio l-diversity, not for {}",
            policy.model
        );
        refused(&cause)
    })?;
    let certificate = Certificate::of(table, membership, ratio).map_err(|cause| refused(&cause))?;
    certificate::check(&certificate, table, membership, ratio).map_err(|cause| refused(&cause))?;
    Ok(certificate)
}

/// Milliseconds per stage.
#[derive(Default)]
struct Clock {
    timings_ms: BTreeMap<String, f64>,
}

impl Clock {
    fn time<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        // Not logged: how long a stage took depends on the deal.
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        self.timings_ms.insert(stage.name().to_owned(), elapsed);
        done
    }
}
