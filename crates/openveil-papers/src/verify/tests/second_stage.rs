//! The second stage of RIA and RDA against a reader who knows it, and a choice that sees values.

use super::*;
use crate::algorithm::{Rda, RdaSecondStage, RiaSecondStage};
use openveil_core::algorithm::Algorithm;
use openveil_core::exact::fraction;
use openveil_core::table::{Groups, View};

/// Known columns of six or seven people: all different, alike in pairs, and two columns.
const LAYOUTS: [&[&[u32]]; 3] = [
    &[&[0, 1, 2, 3, 4, 5, 6]],
    &[&[0, 0, 1, 1, 4, 4, 9]],
    &[&[0, 3, 3, 4, 8, 9, 9], &[1, 0, 1, 0, 0, 1, 1]],
];

#[test]
fn the_second_stage_keeps_the_promise() {
    let mut merged = 0;
    for algorithm in [&RiaSecondStage as &dyn Algorithm, &RdaSecondStage] {
        for (values, l) in [
            (&[1, 1, 2, 2, 3, 3][..], 2),
            (&[1, 1, 1, 2, 2, 3], 2),
            (&[1, 1, 2, 2, 3, 3], 3),
            (&[1, 1, 2, 2, 3, 4, 5], 2),
        ] {
            for layout in LAYOUTS {
                let columns: Vec<&[u32]> =
                    layout.iter().map(|column| &column[..values.len()]).collect();
                // Whoever sees who is in which group sees no less in any style.
                let views = if values.len() > 6 { 1 } else { VIEWS.len() };
                for (style, seen) in VIEWS.into_iter().take(views) {
                    let scenario = scenario(values, l).with_numbers(&columns).unwrap();
                    let scenario = scenario.with_style(style).with_seen(seen);
                    let found = verify(algorithm, &scenario).unwrap();
                    assert_eq!(found.counterexample, None, "{} on {values:?}", algorithm.name());
                    assert!(found.max_posterior <= fraction(1, l.into()));
                }
                let scenario = scenario(values, l).with_numbers(&columns).unwrap();
                merged += usize::from(merges(algorithm, &scenario));
            }
        }
    }
    assert!(merged >= 8, "the second stage merged groups in {merged} cases only");
}

/// Whether the second stage chooses a coarser partition in some run.
fn merges(algorithm: &dyn Algorithm, scenario: &Scenario) -> bool {
    let fewest = |algorithm: &dyn Algorithm| {
        let found = algorithm.distribution(
            scenario.table(),
            scenario.model(),
            PATH_LIMIT,
            &Memory::default(),
        );
        let found = found.unwrap();
        found.outcomes().iter().map(|(groups, _)| groups.len()).min()
    };
    let first = algorithm.name().trim_end_matches("-second-stage");
    fewest(algorithm) < fewest(crate::algorithm::named(first).unwrap())
}

/// The checker follows the program path by path: both have the same distribution.
#[test]
fn the_second_stage_is_integrated_exactly() {
    for layout in LAYOUTS {
        let columns: Vec<&[u32]> = layout.iter().map(|column| &column[..5]).collect();
        let scenario = scenario(&[1, 1, 2, 2, 3], 2).with_numbers(&columns).unwrap();
        for algorithm in [&RiaSecondStage as &dyn Algorithm, &RdaSecondStage] {
            let model = scenario.model();
            let table = scenario.table();
            let whole = algorithm.distribution(table, model, PATH_LIMIT, &Memory::default());
            let by_path = distribution(PATH_LIMIT, |coins| {
                Ok(algorithm.partition(table, model, coins)?.sorted())
            });
            assert_eq!(whole.unwrap(), by_path.unwrap(), "{}", algorithm.name());
        }
    }
}

/// A choice by an error that depends on who has which value is not safe.
#[test]
fn a_choice_by_true_values_gives_people_away() {
    let by_values = |view: &View, model: &Model, coins: &mut dyn Coins| {
        let groups = Rda.partition(view, model, coins)?;
        let has = |row: &u32| view.secret().codes()[*row as usize] == 0;
        // The number of the first three rows with the first value: the true one, and the one that
        // groups suggest.
        let truth = (0..3).filter(has).count() as f64;
        let of_group = |group: &[u32]| {
            let first = group.iter().filter(|row| **row < 3).count() as f64;
            first * group.iter().filter(|row| has(row)).count() as f64 / group.len() as f64
        };
        let expected: f64 = groups.iter().map(of_group).sum();
        let everybody: Groups = std::iter::once(0..view.rows() as u32).collect();
        let is_better = (truth - expected).abs() < (truth - 1.0).abs();
        Ok(if is_better { groups } else { everybody })
    };
    let found = verify(&by_values, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    assert!(found.max_posterior > fraction(1, 2), "{found:?}");
}

/// RDA leaves every belief of a reader who knows a direction as it was; the second stage does not.
#[test]
fn the_second_stage_tells_readers_with_a_direction_something() {
    let told = |algorithm: &dyn Algorithm| {
        exchanges(algorithm, &scenario(&[1, 1, 2, 2, 3, 3], 2), 1.5).unwrap().greatest_gap
    };
    assert!(told(&Rda) < 1e-9 && told(&RdaSecondStage) > 0.0);
}
