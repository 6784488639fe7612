//! The true answer, for the owner.

use super::scale::Matcher;
use crate::policy::Policy;
use crate::{Error, Place, load};
use openveil::table::Table;
use std::collections::HashMap;

/// How many rows of the owner's table meet the conditions, and how many there are.
pub(super) fn count(
    policy: &Policy,
    matchers: &HashMap<String, Matcher>,
) -> Result<(u64, usize), Error> {
    let mut rows = match policy.rules {
        Some(_) => of_attributes(policy, matchers)?,
        None => of_table(policy, &load::load(policy, &|_| {})?.table, matchers)?,
    };
    let all = rows.len();
    rows.retain(|&meets| meets);
    Ok((rows.len() as u64, all))
}

fn of_attributes(policy: &Policy, matchers: &HashMap<String, Matcher>) -> Result<Vec<bool>, Error> {
    let table = load::load_attributes(policy, &|_| {})?;
    let mut rows = vec![true; table.records.rows()];
    for (name, matcher) in matchers {
        let column = table
            .columns
            .number(name)
            .map_err(|_| unknown(policy, name))?;
        let labels = table.attributes[column].domain.labels();
        let meets: Vec<bool> = labels.map(|label| matcher.matches(label)).collect();
        keep(&mut rows, table.records.column(column), &meets);
    }
    Ok(rows)
}

fn of_table(
    policy: &Policy,
    table: &Table,
    matchers: &HashMap<String, Matcher>,
) -> Result<Vec<bool>, Error> {
    let mut rows = vec![true; table.rows()];
    let sensitive = table.sensitive();
    for (name, matcher) in matchers {
        let mut known = table.quasi_identifiers().iter();
        if let Some(column) = known.find(|column| column.name() == name) {
            let labels = column.domain().labels();
            let meets: Vec<bool> = labels.map(|label| matcher.matches(label)).collect();
            keep(&mut rows, column.codes(), &meets);
            continue;
        }
        let part = sensitive.columns().iter().position(|own| own == name);
        let part = part.ok_or_else(|| unknown(policy, name))?;
        let values = 0..sensitive.values() as u32;
        let meets: Vec<bool> = values
            .map(|value| matcher.matches(&sensitive.parts(value)[part]))
            .collect();
        keep(&mut rows, sensitive.codes(), &meets);
    }
    Ok(rows)
}

fn keep(rows: &mut [bool], codes: &[u32], meets: &[bool]) {
    for (row, &code) in rows.iter_mut().zip(codes) {
        *row &= meets[code as usize];
    }
}

fn unknown(policy: &Policy, name: &str) -> Error {
    let problem = format!("does not publish the column `{name}`");
    Error::new(Place::file(&policy.path), problem)
        .help("name the policy that the release was made by")
}
