//! Histories: the exact conclusions of a reader from several releases of a table that changes.

use super::listing::check_limit;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::{Distribution, PATH_LIMIT, distribution};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::history::{self, Place, Presence, waits};
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Column, Domain, Groups, Histogram, Secret, View, Worlds};
use std::collections::HashMap;

/// The public facts of a history: who arrives with which values, and who is present when. People
/// are numbered in the order of arrival.
#[derive(Debug, Clone)]
pub struct History {
    releases: Vec<HistoryRelease>,
    /// The values of all people, in any order among people who arrive together.
    values: Vec<u32>,
    ratio: RatioDiversity,
}

/// The public facts of one release.
#[derive(Debug, Clone)]
struct HistoryRelease {
    /// Number of people who have arrived so far.
    people: usize,
    /// Whether each of them is present.
    present: Vec<bool>,
    /// A quasi-identifier of everybody.
    codes: Vec<u32>,
}

/// The way in which the releases of a history are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryWay {
    /// In groups that persist.
    Groups,
    /// Each release by itself, of everybody who is present: a control.
    Afresh,
}

/// The conclusions of a reader over all assignments and all coins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryVerification {
    /// Number of assignments of values that the reader considers.
    pub tables: u64,
    /// Number of distinguishable sequences of releases.
    pub histories: u64,
    /// Number of sequences after which somebody's posterior is above 1/l.
    pub unsafe_histories: u64,
    /// The chance that a history makes somebody's value certain.
    pub chance_of_certainty: Fraction,
    /// The greatest posterior.
    pub max_posterior: Fraction,
}

impl HistoryVerification {
    /// Returns whether no posterior is ever above 1/l.
    pub fn is_safe(&self) -> bool {
        self.unsafe_histories == 0
    }
}

impl History {
    /// Makes a history in which nobody has arrived yet.
    pub fn new(ratio: RatioDiversity) -> Self {
        Self { releases: Vec::new(), values: Vec::new(), ratio }
    }

    /// Adds a release: people arrive with these values, some who were present leave, and others
    /// come back. `codes` are everybody's quasi-identifiers at that time, also of people who are
    /// absent; if empty, everybody differs.
    ///
    /// # Errors
    /// A person who leaves without being present, comes back while present, or is unknown. The
    /// error is a message.
    pub fn release(
        mut self,
        arrivals: &[u32],
        leave: &[usize],
        back: &[usize],
        codes: Option<Vec<u32>>,
    ) -> Result<Self, String> {
        let mut present = match self.releases.last() {
            Some(last) => last.present.clone(),
            None => Vec::new(),
        };
        for (people, from) in [(leave, true), (back, false)] {
            for &person in people {
                match present.get_mut(person) {
                    Some(there) if *there == from => *there = !from,
                    _ if from => return Err(format!("person {person} leaves, but is not there")),
                    _ => return Err(format!("person {person} comes back, but is not away")),
                }
            }
        }
        present.resize(present.len() + arrivals.len(), true);
        self.values.extend_from_slice(arrivals);
        let people = present.len();
        let codes = codes.unwrap_or_else(|| (0..people as u32).collect());
        if codes.len() != people {
            return Err(format!("{people} people have {} quasi-identifiers", codes.len()));
        }
        self.releases.push(HistoryRelease { people, present, codes });
        Ok(self)
    }

    /// Enumerates every assignment of values and all coins of an algorithm, up to a number of
    /// assignments.
    ///
    /// # Errors
    /// [`Error::BeyondLimit`] if there are too many; [`Error::Ineligible`] if people who arrive
    /// together allow no release.
    pub fn verify(
        &self,
        way: HistoryWay,
        (algorithm, settings): (&dyn Algorithm, &Settings),
        limit: u64,
    ) -> Result<HistoryVerification, Error> {
        let tables = self.tables(&self.pools()?);
        check_limit("tables of one history", tables, limit)?;
        Enumeration {
            history: self,
            algorithm,
            settings,
            made: HashMap::new(),
            numbers: HashMap::new(),
        }
        .run(way)
    }

