//! Tables that differ only in which value is which.
//!
//! Let G be a group of relabellings of values that preserve every stratum's histogram and the set
//! of exempt values. Suppose that an algorithm's groups of T and of every relabelled σT have the
//! same distribution. Then the tables that lead to a relabelled release are the relabelled tables,
//! with the same weights, and posteriors are relabelled posteriors. If the model treats values
//! alike, one release of each orbit therefore suffices. Which values may be exchanged is guessed
//! from a few tables, and then verified on all.

use super::{OrbitRelease, Tried, factorial};
use crate::verify::report::Observation;
use crate::verify::verdict::Mass;
use openveil_core::Error;
use openveil_core::coins::{Distribution, least_common_multiple};
use openveil_core::table::{Groups, View};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The number of tables from which exchangeable values are guessed.
const SAMPLES: usize = 16;

/// Returns one release of each orbit, with the probability of everybody's values; none if no values
/// may be exchanged, or beyond 128 bits.
pub(super) fn releases(tried: &Tried<'_>) -> Result<Option<Vec<OrbitRelease>>, Error> {
    let table = tried.scenario.table();
    let alike = ValueClasses::new(table).exchangeable(tried)?;
    if alike.order().is_none_or(|order| order == 1) {
        return Ok(None);
    }
    let Some(standing) = standing(tried, &alike)? else {
        return Ok(None);
    };
    let pairs = standing.iter().map(|(_, found)| found.outcomes().len() as u128);
    tried.check_pairs(pairs.sum())?;
    Ok(of_orbits(&standing, table, &alike))
}

/// Classes of values with equal numbers of rows in every stratum, all exempt or none.
struct ValueClasses {
    /// The class of each value; a value that does not occur has its own class.
    class: Vec<u32>,
}

impl ValueClasses {
    fn new(table: &View) -> Self {
        let values = table.secret().values();
        let strata = table.strata();
        let histograms: Vec<_> = strata.iter().map(|own| own.view(table).histogram()).collect();
        let mut classes = HashMap::new();
        let class = |value: usize| {
            let counts: Vec<u32> = histograms.iter().map(|own| own.counts()[value]).collect();
            let next = classes.len() as u32;
            // A value that does not occur is not exchangeable with others.
            let nobody = counts.iter().all(|&count| count == 0).then_some(value);
            let key = (counts, table.secret().exempt()[value], nobody);
            *classes.entry(key).or_insert(next)
        };
        Self { class: (0..values).map(class).collect() }
    }

    /// Returns the classes of values that an algorithm treats alike, as far as a few tables show:
    /// exchanging such a value with the first of its class changes no groups.
    fn exchangeable(self, tried: &Tried<'_>) -> Result<Self, Error> {
        let worlds = tried.worlds();
        let some: Vec<(&[u32], Distribution<Groups>)> = worlds
            .iter()
            .step_by(worlds.len().div_ceil(SAMPLES))
            .map(|world| Ok((*world, tried.groups(world)?)))
            .collect::<Result<_, Error>>()?;
        let mut firsts: Vec<u32> = Vec::new();
        let mut class = Vec::with_capacity(self.class.len());
        for value in 0..self.class.len() as u32 {
            let mut own = None;
            for (number, &first) in (0..).zip(&firsts) {
                let is_alike = self.class[first as usize] == self.class[value as usize];
                let mut is_same = is_alike;
                for (world, found) in some.iter().filter(|_| is_alike) {
                    is_same = is_same && tried.groups(&exchanged(world, first, value))? == *found;
                }
                if is_same {
                    own = Some(number);
                    break;
                }
            }
            class.push(own.unwrap_or(firsts.len() as u32));
            if own.is_none() {
                firsts.push(value);
            }
        }
        Ok(Self { class })
    }

    /// Returns the values of each class, ascending.
    fn classes(&self) -> Vec<Vec<u32>> {
        let mut classes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (value, &class) in (0..).zip(&self.class) {
            classes.entry(class).or_default().push(value);
        }
        classes.into_values().collect()
    }

    /// Returns the number of relabellings.
    fn order(&self) -> Option<u128> {
        self.classes()
            .into_iter()
            .map(|class| class.len())
            .map(factorial)
            .try_fold(1u128, |order, own| order.checked_mul(own?))
    }

    /// Returns the relabelling that sorts the values of each class by a key.
    fn sorted_by<K: Ord>(&self, key: impl Fn(u32) -> K) -> Vec<u32> {
        let mut relabelled = vec![0; self.class.len()];
        for class in self.classes() {
            let mut sorted = class.clone();
            sorted.sort_by_key(|&value| key(value));
            for (&old, new) in sorted.iter().zip(class) {
                relabelled[old as usize] = new;
            }
        }
        relabelled
    }

