//! Tests the engines for any model, on every multiset of up to six people; of up to seven if the
//! variable `OPENVEIL_EXHAUSTIVE` is set, which takes minutes.

use super::*;
use crate::algorithm::Cover;
use crate::algorithm::{KJump, Safe};
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::model::suite::models;

/// Returns quasi-identifiers: distinct ranks, and two columns with ties.
fn layouts(people: u32) -> [Vec<Vec<u32>>; 2] {
    [
        vec![(0..people).collect()],
        vec![
            (0..people).map(|person| person % 2).collect(),
            (0..people).map(|person| person * 3 % 5).collect(),
        ],
    ]
}

/// Returns whether the model allows the multiset at all; if so, the engine must be safe.
fn is_checked(algorithm: &dyn Algorithm, model: &Model, counts: &[u32]) -> bool {
    let values: Vec<u32> =
        (0u32..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]).collect();
    for layout in layouts(values.len() as u32) {
        let codes: Vec<&[u32]> = layout.iter().map(Vec::as_slice).collect();
        let scenario = Scenario::of_values(values.iter().copied(), model.clone())
            .unwrap()
            .with_numbers(&codes)
            .unwrap();
        if algorithm.check(scenario.table(), model).is_err() {
            return false;
        }
        let found = verify(algorithm, &scenario).unwrap();
        assert_eq!(found.counterexample, None, "{} for {model} on {counts:?}", algorithm.name());
    }
    true
}

fn most_people() -> u32 {
    match std::env::var_os("OPENVEIL_EXHAUSTIVE") {
        Some(_) => 7,
        None => 6,
    }
}

fn assert_safe_everywhere(algorithm: &dyn Algorithm) {
    let mut checked = std::collections::BTreeMap::new();
    for counts in (2..=most_people()).flat_map(histograms) {
        for (number, model) in models(counts.len() as u32).into_iter().enumerate() {
            let found = is_checked(algorithm, &model, &counts);
            *checked.entry(number).or_insert(0) += u32::from(found);
        }
    }
    assert!(checked.values().all(|&multisets| multisets >= 5), "{checked:?}");
}

#[test]
fn halving_is_safe_for_every_model() {
    assert_safe_everywhere(&Halving);
}

#[test]
fn cover_is_safe_for_every_model() {
    assert_safe_everywhere(&Cover);
}

#[test]
fn blocks_are_safe_for_every_model() {
    assert_safe_everywhere(&KJump);
    assert_safe_everywhere(&Safe);
}
