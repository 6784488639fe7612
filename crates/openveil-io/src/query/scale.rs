//! What the texts of a column mean: numbers, days, places in an order.

use super::parse::{Condition, Test, wrong};
use crate::Error;
use crate::load::MISSING_LABEL;
use crate::release_dir::write::manifest::ColumnEntry;
use jiff::ToSpan;
use jiff::civil::Date;
use openveil::coins::Coins;
use std::collections::HashMap;

/// The day that days are counted from.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// How the texts of a column are compared.
#[derive(Debug)]
pub(super) enum Scale {
    /// They are equal or not.
    Text,
    /// By their places in a list.
    Order(HashMap<String, usize>, Vec<String>),
    /// As whole numbers.
    Whole,
    /// As numbers.
    Real,
    /// As days.
    Day,
}

impl Scale {
    pub(super) fn of(column: &ColumnEntry) -> Self {
        match column.value_type.as_deref() {
            Some("integer") => Self::Whole,
            Some("number") => Self::Real,
            Some("date") => Self::Day,
            _ if column.order.is_empty() => Self::Text,
            _ => {
                let places = column.order.iter().cloned().zip(0..);
                Self::Order(places.collect(), column.order.clone())
            }
        }
    }

    /// Where a text stands; nothing if it is text, or stands nowhere.
    fn place(&self, text: &str) -> Option<f64> {
        match self {
            Self::Text => None,
            Self::Order(places, _) => places.get(text).map(|&place| place as f64),
            Self::Whole | Self::Real => text.parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Day => {
                let day: Date = text.parse().ok()?;
                Some((day.duration_since(EPOCH).as_hours() / 24) as f64)
            }
        }
    }

    /// The text of a place.
    fn text(&self, place: f64) -> String {
        match self {
            Self::Text => String::new(),
            Self::Order(_, order) => order.get(place as usize).cloned().unwrap_or_default(),
            Self::Whole => format!("{place:.0}"),
            Self::Real => place.to_string(),
            Self::Day => EPOCH
                .checked_add((place as i64).days())
                .map_or(String::new(), |day| day.to_string()),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Order(..) => "one of the values of its order",
            Self::Whole => "a whole number",
            Self::Real => "a number",
            Self::Day => "a date like 2020-03-14",
        }
    }

    fn is_discrete(&self) -> bool {
        !matches!(self, Self::Real)
    }
}

/// All conditions on one column.
#[derive(Debug)]
pub(super) struct Matcher {
    scale: Scale,
    /// Values allowed, as texts and as places; any if there is no list.
    among: Vec<Vec<(String, Option<f64>)>>,
    not: Vec<(String, Option<f64>)>,
    /// Bounds, and whether they are allowed themselves.
    above: Vec<(f64, bool)>,
    below: Vec<(f64, bool)>,
}

impl Matcher {
    /// Conditions on a column.
    ///
    /// # Errors
    /// A value that is none of the column's type; an order where there is none.
    pub(super) fn new(column: &ColumnEntry, conditions: &[&Condition]) -> Result<Self, Error> {
        let scale = Scale::of(column);
        let mut matcher = Self {
            among: Vec::new(),
            not: Vec::new(),
            above: Vec::new(),
            below: Vec::new(),
            scale,
        };
        for condition in conditions {
            matcher.add(condition)?;
        }
        Ok(matcher)
    }

    fn add(&mut self, condition: &Condition) -> Result<(), Error> {
        let Condition {
            column, position, ..
        } = condition;
        let value = |text: &String| match self.scale.place(text) {
            None if !matches!(self.scale, Scale::Text | Scale::Order(..))
                && text != MISSING_LABEL =>
            {
                let what = self.scale.name();
                Err(wrong(
                    *position,
                    format!("`{text}` is not {what}, as `{column}` is"),
                ))
            }
            place => Ok((text.clone(), place)),
        };
        let bound = |text: &String, included: bool| match (&self.scale, self.scale.place(text)) {
            (_, Some(place)) => Ok((place, included)),
            (Scale::Text, None) => {
                let error = wrong(*position, format!("`{column}` is text without an order"));
                Err(error.help(format!("say `{column} = ...` or `{column} in (..., ...)`")))
            }
            (scale, None) => {
                let what = scale.name();
                Err(wrong(
                    *position,
                    format!("`{text}` is not {what}, as `{column}` is"),
                ))
            }
        };
        match &condition.test {
            Test::Among(texts) => {
                let values = texts.iter().map(value).collect::<Result<_, Error>>()?;
                self.among.push(values);
            }
            Test::Not(text) => {
                let value = value(text)?;
                self.not.push(value);
            }
            Test::Above(text, included) => {
                let bound = bound(text, *included)?;
                self.above.push(bound);
            }
            Test::Below(text, included) => {
                let bound = bound(text, *included)?;
                self.below.push(bound);
            }
        }
        Ok(())
    }

