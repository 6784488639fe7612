//! Conditions on one column, and the share of a cell that meets them.

use super::bins::Bin;
use super::parse::{Condition, Test, wrong};
use super::scale::{CoveredValues, NumberSpread, Scale, TextComparison, number};
use super::shares::between;
use openveil_core::hierarchy::ROOT;
use openveil_io::Error;
use openveil_io::load::MISSING_LABEL;
use openveil_io::release_dir::read::members;
use openveil_text::text;
use std::collections::BTreeSet;

/// All conditions on one column.
#[derive(Debug)]
pub(super) struct Matcher<'a> {
    scale: &'a Scale,
    /// Allowed values, as texts and positions; any value if there is no list.
    among: Vec<Vec<Named>>,
    not: Vec<Named>,
    /// Bounds, and whether they are included.
    above: Vec<(f64, bool)>,
    below: Vec<(f64, bool)>,
    /// For a column with known values: how many of its first n points meet the conditions, by n.
    met: Vec<u32>,
}

/// Used instead of 1 if one value of a cell, which perhaps no row has, does not meet the
/// conditions.
const NEARLY_ALL: f64 = 1.0 - 1e-9;

/// The most multiples of a floor that are examined in a cell.
const MOST_MULTIPLES: u64 = 10_000;

/// A value that a condition names: its text, and its position if it has one.
type Named = (String, Option<f64>);

