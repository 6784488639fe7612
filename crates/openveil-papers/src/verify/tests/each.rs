//! Several secrets of a person, each with its own bound (READERS, C4): tables of up to seven
//! people, all assignments of the combinations, all coins.

use super::informed::evidence;
use super::*;
use crate::algorithm::Cover;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::table::{Column, Domain, Secret, View};

/// The values of two secrets, person by person.
type People = Vec<[u32; 2]>;

/// Returns all multisets of so many people's pairs of values.
fn families(people: usize, values: [u32; 2]) -> Vec<People> {
    let pairs: Vec<[u32; 2]> =
        (0..values[0]).flat_map(|a| (0..values[1]).map(move |b| [a, b])).collect();
    let mut families: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..people {
        let longer = |family: &Vec<usize>| {
            let (first, family) = (family.last().copied().unwrap_or(0), family.clone());
            (first..pairs.len()).map(move |next| [&family[..], &[next]].concat())
        };
        families = families.iter().flat_map(longer).collect();
    }
    let of = |family: &Vec<usize>| family.iter().map(|&pair| pairs[pair]).collect();
    families.iter().map(of).collect()
}

fn secrets(people: &People) -> [Secret; 2] {
    [0, 1].map(|number| {
        let codes = people.iter().map(|pair| pair[number]).collect();
        Secret::new(["ill", "job"][number], codes, ["a", "b", "c", "d"])
    })
}

fn scenario_of(people: &People, l: [u32; 2]) -> Scenario {
    let secret = Secret::of_each(&secrets(people), &l, false);
    let ranks = (0..people.len() as u32).collect();
    let known = Column::new("q", ranks, Domain::integers(0..people.len() as i64));
    let table = View::new(vec![known], secret).unwrap();
    Scenario::of_table(table, RatioDiversity::new(l[0].min(l[1])).unwrap())
}

/// Returns the greatest chance that anybody has any value of each secret.
fn highest(algorithm: &dyn Algorithm, scenario: &Scenario) -> [Fraction; 2] {
    let secret = scenario.table().secret();
    let parts: Vec<Vec<String>> = (0..secret.values() as u32)
        .map(|value| secret.parts(value).into_iter().map(str::to_owned).collect())
        .collect();
    let zero = || fraction(0, 1);
    let mut highest = [zero(), zero()];
    for leads in evidence(algorithm, scenario) {
        let total = leads.iter().fold(zero(), |total, (_, weight)| total + weight);
        for person in 0..scenario.table().rows() {
            for (number, highest) in highest.iter_mut().enumerate() {
                for value in ["a", "b", "c", "d"] {
                    let mass = leads
                        .iter()
                        .filter(|(table, _)| parts[table[person] as usize][number] == value)
                        .fold(zero(), |mass, (_, weight)| mass + weight);
                    if &mass / &total > *highest {
                        *highest = &mass / &total;
                    }
                }
            }
        }
    }
    highest
}

#[test]
fn no_value_of_either_secret_is_likelier_than_its_own_bound() {
    let (mut checked, mut attained) = (0, [0, 0]);
    for (people, values, l, step) in [
        (4, [2, 2], [2, 2], 1),
        (4, [3, 2], [2, 2], 1),
        (6, [3, 3], [3, 2], 1),
        (6, [3, 3], [3, 3], 1),
        (6, [2, 4], [2, 4], 1),
        (7, [3, 3], [3, 2], 9),
    ] {
        for family in families(people, values).into_iter().step_by(step) {
            let scenario = scenario_of(&family, l);
            for algorithm in [&Halving as &dyn Algorithm, &Cover] {
                if algorithm.check(scenario.table(), scenario.model()).is_err() {
                    continue;
                }
                let found = verify(algorithm, &scenario).unwrap();
                assert!(found.is_safe(), "{} on {family:?}", algorithm.name());
                let highest = highest(algorithm, &scenario);
                for number in 0..2 {
                    let bound = fraction(1, l[number].into());
                    assert!(highest[number] <= bound, "{family:?}: {highest:?}");
                    attained[number] += u32::from(highest[number] == bound);
                }
                checked += 1;
            }
        }
    }
    println!("{checked} tables, bounds attained {attained:?} times");
    assert!(checked > 300 && attained.iter().all(|&own| own > 20), "{checked} {attained:?}");
}

/// The control: groups made for one secret disclose the other.
#[test]
fn groups_for_one_secret_give_the_other_away() {
    let people: People = vec![[0, 0], [1, 0], [0, 1], [1, 1]];
    let [ill, _] = secrets(&people);
    let ranks = (0..4).collect();
    let known = Column::new("q", ranks, Domain::integers(0..4));
    let table = View::new(vec![known], ill).unwrap();
    let blind = Scenario::of_table(table, RatioDiversity::new(2).unwrap());
    // In some groups both people have one job, and it is published beside them.
    let leads = Cover.partition(
        blind.table(),
        blind.model(),
        &mut openveil_core::coins::SecretCoins::from_test_seed(0),
    );
    let groups = leads.unwrap();
    let is_alike = |rows: &[u32]| {
        let job = people[rows[0] as usize][1];
        rows.iter().all(|&row| people[row as usize][1] == job)
    };
    assert!(groups.iter().any(is_alike), "{groups:?}");
}
