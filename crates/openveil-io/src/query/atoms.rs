//! Cells in parts small enough that something can be learned of each.

use super::matcher::Matcher;
use super::scale::{Cell, Scale};
use crate::load::MISSING_LABEL;
use std::collections::HashMap;

/// Intervals, and values that have a place, are divided at so many borders at most.
const BINS: usize = 64;

/// A part of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// Its atom: what is the same of all cells that have it.
    pub(super) atom: u32,
    /// The share of the cell.
    pub(super) share: f64,
    /// The share of the part that meets the conditions.
    pub(super) met: f64,
}

/// The parts of the cells of a column.
#[derive(Debug)]
pub(super) struct Atoms {
    /// By text of the column, in the order of the texts.
    pub(super) cells: Vec<Vec<Part>>,
    /// Number of atoms.
    pub(super) count: usize,
}

impl Atoms {
    /// Divides the cells of a column. Without conditions all of them are met.
    pub(super) fn of(scale: &Scale, texts: &[&str], matcher: Option<&Matcher<'_>>) -> Self {
        let mut divider = Divider {
            scale,
            matcher,
            borders: borders(scale, texts),
            numbers: HashMap::new(),
        };
        let cells = texts.iter().map(|text| divider.parts(text)).collect();
        Self {
            cells,
            count: divider.borders.len() + 1 + divider.numbers.len(),
        }
    }
}

/// Places between which a column's cells are divided: an even choice of those at which
/// they begin.
fn borders(scale: &Scale, texts: &[&str]) -> Vec<f64> {
    let starts = texts.iter().filter_map(|text| match scale.read(text) {
        Cell::Interval(low, _) | Cell::UpTo(low, _) => Some(low),
        Cell::Value => scale.place(text),
        Cell::Members(_) => None,
    });
    let mut starts: Vec<f64> = starts.collect();
    starts.sort_by(f64::total_cmp);
    starts.dedup();
    let step = starts.len().div_ceil(BINS).max(1);
    // Below the first nothing begins.
    starts.into_iter().step_by(step).skip(1).collect()
}

struct Divider<'a> {
    scale: &'a Scale,
    matcher: Option<&'a Matcher<'a>>,
    borders: Vec<f64>,
    /// Texts without a place, numbered.
    numbers: HashMap<String, u32>,
}

impl Divider<'_> {
    fn parts(&mut self, text: &str) -> Vec<Part> {
        match self.scale.read(text) {
            Cell::Value => vec![self.value(text, 1.0)],
            Cell::Members(members) => {
                let share = 1.0 / members.len() as f64;
                members
                    .iter()
                    .map(|member| self.value(member, share))
                    .collect()
            }
            Cell::Interval(low, high) => self.interval(low, high),
            Cell::UpTo(low, high) => {
                let missing = self.scale.missing_share(low, high);
                let others = self.interval(low, high).into_iter().map(|part| Part {
                    share: (1.0 - missing) * part.share,
                    ..part
                });
                others.chain([self.value(MISSING_LABEL, missing)]).collect()
            }
        }
    }

    fn value(&mut self, text: &str, share: f64) -> Part {
        let bins = self.borders.len() as u32 + 1;
        let next = bins + self.numbers.len() as u32;
        let atom = match self.scale.place(text) {
            Some(place) => self.borders.partition_point(|&border| border <= place) as u32,
            None => *self.numbers.entry(text.to_owned()).or_insert(next),
        };
        let met = self
            .matcher
            .map_or(1.0, |matcher| matcher.share_of_value(text));
        Part { atom, share, met }
    }

    /// What lies between borders, from each up to the next.
    fn interval(&self, low: f64, high: f64) -> Vec<Part> {
        let first = self.borders.partition_point(|&border| border <= low);
        let last = self.borders.partition_point(|&border| border <= high);
        let all = self.scale.extent(low, high);
        if all <= 0.0 {
            // A single point, written as an interval.
            let met = self
                .matcher
                .map_or(1.0, |matcher| matcher.share_between(low, high));
            let atom = first as u32;
            return vec![Part {
                atom,
                share: 1.0,
                met,
            }];
        }
        let part = |bin: usize| {
            let from = if bin == first {
                low
            } else {
                self.borders[bin - 1]
            };
            let to = if bin == last {
                high
            } else {
                self.scale.before(self.borders[bin])
            };
            let met = self
                .matcher
                .map_or(1.0, |matcher| matcher.share_between(from, to));
            Part {
                atom: bin as u32,
                share: self.scale.extent(from, to) / all,
                met,
            }
        };
        let parts = (first..=last).map(part);
        parts.filter(|part| part.share > 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Condition, parse};
    use super::*;
    use crate::release_dir::write::manifest::ColumnEntry;

    /// Whatever a column is, the parts of a cell are all of it, and meet conditions to the
    /// share to which the cell does.
    #[test]
    fn parts_are_what_cells_are() {
        let column = |value_type: Option<&str>, order: &[&str]| ColumnEntry {
            name: "x".to_owned(),
            value_type: value_type.map(str::to_owned),
            order: order.iter().map(|text| (*text).to_owned()).collect(),
            ..ColumnEntry::default()
        };
        let ages: Vec<String> = (0..200)
            .map(|age| format!("[{age}, {}]", age + 13))
            .collect();
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        for (column, cells, conditions) in [
            (
                column(Some("integer"), &[]),
                &ages[..],
                "x >= 30 and x < 77",
            ),
            (
                column(Some("integer"), &[]),
                &["[1, 9]", "[4, 6]", "5", "(missing)"],
                "x > 4",
            ),
            (
                column(Some("integer"), &[]),
                &["[(missing), 9]", "[4, 6]", "(missing)"],
                "x != 5",
            ),
            (
                column(Some("number"), &[]),
                &["[1.5, 5.5]", "[2, 7.5]", "3.5"],
                "x < 4",
            ),
            (
                column(Some("number"), &[]),
                &["[1, 5]", "[1, 9]", "[5, 9]", "1", "9"],
                "x >= 5",
            ),
            (
                column(Some("date"), &[]),
                &["[2020-02-27, 2020-03-03]", "2020-03-01"],
                "x > 2020-02-28",
            ),
            (
                column(None, &["low", "middle", "high"]),
                &["[low, high]", "[low, middle]", "high"],
                "x != low",
            ),
            (column(None, &[]), &["{a|b|c}", "a", "{b|c}"], "x in (a, b)"),
            (
                column(None, &["< 3", "[3, 7)", ">= 7"]),
                &["[< 3, >= 7]", "[3, 7)"],
                "x > 5",
            ),
        ] {
            let texts: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
            let scale = Scale::of(&column, &texts);
            let parsed = parse(conditions).unwrap();
            let matcher =
                Matcher::new(&scale, &parsed.iter().collect::<Vec<&Condition>>()).unwrap();
            let atoms = Atoms::of(&scale, cells, Some(&matcher));
            for (cell, parts) in cells.iter().zip(&atoms.cells) {
                let all: f64 = parts.iter().map(|part| part.share).sum();
                let met: f64 = parts.iter().map(|part| part.share * part.met).sum();
                assert!((all - 1.0).abs() < 1e-9, "{cell}: {parts:?}");
                assert!(
                    (met - matcher.share_of(cell)).abs() < 1e-9,
                    "{cell}: {parts:?}"
                );
                assert!(parts.iter().all(|part| (part.atom as usize) < atoms.count));
            }
            // What cells have in common is the same atom of each.
            assert!(
                atoms.cells[0]
                    .iter()
                    .any(|part| atoms.cells[1].iter().any(|other| other.atom == part.atom))
            );
        }
    }
}
