//! `halving` with groups as small as the model allows, on every multiset of up to six people, under
//! models of every kind.

use super::*;
use openveil_core::Error;
use openveil_core::algorithm::halving::{Attempts, distribution_with};
use openveil_core::model::suite::models;
use openveil_core::table::{Groups, View};
use std::cell::Cell;

/// Cuts down to the smallest groups that the model allows.
pub(super) struct Forced;

impl Mechanism for Forced {
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
        _memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        let attempts = Attempts { strands: 16, smallest: 1 };
        distribution_with(table, &model.bind(table)?, attempts, path_limit)
    }
}

/// Returns quasi-identifiers whose boundaries are not in the middle, and some that cross them.
fn layouts(people: u32) -> [Vec<Vec<u32>>; 3] {
    let codes = |of: fn(u32) -> u32| (0..people).map(of).collect::<Vec<_>>();
    [
        vec![codes(|person| u32::from(person > 1))],
        vec![codes(|person| person / 3), codes(|person| person % 2)],
        vec![codes(|person| person), codes(|person| person * 3 % 5)],
    ]
}

pub(super) fn values_of(counts: &[u32]) -> Vec<u32> {
    (0u32..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]).collect()
}

/// Checks every multiset of so many people, with the given exempt values, and counts the releases
/// of more than one group.
fn assert_safe(people: u32, is_exempt: fn(u32) -> bool) -> u64 {
    let finer = Cell::new(0);
    for counts in histograms(people) {
        let values = values_of(&counts);
        let exempt: Vec<bool> = (0..counts.len() as u32).map(is_exempt).collect();
        for model in models(counts.len() as u32) {
            for layout in layouts(people) {
                let codes: Vec<&[u32]> = layout.iter().map(Vec::as_slice).collect();
                let scenario = Scenario::of_values(values.iter().copied(), model.clone())
                    .unwrap()
                    .with_numbers(&codes)
                    .unwrap()
                    .with_exempt(exempt.clone());
                let Ok(criteria) = model.bind(scenario.table()) else {
                    continue;
                };
                // For other models, fewer people show what is new.
                let is_seen = people < 6 || criteria.treats_values_alike();
                if !is_seen || criteria.check_whole(scenario.table()).is_err() {
                    continue;
                }
                let found = verify(&Forced, &scenario).unwrap();
                assert_eq!(found.counterexample, None, "{model} on {counts:?}");
                finer.set(finer.get() + found.releases);
            }
        }
    }
    finer.get()
}

#[test]
fn forced_attempts_are_safe_for_every_model() {
    for people in 4..=if is_long() { 6 } else { 5 } {
        assert!(assert_safe(people, |_| false) > 0);
    }
}

#[test]
fn forced_attempts_are_safe_with_exempt_values() {
    for people in 4..=if is_long() { 5 } else { 4 } {
        assert!(assert_safe(people, |value| value == 0) > 0);
    }
}

/// Strands of strands: refused twice, cut below, odd strands.
#[test]
fn forced_attempts_are_safe_in_larger_tables() {
    for (values, l) in [
        (&[0, 0, 0, 1, 1, 1, 2, 2][..], 2),
        (&[0, 0, 1, 1, 2, 2, 3, 3], 2),
        (&[0, 0, 0, 1, 1, 2, 2], 2),
        (&[0, 0, 0, 0, 1, 1, 1, 1], 2),
        (&[0, 0, 1, 1, 2, 2, 3, 4], 3),
    ] {
        // No two people are alike: otherwise there would be too many coins.
        let [.., layout] = layouts(values.len() as u32);
        let codes: Vec<&[u32]> = layout.iter().map(Vec::as_slice).collect();
        let scenario = scenario(values, l).with_numbers(&codes).unwrap();
        let found = verify(&Forced, &scenario).unwrap();
        assert_eq!(found.counterexample, None, "{values:?}");
    }
}

/// Ten people: coins set two aside, so that eight can be halved twice.
fn assert_ten_are_safe(values: &[u32]) {
    let rows: Vec<u32> = (0..10).collect();
    let scenario = scenario(values, 2).with_numbers(&[&rows]).unwrap();
    let found = verify(&Forced, &scenario).unwrap();
    assert_eq!(found.counterexample, None, "{values:?}");
    assert!(found.releases > 45, "{found:?}");
}

#[test]
fn rows_set_aside_tell_nothing() {
    assert_ten_are_safe(&[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    if is_long() {
        assert_ten_are_safe(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    }
}
