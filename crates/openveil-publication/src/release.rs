//! A release: anonymised, and recounted by independent code.

use super::job::{CoinsOf, Job};
use super::sample;
use super::schema::TablePlans;
use super::table::MadeTable;
use super::{Clock, Options, Published, manifest, owner};
use crate::history::{Continued, Opened};
use crate::ties::{TiedTable, drawn_of_ties};
use openveil_core::coins::CoinKey;
use openveil_core::guarantee::Guarantee;
use openveil_io::load;
use openveil_io::load::Loaded;
use openveil_io::policy::Policy;
use openveil_io::progress::{Nobody, Observer, Stage};
use openveil_io::release_dir::write;
use openveil_io::release_dir::write::manifest::Utility;
use openveil_io::release_dir::write::{Manifest, Owner, Staging, Viewer, WritePlace, WriteTarget};
use openveil_io::release_dir::{FileHash, MemoryRelease, ReleasePlace, Texts, hashes, record};
use openveil_io::{Error, Location};
use openveil_papers::verify::l_cover::certificate;
use openveil_papers::verify::l_cover::certificate::Certificate;
use openveil_reader::query::Reader;
use openveil_reader::report;
use openveil_text::text;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The largest number of rows of a table that is described while it is published. Describing a
/// larger one would take twice the memory; `openveil report` can do it later.
pub const MOST_REPORTED: usize = 5_000_000;

/// A publishable release of a table, in memory. Every instance has passed the independent check.
///
/// A release that is dropped without being written was still a run. Running several times and
/// choosing the nicest release discloses values (docs/theory/adversary.md).
#[derive(Debug)]
pub struct Release {
    pub(super) job: Job,
    pub(super) loaded: Loaded,
    pub(super) schema: TablePlans,
    /// One for each table of the schema.
    pub(super) tables: Vec<MadeTable>,
    /// The one table once per protected column, if each is protected by itself.
    by_column: Vec<MadeTable>,
    pub(super) clock: Clock,
    /// The guarantee of each rule, and of all tables together.
    pub(super) guarantees: Vec<Guarantee>,
    guarantee: Guarantee,
    certificate: Option<Certificate>,
    /// The history that it belongs to, if the policy has one.
    pub(super) history: Option<Continued>,
    /// Its ties, if the policy has some.
    pub(super) ties: Option<TiedTable>,
    /// For each table, the key of the coins that order its sliced columns: the order is equal
    /// wherever it is written.
    orders: Vec<CoinKey>,
    /// The measures of usefulness, once requested.
    utility: OnceLock<Utility>,
}

impl Release {
    /// Reads, anonymises and checks; writes nothing.
    ///
    /// # Errors
    /// Bad input, a table or a rule that cannot be satisfied, an unsafe algorithm without consent,
    /// a failed check.
    pub fn new(policy: &Policy, options: Options, observer: &dyn Observer) -> Result<Self, Error> {
        let made = Job::checked(policy, options).and_then(|job| Self::made(job, observer));
        made.map_err(|error| record::recorded(policy, error))
    }

    /// Makes a release; the caller records an error that depends on values.
    pub(super) fn made(job: Job, observer: &dyn Observer) -> Result<Self, Error> {
        sample::check_left_out(&job.policy)?;
        let mut clock = Clock::default();
        observer.begin(Stage::Read, job.policy.source.total_bytes());
        let (loaded, history) = read(&job, &mut clock, observer)?;
        let prints = loaded.prints.clone();
        let made = Self::made_of(job, (loaded, history), clock, observer);
        made.map_err(|error| error.with_prints(&prints))
    }

