//! Tables that symmetry makes the same, examined once.
//!
//! Two symmetries are asked for: of [people], where an algorithm looks at nobody's quasi-identifiers,
//! and of [values], where it does not ask which value is which. Neither is believed: the groups of
//! *every* table are enumerated and compared with those of the one that stands for it. What is saved
//! is memory: pairs of a table and a release are kept for one table of each orbit.

mod people;
mod values;

use super::enumerate::{PAIRS, check_limit, groups_of};
use super::mechanism::Mechanism;
use super::report::Verification;
use super::scenario::{Scenario, Visibility};
use super::verdict::{Mass, PersonalCriteria, Verdict};
use crate::Error;
use crate::coins::{Distribution, Memory};
use crate::model::CountBuffer;
use crate::table::Groups;
use rayon::prelude::*;

/// What is found of a scenario whose releases are all safe, by symmetry; none where it does not
/// apply, where a release is unsafe, and where numbers are beyond 128 bits: then each release has
/// to be looked at with its tables.
///
/// # Errors
/// Whatever the algorithm returns for some table; [`Error::BeyondLimit`].
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
        memory: Memory::default(),
    };
    let releases = match people::releases(&tried)? {
        None if criteria.treat_values_alike() => values::releases(&tried)?,
        found => found,
    };
    Ok(releases.and_then(|releases| judged(scenario, &criteria, &releases)))
}

/// What is tried on table after table.
struct Tried<'a> {
    mechanism: &'a dyn Mechanism,
    scenario: &'a Scenario,
    memory: Memory,
}

impl Tried<'_> {
    /// The groups of a table, given by everybody's value.
    fn groups(&self, world: &[u32]) -> Result<Distribution<Groups>, Error> {
        let table = self.scenario.world(world)?;
        groups_of(self.mechanism, self.scenario, &table, &self.memory)
    }

    /// Refuses more pairs of a table and a release than may be kept.
    fn check_pairs(&self, pairs: u128) -> Result<(), Error> {
        check_limit(PAIRS, Some(pairs), self.scenario.limits().pairs)
    }
}

/// A release of each orbit of releases.
struct Release {
    mass: Mass,
    /// How many releases it stands for.
    orbit: u128,
}

/// The figures of releases that are safe; none if one is not.
fn judged(
    scenario: &Scenario,
    criteria: &PersonalCriteria,
    releases: &[Release],
) -> Option<Verification> {
    let exempt = scenario.table().secret().exempt();
    let verdict =
        |tally: &mut CountBuffer, release: &Release| release.mass.verdict(exempt, criteria, tally);
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
        tables: u64::try_from(scenario.worlds().count()?).ok()?,
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
