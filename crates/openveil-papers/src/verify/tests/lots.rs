//! The cover algorithm in several lots, each with its own composition. Compositions do not depend
//! on the table, and the reader sees them. They are therefore drawn once per seed, and the coins of
//! the random assignment are enumerated.

use super::*;
use openveil_core::algorithm::chunks::testing::of_layout;
use openveil_core::algorithm::cover::testing::{by_composition, composed};
use openveil_core::algorithm::{Algorithm, Cover, Lots, Settings};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::exact::fraction;
use openveil_core::model::suite::models;
use openveil_core::table::{Groups, View};
use std::num::NonZeroU32;

const SEEDS: [u64; 3] = [1, 2, 3];

fn settings(lots: u32) -> Settings {
    Settings {
        lots: Lots::Number(NonZeroU32::new(lots).unwrap()),
        ..Settings::default()
    }
}

/// Returns `cover` in so many lots, stratum by stratum.
fn engine(lots: u32, seed: u64) -> impl Mechanism {
    move |table: &View, model: &Model, coins: &mut dyn Coins| {
        let mut own = SecretCoins::from_test_seed(seed);
        let mut groups = Groups::with_capacity(0, 0);
        for stratum in table.strata() {
            let part = stratum.view(table);
            let criteria = model.bind(&part)?;
            let found = composed(&part, &criteria, &settings(lots), &mut own)?;
            let made = by_composition(&found, &part, &settings(lots), coins);
            groups.append(stratum.in_view(made));
        }
        Ok(groups)
    }
}

/// Returns the number of lots, in all strata.
fn lots_of(scenario: &Scenario, lots: u32, seed: u64) -> u32 {
    let mut own = SecretCoins::from_test_seed(seed);
    let table = scenario.table();
    let strata = table.strata();
    let lots = strata.iter().map(|stratum| {
        let part = stratum.view(table);
        let criteria = scenario.model().bind(&part).unwrap();
        let found = composed(&part, &criteria, &settings(lots), &mut own);
        found.unwrap().lots()
    });
    lots.sum()
}

/// Checks the guarantee under every view; returns whether there were several lots.
fn assert_safe(scenario: &Scenario, lots: u32, seed: u64) -> bool {
    for (style, seen) in VIEWS {
        let view = scenario.clone().with_style(style).with_seen(seen);
        let found = verify(&engine(lots, seed), &view).unwrap();
        assert_eq!(
            found.counterexample, None,
            "{lots} lots, seed {seed}: {scenario:?}"
        );
        if let Some(ratio) = scenario.model().ratio() {
            assert!(found.max_posterior <= fraction(1, ratio.l().into()));
        }
        assert!(found.releases > 0);
    }
    lots_of(scenario, lots, seed) > scenario.table().strata().len() as u32
}

fn values_of(counts: &[u32]) -> Vec<u32> {
    let values = (0u32..).zip(counts);
    values
        .flat_map(|(value, &count)| vec![value; count as usize])
        .collect()
}

