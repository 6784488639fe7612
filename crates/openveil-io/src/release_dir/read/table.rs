//! One table of a release, as text.

use super::columns::numbers;
use super::manifest::{described, secret};
use super::{Files, bounds};
use crate::load::CLASS_COLUMN;
use crate::load::MISSING_LABEL;
use crate::release_dir::write::Manifest;
use crate::release_dir::write::manifest::{CellKind, TableEntry};
use crate::source::{RawColumn, RawTable};
use crate::{Error, Location};
use openveil_core::release::Style;
use openveil_core::table::Groups;
use openveil_text::text;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Names of the columns that a release adds to the columns of its table.
const GROUP: &str = "group";
const COUNT: &str = "count";

/// A published table whose files fit their manifest.
#[derive(Debug)]
pub struct ReleasedTable {
    /// Its entry in the manifest.
    pub entry: TableEntry,
    /// One row per person.
    pub main: RawTable,
    /// The rows of each group; none if the table is published as it is.
    pub groups: Option<GroupedRows>,
    /// In the anatomy style, the values of each group.
    pub values: Option<GroupValues>,
    /// The columns of the main file, grouped: values of one group of columns stand in one row for a
    /// reason. How columns of different groups are matched within a group of rows has no meaning.
    pub together: Vec<Vec<String>>,
    /// The columns that the table protects: none if it has no groups.
    secret: Vec<String>,
    /// The filler rows of each group that has any, by the group's number from 0.
    fakes: BTreeMap<usize, usize>,
}

/// Rows with the number of their group.
#[derive(Debug)]
pub struct GroupedRows {
    /// Per row, its group, from 0.
    pub of_row: Vec<u32>,
    /// The rows of each group, class after class; no group is empty.
    pub rows: Groups,
    /// The rows of each class, in the order of groups, and the number of classes up to the end of
    /// each group; none if groups are not divided.
    classes: Option<(Groups, Vec<u32>)>,
}

/// The values of groups: as many in each as the group has rows.
#[derive(Debug)]
pub struct GroupValues {
    /// One line per group and value.
    pub lines: RawTable,
    /// The lines of each group.
    pub groups: GroupedRows,
    /// How often the value of each line occurs in its group.
    pub counts: Vec<u32>,
}

impl ReleasedTable {
    pub(super) fn read(
        files: &Files<'_>,
        manifest: &Manifest,
        style: Style,
        entry: TableEntry,
    ) -> Result<Self, Error> {
        let mut main = files.read(manifest, &entry.files[0])?;
        bounds::join(&mut main, manifest)?;
        main.columns.iter_mut().for_each(missing_as_text);
        if main.rows != entry.rows {
            let problem = text!("has {} rows, but its manifest says {}", main.rows, entry.rows);
            return Err(Error::new(Location::file(&main.files[0]), problem));
        }
        let groups =
            (entry.groups > 0).then(|| GroupedRows::new(&main, entry.groups)).transpose()?;
        let groups = match (groups, entry.classes) {
            (Some(groups), Some(classes)) => {
                Some(groups.divided(&main, classes, &|name: &str| {
                    described(manifest, name)
                        .map(|column| column.cell_kind(style))
                        .is_some_and(CellKind::is_range)
                        && !secret(manifest, &entry).any(|own| own == name)
                })?)
            }
            (groups, _) => groups,
        };
        let values = match &groups {
            Some(groups) if style == Style::Anatomy => {
                let mut lines = files.read(manifest, &entry.files[1])?;
                lines.columns.iter_mut().for_each(missing_as_text);
                Some(GroupValues::new(lines, groups)?)
            }
            _ => None,
        };
        let fakes =
            manifest.history.as_ref().map(|history| &history.fakes.groups).into_iter().flatten();
        let table = Self {
            fakes: fakes.map(|(&group, &rows)| (group.saturating_sub(1), rows)).collect(),
            together: together(manifest, style, &entry),
            secret: secret(manifest, &entry).cloned().collect(),
            entry,
            main,
            groups,
            values,
        };
        table.check_columns()?;
        Ok(table)
    }

