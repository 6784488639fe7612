//! The published tables of a release as text, and what they answer.

use super::scale::Matcher;
use crate::release_dir::read::{manifest, release_folder};
use crate::release_dir::write::Manifest;
use crate::release_dir::write::manifest::{ColumnEntry, TableEntry};
use crate::source::{Format, RawColumn, RawTable, Source};
use crate::{Error, Location};
use openveil::schema::Columns;
use openveil::schema::estimate::Marginal;
use openveil::schema::worlds::PublishedTable;
use openveil::table::ColumnSet;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A release as text: one table, or several.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    pub(super) parts: Vec<Part>,
}

/// A published table.
#[derive(Debug)]
pub(super) struct Part {
    main: RawTable,
    /// In the anatomy style: every row's group, and the values of each group.
    anatomy: Option<Anatomy>,
    /// Its columns, in the order of the manifest.
    names: Vec<String>,
}

/// Exact rows beside lists of values.
#[derive(Debug)]
struct Anatomy {
    group_of: Vec<u32>,
    sizes: Vec<u32>,
    values: RawTable,
    /// Per line of the values: its group and its count.
    lines: Vec<(u32, u32)>,
}

impl Tables {
    /// Reads a release: `folder` holds `manifest.json`, or a folder `release` that does.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let folder = release_folder(folder);
        let manifest = manifest(&folder)?;
        let single = || TableEntry {
            name: "release".to_owned(),
            columns: manifest.columns.iter().map(|c| c.name.clone()).collect(),
            enforces: None,
            rows: manifest.rows,
            groups: manifest.groups,
            files: manifest.files.clone(),
        };
        let entries = match manifest.tables.is_empty() {
            true => vec![single()],
            false => manifest.tables.clone(),
        };
        let parts = entries.iter();
        let parts = parts.map(|entry| Part::read(&folder, &manifest, entry));
        Ok(Self {
            parts: parts.collect::<Result<_, Error>>()?,
            folder,
            manifest,
        })
    }

    /// What is said of a column.
    pub(super) fn column(&self, name: &str) -> Option<&ColumnEntry> {
        let mut columns = self.manifest.columns.iter();
        columns.find(|column| column.name == name)
    }

    /// Whether no two tables share a column: then nothing is known of how their
    /// columns hang together, and counts are products.
    pub(super) fn are_disjoint(&self) -> bool {
        let mut all: Vec<&String> = self.parts.iter().flat_map(|part| &part.names).collect();
        let before = all.len();
        all.sort_unstable();
        all.dedup();
        all.len() == before
    }

    /// The estimated number of rows that meet conditions, of disjoint tables.
    pub(super) fn product(&self, matchers: &HashMap<String, Matcher>) -> Result<f64, Error> {
        let rows = self.manifest.rows as f64;
        let asked = self
            .parts
            .iter()
            .filter(|part| part.names.iter().any(|name| matchers.contains_key(name)));
        let mut counts = asked.map(|part| part.count(self, matchers));
        // The first count stays as it is: of a single table it is the answer.
        let first = counts.next().unwrap_or(Ok(rows))?;
        counts.try_fold(first, |estimate, count| Ok(estimate * (count? / rows)))
    }

    /// The texts of every column, numbered: as cells show them.
    pub(super) fn dictionaries(&self, columns: &Columns) -> Vec<Dictionary> {
        let mut all: Vec<Dictionary> = vec![Dictionary::default(); columns.len()];
        for raw in self.parts.iter().flat_map(Part::files) {
            for column in &raw.columns {
                if let Ok(number) = columns.number(&column.name) {
                    column.values.iter().for_each(|text| all[number].add(text));
                }
            }
        }
        all
    }
}

/// The texts of a column, numbered in the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Dictionary {
    codes: HashMap<String, u32>,
    pub(super) texts: Vec<String>,
}

impl Dictionary {
    fn add(&mut self, text: &str) {
        if !self.codes.contains_key(text) {
            self.codes.insert(text.to_owned(), self.texts.len() as u32);
            self.texts.push(text.to_owned());
        }
    }
}

impl Part {
    fn read(folder: &Path, manifest: &Manifest, entry: &TableEntry) -> Result<Self, Error> {
        let file = |number: usize| {
            let name = entry.files.get(number).ok_or_else(|| {
                let place = Location::file(&folder.join("manifest.json"));
                Error::new(place, format!("names no files of `{}`", entry.name))
            })?;
            read(&folder.join(name), manifest.delimiter)
        };
        let main = file(0)?;
        if main.rows != entry.rows {
            let problem = format!("has {} rows, its manifest says {}", main.rows, entry.rows);
            return Err(Error::new(Location::file(&main.files[0]), problem));
        }
        let anatomy = match entry.files.len() {
            1 => None,
            _ => Some(Anatomy::of(&main, file(1)?, entry.groups)?),
        };
        let part = Self {
            main,
            anatomy,
            names: entry.columns.clone(),
        };
        for name in &part.names {
            part.find(name)?;
        }
        Ok(part)
    }

