//! Cross-tables: counts, means and quantiles by any columns of a release.

use super::answer::FigureEntry;
use super::{Fitted, refused};
use crate::Error;
use crate::query::matcher::Matcher;
use openveil_analysis::{Ask, bounds};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::HashMap;

/// The most cells of a table.
const MOST_CELLS: usize = 200_000;

/// What a cell says.
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

/// What is asked of a release.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// The columns that make cells; none for a single one.
    pub by: Vec<String>,
    /// Conditions on rows.
    pub conditions: Option<String>,
    /// What a cell says.
    pub statistic: Statistic,
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
    /// Rows of the release; of a history, those that are somebody's.
    pub rows: usize,
    /// The cells, the last column running fastest.
    pub cells: Vec<Cell>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A cell of a cross-table. As a document: the columns' values by their names, and the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The columns with their values: texts or numbers.
    pub of: Vec<(String, Value)>,
    /// The figure; none where nobody is.
    pub figure: Option<FigureEntry>,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.of {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry(
            "estimate",
            &self.figure.as_ref().map(|figure| figure.estimate),
        )?;
        map.serialize_entry(
            "interval",
            &self.figure.as_ref().map(|figure| figure.interval),
        )?;
        map.serialize_entry("method", &self.figure.as_ref().map(|figure| figure.method))?;
        if let Some(error) = self.figure.as_ref().and_then(|figure| figure.deal_error) {
            map.serialize_entry("deal_error", &error)?;
        }
        map.end()
    }
}

/// An axis of a table: a known column, or one of the secret ones.
enum Axis {
    Known(usize),
    Secret(usize),
}

/// A table that is asked for, in codes.
struct Plan {
    ask: Ask,
    /// Labels of each column that makes cells.
    labels: Vec<Vec<String>>,
    /// For each cell the cells of the ask.
    cells: Vec<Vec<usize>>,
    /// The numbers of these, where a mean or a quantile is asked for.
    numbers: Vec<f64>,
}