    /// Makes a release of a table that was read.
    fn made_of(
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
        observer.begin(Stage::Verify, None);
        clock.time(Stage::Verify, || {
            schema.verify()?;
            if let (Some(ties), [MadeTable::Guarded(made)]) = (&ties, &tables[..]) {
                ties.verify(&made.membership, &made.view)?;
            }
            tables
                .iter()
                .zip(&schema.tables)
                .try_for_each(|(made, plan)| made.verify(&job.policy, &loaded, plan))
        })?;
        let mut release = Self::checked(job, (loaded, schema), tables, clock);
        release.history = history;
        release.ties = ties;
        if release.job.options.certify {
            release.certificate = Some(release.certified()?);
        }
        release.tables.iter_mut().for_each(MadeTable::forget_membership);
        Ok(release)
    }

    /// Returns the release of tables that were made and checked, in memory or chunk by chunk.
    pub(super) fn checked(
        job: Job,
        (loaded, schema): (Loaded, TablePlans),
        tables: Vec<MadeTable>,
        clock: Clock,
    ) -> Self {
        let count = tables.len();
        let guarantees = schema.guarantees(&job, &loaded, Some(&tables));
        Self {
            orders: (0..count)
                .map(|table| {
                    let tables = count;
                    CoinKey::drawn(&mut job.coins(CoinsOf::Slices { table, tables }))
                })
                .collect(),
            by_column: tables.iter().flat_map(|made| made.by_column(&loaded)).collect(),
            guarantee: TablePlans::together(&job.policy, &guarantees),
            guarantees,
            job,
            loaded,
            schema,
            tables,
            clock,
            certificate: None,
            history: None,
            ties: None,
            utility: OnceLock::new(),
        }
    }

    /// Returns the guarantee, and against which readers it holds.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// Returns the manifest, which is published beside the tables.
    pub fn manifest(&self) -> Manifest {
        self.manifest_of(Vec::new())
    }

    /// Like [`Self::manifest`], but with the names of every table's files.
    pub(super) fn manifest_of(&self, files: Vec<Vec<String>>) -> Manifest {
        manifest::manifest(self, files)
    }

