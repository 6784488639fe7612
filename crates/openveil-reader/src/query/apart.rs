//! Answers questions about several secret columns that a release shuffles separately.

use super::conditions::matchers;
use super::fitted::refused;
use super::matcher::Matcher;
use super::parse::Condition;
use super::{Cell, CrossTable, FigureEntry, Reader, Request};
use openveil_io::Error;
use openveil_text::{Text, text};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The most cells of a table about several secret columns that are published apart.
const MOST_CELLS_APART: usize = 10_000;

/// The note for questions about several secret columns that are published apart.
pub(super) fn note() -> Text {
    text!(
        "secret columns are shuffled independently within each group: the estimate treats them as independent there, and the interval is certain"
    )
}

impl Reader {
    /// Returns the secret columns that a question names, among those published apart.
    pub(super) fn asked_apart<'a>(
        &'a self,
        names: impl Iterator<Item = &'a String>,
    ) -> Vec<&'a String> {
        let names: HashSet<&String> = names.collect();
        self.tables.apart().filter(|own| names.contains(own)).collect()
    }

    /// Estimates a count from what each group shows of each column, with certain bounds.
    pub(super) fn figure_apart(
        &self,
        number: usize,
        matchers: &HashMap<String, Matcher<'_>>,
        evenly: f64,
        is_divided: bool,
    ) -> FigureEntry {
        let [least, most] = self.tables.certain_apart(number, matchers);
        FigureEntry::bounded(evenly, [if is_divided { 0.0 } else { least }, most])
    }

    /// Estimates counts by columns of which several are secret and published apart, from what each
    /// group shows of each.
    ///
    /// # Errors
    /// Another statistic; too many cells.
    pub(super) fn crosstab_apart(
        &self,
        request: &Request,
        parsed: &[Condition],
        is_divided: bool,
    ) -> Result<CrossTable, Error> {
        if request.numeric().next().is_some() || self.release().tables.len() > 1 {
            return Err(refused(
                text!(
                    "the release shuffles these secret columns independently: counts of them together are possible, but no means and no weights"
                ),
                text!("ask about one of them at a time"),
            ));
        }
        let tables = &self.tables;
        if let Some(name) = request.by.iter().find(|name| tables.cell_kind(name).is_range()) {
            return Err(refused(
                text!(
                    "`{name}` is published as ranges, and several secret columns are shuffled independently: no table of them together is possible"
                ),
                text!("ask about one secret column at a time"),
            ));
        }
        let texts: Vec<Vec<String>> = request
            .by
            .iter()
            .map(|name| {
                let number = tables.columns.number(name).expect("the columns were found");
                let mut texts = tables.dictionaries[number].texts.clone();
                let place = |text: &String| tables.scales[number].place(text);
                texts.sort_by(|a, b| {
                    place(a).partial_cmp(&place(b)).unwrap_or(Ordering::Equal).then(a.cmp(b))
                });
                texts
            })
            .collect();
        let cells = texts.iter().map(Vec::len).product::<usize>();
        if cells > MOST_CELLS_APART {
            return Err(refused(
                text!("the table would have {cells} cells, more than {MOST_CELLS_APART}"),
                text!("ask for columns with fewer values"),
            ));
        }
        let cell = |mut at: usize| {
            let mut of = Vec::new();
            let mut conditions: Vec<Condition> = parsed.to_vec();
            for (name, texts) in request.by.iter().zip(&texts).rev() {
                let text = &texts[at % texts.len()];
                at /= texts.len();
                conditions.push(Condition::equal(name, text));
                of.push((name.clone(), serde_json::Value::String(text.clone())));
            }
            of.reverse();
            let own = matchers(tables, &conditions)?;
            let figure = self.figure_apart(0, &own, tables.evenly(0, &own), is_divided);
            Ok(Cell { of, figure: Some(figure) })
        };
        Ok(CrossTable {
            by: request.by.clone(),
            statistic: request.statistic_name(),
            conditions: request.conditions.clone(),
            rows: self.people(),
            cells: (0..cells).map(cell).collect::<Result<_, Error>>()?,
            independence: None,
            check: Vec::new(),
            notes: vec![note()],
        })
    }

    /// # Errors
    /// Several secret columns that are published apart.
    pub(super) fn one_secret(&self) -> Result<(), Error> {
        match self.tables.apart().count() {
            0 | 1 => Ok(()),
            _ => Err(refused(
                text!(
                    "the release shuffles several secret columns independently, and does not show how their values go together"
                ),
                text!("ask for counts and regressions of one of them at a time"),
            )),
        }
    }
}
