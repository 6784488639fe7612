//! Exchanges whole columns in `cover`, and repeats the run in the unit that changes.
//!
//! If two columns of a unit exchange their people, group by group, all other units stay as they
//! are. An exchange depends on the two columns, not on which of their people is attacked, so it is
//! tried once for all of them. The table with the exchanged values is assigned as before, except
//! that the two columns hold each other's people. Arranged with the same coins, it has to lead to
//! the same release. If the columns are arranged in the same order as before, nothing has to be run
//! again.

use super::{MAX_PARTNERS, Progress, ReleaseMaking, exchanged};
use crate::algorithm::cover;
use openveil_core::Error;
use openveil_core::coins::SecretCoins;
use openveil_core::release::{Content, Style, publish};
use openveil_core::table::{Groups, View};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Returns, for each person of a sample, the number of exchanges tried, and whether all of them
/// lead to the same release.
pub(super) fn exchanges(
    run: &ReleaseMaking<'_>,
    sample: &[u32],
    seed: u64,
    progress: Progress<'_>,
) -> Result<Vec<(u64, bool)>, Error> {
    let mut coins = SecretCoins::from_test_seed(seed);
    let (table, style) = (run.table, run.style);
    let model = run.model.bind(table)?;
    let units = cover::dealt(table, &model, &mut coins)?;
    let arranger = |table: &View, columns: &[Vec<u32>]| {
        let mut coins = SecretCoins::from_test_seed(seed);
        cover::arranged(table, columns, run.settings, &mut coins)
    };
    let places = places(&units, table.rows());
    // Per unit: the people to attack, by position in the sample, each with their column.
    let mut people: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (index, &row) in sample.iter().enumerate() {
        let (unit, column) = places[row as usize];
        people.entry(unit).or_default().push((index, column));
    }
    let attack =
        |(&number, people): (&usize, &Vec<(usize, usize)>)| -> Result<Vec<TriedExchange>, Error> {
            let replay = UnitReplay::new(table, style, &units[number], &arranger)?;
            let columns = people.iter().map(|&(_, column)| column);
            let verdicts = replay.verdicts(columns)?;
            progress(people.len() as u64);
            Ok(people
                .iter()
                .map(|&(index, own)| {
                    let mut pairs = replay.partners(own).map(|other| pair(own, other));
                    let exchanges = pairs.clone().count() as u64;
                    let holds = pairs.all(|pair| verdicts[&pair]);
                    (index, (exchanges, holds))
                })
                .collect())
        };
    let found: Result<Vec<Vec<TriedExchange>>, Error> = people.par_iter().map(attack).collect();
    let mut of_sample = vec![(0, true); sample.len()];
    for (index, tried) in found?.into_iter().flatten() {
        of_sample[index] = tried;
    }
    Ok(of_sample)
}

/// A position in the sample, the number of exchanges, and whether all of them reproduce the
/// release.
type TriedExchange = (usize, (u64, bool));

/// Arranges the columns of one unit. Returns the first rows of the columns in the order in which
/// they were arranged, and the groups.
type Arranger<'a> = &'a (dyn Fn(&View, &[Vec<u32>]) -> (Vec<u32>, Groups) + Sync);

/// Returns the unit and the column of each row.
fn places(units: &[Vec<Vec<u32>>], rows: usize) -> Vec<(usize, usize)> {
    let mut places = vec![(0, 0); rows];
    for (number, unit) in units.iter().enumerate() {
        for (column, rows) in unit.iter().enumerate() {
            rows.iter().for_each(|&row| places[row as usize] = (number, column));
        }
    }
    places
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// A unit as a separate table.
pub(super) struct UnitReplay<'a> {
    arranger: Arranger<'a>,
    style: Style,
    table: View,
    /// Its rows, column by column.
    columns: Vec<Vec<u32>>,
    /// The columns in the order in which they are arranged.
    order: Vec<u32>,
    groups: Groups,
    release: Content,
}

impl<'a> UnitReplay<'a> {
    pub(super) fn new(
        whole: &View,
        style: Style,
        unit: &[Vec<u32>],
        arranger: Arranger<'a>,
    ) -> Result<Self, Error> {
        let table = whole.of_rows(&unit.concat())?;
        let groups = unit[0].len() as u32;
        let local = |column: u32| (column * groups..(column + 1) * groups).collect();
        let columns: Vec<Vec<u32>> = (0..unit.len() as u32).map(local).collect();
        let (order, groups) = arranger(&table, &columns);
        let (release, _) = publish(&table, &groups, style);
        Ok(Self { arranger, style, table, columns, order, groups, release })
    }

    /// Returns the columns with which a person of column `own` may be exchanged.
    fn partners(&self, own: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let codes = self.table.secret().codes();
        let value = |column: usize| {
            let mut values = self.columns[column].iter().map(|&row| codes[row as usize]);
            let first = values.next();
            first.filter(|&first| values.all(|value| value == first))
        };
        // Exchanging two columns that have one and the same value changes nothing.
        let others: Vec<usize> = (0..self.columns.len())
            .filter(|&other| other != own)
            .filter(|&other| value(own).is_none() || value(other) != value(own))
            .take(MAX_PARTNERS)
            .collect();
        others.into_iter()
    }

    /// Tries every exchange with one of these columns.
    fn verdicts(
        &self,
        columns: impl Iterator<Item = usize>,
    ) -> Result<BTreeMap<(usize, usize), bool>, Error> {
        let mut all: Vec<(usize, usize)> =
            columns.flat_map(|own| self.partners(own).map(move |other| pair(own, other))).collect();
        all.sort_unstable();
        all.dedup();
        all.into_par_iter().map(|pair| Ok((pair, self.reproduces(pair)?))).collect()
    }

    /// Returns whether the release is the same if, in every group, the people of two columns have
    /// each other's values.
    pub(super) fn reproduces(&self, (a, b): (usize, usize)) -> Result<bool, Error> {
        let mut columns = self.columns.clone();
        columns.swap(a, b);
        let (order, groups) = (self.arranger)(&self.table, &columns);
        // Equal columns in the same order are arranged as before.
        if order == self.order {
            return Ok(true);
        }
        let table = exchanged(&self.table, self.pairs(a, b))?;
        Ok(publish(&table, &groups, self.style).0 == self.release)
    }

    /// Returns the people of two columns, paired by group.
    fn pairs(&self, a: usize, b: usize) -> Vec<(u32, u32)> {
        let height = self.columns[0].len() as u32;
        let of = |group: &[u32], column: usize| {
            group.iter().copied().find(|&row| row / height == column as u32)
        };
        self.groups
            .iter()
            .map(|group| of(group, a).zip(of(group, b)))
            .map(|pair| pair.expect("a group has one row of each column"))
            .collect()
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Tries every exchange of two columns of an assignment; returns for each whether it leads to
    /// the same release.
    pub(crate) fn replayed(
        table: &View,
        style: Style,
        l: u32,
        arranger: Arranger<'_>,
    ) -> Vec<bool> {
        let ratio = openveil_core::model::RatioDiversity::new(l).expect("at least 2");
        let model = openveil_core::model::Model::from(ratio);
        let criteria = model.bind(table).unwrap();
        let mut coins = SecretCoins::from_test_seed(1);
        let units = cover::dealt(table, &criteria, &mut coins).unwrap();
        let mut found = Vec::new();
        for unit in &units {
            let replay = UnitReplay::new(table, style, unit, arranger).unwrap();
            for other in 1..unit.len() {
                found.extend((0..other).map(|own| replay.reproduces((own, other)).unwrap()));
            }
        }
        found
    }
}