    /// Whether a value meets the conditions.
    pub(super) fn matches(&self, text: &str) -> bool {
        let place = self.scale.place(text);
        let is = |(other, at): &(String, Option<f64>)| match (at, place) {
            (Some(at), Some(place)) => *at == place,
            _ => other == text,
        };
        let inside = |place: f64| {
            let above =
                |&(bound, included): &(f64, bool)| place > bound || included && place == bound;
            let below =
                |&(bound, included): &(f64, bool)| place < bound || included && place == bound;
            self.above.iter().all(above) && self.below.iter().all(below)
        };
        // A missing value is neither above nor below anything.
        let bounded = self.above.is_empty() && self.below.is_empty();
        self.among.iter().all(|list| list.iter().any(is))
            && !self.not.iter().any(is)
            && place.map_or(bounded, inside)
    }

    /// The share of an interval that meets the conditions, all of it counting the same.
    fn share(&self, low: f64, high: f64) -> f64 {
        if self.scale.is_discrete() {
            let values = high - low + 1.0;
            let places = |list: &[(String, Option<f64>)], low: f64, high: f64| {
                let mut places: Vec<f64> = list.iter().filter_map(|value| value.1).collect();
                places.retain(|&place| place >= low && place <= high);
                places.sort_by(f64::total_cmp);
                places.dedup();
                places
            };
            if let Some(list) = self.among.first() {
                let inside = places(list, low, high).into_iter();
                let meets = |place: &f64| self.matches(&self.scale.text(*place));
                return inside.filter(meets).count() as f64 / values;
            }
            let (first, last) = self.bounds(low, high);
            let excluded = places(&self.not, first, last).len() as f64;
            return ((last - first + 1.0).max(0.0) - excluded).max(0.0) / values;
        }
        if !self.among.is_empty() {
            // A single number of a continuum; where it is the only one it is a value.
            return 0.0;
        }
        let (first, last) = self.bounds(low, high);
        ((last - first) / (high - low)).max(0.0)
    }

    /// The part of an interval between the bounds.
    fn bounds(&self, low: f64, high: f64) -> (f64, f64) {
        let step = if self.scale.is_discrete() { 1.0 } else { 0.0 };
        let from = |&(bound, included): &(f64, bool)| match (included, step > 0.0) {
            (true, true) => bound.ceil(),
            (false, true) => bound.floor() + step,
            (_, false) => bound,
        };
        let to = |&(bound, included): &(f64, bool)| match (included, step > 0.0) {
            (true, true) => bound.floor(),
            (false, true) => bound.ceil() - step,
            (_, false) => bound,
        };
        let first = self.above.iter().map(from).fold(low, f64::max);
        let last = self.below.iter().map(to).fold(high, f64::min);
        (first, last)
    }

    /// The share of what a published cell covers that meets the conditions.
    pub(super) fn share_of(&self, column: &ColumnEntry, cell: &str) -> f64 {
        match Cell::read(column, &self.scale, cell) {
            Cell::Value => f64::from(u8::from(self.matches(cell))),
            Cell::Interval(low, high) => self.share(low, high),
            Cell::Members(members) => {
                let inside = members.iter().filter(|member| self.matches(member));
                inside.count() as f64 / members.len() as f64
            }
        }
    }
}

/// What a published cell covers.
enum Cell<'a> {
    /// One value: the text itself.
    Value,
    /// All values between two.
    Interval(f64, f64),
    /// Some values.
    Members(Vec<&'a str>),
}

impl<'a> Cell<'a> {
    fn read(column: &'a ColumnEntry, scale: &Scale, text: &'a str) -> Self {
        if let Some(leaves) = column.covers.get(text) {
            return Self::Members(leaves.iter().map(String::as_str).collect());
        }
        let inside = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        if let (Scale::Text, Some(members)) = (scale, inside('{', '}')) {
            return Self::Members(members.split('|').collect());
        }
        let Some(inside) = inside('[', ']').filter(|_| scale.place(text).is_none()) else {
            return Self::Value;
        };
        let ends = |(at, comma): (usize, &str)| {
            let (low, high) = (&inside[..at], &inside[at + comma.len()..]);
            // An interval from a missing value on says nothing about where others start.
            let low = if low == MISSING_LABEL { high } else { low };
            Some(Self::Interval(scale.place(low)?, scale.place(high)?))
        };
        inside
            .match_indices(", ")
            .find_map(ends)
            .unwrap_or(Self::Value)
    }
}

