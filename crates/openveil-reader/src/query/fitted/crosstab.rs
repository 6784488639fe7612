//! Cross-tables: counts, means and quantiles by any columns of a release.

use super::answer::{CheckEntry, FigureEntry, Shares, without};
use super::{Fitted, refused};
use crate::query::matcher::Matcher;
use openveil_analysis::{Analysis, Ask, CellNumbers, Figure, bounds};
use openveil_io::Error;
use openveil_text::{Text, text};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// The most cells of a table.
const MOST_CELLS: usize = 200_000;

/// The note on intervals of counts, means and quantiles without worlds.
fn certain() -> Text {
    text!("the intervals are certain bounds")
}

/// Statistic of a cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Statistic {
    /// How many rows it has.
    #[default]
    Count,
    /// The mean of a column of numbers.
    Mean(String),
    /// A quantile of a column of numbers, and which: 0 to 1.
    Quantile(String, f64),
}

/// Request to a release.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// The columns that make cells; none for a single one.
    pub by: Vec<String>,
    /// Conditions on rows.
    pub conditions: Option<String>,
    /// The statistic of each cell.
    pub statistic: Statistic,
    /// A column of numbers: how many people of a population a row stands for.
    pub weight: Option<String>,
}

impl Request {
    /// The column whose mean or quantile is asked for, and the weight.
    pub(in crate::query) fn numeric(&self) -> impl Iterator<Item = &String> + Clone {
        let target = match &self.statistic {
            Statistic::Count => None,
            Statistic::Mean(name) | Statistic::Quantile(name, _) => Some(name),
        };
        target.into_iter().chain(&self.weight)
    }

    /// The statistic in words: `count`, `mean of …` or `quantile … of …`, and its weight.
    pub(in crate::query) fn statistic_name(&self) -> String {
        let name = match &self.statistic {
            Statistic::Count => "count".to_owned(),
            Statistic::Mean(name) => format!("mean of {name}"),
            Statistic::Quantile(name, share) => format!("quantile {share} of {name}"),
        };
        match &self.weight {
            Some(weight) => format!("{name}, weighted by {weight}"),
            None => name,
        }
    }
}

/// A χ² test of independence of the two columns of a table of counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IndependenceEntry {
    /// The statistic, corrected for what the release hides.
    pub chi2: f64,
    /// Its degrees of freedom, seldom a whole number.
    pub freedom: f64,
    /// The p-value.
    pub p: f64,
}

/// A cross-table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossTable {
    /// The columns that make cells.
    pub by: Vec<String>,
    /// `count`, `mean of …` or `quantile … of …`.
    pub statistic: String,
    /// The conditions, as they were asked.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
    /// Rows of the release; in a history, without filler rows.
    pub rows: usize,
    /// The cells, the last column running fastest.
    pub cells: Vec<Cell>,
    /// A test of independence, for counts by a known and a secret column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub independence: Option<IndependenceEntry>,
    /// How far the release shows the association of the secret with each known column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<CheckEntry>,
    /// Notes for the reader.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Text>,
}

/// A cell of a cross-table. As a document: the columns' values by their names ([`Cell::key`]), and
/// the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The columns with their values: texts or numbers.
    pub of: Vec<(String, Value)>,
    /// The figure; none for an empty cell.
    pub figure: Option<FigureEntry>,
}

impl Cell {
    /// Returns the key of a column: its name, followed by `_` if the figure has the same key.
    pub fn key(column: &str) -> Cow<'_, str> {
        if ["estimate", "interval", "method", "deal_error"].contains(&column.trim_end_matches('_'))
        {
            format!("{column}_").into()
        } else {
            column.into()
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.of {
            map.serialize_entry(&Self::key(name), value)?;
        }
        map.serialize_entry("estimate", &self.figure.as_ref().map(|figure| figure.estimate))?;
        map.serialize_entry("interval", &self.figure.as_ref().map(|figure| figure.interval))?;
        map.serialize_entry("method", &self.figure.as_ref().map(|figure| figure.method))?;
        if let Some(error) = self.figure.as_ref().and_then(|figure| figure.deal_error) {
            map.serialize_entry("deal_error", &error)?;
        }
        map.end()
    }
}

/// A column that makes cells, or whose mean or quantile is asked for.
struct CrossTableAxis {
    labels: Vec<String>,
    /// The numbers that the labels stand for, if they do.
    numbers: Option<Vec<f64>>,
    place: LabelPlace,
}

/// How to find the label of a cell of an [`Ask`].
enum LabelPlace {
    /// The number of cells from one label to the next.
    Known(usize),
    /// For each part of the secret, its label.
    Secret(Vec<usize>),
}

