//! From text and a policy to a table that algorithms understand.

mod hierarchy;
mod missing;
mod omitted;
mod rules;
mod sensitive;
mod values;
mod warnings;

pub(crate) use hierarchy::lines;
pub use missing::MISSING_LABEL;
pub use omitted::{MissingCount, Omitted};
pub use rules::{Attribute, Attributes, load_attributes};

use crate::policy::{Column, Policy, Role, did_you_mean};
use crate::source::{Progress, RawColumn, RawTable};
use crate::{Error, Place};
use openveil::release::Style;
use openveil::table::{Domain, QuasiIdentifier, Table};
use values::ReadValues;
pub(crate) use values::recode;

/// A table, and what did not get into it.
#[derive(Debug)]
pub struct Loaded {
    /// The table.
    pub table: Table,
    /// What was left out, for the manifest.
    pub omitted: Omitted,
    /// Things about the input that the owner should know.
    pub warnings: Vec<String>,
    /// The published columns in the order of the file.
    pub published: Vec<String>,
}

/// Reads the table that a policy describes.
///
/// # Errors
/// Whatever is wrong with the input: its place, the problem and what to do.
pub fn load(policy: &Policy, progress: Progress<'_>) -> Result<Loaded, Error> {
    if policy.rules.is_some() {
        let place = Place::file(&policy.path);
        let problem = "has [[rules]]: there is no one column that is sensitive";
        let help = "rules are for `publish`, `query` and `attack`; for this, write a policy with `quasi-identifier` and `sensitive` columns";
        return Err(Error::new(place, problem).help(help));
    }
    let (raw, omitted, published) = read(policy, progress)?;
    let table = table(policy, raw)?;
    let warnings = warnings::warnings(policy, &table, &omitted);
    Ok(Loaded {
        table,
        omitted,
        warnings,
        published,
    })
}

/// The table as text, what did not get into it, and its published columns.
fn read(
    policy: &Policy,
    progress: Progress<'_>,
) -> Result<(RawTable, Omitted, Vec<String>), Error> {
    let choose = |names: &[String]| {
        check_header(policy, names)?;
        Ok(names
            .iter()
            .map(|name| policy.columns[name].role != Role::Drop)
            .collect())
    };
    let mut raw = policy.source.read(&choose, progress)?;
    let names_of = |role: Role| -> Vec<String> {
        let columns = raw
            .columns
            .iter()
            .filter(|column| policy.columns[&column.name].role == role);
        columns.map(|column| column.name.clone()).collect()
    };
    let mut omitted = Omitted {
        identifiers: names_of(Role::Identifier),
        dropped: names_of(Role::Drop),
        input_rows: raw.rows,
        ..Omitted::default()
    };
    let published = raw
        .columns
        .iter()
        .filter(|column| policy.columns[&column.name].role.is_published())
        .map(|column| column.name.clone())
        .collect();
    missing::handle(policy, &mut raw, &mut omitted)?;
    omitted.repeated_identifiers = repeated_identifiers(policy, &raw);
    Ok((raw, omitted, published))
}

/// Identifiers that some rows share: those rows may be one person's.
fn repeated_identifiers(policy: &Policy, raw: &RawTable) -> Vec<String> {
    let repeats = |column: &&RawColumn| {
        let mut seen = vec![false; column.values.len()];
        policy.columns[&column.name].role == Role::Identifier
            && column
                .codes
                .iter()
                .any(|&code| std::mem::replace(&mut seen[code as usize], true))
    };
    raw.columns
        .iter()
        .filter(repeats)
        .map(|column| column.name.clone())
        .collect()
}

/// Every column of the file has a role, and every role has a column.
fn check_header(policy: &Policy, names: &[String]) -> Result<(), Error> {
    let without: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !policy.columns.contains_key(*name))
        .collect();
    if !without.is_empty() {
        return Err(Error::new(
            Place::file(&policy.path),
            format!(
                "gives no role to the column{} {}",
                plural(without.len()),
                quoted(&without)
            ),
        )
        .help(no_role_help(policy, names, without[0])));
    }
    check_names(policy)?;
    for name in policy.columns.keys() {
        if !names.contains(name) {
            let error = Error::new(
                Place::file(&policy.path),
                format!("describes the column `{name}`, which the table does not have"),
            );
            let known = names.iter().map(String::as_str);
            return Err(match did_you_mean(name, known) {
                Some(close) => error.help(format!("did you mean `{close}`?")),
                None => error.help(format!("the table has {}", names.join(", "))),
            });
        }
    }
    Ok(())
}

fn no_role_help(policy: &Policy, names: &[String], without: &str) -> String {
    if names.len() == 1 && policy.columns.len() > 1 {
        return "the table has one column only; is its `delimiter` another one?".to_owned();
    }
    let described = policy.columns.keys().map(String::as_str);
    let strangers = described.filter(|name| !names.iter().any(|known| known == name));
    match did_you_mean(without, strangers) {
        Some(close) => format!(
            "the policy describes `{close}`, which the table does not have; is `{without}` meant?"
        ),
        None => format!(
            "nothing is published by oversight: add `{without:?} = {{ role = \"drop\" }}` or another role under [columns]"
        ),
    }
}

