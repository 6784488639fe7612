//! Conditions on one column, and the share of a cell that meets them.

use super::bins::Bin;
use super::parse::{Condition, Test, wrong};
use super::scale::{Cell, Kind, Scale, Spread, between};
use crate::Error;
use crate::load::MISSING_LABEL;

/// All conditions on one column.
#[derive(Debug)]
pub(super) struct Matcher<'a> {
    scale: &'a Scale,
    /// Values allowed, as texts and as places; any if there is no list.
    among: Vec<Vec<Named>>,
    not: Vec<Named>,
    /// Bounds, and whether they are allowed themselves.
    above: Vec<(f64, bool)>,
    below: Vec<(f64, bool)>,
    /// Of the first points of a column whose values are known, how many meet the
    /// conditions.
    met: Vec<u32>,
}

/// A value that a condition names: its text, and its place if it has one.
type Named = (String, Option<f64>);

impl<'a> Matcher<'a> {
    /// Conditions on a column.
    ///
    /// # Errors
    /// A value that is none of the column's type; an order where there is none.
    pub(super) fn new(scale: &'a Scale, conditions: &[&Condition]) -> Result<Self, Error> {
        let mut matcher = Self {
            scale,
            among: Vec::new(),
            not: Vec::new(),
            above: Vec::new(),
            below: Vec::new(),
            met: Vec::new(),
        };
        for condition in conditions {
            matcher.add(condition)?;
        }
        if let Kind::Real(Spread::Known(points)) = &scale.kind {
            let mut met = 0;
            matcher.met = vec![0];
            for &point in points {
                met += u32::from(matcher.matches(&scale.text(point)));
                matcher.met.push(met);
            }
        }
        Ok(matcher)
    }

    fn add(&mut self, condition: &Condition) -> Result<(), Error> {
        let scale = self.scale;
        let misfit = |text: &str| {
            let problem = format!(
                "`{text}` is not {}, as `{}` is",
                scale.name(),
                condition.column
            );
            wrong(condition.position, problem)
        };
        let value = |text: &String| match scale.place(text) {
            None if !scale.takes_any_text() && text != MISSING_LABEL => Err(misfit(text)),
            place => Ok((text.clone(), place)),
        };
        let bin = |text: &str| match scale.kind {
            Kind::Bins(_) => Bin::read(text),
            _ => None,
        };
        let bound = |text: &String, included: bool| match scale.place(text) {
            Some(place) => Ok((place, included)),
            None if matches!(scale.kind, Kind::Sets(true)) => {
                let place = number(text).ok_or_else(|| misfit(text))?;
                Ok((place, included))
            }
            None if matches!(scale.kind, Kind::Text | Kind::Sets(_)) => {
                let column = &condition.column;
                let problem = format!("`{column}` is text without an order");
                let help = format!("say `{column} = ...` or `{column} in (..., ...)`");
                Err(wrong(condition.position, problem).help(help))
            }
            None => Err(misfit(text)),
        };
        match &condition.test {
            Test::Among(texts) => {
                let values = texts.iter().map(value).collect::<Result<_, Error>>()?;
                self.among.push(values);
            }
            Test::Not(text) => self.not.push(value(text)?),
            Test::Above(text, included) => self.above.push(match bin(text) {
                Some(bin) if *included => (bin.low, true),
                Some(bin) => (bin.high, bin.is_open),
                None => bound(text, *included)?,
            }),
            Test::Below(text, included) => self.below.push(match bin(text) {
                Some(bin) if *included => (bin.high, !bin.is_open),
                Some(bin) => (bin.low, false),
                None => bound(text, *included)?,
            }),
        }
        Ok(())
    }

    /// The share of a value that meets the conditions: all or nothing, but for a bin
    /// that a bound cuts.
    pub(super) fn share_of_value(&self, text: &str) -> f64 {
        let bin = match self.scale.kind {
            Kind::Bins(_) => Bin::read(text),
            _ => None,
        };
        match bin {
            Some(bin) if self.names_allow(text) => bin.share(&self.above, &self.below),
            Some(_) => 0.0,
            None => f64::from(u8::from(self.matches(text))),
        }
    }

