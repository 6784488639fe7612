//! Counting a table, part by part, before anything is decided.

use super::AnswerMismatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use openveil_core::coins::Coins;
use openveil_core::table::Histogram;
use openveil_io::load;
use openveil_io::load::Loaded;
use openveil_io::policy::{Missing, Policy, Role};
use openveil_io::release_dir::record;
use openveil_io::source::{Batches, RawColumn, RawTable, Source};
use openveil_io::{Error, Location};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The texts of a table with their numbers of rows, by kind of count. As a document, it consists of
/// rows (kind, text, rows), which are summed over the parts of a table.
#[derive(Debug, Clone, Default)]
pub struct TextCensus {
    counts: BTreeMap<(i32, String), u64>,
}

/// The kinds of counts for a table with so many published columns.
#[derive(Debug, Clone, Copy)]
struct CountKinds {
    columns: i32,
}

impl CountKinds {
    /// Returns the kind for the texts of a column, in all rows.
    fn all(self, column: usize) -> i32 {
        column as i32
    }

    /// Returns the kind for the texts of a column in rows that are published, if some may be left
    /// out.
    fn kept(self, column: usize) -> i32 {
        self.columns + column as i32
    }

    /// Returns the kind for sensitive values together with the columns that fix the stratum.
    fn joint(self) -> i32 {
        2 * self.columns
    }

    /// Returns the kind for rows of the sample.
    fn sample(self) -> i32 {
        2 * self.columns + 1
    }

    /// Returns the kind for the number of rows.
    fn rows(self) -> i32 {
        2 * self.columns + 2
    }
}

impl TextCensus {
    /// Counts rows of a table, and samples one row in `one_in` on average: every row by its own
    /// random draw, wherever it is.
    ///
    /// # Errors
    /// Columns that do not fit the policy, or cannot be read.
    pub fn new(
        policy: &Policy,
        rows: &Batches,
        one_in: u32,
        coins: &mut dyn Coins,
    ) -> Result<Self, Error> {
        let raw = read(policy, rows)?;
        let published = published(policy, &raw.columns);
        let kinds = CountKinds { columns: published.len() as i32 };
        let missing = missing(policy, &published);
        let keep: Vec<usize> =
            (0..raw.rows).filter(|&row| is_kept(&published, &missing, row)).collect();
        let mut census = Self::default();
        census.add(kinds.rows(), String::new(), raw.rows as u64);
        for (index, column) in published.iter().enumerate() {
            let counts = column.counts();
            for (text, &rows) in column.values.iter().zip(&*counts) {
                census.add(kinds.all(index), text.to_owned(), rows.into());
            }
            if policy.input.missing == Missing::DropRows {
                let mut kept = vec![0u64; column.values.len()];
                keep.iter().for_each(|&row| kept[column.codes[row] as usize] += 1);
                for (text, rows) in column.values.iter().zip(kept) {
                    census.add(kinds.kept(index), text.to_owned(), rows);
                }
            }
        }
        let joint = joint_columns(policy, &published);
        let mut tuples: HashMap<Vec<u32>, u64> = HashMap::new();
        let mut tuple = Vec::new();
        for &row in &keep {
            tuple.clear();
            tuple.extend(joint.iter().map(|&column| published[column].codes[row]));
            match tuples.get_mut(&tuple) {
                Some(rows) => *rows += 1,
                None => _ = tuples.insert(tuple.clone(), 1),
            }
        }
        let text = |columns: &[usize], codes: &[u32]| {
            let pairs = columns.iter().zip(codes);
            texts(pairs.map(|(&column, &code)| published[column].values.get(code)))
        };
        for (tuple, rows) in tuples {
            census.add(kinds.joint(), text(&joint, &tuple), rows);
        }
        let known = known_columns(policy, published.iter().map(|column| column.name.as_str()));
        for &row in &keep {
            if coins.below(one_in.max(1)) > 0 {
                continue;
            }
            let codes: Vec<u32> =
                known.iter().map(|&column| published[column].codes[row]).collect();
            census.add(kinds.sample(), text(&known, &codes), 1);
        }
        Ok(census)
    }

    fn add(&mut self, kind: i32, text: String, rows: u64) {
        if rows > 0 {
            *self.counts.entry((kind, text)).or_default() += rows;
        }
    }

    /// Returns the counts, for another machine.
    pub(super) fn entries(&self) -> Vec<(i32, String, u64)> {
        self.counts.iter().map(|((kind, text), &rows)| (*kind, text.clone(), rows)).collect()
    }

    /// Reads counts that came from another machine.
    pub(super) fn of_entries(entries: &[(i32, String, u64)]) -> Self {
        let counts = entries.iter().map(|(kind, text, rows)| ((*kind, text.clone()), *rows));
        Self { counts: counts.collect() }
    }

