//! The main job, end to end: read, anonymise, check, write.

use crate::load::{self, Loaded};
use crate::output::manifest::{Guarantee, Model, OmittedEntry, QueryError, Utility};
use crate::output::{self, Manifest, Owner, Staging, Written};
use crate::policy::{Policy, Role};
use crate::{Error, Place};
use openveil::algorithm::{Adversary, Algorithm};
use openveil::coins::SecretCoins;
use openveil::privacy::{Ineligible, RatioDiversity};
use openveil::release::{Release, Style, check, publish};
use openveil::table::Table;
use openveil::utility::{Summary, Workload};
use std::collections::BTreeMap;
use std::time::Instant;

/// What a user decides beside the policy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Coins that repeat themselves; the release is then marked unfit.
    pub test_seed: Option<u64>,
    /// Publish although the algorithm is known to give people away.
    pub accept_algorithm_disclosure: bool,
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
    /// A folder that has to go if the program is interrupted.
    fn staging(&self, path: &std::path::Path);
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

/// Publishes the table that a policy describes.
///
/// Nothing is written before the independent check has passed, and then both
/// folders appear complete or not at all.
///
/// # Errors
/// Bad input, an ineligible table, an unsafe algorithm without consent, a failed
/// check or a full disk; nothing is left behind.
pub fn run(policy: &Policy, options: Options, observer: &dyn Observer) -> Result<Published, Error> {
    refuse_unsafe(policy, options)?;
    let mut clock = Clock::default();
    // Made first, so that an output that cannot be written costs no work.
    let staging = Staging::new(&policy.out)?;
    observer.staging(staging.path());

    observer.begin(Stage::Read, policy.source.total_bytes());
    let loaded = clock.time(Stage::Read, || {
        load::load(policy, &|bytes| observer.advance(bytes))
    })?;
    let table = &loaded.table;

    observer.begin(Stage::Anonymize, None);
    let mut coins = match options.test_seed {
        Some(seed) => SecretCoins::from_test_seed(seed),
        None => SecretCoins::from_os(),
    };
    let groups = clock.time(Stage::Anonymize, || {
        policy.algorithm.partition(table, policy.model, &mut coins)
    });
    let groups = groups.map_err(|cause| explain(policy, table, cause))?;

    observer.begin(Stage::Release, None);
    let (release, membership) =
        clock.time(Stage::Release, || publish(table, &groups, policy.style));
    drop(groups);

    observer.begin(Stage::Verify, None);
    clock
        .time(Stage::Verify, || {
            check::release(&release, table, &membership, policy.model)
        })
        .map_err(|violation| {
            Error::new(
                Place::default(),
                openveil::Error::from(violation).to_string(),
            )
        })?;
    drop(membership);

    observer.begin(Stage::Write, Some(release.rows() as u64));
    let progress = |rows| observer.advance(rows);
    let files = clock.time(Stage::Write, || {
        output::write_tables(
            &staging.release(),
            policy,
            table,
            &release,
            &loaded.published,
            &progress,
        )
    })?;
    let manifest = manifest(policy, options, &loaded, &release, files);
    let mut owner = owner(policy, options, &loaded, clock);
    if options.measure {
        owner.query_errors = query_errors(table, &release);
    }
    output::write_json(&staging.release().join("manifest.json"), &manifest)?;
    output::write_json(&staging.owner().join("owner.json"), &owner)?;
    let written = staging.commit()?;
    Ok(Published {
        manifest,
        owner,
        written,
    })
}

/// What would happen, from policy, quasi-identifiers and histogram alone.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Plan {
    /// Rows that would be released.
    pub rows: usize,
    /// The algorithm's name.
    pub algorithm: String,
    /// The promise.
    pub guarantee: Guarantee,
    /// Groups and their sizes, where the algorithm fixes them beforehand.
    pub groups: Option<u32>,
    /// The least discernability that any release with this l can have.
    pub dm_optimal: u64,
    /// The largest l that the table allows.
    pub largest_l: Option<u32>,
    /// The published columns and what they are.
    pub columns: BTreeMap<String, String>,
    /// What would be left out.
    pub omitted: OmittedEntry,
    /// Things about the input that the owner should know.
    pub warnings: Vec<String>,
    /// Where the release would go.
    pub out: std::path::PathBuf,
}

