//! Publishes tables that do not fit into memory: the same stages, chunk by chunk
//! ([`openveil_core::algorithm::chunks`] explains why this is safe).
//!
//! Rows are stored on disk as codes, in files without a name. They are read three times: to count
//! and sample them, to assign them, and to write them to the shelf of their chunk.

mod blueprint;
mod chunk;
mod deal;
mod machine;
mod memory;
mod rows;
mod scratch;

pub(super) use blueprint::{Blueprint, Parting};
pub(super) use chunk::{DealtPeople, PartsRecount};
pub use machine::total as memory;
pub use memory::bytes;

use crate::asked::{CoinsOf, Job};
use crate::checked::CheckedTables;
use crate::made::Clock;
use crate::made::schema::TablePlans;
use crate::made::table::{ChunkedTable, MadeTable, numbers_classes, shapes};
use crate::release::{Published, Release};
use openveil_core::algorithm::Inside;
use openveil_core::release::Content;
use openveil_io::load::Loaded;
use openveil_io::policy::{Extra, KindName, Role};
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::write::{PartwiseFiles, Staging};
use openveil_io::{Error, ErrorKind, Location};
use openveil_measures::utility::Tally;
use openveil_text::{Text, text};
use rows::Rows;

/// The plan for publishing a table that does not fit into memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkedPlan {
    /// The bytes that it may take.
    limit: u64,
}

impl ChunkedPlan {
    /// Returns the plan, if the table does not fit. Returns `None` if it fits, if no limit was set
    /// and its size cannot be estimated, or if the policy needs the table in memory and no limit
    /// was set.
    ///
    /// # Errors
    /// A table beyond the user's limit, with a policy that needs the table in memory.
    pub(super) fn new(job: &Job) -> Result<Option<Self>, Error> {
        let Job { policy, options, .. } = job;
        let Some(limit) = memory::limit(options.memory) else {
            return Ok(None);
        };
        let needed = memory::needed(policy);
        let fits = needed.map_or(options.memory.is_none(), |needed| needed <= limit);
        match (in_memory_only(job), options.memory) {
            _ if fits => Ok(None),
            (None, _) => Ok(Some(Self { limit })),
            (Some(_), None) => Ok(None),
            (Some(what), Some(_)) => {
                let needs = needed.map_or_else(
                    || "may need more memory than it is allowed".to_owned(),
                    |needed| format!("needs about {} of memory", memory::in_words(needed)),
                );
                let problem = text!("{needs}, and {what:text} for tables in memory only");
                let help = text!("raise `--memory`, or leave that out");
                let place = Location::file(&policy.input.source.path);
                Err(Error::new(place, problem).help(help).of_kind(ErrorKind::Refused))
            }
        }
    }
}

/// Returns the reason that a policy cannot be published chunk by chunk, if there is one.
pub(super) fn in_memory_only(job: &Job) -> Option<Text> {
    let Job { policy, options, .. } = job;
    let secret = policy.columns.values().filter(move |column| column.role == (Role::Sensitive));
    let kind = policy.kind.name();
    if Extra::Chunks.refused_with(kind).is_some() {
        let are = if kind == KindName::Rules { "are" } else { "is" };
        return Some(text!("{:text} {are}", kind.section()));
    }
    let others = [
        (policy.method.inside != Inside::Arranged, text!("`inside` under [reader] is")),
        (!job.algorithm.profile().takes_chunks, text!("algorithms other than `halving` are")),
        (secret.count() > 1, text!("several sensitive columns are")),
        (policy.input.part != openveil_io::policy::ReadRows::Everybody, text!("samples are")),
        (policy.input.person.is_some(), text!("`person` is")),
        (options.certify, text!("certificates are")),
        (options.measure || policy.privacy.measures, text!("measures with the true values are")),
    ];
    others.into_iter().find(|(is_asked, _)| *is_asked).map(|(_, words)| words.to_owned())
}

