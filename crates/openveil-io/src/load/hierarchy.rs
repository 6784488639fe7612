//! Generalisation trees from files, from policies and by rule.

use super::decimal;
use super::missing::{MISSING_LABEL, reads_missing};
use super::value::canonical;
use crate::policy::{
    ColumnPolicy, DateCut, Floor, HierarchyBuilder, HierarchySection, Period, Policy, ValueType,
};
use crate::source::{
    Encoding, delimiter, likely_delimiter, records, records_of_text, shown_delimiter, text_of,
};
use crate::{Error, ErrorKind, Location};
use openveil_core::hierarchy::{
    DateLevel, Hierarchy, HierarchyError, ROOT, dates, intervals, prefixes,
};
use openveil_text::text;
use std::collections::HashMap;
use std::path::Path;

/// Returns where a column's tree is written: its file, or the policy.
pub(crate) fn place(policy: &Policy, section: &HierarchySection, column: &str) -> Location {
    match section.file() {
        Some((path, _)) => Location::file(&policy.resolve(path)),
        None => Location::file(&policy.path).column(column),
    }
}

/// Builds the tree of a column with the distinct values `labels`, in this order.
///
/// Files have the form that ARX uses: one line per value, `leaf;level1;…;*`.
/// Leaves are read like the column's values, so `32.0` and `32` are one integer.
///
/// # Errors
/// A file that cannot be read, paths that form no tree, a rule that does not fit the column's type.
pub(super) fn build(
    policy: &Policy,
    section: &HierarchySection,
    column: &ColumnPolicy,
    name: &str,
    labels: &[String],
) -> Result<Hierarchy, Error> {
    let place = place(policy, section, name);
    let mut paths = paths(policy, section, column, &place, labels)?;
    // A missing value that is kept is a child of the root. In a table that was not published, any
    // of the texts for a missing value may occur.
    let missing = |label: &&String| reads_missing(policy, name, label);
    for label in labels.iter().filter(missing) {
        if paths.iter().all(|path| path[0] != *label) {
            paths.push(vec![label.clone(), ROOT.to_owned()]);
        }
    }
    Hierarchy::from_paths(paths)
        .map_err(|cause| Error::new(place, cause.to_string()).because(cause))
}

/// Returns the tree that states how a column's published values are related, if the policy has one.
/// The tree of a sensitive column does not state how its values are published. Callers have to look
/// for values without an entry.
///
/// # Errors
/// As for the tree of a known column.
pub fn relations(
    policy: &Policy,
    column: &ColumnPolicy,
    name: &str,
    labels: &[String],
) -> Result<Option<Hierarchy>, Error> {
    let Some(section) = &column.hierarchy else {
        return Ok(None);
    };
    let as_published = ColumnPolicy { value_type: column.published_type(), ..column.clone() };
    build(policy, section, &as_published, name, labels).map(Some)
}

/// Returns one path per value of the tree.
fn paths(
    policy: &Policy,
    section: &HierarchySection,
    column: &ColumnPolicy,
    place: &Location,
    labels: &[String],
) -> Result<Vec<Vec<String>>, Error> {
    let values = present(labels);
    if let Some(Floor::Level(level)) = column.floor {
        let paths = listed(policy, section, column, place)?;
        return Ok(paths.into_iter().map(|path| from_level(path, level)).collect());
    }
    match section {
        HierarchySection::Built(HierarchyBuilder::Intervals(widths)) => {
            if column.value_type == ValueType::Number {
                return decimal::intervals(&values, widths)
                    .map_err(|problem| Error::new(place.clone(), problem).help(NESTED));
            }
            needs(place, column, ValueType::Integer, "intervals")?;
            let numbers: Vec<i64> = values.iter().filter_map(|value| value.parse().ok()).collect();
            Ok(intervals(&numbers, &nested(place, widths)?))
        }
        HierarchySection::Built(HierarchyBuilder::Dates(cuts)) => {
            needs(place, column, ValueType::Date, "dates")?;
            Ok(match column.floor {
                Some(Floor::Period(period)) => of_periods(&values, period, cuts),
                _ => dates(&values, &date_levels(cuts)),
            })
        }
        HierarchySection::Built(HierarchyBuilder::Prefixes(keep)) => Ok(prefixes(&values, keep)),
        _ => listed(policy, section, column, place),
    }
}

/// Returns paths of periods that are no finer than a floor: `2020-03` or `2020-Q1`, `2020`, `*`.
fn of_periods(values: &[&str], period: Period, cuts: &[DateCut]) -> Vec<Vec<String>> {
    let has_years = cuts.contains(&DateCut::Year) && period != Period::Year;
    values
        .iter()
        .map(|value| {
            let above = value.rsplit_once('-').map(|(year, _)| year).filter(|_| has_years);
            [*value].into_iter().chain(above).chain([ROOT]).map(str::to_owned).collect()
        })
        .collect()
}