/// Says what [`run`] would do, without tossing a coin or writing a file.
///
/// # Errors
/// Whatever [`run`] would refuse before anonymising.
pub fn plan(policy: &Policy, options: Options, observer: &dyn Observer) -> Result<Plan, Error> {
    refuse_unsafe(policy, options)?;
    observer.begin(Stage::Read, policy.source.total_bytes());
    let loaded = load::load(policy, &|bytes| observer.advance(bytes))?;
    let table = &loaded.table;
    let (histogram, exempt) = (table.histogram(), table.sensitive().exempt());
    policy
        .model
        .check_eligible(&histogram, exempt)
        .map_err(|cause| explain(policy, table, cause.into()))?;
    Ok(Plan {
        rows: table.rows(),
        algorithm: policy.algorithm.name().to_owned(),
        guarantee: guarantee(policy, table),
        groups: (policy.algorithm == Algorithm::Cover)
            .then(|| table.rows() as u32 / policy.model.l()),
        dm_optimal: openveil::utility::optimal_discernability(
            table.rows() as u32,
            policy.model.l(),
        ),
        largest_l: RatioDiversity::largest_l(&histogram, exempt),
        columns: roles(policy, &loaded),
        omitted: OmittedEntry::of(&loaded.omitted),
        warnings: loaded.warnings.clone(),
        out: policy.out.clone(),
    })
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
        let elapsed = start.elapsed();
        tracing::debug!(stage = stage.name(), ?elapsed, "stage done");
        self.timings_ms
            .insert(stage.name().to_owned(), elapsed.as_secs_f64() * 1e3);
        done
    }
}

fn refuse_unsafe(policy: &Policy, options: Options) -> Result<(), Error> {
    if policy.algorithm.adversary() == Adversary::KnowsAlgorithm
        || options.accept_algorithm_disclosure
    {
        return Ok(());
    }
    Err(Error::new(
        Place::default(),
        format!(
            "`{}` gives people away to a reader who re-runs it; it is here for comparison",
            policy.algorithm.name()
        ),
    )
    .help("use `cover`, or accept the disclosure with `--i-accept-algorithm-disclosure`"))
}

/// Says what stands in the way of a release in the words of the table.
fn explain(policy: &Policy, table: &Table, cause: openveil::Error) -> Error {
    let (histogram, exempt) = (table.histogram(), table.sensitive().exempt());
    let place = Place::file(&policy.source.path).column(table.sensitive().name());
    let largest = RatioDiversity::largest_l(&histogram, exempt)
        .map(|l| l.min(histogram.distinct() as u32).max(1))
        .filter(|&l| l >= 2);
    let smaller = match largest {
        Some(l) => format!("the largest possible is l = {l}"),
        None => "no l of 2 or more is possible".to_owned(),
    };
    match cause {
        openveil::Error::Ineligible(Ineligible::TooFrequent {
            l,
            value,
            count,
            rows,
        }) => {
            let share = 100.0 * f64::from(count) / f64::from(rows);
            let label = table.sensitive().label(value);
            Error::new(
                place,
                format!("l = {l} is not possible: the value `{label}` stands in {count} of {rows} rows ({share:.1} %), and l = {l} allows {} of them at most", rows / l),
            )
            .help(format!(
                "{smaller}; or, if `{label}` needs no protection, say `exempt = [{label:?}]` for the column. Never drop rows to fit: who is missing would tell"
            ))
        }
        openveil::Error::Ineligible(cause) => Error::new(place, cause.to_string()).help(smaller),
        other => Error::new(Place::file(&policy.source.path), other.to_string()),
    }
}

fn guarantee(policy: &Policy, table: &Table) -> Guarantee {
    let protects = table.sensitive().columns().to_vec();
    let l = policy.model.l();
    let what = match &protects[..] {
        [one] => format!("value of `{one}`"),
        several => format!(
            "combination of {} (not of each column by itself)",
            several.join(", ")
        ),
    };
    let reader = match policy.algorithm.adversary() {
        Adversary::KnowsAlgorithm => {
            "a reader who knows everybody's quasi-identifiers, this program and its parameters, but not its coins"
        }
        Adversary::SeesRelease => {
            "a reader who sees the release and does not know how it was made; one who re-runs the algorithm learns more"
        }
    };
    Guarantee {
        adversary: policy.algorithm.adversary().name().to_owned(),
        max_posterior: format!("1/{l}"),
        statement: format!("nobody's {what} can be guessed with a chance above 1/{l} by {reader}"),
        protects,
    }
}

