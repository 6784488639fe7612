//! Algorithms in common use against a reader who knows them.

use super::*;
use crate::algorithm::{Anatomy, Incognito, Mondrian, MondrianRelaxed, TopDown};
use openveil_core::algorithm::Algorithm;
use openveil_core::exact::fraction;
use openveil_core::model::DistinctDiversity;
use openveil_core::model::Requirement;

fn distinct(l: u32) -> Model {
    Requirement::Distinct(DistinctDiversity { l }).into()
}

fn ratio(l: u32) -> Model {
    RatioDiversity::new(l).unwrap().into()
}

/// Returns the numbers of all tables, of tables that can lead to an unsafe release, and of tables
/// after which some value is certain.
fn counts(algorithm: &dyn Algorithm, scenario: &Scenario) -> (u64, u64, u64) {
    let found = verify(algorithm, scenario).unwrap();
    assert_eq!(found.is_safe(), found.unsafe_tables == 0);
    (found.tables, found.unsafe_tables, found.certain_tables)
}

/// Returns people told apart by their ranks.
fn ranked(values: &[u32], model: Model) -> Scenario {
    Scenario::of_values(values.iter().copied(), model).unwrap()
}

/// Returns people with two quasi-identifiers.
fn placed(values: &[u32], model: Model, codes: [&[u32]; 2]) -> Scenario {
    ranked(values, model).with_numbers(&codes).unwrap()
}

#[test]
fn top_down_gives_people_away() {
    let of = |values, model| counts(&TopDown, &ranked(values, model));
    assert_eq!(of(&[1, 1, 2, 2], ratio(2)), (6, 0, 0));
    assert_eq!(of(&[1, 1, 2, 2, 3, 3], ratio(2)), (90, 0, 0));
    assert_eq!(of(&[1, 1, 2, 2, 3, 3], distinct(2)), (90, 18, 18));
    assert_eq!(of(&[1, 1, 2, 2, 3, 4], ratio(2)), (180, 24, 24));
    // Every single table leads to a release that discloses too much about somebody.
    assert_eq!(of(&[1, 1, 2, 2, 3, 4], ratio(3)), (180, 180, 48));
}

/// Along one column whose nodes have even sizes, strict cuts are halves, and a refused one
/// discloses nothing. A second column or an odd size is enough to disclose values.
#[test]
fn mondrian_gives_people_away() {
    let of = |scenario: Scenario| counts(&Mondrian, &scenario);
    let pairs = [1, 1, 2, 2, 3, 3];
    assert_eq!(of(ranked(&pairs, ratio(2))), (90, 0, 0));
    let columns: [&[u32]; 2] = [&[0, 1, 0, 1, 0, 1], &[0, 0, 1, 1, 2, 2]];
    assert_eq!(of(placed(&pairs, ratio(2), columns)), (90, 24, 24));
    assert_eq!(of(ranked(&[1, 1, 2, 3, 4], distinct(2))), (60, 6, 6));
    let columns: [&[u32]; 2] = [&[0, 1, 2, 3, 4], &[0, 1, 0, 1, 0]];
    let odd = placed(&[1, 1, 2, 2, 3], ratio(2), columns);
    assert_eq!(of(odd.clone()), (30, 10, 0));
    let found = verify(&Mondrian as &dyn Algorithm, &odd).unwrap();
    assert_eq!(found.max_posterior, fraction(3, 5));
}

#[test]
fn relaxed_mondrian_gives_people_away() {
    let of = |scenario| counts(&MondrianRelaxed, &scenario);
    assert_eq!(of(ranked(&[1, 1, 2, 3, 4], distinct(2))), (60, 6, 6));
    let columns: [&[u32]; 2] = [&[0, 1, 2, 3, 4], &[0, 1, 0, 1, 0]];
    let two = placed(&[1, 1, 2, 3, 4], ratio(2), columns);
    assert_eq!(of(two), (60, 24, 6));
}

#[test]
fn incognito_gives_people_away() {
    let of = |scenario| counts(&Incognito, &scenario);
    assert_eq!(of(ranked(&[1, 1, 2, 2, 3, 3], ratio(2))), (90, 0, 0));
    assert_eq!(of(ranked(&[1, 1, 2, 3, 4, 5], ratio(2))), (360, 24, 24));
    let columns: [&[u32]; 2] = [&[0, 1, 0, 1, 0], &[0, 0, 0, 1, 1]];
    let two = placed(&[1, 1, 2, 3, 4], ratio(2), columns);
    assert_eq!(of(two), (60, 24, 6));
}

/// It uses no quasi-identifier and draws rows by coins.
#[test]
fn anatomy_gives_nobody_away() {
    let multisets: [&[u32]; 6] = [
        &[1, 1, 2, 2],
        &[1, 1, 1, 2, 3],
        &[1, 1, 2, 2, 3, 3],
        &[1, 1, 2, 2, 3, 4],
        &[1, 1, 1, 2, 2, 3],
        &[1, 1, 2, 2, 3, 3, 4],
    ];
    let mut checked = 0;
    for values in multisets {
        for model in [ratio(2), ratio(3), distinct(2), distinct(3)] {
            let scenario = ranked(values, model.clone());
            if Anatomy.check(scenario.table(), &model).is_err() {
                continue;
            }
            for (style, seen) in VIEWS {
                let scenario = scenario.clone().with_style(style).with_seen(seen);
                let found = verify(&Anatomy as &dyn Algorithm, &scenario).unwrap();
                assert_eq!(found.counterexample, None, "{model} on {values:?}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 70, "{checked}");
}
