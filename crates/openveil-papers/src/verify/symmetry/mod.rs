//! Tables that symmetry makes the same, examined once.
//!
//! Two symmetries are asked for: of [people], where an algorithm looks at nobody's quasi-identifiers,
//! and of [values], where it does not ask which value is which. Neither is believed: the groups of
//! *every* table are enumerated and compared with those of the one that stands for it. (`ria` and
//! `rda` have the groups of one table renumbered for all with its histogram, because coins seat
//! people; that the code does is tested by enumerating every table path by path, for few people.)
//! This saves memory: pairs of a table and a release are kept for one table of each orbit.

mod people;
mod values;

use super::enumerate::{PAIRS, all_worlds, check_limit, groups_of};
use super::mechanism::Mechanism;
use super::report::Verification;
use super::scenario::{Scenario, Visibility};
use super::verdict::{Mass, PersonalCriteria, Verdict};
use openveil_core::Error;
use openveil_core::coins::{Distribution, Memory};
use openveil_core::model::CountBuffer;
use openveil_core::table::Groups;
use rayon::prelude::*;

/// Verifies by symmetry a scenario whose releases are all safe; returns none where it does not
/// apply, where a release is unsafe, and where numbers are beyond 128 bits: then each release has
/// to be looked at with its tables.
///
/// # Errors
/// The algorithm's own for some table; [`Error::BeyondLimit`].
pub(super) fn verified(
    mechanism: &dyn Mechanism,
    scenario: &Scenario,
) -> Result<Option<Verification>, Error> {
    if scenario.informed().is_some() || scenario.seen() != Visibility::Membership {
        return Ok(None);
    }
    let criteria = PersonalCriteria::of(scenario.table(), scenario.model())?;
    let tried = Tried {
        mechanism,
        scenario,
        values: all_worlds(scenario)?,
        memory: Memory::default(),
    };
    let releases = match people::releases(&tried)? {
        None if criteria.treat_values_alike() => values::releases(&tried)?,
        found => found,
    };
    Ok(releases.and_then(|releases| judged(&tried, &criteria, &releases)))
}

/// A mechanism and a scenario, tried on table after table.
struct Tried<'a> {
    mechanism: &'a dyn Mechanism,
    scenario: &'a Scenario,
    /// Values of all tables, one table after the other.
    values: Vec<u32>,
    memory: Memory,
}

impl Tried<'_> {
    /// All tables.
    fn worlds(&self) -> Vec<&[u32]> {
        let people = self.scenario.table().rows();
        self.values.chunks(people).collect()
    }

    /// The groups of a table, given by everybody's value.
    fn groups(&self, world: &[u32]) -> Result<Distribution<Groups>, Error> {
        let table = self.scenario.world(world)?;
        groups_of(self.mechanism, self.scenario, &table, &self.memory)
    }

    /// Whether the groups of all these tables are what they should be.
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
    /// How many releases it stands for.
    orbit: u128,
}

/// The figures of releases that are safe; none if one is not.
fn judged(
    tried: &Tried<'_>,
    criteria: &PersonalCriteria,
    releases: &[OrbitRelease],
) -> Option<Verification> {
    let exempt = tried.scenario.table().secret().exempt();
    let verdict = |tally: &mut CountBuffer, release: &OrbitRelease| {
        release.mass.verdict(exempt, criteria, tally)
    };
    let verdicts: Vec<Verdict> = releases
        .par_iter()
        .map_init(CountBuffer::default, verdict)
        .collect();
    let gives_away = |verdict: &Verdict| verdict.is_unsafe() || verdict.is_certain();
    if verdicts.iter().any(gives_away) {
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