    /// Returns the counts as a table: kind, text, rows.
    pub fn table(&self) -> Batches {
        let field = |name: &str, kind| Field::new(name, kind, false);
        let schema = Arc::new(Schema::new(vec![
            field("kind", DataType::Int32),
            field("text", DataType::Utf8),
            field("rows", DataType::Int64),
        ]));
        let kinds = self.counts.keys().map(|(kind, _)| *kind);
        let texts = self.counts.keys().map(|(_, text)| text);
        let rows = self.counts.values().map(|&rows| rows as i64);
        let batch = RecordBatch::try_new(
            schema.clone(),
            vec![
                Arc::new(Int32Array::from_iter_values(kinds)),
                Arc::new(StringArray::from_iter_values(texts)),
                Arc::new(Int64Array::from_iter_values(rows)),
            ],
        )
        .expect("three columns of one length");
        Batches::new(schema, vec![batch]).expect("one batch of the schema")
    }

    /// Reads such tables back, and sums them.
    ///
    /// # Errors
    /// A table of another form.
    pub fn read(table: &Batches) -> Result<Self, Error> {
        let mut census = Self::default();
        for batch in table.batches() {
            let [kinds, texts, rows] = batch.columns() else {
                return Err(AnswerMismatch::Changed.into());
            };
            let (Some(kinds), Some(texts), Some(rows)) = (
                kinds.as_primitive_opt::<Int32Type>(),
                texts.as_string_opt::<i32>(),
                rows.as_primitive_opt::<Int64Type>(),
            ) else {
                return Err(AnswerMismatch::Changed.into());
            };
            for ((kind, text), rows) in kinds.values().iter().zip(texts).zip(rows.values()) {
                census.add(*kind, text.unwrap_or_default().to_owned(), *rows as u64);
            }
        }
        Ok(census)
    }

    /// Returns the counted table without its rows; the code of each text, per published column; and
    /// the codes of a sample, column by column.
    ///
    /// # Errors
    /// Bad values, as in reading a table.
    pub(super) fn loaded(&self, policy: &Policy, header: &[String]) -> Result<CountedTable, Error> {
        let mut raw = RawTable {
            columns: header.iter().map(RawColumn::named).collect(),
            rows: 0,
            files: vec![policy.input.source.path.clone()],
            is_thinned: false,
        };
        let numbers: Vec<usize> = (0..header.len())
            .filter(|&index| policy.columns[&header[index]].role.is_published())
            .collect();
        let kinds = CountKinds { columns: numbers.len() as i32 };
        raw.rows = self.of_kind(kinds.rows()).map(|(_, rows)| rows as usize).sum();
        if raw.rows == 0 {
            let place = Location::file(&policy.input.source.path);
            return Err(Error::new(place, "the table has no rows"));
        }
        for (index, &number) in numbers.iter().enumerate() {
            let column = &mut raw.columns[number];
            let mut counts = Vec::new();
            for (text, rows) in self.of_kind(kinds.all(index)) {
                let interned = column.values.intern(text.as_bytes(), || {
                    openveil_io::source::FirstSeen { file: 0, line: 0 }
                });
                interned.expect("texts are UTF-8");
                counts.push(u32::try_from(rows).unwrap_or(u32::MAX));
            }
            column.elsewhere = Some(counts);
        }
        let watched = record::watched(policy)?;
        let texts: Vec<Vec<String>> = numbers
            .iter()
            .map(|&number| raw.columns[number].values.iter().map(str::to_owned).collect())
            .collect();
        let (mut loaded, codes_of) = load::load_elsewhere(policy, raw, &watched, |raw, _| {
            self.keep(kinds, &numbers, raw);
            Ok(())
        })?;
        let codes: Vec<HashMap<String, u32>> = texts
            .into_iter()
            .zip(codes_of)
            .map(|(texts, codes)| texts.into_iter().zip(codes).collect())
            .collect();
        loaded.counts = Some(self.histograms(policy, kinds, &loaded, &codes));
        let names = loaded.table.columns().iter().map(|column| column.name());
        let sample = self.samples(kinds, &codes, &known_columns(policy, names));
        Ok(CountedTable { loaded, codes, sample })
    }

    fn of_kind(&self, kind: i32) -> impl Iterator<Item = (&str, u64)> {
        let counts = self.counts.range((kind, String::new())..(kind + 1, String::new()));
        counts.map(|((_, text), &rows)| (text.as_str(), rows))
    }

    /// Sets the counts to those rows that are not left out.
    fn keep(&self, kinds: CountKinds, numbers: &[usize], raw: &mut RawTable) {
        raw.rows = self.of_kind(kinds.joint()).map(|(_, rows)| rows as usize).sum();
        for (index, &number) in numbers.iter().enumerate() {
            let column = &mut raw.columns[number];
            let kept: HashMap<&str, u64> = self.of_kind(kinds.kept(index)).collect();
            column.elsewhere = Some(
                column
                    .values
                    .iter()
                    .map(|text| kept.get(text).map_or(0, |&rows| rows as u32))
                    .collect(),
            );
        }
    }

