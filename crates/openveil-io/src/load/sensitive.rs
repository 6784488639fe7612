//! The sensitive column: coarsened, combined, with what needs no protection.

use super::hierarchy;
use super::missing::MISSING_LABEL;
use super::values::{ReadValues, Value, recode};
use crate::policy::{Coarsening, Column, Policy, Role, ValueType, did_you_mean};
use crate::source::RawTable;
use crate::{Error, Place};
use openveil::hierarchy::Hierarchy;
use openveil::table::Sensitive;
use std::collections::{BTreeSet, HashMap, HashSet};

/// One sensitive column, read and coarsened.
struct Part {
    name: String,
    codes: Vec<u32>,
    labels: Vec<String>,
    exempt: Vec<bool>,
    hierarchy: Option<Hierarchy>,
}

/// Makes the sensitive column of a table, from one column or several.
pub(super) fn sensitive(policy: &Policy, raw: &mut RawTable) -> Result<Sensitive, Error> {
    let mut parts = Vec::new();
    for index in 0..raw.columns.len() {
        let column = &policy.columns[&raw.columns[index].name];
        if column.role == Role::Sensitive {
            parts.push(part(policy, column, raw, index)?);
        }
    }
    let sensitive = combine(parts);
    if sensitive.exempt().iter().all(|&exempt| exempt) {
        return Err(Error::new(
            Place::file(&policy.path).column(sensitive.name()),
            "every value is exempt; there is nothing left to protect",
        ));
    }
    Ok(sensitive)
}

fn part(policy: &Policy, column: &Column, raw: &mut RawTable, index: usize) -> Result<Part, Error> {
    let raw_column = &raw.columns[index];
    let name = raw_column.name.clone();
    let read = ReadValues::of(policy, column, raw, raw_column)?;
    let (labels, class_of) = match &column.coarsening {
        None => (
            read.labels().to_vec(),
            (0..read.labels().len() as u32).collect(),
        ),
        Some(coarsening) => coarsen(policy, &name, coarsening, &read, &raw_column.codes)?,
    };
    let (labels, class_of) = match &column.order {
        None => (labels, class_of),
        Some(order) => reorder(policy, &name, order, labels, class_of)?,
    };
    let exempt = exempt(policy, &name, column, &labels)?;
    let hierarchy = relations(policy, &name, column, &labels)?;
    let code_of: Vec<u32> = read
        .ranks()
        .iter()
        .map(|&rank| class_of.get(rank as usize).copied().unwrap_or(0))
        .collect();
    let codes = recode(std::mem::take(&mut raw.columns[index].codes), &code_of);
    Ok(Part {
        name,
        codes,
        labels,
        exempt,
        hierarchy,
    })
}

/// The values in the order of the policy, a missing one before all others.
fn reorder(
    policy: &Policy,
    name: &str,
    order: &[String],
    labels: Vec<String>,
    class_of: Vec<u32>,
) -> Result<(Vec<String>, Vec<u32>), Error> {
    let kept = labels.iter().any(|label| label == MISSING_LABEL);
    let missing = kept.then(|| MISSING_LABEL.to_owned());
    let order: Vec<String> = missing.into_iter().chain(order.iter().cloned()).collect();
    let place_of = |label: &String| {
        let position = order.iter().position(|known| known == label);
        position.map(|position| position as u32).ok_or_else(|| {
            let problem = format!("`order` has no place for the value `{label}`");
            let error = Error::new(Place::file(&policy.path).column(name), problem);
            error.help("list every value of the column as it is published, least first")
        })
    };
    let places = labels
        .iter()
        .map(place_of)
        .collect::<Result<Vec<u32>, _>>()?;
    let class_of = class_of
        .iter()
        .map(|&class| places[class as usize])
        .collect();
    Ok((order, class_of))
}

/// The tree that says how values are related, with every value in it.
fn relations(
    policy: &Policy,
    name: &str,
    column: &Column,
    labels: &[String],
) -> Result<Option<Hierarchy>, Error> {
    let Some(section) = &column.hierarchy else {
        return Ok(None);
    };
    // Once coarsened, values are text.
    let as_published = Column {
        value_type: match column.coarsening {
            Some(_) => ValueType::Text,
            None => column.value_type,
        },
        ..column.clone()
    };
    let tree = hierarchy::build(policy, section, &as_published, name, labels)?;
    let known: HashSet<&str> = tree.leaf_labels().collect();
    if let Some(absent) = labels.iter().find(|label| !known.contains(label.as_str())) {
        let place = hierarchy::place(policy, section, name);
        let error = Error::new(place, format!("has no entry for the value `{absent}`"));
        return Err(error.help("add the value to the hierarchy, or correct it in the table"));
    }
    Ok(Some(tree))
}

pub(super) fn exempt(
    policy: &Policy,
    name: &str,
    column: &Column,
    labels: &[String],
) -> Result<Vec<bool>, Error> {
    for value in &column.exempt {
        if !labels.contains(value) {
            let place = Place::file(&policy.path).column(name);
            let error = Error::new(place, format!("`exempt` names `{value}`, which no row has"));
            return Err(
                match did_you_mean(value, labels.iter().map(String::as_str)) {
                    Some(close) => error.help(format!("did you mean `{close}`?")),
                    None => error.help("name values as they are published"),
                },
            );
        }
    }
    Ok(labels
        .iter()
        .map(|label| column.exempt.contains(label))
        .collect())
}

