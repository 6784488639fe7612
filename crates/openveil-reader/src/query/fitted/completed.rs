//! Completed tables: every row with one of its possible values.

use super::{Fitted, refused};
use crate::query::Reader;
use openveil_analysis::People;
use openveil_io::Error;
use openveil_io::source::{FirstSeen, RawColumn};
use openveil_text::text;
use serde::Serialize;

/// A table in which every row has a value: known columns, and the secret ones.
pub type Completed = Vec<RawColumn>;

/// The possible values of each row with their weights, a line for each.
#[derive(Debug, Clone)]
pub struct Weights {
    /// The known columns and the secret ones.
    pub columns: Vec<RawColumn>,
    /// For each line, the row of the release, from 0. The weights of a row add up to 1.
    pub rows: Vec<u32>,
    /// The weights.
    pub weights: Vec<f64>,
}

/// The description in the folder of completed tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metadata {
    /// Explanation of the tables.
    pub what: &'static str,
    /// Always true: no row belongs to a person.
    pub synthetic: bool,
    /// How many tables there are.
    pub tables: usize,
    /// Rows of each.
    pub rows: usize,
    /// Seed of the random draws.
    pub seed: u64,
    /// The files.
    pub files: Vec<String>,
    /// Columns of the release that the completed tables lack.
    pub omitted: Vec<String>,
    /// How to use them.
    pub note: &'static str,
}

impl Metadata {
    /// Explanation of completed tables.
    pub const WHAT: &'static str = "synthetic tables completed from a release by openveil: values of the secret column are drawn at random";
    /// Advice on using completed tables.
    pub const NOTE: &'static str = "Analyse each table by itself and combine the results by Rubin's rules. The rows of a table are guesses about real people: they disclose nothing beyond the release.";
}

impl Fitted {
    /// Draws tables that are consistent with the release.
    pub(in crate::query) fn completed(
        &self,
        number: usize,
        seed: u64,
    ) -> Result<Vec<Completed>, Error> {
        let analysis = self.fitted()?;
        Ok(analysis
            .completed(number, seed)
            .into_iter()
            .map(|(people, values)| self.columns(&people, 0..values.len(), |at| values[at]))
            .collect())
    }

    /// The weights of values of each row.
    pub(in crate::query) fn weights(&self) -> Result<Weights, Error> {
        let analysis = self.fitted()?;
        let release = &analysis.release;
        let (mut rows, mut values, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for group in 0..release.evidence.groups() {
            let own = release.posteriors[0].values(group);
            let chances = release.posteriors[0].chances(group);
            for (row, chances) in release.evidence.rows_of(group).zip(chances) {
                for (&value, &chance) in own.iter().zip(chances) {
                    rows.push(row);
                    values.push(value);
                    weights.push(f64::from(chance) * release.evidence.weight(group));
                }
            }
        }
        let columns = self.columns(&release.people[0], rows.iter().copied(), |at| values[at]);
        let rows = rows.into_iter().map(|row| self.coded.rows[row]).collect();
        Ok(Weights { columns, rows, weights })
    }

    fn fitted(&self) -> Result<&openveil_analysis::Analysis, Error> {
        self.check()?;
        self.analysis().map_err(|why| {
            refused(
                text!("no completed table: {why:text}"),
                text!("`query --sample` draws rows without a fit"),
            )
        })
    }

    /// The columns of some rows, with a value for each line.
    fn columns(
        &self,
        people: &People,
        rows: impl Iterator<Item = usize> + Clone,
        value: impl Fn(usize) -> u32,
    ) -> Completed {
        let column = |name: &str, labels: &mut dyn Iterator<Item = String>, codes: Vec<u32>| {
            let mut column = RawColumn::named(name);
            let known: Vec<u32> = labels
                .map(|label| {
                    let code =
                        column.values.intern(label.as_bytes(), || FirstSeen { file: 0, line: 0 });
                    code.expect("texts are UTF-8")
                })
                .collect();
            column.codes = codes.into_iter().map(|code| known[code as usize]).collect();
            column
        };
        let mut columns: Completed = self
            .coded
            .meaning
            .known
            .iter()
            .enumerate()
            .map(|(number, own)| {
                let codes = people.codes(number);
                let codes = rows.clone().map(|row| codes[row]).collect();
                column(own.name(), &mut self.coded.texts[number].iter().cloned(), codes)
            })
            .collect();
        let values: Vec<u32> = rows.enumerate().map(|(at, _)| value(at)).collect();
        for (number, name) in self.coded.secrets.iter().enumerate() {
            let mut labels = self.coded.parts.iter().map(|parts| parts[number].clone());
            columns.push(column(name, &mut labels, values.clone()));
        }
        columns
    }
}

impl Reader {
    /// Returns the columns of the release that completed tables lack.
    pub fn not_completed(&self) -> Vec<String> {
        let columns = self.release().manifest.columns.iter();
        let other = openveil_io::policy::Role::Other.name();
        columns.filter(|column| column.role == other).map(|column| column.name.clone()).collect()
    }
}
