//! The model checker: enumerates every table and all coins, and computes every conclusion.

use super::informed::{self, ExtremeReaders, InformedVerification};
use super::listing::{PAIRS, all_worlds, check_limit, groups_of};
use super::mechanism::{Borrowed, Mechanism};
use super::report::{Counterexample, Observation, Survivor, Verification};
use super::scenario::Scenario;
use super::symmetry;
use super::verdict::{Exposure, Mass, PersonalCriteria, Verdict};
use openveil_core::Error;
use openveil_core::coins::{Memory, least_common_multiple};
use openveil_core::exact::fraction;
use openveil_core::model::CountBuffer;
use rayon::prelude::*;
use std::collections::HashMap;

/// The number of tables whose coins are enumerated before their releases are merged.
const TABLES_AT_ONCE: usize = 1_024;

/// Enumerates every table of a scenario and all coins of an algorithm, and computes exactly what a
/// reader may conclude from each release.
///
/// Tables are processed in parallel. Time: the time of the algorithm for every table and every path
/// of coins, and O(n) for every pair of a table and a release it can lead to; memory: O(n) per
/// table, O(1) per pair and O(n) per release.
///
/// # Errors
/// [`Error::BeyondLimit`] beyond the scenario's limits or 128 bits; [`Error::Violation`] if the
/// groups of some table are not a partition; any error of the algorithm for some table
/// ([`Error::Ineligible`] means that no release of the multiset satisfies the model).
pub fn verify(
    mechanism: &(impl Mechanism + ?Sized),
    scenario: &Scenario,
) -> Result<Verification, Error> {
    // One copy of the enumeration's machine code serves all mechanisms.
    let mechanism: &dyn Mechanism = &Borrowed(mechanism);
    match symmetry::verified(mechanism, scenario)? {
        Some(found) => Ok(found),
        None => verify_all(mechanism, scenario),
    }
}

/// Like [`verify`], but always release by release and table by table.
pub(super) fn verify_all(
    mechanism: &dyn Mechanism,
    scenario: &Scenario,
) -> Result<Verification, Error> {
    AllReleases::gather(mechanism, scenario)?.judge(scenario)
}

/// A table that can lead to a release.
#[derive(Clone, Copy)]
struct Lead {
    release: u32,
    table: u32,
    /// The probability that it does, in units common to all tables.
    weight: u128,
}

/// A table that can lead to a release, with the chance that it does, in units common to all tables.
pub(super) struct TableChance<'a> {
    pub(super) values: &'a [u32],
    pub(super) weight: u128,
}

/// All tables with all releases they can lead to.
pub(super) struct AllReleases {
    people: usize,
    /// Values of all tables, concatenated.
    values: Vec<u32>,
    /// Releases in the order in which ascending tables lead to them.
    releases: Vec<Observation>,
    /// By release, then by table.
    leads: Vec<Lead>,
}

impl AllReleases {
    pub(super) fn gather(mechanism: &dyn Mechanism, scenario: &Scenario) -> Result<Self, Error> {
        let people = scenario.table().rows();
        let values = all_worlds(scenario)?;
        let memory = Memory::default();
        let mut numbers: HashMap<Observation, u32> = HashMap::new();
        let mut leads: Vec<Lead> = Vec::new();
        let mut totals: Vec<u128> = Vec::with_capacity(values.len() / people);
        for worlds in values.chunks(TABLES_AT_ONCE * people) {
            let seen: Vec<Prospect> = worlds
                .par_chunks(people)
                .map(|world| prospect(mechanism, scenario, world, &memory))
                .collect::<Result<_, Error>>()?;
            for (total, outcomes) in seen {
                for (observation, weight) in outcomes {
                    let next = numbers.len() as u32;
                    leads.push(Lead {
                        release: *numbers.entry(observation).or_insert(next),
                        table: totals.len() as u32,
                        weight,
                    });
                }
                totals.push(total);
            }
            check_limit(PAIRS, Some(leads.len() as u128), scenario.limits().pairs)?;
        }
        rescale(&mut leads, &totals)?;
        merge(&mut leads);
        let mut releases: Vec<(Observation, u32)> = numbers.into_iter().collect();
        releases.sort_unstable_by_key(|&(_, number)| number);
        Ok(Self {
            people,
            values,
            releases: releases.into_iter().map(|(seen, _)| seen).collect(),
            leads,
        })
    }

    fn table(&self, table: u32) -> &[u32] {
        let start = table as usize * self.people;
        &self.values[start..start + self.people]
    }

    /// Returns the tables that lead to each release, which are its disclosure set.
    fn disclosure_sets(&self) -> Vec<&[Lead]> {
        self.leads.chunk_by(|a, b| a.release == b.release).collect()
    }

    /// Returns every release with the tables that lead to it.
    pub(super) fn with_tables(&self) -> impl Iterator<Item = (&Observation, Vec<TableChance<'_>>)> {
        self.disclosure_sets().into_iter().map(|set| {
            let chance =
                |lead: &Lead| TableChance { values: self.table(lead.table), weight: lead.weight };
            let seen = &self.releases[set[0].release as usize];
            (seen, set.iter().map(chance).collect())
        })
    }