/// Returns a path without the labels below a level; if the path has no such level, its uppermost
/// label.
fn from_level(mut path: Vec<String>, level: usize) -> Vec<String> {
    let labels = path.iter().filter(|label| *label != ROOT).count();
    path.drain(..level.min(labels.saturating_sub(1)));
    path
}

/// Returns the label at a level for each value of a hierarchy that is listed.
///
/// # Errors
/// A file that cannot be read; a hierarchy with fewer levels.
pub(super) fn labels_of_level(
    policy: &Policy,
    section: &HierarchySection,
    column: &ColumnPolicy,
    name: &str,
    level: usize,
) -> Result<HashMap<String, String>, Error> {
    let paths = listed(policy, section, column, &place(policy, section, name))?;
    let levels = paths
        .iter()
        .map(|path| path.iter().filter(|label| *label != ROOT).count())
        .max()
        .unwrap_or(0);
    if levels <= level {
        let problem = text!(
            "has `floor = {level}`, but its hierarchy has {} above the values",
            match levels.saturating_sub(1) {
                0 => "no level".to_owned(),
                1 => "one level".to_owned(),
                above => format!("{above} levels"),
            }
        );
        return Err(Error::new(Location::file(&policy.path).column(name), problem)
            .of_kind(ErrorKind::Policy)
            .help(text!("choose a level of the hierarchy; if the column is not to be shown at all, give it the role `drop`")));
    }
    Ok(paths
        .into_iter()
        .map(|path: Vec<String>| (path[0].clone(), from_level(path, level).swap_remove(0)))
        .collect())
}

/// Returns one path per value of a tree that a file or the policy lists.
fn listed(
    policy: &Policy,
    section: &HierarchySection,
    column: &ColumnPolicy,
    place: &Location,
) -> Result<Vec<Vec<String>>, Error> {
    match section {
        HierarchySection::Path(path) => from_file(policy, (path, None), b';', None, column),
        HierarchySection::Built(HierarchyBuilder::File {
            path, delimiter: written, text, ..
        }) => match delimiter(written) {
            Ok(byte) => {
                let encoding = encoding(policy, section)?;
                from_file(policy, (path, text.as_deref()), byte, encoding, column)
            }
            Err(problem) => {
                let problem = text!("the hierarchy's `delimiter` {problem}");
                Err(Error::new(place.clone(), problem))
            }
        },
        HierarchySection::Built(HierarchyBuilder::Tree(tree)) => tree_paths(tree, place, column),
        HierarchySection::Built(_) => Ok(Vec::new()),
    }
}

/// Returns the encoding of a hierarchy's file; none for UTF-8.
fn encoding(policy: &Policy, section: &HierarchySection) -> Result<Option<Encoding>, Error> {
    let name = section.encoding().unwrap_or("utf-8");
    Encoding::named(name).map_err(|_| {
        Error::new(Location::file(&policy.path), text!("the hierarchy's encoding `{name}` is unknown")).help(
            "usual ones are \"utf-8\", \"windows-1252\" (Latin-1), \"utf-16\", \"iso-8859-2\", \"shift_jis\"",
        )
    })
}

/// Returns the text of a hierarchy's file, for a machine that does not have it; none without a file.
///
/// # Errors
/// A file that cannot be read, or is not text in its encoding.
pub fn text(policy: &Policy, section: &HierarchySection) -> Result<Option<String>, Error> {
    let Some((path, _)) = section.file() else { return Ok(None) };
    let file = policy.resolve(path);
    let encoding = encoding(policy, section)?;
    text_of(&file, DOING, encoding).map(Some)
}

/// An attempt, for messages.
const DOING: &str = "read the hierarchy";

fn date_levels(cuts: &[DateCut]) -> Vec<DateLevel> {
    cuts.iter()
        .filter_map(|cut| match cut {
            // The day is the value itself, so it needs no level.
            DateCut::Day => None,
            DateCut::Month => Some(DateLevel::Month),
            DateCut::Year => Some(DateLevel::Year),
        })
        .collect()
}

fn needs(
    place: &Location,
    column: &ColumnPolicy,
    needed: ValueType,
    rule: &str,
) -> Result<(), Error> {
    if column.value_type == needed {
        Ok(())
    } else {
        Err(Error::new(
            place.clone(),
            text!("`hierarchy = {{ {rule} = … }}` does not fit the type of the column"),
        )
        .help(match needed {
            ValueType::Date => text!("set `type = \"date\"`"),
            _ => text!("set `type = \"integer\"` or `type = \"number\"`"),
        }))
    }
}

fn present(labels: &[String]) -> Vec<&str> {
    labels.iter().map(String::as_str).filter(|label| *label != MISSING_LABEL).collect()
}

/// The requirement on widths, for messages.
const NESTED: &str = "list at least one width above 0; each must divide the next larger one; for a column of whole numbers all must be whole";

