//! Lists the tables of a scenario, and the groups of one table, within limits.

use super::mechanism::Mechanism;
use super::scenario::Scenario;
use openveil_core::Error;
use openveil_core::coins::{Distribution, Memory};
use openveil_core::release::check::Violation;
use openveil_core::table::{Groups, View};

/// The limited quantity beside tables and coins.
pub(super) const PAIRS: &str = "pairs of a table and a release it can lead to";

/// Returns the groups of one table, which are checked to be partitions of it.
pub(super) fn groups_of(
    mechanism: &dyn Mechanism,
    scenario: &Scenario,
    table: &View,
    memory: &Memory,
) -> Result<Distribution<Groups>, Error> {
    let paths = scenario.limits().paths;
    let found = mechanism.distribution(table, scenario.model(), paths, memory)?;
    for (groups, _) in found.outcomes() {
        groups.check_partition(table.rows()).map_err(Violation::NotAPartition)?;
    }
    Ok(found)
}

/// Returns the values of all tables, concatenated.
pub(super) fn all_worlds(scenario: &Scenario) -> Result<Vec<u32>, Error> {
    let mut worlds = scenario.worlds();
    let count = worlds.count();
    check_limit("tables of one multiset", count, scenario.limits().tables)?;
    let mut values = Vec::new();
    while let Some(world) = worlds.next_world() {
        values.extend_from_slice(world);
    }
    Ok(values)
}

/// Refuses numbers beyond a limit; `needed` is `None` beyond 128 bits.
pub(super) fn check_limit(
    what: &'static str,
    needed: Option<u128>,
    limit: u64,
) -> Result<(), Error> {
    match needed {
        Some(needed) if needed <= u128::from(limit) => Ok(()),
        _ => Err(Error::BeyondLimit {
            what,
            needed: needed.map_or("more than 128 bits' worth".to_owned(), |n| n.to_string()),
            limit,
        }),
    }
}
