//! A release in memory: just made, or read from its folder.

mod crosstab;

pub use crosstab::Crosstab;

use crate::work::{Failure, brief, run};
use crate::{Voice, document, input, json, said, table};
use arrow_array::{ArrayRef, Float64Array, Int64Array};
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_io::release_dir::write::Staging;
use openveil_io::release_dir::{ReleasePlace, Texts};
use openveil_io::source::{Batches, RawColumn};
use openveil_publication::{Options, Release};
use openveil_reader::query::{CellsGiven, Effort, Reader, Regression};
use openveil_reader::report;
use openveil_text::{Language, text};
use openveil_tools::watch::Watch;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most readers that are kept; each has its own fit.
const MOST_READERS: usize = 4;

/// A release: the published part and, if it was just made, the owner's part.
pub struct HeldRelease {
    /// The release as it was made, with the layout of texts in its tables; none if it was read from a
    /// folder.
    made: Option<(Release, Texts)>,
    /// Its place. Tables in memory are made when they are first asked for: to write a release takes none.
    place: OnceLock<ReleasePlace>,
    manifest: OnceLock<String>,
    /// Readers by the effort of their fits; the last used one is at the end.
    readers: Mutex<Vec<(Effort, Reader)>>,
}

impl HeldRelease {
    /// Publishes in memory, after checking that the output folder, if any, can be written to.
    /// `texts` is the layout of texts in the tables.
    ///
    /// # Errors
    /// As [`Release::new`]; a folder that cannot be written to.
    pub fn publish(
        goes_on: impl FnMut(&Watch) -> bool,
        policy: &Policy,
        options: Options,
        out: Option<PathBuf>,
        texts: Texts,
    ) -> Result<Self, Failure> {
        run(goes_on, |watch| {
            Release::check_in_memory(policy)?;
            out.map(|out| Staging::new(&out)).transpose()?;
            let made = Release::new(policy, options, watch)?;
            Ok(Self {
                made: Some((made, texts)),
                place: OnceLock::new(),
                manifest: OnceLock::new(),
                readers: Mutex::default(),
            })
        })
    }

    /// Reads a release from its folder.
    ///
    /// # Errors
    /// A folder without a release, or with a damaged one.
    pub fn read(folder: PathBuf) -> Result<Self, Failure> {
        brief(|| {
            let place = ReleasePlace::Folder(folder);
            let read = ReleaseFolder::read(&place)?;
            Ok(Self {
                manifest: json(&read.manifest, Voice::Command)?.into(),
                place: place.into(),
                made: None,
                readers: Mutex::default(),
            })
        })
    }

    /// Returns the place of the release.
    ///
    /// # Errors
    /// Tables that cannot be made.
    pub fn place(&self) -> Result<&ReleasePlace, Failure> {
        if let Some(place) = self.place.get() {
            return Ok(place);
        }
        let (made, texts) = self.made()?;
        let memory = brief(|| made.in_memory(*texts))?;
        Ok(self.place.get_or_init(|| ReleasePlace::Memory(Arc::new(memory))))
    }