fn nested(place: &Location, widths: &[f64]) -> Result<Vec<i64>, Error> {
    let are_whole = widths.iter().all(|width| width.fract() == 0.0 && width.abs() < 1e15);
    let mut whole: Vec<i64> = widths.iter().map(|&width| width as i64).collect();
    whole.sort_unstable();
    whole.dedup();
    let fits = are_whole
        && whole.iter().all(|&width| width >= 1)
        && whole.windows(2).all(|pair| pair[1] % pair[0] == 0);
    if fits && !whole.is_empty() {
        Ok(whole)
    } else {
        Err(Error::new(
            place.clone(),
            text!("intervals of widths {} do not nest", decimal::listed(widths)),
        )
        .help(NESTED))
    }
}

fn from_file(
    policy: &Policy,
    (written, text): (&Path, Option<&str>),
    delimiter: u8,
    encoding: Option<Encoding>,
    column: &ColumnPolicy,
) -> Result<Vec<Vec<String>>, Error> {
    let path = &policy.resolve(written);
    let remedy = || {
        let path = written.display().to_string();
        let divided = match delimiter {
            b';' => String::new(),
            other => format!("delimiter = \"{}\", ", shown_delimiter(other)),
        };
        text!(
            "save the file as UTF-8, or name its encoding: `hierarchy = {{ file = {{ path = {path:?}, {divided}encoding = \"windows-1252\" }} }}`"
        )
    };
    let records = match text {
        Some(text) => records_of_text(path, text, delimiter),
        None => records(path, DOING, delimiter, encoding, &remedy()),
    }?;
    one_field_only(path, written, delimiter, &records)?;
    let mut first_of: HashMap<String, usize> = HashMap::new();
    let mut paths: Vec<Vec<String>> = Vec::new();
    for (line, mut path_up) in records {
        let place = || Location::file(path).line(line);
        path_up[0] =
            canonical(column, &path_up[0]).map_err(|problem| Error::new(place(), problem))?;
        let before = *first_of.entry(path_up[0].clone()).or_insert(paths.len());
        if paths.get(before).is_some_and(|other| *other != path_up) {
            let value = path_up.swap_remove(0);
            let cause = HierarchyError::TwoPaths { value };
            return Err(Error::new(place(), cause.to_string()).because(cause));
        }
        paths.push(path_up);
    }
    Ok(paths)
}

/// Refuses a file whose lines are one field each and hold another delimiter.
fn one_field_only(
    path: &Path,
    written: &Path,
    delimiter: u8,
    records: &[(u64, Vec<String>)],
) -> Result<(), Error> {
    let likely = match records.first() {
        Some((_, fields)) if records.iter().all(|(_, fields)| fields.len() == 1) => {
            likely_delimiter(&fields[0])
        }
        _ => None,
    };
    let Some(likely) = likely else { return Ok(()) };
    let (used, likely) = (shown_delimiter(delimiter), shown_delimiter(likely));
    let problem = text!(
        "no line is split by `{used}` into a value and its levels; the delimiter seems to be `{likely}`"
    );
    Err(Error::new(Location::file(path), problem).help(text!(
        "set it in the policy: `hierarchy = {{ file = {{ path = \"{}\", delimiter = \"{likely}\" }} }}`",
        written.display()
    )))
}

/// Returns one path per value of a tree that is written as nested tables.
fn tree_paths(
    tree: &toml::Table,
    place: &Location,
    column: &ColumnPolicy,
) -> Result<Vec<Vec<String>>, Error> {
    let mut paths = Vec::new();
    let mut open: Vec<(Vec<String>, &toml::Value)> =
        tree.iter().map(|(label, below)| (vec![label.clone()], below)).collect();
    open.reverse();
    while let Some((above, value)) = open.pop() {
        match value {
            toml::Value::Table(below) => {
                let children = below.iter().rev().map(|(label, value)| {
                    let mut path = above.clone();
                    path.push(label.clone());
                    (path, value)
                });
                open.extend(children);
            }
            toml::Value::Array(leaves) => {
                for leaf in leaves {
                    let leaf = match leaf {
                        toml::Value::String(text) => text.clone(),
                        toml::Value::Integer(number) => number.to_string(),
                        toml::Value::Float(number) => number.to_string(),
                        _ => {
                            let problem = "contains a leaf that is neither text nor a number";
                            return Err(Error::new(place.clone(), problem));
                        }
                    };
                    let leaf = canonical(column, &leaf)
                        .map_err(|problem| Error::new(place.clone(), problem))?;
                    paths.push(std::iter::once(leaf).chain(above.iter().rev().cloned()).collect());
                }
            }
            _ => {
                return Err(Error::new(
                    place.clone(),
                    text!(
                        "`{}` in the tree is neither a table nor a list of values",
                        above.join(" > ")
                    ),
                )
                .help(text!(
                    "write `tree = {{ Europe = [\"France\", \"Spain\"], Asia = [\"Japan\"] }}`"
                )));
            }
        }
    }
    Ok(paths)
}
