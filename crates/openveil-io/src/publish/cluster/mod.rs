//! Tables that lie on several machines: what the machines are asked, and what is decided from
//! their answers. The same stages as chunk by chunk ([`openveil::algorithm::cover::chunks`]), with numbers of 63 bits
//! in the place of urns. Who asks whom, and where rows lie in between, is for the caller to see
//! to: `openveil.spark` in the Python package does it by Spark's DataFrames.
//!
//! Machines that do a task twice read the same numbers: they are drawn once, when rows are
//! encoded, and whoever calls has to keep what came of that.

mod census;
mod cutter;
mod rows;

pub use census::Census;
pub use cutter::{Cuts, Cutter};

use super::chunked::{Blueprint, Part, Parting, Recount, in_memory_only};
use super::refusal::refuse_options;
use super::release::Release;
use super::schema::{Guard, Schema};
use super::table::{Chunked, Made, shapes};
use super::{Clock, Options};
use crate::load::{self, Loaded};
use crate::policy::{HierarchySection, Policy};
use crate::release_dir::write::{self, Manifest, Owner, Shape};
use crate::source::{Batches, Format, Source};
use crate::{Error, ErrorKind, Location};
use openveil::algorithm::{Algorithm, Cover};
use openveil::coins::{Coins, SecretCoins};
use openveil::release::Tally;
use openveil::table::Groups;
use rows::{codes, numbers, table_of};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Why machines' answers do not fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Rows are not those that were counted.
    Changed,
    /// Two rows drew the same number.
    Tie,
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        let error = |problem: &str| Error::new(Location::default(), problem);
        match problem {
            Problem::Changed => error(
                "the table is not the same whenever it is read: its rows or values are others than those that were counted, and nothing was published",
            )
            .help("write it out first, and publish what was written; a table that is computed anew for every job may draw other rows"),
            Problem::Tie => error("two rows drew the same number of 63 bits, and nothing was published")
                .help("run it again: numbers know nothing of values, so this run does not count"),
        }
    }
}

/// What machines have to know of a table and of what is to become of it.
#[derive(Debug)]
pub struct Cluster {
    shipped: Shipped,
    policy: Policy,
    loaded: Loaded,
    schema: Schema,
    /// Per published column, the code of each text.
    codes: Vec<HashMap<String, u32>>,
    blueprint: Blueprint,
}

/// The parts in which a table is published.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Parts(Parting);

impl Parts {
    /// How many.
    pub fn count(&self) -> usize {
        self.0.parts()
    }
}

/// From what every machine makes the same plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Shipped {
    policy: String,
    path: PathBuf,
    /// What stands in the files of hierarchies, by column.
    hierarchies: BTreeMap<String, String>,
    header: Vec<String>,
    census: Vec<(i32, String, u64)>,
    part_rows: u32,
    test_seed: Option<u64>,
    accept_algorithm_disclosure: bool,
}