    /// Writes `release/` and `owner/` into a folder, complete or not at all. Its rows have the same
    /// order wherever it is written.
    ///
    /// # Errors
    /// A folder that cannot be written, or that holds something else.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<Published, Error> {
        self.write_watched(folder, &Nobody)
    }

    /// Like [`Self::write`], but reports progress to an observer, which may remove the unfinished
    /// folder if the work is stopped.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn write_watched(
        &self,
        folder: impl AsRef<Path>,
        observer: &dyn Observer,
    ) -> Result<Published, Error> {
        let staging = Staging::new(folder.as_ref())?;
        observer.staging(Some(staging.path()));
        self.write_into(staging, observer)
    }

    /// Returns the release in memory, as its readers get it.
    ///
    /// # Errors
    /// A release of a history, which has to be written to a folder together with its state.
    pub fn in_memory(&self, texts: Texts) -> Result<MemoryRelease, Error> {
        Self::check_in_memory(&self.job.policy)?;
        self.tables_in_memory(texts)
    }

    /// Checks that releases of a policy can stay in memory, before one is made.
    ///
    /// # Errors
    /// A policy with a history, as for [`Self::in_memory`].
    pub fn check_in_memory(policy: &Policy) -> Result<(), Error> {
        match policy.history() {
            None => Ok(()),
            Some(_) => {
                let problem = text!(
                    "a release with [history] must be written to a folder together with its state"
                );
                Err(Error::new(Location::file(&policy.path), problem)
                    .help("name a folder, and read the release from there"))
            }
        }
    }

    /// Returns the tables as they are written.
    fn tables_in_memory(&self, texts: Texts) -> Result<MemoryRelease, Error> {
        let tables = RefCell::default();
        let files = self.write_tables(WritePlace::Memory(&tables, texts), &Nobody)?;
        Ok(MemoryRelease { manifest: self.manifest_of(files), tables: tables.into_inner() })
    }

    /// Returns the figures that stay with the owner.
    ///
    /// # Errors
    /// A record of looks at the true values that cannot be read.
    pub fn owner(&self) -> Result<Owner, Error> {
        owner::owner(self, self.utility())
    }

    /// Writes both folders and puts them in place.
    pub(super) fn write_into(
        &self,
        staging: Staging,
        observer: &dyn Observer,
    ) -> Result<Published, Error> {
        let rows = self.loaded.table.rows() as u64 * self.tables.len() as u64;
        observer.begin(Stage::Write, Some(rows));
        let mut clock = Clock::default();
        // Measure the release in parallel, on the other core.
        let (files, _) = rayon::join(
            || {
                clock.time(Stage::Write, || {
                    self.write_tables(WritePlace::Folder(&staging.release()), observer)
                })
            },
            || self.utility(),
        );
        let files = files?;
        let tables: Vec<PathBuf> =
            files.iter().flatten().map(|name| staging.release().join(name)).collect();
        let manifest = self.manifest_of(files);
        write::write_json(&staging.release().join("manifest.json"), &manifest)?;
        // Tables are written to the disk while they are described.
        let owner = std::thread::scope(|scope| {
            let synced = scope.spawn(|| tables.iter().try_for_each(|path| write::sync(path)));
            let owner = self.describe(&staging, &manifest, clock, observer);
            let synced = synced.join().expect("nothing panics there");
            let failed =
                |cause: std::io::Error| Error::io(&staging.release(), "write the files", &cause);
            synced.map_err(failed).and(owner)
        })?;
        observer.staging(None);
        staging.seal()?;
        let written = match &self.history {
            None => staging.commit()?,
            Some(history) => {
                let (out, release) = (staging.out().to_owned(), staging.release());
                history.commit(&out, &release, || staging.commit())?
            }
        };
        if self.job.options.test_seed.is_none() {
            let views = self.tables.iter().filter_map(MadeTable::view);
            record::forget_shown(&self.job.policy, &self.loaded, views)?;
        }
        Ok(Published { manifest, owner, written })
    }

    /// Writes the documents about the release: the owner's figures, and both pages.
    fn describe(
        &self,
        staging: &Staging,
        manifest: &Manifest,
        clock: Clock,
        observer: &dyn Observer,
    ) -> Result<Owner, Error> {
        if self.job.options.measure || self.job.policy.measures {
            observer.begin(Stage::Measure, None);
        }
        let mut owner = self.owner()?;
        owner.timings_ms.extend(clock.timings_ms);
        if let (Some(certificate), [made]) = (&self.certificate, &self.tables[..])
            && let Some(view) = made.view()
        {
            let (rows, covers) = (view.rows() as u32, certificate.covers());
            write::write_certificate(&staging.owner(), rows, covers, |row| {
                certificate.images(row)
            })?;
        }
        let files = if !self.job.options.no_report && self.is_described() {
            observer.begin(Stage::Report, None);
            self.write_reports(staging, manifest, &mut owner)?
        } else {
            hashes(&staging.release(), manifest)?
        };
        let files = files.into_iter().map(|file| (file.name, file.sha256));
        owner.release = files.collect();
        write::write_json(&staging.owner().join("owner.json"), &owner)?;
        Ok(owner)
    }

    /// Returns whether the release is described while it is published.
    fn is_described(&self) -> bool {
        let is_in_memory = !self.tables.iter().any(|made| matches!(made, MadeTable::Chunked(_)));
        is_in_memory && self.loaded.table.rows() <= MOST_REPORTED
    }

    /// Writes the public page, made from published data only, and the owner's page; returns the
    /// hashes of the release's files.
    fn write_reports(
        &self,
        staging: &Staging,
        manifest: &Manifest,
        owner: &mut Owner,
    ) -> Result<Vec<FileHash>, Error> {
        let start = std::time::Instant::now();
        // The tables equal the files just written, without reading these again.
        let release = self.tables_in_memory(Texts::Keyed)?;
        let (reader, files) = rayon::join(
            || Reader::open(ReleasePlace::Memory(Arc::new(release))),
            || hashes(&staging.release(), manifest),
        );
        let (reader, files) = (reader?, files?);
        let distributions = reader.distributions();
        let (page, counts) = rayon::join(
            || report::public_of(&reader, &distributions, &files),
            || report::true_counts(&reader, &distributions, &self.loaded),
        );
        report::write(&page?, &staging.release(), Viewer::Everybody)?;
        owner.distributions = counts;
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        owner.timings_ms.insert(Stage::Report.name().to_owned(), elapsed);
        report::write(&report::owner(owner, None), &staging.owner(), Viewer::Owner)?;
        Ok(files)
    }

    /// Writes all tables; returns the names of each table's files.
    fn write_tables(
        &self,
        place: WritePlace<'_>,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<String>>, Error> {
        let progress = |rows| observer.advance(rows);
        self.tables
            .iter()
            .zip(&self.schema.tables)
            .enumerate()
            .map(|(number, (made, plan))| {
                let target =
                    WriteTarget { place, name: &plan.name, output: self.job.policy.output };
                let mut coins = self.orders[number].coins();
                let loaded = &self.loaded;
                made.write(&self.job.policy, loaded, plan, &target, &mut coins, &progress)
            })
            .collect()
    }

    /// Returns the measures of usefulness, measured on the published data.
    pub(super) fn utility(&self) -> &Utility {
        self.utility.get_or_init(|| manifest::utility(self, self.bound()))
    }

    /// Returns the tables on which association is measured: one per protected column.
    pub(super) fn measured(&self) -> &[MadeTable] {
        if self.by_column.is_empty() { &self.tables } else { &self.by_column }
    }

    /// Returns the bound of the guarantee about a single table.
    fn bound(&self) -> Option<f64> {
        let bound = self.guarantee.chance.bound();
        let single = self.job.policy.rules().is_none();
        bound.filter(|_| single).map(|bound| openveil_core::exact::approximate(&bound))
    }

    /// Returns whether an l-cover was made.
    pub(super) fn is_certified(&self) -> bool {
        self.certificate.is_some()
    }

    /// Returns the l-cover of a release, checked by independent code.
    fn certified(&self) -> Result<Certificate, Error> {
        let refused =
            |cause: &dyn std::fmt::Display| Error::new(Location::default(), cause.to_string());
        let (Some(ratio), [MadeTable::Guarded(made)]) =
            (self.job.policy.model.ratio(), &self.tables[..])
        else {
            return Err(refused(&"an l-cover is of one table, for ratio l-diversity"));
        };
        let (view, membership) = (&made.view, &made.membership);
        let certificate =
            Certificate::new(view, membership, ratio).map_err(|cause| refused(&cause))?;
        certificate::check(&certificate, view, membership, ratio)
            .map_err(|cause| refused(&cause))?;
        Ok(certificate)
    }
}

