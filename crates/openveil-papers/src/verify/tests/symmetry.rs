//! Results by symmetry equal results found release by release.

use super::*;
use crate::algorithm::Cover;
use crate::algorithm::{Gda, Naive, Rda, Ria, Safe};
use crate::verify::enumerate::verify_all;
use crate::verify::mechanism::Borrowed;
use crate::verify::symmetry::verified;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::coins::Coins;
use openveil_core::table::{Groups, View};
use proptest::prelude::*;

/// Compares both ways; returns whether there was something to compare.
fn same(algorithm: &dyn Algorithm, scenario: &Scenario) -> bool {
    let mechanism = &Borrowed(algorithm);
    let Ok(all) = verify_all(mechanism, scenario) else {
        return false;
    };
    let found = verified(mechanism, scenario).unwrap();
    if let Some(found) = &found {
        assert_eq!(*found, all, "{} {scenario:?}", algorithm.name());
    }
    found.is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn symmetry_finds_what_there_is(
        values in prop::collection::vec(0u32..5, 2..7),
        exempt in prop::collection::vec(prop::bool::weighted(0.2), 5),
        ranks in prop::collection::vec(0u32..4, 7),
        strata: bool,
        l in 2u32..4,
    ) {
        let scenario = scenario(&values, l);
        let values = scenario.table().secret().values();
        let sexes: Vec<u32> = (0..scenario.table().rows() as u32).map(|person| person % 2).collect();
        let scenario = scenario
            .with_numbers(&[&ranks[..sexes.len()], &sexes])
            .unwrap()
            .with_exempt(exempt[..values].to_vec());
        let scenario = if strata { scenario.with_strata(["q2"]).unwrap() } else { scenario };
        for algorithm in [&Cover as &dyn Algorithm, &Halving, &Ria, &Rda, &Gda, &Safe, &Naive] {
            same(algorithm, &scenario);
        }
    }
}

/// Safe engines for which symmetry applies.
#[test]
fn safe_engines_are_symmetric() {
    for algorithm in [&Cover as &dyn Algorithm, &Halving, &Ria, &Rda, &Safe] {
        for values in [&[1, 2, 3, 4][..], &[1, 1, 2, 2], &[1, 1, 2, 2, 3, 3], &[1, 1, 2, 3, 4, 5]] {
            assert!(same(algorithm, &scenario(values, 2)), "{} {values:?}", algorithm.name());
        }
    }
}

/// `rda` starts with the least of the values that most people have, so values are not alike to it;
/// people are.
#[test]
fn people_are_alike_where_values_are_not() {
    for values in [&[1, 2, 3, 4, 5][..], &[1, 1, 2, 2, 3], &[1, 1, 2, 3, 4, 4]] {
        assert!(same(&Rda, &scenario(values, 2)), "{values:?}");
    }
}

/// Everybody is in one group, except for the last table.
#[test]
fn one_table_that_differs_is_found() {
    let biased = |table: &View, _: &Model, _: &mut dyn Coins| {
        Ok(match table.secret().codes() {
            [3, 2, 1, 0] => Groups::from_labels(&[0, 0, 1, 1], 2),
            _ => Groups::from_labels(&[0, 0, 0, 0], 1),
        })
    };
    let scenario = scenario(&[1, 2, 3, 4], 2);
    assert_eq!(verified(&biased, &scenario).unwrap(), None);
    assert_eq!(verify(&biased, &scenario).unwrap().certain_tables, 1);
}

/// People with one value are not alike: the first of them is alone with another person. Groups show
/// halves, and the reader learns more.
#[test]
fn people_with_one_value_are_told_apart() {
    let biased = |table: &View, _: &Model, _: &mut dyn Coins| {
        let codes = table.secret().codes();
        let first = |value| codes.iter().position(|&own| own == value).unwrap();
        let mut labels = vec![1; codes.len()];
        labels[first(0)] = 0;
        labels[first(1)] = 0;
        Ok(Groups::from_labels(&labels, 2))
    };
    let scenario = scenario(&[1, 1, 1, 2, 2, 3], 2);
    assert_eq!(verified(&biased, &scenario).unwrap(), None);
    assert!(!verify(&biased, &scenario).unwrap().is_safe());
}

/// Groups that depend on which value is which.
#[test]
fn symmetry_is_not_believed() {
    let biased = |table: &View, _: &Model, _: &mut dyn Coins| {
        // People 0 and 1 are together if 0 has the lower code.
        let codes = table.secret().codes();
        Ok(if codes[0] < codes[1] {
            Groups::from_labels(&[0, 0, 1, 1], 2)
        } else {
            Groups::from_labels(&[0, 1, 1, 0], 2)
        })
    };
    let scenario = scenario(&[1, 2, 3, 4], 2);
    assert_eq!(verified(&biased, &scenario).unwrap(), None);
    assert!(!verify(&biased, &scenario).unwrap().is_safe());
}