#[test]
fn safe_on_every_small_multiset_in_two_and_three_lots() {
    let (mut checked, mut parted) = (0, 0);
    for counts in (2..=7).flat_map(histograms) {
        for l in [2, 3] {
            let scenario = scenario(&values_of(&counts), l);
            if Algorithm::check(&Cover, scenario.table(), scenario.model()).is_err() {
                continue;
            }
            let rows = scenario.table().rows() as u32;
            for lots in 2..=(rows / l).min(3) {
                for seed in &SEEDS[..if rows < 7 { 3 } else { 1 }] {
                    parted += u32::from(assert_safe(&scenario, lots, *seed));
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 50 && parted == checked, "{parted} of {checked}");
}

#[test]
fn safe_on_eight_people_in_lots() {
    for (values, l) in [
        (&[1, 1, 2, 2, 3, 3, 4, 4][..], 2),
        (&[1, 1, 1, 1, 2, 2, 3, 4], 2),
        (&[1, 1, 2, 2, 3, 4, 5, 6], 3),
    ] {
        let ranks: Vec<u32> = (0..8).map(|at| at * at % 5).collect();
        for seed in SEEDS {
            let scenario = scenario(values, l).with_numbers(&[&ranks]).unwrap();
            let found = verify(&engine(2, seed), &scenario).unwrap();
            assert_eq!(found.counterexample, None, "{values:?}");
            assert!(found.max_posterior <= fraction(1, l.into()));
        }
    }
}

/// An exempt value may have more rows than a lot has groups, and be in several columns.
#[test]
fn safe_in_lots_with_a_value_that_needs_no_protection() {
    for values in [
        &[0, 0, 0, 1, 1, 2][..],
        &[0, 0, 0, 0, 1, 2],
        &[0, 0, 0, 1, 1, 2, 2],
        &[0, 0, 0, 0, 0, 1, 2],
    ] {
        for l in [2, 3] {
            for codes in super::cover::layouts(values.len()) {
                let codes: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
                let scenario = scenario(values, l).with_numbers(&codes).unwrap();
                let scenario = scenario.with_exempt(vec![true, false, false]);
                for seed in &SEEDS[..2] {
                    assert!(assert_safe(&scenario, 2, *seed));
                }
            }
        }
    }
}

#[test]
fn safe_in_lots_of_strata() {
    let sides: Vec<u32> = (0..8).map(|at| at % 2).collect();
    let ranks: Vec<u32> = (0..8).map(|at| at * 3 % 5).collect();
    for values in [
        [1, 1, 2, 2, 3, 3, 4, 4],
        [1, 1, 2, 2, 1, 2, 3, 3],
        [1, 2, 1, 1, 2, 2, 3, 3],
    ] {
        let scenario = scenario(&values, 2)
            .with_numbers(&[&ranks, &sides])
            .unwrap();
        let scenario = scenario.with_strata(["q2"]).unwrap();
        for seed in SEEDS {
            assert!(assert_safe(&scenario, 2, seed));
        }
    }
}

#[test]
fn safe_in_lots_for_every_model() {
    let mut parted = 0;
    for counts in (4..=6).flat_map(histograms) {
        for model in models(counts.len() as u32) {
            let values = values_of(&counts);
            let scenario = Scenario::of_values(values, model.clone()).unwrap();
            if Algorithm::check(&Cover, scenario.table(), &model).is_err() {
                continue;
            }
            for lots in [2, 3] {
                // One lot is checked elsewhere.
                if lots_of(&scenario, lots, 1) > 1 {
                    let found = verify(&engine(lots, 1), &scenario).unwrap();
                    assert_eq!(found.counterexample, None, "{model} on {counts:?}");
                    parted += 1;
                }
            }
        }
    }
    println!("{parted} scenarios in several lots");
    assert!(parted > 100, "{parted}");
}

#[test]
fn safe_in_lots_and_chunks() {
    for (values, l) in [
        (&[1, 1, 2, 2, 3, 3][..], 2),
        (&[1, 1, 1, 2, 2, 3], 2),
        (&[1, 1, 2, 2, 3, 3, 4], 2),
    ] {
        for seed in &SEEDS[..2] {
            let run = |table: &View, model: &Model, coins: &mut dyn Coins| {
                let criteria = model.bind_strata(table)?;
                let own = &mut SecretCoins::from_test_seed(*seed);
                let chunked = Cover.chunked().expect("it works in chunks");
                let layout = chunked.layout(table, &criteria, &settings(2), own)?;
                of_layout(chunked, (table, &criteria, &layout), (l, None), coins)
            };
            let found = verify(&run, &scenario(values, l)).unwrap();
            assert_eq!(found.counterexample, None, "{values:?}");
            assert!(found.max_posterior <= fraction(1, l.into()));
        }
    }
}

/// Compositions are enumerated as coins, too: it does not matter what the reader knows about them.
#[test]
fn safe_where_coins_of_compositions_are_enumerated() {
    let run = |table: &View, model: &Model, coins: &mut dyn Coins| {
        let criteria = model.bind(table)?;
        let found = composed(table, &criteria, &settings(2), coins)?;
        Ok(by_composition(&found, table, &settings(2), coins))
    };
    for values in [&[1, 1, 2, 2][..], &[1, 1, 2, 3], &[1, 1, 2, 2, 3]] {
        let found = verify(&run, &scenario(values, 2)).unwrap();
        assert_eq!(found.counterexample, None, "{values:?}");
        assert!(found.max_posterior <= fraction(1, 2));
    }
}
