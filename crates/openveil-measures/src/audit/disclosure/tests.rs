use super::*;
use crate::audit::{combine, separation};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The example of Capobianchi, Polettini and Lucarelli from sdcMicro's documentation (`francdat`):
/// rows and weights of the classes, and the printed risks.
#[test]
fn individual_risks_are_those_of_the_documentation() {
    let known = [
        (2, 110.0, 0.017_144_26),
        (2, 84.5, 0.022_042_33),
        (1, 17.0, 0.177_075_83),
        (1, 541.0, 0.011_654_48),
        (1, 8.0, 0.297_063_08),
        (1, 5.0, 0.402_359_48),
    ];
    for (rows, people, risk) in known {
        let found = individual_risk(rows, people);
        assert!((found - risk).abs() < 5e-9, "{rows} {people}: {found}");
    }
}

#[test]
fn individual_risks_are_means_of_one_over_f() {
    let mut coins = StdRng::seed_from_u64(1);
    for _ in 0..500 {
        let rows = coins.random_range(1..=60u32);
        let people = f64::from(rows) * coins.random_range(1.0..30.0);
        let p = f64::from(rows) / people;
        // P(F = h) of a negative binomial, for h ≥ f.
        let mut chance = p.powi(rows as i32);
        let mut mean = 0.0;
        for h in rows.. {
            mean += chance / f64::from(h);
            chance *= (1.0 - p) * f64::from(h) / f64::from(h + 1 - rows);
            if chance < 1e-18 && f64::from(h) > people {
                break;
            }
        }
        let found = individual_risk(rows, people);
        assert!((found / mean - 1.0).abs() < 1e-9, "{rows} {people}: {found} {mean}");
        assert!(found >= 1.0 / people && found <= 1.0 / f64::from(rows));
    }
    assert_eq!(individual_risk(4, 4.0), 0.25);
    assert_eq!(individual_risk(4, 1.0), 0.25);
    assert!((household_risk([0.5, 0.5].into_iter()) - 0.75).abs() < 1e-12);
}

/// The examples of sdcMicro's own tests.
#[test]
fn contributions_are_those_of_sdcmicro() {
    let (a, b, c) = ([2, 1, 1], [0, 1, 0], [0, 1, 0]);
    let columns: Vec<(&[u32], u64)> = vec![(&a, 3), (&b, 2), (&c, 2)];
    let found = SpecialUniques::new(&columns, 3, 3);
    assert_eq!(found.columns, [0.5, 0.375, 0.375]);
    assert_eq!(found.scores, [2.0, 4.0, 2.0]);
    assert_eq!(found.found, [3, 2, 0]);
}

fn table(coins: &mut StdRng) -> Vec<Vec<u32>> {
    let (columns, rows) = (coins.random_range(1..=5), coins.random_range(1..=20));
    let values = coins.random_range(1..=5);
    let column = |_| (0..rows).map(|_| coins.random_range(0..values)).collect();
    (0..columns).map(column).collect()
}

/// Every set of columns for every row, by the definition.
fn naive(columns: &[Vec<u32>], most: usize) -> (Vec<u64>, Vec<f64>, Vec<f64>) {
    let (all, rows) = (columns.len(), columns[0].len());
    let is_alone = |set: u32, row: usize| {
        let is_like = |other: usize| {
            (0..all).all(|at| set >> at & 1 == 0 || columns[at][other] == columns[at][row])
        };
        (0..rows).all(|other| other == row || !is_like(other))
    };
    let (mut found, mut scores) = (vec![0; most.min(all)], vec![0.0; rows]);
    let mut by_column = vec![0.0; all];
    for (row, score) in scores.iter_mut().enumerate() {
        for set in 1u32..1 << all {
            let size = set.count_ones() as usize;
            let parts = (1..set).filter(|part| part & set == *part);
            if size > most
                || !is_alone(set, row)
                || parts.into_iter().any(|part| is_alone(part, row))
            {
                continue;
            }
            found[size - 1] += 1;
            let own: f64 = (size..=most.min(all - 1)).map(|i| (all - i) as f64).product();
            *score += own;
            for (at, sum) in by_column.iter_mut().enumerate() {
                *sum += if set >> at & 1 == 1 { own } else { 0.0 };
            }
        }
    }
    let total: f64 = scores.iter().sum();
    if total > 0.0 {
        by_column.iter_mut().for_each(|own| *own /= total);
    }
    (found, scores, by_column)
}

