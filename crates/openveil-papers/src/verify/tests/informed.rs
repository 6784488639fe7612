//! Readers who know something about a few people, or about everybody (READERS, part A).

use super::cover::layouts;
use super::*;
use crate::algorithm;
use crate::algorithm::Cover;
use crate::algorithm::cover as engine;
use openveil_core::algorithm::{Algorithm, Halving, Inside, Settings};
use openveil_core::coins::Coins;
use openveil_core::exact::{Fraction, Rational, fraction};
use openveil_core::model::suite::models;
use openveil_core::model::{About, Informed};
use openveil_core::table::{Groups, View};
use std::collections::HashMap;

fn knows(odds: u64, people: u32) -> Informed {
    Informed::new(Rational::from_integer(odds), About::Few(people)).unwrap()
}

fn values_of(counts: &[u32]) -> Vec<u32> {
    (0u32..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]).collect()
}

/// A4 on `cover` as it is for readers who are not informed: never above the bound, and with one
/// person always at it.
#[test]
fn the_bound_for_few_informed_people_holds_and_is_attained() {
    for (values, l) in [
        (&[1, 1, 2, 2][..], 2),
        (&[1, 1, 2, 2, 3, 3], 2),
        (&[1, 2, 3, 4], 2),
        (&[1, 1, 1, 2, 2, 2], 2),
        (&[1, 2, 3], 3),
        (&[1, 1, 2, 2, 3, 3], 3),
        (&[1, 1, 2, 3, 4], 2),
    ] {
        for (odds, people) in [(2, 1), (3, 1), (2, 2), (3, 2)] {
            let scenario = scenario(values, l).with_informed(knows(odds, people));
            let found = verify(&Cover as &dyn Algorithm, &scenario).unwrap();
            let factor = u128::from(odds).pow(people);
            let bound = fraction(factor, factor + u128::from(l) - 1);
            let informed = found.informed.unwrap();
            assert!(informed.max_posterior <= bound, "{values:?} {odds} {people}");
            if people == 1 {
                assert_eq!(informed.max_posterior, bound, "{values:?} {odds}");
                assert!(informed.unsafe_releases > 0);
            }
        }
    }
}

