//! The engine in chunks, against a reader who knows it.

use super::*;
use openveil_core::algorithm::chunks::testing::in_chunks;
use openveil_core::coins::Coins;
use openveil_core::exact::{Rational, fraction};
use openveil_core::model::{DistinctDiversity, EntropyDiversity, Requirement};
use openveil_core::table::View;

/// Checks every table of a multiset, in chunks of at most so many rows, in regions of a sample or
/// of everybody.
fn assert_safe(scenario: &Scenario, chunks: (u32, Option<usize>), l: u32) {
    let run = |table: &View, model: &Model, coins: &mut dyn Coins| {
        in_chunks((table, model), chunks, coins)
    };
    let found = verify(&run, scenario).unwrap();
    assert_eq!(found.counterexample, None, "{scenario:?} {chunks:?}");
    assert!(found.max_posterior <= fraction(1, l.into()));
    assert!(found.releases > 0);
}

const MULTISETS: [(&[u32], u32); 8] = [
    (&[1, 1, 2, 2], 2),
    (&[1, 1, 2, 2, 3, 3], 2),
    (&[1, 1, 1, 2, 2, 2], 2),
    (&[1, 1, 1, 2, 2, 3], 2),
    (&[1, 1, 2, 2, 3, 4], 2),
    (&[1, 1, 2, 3, 4], 2),
    (&[1, 1, 2, 2, 3, 3], 3),
    (&[1, 1, 2, 2, 3, 3, 4], 3),
];

/// People who differ on two quasi-identifiers, and people of two kinds.
fn layouts(values: &[u32], l: u32) -> [Scenario; 2] {
    let ranks: Vec<u32> = (0..values.len() as u32).map(|at| at * at % 5).collect();
    let halves: Vec<u32> = (0..values.len() as u32).map(|at| at * 3 % 2).collect();
    [&[&ranks[..], &halves][..], &[&halves]]
        .map(|codes| scenario(values, l).with_numbers(codes).unwrap())
}

/// From counts until nothing can be cut, and in memory for nodes of four people or more.
#[test]
fn halving_is_safe_in_chunks() {
    for (values, l) in MULTISETS {
        for scenario in layouts(values, l) {
            if values.len() < 7 {
                assert_safe(&scenario, (1, None), l);
            }
            if values.len() < 6 {
                assert_safe(&scenario, (1, Some(2)), l);
            }
            assert_safe(&scenario, (4, None), l);
        }
    }
}

#[test]
fn halving_is_safe_on_eight_people_in_chunks() {
    for values in [&[1, 1, 1, 1, 2, 2, 2, 2][..], &[1, 1, 2, 2, 3, 3, 4, 4]] {
        for most_rows in [1, 4] {
            assert_safe(&scenario(values, 2), (most_rows, None), 2);
        }
    }
}

#[test]
fn the_engine_is_safe_in_chunks_of_strata() {
    let sides: Vec<u32> = (0..8).map(|at| at / 4).collect();
    let ranks: Vec<u32> = (0..8).collect();
    let scenario = scenario(&[1, 1, 2, 2, 1, 2, 3, 3], 2).with_numbers(&[&ranks, &sides]).unwrap();
    let column = scenario.table().known()[1].name().to_owned();
    let scenario = scenario.with_strata([column]).unwrap();
    assert_safe(&scenario, (2, None), 2);
}

#[test]
fn the_engine_keeps_other_models_in_chunks() {
    let entropy = EntropyDiversity { l: Rational::new(2, 1) };
    let distinct = DistinctDiversity { l: 2 };
    for requirement in [Requirement::Entropy(entropy), Requirement::Distinct(distinct)] {
        let model: Model = requirement.into();
        for values in [&[1, 1, 2, 2, 3, 3][..], &[1, 1, 1, 2, 2, 3], &[1, 1, 2, 2, 3]] {
            let scenario = Scenario::of_values(values.iter().copied(), model.clone()).unwrap();
            for most_rows in [1, 4] {
                let run = |table: &View, model: &Model, coins: &mut dyn Coins| {
                    in_chunks((table, model), (most_rows, None), coins)
                };
                let found = verify(&run, &scenario).unwrap();
                assert_eq!(found.counterexample, None, "{values:?}");
            }
        }
    }
}
