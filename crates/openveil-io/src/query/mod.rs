//! Asking a release: counts with conditions, and synthetic rows.
//!
//! Answers are those of a reader who has nothing but the release. A model of the secret given the known
//! columns is fitted to the groups; completed tables that are published and fitted again give
//! bias and errors (`fitted`, and the crate `openveil-analysis`). Where there is no fit, answers are
//! bounds that are certain. Tables are put together by the likeliest joint distribution.
//!
//! Of a column of type `number` an interval is spread over the numbers that the
//! column's cells show, if each comes up twice or more on average: then they are all
//! there are. Otherwise, if all are whole, over the whole numbers inside; otherwise
//! over a continuum, of which a single number has no share. Bins are spread evenly as
//! intervals; of one without an end, such as `< 300`, half is counted if a bound cuts it.

mod bins;
mod distribution;
mod fitted;
mod limits;
mod matcher;
mod parse;
mod scale;
mod tables;
mod truth;
mod unpack;

pub use distribution::Distribution;
pub use fitted::{
    Cell, CoefficientEntry, Completed, CrossTable, Effort, FigureEntry, Metadata, Regression,
    Request, Statistic, Weights,
};
pub use parse::{Condition, Test, parse};
pub use unpack::Cells;

use crate::load::Loaded;
use crate::policy::Policy;
use crate::release_dir::read::ReleaseFolder;
use crate::release_dir::{ReleasePlace, write};
use crate::source::{FirstSeen, RawColumn};
use crate::spelling::or_meant;
use crate::{Error, Location};
use fitted::{Fitted, refused};
use limits::beyond_limits;
use matcher::Matcher;
use openveil::coins::SecretCoins;
use openveil::schema::estimate::{Estimate, Limits, Query, Sampler};
use openveil::schema::worlds::PublishedTable;
use openveil::table::Domain;
use parse::wrong;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::OnceLock;
use tables::{Dictionary, Tables};

/// A count, estimated from a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The conditions, as they were asked.
    #[serde(rename = "where")]
    pub conditions: String,
    /// Rows of the release; of a history, those that are somebody's.
    pub rows: usize,
    /// How many of them meet the conditions, with an interval.
    #[serde(flatten)]
    pub figure: FigureEntry,
    /// The same with the values of every group spread evenly over its people.
    pub estimate_evenly: f64,
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
pub fn count(
    release: impl Into<ReleasePlace>,
    conditions: &str,
    policy: Option<&Policy>,
) -> Result<Answer, Error> {
    // What cannot be asked is said before the release is read.
    parse(conditions)?;
    Reader::open(release)?.count(conditions, policy)
}

/// A release that was read once and answers any number of questions.
#[derive(Debug)]
pub struct Reader {
    tables: Tables,
    effort: Effort,
    /// Per table, the fit without and with columns for analysis.
    fitted: Vec<[OnceLock<Option<Fitted>>; 2]>,
}

impl Reader {
    /// Reads a release. O(rows · columns).
    ///
    /// # Errors
    /// Files that do not fit their manifest.
    pub fn open(release: impl Into<ReleasePlace>) -> Result<Self, Error> {
        let tables = Tables::read(&release.into())?;
        let fitted = tables.folder().tables.iter().map(|_| Default::default());
        Ok(Self {
            fitted: fitted.collect(),
            effort: Effort::default(),
            tables,
        })
    }

