//! A release: anonymised, and recounted by independent code.

use crate::asked::{CoinsOf, Job, Options};
use crate::checked::CheckedTables;
use crate::made::Clock;
use crate::made::table::MadeTable;
use crate::made::tables::MadeTables;
use crate::said::{manifest, owner};
use openveil_core::coins::CoinKey;
use openveil_core::guarantee::Guarantee;
use openveil_io::policy::Policy;
use openveil_io::progress::{Nobody, Observer, Stage};
use openveil_io::release_dir::write;
use openveil_io::release_dir::write::manifest::Utility;
use openveil_io::release_dir::write::{
    Manifest, Owner, Staging, Viewer, WritePlace, WriteTarget, WrittenRelease,
};
use openveil_io::release_dir::{FileHash, MemoryRelease, ReleasePlace, Texts, hashes, record};
use openveil_io::{Error, Location};
use openveil_reader::query::Reader;
use openveil_reader::report;
use openveil_text::text;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

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

/// The largest number of rows of a table that is described while it is published. Describing a
/// larger one would take twice the memory; `openveil report` can do it later.
pub const MOST_REPORTED: usize = 5_000_000;

/// A publishable release of a table, in memory. Every instance has passed the independent check.
///
/// A release that is dropped without being written was still a run. Running several times and
/// choosing the nicest release discloses values (docs/theory/adversary.md).
#[derive(Debug)]
pub struct Release {
    checked: CheckedTables,
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
    pub(crate) fn made(job: Job, observer: &dyn Observer) -> Result<Self, Error> {
        let made = MadeTables::new(job, observer)?;
        let prints = made.loaded.prints.clone();
        let checked = CheckedTables::new(made, observer);
        checked.map(Self::from_checked).map_err(|error| error.with_prints(&prints))
    }

    /// Returns the release of tables that were checked, in memory or chunk by chunk.
    pub(crate) fn from_checked(checked: CheckedTables) -> Self {
        let tables = checked.tables.len();
        let keys = (0..tables)
            .map(|table| CoinKey::drawn(&mut checked.job.coins(CoinsOf::Slices { table, tables })));
        Self { orders: keys.collect(), checked, utility: OnceLock::new() }
    }

    /// Returns the guarantee, and against which readers it holds.
    pub fn guarantee(&self) -> &Guarantee {
        &self.checked.guarantee
    }

    /// Returns the manifest, which is published beside the tables.
    pub fn manifest(&self) -> Manifest {
        self.manifest_of(Vec::new())
    }

    /// Like [`Self::manifest`], but with the names of every table's files.
    pub(crate) fn manifest_of(&self, files: Vec<Vec<String>>) -> Manifest {
        manifest::manifest(&self.checked, self.utility(), files)
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
        Self::check_in_memory(&self.checked.job.policy)?;
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
                    .help("publish it with the command, and read the release from its folder"))
            }
        }
    }

    /// Returns the tables as they are written.
    fn tables_in_memory(&self, texts: Texts) -> Result<MemoryRelease, Error> {
        let tables = RefCell::default();
        // The release is measured on the other core.
        let files = rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                self.utility();
            });
            self.write_tables(WritePlace::Memory(&tables, texts), &Nobody)
        })?;
        Ok(MemoryRelease { manifest: self.manifest_of(files), tables: tables.into_inner() })
    }

    /// Returns the figures that stay with the owner.
    ///
    /// # Errors
    /// A record of looks at the true values that cannot be read.
    pub fn owner(&self) -> Result<Owner, Error> {
        owner::owner(&self.checked, self.utility())
    }

    /// Writes both folders and puts them in place.
    pub(crate) fn write_into(
        &self,
        staging: Staging,
        observer: &dyn Observer,
    ) -> Result<Published, Error> {
        let rows = self.checked.loaded.table.rows() as u64 * self.checked.tables.len() as u64;
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
        let written = match &self.checked.history {
            None => staging.commit()?,
            Some(history) => {
                let (out, release) = (staging.out().to_owned(), staging.release());
                history.commit(&out, &release, || staging.commit())?
            }
        };
        if self.checked.job.options.test_seed.is_none() {
            let views = self.checked.tables.iter().filter_map(MadeTable::view);
            record::forget_shown(&self.checked.job.policy, &self.checked.loaded, views)?;
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
        if self.checked.job.options.measure || self.checked.job.policy.privacy.measures {
            observer.begin(Stage::Measure, None);
        }
        let mut owner = self.owner()?;
        // A table in parts was written before.
        for (stage, elapsed) in clock.timings_ms {
            *owner.timings_ms.entry(stage).or_default() += elapsed;
        }
        if let (Some(certificate), [made]) = (&self.checked.certificate, &self.checked.tables[..])
            && let Some(view) = made.view()
        {
            let (rows, covers) = (view.rows() as u32, certificate.covers());
            write::write_certificate(&staging.owner(), rows, covers, |row| {
                certificate.images(row)
            })?;
        }
        let files = if !self.checked.job.options.no_report && self.is_described() {
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
        let is_in_memory =
            !self.checked.tables.iter().any(|made| matches!(made, MadeTable::Chunked(_)));
        is_in_memory && self.checked.loaded.table.rows() <= MOST_REPORTED
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
        let language = self.checked.job.options.language;
        // The tables equal the files just written, without reading these again.
        let release = self.tables_in_memory(Texts::Keyed)?;
        let (reader, files) = rayon::join(
            || Reader::open(ReleasePlace::Memory(Arc::new(release))),
            || hashes(&staging.release(), manifest),
        );
        let (reader, files) = (reader?, files?);
        let distributions = reader.distributions();
        let (page, counts) = rayon::join(
            || report::public_of(&reader, &distributions, &files, language),
            || report::true_counts(&reader, &distributions, &self.checked.loaded),
        );
        report::write(&page?, &staging.release(), Viewer::Everybody)?;
        owner.distributions = counts;
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        owner.timings_ms.insert(Stage::Report.name().to_owned(), elapsed);
        report::write(&report::owner(owner, None, language), &staging.owner(), Viewer::Owner)?;
        Ok(files)
    }

    /// Writes all tables; returns the names of each table's files.
    fn write_tables(
        &self,
        place: WritePlace<'_>,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<String>>, Error> {
        let progress = |rows| observer.advance(rows);
        self.checked
            .tables
            .iter()
            .zip(&self.checked.schema.tables)
            .enumerate()
            .map(|(number, (made, plan))| {
                let target = WriteTarget {
                    place,
                    name: &plan.name,
                    output: self.checked.job.policy.output.format,
                };
                let mut coins = self.orders[number].coins();
                let loaded = &self.checked.loaded;
                made.write(&self.checked.job.policy, loaded, plan, &target, &mut coins, &progress)
            })
            .collect()
    }

    /// Returns the measures of usefulness, measured on the published data.
    pub(crate) fn utility(&self) -> &Utility {
        self.utility.get_or_init(|| manifest::utility(&self.checked))
    }
}
