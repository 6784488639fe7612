//! People with several rows: the value is a set, and its members are protected (READERS, C2).

use super::informed::evidence;
use super::*;
use crate::algorithm::Cover;
use crate::algorithm::{KJump, Safe};
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::exact::{Fraction, Rational, fraction};
use openveil_core::model::{About, Informed};
use openveil_core::table::{Column, Domain, Members, Secret, View};
use std::collections::BTreeSet;

/// Returns sets of one or two of so many values.
fn sets(values: u32) -> Vec<Vec<u32>> {
    let singles = (0..values).map(|value| vec![value]);
    let pairs = (0..values).flat_map(|a| (a + 1..values).map(move |b| vec![a, b]));
    singles.chain(pairs).collect()
}

/// Returns all multisets of so many people's sets.
fn families(people: usize, values: u32) -> Vec<Vec<Vec<u32>>> {
    let sets = sets(values);
    let mut families: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..people {
        let longer = |family: &Vec<usize>| {
            let (first, family) = (family.last().copied().unwrap_or(0), family.clone());
            (first..sets.len()).map(move |next| [&family[..], &[next]].concat())
        };
        families = families.iter().flat_map(longer).collect();
    }
    let of = |family: &Vec<usize>| family.iter().map(|&set| sets[set].clone()).collect();
    families.iter().map(of).collect()
}

fn scenario_of(family: &[Vec<u32>], model: impl Into<Model>) -> Scenario {
    let distinct: BTreeSet<&Vec<u32>> = family.iter().collect();
    let distinct: Vec<&Vec<u32>> = distinct.into_iter().collect();
    let code = |set: &Vec<u32>| distinct.iter().position(|own| *own == set).unwrap() as u32;
    let labels: Vec<String> = (0..8).map(|value| format!("v{value}")).collect();
    let members =
        Members::new(labels, vec![false; 8], distinct.iter().map(|&set| set.clone()).collect());
    let texts = distinct.iter().map(|set| format!("{set:?}"));
    let column = Column::new("ill", family.iter().map(code).collect(), Domain::unordered(texts));
    let secret = Secret::from_column(&column.with_members(members));
    let ranks = (0..family.len() as u32).collect();
    let known = Column::new("q", ranks, Domain::integers(0..family.len() as i64));
    let table = View::new(vec![known], secret).unwrap();
    Scenario::of_table(table, model)
}

fn ratio(l: u32) -> RatioDiversity {
    RatioDiversity::new(l).unwrap()
}

/// Returns the greatest chance that anybody has any value, in any row, for a reader to whom the sets
/// of one person that contain the value are `odds` times as likely as everybody else's.
fn highest(algorithm: &dyn Algorithm, scenario: &Scenario, odds: u32) -> Fraction {
    let members = scenario.table().secret().members().unwrap().clone();
    let mut highest = fraction(0, 1);
    for leads in evidence(algorithm, scenario) {
        let total = leads.iter().fold(fraction(0, 1), |total, (_, weight)| total + weight);
        for person in 0..scenario.table().rows() {
            for value in 0..members.count() as u32 {
                let having = leads
                    .iter()
                    .filter(|(table, _)| members.members(table[person]).contains(&value));
                let mass = having.fold(fraction(0, 1), |mass, (_, weight)| mass + weight);
                let tilted = &mass * fraction(odds.into(), 1);
                highest = highest.max(&tilted / (&total - &mass + &tilted));
            }
        }
    }
    highest
}

