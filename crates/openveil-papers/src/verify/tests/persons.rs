//! People with several rows: the value is a set, and its members are protected (READERS, C2).

use super::informed::evidence;
use super::*;
use crate::algorithm::{KJump, Safe};
use openveil_core::algorithm::{Algorithm, Cover, Halving};
use openveil_core::exact::{Fraction, fraction};
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

fn scenario_of(family: &[Vec<u32>], l: u32) -> Scenario {
    let distinct: BTreeSet<&Vec<u32>> = family.iter().collect();
    let distinct: Vec<&Vec<u32>> = distinct.into_iter().collect();
    let code = |set: &Vec<u32>| distinct.iter().position(|own| *own == set).unwrap() as u32;
    let labels: Vec<String> = (0..8).map(|value| format!("v{value}")).collect();
    let members = Members::new(
        labels,
        vec![false; 8],
        distinct.iter().map(|&set| set.clone()).collect(),
    );
    let texts = distinct.iter().map(|set| format!("{set:?}"));
    let column = Column::new(
        "ill",
        family.iter().map(code).collect(),
        Domain::unordered(texts),
    );
    let secret = Secret::of(&column.with_members(members));
    let ranks = (0..family.len() as u32).collect();
    let known = Column::new("q", ranks, Domain::integers(0..family.len() as i64));
    let table = View::new(vec![known], secret).unwrap();
    Scenario::of_table(table, RatioDiversity::new(l).unwrap())
}

/// Returns the greatest chance that anybody has any value, in any row.
fn highest(algorithm: &dyn Algorithm, scenario: &Scenario) -> Fraction {
    let members = scenario.table().secret().members().unwrap().clone();
    let mut highest = fraction(0, 1);
    for leads in evidence(algorithm, scenario) {
        let total = leads
            .iter()
            .fold(fraction(0, 1), |total, (_, weight)| total + weight);
        for person in 0..scenario.table().rows() {
            for value in 0..members.count() as u32 {
                let having = leads
                    .iter()
                    .filter(|(table, _)| members.of(table[person]).contains(&value));
                let mass = having.fold(fraction(0, 1), |mass, (_, weight)| mass + weight);
                highest = highest.max(mass / &total);
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
            let scenario = scenario_of(&family, l);
            let engines: [&dyn Algorithm; 4] = [&Cover, &Halving, &KJump, &Safe];
            for algorithm in engines {
                if algorithm.check(scenario.table(), scenario.model()).is_err() {
                    continue;
                }
                let found = verify(algorithm, &scenario).unwrap();
                assert!(found.is_safe(), "{} on {family:?}", algorithm.name());
                let highest = highest(algorithm, &scenario);
                assert!(
                    highest <= fraction(1, l.into()),
                    "{} on {family:?}",
                    algorithm.name()
                );
                checked += 1;
                attained += u32::from(highest == fraction(1, l.into()));
            }
        }
    }
    assert!(checked > 150 && attained > 50, "{checked} {attained}");
}

/// A control: rows assigned one by one disclose values of people whose rows the reader can link.
#[test]
fn a_reader_of_plain_values_would_be_misled() {
    // As plain values {a, b} and {a} differ, and may be in one group.
    let family = [vec![0, 1], vec![0], vec![2, 3], vec![2]];
    let scenario = scenario_of(&family, 2);
    let plain = scenario.table().secret().codes().to_vec();
    let labels = scenario.table().secret().labels();
    let known = scenario.table().known().to_vec();
    let table = View::new(known, Secret::new("ill", plain, labels)).unwrap();
    let blind = Scenario::of_table(table, RatioDiversity::new(2).unwrap());
    let mut together = false;
    for leads in evidence(&Cover as &dyn Algorithm, &blind) {
        let has = |person: usize| {
            leads
                .iter()
                .all(|(table, _)| family[table[person] as usize].contains(&0))
        };
        together |= (0..4).any(has);
    }
    assert!(together);
    let engines: [&dyn Algorithm; 4] = [&Cover, &Halving, &KJump, &Safe];
    for algorithm in engines {
        assert!(verify(algorithm, &scenario).unwrap().is_safe());
    }
    // An algorithm without support for sets refuses them.
    for name in ["rda", "ria"] {
        let algorithm = crate::algorithm::named(name).unwrap();
        assert!(
            algorithm.check(scenario.table(), scenario.model()).is_err(),
            "{name}"
        );
    }
}