    /// Whether a value is one of those allowed by name.
    fn names_allow(&self, text: &str) -> bool {
        let place = self.scale.place(text);
        let is = |(other, at): &Named| match (at, place) {
            (Some(at), Some(place)) => *at == place,
            _ => {
                other == text
                    || self
                        .members(text)
                        .iter()
                        .any(|own| self.is_same(own, other))
            }
        };
        self.among.iter().all(|list| list.iter().any(is)) && !self.not.iter().any(is)
    }

    /// The values of a person, all of which a set shows; of what is no set, none.
    fn members<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let inside = || text.strip_prefix('{')?.strip_suffix('}');
        match (&self.scale.kind, inside()) {
            (Kind::Sets(_), Some(members)) => members.split('|').collect(),
            (Kind::Sets(_), None) => vec![text],
            _ => Vec::new(),
        }
    }

    /// Whether two values of people are the same.
    fn is_same(&self, one: &str, other: &str) -> bool {
        let are_numbers = matches!(self.scale.kind, Kind::Sets(true));
        one == other || are_numbers && number(one).is_some_and(|own| number(other) == Some(own))
    }

    /// Whether a condition names a number inside of a bin: the bin does not tell how many of its
    /// rows have it.
    pub(super) fn names_inside(&self, text: &str) -> bool {
        let bin = match self.scale.kind {
            Kind::Bins(_) => Bin::read(text).filter(|bin| bin.low < bin.high),
            _ => None,
        };
        let mut named = self.among.iter().flatten().chain(&self.not);
        bin.is_some_and(|bin| {
            // A bin that is named has no place.
            named.any(|(_, place)| place.is_some_and(|own| bin.low <= own && own <= bin.high))
        })
    }

    /// Whether a value meets the conditions.
    fn matches(&self, text: &str) -> bool {
        let above = |place: f64, &(bound, included): &(f64, bool)| {
            place > bound || included && place == bound
        };
        let below = |place: f64, &(bound, included): &(f64, bool)| {
            place < bound || included && place == bound
        };
        let inside = |place: f64| {
            self.above.iter().all(|bound| above(place, bound))
                && self.below.iter().all(|bound| below(place, bound))
        };
        // A missing value is neither above nor below anything.
        let is_free = self.above.is_empty() && self.below.is_empty();
        let place = self.scale.place(text).filter(|_| text != MISSING_LABEL);
        let is_inside = match self.scale.kind {
            // One of a person's values is enough.
            Kind::Sets(true) => {
                is_free
                    || self
                        .members(text)
                        .into_iter()
                        .filter_map(number)
                        .any(inside)
            }
            _ => place.map_or(is_free, inside),
        };
        self.names_allow(text) && is_inside
    }

    /// The share of an interval that meets the conditions, its values spread as the
    /// column's are.
    pub(super) fn share_between(&self, low: f64, high: f64) -> f64 {
        match &self.scale.kind {
            Kind::Real(Spread::Known(points)) => {
                let (from, to) = between(points, low, high);
                f64::from(self.met[to] - self.met[from]) / (to - from).max(1) as f64
            }
            // A single number of a continuum; where it is the only one it is a value.
            Kind::Real(Spread::Even) if !self.among.is_empty() => 0.0,
            Kind::Real(Spread::Even) => {
                let all = Bin {
                    low,
                    high,
                    is_open: false,
                };
                all.share(&self.above, &self.below)
            }
            _ => self.share_of_steps(low, high),
        }
    }

    /// The share of whole steps from one place to another.
    fn share_of_steps(&self, low: f64, high: f64) -> f64 {
        let steps = high - low + 1.0;
        let places = |list: &[Named], low: f64, high: f64| {
            let mut places: Vec<f64> = list.iter().filter_map(|value| value.1).collect();
            places.retain(|&place| place >= low && place <= high && place.fract() == 0.0);
            places.sort_by(f64::total_cmp);
            places.dedup();
            places
        };
        if let Some(list) = self.among.first() {
            let inside = places(list, low, high).into_iter();
            let meets = |place: &f64| self.matches(&self.scale.text(*place));
            return inside.filter(meets).count() as f64 / steps;
        }
        let from = |&(bound, included): &(f64, bool)| {
            if included {
                bound.ceil()
            } else {
                bound.floor() + 1.0
            }
        };
        let to = |&(bound, included): &(f64, bool)| {
            if included {
                bound.floor()
            } else {
                bound.ceil() - 1.0
            }
        };
        let first = self.above.iter().map(from).fold(low, f64::max);
        let last = self.below.iter().map(to).fold(high, f64::min);
        let mut excluded = places(&self.not, first, last);
        // A missing value is neither above nor below anything.
        let is_free = self.above.is_empty() && self.below.is_empty();
        let missing = self.scale.place(MISSING_LABEL).filter(|_| !is_free);
        let is_inside =
            |place: &f64| first <= *place && *place <= last && !excluded.contains(place);
        excluded.extend(missing.filter(is_inside));
        let excluded = excluded.len() as f64;
        ((last - first + 1.0).max(0.0) - excluded).max(0.0) / steps
    }

    /// The share of what a published cell covers that meets the conditions.
    pub(super) fn share_of(&self, cell: &str) -> f64 {
        match self.scale.read(cell) {
            Cell::Value => self.share_of_value(cell),
            Cell::Interval(low, high) => self.share_between(low, high),
            Cell::UpTo(low, high) => {
                let missing = self.scale.missing_share(low, high);
                missing * self.share_of_value(MISSING_LABEL)
                    + (1.0 - missing) * self.share_between(low, high)
            }
            Cell::Members(members) => {
                let shares = members.iter().map(|member| self.share_of_value(member));
                shares.sum::<f64>() / members.len() as f64
            }
        }
    }

    /// Whether a cell is a bin without an end that a bound cuts.
    pub(super) fn halves(&self, cell: &str) -> bool {
        let cuts = |text: &str| {
            let is_endless = Bin::read(text).is_some_and(|bin| !(bin.high - bin.low).is_finite());
            is_endless && self.share_of_value(text) == 0.5
        };
        let Kind::Bins(_) = self.scale.kind else {
            return false;
        };
        match self.scale.read(cell) {
            Cell::Members(members) => members.into_iter().any(cuts),
            _ => cuts(cell),
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;
    use crate::release_dir::write::manifest::ColumnEntry;

    fn column(value_type: Option<&str>, order: &[&str]) -> ColumnEntry {
        ColumnEntry {
            name: "x".to_owned(),
            value_type: value_type.map(str::to_owned),
            order: order.iter().map(|text| (*text).to_owned()).collect(),
            ..ColumnEntry::default()
        }
    }

    fn share(column: &ColumnEntry, conditions: &str, cell: &str) -> f64 {
        share_among(column, &[cell], conditions, cell)
    }

    /// The share of a cell of a column that shows some cells.
    fn share_among(column: &ColumnEntry, cells: &[&str], conditions: &str, cell: &str) -> f64 {
        let conditions = parse(conditions).unwrap();
        let conditions: Vec<&Condition> = conditions.iter().collect();
        let cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
        let scale = Scale::of(column, &cells);
        Matcher::new(&scale, &conditions).unwrap().share_of(cell)
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
        assert_eq!(share(&real, "x < 2.5", "[1.5, 5.5]"), 0.25);
        assert_eq!(share(&real, "x = 2", "[1.5, 5.5]"), 0.0);
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
    fn all_of_a_set_of_a_person_are_that_persons() {
        let sets = ColumnEntry {
            sets: true,
            ..column(None, &[])
        };
        for (conditions, shares) in [
            ("x = a", [1.0, 1.0, 0.0]),
            ("x != a", [0.0, 0.0, 1.0]),
            ("x in (b, c)", [0.0, 1.0, 1.0]),
            ("x = a and x = b", [0.0, 1.0, 0.0]),
            ("x = '{a|b}'", [0.0, 1.0, 0.0]),
            ("x != '{a|b}'", [1.0, 0.0, 1.0]),
        ] {
            let found = ["a", "{a|b}", "c"].map(|cell| share(&sets, conditions, cell));
            assert_eq!(found, shares, "{conditions}");
        }
        let numbers = ColumnEntry {
            sets: true,
            ..column(Some("integer"), &[])
        };
        for (conditions, shares) in [
            ("x = 3.0", [1.0, 1.0, 0.0]),
            ("x > 5", [0.0, 1.0, 0.0]),
            ("x >= 3 and x < 5", [1.0, 1.0, 1.0]),
            ("x > 4 and x < 6", [0.0, 0.0, 0.0]),
            ("x != 4", [1.0, 1.0, 0.0]),
        ] {
            let found = ["3", "{3|7}", "4"].map(|cell| share(&numbers, conditions, cell));
            assert_eq!(found, shares, "{conditions}");
        }
    }

    #[test]
    fn intervals_from_a_missing_value_on_cover_it() {
        let cells = ["[(missing), 3]", "[1, 4]", "7"];
        let whole = column(Some("integer"), &[]);
        let among = |conditions| share_among(&whole, &cells, conditions, cells[0]);
        // What is not missing begins at the least number that is shown.
        assert_eq!(among("x = '(missing)'"), 0.25);
        assert_eq!(among("x = 1"), 0.25);
        assert_eq!(among("x != 1"), 0.75);
        assert_eq!(among("x >= 2"), 0.5);
        assert_eq!(among("x < 9"), 0.75, "a missing value is below nothing");
        let real = column(Some("number"), &[]);
        let cells = ["[(missing), 2.5]", "[0.5, 4]", "7"];
        let among = |conditions| share_among(&real, &cells, conditions, cells[0]);
        assert_eq!((among("x = '(missing)'"), among("x < 1.5")), (0.5, 0.25));
        let order = column(None, &["(missing)", "low", "high"]);
        assert_eq!(
            share(&order, "x = '(missing)'", "[(missing), high]"),
            1.0 / 3.0
        );
        assert_eq!(share(&order, "x < high", "[(missing), high]"), 1.0 / 3.0);
        assert_eq!(share(&order, "x < low", "(missing)"), 0.0);
    }

    #[test]
    fn values_have_to_be_of_the_columns_type() {
        let refused = |column: &ColumnEntry, text: &str| {
            let conditions = parse(text).unwrap();
            let conditions: Vec<&Condition> = conditions.iter().collect();
            let scale = Scale::of(column, &[]);
            Matcher::new(&scale, &conditions).unwrap_err().to_string()
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
    fn numbers_lie_where_the_cells_say() {
        let real = column(Some("number"), &[]);
        // Whole numbers, as ages often are.
        assert_eq!(share(&real, "x = 30", "[21, 30]"), 0.1);
        assert_eq!(share(&real, "x <= 21", "[21, 30]"), 0.1);
        // Four numbers, each an end of several cells: they are all there are.
        let cells = ["[0.5, 1]", "[0.5, 2]", "[1, 8]", "[0.5, 8]", "[2, 8]"];
        let among = |conditions, cell| share_among(&real, &cells, conditions, cell);
        assert_eq!(among("x = 1", "[0.5, 8]"), 0.25);
        assert_eq!(among("x <= 2", "[0.5, 8]"), 0.75);
        assert_eq!(among("x = 3", "[0.5, 8]"), 0.0);
        assert_eq!(among("x != 1 and x < 8", "[1, 8]"), 1.0 / 3.0);
        assert_eq!(among("x <= 0.5", "[0.5, 1]"), 0.5);
    }

    #[test]
    fn bins_answer_ranges() {
        let cells = ["< 300", "[300, 410)", ">= 410", "(missing)"];
        let secret = column(None, &[]);
        let known = column(None, &cells);
        for (conditions, shares) in [
            ("x < 300", [1.0, 0.0, 0.0, 0.0]),
            ("x >= 300", [0.0, 1.0, 1.0, 0.0]),
            ("x < 410", [1.0, 1.0, 0.0, 0.0]),
            ("x >= 355", [0.0, 0.5, 1.0, 0.0]),
            ("x > 500", [0.0, 0.0, 0.5, 0.0]),
            ("x = '[300, 410)'", [0.0, 1.0, 0.0, 0.0]),
            ("x != '< 300'", [0.0, 1.0, 1.0, 1.0]),
            ("x <= '[300, 410)'", [1.0, 1.0, 0.0, 0.0]),
            ("x > '< 300'", [0.0, 1.0, 1.0, 0.0]),
        ] {
            for (cell, expected) in cells.into_iter().zip(shares) {
                let found = share_among(&secret, &cells, conditions, cell);
                assert_eq!(found, expected, "{conditions} in {cell}");
                assert_eq!(
                    share(&known, conditions, cell),
                    expected,
                    "{conditions} in {cell}"
                );
            }
        }
        let named = |conditions, cell: &str| {
            let conditions = parse(conditions).unwrap();
            let conditions: Vec<&Condition> = conditions.iter().collect();
            let cells = cells.map(str::to_owned);
            let scale = Scale::of(&secret, &cells);
            Matcher::new(&scale, &conditions)
                .unwrap()
                .names_inside(cell)
        };
        assert!(named("x = 350", "[300, 410)") && named("x != 350", "[300, 410)"));
        assert!(!named("x = 350", ">= 410") && !named("x = '[300, 410)'", "[300, 410)"));
        assert!(!named("x >= 350", "[300, 410)") && !named("x = '(missing)'", "(missing)"));
        assert_eq!(share(&known, "x < 355", "[< 300, [300, 410)]"), 0.75);
        let quantiles = ["7", "[1, 5]", "[8, 18]"];
        let among = |conditions, cell| share_among(&secret, &quantiles, conditions, cell);
        assert_eq!(among("x <= 5", "[1, 5]"), 1.0);
        assert_eq!(among("x < 8", "7"), 1.0);
        assert_eq!(among("x >= 13", "[8, 18]"), 0.5);
    }

    #[test]
    fn draws_stay_inside_of_the_cell() {
        let mut coins = openveil::coins::SecretCoins::from_test_seed(1);
        let mut draw = |column: &ColumnEntry, cell: &str| {
            Scale::of(column, &[cell.to_owned()]).draw(cell, &mut coins)
        };
        let whole = column(Some("integer"), &[]);
        for _ in 0..50 {
            let age: i64 = draw(&whole, "[21, 30]").parse().unwrap();
            assert!((21..=30).contains(&age));
        }
        assert_eq!(draw(&whole, "7"), "7");
        let maybe: Vec<String> = (0..50).map(|_| draw(&whole, "[(missing), 3]")).collect();
        assert!(maybe.iter().all(|age| ["(missing)", "3"].contains(&&**age)));
        assert!(
            ["(missing)", "3"]
                .iter()
                .all(|age| maybe.contains(&(*age).to_owned()))
        );
        let sets = ColumnEntry {
            sets: true,
            ..column(None, &[])
        };
        assert_eq!(draw(&sets, "{a|b}"), "{a|b}");
        let real = column(Some("number"), &[]);
        let weight: f64 = draw(&real, "[0.5, 0.75]").parse().unwrap();
        assert!((0.5..=0.75).contains(&weight));
        assert!(["a", "b"].contains(&&*draw(&column(None, &[]), "{a|b}")));
    }
}