#[test]
fn nobody_is_likelier_to_have_any_value_than_one_in_l() {
    let (mut checked, mut attained) = (0, 0);
    for (people, values, l, step) in [(4, 4, 2, 1), (5, 4, 2, 9), (6, 4, 2, 61), (6, 6, 3, 9_973)] {
        for family in families(people, values).into_iter().step_by(step) {
            let scenario = scenario_of(&family, ratio(l));
            let engines: [&dyn Algorithm; 4] = [&Cover, &Halving, &KJump, &Safe];
            for algorithm in engines {
                if algorithm.check(scenario.table(), scenario.model()).is_err() {
                    continue;
                }
                let found = verify(algorithm, &scenario).unwrap();
                assert!(found.is_safe(), "{} on {family:?}", algorithm.name());
                let highest = highest(algorithm, &scenario, 1);
                assert!(highest <= fraction(1, l.into()), "{} on {family:?}", algorithm.name());
                checked += 1;
                attained += u32::from(highest == fraction(1, l.into()));
            }
        }
    }
    assert!(checked > 150 && attained > 50, "{checked} {attained}");
}

/// Odds are about whole sets. The control has a belief by which no value is twice as likely as
/// another, but some sets are: odds about values bound none about sets.
#[test]
fn the_ratio_is_kept_for_readers_with_odds_about_sets() {
    let (mut checked, mut attained) = (0, 0);
    for (people, values, step) in [(6, 4, 1), (6, 6, 4_999)] {
        for family in families(people, values).into_iter().step_by(step) {
            let informed = Informed::new(Rational::from_integer(2), About::Few(1)).unwrap();
            let scenario = scenario_of(&family, Model::from(ratio(2)).against(informed));
            for algorithm in [&Cover as &dyn Algorithm, &Halving] {
                if algorithm.check(scenario.table(), scenario.model()).is_err() {
                    continue;
                }
                let highest = highest(algorithm, &scenario, 2);
                assert!(highest <= fraction(1, 2), "{} on {family:?}", algorithm.name());
                checked += 1;
                attained += u32::from(highest == fraction(1, 2));
            }
        }
    }
    assert!(checked > 20 && attained > 10, "{checked} {attained}");
    let family = [vec![0, 1], vec![2, 3], vec![4, 5], vec![0, 2], vec![1, 4], vec![3, 5]];
    let weights = [10, 1, 1, 17, 17, 18];
    let total: u32 = weights.iter().sum();
    let has = |value: u32| {
        family
            .iter()
            .zip(weights)
            .filter(|(set, _)| set.contains(&value))
            .map(|(_, weight)| weight)
            .sum::<u32>()
    };
    let chances: Vec<u32> = (0..6).map(has).collect();
    let (least, most) = (chances.iter().min().unwrap(), chances.iter().max().unwrap());
    assert!(2 * least > *most, "{chances:?} of {total}");
    let (least, most) = (weights.iter().min().unwrap(), weights.iter().max().unwrap());
    assert!(*most > 2 * least, "sets have greater odds");
}

/// A control: rows assigned one by one disclose values of people whose rows the reader can link.
#[test]
fn a_reader_of_plain_values_would_be_misled() {
    // As plain values {a, b} and {a} differ, and may be in one group.
    let family = [vec![0, 1], vec![0], vec![2, 3], vec![2]];
    let scenario = scenario_of(&family, ratio(2));
    let plain = scenario.table().secret().codes().to_vec();
    let labels = scenario.table().secret().labels();
    let known = scenario.table().known().to_vec();
    let table = View::new(known, Secret::new("ill", plain, labels)).unwrap();
    let blind = Scenario::of_table(table, RatioDiversity::new(2).unwrap());
    let mut together = false;
    for leads in evidence(&Cover as &dyn Algorithm, &blind) {
        let has = |person: usize| {
            leads.iter().all(|(table, _)| family[table[person] as usize].contains(&0))
        };
        together |= (0..4).any(has);
    }
    assert!(together);
    let engines: [&dyn Algorithm; 4] = [&Cover, &Halving, &KJump, &Safe];
    for algorithm in engines {
        assert!(verify(algorithm, &scenario).unwrap().is_safe());
    }
    // An algorithm without support for sets refuses them.
    for name in ["rda", "ria", "rda-second-stage", "ria-second-stage"] {
        let algorithm = crate::algorithm::named(name).unwrap();
        let refused = algorithm.check(scenario.table(), scenario.model());
        assert!(matches!(refused, Err(Error::SetsUnsupported { .. })), "{name}");
    }
}