fn roles(policy: &Policy, loaded: &Loaded) -> BTreeMap<String, String> {
    let role = |name: &String| {
        let role = policy
            .columns
            .get(name)
            .map_or(Role::Drop, |column| column.role);
        (name.clone(), role.name().to_owned())
    };
    loaded.published.iter().map(role).collect()
}

fn manifest(
    policy: &Policy,
    options: Options,
    loaded: &Loaded,
    release: &Release,
    files: Vec<String>,
) -> Manifest {
    let summary = Summary::of(release, &loaded.table, policy.model.l());
    let sensitive = loaded.table.sensitive();
    let exempt = (0..sensitive.values()).filter(|&value| sensitive.exempt()[value]);
    let mut notes = vec![
        "Another release of the same table is a second release: the guarantee covers one."
            .to_owned(),
    ];
    if options.test_seed.is_some() {
        notes.push("Made with a test seed: whoever knows the seed undoes the release. Unfit for publication.".to_owned());
    }
    if policy.algorithm.adversary() == Adversary::SeesRelease {
        notes.push(format!(
            "The owner accepted that `{}` discloses people to a reader who re-runs it.",
            policy.algorithm.name()
        ));
    }
    let means = summary
        .mean_extents
        .iter()
        .map(|extent| (extent.column.clone(), extent.mean));
    Manifest {
        openveil: env!("CARGO_PKG_VERSION").to_owned(),
        rows: release.rows(),
        groups: release.group_count(),
        algorithm: policy.algorithm.name().to_owned(),
        model: Model {
            name: "l-diversity".to_owned(),
            variant: "ratio".to_owned(),
            l: policy.model.l(),
            exempt: exempt.map(|value| sensitive.label(value as u32)).collect(),
        },
        style: match policy.style {
            Style::Generalize => "generalize",
            Style::Anatomy => "anatomy",
        }
        .to_owned(),
        guarantee: guarantee(policy, &loaded.table),
        utility: Utility {
            groups: summary.groups,
            smallest_group: summary.smallest,
            largest_group: summary.largest,
            dm: summary.dm,
            dm_optimal: summary.dm_optimal,
            cavg: summary.cavg,
            mean_extent: means.collect(),
        },
        columns: roles(policy, loaded),
        omitted: OmittedEntry::of(&loaded.omitted),
        files,
        fit_for_publication: options.test_seed.is_none(),
        notes,
    }
}

/// Queries of each kind that are measured.
const MEASURED_QUERIES: usize = 1_000;

/// The mean error of count queries on each quasi-identifier, on all of them, and
/// on all of them with the sensitive column.
fn query_errors(table: &Table, release: &Release) -> Vec<QueryError> {
    let columns = table.quasi_identifiers();
    let all: Vec<usize> = (0..columns.len()).collect();
    let mut kinds: Vec<(String, Vec<usize>, bool)> = columns
        .iter()
        .enumerate()
        .map(|(axis, c)| (c.name().to_owned(), vec![axis], false))
        .collect();
    if columns.len() > 1 {
        kinds.push(("all quasi-identifiers".to_owned(), all.clone(), false));
    }
    kinds.push(("all columns".to_owned(), all, true));
    let measure = |(predicate, axes, with_sensitive): (String, Vec<usize>, bool)| {
        let workload = Workload::random(table, &axes, with_sensitive, MEASURED_QUERIES, 0);
        QueryError {
            predicate,
            mean: workload.mean_error(table, release),
        }
    };
    kinds.into_iter().map(measure).collect()
}

fn owner(policy: &Policy, options: Options, loaded: &Loaded, clock: Clock) -> Owner {
    let missing = loaded
        .omitted
        .missing
        .iter()
        .map(|count| (count.column.clone(), count.rows));
    let files = policy.source.files().unwrap_or_default();
    Owner {
        warning: "Not for publication: this folder was made with knowledge of the true values."
            .to_owned(),
        policy: policy.path.display().to_string(),
        input: files
            .iter()
            .map(|file| file.display().to_string())
            .collect(),
        input_rows: loaded.omitted.input_rows,
        missing: missing.collect(),
        warnings: loaded.warnings.clone(),
        timings_ms: clock.timings_ms,
        test_seed: options.test_seed,
        query_errors: Vec::new(),
    }
}