/// The release adds columns of its own, which the table's must not be named like.
fn check_names(policy: &Policy) -> Result<(), Error> {
    let taken = |(name, column): &(&String, &Column)| match name.as_str() {
        "group" => column.role.is_published(),
        "count" => {
            let secret = matches!(column.role, Role::Sensitive | Role::Attribute);
            secret && policy.style == Style::Anatomy
        }
        _ => false,
    };
    match policy.columns.iter().find(taken) {
        None => Ok(()),
        Some((name, _)) => Err(Error::new(
            Place::file(&policy.source.path).column(name),
            "has the name of a column that the release adds",
        )
        .help("rename the column in the table, or give it the role `drop`")),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn table(policy: &Policy, mut raw: RawTable) -> Result<Table, Error> {
    let mut quasi_identifiers = Vec::new();
    for index in 0..raw.columns.len() {
        let column = &policy.columns[&raw.columns[index].name];
        if column.role == Role::QuasiIdentifier {
            quasi_identifiers.push(quasi_identifier(policy, column, &mut raw, index)?);
        }
    }
    let sensitive = sensitive::sensitive(policy, &mut raw)?;
    Table::new(quasi_identifiers, sensitive)
        .map_err(|cause| Error::new(Place::file(&policy.source.path), cause.to_string()))
}

fn quasi_identifier(
    policy: &Policy,
    column: &Column,
    raw: &mut RawTable,
    index: usize,
) -> Result<QuasiIdentifier, Error> {
    let read = ReadValues::of(policy, column, raw, &raw.columns[index])?;
    let (domain, code_of) = domain(policy, column, raw, index, &read)?;
    let raw_column = &mut raw.columns[index];
    let codes = recode(std::mem::take(&mut raw_column.codes), &code_of);
    Ok(QuasiIdentifier::new(raw_column.name.clone(), codes, domain).with_weight(column.weight))
}

/// The domain of a column, and the code in it of each value of the dictionary.
fn domain(
    policy: &Policy,
    column: &Column,
    raw: &RawTable,
    index: usize,
    read: &ReadValues,
) -> Result<(Domain, Vec<u32>), Error> {
    let raw_column = &raw.columns[index];
    if let Some(section) = &column.hierarchy {
        let file = hierarchy::place(policy, section, &raw_column.name);
        let tree = hierarchy::build(policy, section, column, &raw_column.name, read.labels())?;
        let labels: Vec<String> = tree.leaf_labels().map(str::to_owned).collect();
        let code_of = positions(raw, raw_column, read, &labels, |value| {
            Error::new(
                file.clone(),
                format!("has no entry for the value `{value}`"),
            )
            .help("add the value to the hierarchy, or correct it in the table")
        })?;
        return Ok((Domain::tree(tree), code_of));
    }
    if let Some(order) = &column.order {
        // A missing value that is kept counts as less than all others.
        let kept = read
            .labels()
            .first()
            .filter(|label| *label == MISSING_LABEL);
        let order: Vec<String> = kept.into_iter().chain(order).cloned().collect();
        let code_of = positions(raw, raw_column, read, &order, |value| {
            let place = Place::file(&policy.path).column(&raw_column.name);
            Error::new(
                place,
                format!("`order` has no place for the value `{value}`"),
            )
            .help("list every value of the column, least first")
        })?;
        return Ok((Domain::ordered(order), code_of));
    }
    let labels = read.labels().iter().map(String::as_str);
    let domain = if read.is_ordered() {
        Domain::ordered(labels)
    } else {
        Domain::unordered(labels)
    };
    Ok((domain, read.ranks().to_vec()))
}

/// For each value of the dictionary, its position in a list of labels.
fn positions(
    raw: &RawTable,
    column: &RawColumn,
    read: &ReadValues,
    labels: &[String],
    absent: impl Fn(&str) -> Error,
) -> Result<Vec<u32>, Error> {
    let position_of: std::collections::HashMap<&str, u32> = labels
        .iter()
        .enumerate()
        .map(|(i, label)| (label.as_str(), i as u32))
        .collect();
    let code = |(code, &rank): (usize, &u32)| {
        if rank == ReadValues::UNUSED {
            return Ok(0);
        }
        let label = &read.labels()[rank as usize];
        position_of.get(label.as_str()).copied().ok_or_else(|| {
            let seen = raw.place_of(column, code as u32);
            let error = absent(label);
            let problem = format!("{} (first seen in {seen})", error.problem());
            error.with_problem(problem)
        })
    };
    read.ranks().iter().enumerate().map(code).collect()
}

#[cfg(test)]
mod tests;