/// Publishes a table chunk by chunk.
///
/// # Errors
/// As [`run`](super::run).
pub(super) fn run(
    plan: ChunkedPlan,
    job: Job,
    staging: Staging,
    observer: &dyn Observer,
) -> Result<Published, Error> {
    let mut clock = Clock::default();
    observer.begin(Stage::Read, job.policy.input.source.total_bytes());
    let (rows, loaded) = clock.time(Stage::Read, || {
        let mut coins = job.coins(CoinsOf::Sample);
        Rows::read(&job.policy, staging.path(), &mut coins, &|bytes| observer.advance(bytes))
    })?;
    let prints = loaded.prints.clone();
    let published = run_of(plan, (job, staging), (rows, loaded), clock, observer);
    published.map_err(|error| error.with_prints(&prints))
}

/// Publishes a table whose rows were read.
fn run_of(
    plan: ChunkedPlan,
    (job, staging): (Job, Staging),
    (rows, mut loaded): (Rows, Loaded),
    mut clock: Clock,
    observer: &dyn Observer,
) -> Result<Published, Error> {
    loaded.warnings.push(text!("published in chunks: there is no report.html beside the release, and no measure of how columns go together; run `openveil report` on a machine with more memory"));
    observer.begin(Stage::Anonymize, Some(rows.count() as u64));
    let (schema, job) = clock.time(Stage::Anonymize, || {
        let schema = TablePlans::new(&job.policy, &loaded)?;
        let job = schema.resolved(job)?;
        Ok::<_, Error>((schema, job))
    })?;
    let policy = &job.policy;
    let [table] = &schema.tables[..] else {
        unreachable!("without rules there is one table");
    };
    let guard = table.guard.as_ref().expect("without rules the table is guarded");
    let most_rows = memory::chunk_rows(policy, plan.limit);
    let mut coins = job.coins(CoinsOf::Groups(0));
    let folder = staging.path();
    let (blueprint, (shelves, parting)) = clock.time(Stage::Anonymize, || {
        let blueprint = {
            let sample = rows.sample(guard.known);
            let settings = (&job.settings, most_rows);
            Blueprint::new(guard, sample, settings)?
        };
        let plan = (&blueprint, most_rows);
        let dealt = deal::dealt(&rows, plan, folder, &mut coins, &|rows| observer.advance(rows))?;
        Ok::<_, Error>((blueprint, dealt))
    })?;
    // Their room on the disk is free again.
    drop(rows);
    observer.begin(Stage::Write, Some(loaded.table.rows() as u64));
    let shapes = shapes(policy, &loaded, table);
    let mut files = PartwiseFiles::create(
        &staging.release(),
        &table.name,
        policy.output.format,
        (policy.output.style, numbers_classes(guard, policy)),
        shapes,
    )?;
    let mut order = job.coins(CoinsOf::Slices { table: 0, tables: 1 });
    let mut tally = Tally::empty(guard.view.known().len());
    let mut recount = PartsRecount::new(&guard.view);
    let mut write_clock = Clock::default();
    let mut make = |number: usize| -> Result<(DealtPeople, Content), Error> {
        let part = clock.time(Stage::Anonymize, || {
            let rows = shelves.take_all(number)?;
            DealtPeople::new(rows, (&blueprint, &parting), &guard.view, &job.settings, &mut coins)
        })?;
        let (content, membership) = clock.time(Stage::Release, || part.publish(guard, policy));
        clock.time(Stage::Verify, || {
            recount.add(&content);
            part.check(&content, &membership, guard, policy)
        })?;
        tally.add(Tally::new(&content, part.view()).with_unrefused(&membership));
        Ok((part, content))
    };
    let mut write = |(part, content): (DealtPeople, Content)| {
        let made = (part.view(), &content);
        write_clock
            .time(Stage::Write, || files.append(made, &mut order, &|rows| observer.advance(rows)))
    };
    // A part is written while the next one is made.
    let mut made = None;
    for number in 0..parting.parts() {
        let previous = made.take();
        let (next, written) = rayon::join(|| make(number), || previous.map_or(Ok(()), &mut write));
        written?;
        made = Some(next?);
    }
    made.map_or(Ok(()), write)?;
    recount.check(&guard.view)?;
    let files = write_clock.time(Stage::Write, || files.finish())?;
    clock.add(write_clock);
    let made = ChunkedTable { view: guard.view.clone(), tally, files };
    let tables = vec![MadeTable::Chunked(Box::new(made))];
    let checked = CheckedTables::from_parts(job, (loaded, schema), tables, clock);
    let release = Release::from_checked(checked);
    release.write_into(staging, observer)
}
