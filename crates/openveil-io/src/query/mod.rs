//! Asking a release: counts with conditions, and synthetic rows.
//!
//! Answers are those of a reader who has nothing but the release: what a cell covers
//! is spread evenly over it, the values of a group over its rows, and tables are
//! put together by the likeliest joint distribution.

mod parse;
mod scale;
mod tables;
mod truth;

pub use parse::{Condition, Test, parse};

use crate::load::Loaded;
use crate::policy::{Policy, did_you_mean};
use crate::release_dir::write;
use crate::{Error, Location};
use openveil::coins::SecretCoins;
use openveil::schema::Columns;
use openveil::schema::estimate::{Estimate, Limits, Query, Sampler};
use openveil::schema::worlds::PublishedTable;
use openveil::table::Domain;
use parse::wrong;
use scale::{Matcher, draw};
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;
use tables::{Dictionary, Tables};

/// A count, estimated from a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The conditions, as they were asked.
    #[serde(rename = "where")]
    pub conditions: String,
    /// Rows of the release.
    pub rows: usize,
    /// How many of them meet the conditions, by the release.
    pub estimate: f64,
    /// How many rows of the owner's table do; only with a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_count: Option<u64>,
    /// |true − estimated| / true, if the true count is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// What may have been meant otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Answers a count from a release; with the policy that it was made by, counts the
/// owner's table beside it. The true count is the owner's secret.
///
/// # Errors
/// Conditions that cannot be read, columns that were not published, files that do
/// not fit their manifest, tables that form a cycle too large to be put together.
pub fn count(folder: &Path, conditions: &str, policy: Option<&Policy>) -> Result<Answer, Error> {
    let parsed = parse(conditions)?;
    let tables = Tables::read(folder)?;
    let matchers = matchers(&tables, &parsed)?;
    let estimate = match tables.are_disjoint() {
        true => tables.product(&matchers)?,
        false => joint(&tables, &matchers)?,
    };
    let truth = policy.map(|policy| truth::count(policy, &matchers));
    let truth = truth.transpose()?;
    let mut notes = unmet(&tables, &matchers);
    if let Some((_, rows)) = truth.filter(|(_, rows)| *rows != tables.manifest.rows) {
        notes.push(format!(
            "the policy's table has {rows} rows, the release {}: they are not of one table",
            tables.manifest.rows
        ));
    }
    let true_count = truth.map(|(count, _)| count);
    let error = |&count: &u64| (count > 0).then(|| (count as f64 - estimate).abs() / count as f64);
    Ok(Answer {
        conditions: conditions.to_owned(),
        rows: tables.manifest.rows,
        estimate,
        true_count,
        relative_error: true_count.as_ref().and_then(error),
        notes,
    })
}

/// The conditions of each column.
fn matchers(tables: &Tables, conditions: &[Condition]) -> Result<HashMap<String, Matcher>, Error> {
    let mut by_column: HashMap<&String, Vec<&Condition>> = HashMap::new();
    for condition in conditions {
        by_column
            .entry(&condition.column)
            .or_default()
            .push(condition);
    }
    let matcher = |(name, conditions): (&String, Vec<&Condition>)| {
        let entry = tables.column(name).ok_or_else(|| {
            let problem = format!("the release has no column `{name}`");
            let error = wrong(conditions[0].position, problem);
            let columns = tables.manifest.columns.iter();
            let names: Vec<&str> = columns.map(|column| &*column.name).collect();
            match did_you_mean(name, names.iter().copied()) {
                Some(close) => error.help(format!("did you mean `{close}`?")),
                None => error.help(format!("it has {}", names.join(", "))),
            }
        })?;
        Ok((name.clone(), Matcher::new(entry, &conditions)?))
    };
    by_column.into_iter().map(matcher).collect()
}

/// Columns of which no published cell meets the conditions.
fn unmet(tables: &Tables, matchers: &HashMap<String, Matcher>) -> Vec<String> {
    let names = tables.manifest.columns.iter().map(|column| &column.name);
    let Ok(columns) = Columns::new(names) else {
        return Vec::new();
    };
    let dictionaries = tables.dictionaries(&columns);
    let mut notes = Vec::new();
    for (entry, dictionary) in tables.manifest.columns.iter().zip(&dictionaries) {
        let Some(matcher) = matchers.get(&entry.name) else {
            continue;
        };
        let mut cells = dictionary.texts.iter();
        if !cells.any(|cell| matcher.share_of(entry, cell) > 0.0) {
            let some: Vec<&str> = dictionary.texts.iter().take(3).map(|t| &**t).collect();
            notes.push(format!(
                "no row meets the condition on `{}`; its cells read {}, …",
                entry.name,
                some.join(", ")
            ));
        }
    }
    notes
}

