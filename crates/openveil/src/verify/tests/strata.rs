//! Strata: every safe engine in cells that quasi-identifiers fix, and what breaks where
//! cells are chosen after a look.

use super::any_model::models;
use super::*;
use crate::Error;
use crate::algorithm::{self, Algorithm, Cover};
use crate::coins::Coins;
use crate::exact::fraction;
use crate::table::{Groups, View};

/// People of two strata by their second quasi-identifier: the values of each, and ages
/// in one layout with ties and one without.
fn layouts(first: u32, second: u32) -> Vec<Vec<Vec<u32>>> {
    let people = first + second;
    // Strata alternate while they can, so that rows of one are not neighbours.
    let mut sexes = vec![0; first as usize];
    for place in 0..second {
        let at = (2 * place as usize + 1).min(sexes.len());
        sexes.insert(at, 1);
    }
    vec![
        vec![(0..people).collect(), sexes.clone()],
        vec![(0..people).map(|person| person * 3 % 5).collect(), sexes],
    ]
}

/// A table in which each stratum's people have the values of a histogram.
fn scenario_of(histograms: [&[u32]; 2], codes: &[Vec<u32>], model: &Model) -> Scenario {
    let values = |counts: &[u32]| -> Vec<u32> {
        let values = (0u32..).zip(counts);
        values.flat_map(|(v, &n)| vec![v; n as usize]).collect()
    };
    let mut left = histograms.map(|counts| values(counts).into_iter());
    let people = codes[1].iter();
    let values: Vec<u32> = people
        .map(|&sex| left[sex as usize].next().expect("as many as people"))
        .collect();
    let codes: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
    let scenario = Scenario::of_values(values, model.clone()).unwrap();
    let scenario = scenario.with_codes(&codes).unwrap();
    scenario.with_strata(["q2"]).unwrap()
}

/// Pairs of histograms, of which at least one is not trivial, over the same values.
fn pairs(people: u32) -> Vec<[Vec<u32>; 2]> {
    let of = |first: u32| {
        let both = histograms(first).into_iter();
        both.flat_map(move |one| {
            let others = histograms(people - first).into_iter();
            others.map(move |other| [one.clone(), other])
        })
    };
    (2..=people - 2).flat_map(of).collect()
}

/// How many tables in strata an engine was found to be safe on, by model.
fn assert_safe_in_strata(algorithm: &dyn Algorithm, people: std::ops::RangeInclusive<u32>) {
    let mut checked = 0;
    for [one, other] in people.flat_map(pairs) {
        let values = one.len().max(other.len()) as u32;
        for model in models(values) {
            for codes in layouts(one.iter().sum(), other.iter().sum()) {
                let scenario = scenario_of([&one, &other], &codes, &model);
                if algorithm.check(scenario.table(), &model).is_err() {
                    continue;
                }
                let found = verify(algorithm, &scenario).unwrap();
                let name = algorithm.name();
                let place = format!("{name} for {model} on {one:?} and {other:?}");
                assert_eq!(found.counterexample, None, "{place}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 20, "{}: {checked} tables", algorithm.name());
}

#[test]
fn every_safe_engine_is_safe_in_strata() {
    for algorithm in algorithm::ALL {
        if algorithm.profile().is_safe() {
            assert_safe_in_strata(algorithm, 4..=6);
        }
    }
}

/// What is relative to a histogram is relative to the stratum's: the same releases
/// break the model of the whole table.
#[test]
fn a_model_in_strata_compares_with_the_stratum() {
    use crate::exact::Rational;
    use crate::model::{GroundDistance, Requirement, TCloseness};
    let t = Rational::new(1, 5);
    let ground = GroundDistance::Equal;
    let model = Model::from(Requirement::Closeness(TCloseness { t, ground }));
    // Of one sex two have the first value and two the second, of the other two and one.
    let codes = layouts(4, 3).remove(0);
    let strata = scenario_of([&[2, 2], &[2, 0, 1]], &codes, &model);
    let found = verify(&Cover as &dyn Algorithm, &strata).unwrap();
    assert!(found.is_safe());
    // Against the whole table the three are 2/7 apart from what the four are.
    let groups = Cover.partition(
        strata.table(),
        &model,
        &mut crate::coins::SecretCoins::from_test_seed(1),
    );
    let groups = groups.unwrap();
    let whole = strata.table().clone().with_strata([""; 0]).unwrap();
    let (release, groups) = crate::release::publish(&whole, &groups, Style::Generalize);
    let check = crate::release::check::release;
    let refused = check(&release, &whole, &groups, &model, Style::Generalize);
    assert!(refused.is_err());
    let own = check(&release, strata.table(), &groups, &model, Style::Generalize);
    assert_eq!(own, Ok(()));
}

/// The two sexes apart where both may be published, together where one may not.
fn finer_or_else_coarser(
    table: &View,
    model: &Model,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let finer = table.clone().with_strata(["q2"])?;
    match Cover.partition(&finer, model, coins) {
        Err(Error::Strata { .. }) => Cover.partition(table, model, coins),
        tried => tried,
    }
}

#[test]
fn falling_back_from_finer_strata_leaks() {
    let model = Model::from(RatioDiversity::new(2).unwrap());
    let sexes: &[u32] = &[0, 0, 1, 1];
    let scenario = Scenario::of_values([1, 1, 2, 3], model.clone()).unwrap();
    let scenario = scenario.with_codes(&[&[0, 1, 2, 3], sexes]).unwrap();
    // The reader knows the whole table's histogram: what the strata's were, the choice
    // between the two tells.
    let found = verify(&finer_or_else_coarser, &scenario).unwrap();
    assert!(!found.is_safe());
    assert!(found.max_posterior > fraction(1, 2));
}
