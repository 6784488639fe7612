//! Strata: every safe engine in cells that quasi-identifiers fix, and what fails if cells are
//! chosen after looking at values.

use super::*;
use crate::algorithm;
use crate::algorithm::Cover;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::exact::{Rational, fraction};
use openveil_core::model::suite::models;
use openveil_core::model::{About, Informed};
use openveil_core::release::check::{self, Violation};
use openveil_core::release::publish;
use openveil_core::table::{Groups, View};

/// Returns people of two strata by their second quasi-identifier: the values of each, and ages in
/// one layout with ties and one without.
fn layouts(first: u32, second: u32) -> Vec<Vec<Vec<u32>>> {
    let people = first + second;
    // Strata alternate while possible, so that rows of one are not neighbours.
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

/// Returns a table in which each stratum's people have the values of a histogram.
fn scenario_of(histograms: [&[u32]; 2], codes: &[Vec<u32>], model: &Model) -> Scenario {
    let values = |counts: &[u32]| -> Vec<u32> {
        (0u32..).zip(counts).flat_map(|(v, &n)| vec![v; n as usize]).collect()
    };
    let mut left = histograms.map(|counts| values(counts).into_iter());
    let people = codes[1].iter();
    let values: Vec<u32> =
        people.map(|&sex| left[sex as usize].next().expect("as many as people")).collect();
    let codes: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
    let scenario = Scenario::of_values(values, model.clone()).unwrap();
    let scenario = scenario.with_numbers(&codes).unwrap();
    scenario.with_strata(["q2"]).unwrap()
}

/// Returns pairs of histograms, at least one of which is not trivial, over the same values.
fn pairs(people: u32) -> Vec<[Vec<u32>; 2]> {
    let of = |first: u32| {
        histograms(first).into_iter().flat_map(move |one| {
            histograms(people - first).into_iter().map(move |other| [one.clone(), other])
        })
    };
    (2..=people - 2).flat_map(of).collect()
}

/// Returns the number of tables in strata on which an engine was found to be safe, by model.
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
    for algorithm in algorithm::all() {
        if algorithm.profile().is_safe() {
            assert_safe_in_strata(algorithm, 4..=6);
        }
    }
}

/// A model relative to a histogram is relative to the stratum's: the same releases violate the
/// model of the whole table.
#[test]
fn a_model_in_strata_compares_with_the_stratum() {
    use openveil_core::exact::Rational;
    use openveil_core::model::{GroundDistance, Requirement, TCloseness};
    let t = Rational::new(1, 5);
    let ground = GroundDistance::Equal;
    let model = Model::from(Requirement::Closeness(TCloseness { t, ground }));
    // Among the four of one sex, two have the first value and two the second; among the three of
    // the other, two and one.
    let codes = layouts(4, 3).remove(0);
    let strata = scenario_of([&[2, 2], &[2, 0, 1]], &codes, &model);
    let found = verify(&Cover as &dyn Algorithm, &strata).unwrap();
    assert!(found.is_safe());
    // Compared with the whole table, the three are at distance 2/7 from the shares of the four.
    let mut coins = SecretCoins::from_test_seed(1);
    let groups = Cover.partition(strata.table(), &model, &mut coins).unwrap();
    let whole = strata.table().clone().with_strata([""; 0]).unwrap();
    let (release, groups) = publish(&whole, &groups, Style::Generalize);
    let refused = check::release(&release, &whole, &groups, &model, Style::Generalize);
    assert!(refused.is_err());
    let own = check::release(&release, strata.table(), &groups, &model, Style::Generalize);
    assert_eq!(own, Ok(()));
}

/// Publishes the two sexes separately if both may be published, and together otherwise.
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
    let scenario = Scenario::of_values([1, 1, 2, 2, 3, 3], model).unwrap();
    let codes: [&[u32]; 2] = [&[0, 1, 2, 3, 4, 5], &[0, 0, 1, 1, 1, 1]];
    let scenario = scenario.with_numbers(&codes).unwrap();
    // One group for all discloses that the two people of the first sex have one value: the one that
    // is in both of their groups.
    let found = verify(&finer_or_else_coarser, &scenario).unwrap();
    assert!(!found.is_safe());
    assert_eq!(found.max_posterior, fraction(1, 1));
}

#[test]
fn the_check_refuses_a_group_of_two_strata() {
    let model = Model::from(RatioDiversity::new(2).unwrap());
    let scenario = scenario_of([&[1, 1], &[1, 1]], &layouts(2, 2)[0], &model);
    let table = scenario.table();
    let sexes = table.known()[1].codes();
    let check = |groups: [[u32; 2]; 2]| {
        let groups: Groups = groups.into_iter().collect();
        let (release, groups) = publish(table, &groups, Style::Generalize);
        check::release(&release, table, &groups, &model, Style::Generalize)
    };
    let of = |sex: u32| -> Vec<u32> { (0..4).filter(|&row| sexes[row as usize] == sex).collect() };
    let (women, men) = (of(0), of(1));
    assert_eq!(check([[women[0], women[1]], [men[0], men[1]]]), Ok(()));
    // Each of the two would be diverse.
    let pair = |woman: u32| {
        let value = |row: u32| table.secret().codes()[row as usize];
        let other = men.iter().find(|&&man| value(man) != value(woman)).unwrap();
        [woman, *other]
    };
    let column = "q2".to_owned();
    let crossing = Violation::Strata { group: 1, column };
    assert_eq!(check([pair(women[0]), pair(women[1])]), Err(crossing));
}

#[test]
fn every_ineligible_stratum_is_named_with_the_largest_l() {
    let model = Model::from(RatioDiversity::new(3).unwrap());
    let scenario = scenario_of([&[2, 1, 1], &[1, 1]], &layouts(4, 2)[0], &model);
    let refused = Algorithm::check(&Cover, scenario.table(), &model).unwrap_err();
    let Error::Strata { refused, strata } = refused else {
        panic!("{refused}");
    };
    let named: Vec<_> = refused.iter().map(|r| (&*r.stratum, r.largest_l)).collect();
    assert_eq!(named, [("q2 = 0", Some(2)), ("q2 = 1", Some(2))]);
    assert_eq!(strata, 2);
}

/// The ratio for readers with odds about one person, in strata: everybody's histogram is that of
/// the own stratum.
#[test]
fn the_ratio_is_kept_in_strata_for_readers_with_odds() {
    let informed = Informed::new(Rational::from_integer(2), About::Few(1)).unwrap();
    let model = Model::from(RatioDiversity::new(2).unwrap()).against(informed);
    let mut checked = 0;
    for [one, other] in pairs(6) {
        for codes in layouts(one.iter().sum(), other.iter().sum()) {
            let scenario = scenario_of([&one, &other], &codes, &model);
            for algorithm in [&Cover as &dyn Algorithm, &Halving] {
                if algorithm.check(scenario.table(), &model).is_err() {
                    continue;
                }
                let found = verify(algorithm, &scenario).unwrap();
                let informed = found.informed.unwrap();
                assert_eq!(informed.unsafe_releases, 0, "{one:?} {other:?}");
                assert!(informed.max_posterior <= fraction(1, 2));
                checked += 1;
            }
        }
    }
    assert!(checked > 0);
}