    /// Checks that the files' columns are the columns of the manifest, each in one file.
    fn check_columns(&self) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for (raw, column) in self.columns() {
            let misfit = |problem| {
                let place = Location::file(&raw.files[0]).column(&column.name);
                Err(Error::new(place, problem))
            };
            if !self.entry.columns.contains(&column.name) {
                return misfit("is a column that its manifest does not name");
            }
            if !seen.insert(&column.name) {
                return misfit("appears in two files of the table");
            }
        }
        match self.entry.columns.iter().find(|name| !seen.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let problem = text!("has no column `{name}`, which its manifest names");
                Err(Error::new(Location::file(&self.main.files[0]), problem))
            }
        }
    }

    /// Returns the columns of its files, except those that number groups and count values.
    pub fn columns(&self) -> impl Iterator<Item = (&RawTable, &RawColumn)> {
        let is_group = |name: &str| {
            let classes = self.entry.classes.is_some() && name == CLASS_COLUMN;
            self.groups.is_some() && (name == GROUP || classes)
        };
        let main = self.main.columns.iter().filter(move |column| !is_group(&column.name));
        let values = self.values.iter().flat_map(|values| {
            values
                .lines
                .columns
                .iter()
                .filter(|column| column.name != GROUP && column.name != COUNT)
                .map(|column| (&values.lines, column))
        });
        main.map(|column| (&self.main, column)).chain(values)
    }

    /// Returns the share of a group's rows that stand for people: filler rows cannot be told apart
    /// from other rows.
    pub fn people_share(&self, group: usize, rows: usize) -> f64 {
        self.people(group, rows) as f64 / rows as f64
    }

    /// Returns the number of people in a group of so many rows.
    pub fn people(&self, group: usize, rows: usize) -> usize {
        rows.saturating_sub(self.fakes.get(&group).copied().unwrap_or(0))
    }

    /// Returns whether a file is the one with a row per person.
    pub fn is_main(&self, raw: &RawTable) -> bool {
        std::ptr::eq(raw, &self.main)
    }

    /// Returns whether the table protects a column.
    pub fn is_secret(&self, name: &str) -> bool {
        self.secret.iter().any(|secret| secret == name)
    }

    /// Returns the table of each group's values, with one row per person and the columns that fix
    /// strata, which are constant within a group.
    pub fn into_values(self, strata: &[String]) -> RawTable {
        let Some(GroupValues { mut lines, groups: of_lines, counts }) = self.values else {
            return self.main;
        };
        lines.columns.retain(|column| column.name != COUNT);
        for mut column in
            self.main.columns.into_iter().filter(|column| strata.contains(&column.name))
        {
            if let Some(people) = &self.groups {
                column.codes = of_lines
                    .of_row
                    .iter()
                    .map(|&group| column.codes[people.rows.get(group as usize)[0] as usize])
                    .collect();
                lines.columns.push(column);
            }
        }
        lines.rows = self.main.rows;
        for column in &mut lines.columns {
            let codes = column
                .codes
                .iter()
                .zip(&counts)
                .flat_map(|(&code, &count)| std::iter::repeat_n(code, count as usize));
            column.codes = codes.collect();
        }
        lines
    }
}

/// Returns the groups of columns whose values in one row belong to the same person. Known columns
/// that are not sliced form one group, and secret columns another. Each sliced column is a group by
/// itself, and so is each secret column if each is protected by itself.
fn together(manifest: &Manifest, style: Style, entry: &TableEntry) -> Vec<Vec<String>> {
    let secrets: Vec<&String> = secret(manifest, entry).collect();
    let is_sliced = |name: &String| {
        let kind = described(manifest, name).map(|column| column.cell_kind(style));
        entry.groups > 0 && kind == Some(CellKind::Sliced)
    };
    let names = || entry.columns.iter();
    let secret = |name: &&String| secrets.contains(name);
    let is_apart = manifest.each.as_ref().is_some_and(|each| !each.linked);
    let alone = |name: &&String| {
        if secret(name) { is_apart } else { is_sliced(name) }
    };
    let mut together = vec![
        names().filter(|name| !secret(name) && !is_sliced(name)).cloned().collect(),
        names().filter(|name| secret(name) && !is_apart).cloned().collect(),
    ];
    together.extend(names().filter(alone).map(|name| vec![name.clone()]));
    together.retain(|names| !names.is_empty());
    together
}

