//! Limits (numbers that stand for all numbers beyond them), and conditions that split these.

use super::bins::Bin;
use super::matcher::Matcher;
use super::parse::{Condition, Test};
use super::scale::TextComparison;
use super::tables::TextTables;
use openveil_io::policy::Floor;
use openveil_io::release_dir::write::manifest::ColumnEntry;
use openveil_text::{Text, text};
use std::collections::{BTreeMap, HashMap};

/// By column, the limits that conditions split.
pub(super) fn beyond_limits(
    tables: &TextTables,
    conditions: &[Condition],
) -> BTreeMap<String, Vec<Text>> {
    let mut notes: BTreeMap<String, Vec<Text>> = BTreeMap::new();
    for condition in conditions {
        let entry = tables.manifest().columns.iter().find(|entry| entry.name == condition.column);
        let (Some(entry), Some(scale)) = (entry, tables.scale(&condition.column)) else {
            continue;
        };
        // Open-ended bins are visible as such.
        if matches!(scale.kind, TextComparison::Bins(_)) {
            continue;
        }
        let limit = |limit: &Option<String>| limit.as_deref().and_then(|text| scale.place(text));
        let divides = |side: Side, limit: f64| {
            side.is_divided(limit, &condition.test, &|text: &String| scale.place(text))
        };
        let name = &entry.name;
        let mut say = |what: Text| {
            let words = text!("{what:text}: the condition divides them, but the release cannot");
            notes.entry(name.clone()).or_default().push(words);
        };
        if let Some(top) = limit(&entry.top).filter(|&top| divides(Side::From, top)) {
            say(text!("all numbers of `{name}` from {top} on are published as {top}"));
        }
        let standing = scale.standing;
        let up_to =
            limit(&entry.bottom).map(|least| (least, standing.stands_for(least, least).high));
        if let Some((least, last)) = up_to
            && (divides(Side::UpTo, least) || divides(Side::UpTo, last))
        {
            say(text!("all numbers of `{name}` up to {last} are published as {least}"));
        }
    }
    notes
}

/// Notes which columns have a floor whose multiples a condition cuts, so that shares are counted.
pub(super) fn cut_floors(
    tables: &TextTables,
    matchers: &HashMap<String, Matcher<'_>>,
) -> Vec<Text> {
    tables.columns.names().iter().zip(&tables.dictionaries).filter_map(|(name, shown)| {
        let matcher = matchers.get(name)?;
        let width = tables.scale(name)?.standing.width;
        let is_cut = shown.texts.iter().any(|cell| {
            let share = matcher.share_of_value(cell);
            share > 0.0 && share < 1.0
        });
        let why = if is_cut {
            text!("the condition divides some of these, and a part of them is counted")
        } else if matcher.names_some() {
            text!("a number that is named counts for all of these")
        } else {
            return None;
        };
        (width > 0.0).then(|| text!(
            "numbers of `{name}` are published as multiples of {width}, each of which stands for those up to the next: {why:text}"
        ))
    }).collect()
}

/// The numbers that a published number stands for: all up to the next multiple of a floor, or all
/// beyond a limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StandingNumbers {
    /// The floor; 0 if numbers are published exactly.
    pub(super) width: f64,
    /// Whether they are whole numbers: the last one below the next multiple is then one less.
    is_whole: bool,
    pub(super) top: Option<f64>,
    pub(super) bottom: Option<f64>,
}

impl StandingNumbers {
    pub(super) fn new(column: &ColumnEntry) -> Self {
        let limit = |text: &Option<String>| text.as_deref()?.parse().ok();
        let width = match &column.floor {
            Some(Floor::Width(width)) => width.parse().unwrap_or(0.0),
            _ => 0.0,
        };
        Self {
            width,
            is_whole: column.value_type.as_deref() == Some("integer"),
            top: limit(&column.top),
            bottom: limit(&column.bottom),
        }
    }

    /// Returns the range of numbers that published numbers from `low` to `high` stand for; infinite
    /// beyond a limit.
    pub(super) fn stands_for(self, low: f64, high: f64) -> Bin {
        let has_width = self.width > 0.0;
        let last = match (self.is_whole, has_width) {
            (_, false) => high,
            (true, true) => high + self.width - 1.0,
            (false, true) => high + self.width,
        };
        let is = |limit: Option<f64>, place: f64| limit == Some(place);
        Bin {
            low: if is(self.bottom, low) { f64::NEG_INFINITY } else { low },
            high: if is(self.top, high) { f64::INFINITY } else { last },
            is_open: has_width && !self.is_whole,
        }
    }

    /// The note on means and quantiles of the column.
    pub(super) fn note(self, name: &str) -> Option<Text> {
        let floor = (self.width > 0.0).then(|| {
            text!(
                "multiples of {}, each of which stands for the numbers up to the next",
                self.width
            )
        });
        let limits = self
            .top
            .or(self.bottom)
            .map(|_| text!("limits, which stand for all numbers beyond them"));
        let found: Vec<Text> = floor.into_iter().chain(limits).collect();
        (!found.is_empty()).then(|| {
            text!(
                "the figures are for the published numbers of `{name}`: {:text}. The original numbers are not known so exactly",
                Text::listed(found, &text!("; "))
            )
        })
    }
}

/// A limit: a number that stands for all numbers from it on, or up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    From,
    UpTo,
}

impl Side {
    /// Whether a condition may be met by some of these numbers and not by others.
    fn is_divided(self, limit: f64, test: &Test, place: &dyn Fn(&String) -> Option<f64>) -> bool {
        let beyond = |place: f64| match self {
            Self::From => place > limit,
            Self::UpTo => place < limit,
        };
        // A bound at the limit splits if the limit is on the other side than the rest.
        let at_limit = match test {
            Test::Above(_, included) => (self == Self::From) != *included,
            Test::Below(_, included) => (self == Self::UpTo) != *included,
            Test::Among(_) | Test::Not(_) => true,
        };
        let texts = match test {
            Test::Among(texts) => &texts[..],
            Test::Not(text) | Test::Below(text, _) | Test::Above(text, _) => {
                std::slice::from_ref(text)
            }
        };
        texts.iter().filter_map(place).any(|place| beyond(place) || place == limit && at_limit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    /// A condition splits the numbers behind a limit if some may meet it and some not.
    #[test]
    fn limits_are_divided_where_numbers_beyond_differ() {
        let divided = |side: Side, conditions: &str| {
            let parsed = parse(conditions).unwrap();
            side.is_divided(50.0, &parsed[0].test, &|text: &String| text.parse().ok())
        };
        for (conditions, from, up_to) in [
            ("x > 50", true, false),
            ("x >= 50", false, true),
            ("x < 50", false, true),
            ("x <= 50", true, false),
            ("x = 50", true, true),
            ("x != 50", true, true),
            ("x in (20, 60)", true, true),
            ("x < 60", true, false),
            ("x > 60", true, false),
            ("x < 20", false, true),
            ("x >= 20", false, true),
            ("x = 20", false, true),
        ] {
            let found = (divided(Side::From, conditions), divided(Side::UpTo, conditions));
            assert_eq!(found, (from, up_to), "{conditions}");
        }
    }
}
