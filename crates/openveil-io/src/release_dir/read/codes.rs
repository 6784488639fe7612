//! Reads a single table in the codes of its owner's view.
//!
//! Labels are looked up in the owner's table. A release of other columns or values is therefore
//! noticed at the first cell that does not fit.

use super::cells::needs_owners;
use super::columns::column;
use super::{MANIFEST, ReleaseFolder, ReleasedTable, cells};
use crate::release_dir::ReleasePlace;
use crate::release_dir::write::Manifest;
use crate::release_dir::write::manifest::CellKind;
use crate::source::{RawColumn, RawTable};
use crate::{Error, Location};
use openveil_core::release::{Cells, Content, Style};
use openveil_core::table::{Column, Secret, View};
use openveil_text::text;
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// A release of one table in the codes of its owner's view.
#[derive(Debug)]
pub struct Released {
    /// The folder with the manifest.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// How quasi-identifiers are published.
    pub style: Style,
    /// Its content.
    pub release: Content,
}

impl Released {
    /// Reads the release of an owner's table. O(rows · columns).
    ///
    /// # Errors
    /// As [`ReleaseFolder::read`]; several tables; values that the owner's table does
    /// not have.
    pub fn read(place: &ReleasePlace, table: &View) -> Result<Self, Error> {
        let ReleaseFolder { path, manifest, style, tables } = ReleaseFolder::read(place)?;
        let [only] = &tables[..] else {
            return Err(several(&path));
        };
        if !manifest.tables.is_empty() {
            return Err(several(&path));
        }
        Ok(Self { release: release(only, &manifest, style, table)?, folder: path, manifest, style })
    }
}

impl Released {
    /// Returns the fewest rows of a class, by the manifest; none if groups are not divided.
    pub fn class(&self) -> Option<NonZeroU32> {
        let parameters = self.manifest.parameters.as_ref()?;
        parameters.class.and_then(NonZeroU32::new)
    }
}

/// Returns the refusal of several tables: an attack needs one table with quasi-identifiers and a
/// sensitive column.
fn several(folder: &Path) -> Error {
    let place = Location::file(&folder.join(MANIFEST));
    let problem = "belongs to a release of several tables with rules";
    Error::new(place, problem).help(text!("name a policy with the same [[rules]]"))
}

fn release(
    published: &ReleasedTable,
    manifest: &Manifest,
    style: Style,
    view: &View,
) -> Result<Content, Error> {
    let main = &published.main;
    let place = Location::file(&main.files[0]);
    let groups =
        published.groups.as_ref().ok_or_else(|| Error::new(place.clone(), "has no groups"))?;
    let raw = |name: &str| column(main, name).map_err(|error| error.help(needs_owners()));
    let cells: Vec<Cells> = view
        .known()
        .iter()
        .map(|known| {
            let (raw, kind) = (raw(known.name())?, published_as(manifest, style, known));
            match kind.map_err(|error| error.at(&main.files[0].with_file_name(MANIFEST)))? {
                kind if kind.is_range() => cells::generalized(main, raw, known, groups.classes()),
                CellKind::Sliced => {
                    cells::exact(main, raw, known, groups.classes()).map(Cells::Sliced)
                }
                _ => cells::exact(main, raw, known, groups.classes()).map(Cells::Exact),
            }
        })
        .collect::<Result<_, Error>>()?;
    let others: Vec<Cells> = view
        .other()
        .iter()
        .map(|other| {
            cells::exact(main, raw(other.name())?, other, groups.classes()).map(Cells::Sliced)
        })
        .collect::<Result<_, Error>>()?;
    let values: Vec<u32> = match &published.values {
        None => {
            let codes = value_codes(main, view.secret())?;
            groups.rows.iter().flatten().map(|&row| codes[row as usize]).collect()
        }
        Some(values) => {
            let codes = value_codes(&values.lines, view.secret())?;
            values
                .groups
                .rows
                .iter()
                .flatten()
                .map(|&line| line as usize)
                .flat_map(|line| std::iter::repeat_n(codes[line], values.counts[line] as usize))
                .collect()
        }
    };
    let (ends, classes) = groups.ends();
    Content::from_classes(ends, classes, values, cells)
        .and_then(|release| release.with_others(others))
        .map_err(|cause| Error::new(place, cause.to_string()))
}

/// Returns the form of a column's cells according to the manifest. If the policy publishes the
/// column in another form, the release was not made by this policy.
fn published_as(manifest: &Manifest, style: Style, known: &Column) -> Result<CellKind, Error> {
    let name = known.name();
    let misfit = |problem: String| {
        Error::new(Location::default().column(name), problem).help(needs_owners())
    };
    let entry = manifest.columns.iter().find(|entry| entry.name == name);
    let kind = entry
        .map(|entry| entry.cell_kind(style))
        .ok_or_else(|| misfit("is not described".to_owned()))?;
    let range = style.is_range(known.form());
    if range != kind.is_range() {
        let how = if range { "values" } else { "ranges" };
        return Err(misfit(format!("is published as {how}, but the policy says otherwise")));
    }
    Ok(kind)
}

/// Returns the code in the owner's table of every row's value or combination of values.
pub(super) fn value_codes(raw: &RawTable, secret: &Secret) -> Result<Vec<u32>, Error> {
    let columns: Vec<&RawColumn> = secret
        .columns()
        .iter()
        .map(|name| column(raw, name).map_err(|error| error.help(needs_owners())))
        .collect::<Result<_, Error>>()?;
    let code_of: HashMap<Vec<&str>, u32> =
        (0..secret.values() as u32).map(|code| (secret.parts(code), code)).collect();
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let code = |row: usize| {
        let key: Vec<u32> = columns.iter().map(|column| column.codes[row]).collect();
        if let Some(&code) = known.get(&key) {
            return Ok(code);
        }
        let texts: Vec<&str> =
            columns.iter().zip(&key).map(|(column, &code)| column.values.get(code)).collect();
        let code = *code_of.get(&texts).ok_or_else(|| {
            let problem = text!("no row of the table has the value `{}`", texts.join(" + "));
            Error::new(raw.place_of(columns[0], key[0]), problem).help(needs_owners())
        })?;
        known.insert(key, code);
        Ok(code)
    };
    (0..raw.rows).map(code).collect()
}
