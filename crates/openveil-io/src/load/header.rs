//! Checks that every column of the file has a role, and that every role has a column.

use crate::policy::persons::ROWS;
use crate::policy::{Policy, Role};
use crate::source::{likely_delimiter, shown_delimiter};
use crate::spelling::{did_you_mean, or_meant};
use crate::{Error, Location};
use openveil_core::release::Style;
use openveil_text::{Text, text};
use std::collections::HashSet;

/// The name of the column with the number of a row's class in its group.
pub const CLASS_COLUMN: &str = "group_class";

/// The largest number of columns that a message lists; more are only counted.
const NAMED: usize = 20;

/// Checks that every column of the file has a role, and that every role has a column.
pub(super) fn check(policy: &Policy, names: &[String]) -> Result<(), Error> {
    let without: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !policy.columns.contains_key(*name))
        .collect();
    if !without.is_empty() {
        return Err(Error::new(
            Location::file(&policy.path),
            text!(
                "gives no role to the column{} {}{}",
                plural(without.len()),
                quoted(&without[..without.len().min(NAMED)]),
                match without.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                }
            ),
        )
        .help(no_role_help(policy, names, &without)));
    }
    check_names(policy)?;
    let there = set(names);
    for name in policy.columns.keys() {
        let is_added = policy.persons().is_some() && name == ROWS;
        if is_added && there.contains(name.as_str()) {
            let place = Location::file(&policy.input.source.path).column(name);
            return Err(Error::new(
                place,
                text!("has the same name as the column that [persons] adds"),
            )
            .help("rename the column in the table"));
        }
        if !there.contains(name.as_str()) && !is_added {
            let error = Error::new(
                Location::file(&policy.path),
                text!("describes the column `{name}`, which the table does not have"),
            );
            let known = names.iter().map(String::as_str);
            return Err(or_meant(error, name, known, || {
                let who = match policy.input.source.names {
                    None => text!("the table has"),
                    Some(_) => text!("`names` under [input] gives"),
                };
                text!("{who:text} {}", names.join(", "))
            }));
        }
    }
    Ok(())
}

fn set(names: &[String]) -> HashSet<&str> {
    names.iter().map(String::as_str).collect()
}

fn no_role_help(policy: &Policy, names: &[String], without: &[&str]) -> Text {
    if names.len() == 1 && policy.columns.len() > 1 {
        return one_column_help(&names[0]);
    }
    let there = set(names);
    let strangers: Vec<&str> =
        policy.columns.keys().map(String::as_str).filter(|name| !there.contains(name)).collect();
    let meant = without.iter().find_map(|own| {
        let close = did_you_mean(own, strangers.iter().copied())?;
        Some(text!(
            "the policy describes `{close}`, which the table does not have; is `{own}` meant?"
        ))
    });
    let first = without[0];
    meant.unwrap_or_else(|| {
        let add = text!(
            "every column needs a role, so that nothing is published by accident: add `{first:?} = {{ role = \"drop\" }}`"
        );
        let more = text!(", or name it in `known`, `secret`, `other` or `identifier`");
        add.and(text!(" or another role under [columns]").or_by_arguments(more))
    })
}

fn one_column_help(name: &str) -> Text {
    match likely_delimiter(name) {
        None => text!("the table has one column only; does it have another `delimiter`?"),
        Some(likely) => text!(
            "the table has one column only; its fields seem to be separated by something else: set `delimiter = \"{}\"` under [input]",
            shown_delimiter(likely)
        ),
    }
}

/// Refuses columns of the table that have the name of a column that the release adds.
fn check_names(policy: &Policy) -> Result<(), Error> {
    let bounds: Vec<String> = policy
        .columns
        .iter()
        .filter(|(_, column)| column.bounds)
        .flat_map(|(name, column)| column.shape(name).bound_names())
        .collect();
    let taken = policy.columns.iter().find(|(name, column)| match name.as_str() {
        "group" | CLASS_COLUMN => column.role.is_published(),
        "count" => {
            let secret = matches!(column.role, Role::Sensitive | Role::Attribute);
            secret && policy.output.style == Style::Anatomy
        }
        _ => column.role.is_published() && bounds.contains(name),
    });
    match taken {
        None => Ok(()),
        Some((name, _)) => Err(Error::new(
            Location::file(&policy.input.source.path).column(name),
            "has the same name as a column that the release adds",
        )
        .help(text!("rename the column in the table, or give it the role `drop`"))),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The number of characters of a name that are shown: a file without a header may have its whole
/// table in one name.
const SHOWN: usize = 60;

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| match name.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("`{}…`", &name[..end]),
            None => format!("`{name}`"),
        })
        .collect::<Vec<_>>()
        .join(", ")
}
