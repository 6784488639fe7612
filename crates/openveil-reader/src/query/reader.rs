//! A release that answers questions.

use super::apart;
use super::conditions::{Divided, drop_idle, matchers, notes};
use super::fitted::{Fitted, Made, refused, response, without};
use super::matcher::Matcher;
use super::tables::{TextTables, independent};
use super::{
    Answer, Cell, CheckEntry, Completed, CrossTable, Effort, FigureEntry, Regression, Request,
    Statistic, Weights, parse, truth,
};
use openveil_core::coins::SecretCoins;
use openveil_io::policy::Policy;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_io::source::{FirstSeen, RawColumn};
use openveil_io::spelling::or_meant;
use openveil_io::{Error, Location};
use openveil_rules::estimate::{Estimate, EstimateLimits, EstimateQuery, Sampler};
use openveil_text::{Text, text};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// A release that was read once and answers any number of questions.
#[derive(Debug)]
pub struct Reader {
    pub(super) tables: TextTables,
    effort: Effort,
    /// The fit without and with columns for analysis, by table and by secret column that is
    /// published apart.
    fitted: Vec<Vec<[OnceLock<Option<Fitted>>; 2]>>,
}

impl Reader {
    /// Reads a release. O(rows · columns).
    ///
    /// # Errors
    /// Files that do not fit their manifest.
    pub fn open(release: impl Into<ReleasePlace>) -> Result<Self, Error> {
        let tables = TextTables::read(&release.into())?;
        let secrets = tables.apart().count().max(1);
        let fitted = tables
            .folder()
            .tables
            .iter()
            .map(|_| (0..secrets).map(|_| Default::default()).collect());
        Ok(Self { fitted: fitted.collect(), effort: Effort::default(), tables })
    }