impl GroupedRows {
    /// Groups rows. `groups` is the manifest's claim, which is refused if it exceeds the number of
    /// rows.
    fn new(raw: &RawTable, groups: usize) -> Result<Self, Error> {
        let misfit = |problem| Err(Error::new(Location::file(&raw.files[0]), problem));
        if groups > raw.rows {
            let rows = raw.rows;
            return misfit(format!("has {rows} rows, but {groups} groups by its manifest"));
        }
        let mut of_row = numbers(raw, GROUP, groups as u32)?;
        of_row.iter_mut().for_each(|number| *number -= 1);
        let rows = Groups::from_labels(&of_row, groups);
        if rows.len() < groups {
            let mut present = vec![false; groups];
            of_row.iter().for_each(|&group| present[group as usize] = true);
            let empty = present.iter().take_while(|there| **there).count();
            return misfit(format!("has no row of group {}", empty + 1));
        }
        Ok(Self { of_row, rows, classes: None })
    }

    /// Divides groups into so many classes: by their number in the group, or, where the file has
    /// none, by the cells that their rows share.
    fn divided(
        mut self,
        raw: &RawTable,
        classes: usize,
        is_range: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let numbered = raw.columns.iter().find(|column| column.name == CLASS_COLUMN);
        let keys: Vec<Vec<u32>> = match numbered {
            Some(_) => vec![numbers(raw, CLASS_COLUMN, raw.rows as u32)?],
            None => raw
                .columns
                .iter()
                .filter(|column| is_range(&column.name))
                .map(|column| column.codes.clone())
                .collect(),
        };
        let key = |row: u32| keys.iter().map(move |codes| codes[row as usize]);
        let (mut rows, mut found) = (Groups::with_capacity(raw.rows, self.rows.len()), Vec::new());
        let mut all = Groups::with_capacity(raw.rows, classes);
        for group in self.rows.iter() {
            let mut group = group.to_vec();
            group.sort_by(|&a, &b| key(a).cmp(key(b)));
            for class in group.chunk_by(|&a, &b| key(a).eq(key(b))) {
                all.push(class.iter().copied());
            }
            rows.push(group);
            found.push(all.len() as u32);
        }
        if all.len() != classes {
            let found = all.len();
            let problem = text!("has {found} classes, but its manifest says {classes}");
            return Err(Error::new(Location::file(&raw.files[0]), problem));
        }
        self.rows = rows;
        self.classes = Some((all, found));
        Ok(self)
    }

    /// Returns the rows of each class: rows of a group that are shown alike, in the order of
    /// groups.
    pub fn classes(&self) -> &Groups {
        self.classes.as_ref().map_or(&self.rows, |(classes, _)| classes)
    }

    /// Returns the classes of a group.
    pub fn classes_of(&self, group: usize) -> Range<usize> {
        match &self.classes {
            None => group..group + 1,
            Some((_, ends)) => {
                let start = if group == 0 { 0 } else { ends[group - 1] };
                start as usize..ends[group] as usize
            }
        }
    }

    /// Returns the group of a class.
    pub fn group_of(&self, class: usize) -> usize {
        self.of_row[self.classes().get(class)[0] as usize] as usize
    }

    /// Returns where each group's rows end, and where each class's do.
    pub fn ends(&self) -> (Vec<u32>, Vec<u32>) {
        let ends = |groups: &Groups| {
            let mut end = 0;
            groups
                .iter()
                .map(|rows| {
                    end += rows.len() as u32;
                    end
                })
                .collect()
        };
        (ends(&self.rows), ends(self.classes()))
    }
}

impl GroupValues {
    fn new(lines: RawTable, people: &GroupedRows) -> Result<Self, Error> {
        let groups = GroupedRows::new(&lines, people.rows.len())?;
        let counts = numbers(&lines, COUNT, u32::MAX)?;
        for (group, (lines_of, rows)) in groups.rows.iter().zip(people.rows.iter()).enumerate() {
            let listed = lines_of.iter().map(|&line| u64::from(counts[line as usize]));
            if listed.sum::<u64>() != rows.len() as u64 {
                let problem = text!("does not hold one value per row of group {}", group + 1);
                return Err(Error::new(Location::file(&lines.files[0]), problem));
            }
        }
        Ok(Self { lines, groups, counts })
    }
}

/// Gives missing numbers and dates, which Parquet leaves empty, the text that other files show.
fn missing_as_text(column: &mut RawColumn) {
    if column.values.iter().any(str::is_empty) {
        column.rename(|text| if text.is_empty() { MISSING_LABEL } else { text });
    }
}