#[test]
fn special_uniques_are_those_of_the_definition() {
    let mut coins = StdRng::seed_from_u64(2);
    let mut some = 0;
    for _ in 0..2_000 {
        let columns = table(&mut coins);
        let most = coins.random_range(1..=columns.len());
        let coded: Vec<(&[u32], u64)> = columns.iter().map(|own| (&own[..], 5)).collect();
        let found = SpecialUniques::new(&coded, columns[0].len(), most);
        let (counts, scores, shares) = naive(&columns, most);
        assert_eq!((&found.found, &found.scores), (&counts, &scores), "{columns:?}");
        let pairs = found.columns.iter().zip(&shares);
        assert!(pairs.into_iter().all(|(own, share)| (own - share).abs() < 1e-12));
        for (own, values) in found.columns.iter().zip(&found.values) {
            assert!((values.iter().sum::<f64>() - own).abs() < 1e-12);
        }
        some += counts.iter().sum::<u64>();
    }
    assert!(some > 5_000, "{some}");
}

#[test]
fn dis_scores_grow_with_scores_and_with_the_fraction() {
    let mut coins = StdRng::seed_from_u64(3);
    let columns: Vec<Vec<u32>> =
        (0..4).map(|_| (0..300).map(|_| coins.random_range(0..5)).collect()).collect();
    let coded: Vec<(&[u32], u64)> = columns.iter().map(|own| (&own[..], 5)).collect();
    let found = SpecialUniques::new(&coded, 300, 4);
    let of = |fraction| found.dis(fraction).expect("some rows are alike");
    let (few, many) = (of(0.01), of(0.2));
    for row in 0..300 {
        assert!(few[row] <= many[row] && (0.0..=1.0).contains(&many[row]));
        assert_eq!(few[row] == 0.0, found.scores[row] == 0.0);
        for other in 0..300 {
            assert!(found.scores[row] < found.scores[other] || few[row] >= few[other]);
        }
    }
    assert!(of(1.0).iter().all(|dis| *dis == 0.0 || *dis == 1.0));
}

#[test]
fn separation_counts_pairs() {
    let mut coins = StdRng::seed_from_u64(4);
    for _ in 0..2_000 {
        let columns = table(&mut coins);
        let rows = columns[0].len();
        let coded: Vec<(&[u32], u64)> = columns.iter().map(|own| (&own[..], 5)).collect();
        let ids = combine(&coded, rows).ids;
        let mut sizes = vec![0; rows];
        ids.iter().for_each(|&id| sizes[id as usize] += 1);
        let pairs = (0..rows).flat_map(|one| (0..one).map(move |other| (one, other)));
        let differ = |&(one, other): &(usize, usize)| {
            columns.iter().any(|column| column[one] != column[other])
        };
        let (all, apart) = (pairs.clone().count(), pairs.filter(differ).count());
        let expected = if all == 0 { 1.0 } else { apart as f64 / all as f64 };
        assert!((separation(&sizes) - expected).abs() < 1e-12);
    }
}

/// Populations with a counted number of unique people, and estimates from a sample of them.
#[test]
fn estimates_are_near_the_population() {
    let mut coins = StdRng::seed_from_u64(5);
    // Each case: spread of classes (α, β) and sampling fraction.
    for (alpha, beta, fraction) in [(0.8, 0.2, 0.3), (1.5, 0.1, 0.5), (0.5, 0.05, 0.2)] {
        // Slide negative binomial: a geometric mixture.
        let classes = 20_000;
        let size = |coins: &mut StdRng| {
            let (mut chance, mut left, mut size) =
                (f64::powf(beta, alpha), coins.random::<f64>(), 1u32);
            while left > chance {
                left -= chance;
                chance *= (1.0 - beta) * (alpha + f64::from(size) - 1.0) / f64::from(size);
                size += 1;
            }
            size
        };
        let population: Vec<u32> = (0..classes).map(|_| size(&mut coins)).collect();
        let people: u64 = population.iter().copied().map(u64::from).sum();
        let uniques = population.iter().filter(|size| **size == 1).count() as f64;
        let sample: Vec<u32> = population
            .iter()
            .map(|&size| (0..size).filter(|_| coins.random::<f64>() < fraction).count() as u32)
            .filter(|size| *size > 0)
            .collect();
        let found = PopulationUniques::new(&sample, people as f64);
        let truth = uniques / people as f64;
        let snb = found.snb.expect("the model that made it");
        assert!((snb / truth - 1.0).abs() < 0.35, "{found:?} {truth}");
        // Zayatz takes the sample's classes for the population's, so too many are unique.
        assert!(found.zayatz > truth && found.chosen <= found.zayatz);
    }
}