    fn files(&self) -> impl Iterator<Item = &RawTable> {
        let values = self.anatomy.as_ref().map(|anatomy| &anatomy.values);
        std::iter::once(&self.main).chain(values)
    }

    /// A column, and whether it stands among the values of groups.
    fn find(&self, name: &str) -> Result<(&RawColumn, bool), Error> {
        let mut found = self.files().enumerate().filter_map(|(file, raw)| {
            let mut columns = raw.columns.iter();
            Some((columns.find(|column| column.name == name)?, file == 1))
        });
        found.next().ok_or_else(|| {
            let problem = format!("has no column `{name}`, which the manifest names");
            Error::new(Location::file(&self.main.files[0]), problem)
        })
    }

    /// The estimated number of rows that meet the conditions on the table's columns:
    /// cells are spread evenly, and the values of a group over its rows.
    fn count(&self, all: &Tables, matchers: &HashMap<String, Matcher>) -> Result<f64, Error> {
        let mut known = vec![1.0; self.main.rows];
        let lines = self
            .anatomy
            .as_ref()
            .map_or(0, |anatomy| anatomy.lines.len());
        let mut secret = vec![1.0; lines];
        for name in &self.names {
            let (Some(matcher), Some(entry)) = (matchers.get(name), all.column(name)) else {
                continue;
            };
            let (column, is_secret) = self.find(name)?;
            let shares = column.values.iter();
            let shares: Vec<f64> = shares.map(|cell| matcher.share_of(entry, cell)).collect();
            let weights = if is_secret { &mut secret } else { &mut known };
            for (weight, &code) in weights.iter_mut().zip(&column.codes) {
                *weight *= shares[code as usize];
            }
        }
        let Some(anatomy) = &self.anatomy else {
            return Ok(known.iter().sum());
        };
        let mut rows = vec![0.0; anatomy.sizes.len()];
        for (&group, weight) in anatomy.group_of.iter().zip(&known) {
            rows[group as usize] += weight;
        }
        let mut values = vec![0.0; anatomy.sizes.len()];
        for (&(group, count), weight) in anatomy.lines.iter().zip(&secret) {
            values[group as usize] += f64::from(count) * weight;
        }
        let groups = rows.iter().zip(&values).zip(&anatomy.sizes);
        Ok(groups
            .map(|((rows, values), &size)| rows * values / f64::from(size))
            .sum())
    }

    /// The table as a sparse marginal over the texts of its cells.
    pub(super) fn marginal(
        &self,
        columns: &Columns,
        dictionaries: &[Dictionary],
    ) -> Result<Marginal, Error> {
        let code = |number: usize, text: &str| dictionaries[number].codes.get(text).copied();
        let grouped = self.grouped(columns, &code)?;
        let marginal = match self.anatomy {
            None => {
                let rows = grouped.groups.into_iter().flat_map(|(rows, _)| rows);
                Marginal::new(grouped.known, rows.map(|row| (row, 1.0)))
            }
            Some(_) => Marginal::from_groups(grouped.known, grouped.secret, grouped.groups),
        };
        marginal.map_err(|cause| self.failed(&cause))
    }

    /// The table as its reader sees it, in the codes of the owner's columns.
    pub(super) fn published(
        &self,
        columns: &Columns,
        code: &dyn Fn(usize, &str) -> Option<u32>,
    ) -> Result<PublishedTable, Error> {
        let Grouped {
            known,
            secret,
            groups,
        } = self.grouped(columns, code)?;
        let table = PublishedTable::from_groups(known, secret, groups);
        table.map_err(|cause| self.failed(&cause))
    }

    fn failed(&self, cause: &openveil::schema::Error) -> Error {
        Error::new(Location::file(&self.main.files[0]), cause.to_string())
    }

