//! Algorithms that disclose values: the checker has to notice.

use super::informed::evidence;
use super::*;
use crate::algorithm::Cover;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Inside, Settings};
use openveil_core::coins::{Coins, Distribution, Memory, shuffle};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::model::CountBuffer;
use openveil_core::table::{Groups, View};

fn allows(table: &View, rows: &[u32], model: &Model) -> bool {
    let codes = rows.iter().map(|&row| table.secret().codes()[row as usize]);
    let criteria = model.bind(table).unwrap();
    criteria.hold_on_group(&CountBuffer::default().of_codes(codes))
}

/// Takes rows in the order of their first quasi-identifier; every group ends as soon as it is
/// diverse, and the remaining rows join the last one.
fn first_diverse_prefix(table: &View, model: &Model, _: &mut dyn Coins) -> Result<Groups, Error> {
    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
    rows.sort_by_key(|&row| table.known()[0].codes()[row as usize]);
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut open = Vec::new();
    for row in rows {
        open.push(row);
        if allows(table, &open, model) {
            groups.push(std::mem::take(&mut open));
        }
    }
    while !open.is_empty() {
        open.extend(groups.pop().unwrap_or_default());
        if allows(table, &open, model) || groups.is_empty() {
            groups.push(std::mem::take(&mut open));
        }
    }
    Ok(groups.into_iter().collect())
}

#[test]
fn stopping_at_the_first_diverse_prefix_leaks() {
    let found = verify(&first_diverse_prefix, &scenario(&[1, 1, 2, 2], 2)).unwrap();
    // Only 1122 and 2211 lead to one group of four, which discloses nothing yet.
    assert_eq!((found.tables, found.releases), (6, 2));
    assert_eq!((found.unsafe_releases, found.unsafe_tables), (0, 0));
    let found = verify(&first_diverse_prefix, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    // A first group {1,1,2,3} must have started with both 1s.
    assert_eq!((found.releases, found.unsafe_releases), (13, 3));
    assert_eq!((found.unsafe_tables, found.certain_tables), (12, 12));
    let worst = found.counterexample.unwrap();
    assert_eq!(worst.table, [0, 0, 1, 2, 1, 2]);
    assert_eq!((worst.person, worst.value), (0, 0));
    assert_eq!((worst.posterior, worst.survivor_count), (fraction(1, 1), 4));
}

/// Returns the sum of the groups' extents on the first quasi-identifier.
fn extents(table: &View, groups: &Groups) -> u32 {
    let codes = table.known()[0].codes();
    let extent = |rows: &[u32]| {
        let codes = || rows.iter().map(|&row| codes[row as usize]);
        codes().max().unwrap() - codes().min().unwrap()
    };
    groups.iter().map(extent).sum()
}

/// Runs `cover` so many times, with groups by random draws, and keeps the release with the least
/// extents.
struct BestOf(usize);

/// Makes groups by random draws.
fn drawn(table: &View, model: &Model, coins: &mut dyn Coins) -> Result<Groups, Error> {
    let settings = Settings { inside: Inside::Random, effort: 0, ..Settings::default() };
    Cover.partition_with(table, model, &settings, coins)
}

impl Mechanism for BestOf {
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        let once = Mechanism::distribution(&drawn, table, model, path_limit, memory)?;
        let better = |kept: &Groups, next: &Groups| {
            let is_better = extents(table, next) < extents(table, kept);
            if is_better { next.clone() } else { kept.clone() }
        };
        (1..self.0).try_fold(once.clone(), |kept, _| kept.joined(&once, better))
    }
}

#[test]
fn dealing_again_because_of_the_cost_leaks() {
    let found = verify(&BestOf(2), &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    let worst = found.counterexample.unwrap();
    assert_eq!(worst.posterior, found.max_posterior);
    assert_eq!(worst.posterior, fraction(41, 68));
    let posteriors = worst
        .survivors
        .iter()
        .filter(|survivor| survivor.table[worst.person as usize] == worst.value)
        .map(|survivor| survivor.posterior.clone());
    assert_eq!(worst.posterior, posteriors.sum());
}

/// More runs to choose from, more certainty.
#[test]
fn the_best_of_several_runs_leaks() {
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2);
    for (runs, percent) in [(1, 50), (3, 69), (5, 82), (10, 97)] {
        let highest = verify(&BestOf(runs), &scenario).unwrap().max_posterior;
        let hundredths: Fraction = highest * fraction(100, 1);
        assert_eq!(hundredths.round(), fraction(percent, 1), "{runs} runs");
    }
}

