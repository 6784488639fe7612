//! Tables that differ in who is who.
//!
//! Let every table be the first one with its people renumbered, and let the algorithm's groups of a
//! renumbered table be the renumbered groups, with the same distribution. Then the tables that lead to
//! a release are those with its values in each of its groups, and all of them with one weight: an
//! exchange of two people of a group turns one into another, and leaves the groups as they are. So
//! everybody's posterior is what the group shows, and releases that differ in who is in which group
//! are one. That groups are renumbered is compared on every table; that they do not change where people
//! with one value are renumbered, on the first.

use super::{OrbitRelease, Tried, factorial};
use crate::verify::verdict::Mass;
use openveil_core::Error;
use openveil_core::coins::{Distribution, least_common_multiple};
use openveil_core::table::Groups;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The columns and the values of each group of a release, ascending: what is left of it where it
/// makes no difference who is who.
type GroupContents = Vec<(Vec<Vec<u32>>, Vec<u32>)>;

/// One release of each kind; none in strata, where people are not all alike to an algorithm, and
/// beyond 128 bits.
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
    let are = |world: &[u32], groups: &_| *groups == renumbered(&found, &by_value(world));
    if !is_kept || !tried.all(others.par_iter().copied(), are)? {
        return Ok(None);
    }
    let kinds: BTreeMap<GroupContents, &Groups> = found
        .outcomes()
        .iter()
        .map(|(groups, _)| (kind(groups, first), groups))
        .collect();
    let domain = tried.scenario.table().secret().values();
    let release = |(kind, groups): (&GroupContents, &&Groups)| {
        Some(OrbitRelease {
            mass: shown(groups, first, domain)?,
            orbit: orbit(kind)?,
        })
    };
    Ok(kinds.iter().map(release).collect())
}

/// The distribution where person `i` is person `people[i]`.
fn renumbered(found: &Distribution<Groups>, people: &[u32]) -> Distribution<Groups> {
    let renumber = |groups: Groups| groups.renumbered(|person| people[person as usize]).sorted();
    found.clone().renamed(renumber)
}

/// Everybody stays but a person and the one before.
fn exchange(people: usize, person: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..people as u32).collect();
    all.swap(person - 1, person);
    all
}

/// The people of a table by their values, in which order those of the first table stand.
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
    let all = groups.columns().zip(groups.iter());
    let mut kind: GroupContents = all
        .map(|(columns, group)| (columns.to_vec(), values(group)))
        .collect();
    kind.sort_unstable();
    kind
}

/// How many releases are of a kind: the ways of putting people into its groups, of which those
/// with the same values can be exchanged.
fn orbit(kind: &GroupContents) -> Option<u128> {
    let sizes = kind.iter().map(|(_, values)| values.len());
    let people = sizes.clone().sum();
    let alike = kind.chunk_by(|a, b| a == b).map(<[_]>::len);
    sizes
        .chain(alike)
        .try_fold(factorial(people)?, |ways, own| Some(ways / factorial(own)?))
}

/// The chances of everybody's values, as groups show them.
fn shown(groups: &Groups, world: &[u32], domain: usize) -> Option<Mass> {
    let common = groups.iter().try_fold(1, |common, group| {
        least_common_multiple(common, group.len() as u128).ok()
    })?;
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