    /// Returns the histogram of the sensitive values in every stratum.
    fn histograms(
        &self,
        policy: &Policy,
        kinds: CountKinds,
        loaded: &Loaded,
        codes: &[HashMap<String, u32>],
    ) -> Vec<(Vec<u32>, Histogram)> {
        let names: Vec<&str> = loaded.table.columns().iter().map(|c| c.name()).collect();
        let joint = joint_of_names(policy, &names);
        let secret = joint[joint.len() - 1];
        let values = loaded.table.columns()[secret].domain().len();
        let mut strata: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (text, rows) in self.of_kind(kinds.joint()) {
            let mut tuple: Vec<u32> =
                parts(text).iter().zip(&joint).map(|(text, &column)| codes[column][text]).collect();
            let value = tuple.pop().expect("something is secret");
            strata.entry(tuple).or_insert_with(|| vec![0; values])[value as usize] += rows as u32;
        }
        strata.into_iter().map(|(codes, counts)| (codes, Histogram::from_counts(counts))).collect()
    }

    /// Returns the codes of the sample's people, quasi-identifier by quasi-identifier.
    fn samples(
        &self,
        kinds: CountKinds,
        codes: &[HashMap<String, u32>],
        known: &[usize],
    ) -> Vec<Vec<u32>> {
        let mut sample = vec![Vec::new(); known.len()];
        for (text, rows) in self.of_kind(kinds.sample()) {
            for _ in 0..rows {
                let texts = parts(text);
                for ((text, &column), sample) in texts.iter().zip(known).zip(&mut sample) {
                    sample.push(codes[column][text]);
                }
            }
        }
        sample
    }
}

/// A table that was counted.
pub(super) struct CountedTable {
    pub(super) loaded: Loaded,
    /// The code of each text, per published column.
    pub(super) codes: Vec<HashMap<String, u32>>,
    /// The codes of some people, by quasi-identifier.
    pub(super) sample: Vec<Vec<u32>>,
}

/// Reads the published columns of rows as texts.
pub(super) fn read(policy: &Policy, rows: &Batches) -> Result<RawTable, Error> {
    let source = Source {
        trim: policy.input.source.trim,
        ..Source::of_memory(&policy.input.source.path, rows.clone())
    };
    let choose = |names: &[String]| {
        let is_published = |name: &String| {
            let column = policy.columns.get(name);
            column.is_some_and(|column| column.role.is_published())
        };
        Ok(names.iter().map(is_published).collect())
    };
    source.read(&choose, &|_| {})
}

/// Returns the published columns of a table.
pub(super) fn published<'a>(policy: &Policy, columns: &'a [RawColumn]) -> Vec<&'a RawColumn> {
    columns.iter().filter(|column| policy.columns[&column.name].role.is_published()).collect()
}

/// Returns per column whether each of its texts causes its rows to be left out.
pub(super) fn missing(policy: &Policy, columns: &[&RawColumn]) -> Vec<Vec<bool>> {
    let drops = policy.input.missing == Missing::DropRows;
    columns
        .iter()
        .map(|column| {
            column
                .values
                .iter()
                .map(|text| drops && load::is_missing(policy, &column.name, text))
                .collect()
        })
        .collect()
}

/// Returns whether a row has all of its values.
pub(super) fn is_kept(columns: &[&RawColumn], missing: &[Vec<bool>], row: usize) -> bool {
    columns.iter().zip(missing).all(|(column, missing)| !missing[column.codes[row] as usize])
}

/// Returns the positions among the published columns of those that fix strata, and then of the
/// sensitive ones.
fn joint_columns(policy: &Policy, columns: &[&RawColumn]) -> Vec<usize> {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    joint_of_names(policy, &names)
}

/// Returns the positions of the quasi-identifiers among the published columns.
fn known_columns<'a>(policy: &Policy, names: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let is_known = |name: &str| policy.columns[name].role == Role::QuasiIdentifier;
    names.enumerate().filter(|(_, name)| is_known(name)).map(|(index, _)| index).collect()
}

fn joint_of_names(policy: &Policy, names: &[&str]) -> Vec<usize> {
    let fixed =
        (0..names.len()).filter(|&at| policy.privacy.strata.iter().any(|own| own == names[at]));
    let secret = (0..names.len()).filter(|&at| policy.columns[names[at]].role == Role::Sensitive);
    fixed.chain(secret).collect()
}

/// Encodes several texts as one.
fn texts<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.collect();
    serde_json::to_string(&parts).expect("texts have a JSON form")
}

fn parts(text: &str) -> Vec<String> {
    serde_json::from_str(text).expect("texts were written by `texts`")
}