impl Cluster {
    /// Plans what becomes of a table that was counted; parts have at most so many rows, or one
    /// chunk.
    ///
    /// # Errors
    /// A policy that is for tables in memory only, bad values, a table that the model does not
    /// allow.
    pub fn plan(
        (policy, path): (&str, PathBuf),
        header: Vec<String>,
        census: &Census,
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
            test_seed: options.test_seed,
            accept_algorithm_disclosure: options.accept_algorithm_disclosure,
        })
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
        refuse_options(&policy, options)?;
        check(&policy, options, &shipped.header)?;
        let census = Census::of_entries(&shipped.census);
        let counted = census.loaded(&policy, &shipped.header)?;
        let schema = Schema::of(&policy, &counted.loaded)?;
        let policy = schema.resolved(&policy)?;
        if policy.algorithm.name() != Cover.name() {
            let problem = format!(
                "`{}`, which the policy's model asks for, is for tables in memory only, and not for Spark",
                policy.algorithm.name()
            );
            return Err(Error::new(Location::file(&policy.path), problem)
                .help("say `name = \"cover\"` under [algorithm]")
                .of_kind(ErrorKind::Refused));
        }
        let guard = guard(&schema);
        let blueprint = Blueprint::of(guard, counted.sample, shipped.part_rows)?;
        Ok(Self {
            shipped,
            policy,
            schema,
            codes: counted.codes,
            loaded: counted.loaded,
            blueprint,
        })
    }

    /// Rows that are published.
    pub fn rows(&self) -> usize {
        self.loaded.table.rows()
    }

    /// Number of published columns: those of encoded rows, before the four that say where a row
    /// goes.
    pub fn columns(&self) -> usize {
        self.codes.len()
    }

    /// Encodes rows: their codes, `c0` and on; `lot` and `region`; and two numbers, `deal` and
    /// `tie`, which decide where they go. To be done once, and kept: numbers that are drawn
    /// again deal again.
    ///
    /// # Errors
    /// Rows that were not counted.
    pub fn encode(&self, rows: &Batches, coins: &mut dyn Coins) -> Result<Batches, Error> {
        let raw = census::read(&self.policy, rows)?;
        let published = census::published(&self.policy, &raw.columns);
        let missing = census::missing(&self.policy, &published);
        let keep: Vec<usize> = (0..raw.rows)
            .filter(|&row| census::is_kept(&published, &missing, row))
            .collect();
        let mut columns = Vec::new();
        for (column, codes) in published.iter().zip(&self.codes) {
            let code = |text: &str| codes.get(text).copied();
            let code_of: Vec<Option<u32>> = column.values.iter().map(code).collect();
            let own = keep.iter().map(|&row| code_of[column.codes[row] as usize]);
            columns.push(own.collect::<Option<Vec<u32>>>().ok_or(Problem::Changed)?);
        }
        let region = self.blueprint.region(&columns);
        let lots = (0..keep.len())
            .map(|row| self.blueprint.lot(&columns, row))
            .collect();
        let regions = (0..keep.len()).map(region).collect();
        let mut number = || {
            let part = |bits: u32, coins: &mut dyn Coins| u64::from(coins.below(1 << bits));
            part(21, coins) << 42 | part(21, coins) << 21 | part(21, coins)
        };
        let [deal, tie]: [Vec<u64>; 2] =
            std::array::from_fn(|_| keep.iter().map(|_| number()).collect());
        columns.push(lots);
        columns.push(regions);
        let names = (0..self.codes.len()).map(|column| format!("c{column}"));
        let names = names.chain(["lot", "region"].map(str::to_owned));
        table_of(
            names.zip(columns).collect(),
            vec![("deal", deal), ("tie", tie)],
        )
    }

    /// Asks for the numbers by which rows of every value go to columns.
    pub fn deal(&self) -> Cutter {
        Cutter::of(self.blueprint.layout.values())
    }

    /// Asks for the numbers by which rows of a column and region go to chunks, once those are
    /// counted.
    ///
    /// # Errors
    /// Counts that are not those of the columns.
    pub fn chunks(&self, counts: &BTreeMap<u32, u64>) -> Result<(Cutter, Parts), Error> {
        let mut rows = vec![0; self.blueprint.grid.lots()];
        for (&lot, &count) in counts {
            let own = rows.get_mut(lot as usize).ok_or(Problem::Changed)?;
            *own = u32::try_from(count).map_err(|_| Problem::Changed)?;
        }
        if !self.blueprint.grid.fits(&rows) {
            return Err(Problem::Changed.into());
        }
        let chunks = self.blueprint.chunks(&rows, &guard(&self.schema).view)?;
        let parting = Parting::of(chunks.chunks(), self.shipped.part_rows);
        Ok((Cutter::of(chunks.allotment()), Parts(parting)))
    }

    /// How many encoded rows each lot of the grid has: `lot`, `rows`.
    ///
    /// # Errors
    /// A table of another form.
    pub fn grid(&self, rows: &Batches, deal: &Cuts) -> Result<Batches, Error> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        let lots = self.to_cut(rows, deal)?;
        lots.iter()
            .for_each(|(lot, _)| *counts.entry(*lot).or_default() += 1);
        let (lots, rows) = counts.into_iter().unzip();
        table_of(vec![("lot".to_owned(), lots)], vec![("rows", rows)])
    }

    /// What some encoded rows answer to a round's question: `lot`, `prefix`, `rows`. Rows are
    /// asked about chunks once they are dealt, before about the deal.
    ///
    /// # Errors
    /// A table of another form.
    pub fn count(
        &self,
        rows: &Batches,
        asked: &Cutter,
        deal: Option<&Cuts>,
    ) -> Result<Batches, Error> {
        let counts = asked.count(self.numbered(rows, deal)?.into_iter());
        let lots = counts.keys().map(|(lot, _)| *lot).collect();
        let prefixes = counts.keys().map(|(_, prefix)| *prefix).collect();
        let rows = counts.into_values().collect();
        let numbers = vec![("prefix", prefixes), ("rows", rows)];
        table_of(vec![("lot".to_owned(), lots)], numbers)
    }

    /// Of some encoded rows, those that are asked for at the end: `lot`, `key`.
    ///
    /// # Errors
    /// A table of another form.
    pub fn pick(
        &self,
        rows: &Batches,
        asked: &Cutter,
        deal: Option<&Cuts>,
    ) -> Result<Batches, Error> {
        let picked = asked.pick(self.numbered(rows, deal)?.into_iter());
        let (lots, keys) = picked.into_iter().unzip();
        table_of(vec![("lot".to_owned(), lots)], vec![("key", keys)])
    }

    fn numbered(&self, rows: &Batches, deal: Option<&Cuts>) -> Result<Vec<(u32, u64)>, Error> {
        match deal {
            None => self.to_deal(rows),
            Some(deal) => self.to_cut(rows, deal),
        }
    }

    /// Encoded rows (`lot`, `deal`) as lots and numbers.
    fn to_deal(&self, rows: &Batches) -> Result<Vec<(u32, u64)>, Error> {
        let (lots, keys) = (codes(rows, "lot")?, numbers(rows, "deal")?);
        Ok(lots.into_iter().zip(keys).collect())
    }

    /// Encoded rows (`lot`, `region`, `deal`, `tie`) as lots of the grid and numbers.
    fn to_cut(&self, rows: &Batches, deal: &Cuts) -> Result<Vec<(u32, u64)>, Error> {
        let columns = self.column_of(rows, deal)?;
        let regions = codes(rows, "region")?;
        let lots = columns.into_iter().zip(regions);
        let lots = lots.map(|(column, region)| self.blueprint.grid.lot(column, region) as u32);
        Ok(lots.zip(numbers(rows, "tie")?).collect())
    }

    fn column_of(&self, rows: &Batches, deal: &Cuts) -> Result<Vec<u32>, Error> {
        let rows = self.to_deal(rows)?;
        let columns = rows.into_iter().map(|(lot, key)| deal.place(lot, key));
        let columns: Option<Vec<u32>> = columns.collect();
        Ok(columns.ok_or(Problem::Changed)?)
    }

    /// Encoded rows with their `part`, `chunk` and `dealt` column, without what decided it.
    ///
    /// # Errors
    /// A table of another form.
    pub fn place(
        &self,
        rows: &Batches,
        deal: &Cuts,
        (chunks, parts): (&Cuts, &Parts),
    ) -> Result<Batches, Error> {
        let dealt = self.column_of(rows, deal)?;
        let cut = self.to_cut(rows, deal)?.into_iter();
        let chunk = cut.map(|(lot, key)| chunks.place(lot, key));
        let chunk = chunk
            .collect::<Option<Vec<u32>>>()
            .ok_or(Problem::Changed)?;
        let part = chunk.iter().map(|&chunk| parts.0.part_of(chunk)).collect();
        let mut columns = vec![
            ("part".to_owned(), part),
            ("chunk".to_owned(), chunk),
            ("dealt".to_owned(), dealt),
        ];
        for column in 0..self.codes.len() {
            let name = format!("c{column}");
            let own = codes(rows, &name)?;
            columns.push((name, own));
        }
        table_of(columns, Vec::new())
    }

    /// Publishes the placed rows of one part: what is released of them, checked; and their tally
    /// as a JSON document.
    ///
    /// # Errors
    /// Rows that are not those of the part, or a release that the check refuses.
    pub fn part(
        &self,
        rows: &Batches,
        parts: &Parts,
        coins: &mut SecretCoins,
    ) -> Result<(Batches, String), Error> {
        let mut columns = vec![codes(rows, "dealt")?, codes(rows, "chunk")?];
        let numbers = codes(rows, "part")?;
        let number = *numbers.first().ok_or(Problem::Changed)?;
        for column in 0..self.codes.len() {
            columns.push(codes(rows, &format!("c{column}"))?);
        }
        let (guard, style) = (guard(&self.schema), self.policy.style);
        let places = (self.blueprint.columns, &parts.0);
        let part = Part::of(columns, places, &guard.view, &self.policy, coins)?;
        let (content, membership) = part.publish(style);
        part.check(&content, &membership, guard, style)?;
        let before = parts.0.groups_before(number as usize);
        let shapes = self.shapes();
        let released = write::batches(part.view(), &content, style, &shapes, before, coins)?;
        let tally = Tally::of(&content, part.view());
        let tally = serde_json::to_string(&tally).expect("numbers have a JSON form");
        Ok((released, tally))
    }

    /// The columns of what is released of a part, without rows.
    ///
    /// # Errors
    /// None that a plan can have.
    pub fn released(&self) -> Result<Batches, Error> {
        let (view, style) = (&guard(&self.schema).view, self.policy.style);
        let none = Groups::with_capacity(0, 0);
        let (content, _) = openveil::release::publish(view, &none, style);
        let coins = &mut SecretCoins::from_test_seed(0);
        write::batches(view, &content, style, &self.shapes(), 0, coins)
    }

    fn shapes(&self) -> Vec<Shape> {
        shapes(&self.policy, &self.loaded, &self.schema.tables[0])
    }

    /// What is published beside the table, and what stays with the owner, from the tallies of
    /// all parts and the counts of released values; `files` are what the table's files are called.
    ///
    /// # Errors
    /// Parts that are not those of the plan.
    pub fn documents(
        &self,
        tallies: &[String],
        files: Vec<String>,
    ) -> Result<(Manifest, Owner), Error> {
        let guard = guard(&self.schema);
        let mut tally = Tally::empty(guard.view.known().len());
        for own in tallies {
            tally.add(serde_json::from_str(own).map_err(|_| Problem::Changed)?);
        }

        if tally.rows != self.loaded.table.rows() as u64 {
            return Err(Problem::Changed.into());
        }
        let made = Chunked {
            view: guard.view.clone(),
            tally,
            files: files.clone(),
        };
        let options = Options {
            test_seed: self.shipped.test_seed,
            accept_algorithm_disclosure: self.shipped.accept_algorithm_disclosure,
            ..Options::default()
        };
        let (loaded, schema) = (self.loaded.clone(), self.schema.clone());
        let made = Made::Chunked(Box::new(made));
        let release = Release::of_parts(
            &self.policy,
            options,
            loaded,
            schema,
            made,
            Clock::default(),
        );
        Ok((release.manifest_of(vec![files]), release.owner()?))
    }

    /// Checks the values of a release that was written, each with its rows.
    ///
    /// # Errors
    /// Values that are not those of the table.
    pub fn recount(&self, values: &Batches) -> Result<(), Error> {
        let source = Source::of_memory("release", values.clone());
        let raw = source.read(&|names| Ok(vec![true; names.len()]), &|_| {})?;
        let [texts, rows] = &raw.columns[..] else {
            return Err(Problem::Changed.into());
        };
        let view = &guard(&self.schema).view;
        let mut recount = Recount::of(view);
        let code_of: HashMap<String, u32> = view.secret().labels().into_iter().zip(0..).collect();
        for (&text, &rows_of) in texts.codes.iter().zip(&rows.codes) {
            let text = match texts.values.get(text) {
                "" => load::MISSING_LABEL,
                text => text,
            };
            let code = code_of.get(text).ok_or(Problem::Changed)?;
            let rows = rows.values.get(rows_of).parse();
            recount.count(*code, rows.map_err(|_| Problem::Changed)?);
        }
        recount.check(view)
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
        let problem = format!("is nothing that this version of openveil asks: {cause}");
        Error::new(Location::default(), problem)
            .help("install the same version on the driver and on all executors")
    })
}

/// The columns of a table that are published, in its order: all that is needed of it.
///
/// # Errors
/// A policy that does not fit the table, or is for tables in memory only.
pub fn published(policy: &Policy, header: &[String]) -> Result<Vec<String>, Error> {
    check(policy, Options::default(), header)?;
    let is_published = |name: &&String| policy.columns[*name].role.is_published();
    Ok(header.iter().filter(is_published).cloned().collect())
}

/// Refuses what is done in memory only.
fn check(policy: &Policy, options: Options, header: &[String]) -> Result<(), Error> {
    load::wanted(policy, header)?;
    match in_memory_only(policy, options) {
        None => Ok(()),
        Some(what) => {
            let problem = format!("{what} for tables in memory only, and not for Spark");
            let place = Location::file(&policy.path);
            Err(Error::new(place, problem).of_kind(ErrorKind::Refused))
        }
    }
}

fn guard(schema: &Schema) -> &Guard {
    let guard = schema.tables[0].guard.as_ref();
    guard.expect("without rules the table is guarded")
}
