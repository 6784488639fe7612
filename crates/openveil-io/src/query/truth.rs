//! The true answer, for the owner.

use super::scale::Matcher;
use crate::policy::Policy;
use crate::{Error, Location, load};
use std::collections::HashMap;

/// How many rows of the owner's table meet the conditions, and how many there are.
pub(super) fn count(
    policy: &Policy,
    matchers: &HashMap<String, Matcher>,
) -> Result<(u64, usize), Error> {
    let table = load::load(policy, &|_| {})?.table;
    let mut rows = vec![true; table.rows()];
    for (name, matcher) in matchers {
        let number = table.number(name).ok_or_else(|| unknown(policy, name))?;
        let column = &table.columns()[number];
        let labels = column.domain().labels();
        let meets: Vec<bool> = labels.map(|label| matcher.matches(label)).collect();
        for (row, &code) in rows.iter_mut().zip(column.codes()) {
            *row &= meets[code as usize];
        }
    }
    let count = rows.iter().filter(|&&meets| meets).count();
    Ok((count as u64, table.rows()))
}

fn unknown(policy: &Policy, name: &str) -> Error {
    let problem = format!("does not publish the column `{name}`");
    Error::new(Location::file(&policy.path), problem)
        .help("name the policy that the release was made by")
}
