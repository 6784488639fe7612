//! Puts the people of a policy into groups, table by table.

use super::Clock;
use super::history::Continued;
use super::read::read;
use super::sample;
use super::schema::TablePlans;
use super::table::MadeTable;
use super::ties::TiedTable;
use crate::asked::{CoinsOf, Job};
use openveil_io::Error;
use openveil_io::load::Loaded;
use openveil_io::progress::{Observer, Stage};

/// Tables that were made, and are not checked yet.
#[derive(Debug)]
pub(crate) struct MadeTables {
    pub(crate) job: Job,
    pub(crate) loaded: Loaded,
    pub(crate) schema: TablePlans,
    /// One for each table of the schema.
    pub(crate) tables: Vec<MadeTable>,
    pub(crate) clock: Clock,
    /// The history that they belong to, if the policy has one.
    pub(crate) history: Option<Continued>,
    /// Their ties, if the policy has some.
    pub(crate) ties: Option<TiedTable>,
}

impl MadeTables {
    /// Reads and anonymises.
    ///
    /// # Errors
    /// Bad input, a table or a rule that cannot be satisfied, an unsafe algorithm without consent.
    pub(crate) fn new(job: Job, observer: &dyn Observer) -> Result<Self, Error> {
        sample::check_left_out(&job.policy)?;
        let mut clock = Clock::default();
        observer.begin(Stage::Read, job.policy.input.source.total_bytes());
        let (loaded, history) = read(&job, &mut clock, observer)?;
        let prints = loaded.prints.clone();
        let made = Self::of_people(job, (loaded, history), clock, observer);
        made.map_err(|error| error.with_prints(&prints))
    }

    /// Anonymises a table that was read.
    fn of_people(
        job: Job,
        (loaded, mut history): (Loaded, Option<Continued>),
        mut clock: Clock,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        observer.begin(Stage::Anonymize, None);
        let (schema, job) = clock.time(Stage::Anonymize, || {
            let mut schema = TablePlans::new(&job.policy, &loaded)?;
            schema.continues(history.as_ref());
            let job = schema.resolved(job)?;
            Ok::<_, Error>((schema, job))
        })?;
        job.check()?;
        let ties = schema.ties(&job.policy, &loaded)?;
        let mut tables = Vec::new();
        for (number, plan) in schema.tables.iter().enumerate() {
            let mut coins = job.coins(CoinsOf::Groups(number));
            let groups = match (&history, &ties, &plan.guard) {
                (Some(history), ..) => Some(history.groups.clone()),
                (None, Some(ties), Some(guard)) => Some(
                    clock.time(Stage::Anonymize, || ties.groups(&job, &guard.view, &mut coins))?,
                ),
                _ => None,
            };
            tables.push(MadeTable::new(
                &job, &loaded, plan, groups, &mut coins, &mut clock, observer,
            )?);
        }
        if let (Some(history), [MadeTable::Guarded(made)]) = (&mut history, &tables[..]) {
            history.settle(&made.membership);
        }
        Ok(Self { job, loaded, schema, tables, clock, history, ties })
    }
}
