//! Publishes tables that are spread over several machines: the questions to the machines, and the
//! decisions from their answers. The stages are those of chunks
//! ([`openveil_core::algorithm::chunks`]), with 63-bit numbers instead of urns. The caller sends
//! the questions and stores rows in between: `openveil.spark` in the Python package uses Spark's
//! DataFrames. It brings the rows of a lot together, so that the task that has them can order them
//! by their numbers. A search for borders between numbers would need rounds of counts, and with rows
//! that are set aside first, nearly all numbers.
//!
//! A machine that repeats a task must read the same numbers. They are drawn once, when rows are
//! encoded, and the caller has to store the result.

mod ask;
mod census;
mod release;
mod rows;

pub use census::TextCensus;

use crate::asked::Job;
use crate::asked::Options;
use crate::chunked::{Blueprint, Parting, in_memory_only};
use crate::made::schema::{Guard, TablePlans};
use openveil_core::coins::CoinKey;
use openveil_io::load::Loaded;
use openveil_io::load::{self, hierarchy};
use openveil_io::policy::Policy;
use openveil_io::release_dir::record::recorded;
use openveil_io::source::Format;
use openveil_io::{Error, ErrorKind, Location};
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// The reason why machines' answers do not fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerMismatch {
    /// The rows differ from the rows that were counted.
    Changed,
    /// Two rows drew the same number.
    Tie,
}

impl From<AnswerMismatch> for Error {
    fn from(problem: AnswerMismatch) -> Self {
        let error = |problem: Text| Error::new(Location::default(), problem);
        match problem {
            AnswerMismatch::Changed => error(
                text!("the table changed between two reads. Nothing was published"),
            )
            .help("write the table to a file first, and publish that file; a table that is computed again for every job may contain other rows"),
            AnswerMismatch::Tie => error(text!("two rows drew the same 63-bit number. Nothing was published"))
                .help("run it again: the numbers do not depend on values, so this run does not count"),
        }
    }
}

/// The facts about a table and its publication that machines need.
#[derive(Debug)]
pub struct ClusterFacts {
    shipped: Shipped,
    job: Job,
    loaded: Loaded,
    schema: TablePlans,
    /// The code of each text, per published column.
    codes: Vec<HashMap<String, u32>>,
    blueprint: Blueprint,
}

/// The parts in which a table is published, each with the key of its coins: making a part twice
/// uses the same coins.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TableParts {
    parting: Parting,
    /// Lots in their order, each with a place and how many of its rows go there. The rows with the
    /// least numbers go to the lot's first place.
    shares: Vec<(u32, u32, u32)>,
    keys: Vec<CoinKey>,
}

impl TableParts {
    /// Returns the number of parts.
    pub fn count(&self) -> usize {
        self.keys.len()
    }
}

/// The data from which every machine makes the same plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Shipped {
    policy: String,
    path: PathBuf,
    /// Contents of the files of hierarchies, by column.
    hierarchies: BTreeMap<String, String>,
    header: Vec<String>,
    census: Vec<(i32, String, u64)>,
    part_rows: u32,
    test_seed: Option<u64>,
    accept_algorithm_disclosure: bool,
}

impl ClusterFacts {
    /// Plans the publication of a counted table, in parts of at most `part_rows` rows, or of one
    /// chunk.
    ///
    /// # Errors
    /// A policy that needs the table in memory, bad values, a table for which the model is
    /// impossible.
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
            let text =
                section.map(|section| hierarchy::text(&read, section)).transpose()?.flatten();
            hierarchies.extend(text.map(|text| (name.clone(), text)));
        }
        Self::new(Shipped {
            policy: policy.to_owned(),
            path,
            hierarchies,
            header,
            census: census.entries(),
            part_rows,
            test_seed: options.test_seed,
            accept_algorithm_disclosure: options.accept_algorithm_disclosure,
        })
        .map_err(|error| recorded(&read, error))
    }

    /// Returns the plan as bytes for another machine.
    pub fn ship(&self) -> Vec<u8> {
        packed(&self.shipped)
    }

    /// Reads a plan that came from another machine.
    ///
    /// # Errors
    /// Bytes that are no plan of this version.
    pub fn receive(bytes: &[u8]) -> Result<Self, Error> {
        Self::new(unpacked(bytes)?)
    }

    fn new(shipped: Shipped) -> Result<Self, Error> {
        let mut policy = Policy::parse(&shipped.policy, &shipped.path)?;
        for (name, text) in &shipped.hierarchies {
            let column = policy.columns.get_mut(name);
            if let Some(section) = column.and_then(|column| column.hierarchy.as_mut()) {
                *section = section.with_text(text);
            }
        }
        policy.output.format.format = Format::Parquet;
        let options = Options {
            test_seed: shipped.test_seed,
            accept_algorithm_disclosure: shipped.accept_algorithm_disclosure,
            ..Options::default()
        };
        let job = Job::checked(&policy, options)?;
        check(&job, &shipped.header)?;
        let census = TextCensus::of_entries(&shipped.census);
        let counted = census.loaded(&policy, &shipped.header)?;
        let prints = &counted.loaded.prints;
        let schema = TablePlans::new(&policy, &counted.loaded).and_then(|schema| {
            let job = schema.resolved(job)?;
            Ok((schema, job))
        });
        let (schema, job) = schema.map_err(|error| error.with_prints(prints))?;
        let guard = guard(&schema);
        let settings = (&job.settings, shipped.part_rows);
        let blueprint = Blueprint::new(guard, counted.sample, settings)?;
        Ok(Self { shipped, job, schema, codes: counted.codes, loaded: counted.loaded, blueprint })
    }

    /// Returns the number of published columns. Encoded rows start with them, before the two
    /// columns that say where a row goes.
    pub fn columns(&self) -> usize {
        self.codes.len()
    }
}

/// Packs a document for another machine.
pub fn packed(document: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_vec(document).expect("texts and numbers have a JSON form");
    zstd::encode_all(&*text, 0).expect("memory can be written to")
}

/// Unpacks a document from another machine.
///
/// # Errors
/// Bytes that are no document of this version.
pub fn unpacked<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let text = zstd::decode_all(bytes);
    let document = text.and_then(|text| Ok(serde_json::from_slice(&text)?));
    document.map_err(|cause: std::io::Error| {
        let problem = text!("was sent by a different version of openveil: {cause}");
        Error::new(Location::default(), problem)
            .help("install the same version on the driver and on all executors")
    })
}

/// Returns the columns of a table that are published, in its order; no others are needed.
///
/// # Errors
/// A policy that does not fit the table, or that needs the table in memory.
pub fn published(policy: &Policy, header: &[String]) -> Result<Vec<String>, Error> {
    check(&Job::new(policy, Options::default()), header)?;
    Ok(header.iter().filter(|name| policy.columns[*name].role.is_published()).cloned().collect())
}

/// Refuses policies that need the table in memory.
fn check(job: &Job, header: &[String]) -> Result<(), Error> {
    load::wanted(&job.policy, header)?;
    match in_memory_only(job) {
        None => Ok(()),
        Some(what) => {
            let problem = text!("{what} for tables in memory only, and not for Spark");
            let place = Location::file(&job.policy.path);
            Err(Error::new(place, problem).of_kind(ErrorKind::Refused))
        }
    }
}

fn guard(schema: &TablePlans) -> &Guard {
    let guard = schema.tables[0].guard.as_ref();
    guard.expect("without rules the table is guarded")
}