/// Reads the table; for a history, the people who are published, with their groups.
pub(super) fn read(
    job: &Job,
    clock: &mut Clock,
    observer: &dyn Observer,
) -> Result<(Loaded, Option<Continued>), Error> {
    let policy = &job.policy;
    let progress = |bytes| observer.advance(bytes);
    let watched = record::watched(policy)?;
    if policy.history().is_none() {
        let loaded = clock.time(Stage::Read, || {
            let mut coins = job.coins_of_draw()?;
            let loaded = load::load_watched(policy, &watched, &progress)?;
            let loaded = load::by_person(policy, loaded, &mut coins)?;
            drawn_of_ties(policy, loaded, &mut job.coins(CoinsOf::Ties))
        })?;
        return Ok((loaded, None));
    }
    let opened = Opened::new(policy)?;
    let (loaded, ghosts) = clock.time(Stage::Read, || {
        load::load_with_values(policy, opened.values(), &watched, &progress)
    })?;
    observer.begin(Stage::Anonymize, None);
    let seeded = job.options.test_seed.is_some();
    let mut coins = job.coins(CoinsOf::History);
    let (loaded, continued) = clock.time(Stage::Anonymize, || {
        Continued::of(opened, policy, loaded, ghosts, seeded, &mut coins)
    })?;
    Ok((loaded, Some(continued)))
}