impl CrossTableAxis {
    /// The label of a cell.
    fn at(&self, cell: usize) -> usize {
        match &self.place {
            LabelPlace::Known(stride) => cell / stride % self.labels.len(),
            LabelPlace::Secret(labels) => labels[cell % labels.len()],
        }
    }

    /// A label: a number, if it stands for one.
    fn value(&self, at: usize) -> Value {
        let label = &self.labels[at];
        let number = self.numbers.as_ref().and_then(|_| label.parse().ok());
        number.map_or_else(|| Value::String(label.clone()), Value::Number)
    }
}

/// The cells of a table, with what is said of them.
pub(in crate::query) struct Made {
    pub(in crate::query) cells: Vec<Cell>,
    pub(in crate::query) independence: Option<IndependenceEntry>,
    pub(in crate::query) notes: Vec<Text>,
}

/// A requested table, in codes.
struct CodedRequest {
    /// The columns that make cells, followed by the target and the weight.
    axes: Vec<CrossTableAxis>,
    /// The ask that counts conditions as met if they are met in part.
    ask: Ask,
    /// The least and the greatest count of each cell of the ask.
    bounds: Vec<(f64, f64)>,
    /// Whether a condition splits a published value.
    is_divided: bool,
}

impl Fitted {
    /// Computes a cross-table. `is_divided`: a condition splits a published value. O(rows ·
    /// columns) for each world.
    pub(in crate::query) fn crosstab(
        &self,
        request: &Request,
        matchers: &HashMap<String, Matcher<'_>>,
        is_divided: bool,
    ) -> Result<Made, Error> {
        let plan = self.plan(request, matchers, is_divided)?;
        let by = &plan.axes[..request.by.len()];
        let (labels, lists) = plan.cells(by);
        if !plan.bounds.iter().all(|&(least, greatest)| greatest - least < 1e-9) && !is_divided {
            self.check()?;
        }
        let statistic = match (&request.statistic, &request.weight) {
            (Statistic::Count, None) => None,
            (Statistic::Count, Some(_)) => Some(openveil_analysis::Statistic::Total),
            (Statistic::Mean(_), _) => Some(openveil_analysis::Statistic::Mean),
            (Statistic::Quantile(_, share), _) => {
                Some(openveil_analysis::Statistic::Quantile(*share))
            }
        };
        let (figures, notes) = match statistic {
            None => self.counts(&plan, &lists),
            Some(statistic) => {
                let (analysis, numbers) = self.numbers(&plan, request)?;
                let found = analysis.statistics(&plan.ask, &lists, &numbers, statistic);
                (entries(found), self.notes(analysis, certain()))
            }
        };
        let independence = self.independence(request, &plan, &labels, &lists);
        let of = |mut at: usize| {
            let mut of: Vec<(String, Value)> = Vec::new();
            for ((name, axis), labels) in request.by.iter().zip(by).zip(&labels).rev() {
                of.push((name.clone(), axis.value(labels[at % labels.len()])));
                at /= labels.len();
            }
            of.reverse();
            of
        };
        let cells = figures.into_iter().enumerate().map(|(at, figure)| Cell { of: of(at), figure });
        Ok(Made { cells: cells.collect(), independence, notes })
    }

    /// Tests the two columns of a table of counts, if one is known and the other secret.
    fn independence(
        &self,
        request: &Request,
        plan: &CodedRequest,
        labels: &[Vec<usize>],
        lists: &[Vec<usize>],
    ) -> Option<IndependenceEntry> {
        let [first, second] = &request.by[..] else {
            return None;
        };
        let is_secret = |name: &str| self.coded.secret(name).is_some();
        let is_count = request.statistic == Statistic::Count && request.weight.is_none();
        if plan.is_divided || !is_count || is_secret(first) == is_secret(second) {
            return None;
        }
        let cells: Option<Vec<usize>> = lists.iter().map(|list| list.first().copied()).collect();
        let found = self.analysis().ok()?.independence(&plan.ask, &cells?, labels[1].len())?;
        Some(IndependenceEntry { chi2: found.statistic, freedom: found.freedom, p: found.p })
    }

