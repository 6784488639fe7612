//! Other releases of the same people: typed groups, or a table in a file.

use super::scene::{GroupWithValues, Scene, problem};
use openveil_core::hierarchy::ROOT;
use openveil_io::release_dir::read::{Interval, members};
use openveil_io::source::{RawColumn, RawTable, Source};
use openveil_io::{Error, Location};
use openveil_text::text;
use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The column that numbers the groups, if it is not a column of the people.
const GROUP: &str = "group";

/// The most placements of people that are tried for a table, over all assignments of their values.
const MOST_TRIED: u64 = 50_000_000;

/// A release as a reader sees it.
pub(super) struct ReleaseSeen {
    pub(super) text: String,
    what: What,
}

enum What {
    /// Groups with their values.
    Groups(Vec<GroupWithValues>),
    Table(PublishedGroups),
}

/// A table of groups in which each person has an unknown row.
struct PublishedGroups {
    path: PathBuf,
    groups: Vec<AnybodysRows>,
    rows: usize,
    /// All people. The ones with the fewest possible rows come first, because they are hardest to
    /// place.
    people: Vec<usize>,
    tried: Cell<u64>,
}

/// The rows of a group; any value of the group may belong to any of its rows.
#[derive(Default)]
struct AnybodysRows {
    /// The people who may be in a row, and the number of such rows.
    places: Vec<(Vec<bool>, u32)>,
    /// How often each value of the scene occurs in the group.
    values: Vec<u32>,
}

impl ReleaseSeen {
    /// Reads groups with their values, `A B: flu, cold | C D: flu, flu`, or a file.
    pub(super) fn read(text: &str, scene: &Scene) -> Result<Self, Error> {
        let text = text.trim();
        let what = match (Path::new(text).is_file(), text.contains(':')) {
            (true, _) => What::Table(PublishedGroups::read(Path::new(text), scene)?),
            (false, true) => What::Groups(scene.groups_with_values(text)?),
            (false, false) => {
                let words = format!("`{text}` is neither a file nor groups with values");
                return Err(problem(words).help(
                    "name a table, or write people, a colon, and their values: `A B: flu, cold`",
                ));
            }
        };
        let text = text.to_owned();
        Ok(Self { text, what })
    }

    /// Whether a table is consistent with the release.
    ///
    /// # Errors
    /// A file with too many possible placements of people to try.
    pub(super) fn allows(&self, world: &[u32]) -> Result<bool, Error> {
        match &self.what {
            What::Table(table) => table.allows(world),
            What::Groups(groups) => Ok(groups.iter().all(|(people, values)| {
                let mut found: Vec<u32> = people.iter().map(|&p| world[p as usize]).collect();
                found.sort_unstable();
                found == *values
            })),
        }
    }
}

impl PublishedGroups {
    /// Reads a table with cells of any tool: values, `[20, 30]`, `20-29`, `{a|b}`, `130**` and `*`.
    /// Rows with the same `group` form a group; without such a column, rows with equal cells do.
    fn read(path: &Path, scene: &Scene) -> Result<Self, Error> {
        let place = || Location::file(path);
        if scene.known.is_empty() {
            let words = "identifies people by columns that typed values do not have";
            return Err(Error::new(place(), words).help(text!(
                "give the people as a table: `openveil explain people.csv --sensitive COLUMN`"
            )));
        }
        let raw = Source::new(path).read_all()?;
        let column = |name: &str| raw.columns.iter().find(|column| column.name == name);
        let values = column(&scene.sensitive).ok_or_else(|| {
            Error::new(place(), text!("has no column `{}`", scene.sensitive))
                .help("it is the column whose values are published")
        })?;
        let shared: Vec<(&RawColumn, &[String])> =
            scene.known.iter().filter_map(|(name, own)| Some((column(name)?, &own[..]))).collect();
        let places = PossiblePeople::new(&shared, &raw, (path, scene.people.len()))?;
        let is_known = scene.known.iter().any(|(name, _)| name == GROUP);
        let key = |row: usize| match column(GROUP).filter(|_| !is_known) {
            Some(group) => vec![group.codes[row]],
            None => shared.iter().map(|(column, _)| column.codes[row]).collect(),
        };
        let (mut numbers, mut groups) = (HashMap::new(), Vec::<AnybodysRows>::new());
        for row in 0..raw.rows {
            let number = *numbers.entry(key(row)).or_insert_with(|| {
                groups.push(AnybodysRows::new(scene.labels.len()));
                groups.len() - 1
            });
            let value = values.values.get(values.codes[row]);
            groups[number].add(places.of_row(row), scene.code(value));
        }
        let mut people: Vec<usize> = (0..scene.people.len()).collect();
        people.sort_by_key(|person| -> u32 {
            groups
                .iter()
                .flat_map(|group| &group.places)
                .filter(|(may_stand, _)| may_stand[*person])
                .map(|(_, rows)| rows)
                .sum()
        });
        Ok(Self { path: path.to_owned(), groups, rows: raw.rows, people, tried: Cell::new(0) })
    }