    /// The same, with so much work in fits.
    #[must_use]
    pub fn with_effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self.fitted
            .iter_mut()
            .for_each(|own| *own = Default::default());
        self
    }

    /// A table and its fit; none if it has no groups.
    fn fitted(&self, number: usize, with_others: bool) -> Option<&Fitted> {
        let own = &self.fitted[number][usize::from(with_others)];
        own.get_or_init(|| Fitted::of(&self.tables, number, with_others, self.effort))
            .as_ref()
    }

    /// The table that has all of these columns, and its fit.
    ///
    /// # Errors
    /// No such column, or columns that stand in different tables or in one without groups.
    fn table_with<'a>(
        &self,
        names: impl Iterator<Item = &'a String> + Clone,
    ) -> Result<&Fitted, Error> {
        let known = self.tables.columns.names();
        for name in names.clone() {
            if !known.contains(name) {
                let error = Error::new(
                    Location::default(),
                    format!("the release has no column `{name}`"),
                );
                return Err(or_meant(
                    error,
                    name,
                    known.iter().map(String::as_str),
                    || format!("it has {}", known.join(", ")),
                ));
            }
        }
        let others = |name: &String| self.tables.is_other(name);
        let with_others = names.clone().any(others);
        let tables = self.release().tables.iter().enumerate();
        let has_all = |(_, table): &(usize, &crate::release_dir::read::ReleasedTable)| {
            names.clone().all(|name| table.entry.columns.contains(name))
        };
        let found = tables
            .filter(has_all)
            .find_map(|(number, _)| self.fitted(number, with_others));
        found.ok_or_else(|| {
            refused(
                "no table with groups has all of these columns",
                "ask about the columns of one table at a time",
            )
        })
    }

    /// A cross-table: counts, means or quantiles by any columns, with intervals.
    ///
    /// # Errors
    /// Columns that the release does not have, conditions that cannot be read, a mean of texts,
    /// too many cells, or no fit.
    pub fn crosstab(&self, request: &Request) -> Result<CrossTable, Error> {
        let parsed = request
            .conditions
            .as_deref()
            .map(parse)
            .transpose()?
            .unwrap_or_default();
        let matchers = matchers(&self.tables, &parsed)?;
        let target = match &request.statistic {
            Statistic::Count => None,
            Statistic::Mean(name) => Some(name),
            Statistic::Quantile(name, share) => {
                if !(0.0..=1.0).contains(share) {
                    return Err(refused(
                        format!("{share} is no share of the rows"),
                        "say a number from 0 to 1, such as 0.5 for the median",
                    ));
                }
                Some(name)
            }
        };
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = request.by.iter().find(|name| !seen.insert(*name)) {
            return Err(refused(
                format!("`{twice}` is named twice"),
                "name each column once",
            ));
        }
        let names = request.by.iter().chain(target).chain(matchers.keys());
        let fitted = self.table_with(names)?;
        let (cells, mut notes) = fitted.crosstab(request, &matchers)?;
        let beyond = beyond_limits(&self.tables, &parsed);
        notes.extend(beyond.into_values().flatten());
        Ok(CrossTable {
            by: request.by.clone(),
            statistic: match &request.statistic {
                Statistic::Count => "count".to_owned(),
                Statistic::Mean(name) => format!("mean of {name}"),
                Statistic::Quantile(name, share) => format!("quantile {share} of {name}"),
            },
            conditions: request.conditions.clone(),
            rows: self.people(),
            cells,
            notes,
        })
    }

    /// A regression of the secret on known columns, such as `occupation ~ age + sex`.
    ///
    /// # Errors
    /// A formula that cannot be read, columns that the release does not have, more coefficients
    /// than groups, or no fit.
    pub fn regression(&self, formula: &str) -> Result<Regression, Error> {
        self.first_fitted()?.regression(formula)
    }

    /// Tables that the release may be of, for multiple imputation.
    ///
    /// # Errors
    /// No fit.
    pub fn completed(&self, number: usize) -> Result<Vec<Completed>, Error> {
        self.first_fitted()?.completed(number, self.effort.seed)
    }

    /// For each row, the values that it may have with their weights.
    ///
    /// # Errors
    /// No fit.
    pub fn weights(&self) -> Result<Weights, Error> {
        self.first_fitted()?.weights()
    }

    /// The only table with groups.
    fn first_fitted(&self) -> Result<&Fitted, Error> {
        let mut all = (0..self.fitted.len()).filter_map(|number| self.fitted(number, false));
        match (all.next(), all.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(refused(
                "the release has no table with groups",
                "its rows are as they were: analyse them as they are",
            )),
            _ => Err(refused(
                "the release has several tables with groups",
                "ask for counts by `--where` or `--by`, which name their columns",
            )),
        }
    }

    /// Rows of the release that are somebody's.
    fn people(&self) -> usize {
        let manifest = self.tables.manifest();
        manifest
            .history
            .as_ref()
            .map_or(manifest.rows, |history| history.people)
    }

    /// The release as its reader has it.
    pub fn release(&self) -> &ReleaseFolder {
        self.tables.folder()
    }

    /// As [`count()`].
    ///
    /// # Errors
    /// As [`count()`].
    pub fn count(&self, conditions: &str, policy: Option<&Policy>) -> Result<Answer, Error> {
        let tables = &self.tables;
        let parsed = parse(conditions)?;
        let matchers = matchers(tables, &parsed)?;
        let evenly = match tables.are_disjoint() {
            true => tables.product(&matchers),
            false => joint(tables, &matchers)?,
        };
        let beyond = beyond_limits(tables, &parsed);
        let columns = |is: &dyn Fn(&Matcher<'_>, &str) -> bool| columns_with(tables, &matchers, is);
        let inside = columns(&|own, cell| own.names_inside(cell));
        let endless = columns(&|own, cell| own.halves(cell));
        let is_divided = !beyond.is_empty() || !inside.is_empty() || !endless.is_empty();
        let divided = |name: &String| inside.contains(&name) || beyond.contains_key(name);
        let mut notes = notes(tables, &matchers, &divided);
        notes.extend(endless.iter().map(|name| {
            format!("the condition on `{name}` cuts a bin that has no end on one side; half of it is counted")
        }));
        notes.extend(inside.iter().map(|name| {
            format!("the condition on `{name}` names a number inside of a bin: how many rows have it is not published")
        }));
        let (figure, why) = self.figure(&matchers, evenly, is_divided);
        notes.extend(why.map(|why| format!("no fit: {why}; the interval is what is certain")));
        let truth = policy
            .map(|policy| truth::count(policy, &matchers))
            .transpose()?;
        // What another table says is no truth about this release. Of a history, some rows are
        // nobody's.
        let history = tables.manifest().history.as_ref();
        let people = self.people();
        let truth = truth.and_then(|truth| match truth.rows == people {
            true => Some(truth),
            false => {
                let other = truth.rows;
                let why = match history.map_or(0, |history| history.waiting) {
                    0 => "name the table that it was made from with `--input`",
                    _ => "`--input` names the table that it was made from; who waits is in no release",
                };
                notes.push(format!(
                    "there is no true count: the policy's table has {other} rows, the release is of {people}; {why}"
                ));
                None
            }
        });
        let true_count = truth.map(|truth| truth.count);
        if let Some(Err(column)) = &true_count {
            notes.push(format!(
            "the condition on `{column}` cuts a bin, and the policy's table has bins only: there is no true count"
        ));
        }
        // The policy's table has limits, too.
        let true_count = true_count
            .and_then(Result::ok)
            .filter(|_| beyond.is_empty());
        notes.extend(beyond.into_values().flatten());
        let error = |&count: &u64| {
            (count > 0).then(|| (count as f64 - figure.estimate).abs() / count as f64)
        };
        Ok(Answer {
            conditions: conditions.to_owned(),
            rows: people,
            relative_error: true_count.as_ref().and_then(error),
            figure,
            estimate_evenly: evenly,
            true_count,
            notes,
        })
    }

    /// A count with its interval; what is said about it.
    fn figure(
        &self,
        matchers: &HashMap<String, Matcher<'_>>,
        evenly: f64,
        is_divided: bool,
    ) -> (FigureEntry, Option<String>) {
        let rows = self.people() as f64;
        let tables = &self.tables;
        let asked: Vec<usize> = tables.asked(matchers).collect();
        let with_others = matchers.keys().any(|name| tables.is_other(name));
        if let [only] = asked[..]
            && let Some(fitted) = self.fitted(only, with_others)
        {
            let (figure, why) = fitted.count(matchers, evenly, is_divided);
            return (figure, why);
        }
        // Of several tables, what each of them makes certain (Fréchet).
        let certain = asked
            .iter()
            .map(|&number| match self.fitted(number, with_others) {
                Some(fitted) => fitted.certain(matchers, is_divided),
                None => tables.open_bounds(number, matchers),
            });
        let certain: Vec<[f64; 2]> = certain.collect();
        let least = certain.iter().map(|own| own[0]).sum::<f64>()
            - rows * certain.len().saturating_sub(1) as f64;
        let greatest = certain.iter().map(|own| own[1]).fold(rows, f64::min);
        let least = if certain.is_empty() {
            rows
        } else {
            least.max(0.0)
        };
        (FigureEntry::bounded(evenly, [least, greatest]), None)
    }

    /// Draws synthetic rows, as [`sample()`]: per column of the release, what they show.
    ///
    /// # Errors
    /// As [`count()`].
    pub fn sample(&self, rows: usize, seed: Option<u64>) -> Result<Vec<RawColumn>, Error> {
        let tables = &self.tables;
        let estimate = estimate(tables)?;
        let sampler = Sampler::new(&estimate);
        let mut coins = seed.map_or_else(SecretCoins::from_os, SecretCoins::from_test_seed);
        let nowhere = FirstSeen { file: 0, line: 0 };
        let names = tables.columns.names().iter();
        let mut drawn: Vec<RawColumn> = names.map(RawColumn::named).collect();
        for _ in 0..rows {
            let row = sampler.draw(&mut coins);
            for (number, code) in sampler.columns().iter().zip(row) {
                let cell = &tables.dictionaries[number].texts[code as usize];
                let value = tables.scales[number].draw(cell, &mut coins);
                let RawColumn { codes, values, .. } = &mut drawn[number];
                let code = values.intern(value.as_bytes(), || nowhere);
                codes.push(code.expect("texts are UTF-8"));
            }
        }
        Ok(drawn)
    }
}