impl Fitted {
    /// A cross-table. O(rows · columns) for each world.
    pub(in crate::query) fn crosstab(
        &self,
        request: &Request,
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> Result<(Vec<Cell>, Vec<String>), Error> {
        let plan = self.plan(request, matchers)?;
        let figures = self.figures(request, &plan)?;
        let names = |mut at: usize| {
            let mut of: Vec<(String, Value)> = Vec::new();
            for (name, labels) in request.by.iter().zip(&plan.labels).rev() {
                let label = &labels[at % labels.len()];
                of.push((name.clone(), self.value(name, label)));
                at /= labels.len();
            }
            of.reverse();
            of
        };
        let cells = figures.into_iter().enumerate();
        let cells = cells.map(|(at, figure)| Cell {
            of: names(at),
            figure,
        });
        Ok((cells.collect(), self.notes()))
    }

    fn figures(&self, request: &Request, plan: &Plan) -> Result<Vec<Option<FigureEntry>>, Error> {
        let evidence = &self.coded.evidence;
        if request.statistic == Statistic::Count {
            let bounds = bounds(evidence, &plan.ask);
            let is_certain = bounds
                .iter()
                .all(|(least, greatest)| greatest - least < 1e-9);
            if !is_certain && let Ok(analysis) = self.analysis() {
                let counts = analysis.counts(&plan.ask);
                return Ok(plan
                    .cells
                    .iter()
                    .map(|list| Some(counts[list[0]].into()))
                    .collect());
            }
            let cell = |list: &Vec<usize>| {
                let (least, greatest) = bounds[list[0]];
                Some(FigureEntry::bounded(
                    (least + greatest) / 2.0,
                    [least, greatest],
                ))
            };
            return Ok(plan.cells.iter().map(cell).collect());
        }
        let analysis = self.analysis().map_err(|why| {
            refused(
                format!("no figure: {why}"),
                "ask for counts: `query` says which are possible for certain",
            )
        })?;
        let figures = match &request.statistic {
            Statistic::Quantile(_, share) => {
                analysis.quantiles(&plan.ask, &plan.cells, &plan.numbers, *share)
            }
            _ => analysis.means(&plan.ask, &plan.cells, &plan.numbers),
        };
        Ok(figures
            .into_iter()
            .map(|figure| figure.map(FigureEntry::from))
            .collect())
    }

    fn axis(&self, name: &str) -> Option<Axis> {
        let known = self.coded.known(name).map(Axis::Known);
        known.or_else(|| self.coded.secret(name).map(Axis::Secret))
    }

    /// A value of a column: a number, if the column has numbers.
    fn value(&self, name: &str, label: &str) -> Value {
        let is_number = match self.axis(name) {
            Some(Axis::Known(known)) => self.coded.meaning.numbers[known].is_some(),
            Some(Axis::Secret(secret)) => !self.coded.part_numbers[secret].is_empty(),
            None => false,
        };
        let number = label.parse::<serde_json::Number>().ok();
        match number.filter(|_| is_number) {
            Some(number) => Value::Number(number),
            None => Value::String(label.to_owned()),
        }
    }

    fn plan(
        &self,
        request: &Request,
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> Result<Plan, Error> {
        let coded = &self.coded;
        let target = match &request.statistic {
            Statistic::Count => None,
            Statistic::Mean(name) | Statistic::Quantile(name, _) => Some(name),
        };
        let axes: Vec<Axis> = request
            .by
            .iter()
            .chain(target)
            .filter_map(|name| self.axis(name))
            .collect();
        let is_met = |name: &str, label: &str| {
            matchers
                .get(name)
                .is_none_or(|matcher| matcher.share_of_value(label) > 0.5)
        };
        let (mut known, mut parts) = (Vec::new(), Vec::new());
        for axis in &axes {
            if let Axis::Known(number) = axis {
                let column = &coded.meaning.known[*number];
                let codes = column.domain().labels().zip(0..);
                let own = codes.map(|(label, code)| is_met(column.name(), label).then_some(code));
                known.push((*number, own.collect::<Vec<Option<u32>>>()));
                parts.push(column.domain().len() as u32);
            }
        }
        for (number, column) in coded.meaning.known.iter().enumerate() {
            let is_used = known.iter().any(|(used, _)| *used == number);
            if !is_used && matchers.contains_key(column.name()) {
                let labels = column.domain().labels();
                known.push((
                    number,
                    labels
                        .map(|label| is_met(column.name(), label).then_some(0))
                        .collect(),
                ));
                parts.push(1);
            }
        }
        // The secret's values by what is asked of them.
        let mut kinds: HashMap<Vec<&str>, u32> = HashMap::new();
        let asked = |value: &'_ Vec<String>| -> Vec<usize> {
            let secrets = axes.iter().filter_map(|axis| match axis {
                Axis::Secret(number) => Some(*number),
                Axis::Known(_) => None,
            });
            debug_assert!(value.len() == coded.secrets.len());
            secrets.collect()
        };
        let mut order: Vec<Vec<&str>> = Vec::new();
        let secret: Vec<Option<u32>> = coded
            .parts
            .iter()
            .map(|value| {
                let mut all = coded.secrets.iter().zip(value);
                if !all.all(|(name, part)| is_met(name, part)) {
                    return None;
                }
                let key: Vec<&str> = asked(value)
                    .into_iter()
                    .map(|number| value[number].as_str())
                    .collect();
                let next = order.len() as u32;
                Some(*kinds.entry(key.clone()).or_insert_with(|| {
                    order.push(key);
                    next
                }))
            })
            .collect();
        let secret_parts = order.len().max(1) as u32;
        let ask = Ask {
            known,
            parts,
            secret,
            secret_parts,
        };
        if ask.cells() > MOST_CELLS {
            return Err(refused(
                format!(
                    "the table would have {} cells, more than {MOST_CELLS}",
                    ask.cells()
                ),
                "ask for fewer columns, or for fewer of their values by `--where`",
            ));
        }
        let greatest = bounds(&coded.evidence, &ask);
        let mut plan = Plan {
            labels: Vec::new(),
            cells: Vec::new(),
            numbers: Vec::new(),
            ask,
        };
        self.fill(&mut plan, &axes, &order, request.by.len(), &greatest);
        if let Some(name) = target {
            self.number(&mut plan, name, &axes[request.by.len()], &order, axes.len())?;
        }
        Ok(plan)
    }

    /// Labels and cells: labels that no row can have are left out.
    fn fill(
        &self,
        plan: &mut Plan,
        axes: &[Axis],
        order: &[Vec<&str>],
        by: usize,
        greatest: &[(f64, f64)],
    ) {
        let places = Places::of(&plan.ask, axes, order);
        let mut is_met: Vec<Vec<bool>> =
            places.sizes.iter().map(|&size| vec![false; size]).collect();
        for (cell, &(_, most)) in greatest.iter().enumerate() {
            if most > 0.0 {
                for (axis, met) in is_met.iter_mut().enumerate() {
                    met[places.at(cell, axis)] = true;
                }
            }
        }
        // Per axis, the number of each label that is left.
        let mut numbers: Vec<Vec<Option<usize>>> = Vec::new();
        for (axis, met) in is_met.iter().enumerate() {
            let mut next = 0;
            let own = met.iter().map(|&met| {
                next += usize::from(met);
                met.then(|| next - 1)
            });
            numbers.push(own.collect());
            if axis < by {
                let labels = met.iter().enumerate().filter(|(_, met)| **met);
                let label = |(at, _): (usize, &bool)| match axes[axis] {
                    Axis::Known(column) => self.coded.meaning.known[column]
                        .domain()
                        .label(at as u32)
                        .to_owned(),
                    Axis::Secret(_) => places.labels[axis][at].clone(),
                };
                plan.labels.push(labels.map(label).collect());
            }
        }
        let cells: usize = plan.labels.iter().map(Vec::len).product();
        plan.cells = vec![Vec::new(); cells];
        for cell in 0..plan.ask.cells() {
            let mut at = Some(0);
            for axis in 0..by {
                let own = numbers[axis][places.at(cell, axis)];
                at = at
                    .zip(own)
                    .map(|(at, own)| at * plan.labels[axis].len() + own);
            }
            if let Some(at) = at {
                plan.cells[at].push(cell);
            }
        }
    }

    /// The numbers of the cells of the ask; lists in ascending order of them.
    fn number(
        &self,
        plan: &mut Plan,
        name: &str,
        axis: &Axis,
        order: &[Vec<&str>],
        last: usize,
    ) -> Result<(), Error> {
        let places = Places::of(&plan.ask, std::slice::from_ref(axis), order);
        let of = |at: usize| -> Option<f64> {
            match axis {
                Axis::Known(column) => Some(self.coded.meaning.numbers[*column].as_ref()?[at]),
                Axis::Secret(_) => Some(0.0),
            }
        };
        let secret = match axis {
            Axis::Secret(secret) => Some(&self.coded.part_numbers[*secret]),
            Axis::Known(_) => None,
        };
        let is_number = match axis {
            Axis::Known(_) => of(0).is_some(),
            Axis::Secret(_) => secret.is_some_and(|numbers| !numbers.is_empty()),
        };
        if !is_number {
            return Err(refused(
                format!("`{name}` is no column of numbers, and has no mean or quantile"),
                format!("ask for counts: `--by {name}`"),
            ));
        }
        // In the order's keys, the target is the last of the secret axes.
        let _ = last;
        let number = |cell: usize| match axis {
            Axis::Known(_) => of(places.at(cell, 0)).unwrap_or(f64::NAN),
            Axis::Secret(_) => {
                let key = &order[cell % plan.ask.secret_parts as usize];
                let text = key.last().copied().unwrap_or_default();
                secret
                    .and_then(|numbers| numbers.get(text))
                    .copied()
                    .unwrap_or(f64::NAN)
            }
        };
        let numbers: Vec<f64> = (0..plan.ask.cells()).map(number).collect();
        for list in &mut plan.cells {
            list.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(a.cmp(&b)));
        }
        plan.numbers = numbers;
        Ok(())
    }
}

