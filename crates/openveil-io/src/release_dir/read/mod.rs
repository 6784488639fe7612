//! Reading back: the files of a release become a [`Release`] again.
//!
//! Labels are looked up in the owner's table, so a release of other columns or
//! values is noticed at the first cell that does not fit.

mod categories;
mod cells;

pub use categories::categories;

use crate::release_dir::write::Manifest;
use crate::source::{Format, RawColumn, RawTable, Source};
use crate::{Error, Location};
use openveil::release::{Cells, Release, Style};
use openveil::table::{Secret, View};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A release as it lies in its folder.
#[derive(Debug)]
pub struct Released {
    /// The folder with the manifest.
    pub folder: PathBuf,
    /// What is said of it.
    pub manifest: Manifest,
    /// How quasi-identifiers are published.
    pub style: Style,
    /// Its content, in the codes of the owner's table.
    pub release: Release,
}

/// Reads a release: `folder` holds `manifest.json`, or a folder `release` that
/// does. `table` is the owner's, `delimiter` what separates the fields of CSV.
/// O(rows · columns).
///
/// # Errors
/// Files that cannot be read, do not fit their manifest, or show values that the
/// table does not have.
pub fn read(folder: &Path, table: &View, delimiter: u8) -> Result<Released, Error> {
    let folder = release_folder(folder);
    let manifest = manifest(&folder)?;
    refuse_several(&folder, &manifest)?;
    let style = match &*manifest.style {
        "generalize" => Style::Generalize,
        "anatomy" => Style::Anatomy,
        other => {
            return Err(Error::new(
                Location::file(&folder.join("manifest.json")),
                format!("there is no style `{other}`"),
            ));
        }
    };
    let files = Files {
        folder: &folder,
        manifest: &manifest,
        delimiter,
        table,
    };
    let release = files.release(style)?;
    Ok(Released {
        folder: folder.clone(),
        style,
        release,
        manifest,
    })
}

/// The folder that holds the manifest: the one named, or `release` in it.
pub(crate) fn release_folder(folder: &Path) -> PathBuf {
    match folder.join("release").join("manifest.json").exists() {
        true => folder.join("release"),
        false => folder.to_owned(),
    }
}

/// What is read here is one table with quasi-identifiers and a sensitive column.
fn refuse_several(folder: &Path, manifest: &Manifest) -> Result<(), Error> {
    match manifest.tables.is_empty() {
        true => Ok(()),
        false => {
            let place = Location::file(&folder.join("manifest.json"));
            let problem = "is that of several tables that keep rules together";
            let help = "name a policy with the same [[rules]]";
            Err(Error::new(place, problem).help(help))
        }
    }
}

pub(crate) fn manifest(folder: &Path) -> Result<Manifest, Error> {
    let path = folder.join("manifest.json");
    let text = std::fs::read_to_string(&path).map_err(|cause| {
        Error::io(&path, "read the manifest", &cause)
            .help("name the folder that `openveil publish` wrote: the one that holds `release/`")
    })?;
    serde_json::from_str(&text).map_err(|cause| {
        Error::new(
            Location::file(&path).line(cause.line() as u64),
            format!("is not the manifest of a release: {cause}"),
        )
    })
}

/// The files of a release, and the table to look labels up in.
struct Files<'a> {
    folder: &'a Path,
    manifest: &'a Manifest,
    delimiter: u8,
    table: &'a View,
}

impl Files<'_> {
    fn release(&self, style: Style) -> Result<Release, Error> {
        let main = self.read(0)?;
        let groups = Grouping::of(&main, self.manifest.groups)?;
        if main.rows != self.manifest.rows {
            let problem = format!(
                "has {} rows, its manifest says {}",
                main.rows, self.manifest.rows
            );
            return Err(Error::new(Location::file(&main.files[0]), problem));
        }
        let columns = self.table.known().iter();
        let cells = columns.map(|column| {
            let raw = find(&main, column.name())?;
            match style {
                Style::Generalize => cells::generalized(&main, raw, column, &groups),
                Style::Anatomy => cells::exact(&main, raw, column, &groups),
            }
        });
        let cells: Vec<Cells> = cells.collect::<Result<_, Error>>()?;
        let values = match style {
            Style::Generalize => {
                let codes = value_codes(&main, self.table.secret())?;
                groups.rows.iter().map(|&row| codes[row as usize]).collect()
            }
            Style::Anatomy => self.anatomy_values(&groups)?,
        };
        let place = Location::file(&main.files[0]);
        Release::from_parts(groups.ends, values, cells)
            .map_err(|cause| Error::new(place, cause.to_string()))
    }

    /// The values of each group from the second file of the anatomy style.
    fn anatomy_values(&self, groups: &Grouping) -> Result<Vec<u32>, Error> {
        let raw = self.read(1)?;
        let of_groups = Grouping::of(&raw, self.manifest.groups)?;
        let codes = value_codes(&raw, self.table.secret())?;
        let counts = numbers(&raw, "count")?;
        let mut values = Vec::with_capacity(self.manifest.rows);
        for group in 0..self.manifest.groups {
            for &row in of_groups.get(group) {
                let count = counts[row as usize] as usize;
                // No count is larger than its group, whatever the file says.
                let count = count.min(groups.get(group).len() + 1);
                values.extend(std::iter::repeat_n(codes[row as usize], count));
            }
            if values.len() != groups.ends[group] as usize {
                let problem = format!("does not hold one value per row of group {}", group + 1);
                return Err(Error::new(Location::file(&raw.files[0]), problem));
            }
        }
        Ok(values)
    }

    /// One of the manifest's files, with its columns checked.
    fn read(&self, number: usize) -> Result<RawTable, Error> {
        let name = self.manifest.files.get(number).ok_or_else(|| {
            let place = Location::file(&self.folder.join("manifest.json"));
            Error::new(place, "does not name all files of the release")
        })?;
        let path = self.folder.join(name);
        let mut source = Source::new(&path);
        source.delimiter = self.delimiter;
        source.format = Some(match name.ends_with(".parquet") {
            true => Format::Parquet,
            false => Format::Csv,
        });
        let choose = |names: &[String]| {
            if names.iter().any(|name| name == "group") {
                return Ok(vec![true; names.len()]);
            }
            Err(Error::new(Location::file(&path), "has no column `group`").help(
                "`delimiter` under [output] in the policy says what separates the fields of a release",
            ))
        };
        source.read(&choose, &|_| {})
    }
}

