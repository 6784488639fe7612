//! Large tables, where nothing can be enumerated: who of a group has which of its values is as
//! likely as the proofs say, whatever else the reader sees of the group.
//!
//! Values are shuffled over people, so that all tables are as likely. Of groups of l people with
//! all l values then each person has each value in one of l groups, independently of other groups:
//! exactly binomial. Each count is looked at from both sides; the chance that any of them is as
//! rare as [`FALSE_ALARM`] is at most that, were the coins not the same each time.

use super::*;
use crate::algorithm::{Algorithm, Cover, Halving, Rda, Ria, Settings};
use crate::coins::{Coins, SecretCoins};
use crate::table::{Column, Domain, Groups, Secret, View};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// The chance that the tests of one engine raise an alarm although it is as it should be.
const FALSE_ALARM: f64 = 1e-6;

const PEOPLE: u32 = 30_000;

/// Ages with ties, and districts that hang together with them; values dealt at random.
fn table(l: u32, seed: u64) -> View {
    let mut generator = rand::rngs::StdRng::seed_from_u64(seed);
    let ages: Vec<u32> = (0..PEOPLE).map(|_| generator.random_range(0..90)).collect();
    let district = |age: &u32| age / 9 + generator.random_range(0..20);
    let districts: Vec<u32> = ages.iter().map(district).collect();
    let mut values: Vec<u32> = (0..PEOPLE).map(|row| row % l).collect();
    values.shuffle(&mut generator);
    let known = vec![
        Column::new("age", ages, Domain::integers(0..90)),
        Column::new("district", districts, Domain::integers(0..30)),
    ];
    let labels = (0..l).map(|value| value.to_string());
    View::new(known, Secret::new("value", values, labels)).unwrap()
}

/// ln k! for k up to n.
fn log_factorials(n: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let logs = (1..=n).map(|k| {
        sum += (k as f64).ln();
        sum
    });
    [0.0].into_iter().chain(logs).collect()
}

/// The chance of a count at most as likely as this one's tail, of so many with a chance of 1/l.
fn p_value(count: usize, of: usize, l: u32, logs: &[f64]) -> f64 {
    let (hit, miss) = ((1.0 / f64::from(l)).ln(), (1.0 - 1.0 / f64::from(l)).ln());
    let chance = |k: usize| {
        let choices = logs[of] - logs[k] - logs[of - k];
        (choices + k as f64 * hit + (of - k) as f64 * miss).exp()
    };
    let below: f64 = (0..=count).map(chance).sum();
    let above: f64 = (count..=of).map(chance).sum();
    2.0 * below.min(above)
}

/// What the reader sees of groups: all, those that are wide, and those of the lower ages.
fn features(view: &View, groups: &Groups) -> [Vec<bool>; 4] {
    let ages = view.known()[0].codes();
    let bounds = |rows: &[u32]| {
        let ages = rows.iter().map(|&row| ages[row as usize]);
        (ages.clone().min().unwrap_or(0), ages.max().unwrap_or(0))
    };
    let bounds: Vec<(u32, u32)> = groups.iter().map(bounds).collect();
    let of = |is: &dyn Fn((u32, u32)) -> bool| bounds.iter().map(|&own| is(own)).collect();
    [
        of(&|_| true),
        of(&|(low, high)| high > low),
        of(&|(low, high)| high == low),
        of(&|(low, _)| low < 45),
    ]
}

/// The least p-value over all places in a group, values and features, times their number.
fn alarm(view: &View, groups: &Groups, l: u32) -> f64 {
    let codes = view.secret().codes();
    let logs = log_factorials(groups.len());
    let rank = |&row: &u32| {
        let known = view
            .known()
            .iter()
            .map(|column| column.codes()[row as usize]);
        (known.collect::<Vec<u32>>(), row)
    };
    let in_order = |rows: &[u32]| {
        let mut rows = rows.to_vec();
        rows.sort_by_key(rank);
        rows
    };
    let ordered: Vec<Vec<u32>> = groups.iter().map(in_order).collect();
    let is_whole = |rows: &Vec<u32>| {
        let mut values: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
        values.sort_unstable();
        values.iter().copied().eq(0..l)
    };
    let (mut tests, mut least) = (0, f64::INFINITY);
    for feature in features(view, groups) {
        let seen = ordered.iter().zip(&feature);
        let seen: Vec<&Vec<u32>> = seen
            .filter(|(rows, is_seen)| **is_seen && is_whole(rows))
            .map(|(rows, _)| rows)
            .collect();
        for place in 0..l as usize {
            for value in 0..l {
                let has = |rows: &&&Vec<u32>| codes[rows[place] as usize] == value;
                let count = seen.iter().filter(has).count();
                tests += 1;
                least = least.min(p_value(count, seen.len(), l, &logs));
            }
        }
    }
    least * f64::from(tests)
}

#[test]
fn values_are_dealt_evenly_inside_of_groups_of_large_tables() {
    for (number, algorithm) in (1..).zip([&Cover as &dyn Algorithm, &Halving, &Ria, &Rda]) {
        for l in [2, 3, 5] {
            let view = table(l, number);
            let model = Model::from(RatioDiversity::new(l).unwrap());
            let mut coins = SecretCoins::from_test_seed(u64::from(l));
            let groups = algorithm.partition_with(&view, &model, &Settings::default(), &mut coins);
            let found = alarm(&view, &groups.unwrap(), l);
            assert!(
                found > FALSE_ALARM,
                "{}, l = {l}: {found}",
                algorithm.name()
            );
        }
    }
}

/// The test can fail: columns that are shifted against one another, which no count of values shows.
#[test]
fn an_uneven_deal_is_noticed() {
    let (l, view) = (2, table(2, 1));
    let ages = view.known()[0].codes();
    let column = |value: u32| {
        let rows = (0..PEOPLE).filter(|&row| view.secret().codes()[row as usize] == value);
        let mut rows: Vec<u32> = rows.collect();
        rows.sort_by_key(|&row| ages[row as usize]);
        rows
    };
    let (one, mut other) = (column(0), column(1));
    let pairs = |other: &[u32]| -> Groups {
        let pairs = one.iter().zip(other);
        pairs.map(|(&one, &other)| [one, other]).collect()
    };
    assert!(alarm(&view, &pairs(&other), l) > FALSE_ALARM);
    other.rotate_left(100);
    assert!(alarm(&view, &pairs(&other), l) < FALSE_ALARM);
}

/// What is drawn is what is asked for: every number below n is as likely.
#[test]
fn coins_are_even() {
    let draws = 60_000;
    let logs = log_factorials(draws);
    for below in [2u32, 3, 7, 10] {
        let mut coins = SecretCoins::from_test_seed(u64::from(below));
        let mut counts = vec![0usize; below as usize];
        for _ in 0..draws {
            counts[coins.below(below) as usize] += 1;
        }
        for count in counts {
            let found = p_value(count, draws, below, &logs) * f64::from(below);
            assert!(found > FALSE_ALARM, "below {below}: {count}");
        }
    }
}