    /// Returns the people who are grouped together, release by release: people who are present
    /// without a group. If they are fewer than l, which is public, they are held back until others
    /// arrive.
    fn pools(&self) -> Result<Vec<Vec<usize>>, Error> {
        let mut pools = Vec::new();
        let mut placed = vec![false; self.values.len()];
        for (number, release) in self.releases.iter().enumerate() {
            let pool: Vec<usize> =
                (0..release.people).filter(|&p| release.present[p] && !placed[p]).collect();
            if waits(number == 0, pool.len(), self.ratio.l()) {
                pools.push(Vec::new());
                continue;
            }
            let histogram = histogram(pool.iter().map(|&person| self.values[person]));
            let none = vec![false; histogram.counts().len()];
            self.ratio.check_eligible(&histogram, &none)?;
            pool.iter().for_each(|&person| placed[person] = true);
            pools.push(pool);
        }
        Ok(pools)
    }

    /// Returns the number of assignments of values that a reader considers; none beyond 128 bits.
    fn tables(&self, pools: &[Vec<usize>]) -> Option<u128> {
        pools.iter().filter(|pool| !pool.is_empty()).try_fold(1u128, |tables, pool| {
            let own: Vec<u32> = pool.iter().map(|&person| self.values[person]).collect();
            tables.checked_mul(Worlds::new(&own).count()?)
        })
    }
}

fn histogram(values: impl Iterator<Item = u32>) -> Histogram {
    let values: Vec<u32> = values.collect();
    let most = values.iter().max().map_or(0, |&most| most as usize + 1);
    Histogram::new(&values, most)
}

/// The people of each group, with its values.
type SeenGroups = Vec<(Vec<u32>, Vec<u32>)>;

/// The groups of some people with these values, at a release.
type PeopleAtRelease = (usize, Vec<usize>, Vec<u32>);

struct Enumeration<'a> {
    history: &'a History,
    algorithm: &'a dyn Algorithm,
    settings: &'a Settings,
    made: HashMap<PeopleAtRelease, Distribution<Groups>>,
    /// The numbers of what a release can show.
    numbers: HashMap<SeenGroups, u32>,
}