/// A value that a published cell covers, each as likely as the others.
pub(super) fn draw(column: &ColumnEntry, cell: &str, coins: &mut dyn Coins) -> String {
    let scale = Scale::of(column);
    match Cell::read(column, &scale, cell) {
        Cell::Value => cell.to_owned(),
        Cell::Members(members) => members[coins.below(members.len() as u32) as usize].to_owned(),
        Cell::Interval(low, high) if scale.is_discrete() => {
            let values = (high - low + 1.0).clamp(1.0, f64::from(u32::MAX));
            scale.text(low + f64::from(coins.below(values as u32)))
        }
        Cell::Interval(low, high) => {
            let share = f64::from(coins.below(u32::MAX)) / f64::from(u32::MAX);
            scale.text(low + share * (high - low))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn column(value_type: Option<&str>, order: &[&str]) -> ColumnEntry {
        ColumnEntry {
            name: "x".to_owned(),
            value_type: value_type.map(str::to_owned),
            order: order.iter().map(|text| (*text).to_owned()).collect(),
            ..ColumnEntry::default()
        }
    }

    fn share(column: &ColumnEntry, conditions: &str, cell: &str) -> f64 {
        let conditions = parse(conditions).unwrap();
        let conditions: Vec<&Condition> = conditions.iter().collect();
        Matcher::new(column, &conditions)
            .unwrap()
            .share_of(column, cell)
    }

    #[test]
    fn cells_are_spread_evenly() {
        let whole = column(Some("integer"), &[]);
        assert_eq!(share(&whole, "x >= 30", "[21, 30]"), 0.1);
        assert_eq!(share(&whole, "x > 30", "[21, 30]"), 0.0);
        assert_eq!(share(&whole, "x > 20.5 and x < 23", "[21, 30]"), 0.2);
        assert_eq!(share(&whole, "x in (21, 22, 40)", "[21, 30]"), 0.2);
        assert_eq!(share(&whole, "x != 21", "[21, 30]"), 0.9);
        assert_eq!(share(&whole, "x = 30.0", "30"), 1.0);
        assert_eq!(share(&whole, "x < 30", "(missing)"), 0.0);
        assert_eq!(share(&whole, "x = '(missing)'", "(missing)"), 1.0);
        let real = column(Some("number"), &[]);
        assert_eq!(share(&real, "x < 2", "[1, 5]"), 0.25);
        let day = column(Some("date"), &[]);
        assert_eq!(
            share(&day, "x <= 2020-03-01", "[2020-02-29, 2020-03-03]"),
            0.5
        );
        let text = column(None, &[]);
        assert_eq!(share(&text, "x = a", "{a|b}"), 0.5);
        assert_eq!(share(&text, "x in (a, c)", "a"), 1.0);
        let order = column(None, &["low", "middle", "high"]);
        assert_eq!(share(&order, "x >= middle", "[low, middle]"), 0.5);
        let mut tree = column(None, &[]);
        let leaves = vec!["France".to_owned(), "Spain".to_owned()];
        tree.covers.insert("Europe".to_owned(), leaves);
        assert_eq!(share(&tree, "x = Spain", "Europe"), 0.5);
    }

    #[test]
    fn values_have_to_be_of_the_columns_type() {
        let refused = |column: &ColumnEntry, text: &str| {
            let conditions = parse(text).unwrap();
            let conditions: Vec<&Condition> = conditions.iter().collect();
            Matcher::new(column, &conditions).unwrap_err().to_string()
        };
        let message = refused(&column(Some("integer"), &[]), "x = 1 and x = abc");
        assert!(
            message.contains("character 11: `abc` is not a whole number"),
            "{message}"
        );
        let message = refused(&column(None, &[]), "x < b");
        assert!(
            message.contains("`x` is text without an order"),
            "{message}"
        );
        let message = refused(&column(None, &["a"]), "x < b");
        assert!(
            message.contains("not one of the values of its order"),
            "{message}"
        );
    }

    #[test]
    fn draws_stay_inside_of_the_cell() {
        let mut coins = openveil::coins::SecretCoins::from_test_seed(1);
        let whole = column(Some("integer"), &[]);
        for _ in 0..50 {
            let age: i64 = draw(&whole, "[21, 30]", &mut coins).parse().unwrap();
            assert!((21..=30).contains(&age));
        }
        assert_eq!(draw(&whole, "7", &mut coins), "7");
        assert!(["a", "b"].contains(&&*draw(&column(None, &[]), "{a|b}", &mut coins)));
    }
}