impl<'a> Matcher<'a> {
    /// Conditions on a column.
    ///
    /// # Errors
    /// A value that is not of the column's type; a comparison in a column without an order.
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
            // The label of a code means the code.
            let test = condition.test.with_texts(|text| scale.coded(text));
            matcher.add(condition, &test)?;
        }
        if let TextComparison::Real(NumberSpread::Known(points)) = &scale.kind {
            let mut met = 0;
            matcher.met = vec![0];
            for &point in points {
                met += u32::from(matcher.matches(&scale.text(point)));
                matcher.met.push(met);
            }
        }
        Ok(matcher)
    }

    fn add(&mut self, condition: &Condition, test: &Test) -> Result<(), Error> {
        let scale = self.scale;
        let misfit = |text: &str| {
            let problem = text!("`{text}` is not {}, as `{}` is", scale.name(), condition.column);
            wrong(condition.position, problem)
        };
        let value = |text: &String| match scale.place(text) {
            _ if scale.is_finer(text) => Err(misfit(text)),
            None if !scale.takes_any_text() && text != MISSING_LABEL => Err(misfit(text)),
            place => Ok((text.clone(), place)),
        };
        // The label of a tree means all values below it.
        let values = |text: &String| -> Result<Vec<Named>, Error> {
            match &*scale.covered(text) {
                [] => Ok(vec![value(text)?]),
                covered => covered.iter().map(value).collect(),
            }
        };
        let bin = |text: &str| match scale.kind {
            TextComparison::Bins(_) => Bin::read(text),
            _ => None,
        };
        let bound = |text: &String, included: bool| match scale.place(text) {
            Some(place) => Ok((place, included)),
            None if matches!(scale.kind, TextComparison::Sets(true)) => {
                let place = number(text).ok_or_else(|| misfit(text))?;
                Ok((place, included))
            }
            None if matches!(scale.kind, TextComparison::Text | TextComparison::Sets(_)) => {
                let column = &condition.column;
                let problem = text!("`{column}` is text without an order");
                let help = text!("write `{column} = ...` or `{column} in (..., ...)`");
                Err(wrong(condition.position, problem).help(help))
            }
            None => Err(misfit(text)),
        };
        match test {
            Test::Among(texts) => {
                let lists = texts.iter().map(values).collect::<Result<Vec<_>, Error>>()?;
                self.among.push(lists.concat());
            }
            Test::Not(text) => self.not.extend(values(text)?),
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

    /// Returns the share of a value that meets the conditions. It is 1 or 0, except for a bin that
    /// a bound cuts and for a prefix that stands for several values.
    pub(super) fn share_of_value(&self, text: &str) -> f64 {
        if let Some((low, high)) = self.scale.open_interval(text) {
            return self.share_inside(low, high);
        }
        if let CoveredValues::Begins(start) = self.scale.read(text) {
            return match self.scale.span().filter(|_| self.scale.has_places()) {
                // The cell may stand for any value, so the share is never certain.
                Some((low, high)) if !self.is_free() => {
                    self.share_between(low, high).clamp(0.01, 0.99)
                }
                _ => self.share_beginning(start),
            };
        }
        let bin = match self.scale.kind {
            TextComparison::Bins(_) => Bin::read(text),
            _ => None,
        };
        match bin {
            Some(bin) if self.names_allow(text) => bin.share(&self.above, &self.below),
            Some(_) => 0.0,
            None => match self.scale.place(text) {
                Some(place) if self.names_beyond(place) => 0.5,
                Some(place) if self.stands_for_more() && self.names_allow(text) => {
                    self.share_standing(place, place)
                }
                _ => f64::from(u8::from(self.matches(text))),
            },
        }
    }

    /// Whether a condition names numbers that a limit stands for: the release does not show how
    /// many rows have them.
    fn names_beyond(&self, place: f64) -> bool {
        let bin = self.scale.standing.stands_for(place, place);
        let is_limited = !(bin.high - bin.low).is_finite();
        let mut named = self.among.iter().flatten().chain(&self.not).filter_map(|own| own.1);
        is_limited && named.any(|own| bin.low <= own && own <= bin.high)
    }

    /// Whether bounds may cut the numbers that a published number stands for.
    fn stands_for_more(&self) -> bool {
        let are_numbers =
            matches!(self.scale.kind, TextComparison::Whole | TextComparison::Real(_));
        are_numbers && self.is_bounded()
    }

    /// Returns the share within the bounds of the numbers that published numbers from `low` to
    /// `high` stand for. It is 1 only if all of them are inside, and 0 only if none is. The numbers
    /// beyond a limit have no known end.
    fn share_standing(&self, low: f64, high: f64) -> f64 {
        let bin = self.scale.standing.stands_for(low, high);
        let is_finite = (bin.high - bin.low).is_finite();
        if matches!(self.scale.kind, TextComparison::Whole) && is_finite {
            return self.share_of_steps(bin.low, bin.high);
        }
        if bin.low == bin.high {
            return f64::from(u8::from(self.is_inside(bin.low)));
        }
        let first = self.above.iter().map(|bound| bound.0).fold(bin.low, f64::max);
        let last = self.below.iter().map(|bound| bound.0).fold(bin.high, f64::min);
        let are_all =
            self.above.iter().all(|&(bound, is_in)| bound < bin.low || is_in && bound == bin.low)
                && self.below.iter().all(|&(bound, is_in)| {
                    bound > bin.high || (is_in || bin.is_open) && bound == bin.high
                });
        let is_last = first == last && self.is_inside(first) && (first < bin.high || !bin.is_open);
        match (are_all, first < last || is_last) {
            (true, _) => 1.0,
            (_, false) => 0.0,
            _ => bin.share(&self.above, &self.below).clamp(0.01, 0.99),
        }
    }

    /// Whether a position is inside the bounds.
    fn is_inside(&self, place: f64) -> bool {
        self.above.iter().all(|&(bound, included)| place > bound || included && place == bound)
            && self
                .below
                .iter()
                .all(|&(bound, included)| place < bound || included && place == bound)
    }

    /// Whether a value is allowed by name.
    fn names_allow(&self, text: &str) -> bool {
        let place = self.scale.place(text);
        let is = |(other, at): &Named| match (at, place) {
            (Some(at), Some(place)) => *at == place,
            _ => other == text || self.members(text).iter().any(|own| self.is_same(own, other)),
        };
        self.among.iter().all(|list| list.iter().any(is)) && !self.not.iter().any(is)
    }

    /// Returns the values of a person from a set; none for other texts.
    fn members<'t>(&self, text: &'t str) -> Vec<&'t str> {
        match (&self.scale.kind, members(text)) {
            (TextComparison::Sets(_), Some(members)) => members.collect(),
            (TextComparison::Sets(_), None) => vec![text],
            _ => Vec::new(),
        }
    }

    /// Whether two values are equal.
    fn is_same(&self, one: &str, other: &str) -> bool {
        let are_numbers = matches!(self.scale.kind, TextComparison::Sets(true));
        one == other || are_numbers && number(one).is_some_and(|own| number(other) == Some(own))
    }

    /// Whether a condition names a number inside a bin: the bin does not show how many of its rows
    /// have it.
    pub(super) fn names_inside(&self, text: &str) -> bool {
        let bin = match self.scale.kind {
            TextComparison::Bins(_) => Bin::read(text).filter(|bin| bin.low < bin.high),
            _ => None,
        };
        let mut named = self.among.iter().flatten().chain(&self.not);
        bin.is_some_and(|bin| {
            // A named bin has no position.
            named.any(|(_, place)| place.is_some_and(|own| bin.low <= own && own <= bin.high))
        })
    }

    /// Whether a condition names values.
    pub(super) fn names_some(&self) -> bool {
        !self.among.is_empty() || !self.not.is_empty()
    }

    /// Whether there is no condition on the column.
    fn is_free(&self) -> bool {
        self.among.is_empty() && self.not.is_empty() && !self.is_bounded()
    }

    /// Returns whether conditions hold between two positions, both excluded: everywhere (1),
    /// nowhere (0), or in part (one half).
    fn share_inside(&self, low: f64, high: f64) -> f64 {
        let is_inside = |named: &Named| named.1.is_some_and(|place| low < place && place < high);
        let above = self.above.iter().map(|bound| bound.0);
        let below = self.below.iter().map(|bound| bound.0);
        let is_out = self.among.iter().any(|list| !list.iter().any(is_inside))
            || above.clone().any(|bound| bound >= high)
            || below.clone().any(|bound| bound <= low);
        let is_in = self.among.is_empty()
            && above.clone().all(|bound| bound <= low)
            && below.clone().all(|bound| bound >= high)
            && !self.not.iter().any(is_inside);
        match (is_out, is_in) {
            (true, _) => 0.0,
            (false, true) => 1.0,
            (false, false) => 0.5,
        }
    }

    /// Whether there is a bound; a missing value never meets one.
    fn is_bounded(&self) -> bool {
        !self.above.is_empty() || !self.below.is_empty()
    }

    /// Whether a value meets the conditions.
    fn matches(&self, text: &str) -> bool {
        let inside = |place: f64| self.is_inside(place);
        let is_free = !self.is_bounded();
        let place = self.scale.place(text).filter(|_| text != MISSING_LABEL);
        let is_inside = match self.scale.kind {
            // One of a person's values is enough.
            TextComparison::Sets(true) => {
                is_free || self.members(text).into_iter().filter_map(number).any(inside)
            }
            _ => place.map_or(is_free, inside),
        };
        self.names_allow(text) && is_inside
    }

    /// Returns the share of an interval that meets the conditions, with values distributed as in
    /// the column.
    pub(super) fn share_between(&self, low: f64, high: f64) -> f64 {
        let width = self.scale.standing.width;
        let bin = self.scale.standing.stands_for(low, high);
        let is_limited = !(bin.high - bin.low).is_finite();
        if self.stands_for_more() && !self.names_some() && (width > 0.0 || is_limited) {
            return self.share_standing(low, high);
        }
        if width > 0.0 {
            return self.share_of_multiples(low, high, width);
        }
        match &self.scale.kind {
            TextComparison::Real(NumberSpread::Known(points)) => {
                let (from, to) = between(points, low, high);
                f64::from(self.met[to] - self.met[from]) / (to - from).max(1) as f64
            }
            // A single number of a continuum has no share, unless the interval is that number.
            TextComparison::Real(NumberSpread::Even) if !self.among.is_empty() => 0.0,
            TextComparison::Real(NumberSpread::Even) => {
                let all = Bin { low, high, is_open: false };
                let share = all.share(&self.above, &self.below);
                // An excluded end has no extent, but may be a person's value.
                let leaves_out =
                    |end: f64| move |&(bound, included): &(f64, bool)| bound == end && !included;
                let is_excluded =
                    |(_, place): &Named| place.is_some_and(|own| low <= own && own <= high);
                let is_cut = self.above.iter().any(leaves_out(low))
                    || self.below.iter().any(leaves_out(high))
                    || self.not.iter().any(is_excluded);
                if is_cut { share.min(NEARLY_ALL) } else { share }
            }
            _ => self.share_of_steps(low, high),
        }
    }

    /// The share of the multiples of a width that meet the conditions, from one to another.
    fn share_of_multiples(&self, low: f64, high: f64, width: f64) -> f64 {
        let steps = ((high - low) / width).round() as u64;
        (0..=steps.min(MOST_MULTIPLES))
            .map(|step| {
                // Sums of decimals are not exact, but named values are.
                let place = low + step as f64 * width;
                (place * 1e9).round() / 1e9
            })
            .map(|place| self.share_of_value(&self.scale.text(place)))
            .sum::<f64>()
            / (steps.min(MOST_MULTIPLES) + 1) as f64
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
            return places(list, low, high)
                .into_iter()
                .filter(|place| self.matches(&self.scale.text(*place)))
                .count() as f64
                / steps;
        }
        let first = self
            .above
            .iter()
            .map(|&(bound, included)| if included { bound.ceil() } else { bound.floor() + 1.0 })
            .fold(low, f64::max);
        let last = self
            .below
            .iter()
            .map(|&(bound, included)| if included { bound.floor() } else { bound.ceil() - 1.0 })
            .fold(high, f64::min);
        let mut excluded = places(&self.not, first, last);
        // A missing value is neither above nor below anything.
        let missing = self.scale.place(MISSING_LABEL).filter(|_| self.is_bounded());
        let is_inside =
            |place: &f64| first <= *place && *place <= last && !excluded.contains(place);
        excluded.extend(missing.filter(is_inside));
        let excluded = excluded.len() as f64;
        ((last - first + 1.0).max(0.0) - excluded).max(0.0) / steps
    }

    /// Returns the share of a published cell's values that meet the conditions.
    pub(super) fn share_of(&self, cell: &str) -> f64 {
        match self.scale.read(cell) {
            CoveredValues::Value | CoveredValues::Begins(_) => self.share_of_value(cell),
            CoveredValues::Interval(low, high) => self.share_between(low, high),
            CoveredValues::UpTo(low, high) => {
                let missing = self.scale.missing_share(low, high);
                let share = missing * self.share_of_value(MISSING_LABEL)
                    + (1.0 - missing) * self.share_between(low, high);
                // The cell may hide values below all shown ones; an order lists all values.
                let hidden = self.share_inside(f64::NEG_INFINITY, low);
                if hidden == share || matches!(self.scale.kind, TextComparison::Order(_)) {
                    share
                } else {
                    share.clamp(1.0 - NEARLY_ALL, NEARLY_ALL)
                }
            }
            CoveredValues::Members(members) => {
                members
                    .iter()
                    .map(|member| match self.scale.read(member) {
                        CoveredValues::Interval(low, high) => self.share_between(low, high),
                        _ => self.share_of_value(member),
                    })
                    .sum::<f64>()
                    / members.len() as f64
            }
        }
    }

    /// Returns the share of values with a prefix that meets the conditions. The cell does not show
    /// how many values there are. Counted are the ones that conditions name or other cells show,
    /// and one more.
    fn share_beginning(&self, start: &str) -> f64 {
        if self.is_free() {
            return 1.0;
        }
        if self.is_bounded() {
            return 0.5;
        }
        let values: BTreeSet<&String> = self
            .among
            .iter()
            .flatten()
            .chain(&self.not)
            .map(|(text, _)| text)
            .filter(|text| text.starts_with(start))
            .chain(self.scale.beginning_with(start))
            .collect();
        let label = format!("{start}{ROOT}");
        if self.among.iter().flatten().any(|(text, _)| *text == label) {
            return 1.0;
        }
        let met = values.iter().filter(|text| self.names_allow(text)).count();
        let another = usize::from(self.among.is_empty());
        (met + another) as f64 / (values.len() + 1) as f64
    }

    /// Whether a cell is an open-ended bin that a bound cuts.
    pub(super) fn halves(&self, cell: &str) -> bool {
        let cuts = |text: &str| {
            let is_endless = Bin::read(text).is_some_and(|bin| !(bin.high - bin.low).is_finite());
            is_endless && self.share_of_value(text) == 0.5
        };
        let TextComparison::Bins(_) = self.scale.kind else {
            return false;
        };
        match self.scale.read(cell) {
            CoveredValues::Members(members) => members.into_iter().any(cuts),
            _ => cuts(cell),
        }
    }
}

#[cfg(test)]
mod tests;