/// Every multiset that allows it, every safe engine for the ratio: the model holds for the
/// requested readers.
#[test]
fn the_ratio_is_kept_for_informed_readers_everywhere() {
    let safe = algorithm::all().filter(|algorithm| algorithm.profile().is_safe());
    let mut checked = 0;
    for algorithm in safe {
        // The strategies on blocks and the links of `ria` take longest.
        let most = if algorithm.name() == "cover" { 7 } else { 6 };
        for counts in (3..=most).flat_map(histograms) {
            for (l, odds, people) in [(2, 2, 1), (2, 2, 2), (3, 2, 1), (2, 3, 1)] {
                let model = Model::from(RatioDiversity::new(l).unwrap());
                let model = model.against(knows(odds, people));
                let scenario = Scenario::of_values(values_of(&counts), model.clone()).unwrap();
                if algorithm.check(scenario.table(), &model).is_err() {
                    continue;
                }
                let found = verify(algorithm, &scenario).unwrap();
                let informed = found.informed.as_ref().unwrap();
                assert_eq!(informed.unsafe_releases, 0, "{} on {counts:?}", algorithm.name());
                assert!(informed.max_posterior <= fraction(1, l.into()));
                assert!(found.is_safe());
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "only {checked}");
}

/// The ratio holds for `cover` if people are alike, or known by several columns.
#[test]
fn the_ratio_is_kept_for_informed_readers_in_all_layouts() {
    let mut checked = 0;
    for counts in (3..=6).flat_map(histograms) {
        for (l, odds, people) in [(2, 2, 1), (2, 2, 2), (3, 2, 1)] {
            let model = Model::from(RatioDiversity::new(l).unwrap());
            let model = model.against(knows(odds, people));
            let scenario = Scenario::of_values(values_of(&counts), model.clone()).unwrap();
            if Cover.check(scenario.table(), &model).is_err() {
                continue;
            }
            for layout in layouts(scenario.table().rows()) {
                let codes: Vec<&[u32]> = layout.iter().map(Vec::as_slice).collect();
                let scenario = scenario.clone().with_numbers(&codes).unwrap();
                let cover: &dyn Algorithm = &Cover;
                let found = verify(cover, &scenario).unwrap();
                let informed = found.informed.as_ref().unwrap();
                assert_eq!(informed.unsafe_releases, 0, "{counts:?} {layout:?}");
                assert!(informed.max_posterior <= fraction(1, l.into()));
                checked += 1;
            }
        }
    }
    assert!(checked >= 20, "only {checked}");
}

/// All kinds of models, for both engines that support them.
#[test]
fn every_model_is_kept_for_informed_readers() {
    let mut checked = [0; 2];
    for counts in (2..=5).flat_map(histograms) {
        let values = values_of(&counts);
        for model in models(counts.len() as u32) {
            let model = model.against(knows(2, 1));
            let engines: [&dyn Algorithm; 2] = [&Cover, &Halving];
            for (number, algorithm) in engines.into_iter().enumerate() {
                let scenario = Scenario::of_values(values.iter().copied(), model.clone()).unwrap();
                if algorithm.check(scenario.table(), &model).is_err() {
                    continue;
                }
                let found = verify(algorithm, &scenario).unwrap();
                assert!(found.is_safe(), "{} for {model} on {counts:?}", algorithm.name());
                checked[number] += 1;
            }
        }
    }
    assert!(checked.iter().all(|&checked| checked > 50), "{checked:?}");
}

/// A control: the model for readers who are not informed is not enough.
#[test]
fn readers_for_whom_nothing_was_done_learn_more() {
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2).with_informed(knows(2, 1));
    let found = verify(&Cover as &dyn Algorithm, &scenario).unwrap();
    assert_eq!(found.unsafe_releases, 0);
    assert!(!found.is_safe());
}

/// Returns the tables that lead to each observation, with probabilities: for readers with any
/// beliefs.
pub(super) fn evidence(
    mechanism: &(impl Mechanism + ?Sized),
    scenario: &Scenario,
) -> Vec<Vec<(Vec<u32>, Fraction)>> {
    let mut seen: HashMap<Observation, Vec<(Vec<u32>, Fraction)>> = HashMap::new();
    let mut worlds = scenario.worlds();
    while let Some(world) = worlds.next_world() {
        let table = scenario.world(world).unwrap();
        let found = mechanism
            .distribution(&table, scenario.model(), PATH_LIMIT, &Memory::default())
            .unwrap();
        for (groups, weight) in found.outcomes() {
            let leads = seen.entry(scenario.observe(&table, groups)).or_default();
            leads.push((world.to_vec(), fraction(*weight, found.total())));
        }
    }
    seen.into_values().collect()
}

/// Returns the greatest posterior of any value, for a reader who weights each table by `belief`.
fn greatest(evidence: &[Vec<(Vec<u32>, Fraction)>], belief: impl Fn(&[u32]) -> u128) -> Fraction {
    let mut greatest = fraction(0, 1);
    for leads in evidence {
        let mut total = fraction(0, 1);
        let mut mass: HashMap<(usize, u32), Fraction> = HashMap::new();
        for (table, weight) in leads {
            let weight = weight * fraction(belief(table), 1);
            total += &weight;
            for (person, &value) in table.iter().enumerate() {
                *mass.entry((person, value)).or_insert_with(|| fraction(0, 1)) += &weight;
            }
        }
        let highest = mass.into_values().max().unwrap();
        greatest = greatest.max(highest / total);
    }
    greatest
}

/// Returns the greatest posterior of all readers who consider one value more likely for some set of
/// people, by odds of 2; between any two people odds are at most 2.
fn worst_informed_about_everybody(mechanism: &impl Mechanism, scenario: &Scenario) -> Fraction {
    let evidence = evidence(mechanism, scenario);
    let people = scenario.table().rows();
    let values = scenario.table().secret().values() as u32;
    let readers = (0..values).flat_map(|value| (0u32..1 << people).map(move |set| (value, set)));
    let posterior = |(value, set): (u32, u32)| {
        greatest(&evidence, |table| {
            let likelier =
                (0..people).filter(|&person| set >> person & 1 == 1 && table[person] == value);
            1 << likelier.count()
        })
    };
    readers.map(posterior).max().unwrap()
}

/// A5: matching by rank accumulates the evidence of all people of a slot.
#[test]
fn ranks_amplify_what_is_known_about_everybody() {
    let by_rank = |table: &View, _: &Model, _: &mut dyn Coins| {
        let slot = |value: u32| {
            (0..table.rows() as u32)
                .filter(move |&row| table.secret().codes()[row as usize] == value)
                .collect::<Vec<u32>>()
        };
        Ok(slot(0).into_iter().zip(slot(1)).map(|(a, b)| [a, b]).collect::<Groups>())
    };
    for (people, expected) in [(6, (8, 9)), (8, (16, 17))] {
        let scenario = scenario(&values_of(&[people / 2, people / 2]), 2);
        let worst = worst_informed_about_everybody(&by_rank, &scenario);
        assert_eq!(worst, fraction(expected.0, expected.1));
    }
}

/// A6b: groups by coins disclose nothing beyond themselves, so face value is the maximum; a control
/// that arranges people exceeds it.
#[test]
fn groups_by_coins_keep_their_bound_for_readers_informed_about_everybody() {
    let engine = |inside: Inside| {
        move |table: &View, model: &Model, coins: &mut dyn Coins| {
            let settings = Settings { inside, ..Settings::default() };
            engine::cover(table, &model.bind(table)?, &settings, coins)
        }
    };
    for (values, l) in [
        (&[0, 0, 0, 1, 1, 1][..], 2),
        (&[0, 0, 1, 1, 2, 2], 2),
        (&[0, 0, 1, 1, 2, 2], 3),
        (&[0, 0, 1, 1, 2, 3], 2),
        (&[0, 0, 1, 1, 2], 2),
    ] {
        let scenario = scenario(values, l);
        let random = worst_informed_about_everybody(&engine(Inside::Random), &scenario);
        assert!(random <= fraction(2, u128::from(l) + 1), "{values:?}: {random}");
        let plain = verify(&engine(Inside::Random), &scenario).unwrap();
        assert!(plain.is_safe());
    }
    let scenario = scenario(&[0, 0, 0, 1, 1, 1], 2);
    let arranged = worst_informed_about_everybody(&engine(Inside::Arranged), &scenario);
    assert!(arranged > fraction(2, 3), "{arranged}");
}

/// With coins, every way of combining the people of the columns is equally likely.
#[test]
fn coins_match_uniformly() {
    let settings = Settings { inside: Inside::Random, ..Settings::default() };
    let scenario = scenario(&[0, 0, 0, 1, 1, 1], 2);
    let found = distribution(PATH_LIMIT, |coins| {
        let criteria = scenario.model().bind(scenario.table())?;
        Ok(engine::cover(scenario.table(), &criteria, &settings, coins)?.sorted())
    });
    let found = found.unwrap();
    assert_eq!(found.outcomes().len(), 6);
    assert!(found.outcomes().iter().all(|(_, weight)| *weight == 1));
}