/// The conditions of each column.
fn matchers<'a>(
    tables: &'a Tables,
    conditions: &[Condition],
) -> Result<HashMap<String, Matcher<'a>>, Error> {
    let mut by_column: BTreeMap<&String, Vec<&Condition>> = BTreeMap::new();
    for condition in conditions {
        by_column
            .entry(&condition.column)
            .or_default()
            .push(condition);
    }
    let matcher = |(name, conditions): (&String, Vec<&Condition>)| {
        let number = tables.columns.number(name).map_err(|_| {
            let problem = format!("the release has no column `{name}`");
            let error = wrong(conditions[0].position, problem);
            let names = tables.columns.names();
            or_meant(error, name, names.iter().map(String::as_str), || {
                format!("it has {}", names.join(", "))
            })
        })?;
        let matcher = Matcher::new(&tables.scales[number], &conditions)?;
        Ok((name.clone(), matcher))
    };
    by_column.into_iter().map(matcher).collect()
}

/// Columns with a cell of which something holds under its conditions.
fn columns_with<'a>(
    tables: &'a Tables,
    matchers: &HashMap<String, Matcher<'_>>,
    is: &dyn Fn(&Matcher<'_>, &str) -> bool,
) -> Vec<&'a String> {
    let columns = tables.columns.names().iter().zip(&tables.dictionaries);
    let is_one = |(name, shown): &(&String, &Dictionary)| {
        let matcher = matchers.get(*name);
        matcher.is_some_and(|own| shown.texts.iter().any(|cell| is(own, cell)))
    };
    columns.filter(is_one).map(|(name, _)| name).collect()
}

