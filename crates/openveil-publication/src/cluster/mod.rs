//! Tables that lie on several machines: what the machines are asked, and what is decided from
//! their answers. The same stages as chunk by chunk ([`openveil_core::algorithm::chunks`]), with numbers of 63 bits
//! in the place of urns. Who asks whom, and where rows lie in between, is for the caller to see
//! to: `openveil.spark` in the Python package does it by Spark's DataFrames.
//!
//! Machines that do a task twice read the same numbers: they are drawn once, when rows are
//! encoded, and whoever calls has to keep what came of that.

mod ask;
mod census;
mod cutter;
mod release;
mod rows;

pub use census::TextCensus;
pub use cutter::{BorderFinder, LotPlaces};

use super::Options;
use super::chunked::{Blueprint, Parting, in_memory_only};
use super::job::{CoinsOf, Job};
use super::schema::{Guard, TablePlans};
use openveil_core::coins::CoinKey;
use openveil_io::load;
use openveil_io::load::Loaded;
use openveil_io::policy::{HierarchySection, Policy};
use openveil_io::release_dir::record::recorded;
use openveil_io::source::Format;
use openveil_io::{Error, ErrorKind, Location};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Why machines' answers do not fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerMismatch {
    /// Rows are not those that were counted.
    Changed,
    /// Two rows drew the same number.
    Tie,
}

impl From<AnswerMismatch> for Error {
    fn from(problem: AnswerMismatch) -> Self {
        let error = |problem: &str| Error::new(Location::default(), problem);
        match problem {
            AnswerMismatch::Changed => error(
                "the table changed between two reads. Nothing was published",
            )
            .help("write the table to a file first, and publish that file; a table that is computed again for every job may contain other rows"),
            AnswerMismatch::Tie => error("two rows drew the same 63-bit number. Nothing was published")
                .help("run it again: the numbers do not depend on values, so this run does not count"),
        }
    }
}

/// The facts about a table and its publication that machines have to know.
#[derive(Debug)]
pub struct ClusterFacts {
    shipped: Shipped,
    job: Job,
    loaded: Loaded,
    schema: TablePlans,
    /// Per published column, the code of each text.
    codes: Vec<HashMap<String, u32>>,
    blueprint: Blueprint,
}

/// The parts in which a table is published, each with the key of its coins: a part that is made
/// twice is made with the same ones.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TableParts {
    parting: Parting,
    keys: Vec<CoinKey>,
}

impl TableParts {
    /// How many.
    pub fn count(&self) -> usize {
        self.keys.len()
    }
}

/// From what every machine makes the same plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Shipped {
    policy: String,
    path: PathBuf,
    /// Contents of the files of hierarchies, by column.
    hierarchies: BTreeMap<String, String>,
    header: Vec<String>,
    census: Vec<(i32, String, u64)>,
    part_rows: u32,
    /// Key of the coins that decide which values share a column.
    composition: CoinKey,
    test_seed: Option<u64>,
    accept_algorithm_disclosure: bool,
}

impl ClusterFacts {
    /// Plans what becomes of a table that was counted; parts have at most so many rows, or one
    /// chunk.
    ///
    /// # Errors
    /// A policy that is for tables in memory only, bad values, a table that the model does not
    /// allow.
    pub fn plan(
        (policy, path): (&str, PathBuf),
        header: Vec<String>,
        census: &TextCensus,
        part_rows: u32,
        options: Options,
    ) -> Result<Self, Error> {
        let read = Policy::parse(policy, &path)?;
        let mut hierarchies = BTreeMap::new();
        for (name, column) in &read.columns {
            let section = column.hierarchy.as_ref();
            let Some((file, _)) = section.and_then(HierarchySection::file) else {
                continue;
            };
            let file = read.resolve(file);
            let text = std::fs::read_to_string(&file);
            let text = text.map_err(|cause| Error::io(&file, "read the hierarchy", &cause))?;
            hierarchies.insert(name.clone(), text);
        }
        Self::of(Shipped {
            policy: policy.to_owned(),
            path,
            hierarchies,
            header,
            census: census.entries(),
            part_rows,
            composition: CoinKey::drawn(&mut Job::new(&read, options).coins(CoinsOf::Composition)),
            test_seed: options.test_seed,
            accept_algorithm_disclosure: options.accept_algorithm_disclosure,
        })
        .map_err(|error| recorded(&read, error))
    }