    /// Returns the reader with this effort for fits.
    #[must_use]
    pub fn with_effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self.fitted.iter_mut().flatten().for_each(|own| *own = Default::default());
        self
    }

    /// Returns a table and its fit; none if it has no groups. If secret columns are published
    /// apart, the fit is of the column that the question names.
    fn fitted<'a>(
        &self,
        number: usize,
        with_others: bool,
        names: impl Iterator<Item = &'a String> + Clone,
    ) -> Option<&Fitted> {
        let mut apart = self.tables.apart().enumerate();
        let is_named = |(_, secret): &(usize, &String)| names.clone().any(|name| name == *secret);
        let secret = apart.find(is_named).map(|(secret, _)| secret).unwrap_or(0);
        let only = self.tables.apart().nth(secret);
        let own = &self.fitted[number][secret][usize::from(with_others)];
        own.get_or_init(|| {
            let only = only.map(String::as_str);
            Fitted::new(&self.tables, number, with_others, only, self.effort)
        })
        .as_ref()
    }

    /// Returns the table that has all of these columns, and its fit.
    ///
    /// # Errors
    /// No such column, or columns in different tables or in a table without groups.
    fn table_with<'a>(
        &self,
        names: impl Iterator<Item = &'a String> + Clone,
    ) -> Result<&Fitted, Error> {
        let known = self.tables.columns.names();
        for name in names.clone() {
            if !known.contains(name) {
                let error =
                    Error::new(Location::default(), text!("the release has no column `{name}`"));
                return Err(or_meant(error, name, known.iter().map(String::as_str), || {
                    format!("it has {}", known.join(", "))
                }));
            }
        }
        let with_others = names.clone().any(|name| self.tables.is_other(name));
        self.release()
            .tables
            .iter()
            .enumerate()
            .filter(|(_, table)| names.clone().all(|name| table.entry.columns.contains(name)))
            .find_map(|(number, _)| self.fitted(number, with_others, names.clone()))
            .ok_or_else(|| {
                refused(
                    text!("no table with groups has all of these columns"),
                    text!("ask about the columns of one table at a time"),
                )
            })
    }

    /// Computes a cross-table: counts, means or quantiles by any columns, with intervals.
    ///
    /// # Errors
    /// Columns that the release does not have, conditions that cannot be read, a mean of texts,
    /// too many cells, or no fit.
    pub fn crosstab(&self, request: &Request) -> Result<CrossTable, Error> {
        let parsed = request.conditions.as_deref().map(parse).transpose()?.unwrap_or_default();
        let mut matchers = matchers(&self.tables, &parsed)?;
        let divided = Divided::new(&self.tables, &parsed, &matchers);
        drop_idle(&self.tables, &mut matchers, &divided);
        match &request.statistic {
            Statistic::Quantile(_, share) if !(0.0..=1.0).contains(share) => {
                return Err(refused(
                    text!("{share} is not a share of the rows"),
                    text!("write a number from 0 to 1, such as 0.5 for the median"),
                ));
            }
            _ => {}
        }
        let mut seen = HashSet::new();
        if let Some(twice) = request.by.iter().find(|name| !seen.insert(*name)) {
            return Err(refused(text!("`{twice}` is named twice"), text!("name each column once")));
        }
        let numeric = request.numeric();
        let names = request.by.iter().chain(numeric.clone()).chain(matchers.keys());
        let apart = self.asked_apart(names.clone());
        if apart.len() > 1 {
            return self.crosstab_apart(request, &parsed, divided.is_some());
        }
        let fitted = self.table_with(names.clone())?;
        let Made { cells, independence, mut notes } =
            fitted.crosstab(request, &matchers, divided.is_some())?;
        notes.extend(numeric.filter_map(|name| self.tables.scale(name)?.standing.note(name)));
        notes.extend(divided.notes());
        notes.extend(divided.beyond.into_values().flatten());
        let taken = request.by.iter().filter(|name| Cell::key(name) != **name);
        notes.extend(
            taken.map(|name| text!("the column `{name}` is called `{}` in JSON", Cell::key(name))),
        );
        let check =
            if cells.iter().any(|cell| cell.figure.as_ref().is_some_and(FigureEntry::is_by_worlds))
            {
                fitted.checks_of(names)
            } else {
                Vec::new()
            };
        notes.extend(CheckEntry::note(&check));
        Ok(CrossTable {
            by: request.by.clone(),
            statistic: request.statistic_name(),
            conditions: request.conditions.clone(),
            rows: self.people(),
            independence,
            check,
            cells,
            notes,
        })
    }

    /// Estimates a regression of the secret on known columns, such as `occupation ~ age + sex`.
    /// `references` names columns with the value that the others are compared with; by default it
    /// is the first, and a missing value only if there is no other.
    ///
    /// # Errors
    /// A formula that cannot be read, columns or references that the release does not have, more
    /// coefficients than groups, or no fit.
    pub fn regression(
        &self,
        formula: &str,
        references: &[(String, String)],
    ) -> Result<Regression, Error> {
        let secret = response(formula).unwrap_or_default();
        self.first_fitted(&secret)?.regression(formula, references)
    }

    /// Draws tables that are consistent with the release, for multiple imputation.
    ///
    /// # Errors
    /// No fit.
    pub fn completed(&self, number: usize) -> Result<Vec<Completed>, Error> {
        self.one_secret()?;
        self.first_fitted("")?.completed(number, self.effort.seed)
    }

    /// Returns, for each row, its possible values with their weights.
    ///
    /// # Errors
    /// No fit.
    pub fn weights(&self) -> Result<Weights, Error> {
        self.one_secret()?;
        self.first_fitted("")?.weights()
    }

    /// Returns the only table with groups, fitted for the named secret column.
    fn first_fitted(&self, secret: &str) -> Result<&Fitted, Error> {
        let secret = [secret.to_owned()];
        let mut all =
            (0..self.fitted.len()).filter_map(|number| self.fitted(number, false, secret.iter()));
        match (all.next(), all.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(refused(
                text!("the release has no table with groups"),
                text!("its rows are published exactly: analyse them directly"),
            )),
            _ => Err(refused(
                text!("the release has several tables with groups"),
                text!("ask for counts by `--where` or `--by`, which name their columns"),
            )),
        }
    }

    /// Returns the number of rows of the release, without filler rows.
    pub fn people(&self) -> usize {
        let manifest = self.tables.manifest();
        manifest.history.as_ref().map_or(manifest.rows, |history| history.people)
    }

    /// Returns the release as a reader has it.
    pub fn release(&self) -> &ReleaseFolder {
        self.tables.folder()
    }

    /// As [`super::count()`].
    ///
    /// # Errors
    /// As [`super::count()`].
    pub fn count(&self, conditions: &str, policy: Option<&Policy>) -> Result<Answer, Error> {
        let tables = &self.tables;
        let parsed = parse(conditions)?;
        let mut matchers = matchers(tables, &parsed)?;
        let truth = policy.map(|policy| truth::count(policy, &matchers)).transpose()?;
        let divided = Divided::new(tables, &parsed, &matchers);
        let is_divided = divided.is_some();
        drop_idle(tables, &mut matchers, &divided);
        let people = self.people();
        let evenly = if tables.are_disjoint() {
            tables.product(&matchers, people as f64)
        } else {
            joint(tables, &matchers)?
        };
        let mut notes: Vec<Text> = notes(tables, &matchers, &|name| divided.has(name));
        notes.extend(divided.notes());
        let (figure, note) = self.figure(&matchers, evenly, is_divided)?;
        notes.extend(note);
        // Another table has no true count for this release. In a history, some rows are filler
        // rows.
        let history = tables.manifest().history.as_ref();
        let truth = truth.and_then(|truth| if truth.rows == people { Some(truth) } else {
                let other = truth.rows;
                let why = match history.map_or(0, |history| history.waiting) {
                    0 => text!("name the table that it was made from with `--input`"),
                    _ => text!("name the table that it was made from with `--input`: people who are held back are in no release"),
                };
                notes.push(text!(
                    "there is no true count: the policy's table has {other} rows, but the release has {people}; {why:text}"
                ));
                None
            });
        let true_count = truth.map(|truth| truth.count);
        if let Some(Err(column)) = &true_count {
            notes.push(text!(
            "the condition on `{column}` divides a bin, and the policy's table has bins only: there is no true count"
        ));
        }
        // Limits also apply to the policy's table.
        let true_count = true_count.and_then(Result::ok).filter(|_| divided.beyond.is_empty());
        notes.extend(divided.beyond.into_values().flatten());
        Ok(Answer {
            conditions: conditions.to_owned(),
            rows: people,
            relative_error: true_count.as_ref().and_then(|&count| {
                (count > 0).then(|| (count as f64 - figure.estimate).abs() / count as f64)
            }),
            figure,
            estimate_evenly: evenly,
            true_count,
            notes,
        })
    }

    /// Returns a count with its interval, and a note on how it was found.
    fn figure(
        &self,
        matchers: &HashMap<String, Matcher<'_>>,
        evenly: f64,
        is_divided: bool,
    ) -> Result<(FigureEntry, Option<Text>), Error> {
        let people = self.people() as f64;
        let tables = &self.tables;
        let asked: Vec<usize> = tables.asked(matchers).collect();
        if let [only] = asked[..] {
            return self.figure_of(only, matchers, evenly, is_divided);
        }
        // For several tables, the bounds that each of them implies (Fréchet).
        let certain = |&number: &usize| self.certain(number, matchers, is_divided);
        let certain: Vec<[f64; 2]> = asked.iter().map(certain).collect();
        let least = certain.iter().map(|own| own[0] - people).sum::<f64>() + people;
        let greatest = certain.iter().map(|own| own[1]).fold(people, f64::min);
        let bounds = [least.max(0.0), greatest];
        if !tables.are_disjoint() {
            return Ok((FigureEntry::bounded(evenly, bounds), None));
        }
        let (mut estimates, mut noted) = (Vec::new(), None);
        for number in asked {
            let evenly = tables.evenly(number, matchers);
            let (figure, note) = self.figure_of(number, matchers, evenly, is_divided)?;
            estimates.push(figure.estimate);
            noted = noted.or(note);
        }
        let estimate = independent(estimates.into_iter(), people);
        Ok((FigureEntry::bounded(estimate, bounds), noted))
    }

    /// Returns the fit of a table, if the question needs it.
    fn fitted_for(
        &self,
        number: usize,
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> Option<&Fitted> {
        let mut names = self.release().tables[number].entry.columns.iter();
        let with_others =
            names.any(|name| matchers.contains_key(name) && self.tables.is_other(name));
        self.fitted(number, with_others, matchers.keys())
    }

    /// The count of one table, as [`Self::figure`].
    fn figure_of(
        &self,
        number: usize,
        matchers: &HashMap<String, Matcher<'_>>,
        evenly: f64,
        is_divided: bool,
    ) -> Result<(FigureEntry, Option<Text>), Error> {
        if self.asked_apart(matchers.keys()).len() > 1 {
            let figure = self.figure_apart(number, matchers, evenly, is_divided);
            return Ok((figure, Some(apart::note())));
        }
        let Some(fitted) = self.fitted_for(number, matchers) else {
            let bounds = self.tables.open_bounds(number, matchers);
            return Ok((FigureEntry::bounded(evenly, bounds), None));
        };
        let (figure, why) = fitted.count(matchers, evenly, is_divided);
        if !figure.is_exact() && !is_divided && why.is_none() {
            fitted.check()?;
        }
        Ok((figure, why.map(|why| without(&why))))
    }

    /// Returns the least and the greatest count that one table allows.
    fn certain(
        &self,
        number: usize,
        matchers: &HashMap<String, Matcher<'_>>,
        is_divided: bool,
    ) -> [f64; 2] {
        match self.fitted_for(number, matchers) {
            Some(fitted) => fitted.certain(matchers, is_divided),
            None => self.tables.open_bounds(number, matchers),
        }
    }

    /// Draws synthetic rows, as [`super::sample()`], and returns them by column.
    ///
    /// # Errors
    /// As [`super::count()`].
    pub fn sample(&self, rows: usize, seed: Option<u64>) -> Result<Vec<RawColumn>, Error> {
        let tables = &self.tables;
        let estimate = estimate(tables)?;
        let sampler = Sampler::new(&estimate);
        let mut coins = seed.map_or_else(SecretCoins::from_os, SecretCoins::from_test_seed);
        let nowhere = FirstSeen { file: 0, line: 0 };
        let mut drawn: Vec<RawColumn> =
            tables.columns.names().iter().map(RawColumn::named).collect();
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

/// Returns the most likely joint distribution of the texts of all cells.
fn estimate(tables: &TextTables) -> Result<Estimate, Error> {
    let estimate = Estimate::new(&tables.marginals()?, EstimateLimits::default());
    estimate.map_err(|cause| tables.failed(&cause))
}

/// Returns the count from tables that share columns.
fn joint(tables: &TextTables, matchers: &HashMap<String, Matcher<'_>>) -> Result<f64, Error> {
    let estimate = estimate(tables)?;
    let mut query = EstimateQuery::new();
    for (number, (name, shown)) in
        tables.columns.names().iter().zip(&tables.dictionaries).enumerate()
    {
        let Some(matcher) = matchers.get(name) else {
            continue;
        };
        let mut meets = Vec::new();
        for (code, cell) in (0..).zip(&shown.texts) {
            match matcher.share_of(cell) {
                share if share >= 1.0 => meets.push(code),
                share if share <= 0.0 => {}
                _ => return Err(tables.failed(&openveil_rules::RulesError::Inconsistent)),
            }
        }
        query = query.among(number, meets);
    }
    let count = estimate.count(&query);
    count.map_err(|cause| tables.failed(&cause))
}
