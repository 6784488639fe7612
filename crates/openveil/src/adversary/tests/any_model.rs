//! The engines for any model, on every multiset of up to seven people.

use super::*;
use crate::algorithm::Algorithm;
use crate::privacy::Requirement;

/// Models that small tables can satisfy.
fn models() -> Vec<Model> {
    let ratio = |l| Requirement::Ratio(RatioDiversity::new(l).unwrap());
    let single = vec![
        ratio(2),
        ratio(3),
        Requirement::Distinct { l: 2 },
        Requirement::Distinct { l: 3 },
        Requirement::KAnonymity { k: 2 },
    ];
    let both = vec![
        Requirement::KAnonymity { k: 3 },
        Requirement::Distinct { l: 2 },
    ];
    let mut models: Vec<Model> = single.into_iter().map(Model::from).collect();
    models.push(Model::all_of(both).unwrap());
    models
}

/// Quasi-identifiers: distinct ranks, and two columns with ties.
fn layouts(people: u32) -> [Vec<Vec<u32>>; 2] {
    [
        vec![(0..people).collect()],
        vec![
            (0..people).map(|person| person % 2).collect(),
            (0..people).map(|person| person * 3 % 5).collect(),
        ],
    ]
}

fn assert_safe(algorithm: Algorithm, model: &Model, counts: &[u32]) {
    let values = (0u32..).zip(counts);
    let values: Vec<u32> = values
        .flat_map(|(value, &count)| vec![value; count as usize])
        .collect();
    for layout in layouts(values.len() as u32) {
        let codes: Vec<&[u32]> = layout.iter().map(Vec::as_slice).collect();
        let scenario = Scenario::of_values(values.iter().copied(), model.clone()).unwrap();
        let scenario = scenario.with_codes(&codes).unwrap();
        if algorithm.check(scenario.table(), model).is_err() {
            return;
        }
        let found = verify(&algorithm, &scenario).unwrap();
        assert_eq!(
            found.counterexample,
            None,
            "{} for {model} on {counts:?}",
            algorithm.name()
        );
    }
}

#[test]
fn halving_is_safe_for_every_model() {
    for people in 2..=7 {
        for counts in histograms(people) {
            for model in models() {
                assert_safe(Algorithm::Halving, &model, &counts);
            }
        }
    }
}

#[test]
fn cover_is_safe_for_every_model() {
    for people in 2..=6 {
        for counts in histograms(people) {
            for model in models() {
                assert_safe(Algorithm::Cover, &model, &counts);
            }
        }
    }
}