impl Enumeration<'_> {
    fn run(mut self, way: HistoryWay) -> Result<HistoryVerification, Error> {
        let pools = self.history.pools()?;
        let (values, people) = (&self.history.values, self.history.values.len());
        let most = values.iter().max().map_or(0, |&most| most as usize + 1);
        let mut leads: HashMap<Vec<u32>, Vec<Fraction>> = HashMap::new();
        let mut worlds = vec![values.clone()];
        for pool in &pools {
            let own: Vec<u32> = pool.iter().map(|&person| values[person]).collect();
            let mut own = Worlds::new(&own);
            let mut more = Vec::new();
            while let Some(world) = own.next_world().filter(|_| !pool.is_empty()) {
                more.extend(worlds.iter().map(|before| {
                    let mut table: Vec<u32> = before.clone();
                    pool.iter().zip(world).for_each(|(&person, &value)| table[person] = value);
                    table
                }));
            }
            worlds = if pool.is_empty() { worlds } else { more };
        }
        for world in &worlds {
            for (seen, weight) in self.histories(world, &pools, way)? {
                let mass =
                    leads.entry(seen).or_insert_with(|| vec![fraction(0, 1); people * most + 1]);
                for (person, &value) in world.iter().enumerate() {
                    mass[person * most + value as usize] += &weight;
                }
                mass[people * most] += &weight;
            }
        }
        // People who were never published are not examined.
        let asked: Vec<usize> = pools.concat();
        let bound = fraction(1, self.history.ratio.l().into());
        let mut found = HistoryVerification {
            tables: worlds.len() as u64,
            histories: leads.len() as u64,
            unsafe_histories: 0,
            chance_of_certainty: fraction(0, 1),
            max_posterior: fraction(0, 1),
        };
        for mass in leads.values() {
            let total = &mass[people * most];
            let highest = asked
                .iter()
                .flat_map(|&person| &mass[person * most..(person + 1) * most])
                .max()
                .expect("somebody is published")
                / total;
            found.unsafe_histories += u64::from(highest > bound);
            if highest == fraction(1, 1) {
                found.chance_of_certainty += total / fraction(worlds.len() as u128, 1);
            }
            found.max_posterior = found.max_posterior.max(highest);
        }
        Ok(found)
    }

    /// Returns the sequences that can be seen of a world, each with its probability.
    fn histories(
        &mut self,
        world: &[u32],
        pools: &[Vec<usize>],
        way: HistoryWay,
    ) -> Result<Vec<(Vec<u32>, Fraction)>, Error> {
        // Each state holds the numbers of the releases seen so far, and everybody's group.
        let mut states = vec![((Vec::new(), vec![None; world.len()]), fraction(1, 1))];
        for (number, pool) in pools.iter().enumerate() {
            let present = self.published(number, pools);
            let grouped = match way {
                HistoryWay::Groups => pool,
                HistoryWay::Afresh => &present,
            };
            let made = self.made(number, grouped, world)?;
            let mut next: HashMap<(Vec<u32>, Vec<Option<u32>>), Fraction> = HashMap::new();
            for ((seen, before), weight) in states {
                for (groups, own) in made.outcomes() {
                    let mut group_of = match way {
                        HistoryWay::Groups => before.clone(),
                        HistoryWay::Afresh => vec![None; world.len()],
                    };
                    let first = group_of.iter().flatten().max().map_or(0, |&last| last + 1);
                    for (group, rows) in (first..).zip(groups.iter()) {
                        rows.iter().for_each(|&row| group_of[grouped[row as usize]] = Some(group));
                    }
                    let shown = self.shown(&present, world, &group_of);
                    let seen = [&seen[..], &[shown]].concat();
                    *next.entry((seen, group_of)).or_insert_with(|| fraction(0, 1)) +=
                        &weight * fraction(*own, made.total());
                }
            }
            states = next.into_iter().collect();
        }
        Ok(states.into_iter().map(|((seen, _), weight)| (seen, weight)).collect())
    }

    /// Returns the people shown in a release: people who are present and not held back.
    fn published(&self, number: usize, pools: &[Vec<usize>]) -> Vec<usize> {
        let release = &self.history.releases[number];
        let mut placed = pools[..=number].concat();
        placed.sort_unstable();
        placed.retain(|&person| release.present[person]);
        placed
    }

    /// Returns the groups of some people, in rows of these people.
    fn made(
        &mut self,
        number: usize,
        people: &[usize],
        world: &[u32],
    ) -> Result<Distribution<Groups>, Error> {
        if people.is_empty() {
            return Ok(Distribution::certain(Groups::with_capacity(0, 0)));
        }
        let values: Vec<u32> = people.iter().map(|&person| world[person]).collect();
        let key = (number, people.to_vec(), values);
        if let Some(known) = self.made.get(&key) {
            return Ok(known.clone());
        }
        let codes = &self.history.releases[number].codes;
        let codes: Vec<u32> = people.iter().map(|&person| codes[person]).collect();
        let most = codes.iter().max().map_or(0, |&most| i64::from(most));
        let domain = world.iter().max().map_or(0, |&most| most + 1);
        let labels = (0..domain).map(|value| value.to_string());
        let secret = Secret::new("value", key.2.clone(), labels);
        let table = View::new(vec![Column::new("q", codes, Domain::integers(0..=most))], secret)?;
        let model = self.history.ratio.into();
        let found = distribution(PATH_LIMIT, |coins| {
            let made = history::groups(&table, &model, self.algorithm, self.settings, coins);
            Ok(made?.sorted())
        })?;
        self.made.insert(key, found.clone());
        Ok(found)
    }

    /// Returns the number of what a release shows.
    fn shown(&mut self, present: &[usize], world: &[u32], group_of: &[Option<u32>]) -> u32 {
        let place = |person: usize| {
            let group = group_of[person]?;
            Some(Place { group, value: world[person] })
        };
        let here: Vec<Place> =
            present.iter().map(|&person| place(person).expect("a group")).collect();
        let away = (0..world.len()).filter(|person| !present.contains(person));
        let found = Presence::new(&here, away.filter_map(place));
        let group = |(rows, missing): (&[u32], &Vec<u32>)| {
            let people = rows.iter().map(|&row| present[row as usize] as u32);
            let mut values: Vec<u32> = rows
                .iter()
                .map(|&row| here[row as usize].value)
                .chain(missing.iter().copied())
                .collect();
            values.sort_unstable();
            (people.collect(), values)
        };
        let mut seen: SeenGroups = found.groups.iter().zip(&found.missing).map(group).collect();
        seen.sort_unstable();
        let next = self.numbers.len() as u32;
        *self.numbers.entry(seen).or_insert(next)
    }
}
