//! Checks a manifest before any other file is opened.

use crate::policy::Role;
use crate::release_dir::write::Manifest;
use crate::release_dir::write::manifest::{ColumnEntry, FORMAT, TableEntry};
use crate::release_dir::{MANIFEST, is_table_file};
use crate::{Error, Location};
use openveil_core::release::Style;
use openveil_text::text;
use std::collections::HashSet;
use std::path::Path;

/// More bytes than any manifest has: hundreds of columns with long names and values take a few
/// million.
const LARGEST: u64 = 1 << 30;

/// Reads the manifest of a folder.
pub(super) fn read(folder: &Path) -> Result<Manifest, Error> {
    let path = folder.join(MANIFEST);
    let help =
        || text!("name the folder that `openveil publish` wrote: the one that contains `release/`");
    let failed = |cause| Error::io(&path, "read the manifest", &cause).help(help());
    // The folder is untrusted: a pipe or device under this name would never end.
    let found = std::fs::metadata(&path).map_err(failed)?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(
            Error::new(Location::file(&path), "is not the manifest of a release").help(help())
        );
    }
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    refuse_newer(&path, &text)?;
    serde_json::from_str(&text).map_err(|cause| {
        Error::new(
            Location::file(&path).line(cause.line() as u64),
            text!("is not the manifest of a release: {cause}"),
        )
    })
}

/// Refuses the format of a later version, since its other fields may have any meaning.
fn refuse_newer(path: &Path, text: &str) -> Result<(), Error> {
    #[derive(serde::Deserialize)]
    struct Written {
        #[serde(default)]
        openveil: String,
        #[serde(default)]
        format: u64,
    }
    match serde_json::from_str::<Written>(text) {
        Ok(Written { openveil, format }) if format > u64::from(FORMAT) => Err(Error::new(
            Location::file(path),
            text!(
                "was written by openveil {openveil} in format {format}; this version reads formats up to {FORMAT}"
            ),
        )
        .help("install a newer version of openveil")),
        _ => Ok(()),
    }
}

/// Returns the style, and the tables that the manifest names: one if it has no rules.
///
/// # Errors
/// The part that does not fit. The error is a message.
pub(super) fn tables(manifest: &Manifest) -> Result<(Style, Vec<TableEntry>), String> {
    let mut styles = Style::ALL.into_iter();
    let Some(style) = styles.find(|style| style.name() == manifest.style) else {
        return Err(format!("unknown style `{}`", manifest.style));
    };
    let delimiter = manifest.delimiter;
    if !delimiter.is_ascii() || matches!(delimiter, '"' | '\n' | '\r') {
        return Err(format!("{delimiter:?} cannot be a delimiter"));
    }
    let names = || manifest.columns.iter().map(|column| &column.name);
    if let Some(twice) = first_twice(names()) {
        return Err(format!("names the column `{twice}` twice"));
    }
    for column in &manifest.columns {
        if let Some((label, _)) = column.covers.iter().find(|(_, leaves)| leaves.is_empty()) {
            let name = &column.name;
            return Err(format!("says that `{label}` of `{name}` covers no values"));
        }
    }
    let is_single = manifest.tables.is_empty();
    let tables = if is_single { vec![single(manifest)] } else { manifest.tables.clone() };
    let known: HashSet<&String> = names().collect();
    for table in &tables {
        let is_guarded = is_single || table.enforces.is_some();
        if is_guarded != (table.groups > 0) {
            let (name, groups) = (&table.name, table.groups);
            return Err(format!("says that `{name}` has {groups} groups"));
        }
        check(manifest, &known, style, table)?;
    }
    match first_twice(tables.iter().flat_map(|table| &table.files)) {
        Some(twice) => Err(format!("names the file `{twice}` twice")),
        None => Ok((style, tables)),
    }
}

fn single(manifest: &Manifest) -> TableEntry {
    TableEntry {
        name: "release".to_owned(),
        columns: manifest.columns.iter().map(|c| c.name.clone()).collect(),
        enforces: None,
        strata: manifest.strata.clone(),
        rows: manifest.rows,
        groups: manifest.groups,
        classes: manifest.classes,
        files: manifest.files.clone(),
    }
}

fn check(
    manifest: &Manifest,
    known: &HashSet<&String>,
    style: Style,
    table: &TableEntry,
) -> Result<(), String> {
    let name = &table.name;
    if table.columns.is_empty() {
        return Err(format!("names no columns of `{name}`"));
    }
    if let Some(stranger) = table.columns.iter().find(|column| !known.contains(column)) {
        return Err(format!("does not describe `{stranger}`, a column of `{name}`"));
    }
    if let Some(twice) = first_twice(&table.columns) {
        return Err(format!("names the column `{twice}` of `{name}` twice"));
    }
    if table.groups > 0 && secret(manifest, table).next().is_none() {
        return Err(format!("names no column that `{name}` protects in its groups"));
    }
    if table.rows != manifest.rows {
        let (rows, all) = (table.rows, manifest.rows);
        return Err(format!("says that `{name}` has {rows} rows of {all}"));
    }
    if table.groups > table.rows {
        let (groups, rows) = (table.groups, table.rows);
        return Err(format!("says that `{name}` has {groups} groups of {rows} rows"));
    }
    if let Some(classes) = table.classes.filter(|&own| own < table.groups || own > table.rows) {
        let (groups, rows) = (table.groups, table.rows);
        return Err(format!(
            "says that `{name}` has {classes} classes in {groups} groups of {rows} rows"
        ));
    }
    if let Some(stranger) = table.files.iter().find(|file| !is_table_file(file)) {
        return Err(format!("`{stranger}` is not the name of a file of a release"));
    }
    let expected = if style == Style::Anatomy && table.groups > 0 { 2 } else { 1 };
    if table.files.len() != expected {
        let found = table.files.len();
        return Err(format!("names {found} files of `{name}`, which should have {expected}"));
    }
    Ok(())
}

/// Returns the manifest's entry about a column.
pub(super) fn described<'a>(manifest: &'a Manifest, name: &str) -> Option<&'a ColumnEntry> {
    manifest.columns.iter().find(|column| column.name == name)
}

/// Returns the columns that a table with groups protects.
pub(super) fn secret<'a>(
    manifest: &Manifest,
    table: &'a TableEntry,
) -> impl Iterator<Item = &'a String> {
    table.columns.iter().filter(|_| table.groups > 0).filter(|name| match &table.enforces {
        Some(enforces) => enforces.protect.contains(name),
        None => {
            described(manifest, name).is_some_and(|column| column.role == Role::Sensitive.name())
        }
    })
}

fn first_twice<'a>(names: impl IntoIterator<Item = &'a String>) -> Option<&'a String> {
    let mut seen = HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}
