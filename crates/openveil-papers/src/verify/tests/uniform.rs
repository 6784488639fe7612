//! Large tables, where nothing can be enumerated: which member of a group has which of its values
//! is as likely as the proofs say, whatever else the reader sees of the group.
//!
//! Values are shuffled over people, so that all tables are equally likely. Each person of a group
//! of l people with all l values then has each value with probability 1/l. Groups of one release
//! are not independent of each other: which members of two neighbouring groups have the same value
//! is correlated, and nothing is guaranteed about that. Each test therefore examines a few people
//! of each table whom the reader could point at, each separately; over independent tables, counts
//! are exactly binomial. If the coins were new each time, the probability of a false alarm would be
//! at most [`FALSE_ALARM`].

use super::*;
use crate::algorithm::Cover;
use crate::algorithm::{Rda, Ria};
use openveil_core::algorithm::{Algorithm, Halving, Settings};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::table::{Column, Domain, Groups, Secret, View};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// The probability that the tests of one engine raise an alarm although the engine is correct.
const FALSE_ALARM: f64 = 1e-6;

const PEOPLE: u32 = 1_200;

/// The number of tables in the suite; `OPENVEIL_TRIALS` requests more.
const TABLES: u64 = 300;

/// Returns a table of ages with ties, and districts that are correlated with them; values are
/// assigned at random.
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

/// Returns ln k! for k up to n.
fn log_factorials(n: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let logs = (1..=n).map(|k| {
        sum += (k as f64).ln();
        sum
    });
    [0.0].into_iter().chain(logs).collect()
}

/// Returns the two-sided p-value of a count out of `of` trials with probability 1/l.
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

/// Returns people whom a reader could point at: the first row, the youngest person, the youngest
/// and the oldest of the widest group, and those of the group of the median.
fn pointed_at(view: &View, groups: &Groups) -> [u32; 6] {
    let rank = |row: u32| {
        let known = view.known().iter().map(|column| column.codes()[row as usize]);
        (known.collect::<Vec<u32>>(), row)
    };
    let ends = |rows: &[u32]| {
        let mut rows = rows.to_vec();
        rows.sort_by_cached_key(|&row| rank(row));
        (rows[0], rows[rows.len() - 1])
    };
    let ages = view.known()[0].codes();
    let width = |rows: &&[u32]| {
        let (first, last) = ends(rows);
        ages[last as usize] - ages[first as usize]
    };
    let widest = groups.iter().max_by_key(width).unwrap_or(&[]);
    let mut everybody: Vec<u32> = (0..PEOPLE).collect();
    everybody.sort_by_cached_key(|&row| rank(row));
    let median = everybody[everybody.len() / 2];
    let own = groups.iter().find(|rows| rows.contains(&median)).unwrap_or(&[]);
    let ((a, b), (c, d)) = (ends(widest), ends(own));
    [0, everybody[0], a, b, c, d]
}

/// Returns whether a person's group has every value once.
fn is_whole(view: &View, groups: &Groups, person: u32, l: u32) -> bool {
    let rows = groups.iter().find(|rows| rows.contains(&person)).unwrap_or(&[]);
    let mut values: Vec<u32> =
        rows.iter().map(|&row| view.secret().codes()[row as usize]).collect();
    values.sort_unstable();
    values.iter().copied().eq(0..l)
}

/// Returns the least p-value over all people that a reader points at and all values, times their
/// number.
fn alarm(tables: u64, l: u32, groups: impl Fn(&View, u64) -> Groups + Sync) -> f64 {
    let seen = |number: u64| {
        let view = table(l, number);
        let groups = groups(&view, number);
        pointed_at(&view, &groups).map(|person| {
            let value = view.secret().codes()[person as usize];
            is_whole(&view, &groups, person, l).then_some(value)
        })
    };
    let seen: Vec<[Option<u32>; 6]> = (0..tables).into_par_iter().map(seen).collect();
    let logs = log_factorials(seen.len());
    let (mut tests, mut least) = (0, f64::INFINITY);
    for place in 0..6 {
        let values: Vec<u32> = seen.iter().filter_map(|own| own[place]).collect();
        for value in 0..l {
            let count = values.iter().filter(|&&own| own == value).count();
            tests += 1;
            least = least.min(p_value(count, values.len(), l, &logs));
        }
    }
    least * f64::from(tests)
}

#[test]
fn values_are_dealt_evenly_inside_of_groups_of_large_tables() {
    let asked = std::env::var("OPENVEIL_TRIALS").ok();
    let tables = asked.and_then(|text| text.parse().ok()).unwrap_or(TABLES);
    for algorithm in [&Cover as &dyn Algorithm, &Halving, &Ria, &Rda] {
        for l in [2, 3] {
            let model = Model::from(RatioDiversity::new(l).unwrap());
            let groups = |view: &View, number: u64| {
                let mut coins = SecretCoins::from_test_seed(number);
                algorithm.partition_with(view, &model, &Settings::default(), &mut coins).unwrap()
            };
            let found = alarm(tables, l, groups);
            assert!(found > FALSE_ALARM, "{}, l = {l}: {found}", algorithm.name());
        }
    }
}

/// The test can fail: columns that are shifted against one another, which no count of values shows.
#[test]
fn an_uneven_deal_is_noticed() {
    let pairs = |view: &View, shift: usize| -> Groups {
        let ages = view.known()[0].codes();
        let column = |value: u32| {
            let mut rows: Vec<u32> =
                (0..PEOPLE).filter(|&row| view.secret().codes()[row as usize] == value).collect();
            rows.sort_by_key(|&row| ages[row as usize]);
            rows
        };
        let (one, mut other) = (column(0), column(1));
        other.rotate_left(shift);
        one.iter().zip(&other).map(|(&one, &other)| [one, other]).collect()
    };
    assert!(alarm(TABLES, 2, |view, _| pairs(view, 0)) > FALSE_ALARM);
    assert!(alarm(TABLES, 2, |view, _| pairs(view, 20)) < FALSE_ALARM);
}

/// Draws are uniform: every number below n is equally likely.
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