    /// Returns the manifest, as a JSON document.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn manifest(&self) -> Result<&str, Failure> {
        if self.manifest.get().is_none() {
            let written = json(&self.place()?.manifest()?, Voice::Command)?;
            self.manifest.get_or_init(|| written);
        }
        Ok(self.manifest.get().map_or("", |own| own))
    }

    /// Returns the owner's figures as a JSON document, and its warnings in the package's words, if
    /// the release was just made; `by_arguments` as for [`crate::voice`].
    ///
    /// # Errors
    /// A release that was read back.
    pub fn owner(&self, by_arguments: bool) -> Result<(String, Vec<String>), Failure> {
        let (made, _) = self.made()?;
        brief(|| {
            let owner = made.owner()?;
            Ok((json(&owner, Voice::Command)?, said(&owner.warnings, by_arguments)))
        })
    }

    /// Returns the tables by name. Cells are texts as in files, or unpacked: bounds as two columns,
    /// sets as lists.
    ///
    /// # Errors
    /// A release whose files are damaged.
    pub fn tables(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        unpack: bool,
    ) -> Result<Vec<(String, Batches)>, Failure> {
        if let (ReleasePlace::Memory(release), false) = (self.place()?, unpack) {
            let stem = |name: &String| name.split('.').next().unwrap_or(name).to_owned();
            let tables = release
                .manifest
                .files
                .iter()
                .map(|name| (stem(name), release.tables[name].clone()));
            return Ok(tables.collect());
        }
        let cells = if unpack { CellsGiven::Unpacked } else { CellsGiven::Text };
        self.ask(goes_on, Effort::default(), |reader| reader.tables(cells))
    }

    /// Returns the public page, as HTML: a function of the release.
    ///
    /// # Errors
    /// A release whose files are damaged.
    pub fn report(&self) -> Result<String, Failure> {
        let place = self.place()?.clone();
        brief(|| Ok(report::public(place, Language::English)?.html))
    }

    /// Returns an estimate of how many rows meet conditions, as a JSON document; with the policy
    /// also the true count.
    ///
    /// # Errors
    /// As [`Reader::count`].
    pub fn count(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        effort: Effort,
        conditions: &str,
        policy: Option<&Policy>,
    ) -> Result<String, Failure> {
        self.ask(goes_on, effort, |reader| document(&reader.count(conditions, policy)?))
    }

    /// Returns a regression by its formula and references, and the same as a JSON document.
    ///
    /// # Errors
    /// As [`Reader::regression`].
    pub fn regression(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        effort: Effort,
        formula: &str,
        references: &[(String, String)],
    ) -> Result<(Regression, String), Failure> {
        self.ask(goes_on, effort, |reader| {
            let made = reader.regression(formula, references)?;
            let document = document(&made)?;
            Ok((made, document))
        })
    }

    /// Returns the possible values of each row: the columns, `row` (from 0) and `weight`.
    ///
    /// # Errors
    /// As [`Reader::weights`]; a column of the release that has one of the two names.
    pub fn weights(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        effort: Effort,
    ) -> Result<Batches, Failure> {
        let (made, types) = self.ask(goes_on, effort, |reader| {
            let made = reader.weights()?;
            let types = types_of(reader, &made.columns);
            Ok((made, types))
        })?;
        let rows = made.rows.iter().map(|&row| i64::from(row));
        let beside: Vec<(&str, ArrayRef)> = vec![
            ("row", Arc::new(rows.collect::<Int64Array>())),
            ("weight", Arc::new(Float64Array::from(made.weights))),
        ];
        for (name, _) in &beside {
            if made.columns.iter().any(|column| column.name == *name) {
                let taken = format!(
                    "a column of the release is called `{name}`, which is also the name of a column of this table"
                );
                let help = text!(
                    "use completed tables (`openveil complete`), which have only the columns of the release"
                );
                return Err(input(taken).help(help).into());
            }
        }
        Ok(table::of_text(&made.columns, &types, beside)?)
    }

    /// Returns completed tables that are consistent with the release.
    ///
    /// # Errors
    /// As [`Reader::completed`].
    pub fn completed(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        effort: Effort,
        number: usize,
    ) -> Result<Vec<Batches>, Failure> {
        if !(1..=1000).contains(&number) {
            let problem = format!("{number} tables cannot be drawn");
            return Err(input(problem).help("write a number from 1 to 1000").into());
        }
        let (made, types) = self.ask(goes_on, effort, |reader| {
            let made = reader.completed(number)?;
            let types = made.first().map(|table| types_of(reader, table));
            Ok((made, types.unwrap_or_default()))
        })?;
        Ok(made
            .iter()
            .map(|columns| table::of_text(columns, &types, Vec::new()))
            .collect::<Result<_, _>>()?)
    }

    /// Draws synthetic rows from the release, without a fit.
    ///
    /// # Errors
    /// As [`Reader::sample`].
    pub fn sample(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        rows: usize,
        seed: Option<u64>,
    ) -> Result<Batches, Failure> {
        let (drawn, types) = self.ask(goes_on, Effort::default(), |reader| {
            Ok((reader.sample(rows, seed)?, reader.types()))
        })?;
        Ok(table::of_text(&drawn, &types, Vec::new())?)
    }

    /// Writes `release/` and `owner/` into a folder; returns whether an earlier release was
    /// replaced.
    ///
    /// # Errors
    /// A release that was read back; a folder that cannot be written to.
    pub fn save(&self, folder: &Path) -> Result<bool, Failure> {
        let (made, _) = self.made()?;
        let published = brief(|| made.write(folder))?;
        let manifest = json(&published.manifest, Voice::Command)?;
        self.manifest.get_or_init(|| manifest);
        Ok(published.written.replaced)
    }

    fn made(&self) -> Result<&(Release, Texts), Error> {
        let read_back =
            || input("this release was read from its folder: the owner's part is not available");
        self.made.as_ref().ok_or_else(read_back)
    }

    /// Asks a reader of the release, which is made on first use.
    fn ask<T: Send>(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        effort: Effort,
        work: impl FnOnce(&Reader) -> Result<T, Error> + Send,
    ) -> Result<T, Failure> {
        if effort.worlds > Effort::MOST_WORLDS {
            let problem = format!("{} worlds are more than {}", effort.worlds, Effort::MOST_WORLDS);
            return Err(input(problem).into());
        }
        let place = self.place()?.clone();
        // One question at a time. A thread of the pool that waits for a fit may begin another
        // question, which would then wait for that fit on the same thread. So the lock is taken
        // before the pool.
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let readers = &mut *readers;
        run(goes_on, |_| {
            let own = match readers.iter().position(|(own, _)| *own == effort) {
                Some(at) => readers.remove(at),
                None => (effort, Reader::open(place)?.with_effort(effort)),
            };
            if readers.len() == MOST_READERS {
                readers.remove(0);
            }
            let answer = work(&own.1);
            readers.push(own);
            answer
        })
    }
}

/// Returns the types of columns of a release, by their names.
fn types_of(reader: &Reader, columns: &[RawColumn]) -> Vec<Option<String>> {
    let all = &reader.release().manifest.columns;
    let of =
        |column: &RawColumn| all.iter().find(|entry| entry.name == column.name)?.value_type.clone();
    columns.iter().map(of).collect()
}