/// Columns of which no published cell meets the conditions, but for `divided` ones.
fn notes(
    tables: &Tables,
    matchers: &HashMap<String, Matcher<'_>>,
    divided: &dyn Fn(&String) -> bool,
) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, shown) in tables.columns.names().iter().zip(&tables.dictionaries) {
        let Some(matcher) = matchers.get(name) else {
            continue;
        };
        let cells = &shown.texts;
        if !divided(name) && !cells.iter().any(|cell| matcher.share_of(cell) > 0.0) {
            let some: Vec<&str> = cells.iter().take(3).map(String::as_str).collect();
            notes.push(format!(
                "no row meets the condition on `{name}`; its cells read {}, …",
                some.join(", ")
            ));
        }
    }
    notes
}

/// The likeliest joint distribution of the texts of all cells.
fn estimate(tables: &Tables) -> Result<Estimate, Error> {
    let estimate = Estimate::new(&tables.marginals()?, Limits::default());
    estimate.map_err(|cause| tables.failed(&cause))
}

/// The count from tables that share columns.
fn joint(tables: &Tables, matchers: &HashMap<String, Matcher<'_>>) -> Result<f64, Error> {
    let estimate = estimate(tables)?;
    let mut query = Query::new();
    let columns = tables.columns.names().iter().zip(&tables.dictionaries);
    for (number, (name, shown)) in columns.enumerate() {
        let Some(matcher) = matchers.get(name) else {
            continue;
        };
        let mut meets = Vec::new();
        for (code, cell) in (0..).zip(&shown.texts) {
            match matcher.share_of(cell) {
                share if share >= 1.0 => meets.push(code),
                share if share <= 0.0 => {}
                _ => return Err(tables.failed(&openveil::schema::Error::Inconsistent)),
            }
        }
        query = query.among(number, meets);
    }
    let count = estimate.count(&query);
    count.map_err(|cause| tables.failed(&cause))
}

