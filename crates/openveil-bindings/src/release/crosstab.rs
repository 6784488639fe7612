//! Cross-tables: figures by the values of columns, which may be cut into bins.

use super::{HeldRelease, types_of};
use crate::work::Failure;
use crate::{input, said, table};
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use openveil_io::Error;
use openveil_io::source::{Batches, FirstSeen, RawColumn};
use openveil_reader::query::{
    Cell, Effort, FigureEntry, IndependenceEntry, Request, Rounding, Statistic,
};
use openveil_tools::watch::Watch;
use std::sync::Arc;

/// The columns of a cross-table that hold its figures.
const FIGURES: [&str; 5] = ["estimate", "low", "high", "method", "deal_error"];

/// The column of counts for print.
const COUNT: &str = "count";

/// A question for a cross-table.
#[derive(Debug, Clone)]
pub struct Crosstab {
    /// The columns that make its cells.
    pub by: Vec<String>,
    /// Conditions that rows have to meet.
    pub conditions: Option<String>,
    /// The figure of each cell.
    pub statistic: Statistic,
    /// A column of numbers: how many people a row stands for.
    pub weight: Option<String>,
    /// Columns of `by` that are cut, with two or more borders each, in ascending order.
    pub bins: Vec<(String, Vec<String>)>,
    /// Counts for print, instead of figures.
    pub rounding: Option<Rounding>,
}

impl HeldRelease {
    /// Returns a cross-table, a test of independence (of two columns that are not cut, one known and
    /// one secret), and notes. The table has the columns of `by` (a cut column shows its bins), then
    /// `estimate`, `low`, `high`, `method` and `deal_error`; for print, `count`, null where it is
    /// suppressed.
    ///
    /// # Errors
    /// As [`openveil_reader::query::Reader::crosstab`]; a column named like one of the figures;
    /// bins of a column that is not in `by`, or that do not ascend; counts for print of something else.
    pub fn crosstab(
        &self,
        goes_on: impl FnMut(&Watch) -> bool,
        effort: Effort,
        asked: Crosstab,
    ) -> Result<(Batches, Option<IndependenceEntry>, Vec<String>), Failure> {
        let Crosstab { by, conditions, statistic, weight, bins, rounding } = asked;
        if rounding.is_some_and(|own| own.base == 0) {
            return Err(input("`round` is 0").help("round to multiples of 1 or more").into());
        }
        if rounding.is_some() && (weight.is_some() || statistic != Statistic::Count) {
            let problem = "`min` and `round` are for counts of rows";
            return Err(input(problem).help("leave them out, or ask for counts").into());
        }
        if let Some(taken) = by.iter().find(|name| match rounding {
            None => FIGURES.contains(&name.as_str()),
            Some(_) => *name == COUNT,
        }) {
            let problem = format!(
                "a column is called `{taken}`, which is also the name of a figure of the table"
            );
            return Err(input(problem).help("ask for each of its values with `where`").into());
        }
        let bins: Vec<ColumnBins> = bins
            .iter()
            .map(|(name, borders)| conditions_of(&by, name, borders))
            .collect::<Result<_, _>>()?;
        let is_cut = |name: &String| bins.iter().any(|(own, _)| own == name);
        let mut columns: Vec<RawColumn> = by.iter().map(RawColumn::named).collect();
        let (mut figures, mut independence, mut notes) = (Vec::new(), None, Vec::new());
        let types = self.ask(goes_on, effort, |reader| {
            for (labels, cut) in combinations(&bins) {
                let all: Vec<String> = conditions.iter().cloned().chain(cut).collect();
                let request = Request {
                    by: by.iter().filter(|name| !is_cut(name)).cloned().collect(),
                    conditions: (!all.is_empty()).then(|| all.join(" and ")),
                    statistic: statistic.clone(),
                    weight: weight.clone(),
                };
                let made = reader.crosstab(&request)?;
                for Cell { of, figure } in made.cells {
                    let cut = bins
                        .iter()
                        .zip(&labels)
                        .map(|((name, _), &label)| (name, label.to_owned()));
                    for (name, text) in
                        of.iter().map(|(name, value)| (name, Cell::text(value))).chain(cut)
                    {
                        columns
                            .iter_mut()
                            .find(|column| column.name == *name)
                            .into_iter()
                            .for_each(|column| push(column, &text));
                    }
                    figures.push(figure);
                }
                independence = made.independence;
                for note in made.notes {
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                }
            }
            Ok(types_of(reader, &columns))
        })?;
        // A cut column shows intervals.
        let types = types.into_iter().zip(&by);
        let types: Vec<Option<String>> =
            types.map(|(own, name)| own.filter(|_| !is_cut(name))).collect();
        let figures = match rounding {
            None => figure_columns(&figures),
            Some(rounding) => {
                let counts = figures
                    .iter()
                    .map(|figure| rounding.count(figure.as_ref()).map(|count| count as i64));
                vec![(COUNT, Arc::new(counts.collect::<Int64Array>()) as ArrayRef)]
            }
        };
        Ok((table::of_text(&columns, &types, figures)?, independence, said(&notes, false)))
    }
}