    /// Checks the known columns among these, if the secret is among them.
    pub(in crate::query) fn checks_of<'a>(
        &self,
        names: impl Iterator<Item = &'a String> + Clone,
    ) -> Vec<CheckEntry> {
        if !names.clone().any(|name| self.coded.secret(name).is_some()) {
            return Vec::new();
        }
        let mut columns: Vec<usize> = names.filter_map(|name| self.coded.known(name)).collect();
        columns.sort_unstable();
        columns.dedup();
        self.analysis()
            .map(|analysis| self.checks(analysis, columns.into_iter()))
            .unwrap_or_default()
    }

    /// Returns counts by the fit, or certain bounds with a note that says why.
    fn counts(
        &self,
        plan: &CodedRequest,
        lists: &[Vec<usize>],
    ) -> (Vec<Option<FigureEntry>>, Vec<Text>) {
        let all: Vec<FigureEntry> = (0..plan.ask.cells())
            .map(|cell: usize| {
                let (least, greatest) = plan.bounds[cell];
                FigureEntry::bounded((least + greatest) / 2.0, [least, greatest])
            })
            .collect();
        let (all, notes) = if all.iter().all(FigureEntry::is_exact) || plan.is_divided {
            (all, Vec::new())
        } else {
            match self.analysis() {
                Ok(analysis) => {
                    let counts = analysis.counts(&plan.ask).into_iter();
                    let notes = self.notes(analysis, certain());
                    (counts.map(FigureEntry::from).collect(), notes)
                }
                Err(why) => (all, vec![without(why)]),
            }
        };
        // Without a target, each cell corresponds to one cell of the ask.
        let own = lists.iter().map(|list| list.first().map(|&cell| all[cell].clone()));
        (own.collect(), notes)
    }

    /// Returns the basis of means, quantiles and weighted counts: the fit, and the numbers of the
    /// ask's cells.
    fn numbers(
        &self,
        plan: &CodedRequest,
        request: &Request,
    ) -> Result<(&Analysis, CellNumbers), Error> {
        let numbers =
            plan.axes[request.by.len()..].iter().zip(request.numeric()).map(|(axis, name)| {
                let numbers = axis.numbers.as_ref().ok_or_else(|| {
                refused(
                    text!(
                        "`{name}` is not numeric, so it has no mean or quantile and is no weight"
                    ),
                    text!("ask for counts: `--by {name}`"),
                )
            })?;
                Ok((0..plan.ask.cells()).map(|cell| numbers[axis.at(cell)]).collect::<Vec<f64>>())
            });
        let mut numbers = numbers.collect::<Result<Vec<_>, Error>>()?;
        let ones = || vec![1.0; plan.ask.cells()];
        let weights = match &request.weight {
            None => ones(),
            Some(name) => {
                let weights = numbers.pop().expect("the weight has an axis");
                if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
                    return Err(refused(
                        text!("`{name}` has the value {negative}, which is no weight"),
                        text!("weights are numbers from 0"),
                    ));
                }
                weights
            }
        };
        if plan.is_divided {
            return Err(refused(
                text!(
                    "a condition divides values that are published as one, so only counts without a weight are possible"
                ),
                text!("change the condition, or ask for counts"),
            ));
        }
        let analysis = self.analysis().map_err(|why| {
            refused(
                text!("no figure: {why:text}"),
                text!("ask for counts: `query` shows which are possible with certainty"),
            )
        })?;
        let numbers = numbers.pop().unwrap_or_else(ones);
        Ok((analysis, CellNumbers { numbers, weights }))
    }

    fn plan(
        &self,
        request: &Request,
        matchers: &HashMap<String, Matcher<'_>>,
        is_divided: bool,
    ) -> Result<CodedRequest, Error> {
        let names: Vec<&String> = request.by.iter().chain(request.numeric()).collect();
        let (secret, kinds) = self.kinds(&names);
        let shares = Shares::new(self, matchers);
        let known = &self.coded.meaning.known;
        let used: Vec<(usize, bool)> = (0..known.len())
            .filter_map(|number| {
                let is_axis = names.iter().any(|name| *name == known[number].name());
                let is_asked = is_axis || matchers.contains_key(known[number].name());
                is_asked.then_some((number, is_axis))
            })
            .collect();
        let size = |&(number, is_axis): &(usize, bool)| {
            if is_axis { known[number].domain().len() } else { 1 }
        };
        let sizes: Vec<usize> = used.iter().map(size).collect();
        let cells = sizes.iter().fold(kinds.len(), |all, &size| all.saturating_mul(size));
        if cells > MOST_CELLS {
            return Err(refused(
                text!("the table would have {cells} cells, more than {MOST_CELLS}"),
                text!("ask for columns with fewer values"),
            ));
        }
        let ask = |counts: &dyn Fn(f64) -> bool| {
            let ask = shares.ask(counts);
            let secret = ask.secret.iter().zip(&secret);
            Ask {
                known: used
                    .iter()
                    .map(|&(number, is_axis)| {
                        let met = ask.known.iter().find(|(own, _)| *own == number);
                        (
                            number,
                            (0..known[number].domain().len())
                                .map(|code: usize| {
                                    let is_met = met.is_none_or(|(_, met)| met[code].is_some());
                                    is_met.then_some(if is_axis { code as u32 } else { 0 })
                                })
                                .collect(),
                        )
                    })
                    .collect(),
                parts: sizes.iter().map(|&size| size as u32).collect(),
                secret: secret.map(|(met, &kind)| met.and(Some(kind))).collect(),
                secret_parts: kinds.len() as u32,
            }
        };
        let most = ask(&|share| share > 0.0);
        let mut bounds = bounds(&self.coded.evidence, &most);
        let is_divided = is_divided || !shares.are_whole();
        if is_divided {
            bounds.iter_mut().for_each(|bound| bound.0 = 0.0);
        }
        Ok(CodedRequest {
            axes: names
                .iter()
                .filter_map(|name: &&String| -> Option<CrossTableAxis> {
                    if let Some(number) = self.coded.known(name) {
                        let at = used.iter().position(|(own, _)| *own == number)?;
                        let stride = sizes[at + 1..].iter().product::<usize>() * kinds.len();
                        return Some(CrossTableAxis {
                            labels: known[number].domain().labels().map(str::to_owned).collect(),
                            numbers: self.coded.meaning.numbers[number].clone(),
                            place: LabelPlace::Known(stride),
                        });
                    }
                    self.secret_axis(name, &kinds)
                })
                .collect(),
            ask: most,
            bounds,
            is_divided,
        })
    }

    /// Groups values of the secret that the request treats alike: the kind of each value, and a
    /// value of each kind.
    fn kinds(&self, names: &[&String]) -> (Vec<u32>, Vec<usize>) {
        let asked: Vec<usize> = names.iter().filter_map(|name| self.coded.secret(name)).collect();
        let mut known: HashMap<Vec<&String>, u32> = HashMap::new();
        let mut kinds = Vec::new();
        let parts = self.coded.parts.iter().enumerate();
        let of_value = parts.map(|(value, parts)| {
            let key = asked.iter().map(|&number| &parts[number]).collect();
            *known.entry(key).or_insert_with(|| {
                kinds.push(value);
                kinds.len() as u32 - 1
            })
        });
        (of_value.collect(), kinds)
    }

    fn secret_axis(&self, name: &str, kinds: &[usize]) -> Option<CrossTableAxis> {
        let number = self.coded.secret(name)?;
        let mut labels: Vec<String> = Vec::new();
        let mut known: HashMap<&String, usize> = HashMap::new();
        let place = kinds.iter().map(|&value| {
            let label = &self.coded.parts[value][number];
            *known.entry(label).or_insert_with(|| {
                labels.push(label.clone());
                labels.len() - 1
            })
        });
        let place = LabelPlace::Secret(place.collect());
        let numbers = &self.coded.part_numbers[number];
        Some(CrossTableAxis {
            numbers: (!numbers.is_empty()).then(|| {
                labels.iter().map(|label| numbers.get(label).copied().unwrap_or(f64::NAN)).collect()
            }),
            labels,
            place,
        })
    }
}

impl CodedRequest {
    /// Returns, by axis, the labels that some row can have, and for each resulting cell the cells
    /// of the ask.
    fn cells(&self, by: &[CrossTableAxis]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let labels: Vec<Vec<usize>> = by
            .iter()
            .map(|axis| {
                let mut met = vec![false; axis.labels.len()];
                for (cell, (_, greatest)) in self.bounds.iter().enumerate() {
                    met[axis.at(cell)] |= *greatest > 0.0;
                }
                (0..met.len()).filter(|&label| met[label]).collect()
            })
            .collect();
        let mut lists = vec![Vec::new(); labels.iter().map(Vec::len).product()];
        for cell in 0..self.bounds.len() {
            let at = by.iter().zip(&labels).try_fold(0, |at, (axis, labels)| {
                let own = labels.binary_search(&axis.at(cell)).ok()?;
                Some(at * labels.len() + own)
            });
            if let Some(at) = at {
                lists[at].push(cell);
            }
        }
        (labels, lists)
    }
}

/// Returns figures in their written form.
fn entries(figures: Vec<Option<Figure>>) -> Vec<Option<FigureEntry>> {
    figures.into_iter().map(|figure| figure.map(FigureEntry::from)).collect()
}
