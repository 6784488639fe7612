//! The engines for any model, on every multiset of up to six people; of up to seven
//! where the variable `OPENVEIL_EXHAUSTIVE` is set, which takes minutes.

use super::*;
use crate::algorithm::{Algorithm, Cover, Halving, KJump, Safe};
use crate::exact::Rational;
use crate::model::{
    AlphaKAnonymity, BetaLikeness, BreachLimit, DeltaDisclosure, Distance, DistinctDiversity,
    EntropyDiversity, GenericDistance, GroundDistance, KAnonymity, LAlphaDiversity, Over,
    PSensitiveKAnonymity, RecursiveDiversity, Requirement, TCloseness, Variant, Weights,
};

/// Every kind of model, with parameters that small tables of some values, labelled
/// 0, 1, 2, …, can satisfy.
pub(crate) fn models(values: u32) -> Vec<Model> {
    let ratio = |l| Requirement::Ratio(RatioDiversity::new(l).unwrap());
    let share = Rational::new;
    let closeness = |ground| {
        Requirement::Closeness(TCloseness {
            t: share(2, 5),
            ground,
        })
    };
    let l_alpha = |variant| {
        // Values 0 and 3, 1 and 4, 2 and 5 and so on are alike.
        let category = |first: u32| (first..values).step_by(3).map(|value| value.to_string());
        let categories = (0..values.min(3)).map(|first| category(first).collect());
        Requirement::LAlpha(LAlphaDiversity {
            variant,
            l: 2,
            alpha: share(1, 1),
            weights: Weights::Sensitivity { beta: 2 },
            categories: categories.collect(),
            over: Over::Categories,
        })
    };
    let single = vec![
        ratio(2),
        ratio(3),
        Requirement::KAnonymity(KAnonymity { k: 2 }),
        Requirement::Distinct(DistinctDiversity { l: 2 }),
        Requirement::Distinct(DistinctDiversity { l: 3 }),
        Requirement::Entropy(EntropyDiversity { l: share(9, 5) }),
        Requirement::Entropy(EntropyDiversity { l: share(2, 1) }),
        Requirement::Recursive(RecursiveDiversity {
            c: share(3, 2),
            l: 2,
        }),
        Requirement::AlphaK(AlphaKAnonymity {
            alpha: share(3, 5),
            k: 2,
        }),
        Requirement::PSensitive(PSensitiveKAnonymity { p: 2, k: 3 }),
        closeness(GroundDistance::Equal),
        closeness(GroundDistance::Ordered),
        Requirement::Breach(BreachLimit {
            rho1: share(1, 3),
            rho2: share(3, 5),
        }),
        Requirement::Generic(GenericDistance {
            distance: Distance::KullbackLeibler,
            bound: share(1, 2),
        }),
        Requirement::Likeness(BetaLikeness {
            beta: share(1, 1),
            enhanced: false,
        }),
        Requirement::Likeness(BetaLikeness {
            beta: share(1, 1),
            enhanced: true,
        }),
        Requirement::DeltaDisclosure(DeltaDisclosure {
            delta: share(7, 10),
        }),
        l_alpha(Variant::Distinct),
        l_alpha(Variant::Entropy),
        l_alpha(Variant::Recursive { c: share(2, 1) }),
    ];
    let both = vec![
        Requirement::KAnonymity(KAnonymity { k: 3 }),
        Requirement::Distinct(DistinctDiversity { l: 2 }),
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

/// Whether the model allows the multiset at all; if so, the engine must be safe.
fn is_checked(algorithm: &dyn Algorithm, model: &Model, counts: &[u32]) -> bool {
    let values = (0u32..).zip(counts);
    let values: Vec<u32> = values
        .flat_map(|(value, &count)| vec![value; count as usize])
        .collect();
    for layout in layouts(values.len() as u32) {
        let codes: Vec<&[u32]> = layout.iter().map(Vec::as_slice).collect();
        let scenario = Scenario::of_values(values.iter().copied(), model.clone()).unwrap();
        let scenario = scenario.with_numbers(&codes).unwrap();
        if algorithm.check(scenario.table(), model).is_err() {
            return false;
        }
        let found = verify(algorithm, &scenario).unwrap();
        assert_eq!(
            found.counterexample,
            None,
            "{} for {model} on {counts:?}",
            algorithm.name()
        );
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
    assert!(
        checked.values().all(|&multisets| multisets >= 5),
        "{checked:?}"
    );
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
