//! Files about values: categories, orders and trees.

use super::ForColumn;
use openveil_core::hierarchy::Hierarchy;
use openveil_io::load;
use openveil_io::load::reads_missing;
use openveil_io::policy::Policy;
use openveil_io::{Error, Location, source};
use openveil_text::text;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Returns the file for a sensitive column, if there is one. A file that names no column is for the
/// only one; [`check`] has ensured this.
pub(super) fn about<'a>(files: &'a [ForColumn], column: &str) -> Option<&'a Path> {
    files
        .iter()
        .find(|file| file.column.as_ref().is_none_or(|name| name == column))
        .map(|file| file.file.as_path())
}

/// Checks that every file is for a sensitive column.
pub(super) fn check(files: &[ForColumn], option: &str, columns: &[String]) -> Result<(), Error> {
    for file in files {
        let place = Location::file(&file.file);
        match &file.column {
            Some(name) if !columns.contains(name) => {
                return Err(Error::new(
                    place,
                    text!("`--{option}` names `{name}`, which is not a sensitive column"),
                )
                .help(text!("sensitive here: {}", columns.join(", "))));
            }
            None if columns.len() > 1 => {
                return Err(Error::new(
                    place,
                    text!("`--{option}` does not say which sensitive column it is for"),
                )
                .help(text!("write `--{option} {}=FILE`", columns[0])));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the category of each value, and the number of categories in the file. The first one is
/// the most sensitive.
pub(super) fn categories(file: &Path, values: &[String]) -> Result<(Vec<u32>, usize), Error> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut category_of: HashMap<String, u32> = HashMap::new();
    for (line, fields) in records(file)? {
        let place = Location::file(file).line(line);
        let [value, category] = <[String; 2]>::try_from(fields).map_err(|fields| {
            let problem = text!("has {} fields where 2 are expected", fields.len());
            Error::new(place.clone(), problem).help("write `value;category` on every line")
        })?;
        let next = numbers.len() as u32;
        let number = *numbers.entry(category).or_insert(next);
        if *category_of.entry(value.clone()).or_insert(number) != number {
            return Err(Error::new(place, text!("puts `{value}` into a second category")));
        }
    }
    let found = values.iter().map(|value| {
        let category = category_of.get(value).copied();
        category.ok_or_else(|| lacks(file, value, "no category for", "value;category"))
    });
    Ok((found.collect::<Result<_, _>>()?, numbers.len()))
}

/// Returns the position of each value in an order, least first.
pub(super) fn order(file: &Path, values: &[String]) -> Result<Vec<u32>, Error> {
    let mut position_of: HashMap<String, u32> = HashMap::new();
    for (line, mut fields) in records(file)? {
        let next = position_of.len() as u32;
        let value = fields.swap_remove(0);
        if position_of.insert(value.clone(), next).is_some() {
            let place = Location::file(file).line(line);
            return Err(Error::new(place, text!("names `{value}` a second time")));
        }
    }
    values
        .iter()
        .map(|value| {
            position_of
                .get(value)
                .copied()
                .ok_or_else(|| lacks(file, value, "no place for", "value"))
        })
        .collect()
}

/// Reads a tree that contains all of the values, in the form that ARX uses: `leaf;level1;…;*`.
pub(super) fn hierarchy(file: &Path, values: &[String]) -> Result<Hierarchy, Error> {
    let paths = records(file)?.into_iter().map(|(_, fields)| fields);
    let tree = Hierarchy::from_paths(paths)
        .map_err(|cause| Error::new(Location::file(file), cause.to_string()))?;
    match without_entry(&tree, values) {
        Some(value) => Err(lacks(file, value, "no entry for", "leaf;level1;…;*")),
        None => Ok(tree),
    }
}

/// Returns the tree of a policy's column, with all of the values; none if the column has no tree.
pub(super) fn described_hierarchy(
    policy: &Policy,
    column: &str,
    values: &[String],
) -> Result<Option<Hierarchy>, Error> {
    let Some(described) = policy.columns.get(column) else {
        return Ok(None);
    };
    let tree = load::hierarchy::relations(policy, described, column, values)?;
    match tree.as_ref().and_then(|tree| without_entry(tree, values)) {
        Some(value) => Err(strange(policy, column, "`hierarchy` has no entry for", value)),
        None => Ok(tree),
    }
}

/// Returns the position of each value in the order of a policy's column, missing values first; none
/// if the column has no order.
pub(super) fn described_order(
    policy: &Policy,
    column: &str,
    values: &[String],
) -> Result<Option<Vec<u32>>, Error> {
    let described = policy.columns.get(column);
    let Some(order) = described.and_then(|described| described.order.as_ref()) else {
        return Ok(None);
    };
    let position_of: HashMap<&str, u32> = order.iter().map(String::as_str).zip(1..).collect();
    let found = values.iter().map(|value| {
        let position = if reads_missing(policy, column, value) {
            Some(0)
        } else {
            position_of.get(value.as_str()).copied()
        };
        position.ok_or_else(|| strange(policy, column, "`order` does not list", value))
    });
    found.collect::<Result<_, _>>().map(Some)
}

/// The error for a value of the audited table that the policy does not know.
fn strange(policy: &Policy, column: &str, what: &str, value: &str) -> Error {
    let problem = text!("{what} the value `{value}` of the audited table");
    Error::new(Location::file(&policy.path).column(column), problem)
        .help(text!("add the value there, or name a file: `--order FILE`, `--hierarchy FILE`"))
}

fn without_entry<'a>(tree: &Hierarchy, values: &'a [String]) -> Option<&'a String> {
    let known: HashSet<&str> = tree.leaf_labels().collect();
    values.iter().find(|value| !known.contains(value.as_str()))
}

fn lacks(file: &Path, value: &str, what: &str, form: &str) -> Error {
    Error::new(
        Location::file(file),
        text!("has {what} the value `{value}` of the sensitive column"),
    )
    .help(text!("add a line `{form}` for it"))
}

/// The fields of each line, with the line's number.
fn records(file: &Path) -> Result<Vec<(u64, Vec<String>)>, Error> {
    let remedy = text!("save the file as UTF-8");
    let records = source::records(file, "read the file", b';', None, &remedy)?;
    if records.is_empty() {
        return Err(Error::new(Location::file(file), "is empty"));
    }
    Ok(records)
}