/// Where a cell of an ask stands on each axis.
struct Places {
    /// Per axis, how many labels there are.
    sizes: Vec<usize>,
    /// Per axis, how many cells there are from one label to the next; none for the secret.
    strides: Vec<Option<usize>>,
    /// Per axis of the secret, the label of each part of the secret, as a number of `labels`.
    of_part: Vec<Vec<usize>>,
    labels: Vec<Vec<String>>,
    secret_parts: usize,
}

impl Places {
    fn of(ask: &Ask, axes: &[Axis], order: &[Vec<&str>]) -> Self {
        let secret_parts = ask.secret_parts as usize;
        let mut places = Self {
            sizes: Vec::new(),
            strides: Vec::new(),
            of_part: Vec::new(),
            labels: Vec::new(),
            secret_parts,
        };
        let mut secrets = 0;
        for axis in axes {
            match axis {
                Axis::Known(column) => {
                    let at = ask.known.iter().position(|(known, _)| known == column);
                    let at = at.expect("every axis is asked for");
                    let after = ask.parts[at + 1..].iter().map(|&parts| parts as usize);
                    places
                        .strides
                        .push(Some(after.product::<usize>() * secret_parts));
                    places.sizes.push(ask.parts[at] as usize);
                    places.of_part.push(Vec::new());
                    places.labels.push(Vec::new());
                }
                Axis::Secret(_) => {
                    let mut labels: Vec<String> = Vec::new();
                    let own = order.iter().map(|key| {
                        let label = key[secrets];
                        labels
                            .iter()
                            .position(|own| own == label)
                            .unwrap_or_else(|| {
                                labels.push(label.to_owned());
                                labels.len() - 1
                            })
                    });
                    places.of_part.push(own.collect());
                    places.sizes.push(labels.len());
                    places.labels.push(labels);
                    places.strides.push(None);
                    secrets += 1;
                }
            }
        }
        places
    }

    fn at(&self, cell: usize, axis: usize) -> usize {
        match self.strides[axis] {
            Some(stride) => cell / stride % self.sizes[axis],
            None => self.of_part[axis][cell % self.secret_parts],
        }
    }
}
