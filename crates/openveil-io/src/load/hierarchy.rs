//! Generalisation trees from files, from policies and by rule.

use super::missing::MISSING_LABEL;
use super::values::canonical;
use crate::policy::{Column, DateCut, HierarchyBuilder, HierarchySection, Policy, ValueType};
use crate::{Error, Location};
use openveil::hierarchy::{DateLevel, Hierarchy, ROOT, dates, intervals, prefixes};
use std::path::Path;

/// Where a column's tree is written: its file, or the policy.
pub(super) fn place(policy: &Policy, section: &HierarchySection, column: &str) -> Location {
    match section {
        HierarchySection::Path(path)
        | HierarchySection::Built(HierarchyBuilder::File { path, .. }) => {
            Location::file(&policy.resolve(path))
        }
        HierarchySection::Built(_) => Location::file(&policy.path).column(column),
    }
}

/// Makes the tree of a column whose distinct values, in order, are `labels`.
///
/// Files have the form that ARX uses: one line per value, `leaf;level1;…;*`.
/// Leaves are read like the column's values, so `32.0` and `32` are one integer.
///
/// # Errors
/// A file that cannot be read, a tree that is none, a rule that does not fit the
/// column's type.
pub(super) fn build(
    policy: &Policy,
    section: &HierarchySection,
    column: &Column,
    name: &str,
    labels: &[String],
) -> Result<Hierarchy, Error> {
    let place = place(policy, section, name);
    let mut paths = paths(policy, section, column, &place, labels)?;
    // A missing value that is kept stands right under the root.
    let kept = labels.iter().any(|label| label == MISSING_LABEL);
    if kept && paths.iter().all(|path| path[0] != MISSING_LABEL) {
        paths.push(vec![MISSING_LABEL.to_owned(), ROOT.to_owned()]);
    }
    Hierarchy::from_paths(paths).map_err(|cause| Error::new(place, cause.to_string()))
}

/// One path per value of the tree.
fn paths(
    policy: &Policy,
    section: &HierarchySection,
    column: &Column,
    place: &Location,
    labels: &[String],
) -> Result<Vec<Vec<String>>, Error> {
    let values = present(labels);
    match section {
        HierarchySection::Path(path) => from_file(&policy.resolve(path), b';', column),
        HierarchySection::Built(HierarchyBuilder::File { path, delimiter }) => {
            match delimiter.as_bytes() {
                [byte] => from_file(&policy.resolve(path), *byte, column),
                _ => Err(Error::new(
                    place.clone(),
                    "the hierarchy's `delimiter` is not one ASCII character",
                )),
            }
        }
        HierarchySection::Built(HierarchyBuilder::Tree(tree)) => tree_paths(tree, place, column),
        HierarchySection::Built(HierarchyBuilder::Intervals(widths)) => {
            needs(place, column, ValueType::Integer, "intervals")?;
            let numbers: Vec<i64> = values
                .iter()
                .filter_map(|value| value.parse().ok())
                .collect();
            Ok(intervals(&numbers, &nested(place, widths)?))
        }
        HierarchySection::Built(HierarchyBuilder::Dates(cuts)) => {
            needs(place, column, ValueType::Date, "dates")?;
            Ok(dates(&values, &date_levels(cuts)))
        }
        HierarchySection::Built(HierarchyBuilder::Prefixes(keep)) => Ok(prefixes(&values, keep)),
    }
}

fn date_levels(cuts: &[DateCut]) -> Vec<DateLevel> {
    let level = |cut: &DateCut| match cut {
        // The day is the date itself.
        DateCut::Day => None,
        DateCut::Month => Some(DateLevel::Month),
        DateCut::Year => Some(DateLevel::Year),
    };
    cuts.iter().filter_map(level).collect()
}

fn needs(place: &Location, column: &Column, needed: ValueType, rule: &str) -> Result<(), Error> {
    match column.value_type == needed {
        true => Ok(()),
        false => Err(Error::new(
            place.clone(),
            format!("`hierarchy = {{ {rule} = … }}` is for another type of column"),
        )
        .help(match needed {
            ValueType::Date => "say `type = \"date\"`",
            _ => "say `type = \"integer\"`",
        })),
    }
}