/// Rows by group.
struct Grouping {
    rows: Vec<u32>,
    /// Where each group's rows end in `rows`.
    ends: Vec<u32>,
}

impl Grouping {
    fn of(raw: &RawTable, groups: usize) -> Result<Self, Error> {
        let numbers = numbers(raw, "group")?;
        if groups > numbers.len() {
            let problem = format!("has fewer rows than its manifest has groups, {groups}");
            return Err(Error::new(Location::file(&raw.files[0]), problem));
        }
        let mut ends = vec![0u32; groups];
        for (row, &number) in numbers.iter().enumerate() {
            let place = (number as usize).wrapping_sub(1);
            let Some(end) = ends.get_mut(place) else {
                let column = find(raw, "group")?;
                let problem = format!("`{number}` is not the number of one of {groups} groups");
                return Err(Error::new(raw.place_of(column, column.codes[row]), problem));
            };
            *end += 1;
        }
        if let Some(empty) = ends.iter().position(|&rows| rows == 0) {
            let problem = format!("has no row of group {}", empty + 1);
            return Err(Error::new(Location::file(&raw.files[0]), problem));
        }
        let mut rows: Vec<u32> = (0..numbers.len() as u32).collect();
        rows.sort_by_key(|&row| numbers[row as usize]);
        let mut before = 0;
        for end in &mut ends {
            before += *end;
            *end = before;
        }
        Ok(Self { rows, ends })
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows of a group in the order of the file.
    fn get(&self, group: usize) -> &[u32] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.rows[start as usize..self.ends[group] as usize]
    }
}

fn find<'a>(raw: &'a RawTable, name: &str) -> Result<&'a RawColumn, Error> {
    let found = raw.columns.iter().find(|column| column.name == name);
    found.ok_or_else(|| {
        Error::new(
            Location::file(&raw.files[0]),
            format!("has no column `{name}`"),
        )
        .help("attack a release with the policy that it was made by")
    })
}

/// A column of numbers that the release added.
fn numbers(raw: &RawTable, name: &str) -> Result<Vec<u32>, Error> {
    let column = find(raw, name)?;
    let number = |code: u32| {
        let text = column.values.get(code);
        text.parse::<u32>().map_err(|_| {
            let problem = format!("`{text}` is not a whole number");
            Error::new(raw.place_of(column, code), problem)
        })
    };
    let numbers: Result<Vec<u32>, Error> = (0..column.values.len() as u32).map(number).collect();
    let numbers = numbers?;
    Ok(column
        .codes
        .iter()
        .map(|&code| numbers[code as usize])
        .collect())
}

/// The code of every row's value, or combination of values, in the owner's table.
fn value_codes(raw: &RawTable, sensitive: &Secret) -> Result<Vec<u32>, Error> {
    let columns = sensitive.columns().iter().map(|name| find(raw, name));
    let columns: Vec<&RawColumn> = columns.collect::<Result<_, Error>>()?;
    let code_of: HashMap<Vec<&str>, u32> = (0..sensitive.values() as u32)
        .map(|code| (sensitive.parts(code), code))
        .collect();
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let code = |row: usize| {
        let key: Vec<u32> = columns.iter().map(|column| column.codes[row]).collect();
        if let Some(&code) = known.get(&key) {
            return Ok(code);
        }
        let texts = columns.iter().zip(&key);
        let texts: Vec<&str> = texts
            .map(|(column, &code)| column.values.get(code))
            .collect();
        let code = *code_of.get(&texts).ok_or_else(|| {
            let problem = format!("nobody in the table has the value `{}`", texts.join(" + "));
            Error::new(raw.place_of(columns[0], key[0]), problem)
                .help("attack a release with the policy and the table that it was made from")
        })?;
        known.insert(key, code);
        Ok(code)
    };
    (0..raw.rows).map(code).collect()
}

#[cfg(test)]
mod tests;