/// Pitman's model on samples of Pitman's process: the restaurant with θ and α.
#[test]
fn pitmans_estimates_are_near_the_population() {
    let mut coins = StdRng::seed_from_u64(6);
    for (theta, alpha) in [(100.0, 0.5), (500.0, 0.7), (200.0, 0.4)] {
        let people = 20_000;
        let mut tables: Vec<u32> = Vec::new();
        let mut seats: Vec<u32> = Vec::new();
        for person in 0..people {
            let all = theta + f64::from(person);
            let fresh = theta + alpha * tables.len() as f64;
            if coins.random::<f64>() * all < fresh {
                seats.push(tables.len() as u32);
                tables.push(1);
                continue;
            }
            // Seats in proportion to size minus α: a seated person's table, accepted with the
            // chance (size − α)/size.
            loop {
                let at = seats[coins.random_range(0..seats.len())];
                let size = f64::from(tables[at as usize]);
                if coins.random::<f64>() < (size - alpha) / size {
                    tables[at as usize] += 1;
                    seats.push(at);
                    break;
                }
            }
        }
        let truth = tables.iter().filter(|size| **size == 1).count() as f64 / f64::from(people);
        let mut sample = vec![0u32; tables.len()];
        for &seat in &seats {
            sample[seat as usize] += u32::from(coins.random::<f64>() < 0.05);
        }
        let sample: Vec<u32> = sample.into_iter().filter(|size| *size > 0).collect();
        let found = PopulationUniques::new(&sample, f64::from(people));
        let pitman = found.pitman.expect("the model that made it");
        assert!((pitman / truth - 1.0).abs() < 0.35, "{found:?} {truth}");
        assert_eq!((found.chosen, found.by), (pitman, UniquesModel::Pitman));
    }
}

#[test]
fn samples_without_uniques_or_doubles_have_estimates() {
    let none = PopulationUniques::new(&[2, 3, 4], 100.0);
    assert_eq!((none.chosen, none.pitman, none.snb), (0.0, Some(0.0), Some(0.0)));
    // Everybody is unique: there is nothing to fit.
    let all = PopulationUniques::new(&[1; 50], 1_000.0);
    assert_eq!((all.pitman, all.snb), (None, None));
    assert!((all.chosen - 1.0).abs() < 1e-12 && all.by == UniquesModel::Zayatz);
    // The sample is the whole population.
    let whole = PopulationUniques::new(&[1, 1, 2, 3], 7.0);
    assert!((whole.zayatz - 2.0 / 7.0).abs() < 1e-12, "{whole:?}");
}

/// Zayatz computed by binomial coefficients.
#[test]
fn zayatz_is_hypergeometric() {
    let mut coins = StdRng::seed_from_u64(7);
    for _ in 0..2_000 {
        let sizes: Vec<u32> =
            (0..coins.random_range(1..=12)).map(|_| coins.random_range(1..=5)).collect();
        let rows: u32 = sizes.iter().sum();
        let people = rows + coins.random_range(0..30);
        let choose = |n: u32, k: u32| -> f64 {
            if k > n {
                return 0.0;
            }
            (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
        };
        let one =
            |size: u32| f64::from(size) * choose(people - size, rows - 1) / choose(people, rows);
        let uniques = sizes.iter().filter(|size| **size == 1).count() as f64;
        if uniques == 0.0 {
            continue;
        }
        let all: f64 = sizes.iter().map(|&size| one(size)).sum();
        let expected = uniques * (uniques * one(1) / all) / f64::from(rows);
        let found = PopulationUniques::new(&sizes, f64::from(people)).zayatz;
        assert!((found - expected).abs() < 1e-9, "{sizes:?} {people}: {found} {expected}");
    }
}
