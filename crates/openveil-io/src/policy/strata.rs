//! The key `strata`: known columns that divide the table into cells before any sensitive value is
//! looked at.

use super::{ColumnPolicy, Role};
use crate::spelling::or_meant;
use crate::{Error, Location};
use openveil_core::model::{Parameters, Value};
use openveil_text::{Text, text};
use std::collections::BTreeMap;

/// Explains strata in refusals.
const MEANING: &str =
    "strata must be fixed by known columns, before anybody looks at sensitive values";

/// Returns the names that a key lists; empty if the key is absent, an error if it is no list.
pub(super) fn names(section: &Parameters, key: &str) -> Result<Vec<String>, String> {
    let names = match section.get(key) {
        None => Some(Vec::new()),
        Some(Value::List(names)) => names
            .iter()
            .map(|name| match name {
                Value::Text(name) => Some(name.clone()),
                _ => None,
            })
            .collect(),
        Some(_) => None,
    };
    names.ok_or_else(|| format!("`{key}` is not a list of columns"))
}

/// Returns the strata of a policy without rules: quasi-identifiers.
pub(super) fn of_table(
    place: Location,
    section: &Parameters,
    columns: &BTreeMap<String, ColumnPolicy>,
) -> Result<Vec<String>, Error> {
    let strata = listed(&place, section)?;
    for name in &strata {
        match columns.get(name) {
            Some(column) if column.role == Role::QuasiIdentifier => {}
            Some(column) => {
                let role = column.role.name();
                let problem =
                    text!("`strata` names `{name}`, which has the role `{role}`: {MEANING}");
                let help = "name quasi-identifiers, or remove it";
                return Err(Error::new(place, problem).help(help));
            }
            None => {
                let problem = text!("`strata` names `{name}`, which is not a column");
                let known: Vec<&str> = columns
                    .iter()
                    .filter(|(_, column)| column.role == Role::QuasiIdentifier)
                    .map(|(name, _)| &**name)
                    .collect();
                let error = Error::new(place, problem);
                return Err(or_meant(error, name, known.iter().copied(), || {
                    format!("the quasi-identifiers are {}", known.join(", "))
                }));
            }
        }
    }
    Ok(strata)
}

/// Returns the strata of a rule: columns that its reader knows.
pub(super) fn of_rule(
    place: &Location,
    section: &Parameters,
    given: &[String],
) -> Result<Vec<String>, Error> {
    let strata = listed(place, section)?;
    match strata.iter().find(|name| !given.contains(name)) {
        None => Ok(strata),
        Some(name) => {
            let problem = text!(
                "`strata` names `{name}`, which is not given in the rule: a guarantee within strata has no meaning for a reader who does not know who is in which stratum"
            );
            let help = text!(
                "add `{name}` to `given`, or set `strata = []` in the rule to do without strata"
            );
            Err(Error::new(place.clone(), problem).help(help))
        }
    }
}

fn listed(place: &Location, section: &Parameters) -> Result<Vec<String>, Error> {
    let error = |problem: Text, help: Text| Err(Error::new(place.clone(), problem).help(help));
    let strata = match names(section, "strata") {
        Ok(strata) => strata,
        Err(problem) => return error(problem.into(), text!("write `strata = [\"sex\"]`")),
    };
    match (1..strata.len()).find(|&at| strata[..at].contains(&strata[at])) {
        None => Ok(strata),
        Some(twice) => {
            let problem = text!("`strata` names `{}` twice", strata[twice]);
            error(problem, text!("remove one of them"))
        }
    }
}