fn present(labels: &[String]) -> Vec<&str> {
    labels
        .iter()
        .map(String::as_str)
        .filter(|label| *label != MISSING_LABEL)
        .collect()
}

fn nested(place: &Location, widths: &[i64]) -> Result<Vec<i64>, Error> {
    let mut widths = widths.to_vec();
    widths.sort_unstable();
    widths.dedup();
    let fits = widths.iter().all(|&width| width >= 1)
        && widths.windows(2).all(|pair| pair[1] % pair[0] == 0);
    match fits && !widths.is_empty() {
        true => Ok(widths),
        false => Err(Error::new(
            place.clone(),
            format!("intervals of the widths {widths:?} do not nest"),
        )
        .help("list at least one width; each must be at least 1 and divide the next larger one")),
    }
}

fn from_file(path: &Path, delimiter: u8, column: &Column) -> Result<Vec<Vec<String>>, Error> {
    let bytes =
        std::fs::read(path).map_err(|cause| Error::io(path, "read the hierarchy", &cause))?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Error::new(Location::file(path), "is not UTF-8 text"))?;
    let mut paths = Vec::new();
    for (line, fields) in lines(text, delimiter) {
        let mut path_up = fields;
        let leaf = canonical(column, &path_up[0]);
        path_up[0] =
            leaf.map_err(|problem| Error::new(Location::file(path).line(line), problem))?;
        paths.push(path_up);
    }
    Ok(paths)
}

/// The fields of each line that is not empty, with the line's number.
pub(crate) fn lines(text: &str, delimiter: u8) -> Vec<(u64, Vec<String>)> {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let mut input = text.as_bytes();
    let mut output = vec![0; input.len() + 1];
    let mut ends = vec![0; input.len() + 2];
    let mut lines = Vec::new();
    loop {
        let line = reader.line();
        // The buffers are as large as the whole file, so a record always fits;
        // the last one is completed by a second call without input.
        let (mut text_len, mut ends_len) = (0, 0);
        loop {
            let (result, read, written, ended) =
                reader.read_record(input, &mut output[text_len..], &mut ends[ends_len..]);
            input = &input[read..];
            text_len += written;
            ends_len += ended;
            match result {
                csv_core::ReadRecordResult::Record => break,
                csv_core::ReadRecordResult::End => return lines,
                _ => {}
            }
        }
        let mut start = 0;
        let fields = ends[..ends_len].iter().map(|&end| {
            let field = String::from_utf8_lossy(&output[start..end])
                .trim()
                .to_owned();
            start = end;
            field
        });
        lines.push((line, fields.collect()));
    }
}

/// One path per value of a tree written as nested tables.
fn tree_paths(
    tree: &toml::Table,
    place: &Location,
    column: &Column,
) -> Result<Vec<Vec<String>>, Error> {
    let mut paths = Vec::new();
    let mut open: Vec<(Vec<String>, &toml::Value)> = tree
        .iter()
        .map(|(label, below)| (vec![label.clone()], below))
        .collect();
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
                            let problem = "holds a leaf that is neither text nor a number";
                            return Err(Error::new(place.clone(), problem));
                        }
                    };
                    let leaf = canonical(column, &leaf)
                        .map_err(|problem| Error::new(place.clone(), problem))?;
                    paths.push(
                        std::iter::once(leaf)
                            .chain(above.iter().rev().cloned())
                            .collect(),
                    );
                }
            }
            _ => {
                return Err(Error::new(
                    place.clone(),
                    format!(
                        "`{}` in the tree is neither a table nor a list of values",
                        above.join(" > ")
                    ),
                )
                .help("write `tree = { Europe = [\"France\", \"Spain\"], Asia = [\"Japan\"] }`"));
            }
        }
    }
    Ok(paths)
}
