//! Conditions on the columns of a release, and notes about them.

use super::limits::{beyond_limits, cut_floors};
use super::matcher::Matcher;
use super::parse::{Condition, wrong};
use super::tables::TextTables;
use openveil_io::Error;
use openveil_io::spelling::or_meant;
use openveil_text::{Text, text};
use std::collections::{BTreeMap, HashMap};

/// Shares of a cell are sums of parts; rounding may lose this much of a whole one.
const ROUNDING: f64 = 1e-12;

/// The conditions of each column.
pub(super) fn matchers<'a>(
    tables: &'a TextTables,
    conditions: &[Condition],
) -> Result<HashMap<String, Matcher<'a>>, Error> {
    let mut by_column: BTreeMap<&String, Vec<&Condition>> = BTreeMap::new();
    for condition in conditions {
        by_column.entry(&condition.column).or_default().push(condition);
    }
    by_column
        .into_iter()
        .map(|(name, conditions)| {
            let number = tables.columns.number(name).map_err(|_| {
                let problem = text!("the release has no column `{name}`");
                let error = wrong(conditions[0].position, problem);
                let names = tables.columns.names();
                or_meant(error, name, names.iter().map(String::as_str), || {
                    format!("it has {}", names.join(", "))
                })
            })?;
            let matcher = Matcher::new(&tables.scales[number], &conditions)?;
            Ok((name.clone(), matcher))
        })
        .collect()
}

/// Leaves out columns whose conditions exclude no published cell. Otherwise their tables would be
/// combined, which changes the answer.
pub(super) fn drop_idle(
    tables: &TextTables,
    matchers: &mut HashMap<String, Matcher<'_>>,
    divided: &Divided<'_>,
) {
    for (name, shown) in tables.columns.names().iter().zip(&tables.dictionaries) {
        let excludes = |own: &Matcher<'_>, cell: &String| own.share_of(cell) < 1.0 - ROUNDING;
        if !divided.has(name)
            && matchers.get(name).is_some_and(|own: &Matcher<'_>| {
                !shown.texts.iter().any(|cell| excludes(own, cell))
            })
        {
            matchers.remove(name);
        }
    }
}

/// Conditions that split a published value.
pub(super) struct Divided<'a> {
    /// By column, limits: numbers that stand for all numbers beyond them.
    pub(super) beyond: BTreeMap<String, Vec<Text>>,
    /// Notes on multiples of a floor that conditions cut.
    floors: Vec<Text>,
    /// Columns with a number inside of a bin.
    inside: Vec<&'a String>,
    /// Columns with an open-ended bin.
    endless: Vec<&'a String>,
}

impl<'a> Divided<'a> {
    pub(super) fn new(
        tables: &'a TextTables,
        conditions: &[Condition],
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> Self {
        let columns = |is: &dyn Fn(&Matcher<'_>, &str) -> bool| columns_with(tables, matchers, is);
        Self {
            beyond: beyond_limits(tables, conditions),
            floors: cut_floors(tables, matchers),
            inside: columns(&|own, cell| own.names_inside(cell)),
            endless: columns(&|own, cell| own.halves(cell)),
        }
    }

    /// Whether there is one.
    pub(super) fn is_some(&self) -> bool {
        !self.beyond.is_empty() || !self.inside.is_empty() || !self.endless.is_empty()
    }

    /// Whether there is a note about a column.
    pub(super) fn has(&self, name: &String) -> bool {
        self.inside.contains(&name) || self.beyond.contains_key(name)
    }

    /// Returns notes about bins.
    pub(super) fn notes(&self) -> impl Iterator<Item = Text> {
        self.endless.iter().map(|name| {
            text!("the condition on `{name}` divides a bin that is open on one side; half of it is counted")
        }).chain(self.floors.iter().cloned()).chain(self.inside.iter().map(|name| {
            text!("the condition on `{name}` names a number within a bin: the number of rows that have it is not published")
        }))
    }
}

/// Returns the columns with a cell for which `holds` is true under its conditions.
fn columns_with<'a>(
    tables: &'a TextTables,
    matchers: &HashMap<String, Matcher<'_>>,
    is: &dyn Fn(&Matcher<'_>, &str) -> bool,
) -> Vec<&'a String> {
    tables
        .columns
        .names()
        .iter()
        .zip(&tables.dictionaries)
        .filter(|(name, shown)| {
            let matcher = matchers.get(*name);
            matcher.is_some_and(|own| shown.texts.iter().any(|cell| is(own, cell)))
        })
        .map(|(name, _)| name)
        .collect()
}

/// The number of cells that a note lists: most categorical columns whole.
const LISTED: usize = 12;

/// Returns notes on columns without a published cell that meets the conditions, except `divided`
/// ones.
pub(super) fn notes(
    tables: &TextTables,
    matchers: &HashMap<String, Matcher<'_>>,
    divided: &dyn Fn(&String) -> bool,
) -> Vec<Text> {
    let mut notes = Vec::new();
    for (name, shown) in tables.columns.names().iter().zip(&tables.dictionaries) {
        let Some(matcher) = matchers.get(name) else {
            continue;
        };
        let cells = &shown.texts;
        if !divided(name) && !cells.iter().any(|cell| matcher.share_of(cell) > 0.0) {
            let some: Vec<String> =
                cells.iter().take(LISTED).map(|cell| format!("`{cell}`")).collect();
            let more = if cells.len() > LISTED { ", …" } else { "" };
            notes.push(text!(
                "no row meets the condition on `{name}`; is the value spelt as in the release? Its cells read {}{more}",
                some.join(", ")
            ));
        }
    }
    notes
}