    /// The plan, for another machine.
    pub fn ship(&self) -> Vec<u8> {
        packed(&self.shipped)
    }

    /// A plan that came from another machine.
    ///
    /// # Errors
    /// Bytes that are no plan of this version.
    pub fn receive(bytes: &[u8]) -> Result<Self, Error> {
        Self::of(unpacked(bytes)?)
    }

    fn of(shipped: Shipped) -> Result<Self, Error> {
        let mut policy = Policy::parse(&shipped.policy, &shipped.path)?;
        for (name, text) in &shipped.hierarchies {
            let column = policy.columns.get_mut(name);
            if let Some(section) = column.and_then(|column| column.hierarchy.as_mut()) {
                *section = section.with_text(text);
            }
        }
        policy.output.format = Format::Parquet;
        let options = Options {
            test_seed: shipped.test_seed,
            accept_algorithm_disclosure: shipped.accept_algorithm_disclosure,
            ..Options::default()
        };
        let job = Job::of(&policy, options)?;
        check(&job, &shipped.header)?;
        let census = TextCensus::of_entries(&shipped.census);
        let counted = census.loaded(&policy, &shipped.header)?;
        let schema = TablePlans::of(&policy, &counted.loaded)?;
        let job = schema.resolved(job)?;
        let engine = job
            .algorithm
            .chunked()
            .expect("`auto` chooses engines for large tables, too");
        let guard = guard(&schema);
        let settings = (&job.settings, shipped.part_rows);
        let coins = &mut shipped.composition.coins();
        let blueprint = Blueprint::of(engine, guard, counted.sample, settings, coins)?;
        Ok(Self {
            shipped,
            job,
            schema,
            codes: counted.codes,
            loaded: counted.loaded,
            blueprint,
        })
    }

    /// Number of published columns: those of encoded rows, before the four that say where a row
    /// goes.
    pub fn columns(&self) -> usize {
        self.codes.len()
    }
}

/// A document for another machine.
pub fn packed(document: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_vec(document).expect("texts and numbers have a JSON form");
    zstd::encode_all(&*text, 0).expect("memory can be written to")
}

/// A document from another machine.
///
/// # Errors
/// Bytes that are none of this version.
pub fn unpacked<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let text = zstd::decode_all(bytes);
    let document = text.and_then(|text| Ok(serde_json::from_slice(&text)?));
    document.map_err(|cause: std::io::Error| {
        let problem = format!("was sent by a different version of openveil: {cause}");
        Error::new(Location::default(), problem)
            .help("install the same version on the driver and on all executors")
    })
}

/// The columns of a table that are published, in its order: all that is needed of it.
///
/// # Errors
/// A policy that does not fit the table, or is for tables in memory only.
pub fn published(policy: &Policy, header: &[String]) -> Result<Vec<String>, Error> {
    check(&Job::new(policy, Options::default()), header)?;
    let is_published = |name: &&String| policy.columns[*name].role.is_published();
    Ok(header.iter().filter(is_published).cloned().collect())
}

/// Refuses what is done in memory only.
fn check(job: &Job, header: &[String]) -> Result<(), Error> {
    load::wanted(&job.policy, header)?;
    match in_memory_only(job) {
        None => Ok(()),
        Some(what) => {
            let problem = format!("{what} for tables in memory only, and not for Spark");
            let place = Location::file(&job.policy.path);
            Err(Error::new(place, problem).of_kind(ErrorKind::Refused))
        }
    }
}

fn guard(schema: &TablePlans) -> &Guard {
    let guard = schema.tables[0].guard.as_ref();
    guard.expect("without rules the table is guarded")
}