    fn judge(&self, scenario: &Scenario) -> Result<Verification, Error> {
        let exempt = scenario.table().secret().exempt();
        let criteria = PersonalCriteria::new(scenario.table(), scenario.model())?;
        let sets = self.disclosure_sets();
        let verdicts: Vec<Verdict> = sets
            .par_iter()
            .map_init(CountBuffer::default, |tally, set| {
                self.verdict(set, exempt, &criteria, tally)
            })
            .collect::<Result<_, Error>>()?;
        let max_posterior = verdicts.iter().map(Verdict::posterior).max();
        // The first of the worst: releases are in the order of their tables.
        let worst = (0..verdicts.len())
            .rev()
            .filter(|&release| verdicts[release].is_unsafe())
            .max_by_key(|&release| verdicts[release].exposure());
        let tables = self.values.len() / self.people;
        let tables_of = |condition: &dyn Fn(&Verdict) -> bool| {
            let mut found = vec![false; tables];
            for (set, _) in sets.iter().zip(&verdicts).filter(|(_, v)| condition(v)) {
                set.iter().for_each(|lead| found[lead.table as usize] = true);
            }
            found.iter().filter(|&&found| found).count() as u64
        };
        let limit = scenario.limits().survivors;
        Ok(Verification {
            tables: tables as u64,
            releases: sets.len() as u64,
            unsafe_releases: verdicts.iter().filter(|v| v.is_unsafe()).count() as u64,
            unsafe_tables: tables_of(&Verdict::is_unsafe),
            certain_tables: tables_of(&Verdict::is_certain),
            max_posterior: max_posterior.expect("there is a table, and it leads to a release"),
            informed: self.ask_informed(scenario, &sets)?,
            counterexample: worst.and_then(|release| {
                let verdict = &verdicts[release];
                let exposure = verdict.exposure.as_ref()?;
                Some(self.counterexample(sets[release], exposure, verdict.total, limit))
            }),
        })
    }

    /// Computes the conclusions of readers who are informed about some people, if the scenario has
    /// any.
    fn ask_informed(
        &self,
        scenario: &Scenario,
        sets: &[&[Lead]],
    ) -> Result<Option<InformedVerification>, Error> {
        let Some(informed) = scenario.informed() else {
            return Ok(None);
        };
        let exempt = scenario.table().secret().exempt();
        let readers = ExtremeReaders::new(informed, self.people, exempt, sets.len())?;
        let asked = scenario.model().uninformed();
        let criteria = PersonalCriteria::new(scenario.table(), &asked)?;
        let verdicts = sets
            .par_iter()
            .map_init(CountBuffer::default, |tally, set| {
                let tables = set.iter().map(|lead| (self.table(lead.table), lead.weight));
                let release = informed::WeightedTables { tables: tables.collect() };
                readers.verdict(&release, &criteria, tally)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let greatest = verdicts.iter().map(|(greatest, _)| greatest).max();
        Ok(Some(InformedVerification {
            informed,
            readers: readers.count(),
            unsafe_releases: verdicts.iter().filter(|(_, breaks)| *breaks).count() as u64,
            max_posterior: greatest.cloned().expect("there is a release"),
        }))
    }

    /// Returns the verdict on one disclosure set.
    fn verdict(
        &self,
        set: &[Lead],
        exempt: &[bool],
        criteria: &PersonalCriteria,
        tally: &mut CountBuffer,
    ) -> Result<Verdict, Error> {
        let mut mass = Mass::new(self.people, exempt.len());
        for lead in set {
            mass.add(self.table(lead.table), lead.weight)?;
        }
        Ok(mass.verdict(exempt, criteria, tally))
    }

    fn counterexample(
        &self,
        set: &[Lead],
        exposure: &Exposure,
        total: u128,
        limit: usize,
    ) -> Counterexample {
        let exposed = set
            .iter()
            .map(|lead| self.table(lead.table))
            .find(|table| table[exposure.person as usize] == exposure.value)
            .expect("a posterior above 0 comes from a table");
        Counterexample {
            table: exposed.to_vec(),
            release: self.releases[set[0].release as usize].clone(),
            survivors: set
                .iter()
                .take(limit)
                .map(|lead| Survivor {
                    table: self.table(lead.table).to_vec(),
                    posterior: fraction(lead.weight, total),
                })
                .collect(),
            survivor_count: set.len() as u64,
            person: exposure.person,
            value: exposure.value,
            posterior: fraction(exposure.weight, total),
        }
    }
}

/// The total weight, and each observation of the reader with its weight; observations may repeat.
type Prospect = (u128, Vec<(Observation, u128)>);

/// Returns the observations to which one table leads, with their weights.
fn prospect(
    mechanism: &dyn Mechanism,
    scenario: &Scenario,
    world: &[u32],
    memory: &Memory,
) -> Result<Prospect, Error> {
    let table = scenario.world(world)?;
    let found = groups_of(mechanism, scenario, &table, memory)?;
    let seen =
        found.outcomes().iter().map(|(groups, weight)| (scenario.observe(&table, groups), *weight));
    Ok((found.total(), seen.collect()))
}

/// Brings the weights of all tables to one denominator: tables are equally likely.
fn rescale(leads: &mut [Lead], totals: &[u128]) -> Result<(), Error> {
    let common =
        totals.iter().try_fold(1, |common, &total| least_common_multiple(common, total))?;
    // A weight is at most its table's total, so the product is at most `common`.
    leads.par_iter_mut().for_each(|lead| lead.weight *= common / totals[lead.table as usize]);
    Ok(())
}

/// Sorts leads by release, then by table, and sums the leads of each pair.
fn merge(leads: &mut Vec<Lead>) {
    leads.par_sort_unstable_by_key(|lead| (lead.release, lead.table));
    leads.dedup_by(|later, kept| {
        let same = (later.release, later.table) == (kept.release, kept.table);
        if same {
            kept.weight += later.weight;
        }
        same
    });
}
