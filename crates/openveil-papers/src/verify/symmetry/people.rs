//! Tables that differ only in who is who.
//!
//! Suppose that every table is the first one with its people renumbered, and that the algorithm's
//! groups of a renumbered table are the renumbered groups, with the same distribution. Then the
//! tables that lead to a release are the tables with its values in each of its groups, and all of
//! them have one weight: an exchange of two people of a group turns one into another, and leaves
//! the groups as they are. So everybody's posterior equals the shares in the group, and releases
//! that differ only in who is in which group are equivalent. All tables are compared to verify that
//! groups are renumbered; the first table is used to verify that they do not change if people with
//! one value are renumbered.

use super::{OrbitRelease, Tried, factorial};
use crate::verify::verdict::Mass;
use openveil_core::Error;
use openveil_core::coins::{Distribution, least_common_multiple};
use openveil_core::table::Groups;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The values of each group of a release, ascending: all that matters of it if it
/// makes no difference who is who.
type GroupContents = Vec<Vec<u32>>;

/// Returns one release of each kind; none in strata, since an algorithm does not treat people of
/// different strata alike, and none beyond 128 bits.
pub(super) fn releases(tried: &Tried<'_>) -> Result<Option<Vec<OrbitRelease>>, Error> {
    if tried.scenario.table().strata().len() > 1 {
        return Ok(None);
    }
    let worlds = tried.worlds();
    let (first, others) = worlds.split_first().expect("there is a table");
    let found = tried.groups(first)?;
    tried.check_pairs(found.outcomes().len() as u128)?;
    let is_kept = (1..first.len())
        .filter(|&person| first[person - 1] == first[person])
        .all(|person| renumbered(&found, &exchange(first.len(), person)) == found);
    if !is_kept
        || !tried.all(others.par_iter().copied(), |world, groups| {
            *groups == renumbered(&found, &by_value(world))
        })?
    {
        return Ok(None);
    }
    let kinds: BTreeMap<GroupContents, &Groups> =
        found.outcomes().iter().map(|(groups, _)| (kind(groups, first), groups)).collect();
    let domain = tried.scenario.table().secret().values();
    Ok(kinds
        .iter()
        .map(|(kind, groups)| {
            Some(OrbitRelease { mass: shown(groups, first, domain)?, orbit: orbit(kind)? })
        })
        .collect())
}

/// Returns the distribution in which person `i` is person `people[i]`.
fn renumbered(found: &Distribution<Groups>, people: &[u32]) -> Distribution<Groups> {
    found
        .clone()
        .renamed(|groups: Groups| groups.renumbered(|person| people[person as usize]).sorted())
}

/// Returns the renumbering that exchanges a person with the one before.
fn exchange(people: usize, person: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..people as u32).collect();
    all.swap(person - 1, person);
    all
}

/// Returns the people of a table sorted by their values, which is the order of the first table.
fn by_value(world: &[u32]) -> Vec<u32> {
    let mut people: Vec<u32> = (0..world.len() as u32).collect();
    people.sort_by_key(|&person| world[person as usize]);
    people
}

fn kind(groups: &Groups, world: &[u32]) -> GroupContents {
    let values = |group: &[u32]| {
        let mut values: Vec<u32> = group.iter().map(|&row| world[row as usize]).collect();
        values.sort_unstable();
        values
    };
    let mut kind: GroupContents = groups.iter().map(values).collect();
    kind.sort_unstable();
    kind
}

/// Returns the number of releases of a kind: the ways of putting people into its groups, where
/// groups with the same values are interchangeable.
fn orbit(kind: &GroupContents) -> Option<u128> {
    let sizes = kind.iter().map(Vec::len);
    let people = sizes.clone().sum();
    let alike = kind.chunk_by(|a, b| a == b).map(<[_]>::len);
    sizes.chain(alike).try_fold(factorial(people)?, |ways, own| Some(ways / factorial(own)?))
}

/// Returns the probabilities of everybody's values as groups show them.
fn shown(groups: &Groups, world: &[u32], domain: usize) -> Option<Mass> {
    let common = groups
        .iter()
        .try_fold(1, |common, group| least_common_multiple(common, group.len() as u128).ok())?;
    let mut mass = Mass::new(world.len(), domain);
    mass.grow(common).ok()?;
    for group in groups.iter() {
        let share = common / group.len() as u128;
        for &person in group {
            for &other in group {
                mass.add_to(person as usize, world[other as usize], share);
            }
        }
    }
    Some(mass)
}
