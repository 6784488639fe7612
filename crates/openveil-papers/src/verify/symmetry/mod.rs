//! Examines tables that are equivalent by symmetry only once.
//!
//! Two symmetries are tried: symmetry of [people], for algorithms that do not use
//! quasi-identifiers, and symmetry of [values], for algorithms that do not distinguish values.
//! Neither is assumed. The groups of *every* table are enumerated and compared with the groups of
//! the table that stands for it. (For `ria` and `rda`, the groups of one table are renumbered for
//! all tables with its histogram, because coins seat people. That the code does so is tested by
//! enumerating every table path by path, for few people.) This saves memory: pairs of a table and a
//! release are stored for one table of each orbit only.

mod people;
mod values;

use super::listing::{PAIRS, all_worlds, check_limit, groups_of};
use super::mechanism::Mechanism;
use super::report::Verification;
use super::scenario::{Scenario, Visibility};
use super::verdict::{Mass, PersonalCriteria, Verdict};
use openveil_core::Error;
use openveil_core::coins::{Distribution, Memory};
use openveil_core::model::CountBuffer;
use openveil_core::table::Groups;
use rayon::prelude::*;

/// Verifies by symmetry a scenario whose releases are all safe. Returns none if symmetry does not
/// apply, if a release is unsafe, or if numbers exceed 128 bits: each release then has to be
/// examined with its tables.
///
/// # Errors
/// Errors of the algorithm for some table; [`Error::BeyondLimit`].
pub(super) fn verified(
    mechanism: &dyn Mechanism,
    scenario: &Scenario,
) -> Result<Option<Verification>, Error> {
    if scenario.informed().is_some() || scenario.seen() != Visibility::Membership {
        return Ok(None);
    }
    let criteria = PersonalCriteria::new(scenario.table(), scenario.model())?;
    let tried =
        Tried { mechanism, scenario, values: all_worlds(scenario)?, memory: Memory::default() };
    let releases = match people::releases(&tried)? {
        None if criteria.treat_values_alike() => values::releases(&tried)?,
        found => found,
    };
    Ok(releases.and_then(|releases| judged(&tried, &criteria, &releases)))
}

/// A mechanism and a scenario, tried on one table after the other.
struct Tried<'a> {
    mechanism: &'a dyn Mechanism,
    scenario: &'a Scenario,
    /// Values of all tables, concatenated.
    values: Vec<u32>,
    memory: Memory,
}

impl Tried<'_> {
    /// Returns all tables.
    fn worlds(&self) -> Vec<&[u32]> {
        let people = self.scenario.table().rows();
        self.values.chunks(people).collect()
    }

    /// Returns the groups of a table, given by everybody's value.
    fn groups(&self, world: &[u32]) -> Result<Distribution<Groups>, Error> {
        let table = self.scenario.world(world)?;
        groups_of(self.mechanism, self.scenario, &table, &self.memory)
    }

    /// Returns whether the groups of all these tables are as expected.
    fn all<'w>(
        &self,
        worlds: impl ParallelIterator<Item = &'w [u32]>,
        are: impl Fn(&[u32], &Distribution<Groups>) -> bool + Sync,
    ) -> Result<bool, Error> {
        let differs = worlds.find_map_any(|world| match self.groups(world) {
            Ok(groups) if are(world, &groups) => None,
            other => Some(other.map(drop)),
        });
        differs.map_or(Ok(true), |differs| differs.map(|()| false))
    }

    /// Refuses more pairs of a table and a release than may be kept.
    fn check_pairs(&self, pairs: u128) -> Result<(), Error> {
        check_limit(PAIRS, Some(pairs), self.scenario.limits().pairs)
    }
}

/// A release of each orbit of releases.
struct OrbitRelease {
    mass: Mass,
    /// The number of releases that it stands for.
    orbit: u128,
}

/// Returns the figures of releases that are safe; none if one is not.
fn judged(
    tried: &Tried<'_>,
    criteria: &PersonalCriteria,
    releases: &[OrbitRelease],
) -> Option<Verification> {
    let exempt = tried.scenario.table().secret().exempt();
    let verdict = |tally: &mut CountBuffer, release: &OrbitRelease| {
        release.mass.verdict(exempt, criteria, tally)
    };
    let verdicts: Vec<Verdict> =
        releases.par_iter().map_init(CountBuffer::default, verdict).collect();
    if verdicts.iter().any(|verdict| verdict.is_unsafe() || verdict.is_certain()) {
        return None;
    }
    let greatest = verdicts.iter().map(Verdict::posterior).max();
    Some(Verification {
        tables: tried.worlds().len() as u64,
        releases: releases.iter().map(|release| release.orbit as u64).sum(),
        unsafe_releases: 0,
        unsafe_tables: 0,
        certain_tables: 0,
        max_posterior: greatest.expect("there is a table, and it leads to a release"),
        informed: None,
        counterexample: None,
    })
}

fn factorial(n: usize) -> Option<u128> {
    (1..=n as u128).try_fold(1u128, u128::checked_mul)
}