fn failed(tables: &Tables, cause: &openveil::schema::Error) -> Error {
    let error = Error::new(Location::file(&tables.folder), cause.to_string());
    match cause {
        openveil::schema::Error::BeyondLimit { .. } => {
            error.help("publish with `decomposition = \"uad\"`, whose tables share no columns")
        }
        openveil::schema::Error::Inconsistent if tables.manifest.style == "generalize" => {
            error.help("tables that share columns can be put together in the anatomy style only")
        }
        _ => error,
    }
}

/// The likeliest joint distribution of the texts of all cells.
fn estimate(tables: &Tables) -> Result<(Columns, Vec<Dictionary>, Estimate), Error> {
    let names = tables.manifest.columns.iter().map(|column| &column.name);
    let columns = Columns::new(names).map_err(|cause| failed(tables, &cause))?;
    let dictionaries = tables.dictionaries(&columns);
    let marginals = tables.parts.iter();
    let marginals = marginals.map(|part| part.marginal(&columns, &dictionaries));
    let marginals = marginals.collect::<Result<Vec<_>, Error>>()?;
    let estimate = Estimate::new(&marginals, Limits::default());
    let estimate = estimate.map_err(|cause| failed(tables, &cause))?;
    Ok((columns, dictionaries, estimate))
}

/// The count from tables that share columns.
fn joint(tables: &Tables, matchers: &HashMap<String, Matcher>) -> Result<f64, Error> {
    let (columns, dictionaries, estimate) = estimate(tables)?;
    let mut query = Query::new();
    for (entry, dictionary) in tables.manifest.columns.iter().zip(&dictionaries) {
        let Some(matcher) = matchers.get(&entry.name) else {
            continue;
        };
        let mut meets = Vec::new();
        for (code, cell) in (0..).zip(&dictionary.texts) {
            match matcher.share_of(entry, cell) {
                share if share >= 1.0 => meets.push(code),
                share if share <= 0.0 => {}
                _ => return Err(failed(tables, &openveil::schema::Error::Inconsistent)),
            }
        }
        let number = columns.number(&entry.name);
        query = query.among(number.map_err(|cause| failed(tables, &cause))?, meets);
    }
    let count = estimate.count(&query);
    count.map_err(|cause| failed(tables, &cause))
}

/// The tables of a release as their reader sees them, in the codes of the owner's
/// table.
///
/// # Errors
/// Files that do not fit their manifest, values that the owner's table does not
/// have, and generalised tables.
pub(crate) fn published(folder: &Path, table: &Loaded) -> Result<Vec<PublishedTable>, Error> {
    let tables = Tables::read(folder)?;
    if tables.manifest.style != "anatomy" {
        let problem =
            "the tables are generalised; only those in the anatomy style can be intersected";
        return Err(Error::new(Location::file(&tables.folder), problem));
    }
    let labels = table.table.columns().iter().map(|column| {
        let labels = column.domain().labels().zip(0..);
        labels.collect::<HashMap<&str, u32>>()
    });
    let labels: Vec<HashMap<&str, u32>> = labels.collect();
    let code = |column: usize, text: &str| labels[column].get(text).copied();
    let parts = tables.parts.iter();
    parts
        .map(|part| part.published(&table.names, &code))
        .collect()
}

/// Draws synthetic rows from what a release says and writes them to a file (CSV, or
/// Parquet by its ending). All that they tell is in the release. Coins come from the
/// operating system, or from a seed.
///
/// # Errors
/// As [`count()`], and a file that cannot be written.
pub fn sample(folder: &Path, rows: usize, out: &Path, seed: Option<u64>) -> Result<(), Error> {
    let tables = Tables::read(folder)?;
    let (columns, dictionaries, estimate) = estimate(&tables)?;
    let sampler = Sampler::new(&estimate);
    let mut coins = seed.map_or_else(SecretCoins::from_os, SecretCoins::from_test_seed);
    let mut drawn: Vec<(Vec<u32>, Values)> = vec![Default::default(); columns.len()];
    for _ in 0..rows {
        let row = sampler.draw(&mut coins);
        for (number, code) in sampler.columns().iter().zip(row) {
            let cell = &dictionaries[number].texts[code as usize];
            let value = draw(&tables.manifest.columns[number], cell, &mut coins);
            let (codes, values) = &mut drawn[number];
            codes.push(values.code(value));
        }
    }
    let names: Vec<&str> = columns.names().iter().map(String::as_str).collect();
    let (codes, values): (Vec<Vec<u32>>, Vec<Values>) = drawn.into_iter().unzip();
    let domains = values
        .into_iter()
        .map(|values| Domain::unordered(values.texts));
    let domains: Vec<Domain> = domains.collect();
    let content = codes.into_iter().zip(&domains).collect();
    write::write_file(out, &names, content)
}

/// Values drawn so far, numbered.
#[derive(Debug, Clone, Default)]
struct Values {
    codes: HashMap<String, u32>,
    texts: Vec<String>,
}

impl Values {
    fn code(&mut self, text: String) -> u32 {
        let next = self.texts.len() as u32;
        *self.codes.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}