/// The labels of the classes, and the class of each value by rank.
pub(super) fn coarsen(
    policy: &Policy,
    name: &str,
    coarsening: &Coarsening,
    read: &ReadValues,
    codes: &[u32],
) -> Result<(Vec<String>, Vec<u32>), Error> {
    let classes: Vec<String> = match coarsening {
        Coarsening::Prefix(length) => {
            let cut = |(value, label): (&Value, &String)| match value {
                Value::Missing => label.clone(),
                _ => label.chars().take(*length).collect(),
            };
            read.values().iter().zip(read.labels()).map(cut).collect()
        }
        Coarsening::Bins(borders) => {
            let numbers = numbers(policy, name, read)?;
            numbers.iter().map(|number| bin(borders, *number)).collect()
        }
        Coarsening::Quantiles(parts) => {
            numbers(policy, name, read)?;
            quantiles(*parts, read, codes)
        }
    };
    let mut labels: Vec<String> = Vec::new();
    let mut class_of: HashMap<String, u32> = HashMap::new();
    let class_of_rank = classes
        .into_iter()
        .map(|class| {
            *class_of.entry(class.clone()).or_insert_with(|| {
                labels.push(class);
                labels.len() as u32 - 1
            })
        })
        .collect();
    Ok((labels, class_of_rank))
}

/// The values as numbers; a missing one stands apart from every bin.
fn numbers(policy: &Policy, name: &str, read: &ReadValues) -> Result<Vec<Option<f64>>, Error> {
    let number = |value: &Value| match value {
        Value::Integer(number) => Ok(Some(*number as f64)),
        Value::Number(number) => Ok(Some(*number)),
        Value::Missing => Ok(None),
        Value::Date(_) | Value::Text(_) => Err(Error::new(
            Place::file(&policy.path).column(name),
            "`bins` and `quantiles` are for numbers",
        )
        .help("say `type = \"integer\"` or `type = \"number\"`")),
    };
    read.values().iter().map(number).collect()
}

fn bin(borders: &[f64], number: Option<f64>) -> String {
    let Some(number) = number else {
        return Value::Missing.label();
    };
    match borders.partition_point(|&border| border <= number) {
        0 => format!("< {}", borders[0]),
        last if last == borders.len() => format!(">= {}", borders[last - 1]),
        next => format!("[{}, {})", borders[next - 1], borders[next]),
    }
}

/// Closed intervals of values with about equally many rows each. They depend on
/// the column's histogram alone.
fn quantiles(parts: u32, read: &ReadValues, codes: &[u32]) -> Vec<String> {
    let mut counts = vec![0u64; read.labels().len()];
    for &code in codes {
        counts[read.ranks()[code as usize] as usize] += 1;
    }
    let missing = usize::from(read.values().first() == Some(&Value::Missing));
    let rows: u64 = counts[missing..].iter().sum();
    let mut before = 0;
    let mut class = Vec::with_capacity(counts.len());
    for &count in &counts[missing..] {
        // A value belongs where the middle of its rows lies.
        class.push((2 * before + count) * u64::from(parts) / (2 * rows.max(1)));
        before += count;
    }
    let mut labels = vec![Value::Missing.label(); missing];
    for run in class.chunk_by(|a, b| a == b) {
        let (low, high) = (labels.len(), labels.len() + run.len() - 1);
        let label = match low == high {
            true => read.labels()[low].clone(),
            false => format!("[{}, {}]", read.labels()[low], read.labels()[high]),
        };
        labels.extend(std::iter::repeat_n(label, run.len()));
    }
    labels
}

/// Joins several sensitive columns into one of combinations, in their order. A
/// combination needs no protection if none of its parts does.
fn combine(mut parts: Vec<Part>) -> Sensitive {
    if parts.len() == 1 {
        let part = parts.remove(0);
        let sensitive = Sensitive::new(part.name, part.codes, part.labels);
        let sensitive = sensitive.with_exempt(part.exempt);
        return match part.hierarchy {
            Some(hierarchy) => sensitive.with_hierarchy(hierarchy),
            None => sensitive,
        };
    }
    let rows = parts.first().map_or(0, |part| part.codes.len());
    let tuple = |row: usize| -> Vec<u32> { parts.iter().map(|part| part.codes[row]).collect() };
    let tuples: BTreeSet<Vec<u32>> = (0..rows).map(tuple).collect();
    let code_of: HashMap<&[u32], u32> = tuples
        .iter()
        .enumerate()
        .map(|(code, tuple)| (tuple.as_slice(), code as u32))
        .collect();
    let codes = (0..rows)
        .map(|row| code_of[tuple(row).as_slice()])
        .collect();
    let labels = tuples.iter().map(|tuple| -> Vec<String> {
        let label = |(part, &code): (&Part, &u32)| part.labels[code as usize].clone();
        parts.iter().zip(tuple).map(label).collect()
    });
    let exempt = tuples.iter().map(|tuple| {
        parts
            .iter()
            .zip(tuple)
            .all(|(part, &code)| part.exempt[code as usize])
    });
    let names = parts.iter().map(|part| part.name.clone()).collect();
    Sensitive::combined(names, codes, labels).with_exempt(exempt.collect())
}