    /// Returns the table that stands for a relabelled one: values of a class are in the order of
    /// the first person who has them.
    fn standing_for(&self, table: &[u32]) -> Vec<u32> {
        relabel(table, &self.sorted_by(|value| table.iter().position(|&own| own == value)))
    }
}

/// Returns a table in which two values are exchanged.
fn exchanged(table: &[u32], one: u32, other: u32) -> Vec<u32> {
    table
        .iter()
        .map(|&value| match value {
            value if value == one => other,
            value if value == other => one,
            value => value,
        })
        .collect()
}

fn relabel(table: &[u32], relabelled: &[u32]) -> Vec<u32> {
    table.iter().map(|&value| relabelled[value as usize]).collect()
}

/// One table of each orbit, with its groups.
type Standing = Vec<(Vec<u32>, Distribution<Groups>)>;

/// Enumerates the groups of all tables; none if some table's groups differ from those of the table
/// that stands for it.
fn standing(tried: &Tried<'_>, alike: &ValueClasses) -> Result<Option<Standing>, Error> {
    let worlds = tried.worlds();
    let standing = worlds.par_iter().filter(|world| alike.standing_for(world) == **world);
    let found: HashMap<Vec<u32>, Distribution<Groups>> = standing
        .map(|world| Ok((world.to_vec(), tried.groups(world)?)))
        .collect::<Result<_, Error>>()?;
    let others = worlds.par_iter().copied().filter(|world| !found.contains_key(*world));
    if !tried.all(others, |world, groups| *groups == found[&alike.standing_for(world)])? {
        return Ok(None);
    }
    let mut standing: Standing = found.into_iter().collect();
    standing.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(Some(standing))
}

/// Returns one release of each orbit to which the tables lead; none beyond 128 bits.
fn of_orbits(standing: &Standing, table: &View, alike: &ValueClasses) -> Option<Vec<OrbitRelease>> {
    let common = standing
        .iter()
        .map(|(_, groups)| groups.total())
        .try_fold(1, |common, total| least_common_multiple(common, total).ok())?;
    let (order, people) = (alike.order()?, table.rows());
    let mut releases: HashMap<Observation, OrbitRelease> = HashMap::new();
    for (values, found) in standing {
        for (groups, weight) in found.outcomes() {
            let seen = RelabelledRelease::new(values, groups, alike);
            let stabilizer = seen.stabilizer()?;
            // The relabellings that keep the release turn this table into so many tables.
            let weight = (weight * (common / found.total())).checked_mul(stabilizer)?;
            let table = table.with_secret_codes(seen.values.clone()).ok()?;
            let observation = Observation::membership(&table, groups);
            let release = releases.entry(observation).or_insert_with(|| OrbitRelease {
                mass: Mass::new(people, alike.class.len()),
                orbit: order / stabilizer,
            });
            release.mass.grow(weight).ok()?;
            for (person, &value) in seen.values.iter().enumerate() {
                let same = &seen.same[value as usize];
                let share = weight / same.len() as u128;
                same.iter().for_each(|&value| release.mass.add_to(person, value, share));
            }
        }
    }
    Some(releases.into_values().collect())
}

/// A release, relabelled so that all releases of an orbit become equal.
struct RelabelledRelease {
    /// The values by person.
    values: Vec<u32>,
    /// By value: the values of its class that occur in the same groups equally often.
    same: Vec<Vec<u32>>,
}

impl RelabelledRelease {
    fn new(values: &[u32], groups: &Groups, alike: &ValueClasses) -> Self {
        let places = |values: &[u32], value: u32| -> Vec<usize> {
            let rows = groups.iter();
            rows.map(|rows| rows.iter().filter(|&&row| values[row as usize] == value).count())
                .collect()
        };
        let values = relabel(values, &alike.sorted_by(|value| places(values, value)));
        let all = 0..alike.class.len() as u32;
        let places: Vec<Vec<usize>> = all.clone().map(|value| places(&values, value)).collect();
        let is_same = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            alike.class[a] == alike.class[b] && places[a] == places[b]
        };
        let same = |value: u32| all.clone().filter(|&other| is_same(value, other)).collect();
        Self { same: all.clone().map(same).collect(), values }
    }

    /// Returns the number of relabellings that keep the release.
    fn stabilizer(&self) -> Option<u128> {
        (0u32..)
            .zip(&self.same)
            .filter(|(value, same)| same[0] == *value)
            .map(|(_, same)| factorial(same.len()))
            .try_fold(1u128, |order, own| order.checked_mul(own?))
    }
}