/// A publisher who turns to another engine after a refusal tells of the refusal.
#[test]
fn choosing_an_engine_after_a_look_leaks() {
    let is_cut = |table: &View, model: &Model| {
        [0..3u32, 3..6].into_iter().all(|half| allows(table, &half.collect::<Vec<_>>(), model))
    };
    let chosen = |table: &View, model: &Model, coins: &mut dyn Coins| {
        if is_cut(table, model) {
            return Ok([0..3u32, 3..6].into_iter().collect());
        }
        drawn(table, model, coins)
    };
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2);
    let mut refused = 0;
    let mut worlds = scenario.worlds();
    while let Some(world) = worlds.next_world() {
        let table = scenario.world(world).unwrap();
        refused += usize::from(!is_cut(&table, scenario.model()));
    }
    assert_eq!(refused, 54);
    // A release in two groups tells nothing new; one in three groups follows the refusal.
    let (mut after, mut certain) = (fraction(0, 1), fraction(0, 1));
    for leads in evidence(&chosen, &scenario).into_iter().filter(|leads| leads.len() < 36) {
        let weight: Fraction = leads.iter().map(|(_, own)| own.clone()).sum();
        let is_certain =
            |person: usize| leads.iter().all(|(table, _)| table[person] == leads[0].0[person]);
        after += &weight;
        if (0..6).any(is_certain) {
            certain += weight;
        }
    }
    assert_eq!((after, certain), (fraction(54, 1), fraction(27, 1)));
}

fn rows_of(table: &View, value: u32) -> Vec<u32> {
    let codes = table.secret().codes();
    (0..codes.len() as u32).filter(|&row| codes[row as usize] == value).collect()
}

/// Makes groups of the values 1 and 3, 1 and 2, 2 and 3. Coins decide which 2 goes where; 1s and 3s
/// are taken in file order.
fn file_order(table: &View, _: &Model, coins: &mut dyn Coins) -> Result<Groups, Error> {
    let [ones, mut twos, threes] = [0, 1, 2].map(|value| rows_of(table, value));
    shuffle(&mut twos, coins);
    Ok([vec![ones[0], threes[0]], vec![ones[1], twos[0]], vec![twos[1], threes[1]]]
        .into_iter()
        .collect())
}

#[test]
fn taking_rows_in_file_order_leaks() {
    let found = verify(&file_order, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    let worst = found.counterexample.unwrap();
    // Persons 0 and 4 share the first 1 and the first 3. The other 1 is person 1 or 2, so the first
    // one is not person 4.
    assert_eq!(worst.table, [0, 0, 1, 1, 2, 2]);
    assert_eq!(worst.posterior, fraction(1, 1));
}

/// Every row of value 1, in the order of ranks, takes the nearest row of value 2.
fn nearest_of_the_other_value(table: &View, _: &Model, _: &mut dyn Coins) -> Result<Groups, Error> {
    let mut twos = rows_of(table, 1);
    Ok(rows_of(table, 0)
        .into_iter()
        .map(|one| {
            let nearest = (0..twos.len()).min_by_key(|&index| twos[index].abs_diff(one));
            [one, twos.remove(nearest.expect("there are as many 2s"))]
        })
        .collect())
}

#[test]
fn arranging_from_the_side_of_one_value_leaks() {
    let found = verify(&nearest_of_the_other_value, &scenario(&[1, 1, 2, 2], 2)).unwrap();
    // Persons 0 and 1 | 2 and 3: four tables. 0 and 2 | 1 and 3: only if both 1s
    // come first; 0 and 3 | 1 and 2: only if both come last.
    assert_eq!((found.tables, found.releases), (6, 3));
    assert_eq!((found.unsafe_releases, found.certain_tables), (2, 2));
    assert_eq!(found.counterexample.unwrap().survivor_count, 1);
}
