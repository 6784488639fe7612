//! The true answer, for the owner.

use super::matcher::Matcher;
use crate::people;
use openveil_io::policy::{Extra, Policy};
use openveil_io::{Error, Location};
use openveil_text::text;
use std::collections::HashMap;

/// Counts in the owner's table.
pub(super) struct Truth {
    /// How many rows meet the conditions, or a column in which a bin is cut.
    pub(super) count: Result<u64, String>,
    /// How many rows there are.
    pub(super) rows: usize,
}

pub(super) fn count(
    policy: &Policy,
    matchers: &HashMap<String, Matcher<'_>>,
) -> Result<Truth, Error> {
    policy.allow(Extra::TrueCounts)?;
    let table = people::loaded(policy, &|_| {})?.table;
    let mut rows = vec![true; table.rows()];
    let mut cut = None;
    for (name, matcher) in matchers {
        let number = table.number(name).ok_or_else(|| unknown(policy, name))?;
        let column = &table.columns()[number];
        let labels = || column.domain().labels();
        let shares: Vec<f64> = labels().map(|label| matcher.share_of_value(label)).collect();
        if shares.iter().any(|&share| share > 0.0 && share < 1.0)
            || labels().any(|label| matcher.names_inside(label))
        {
            cut = Some(name.clone());
        }
        for (row, &code) in rows.iter_mut().zip(column.codes()) {
            *row &= shares[code as usize] == 1.0;
        }
    }
    let count = rows.iter().filter(|&&meets| meets).count() as u64;
    Ok(Truth { count: cut.map_or(Ok(count), Err), rows: table.rows() })
}

fn unknown(policy: &Policy, name: &str) -> Error {
    let problem = text!("does not publish the column `{name}`");
    Error::new(Location::file(&policy.path), problem)
        .help("name the policy that the release was made by")
}