/// The conditions of a column's bins, each with its label.
type ColumnBins = (String, Vec<(String, String)>);

/// Returns the labels of bins, each with its condition.
fn conditions_of(by: &[String], name: &str, borders: &[String]) -> Result<ColumnBins, Error> {
    if !by.iter().any(|own| own == name) {
        let problem = format!("`bins` cut `{name}`, which is not in `by`");
        return Err(input(problem).help("add it to `by`"));
    }
    let pairs = || borders.windows(2).map(|pair| (&pair[0], &pair[1]));
    if borders.len() < 2 || pairs().any(|(low, high)| !is_less(low, high)) {
        return Err(input("write bins as at least two borders in ascending order: `[0, 30, 60]`"));
    }
    // Conditions have no escapes, but two kinds of quotes.
    let quote = if name.contains('"') { '\'' } else { '"' };
    Ok((
        name.to_owned(),
        pairs()
            .map(|(low, high)| {
                let own = format!("{quote}{name}{quote}");
                (format!("[{low}, {high})"), format!("{own} >= {low} and {own} < {high}"))
            })
            .collect(),
    ))
}

/// Compares borders: numbers, or dates in ISO 8601.
fn is_less(low: &str, high: &str) -> bool {
    match (low.parse::<f64>(), high.parse::<f64>()) {
        (Ok(low), Ok(high)) => low < high,
        _ => low < high,
    }
}

/// Returns all combinations of bins: their labels, and their conditions.
fn combinations(bins: &[ColumnBins]) -> Vec<(Vec<&str>, Vec<String>)> {
    let mut all = vec![(Vec::new(), Vec::new())];
    for (_, own) in bins {
        all = all
            .iter()
            .flat_map(|(labels, conditions)| {
                let (labels, conditions) = (labels.clone(), conditions.clone());
                let each = own.iter().map(move |(label, condition)| {
                    let labels = labels.iter().copied().chain([label.as_str()]);
                    let conditions = conditions.iter().cloned().chain([condition.clone()]);
                    (labels.collect(), conditions.collect())
                });
                each.collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// Adds a value to a column.
fn push(column: &mut RawColumn, text: &str) {
    let code = column.values.intern(text.as_bytes(), || FirstSeen { file: 0, line: 0 });
    column.codes.push(code.expect("texts are UTF-8"));
}

/// Returns figures as columns, with nulls for empty cells.
fn figure_columns(figures: &[Option<FigureEntry>]) -> Vec<(&'static str, ArrayRef)> {
    let numbers = |of: &dyn Fn(&FigureEntry) -> Option<f64>| -> ArrayRef {
        let own = figures.iter().map(|figure| figure.as_ref().and_then(of));
        Arc::new(own.collect::<Float64Array>())
    };
    let methods = figures.iter().map(|figure| figure.as_ref().map(|own| own.method));
    let columns: [ArrayRef; 5] = [
        numbers(&|own| Some(own.estimate)),
        numbers(&|own| Some(own.interval[0])),
        numbers(&|own| Some(own.interval[1])),
        Arc::new(methods.collect::<StringArray>()),
        numbers(&|own| own.deal_error),
    ];
    FIGURES.into_iter().zip(columns).collect()
}