/// The tables of a release as their reader sees them, in the codes of the owner's
/// table.
///
/// # Errors
/// Files that do not fit their manifest, values that the owner's table does not
/// have, and generalised tables.
pub(crate) fn published(
    place: &ReleasePlace,
    table: &Loaded,
) -> Result<Vec<PublishedTable>, Error> {
    let tables = Tables::read(place)?;
    if !tables.have_exact_rows() {
        let problem = "the tables are generalised or sliced; only those in the anatomy style can be intersected";
        return Err(Error::new(Location::file(place.path()), problem));
    }
    let labels = table.table.columns().iter().map(|column| {
        let labels = column.domain().labels().zip(0..);
        labels.collect::<HashMap<&str, u32>>()
    });
    let labels: Vec<HashMap<&str, u32>> = labels.collect();
    let code = |column: usize, text: &str| labels[column].get(text).copied();
    tables.published(&table.names, &code)
}

/// Draws synthetic rows from what a release says and writes them to a file (CSV, or
/// Parquet by its ending). All that they tell is in the release. Coins come from the
/// operating system, or from a seed.
///
/// # Errors
/// As [`count()`], and a file that cannot be written.
pub fn sample(
    release: impl Into<ReleasePlace>,
    rows: usize,
    out: &Path,
    seed: Option<u64>,
) -> Result<(), Error> {
    // Said before rows are drawn, which may take long.
    write::format_of_file(out)?;
    let reader = Reader::open(release)?;
    write_columns(out, &reader.sample(rows, seed)?)
}

/// Writes columns of text to a file.
fn write_columns(out: &Path, columns: &[RawColumn]) -> Result<(), Error> {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let domains: Vec<Domain> = columns
        .iter()
        .map(|column| Domain::unordered(column.values.iter()))
        .collect();
    let codes = columns.iter().map(|column| column.codes.clone());
    write::write_file(out, &names, codes.zip(&domains).collect())
}

/// Draws tables that a release may be of and writes them to a folder, with what they are beside
/// them: `completed.json`. The folder is written complete or not at all.
///
/// # Errors
/// As [`Reader::completed`], and a folder that is there already or cannot be written.
pub fn complete(
    release: impl Into<ReleasePlace>,
    number: usize,
    out: &Path,
    format: &str,
    effort: Effort,
) -> Result<Metadata, Error> {
    if out.exists() {
        return Err(Error::new(Location::file(out), "exists already").help("name another folder"));
    }
    let name = |number: usize| format!("synthetic-{number:02}.{format}");
    write::format_of_file(&out.join(name(1)))?;
    let reader = Reader::open(release)?.with_effort(effort);
    let tables = reader.completed(number)?;
    let folder = out.with_extension("unfinished");
    let failed = |cause| Error::io(&folder, "make the folder", &cause);
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut files = Vec::new();
    for (at, table) in (1..).zip(&tables) {
        write_columns(&folder.join(name(at)), table)?;
        files.push(name(at));
    }
    let metadata = Metadata {
        what: Metadata::WHAT,
        synthetic: true,
        tables: number,
        rows: tables
            .first()
            .and_then(|table| table.first())
            .map_or(0, |column| column.codes.len()),
        seed: effort.seed,
        files,
        omitted: reader.not_completed(),
        note: Metadata::NOTE,
    };
    write::write_json(&folder.join("completed.json"), &metadata)?;
    let failed = |cause| Error::io(out, "put the folder in place", &cause);
    std::fs::rename(&folder, out).map_err(failed)?;
    Ok(metadata)
}