    /// Rows and values by group, in codes; all rows are one group where there are none.
    fn grouped(
        &self,
        columns: &Columns,
        code: &dyn Fn(usize, &str) -> Option<u32>,
    ) -> Result<Grouped, Error> {
        let (mut known, mut secret) = (Vec::new(), Vec::new());
        for name in &self.names {
            let number = columns.number(name).map_err(|cause| self.failed(&cause))?;
            let (column, is_secret) = self.find(name)?;
            let raw = match (&self.anatomy, is_secret) {
                (Some(anatomy), true) => &anatomy.values,
                _ => &self.main,
            };
            let codes = column.values.iter().zip(0..).map(|(text, seen)| {
                code(number, text).ok_or_else(|| {
                    let problem = format!("`{text}` is not a value of the table");
                    Error::new(raw.place_of(column, seen), problem)
                })
            });
            let code_of = codes.collect::<Result<Vec<u32>, Error>>()?;
            let list = if is_secret { &mut secret } else { &mut known };
            list.push((number, &column.codes, code_of));
        }
        // Tuples are in the order of the columns' numbers.
        known.sort_by_key(|(number, ..)| *number);
        secret.sort_by_key(|(number, ..)| *number);
        let set = |list: &[(usize, &Vec<u32>, Vec<u32>)]| -> ColumnSet {
            list.iter().map(|(number, ..)| *number).collect()
        };
        let tuple = |list: &[(usize, &Vec<u32>, Vec<u32>)], row: usize| -> Vec<u32> {
            let codes = list.iter();
            codes
                .map(|(_, codes, code_of)| code_of[codes[row] as usize])
                .collect()
        };
        let sizes = self
            .anatomy
            .as_ref()
            .map_or(1, |anatomy| anatomy.sizes.len());
        let mut groups = vec![(Vec::new(), Vec::new()); sizes];
        for row in 0..self.main.rows {
            let group = self
                .anatomy
                .as_ref()
                .map_or(0, |anatomy| anatomy.group_of[row]);
            groups[group as usize].0.push(tuple(&known, row));
        }
        let lines = self.anatomy.iter().flat_map(|anatomy| &anatomy.lines);
        for (line, &(group, count)) in lines.enumerate() {
            groups[group as usize].1.push((tuple(&secret, line), count));
        }
        Ok(Grouped {
            known: set(&known),
            secret: set(&secret),
            groups,
        })
    }
}

/// Rows and values by group.
struct Grouped {
    known: ColumnSet,
    secret: ColumnSet,
    groups: Vec<Group>,
}

/// The known parts of a group's rows, and its values with their counts.
type Group = (Vec<Vec<u32>>, Vec<(Vec<u32>, u32)>);

impl Anatomy {
    fn of(main: &RawTable, values: RawTable, groups: usize) -> Result<Self, Error> {
        let group_of = numbers(main, "group", groups)?;
        let lines = numbers(&values, "group", groups)?;
        let counts = numbers(&values, "count", usize::MAX)?;
        let mut sizes = vec![0u32; groups];
        group_of
            .iter()
            .for_each(|&group| sizes[group as usize] += 1);
        let counts = counts.into_iter().map(|count| count + 1);
        let lines: Vec<(u32, u32)> = lines.into_iter().zip(counts).collect();
        let mut listed = vec![0u64; groups];
        for &(group, count) in &lines {
            listed[group as usize] += u64::from(count);
        }
        let off = listed
            .iter()
            .zip(&sizes)
            .position(|(&listed, &size)| listed != u64::from(size) || size == 0);
        match off {
            None => Ok(Self {
                group_of,
                sizes,
                values,
                lines,
            }),
            Some(group) => {
                let problem = format!("does not hold one value per row of group {}", group + 1);
                Err(Error::new(Location::file(&values.files[0]), problem))
            }
        }
    }
}

/// A column of numbers from 1 to `most`, counted from 0.
fn numbers(raw: &RawTable, name: &str, most: usize) -> Result<Vec<u32>, Error> {
    let column = raw.columns.iter().find(|column| column.name == name);
    let column = column.ok_or_else(|| {
        Error::new(
            Location::file(&raw.files[0]),
            format!("has no column `{name}`"),
        )
    })?;
    let texts = column.values.iter().zip(0..);
    let numbers = texts.map(|(text, code)| match text.parse::<u32>() {
        Ok(number) if number > 0 && number as usize <= most => Ok(number - 1),
        _ => {
            let problem = format!("`{text}` is not a number that the manifest allows");
            Err(Error::new(raw.place_of(column, code), problem))
        }
    });
    let numbers: Vec<u32> = numbers.collect::<Result<_, Error>>()?;
    let codes = column.codes.iter();
    Ok(codes.map(|&code| numbers[code as usize]).collect())
}

fn read(path: &Path, delimiter: char) -> Result<RawTable, Error> {
    let mut source = Source::new(path);
    source.delimiter = delimiter as u8;
    let parquet = path.extension().is_some_and(|ending| ending == "parquet");
    source.format = Some(if parquet {
        Format::Parquet
    } else {
        Format::Csv
    });
    source.read(&|names| Ok(vec![true; names.len()]), &|_| {})
}