    /// Whether everybody can be placed in a row. If the table has fewer rows than people, whether
    /// every row can belong to a person.
    fn allows(&self, world: &[u32]) -> Result<bool, Error> {
        let mut left = PlacesLeft {
            places: self
                .groups
                .iter()
                .map(|group| group.places.iter().map(|(_, rows)| *rows).collect())
                .collect(),
            values: self.groups.iter().map(|own| own.values.clone()).collect(),
            absent: self.people.len().saturating_sub(self.rows),
        };
        let fits = self.places_all(world, 0, &mut left);
        if self.tried.get() > MOST_TRIED {
            let words = "has cells that match too many people to try all assignments";
            Err(Error::new(Location::file(&self.path), words)
                .help("use fewer people, or columns that distinguish them"))
        } else {
            Ok(fits)
        }
    }

    /// Whether the people from a number on can be placed in the remaining rows.
    fn places_all(&self, world: &[u32], number: usize, left: &mut PlacesLeft) -> bool {
        let Some(&person) = self.people.get(number) else {
            return true;
        };
        self.tried.set(self.tried.get() + 1);
        if self.tried.get() > MOST_TRIED {
            return false;
        }
        let value = world[person] as usize;
        for (at, group) in self.groups.iter().enumerate() {
            if left.values[at][value] == 0 {
                continue;
            }
            for (place, (may_stand, _)) in group.places.iter().enumerate() {
                if !may_stand[person] || left.places[at][place] == 0 {
                    continue;
                }
                left.values[at][value] -= 1;
                left.places[at][place] -= 1;
                let fits = self.places_all(world, number + 1, left);
                left.values[at][value] += 1;
                left.places[at][place] += 1;
                if fits {
                    return true;
                }
            }
        }
        if left.absent == 0 {
            return false;
        }
        left.absent -= 1;
        let fits = self.places_all(world, number + 1, left);
        left.absent += 1;
        fits
    }
}

/// The rows and values that remain while people are placed.
struct PlacesLeft {
    places: Vec<Vec<u32>>,
    values: Vec<Vec<u32>>,
    /// How many people may remain without a row.
    absent: usize,
}

impl AnybodysRows {
    fn new(values: usize) -> Self {
        Self { places: Vec::new(), values: vec![0; values] }
    }

    /// Adds a row. A value that nobody in the scene has belongs to somebody else.
    fn add(&mut self, may_stand: Vec<bool>, value: Option<u32>) {
        match self.places.iter_mut().find(|(own, _)| *own == may_stand) {
            Some((_, rows)) => *rows += 1,
            None => self.places.push((may_stand, 1)),
        }
        if let Some(value) = value {
            self.values[value as usize] += 1;
        }
    }
}

/// The people who may be in a row, by column and code.
struct PossiblePeople<'a> {
    columns: Vec<(&'a RawColumn, HashMap<u32, Vec<bool>>)>,
    people: usize,
}

impl<'a> PossiblePeople<'a> {
    fn new(
        shared: &[(&'a RawColumn, &[String])],
        raw: &RawTable,
        (path, people): (&Path, usize),
    ) -> Result<Self, Error> {
        let mut columns = Vec::new();
        for &(column, own) in shared {
            let mut covered = HashMap::new();
            for row in 0..raw.rows {
                let code = column.codes[row];
                if covered.contains_key(&code) {
                    continue;
                }
                let cell = column.values.get(code);
                let people = covers(cell, own).ok_or_else(|| {
                    let words = format!("`{cell}` in the column `{}` cannot be read as a cell", column.name);
                    Error::new(Location::file(path), words).help(
                        "cells are values, `[20, 30]`, `20-29`, `{a|b}`, `130**` or `*`; labels of hierarchies cannot be read here",
                    )
                })?;
                covered.insert(code, people);
            }
            columns.push((column, covered));
        }
        Ok(Self { columns, people })
    }

    fn of_row(&self, row: usize) -> Vec<bool> {
        let mut all = vec![true; self.people];
        for (column, covered) in &self.columns {
            let own = &covered[&column.codes[row]];
            all.iter_mut().zip(own).for_each(|(all, own)| *all &= own);
        }
        all
    }
}

/// Returns for each person whether a cell covers the person's value; none if the cell cannot be
/// read.
fn covers(cell: &str, own: &[String]) -> Option<Vec<bool>> {
    let each = |covers: &dyn Fn(&str) -> bool| Some(own.iter().map(|own| covers(own)).collect());
    let cell = cell.trim();
    if cell == ROOT {
        return each(&|_| true);
    }
    if let Some(set) = members(cell) {
        return each(&|own| set.clone().any(|member| member.trim() == own));
    }
    if own.iter().any(|own| own == cell) {
        return each(&|own| own == cell);
    }
    if let Some(interval) = Interval::read(cell) {
        return each(&|own| own.parse().is_ok_and(|number| interval.contains(number)));
    }
    let start = cell.trim_end_matches('*');
    if start.len() < cell.len() {
        let length = cell.chars().count();
        return each(&|own| own.starts_with(start) && own.chars().count() == length);
    }
    // A number may be written differently, or belong to somebody else. A text may be a label that
    // stands for several values.
    let number: f64 = cell.parse().ok()?;
    each(&|own| own.parse() == Ok(number))
}
