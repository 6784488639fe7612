//! Tiny tables with known answers.

use super::beliefs::{BeliefError, Membership, PersonBeliefs, Uncovered};
use super::invariance::{CheckedInvariance, ReleaseMaking, invariance};
use super::learning::learning;
use super::minimality::{Applicability, applicability, minimality};
use super::rerun::{RerunFinding, RerunTarget, rerun};
use super::*;
use crate::algorithm;
use crate::algorithm::{Cover, cover};
use crate::algorithm::{Naive, Rda, Ria, TopDown};
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::exact::fraction;
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::release::{Content, Style, publish};
use openveil_core::table::{Column, Domain, Groups, Secret};
use std::sync::LazyLock;

/// Returns people with the ages 0, 1, 2, … and these values.
fn people(values: &[u32]) -> View {
    let ages: Vec<u32> = (0..values.len() as u32).collect();
    let domain = Domain::integers(0..values.len() as i64);
    let age = Column::new("age", ages, domain);
    let highest = values.iter().max().unwrap();
    let labels = (0..=*highest).map(|value| value.to_string());
    View::new(vec![age], Secret::new("ill", values.to_vec(), labels)).unwrap()
}

fn groups(groups: &[&[u32]]) -> Groups {
    groups.iter().map(|rows| rows.iter().copied()).collect()
}

fn released(values: &[u32], of: &[&[u32]]) -> (View, Content, Groups) {
    let table = people(values);
    let (release, membership) = publish(&table, &groups(of), Style::Generalize);
    (table, release, membership)
}

/// A to F of docs/theory/adversary.md: releases the first grouping if no group of two has two equal
/// values, otherwise the second.
fn first_success(table: &View) -> Result<Groups, Error> {
    let codes = table.secret().codes();
    let pairs: [&[u32]; 3] = [&[0, 1], &[2, 3], &[4, 5]];
    let passes = pairs.iter().all(|pair| codes[pair[0] as usize] != codes[pair[1] as usize]);
    Ok(if passes { groups(&pairs) } else { groups(&[&[0, 1, 2], &[3, 4, 5]]) })
}

#[test]
fn rerunning_finds_the_two_who_share_an_illness() {
    let table = people(&[0, 1, 2, 2, 3, 4]);
    let groups = first_success(&table).unwrap();
    let (release, membership) = publish(&table, &groups, Style::Generalize);
    let target = RerunTarget {
        table: &table,
        release: &release,
        membership: &membership,
        partition: &first_success,
        style: Style::Generalize,
    };
    let found = rerun(&target, &[0, 1, 2, 3, 4, 5], &|_| {}).unwrap();
    let exposed: Vec<u32> = found.iter().filter(|p| p.is_exposed()).map(|p| p.row).collect();
    assert_eq!(exposed, [2, 3], "C and D, whose cancer made the first grouping fail");
    let of_a = RerunFinding { row: 0, values: 3, possible: 2, is_decided: true };
    assert_eq!(found[0], of_a, "A may have B's value, but not C's");
    // Everybody but C and D has two of three values left, and those two have one.
    let ruled_out = minimality(&found);
    assert_eq!((ruled_out.people, ruled_out.affected), (6, 6));
    assert_eq!((ruled_out.mean_values, ruled_out.mean_possible), (3.0, 10.0 / 6.0));
}

#[test]
fn an_algorithm_blind_to_values_exposes_nobody() {
    let fixed = |_: &View| Ok(groups(&[&[0, 1, 2], &[3, 4, 5]]));
    let table = people(&[0, 1, 2, 2, 3, 4]);
    let (release, membership) = publish(&table, &fixed(&table).unwrap(), Style::Generalize);
    let target = RerunTarget {
        table: &table,
        release: &release,
        membership: &membership,
        partition: &fixed,
        style: Style::Generalize,
    };
    let found = rerun(&target, &[0, 2, 5], &|_| {}).unwrap();
    assert!(found.iter().all(|person| person.possible == 3));
}

#[test]
fn what_is_safe_to_know_does_not_stop_at_a_first_success() {
    let stops = |algorithm| applicability(algorithm) == Applicability::StopsAtFirstSuccess;
    for algorithm in algorithm::all() {
        let is_safe = algorithm.profile().is_safe();
        assert!(!(is_safe && stops(algorithm)), "{}", algorithm.name());
    }
    assert!(stops(&TopDown) && stops(&Naive));
}

/// Returns four groups of four and one of five, of eight values.
fn larger() -> View {
    let ages: Vec<u32> = (0..21).map(|row| row * 5 % 7).collect();
    let towns: Vec<u32> = (0..21).map(|row| row * 3 % 4).collect();
    let values: Vec<u32> = (0..21).map(|row| row * row % 8 % 5 + row % 4).collect();
    let columns = vec![
        Column::new("age", ages, Domain::integers(0..7)),
        Column::new("town", towns, Domain::unordered(["a", "b", "c", "d"])),
    ];
    let labels = (0..8).map(|value| value.to_string());
    View::new(columns, Secret::new("ill", values, labels)).unwrap()
}

static SETTINGS: LazyLock<Settings> = LazyLock::new(Settings::default);

fn run<'a>(
    algorithm: &'a dyn Algorithm,
    table: &'a View,
    style: Style,
    model: &'a Model,
) -> ReleaseMaking<'a> {
    ReleaseMaking { algorithm, table, style, model, settings: &SETTINGS }
}

#[test]
fn safe_algorithms_stand_the_exchange_with_corresponding_coins() {
    let table = larger();
    let everybody: Vec<u32> = (0..21).collect();
    let model = Model::from(RatioDiversity::new(3).unwrap());
    for (algorithm, checked) in [
        (&Cover as &dyn Algorithm, CheckedInvariance::Exchanges),
        (&Rda, CheckedInvariance::Exchanges),
        (&Ria, CheckedInvariance::StandIns),
    ] {
        for style in [Style::Generalize, Style::Anatomy] {
            for seed in 0..20 {
                let run = run(algorithm, &table, style, &model);
                let found = invariance(&run, &everybody, seed, &|_| {}).unwrap();
                assert_eq!((found.checked, &found.exposed[..]), (checked, &[][..]));
                assert_eq!(found.exchanges >= 2 * 21, checked == CheckedInvariance::Exchanges);
            }
        }
    }
}

#[test]
fn in_strata_exchanges_stay_inside() {
    let table = larger();
    let halves: Vec<u32> = (0..21).map(|row| row / 11).collect();
    let half = Column::new("half", halves, Domain::unordered(["a", "b"]));
    let known = table.known().iter().cloned().chain([half]).collect();
    let table = View::new(known, table.secret().clone()).unwrap();
    let table = table.with_strata(["half"]).unwrap();
    let sample = [0, 1, 2, 7, 20];
    let model = Model::from(RatioDiversity::new(2).unwrap());
    for algorithm in [&Cover as &dyn Algorithm, &Rda, &Ria] {
        for seed in 0..10 {
            let run = run(algorithm, &table, Style::Generalize, &model);
            let found = invariance(&run, &sample, seed, &|_| {}).unwrap();
            assert_eq!((found.sampled, &found.exposed[..]), (5, &[][..]));
        }
    }
}

#[test]
fn coins_that_do_not_correspond_are_noticed() {
    let (with, without, all) = super::invariance::testing::reproduced(&larger());
    assert_eq!(with, all, "the corresponding coins lead to the same release");
    assert!(without < all, "the old coins lead to others");
}

/// Random tables, some with values that occur in several units.
fn scattered(seed: u64) -> View {
    let mut coins = SecretCoins::from_test_seed(seed);
    let mut codes = |below: u32| (0..60).map(|_| coins.below(below)).collect::<Vec<u32>>();
    let columns = vec![
        Column::new("age", codes(9), Domain::integers(0..9)),
        Column::new("town", codes(3), Domain::unordered(["a", "b", "c"])),
    ];
    let values = codes(7);
    let labels = (0..7).map(|value| value.to_string());
    View::new(columns, Secret::new("ill", values, labels)).unwrap()
}

#[test]
fn exchanges_of_columns_notice_an_arranger_that_tells_them_apart() {
    let sound = |table: &View, columns: &[Vec<u32>]| {
        let mut coins = SecretCoins::from_test_seed(1);
        cover::arranged(table, columns, &Settings::default(), &mut coins)
    };
    // The first column by descending age, the others by ascending age.
    let broken = |table: &View, columns: &[Vec<u32>]| {
        let mut columns = columns.to_vec();
        let order = columns.iter().map(|column| column[0]).collect();
        let age = |row: &u32| table.known()[0].codes()[*row as usize];
        columns.iter_mut().for_each(|column| column.sort_by_key(age));
        columns[0].reverse();
        let groups = 0..columns[0].len();
        let of = |group: usize| columns.iter().map(|column| column[group]).collect::<Vec<u32>>();
        (order, groups.map(of).collect::<Groups>())
    };
    let (mut tried, mut noticed) = (0, 0);
    for seed in 0..8 {
        let style = [Style::Generalize, Style::Anatomy][seed as usize % 2];
        let holds = invariance::testing::replayed(&scattered(seed), style, 3, &sound);
        assert!(holds.iter().all(|&holds| holds));
        tried += holds.len();
        let holds = invariance::testing::replayed(&scattered(seed), style, 3, &broken);
        noticed += holds.iter().filter(|&&holds| !holds).count();
    }
    assert!(tried > 20 && noticed > 10, "{tried} {noticed}");
}

#[test]
fn groups_of_one_value_or_category_are_counted() {
    let (_, release, _) = released(&[0, 0, 1, 2, 1, 1, 3], &[&[0, 1], &[2, 3], &[4, 5, 6]]);
    let found = homogeneity(&release, &[false; 4]);
    assert_eq!((found.groups, found.rows), (1, 2));
    assert_eq!(found.highest_share, fraction(1, 1));
    let found = homogeneity(&release, &[true, false, false, false]);
    assert_eq!((found.groups, found.rows), (0, 0));
    assert_eq!(found.highest_share, fraction(2, 3));
    let found = similarity(&release, &[0, 1, 1, 2]);
    assert_eq!((found.groups, found.rows), (2, 4), "one value, or 1 and 2");
}

#[test]
fn facts_to_certainty_are_the_other_values_of_the_group() {
    let (_, release, _) = released(&[0, 0, 1, 2, 1, 1, 3], &[&[0, 1], &[2, 3], &[4, 5, 6]]);
    let found = background(&release);
    assert_eq!((found.least, found.mean), (0, 5.0 / 7.0));
    assert_eq!(found.rows_by_facts.into_iter().collect::<Vec<_>>(), [(0, 2), (1, 5)]);
}

#[test]
fn people_under_several_cells_are_averaged_over_groups() {
    // Ages 0, 3 | 1, 2, 4: the cells [0, 3] and [1, 4] share 1, 2 and 3.
    let (table, release, membership) = released(&[0, 1, 0, 1, 2], &[&[0, 3], &[1, 2, 4]]);
    let beliefs = PersonBeliefs::by_cells(&release, &table, Uncovered::Refused).unwrap();
    let of = |beliefs: &PersonBeliefs, row| beliefs.chances(row).collect::<Vec<_>>();
    assert_eq!(of(&beliefs, 0), [(0, 0.5), (1, 0.5)]);
    assert_eq!(of(&beliefs, 2), [(0, 0.4), (1, 0.4), (2, 0.2)]);
    let third = 1.0 / 3.0;
    assert_eq!(of(&beliefs, 4), [(0, third), (1, third), (2, third)]);
    let mean_groups = 8.0 / 5.0;
    assert_eq!(beliefs.membership(), Membership::ByCells { mean_groups });
    let known = PersonBeliefs::of_members(&release, &membership);
    assert_eq!(of(&known, 3), [(0, 0.5), (1, 0.5)]);
    assert_eq!(known.membership(), Membership::Known);
}

#[test]
fn exact_cells_are_looked_up_row_by_row() {
    let ages = Column::new("age", vec![0, 0, 0, 1], Domain::integers([20, 30]));
    let ills = Secret::new("ill", vec![0, 1, 0, 2], ["a", "b", "c"]);
    let table = View::new(vec![ages], ills).unwrap();
    let (release, _) = publish(&table, &groups(&[&[0, 1], &[2, 3]]), Style::Anatomy);
    let beliefs = PersonBeliefs::by_cells(&release, &table, Uncovered::Refused).unwrap();
    // Two rows of age 20 in the group of values 0 and 1, one in the group of 0 and 2.
    let expected = [(0, 1.5 / 3.0), (1, 1.0 / 3.0), (2, 0.5 / 3.0)];
    assert_eq!(beliefs.chances(0).collect::<Vec<_>>(), expected);
    assert_eq!(beliefs.chances(3).collect::<Vec<_>>(), [(0, 0.5), (2, 0.5)]);
}

#[test]
fn people_of_another_table_are_not_covered() {
    let (_, release, _) = released(&[0, 1, 2, 3], &[&[0, 1], &[2, 3]]);
    let age = Column::new("age", vec![0, 1, 2, 4], Domain::integers(0..5));
    let labels = ["0", "1", "2", "3"];
    let table = View::new(vec![age], Secret::new("ill", vec![0, 1, 2, 3], labels)).unwrap();
    let refused = PersonBeliefs::by_cells(&release, &table, Uncovered::Refused).unwrap_err();
    assert_eq!(refused, BeliefError::NotCovered { row: 3 });
    assert!(refused.to_string().contains("row 4"));
}

#[test]
fn learning_tells_members_apart_by_what_groups_have_in_common() {
    // Sex determines the value. Groups have one person of each sex, except two groups in which both
    // have one sex. The reader learns from these and resolves the others.
    let sexes = [0, 1, 0, 1, 0, 1, 0, 0, 1, 1];
    let values = [0, 2, 1, 3, 0, 3, 0, 1, 2, 3];
    let sex = Column::new("sex", sexes.to_vec(), Domain::unordered(["f", "m"]));
    let ills = Secret::new("ill", values.to_vec(), ["a", "b", "c", "d"]);
    let table = View::new(vec![sex], ills).unwrap();
    let pairs = groups(&[&[0, 1], &[2, 3], &[4, 5], &[6, 7], &[8, 9]]);
    let (release, membership) = publish(&table, &pairs, Style::Generalize);
    let found = learning(&table, &PersonBeliefs::of_members(&release, &membership)).unwrap();
    // A person whose sex is unique in the group is found; in two groups the guess is random.
    assert_eq!((found.people, found.majority, found.accuracy), (10, 0.5, 0.8));
    assert!((found.gain() - 30.0).abs() < 1e-9);
}

#[test]
fn two_releases_together_say_more_than_each() {
    let values = [0, 1, 2, 3];
    let (table, first, members_first) = released(&values, &[&[0, 1], &[2, 3]]);
    let (_, second, members_second) = released(&values, &[&[0, 2], &[1, 3]]);
    let beliefs = [
        PersonBeliefs::of_members(&first, &members_first),
        PersonBeliefs::of_members(&second, &members_second),
    ];
    let found = intersection(&beliefs, table.secret(), 0.5);
    assert_eq!(found.certain, [0, 1, 2, 3]);
    assert_eq!((found.mean_values, found.highest, found.above_bound), (1.0, 1.0, 4));
    let exempt = table.secret().clone().with_exempt(vec![true, false, true, true]);
    let found = intersection(&beliefs, &exempt, 0.5);
    assert_eq!((found.certain, found.certain_exempt), (vec![1], 3));
    assert_eq!((found.highest, found.above_bound), (1.0, 1));
    let twice = [beliefs[0].clone(), beliefs[0].clone()];
    let found = intersection(&twice, table.secret(), 0.5);
    assert!(found.certain.is_empty() && found.above_bound == 0);
    assert_eq!((found.mean_values, found.mean_highest), (2.0, 0.5));
}

#[test]
fn releases_of_different_people_contradict_each_other() {
    let (table, first, members_first) = released(&[0, 1, 2, 3], &[&[0, 1], &[2, 3]]);
    let (_, second, members_second) = released(&[2, 3, 0, 1], &[&[0, 1], &[2, 3]]);
    let beliefs = [
        PersonBeliefs::of_members(&first, &members_first),
        PersonBeliefs::of_members(&second, &members_second),
    ];
    let found = intersection(&beliefs, table.secret(), 0.5);
    assert_eq!(found.contradicted, [0, 1, 2, 3]);
}

#[test]
fn samples_are_of_different_people_and_repeat() {
    let some = sample(1_000, 50, 7);
    assert!(some.is_sorted_by(|a, b| a < b) && some.len() == 50);
    assert_eq!(some, sample(1_000, 50, 7));
    assert_ne!(some, sample(1_000, 50, 8));
    assert_eq!(sample(3, 200, 0), [0, 1, 2]);
}

#[test]
fn parts_that_do_not_fit_are_no_release() {
    let (_, release, _) = released(&[1, 0, 2, 3], &[&[0, 1], &[2, 3]]);
    let cells = || release.cells().to_vec();
    let again = Content::from_parts(vec![2, 4], vec![1, 0, 3, 2], cells());
    assert_eq!(again.as_ref(), Ok(&release), "values are sorted inside groups");
    for (ends, values) in [
        (vec![2, 2, 4], vec![0, 1, 2, 3]),
        (vec![2, 4], vec![0, 1, 2]),
        (vec![4], vec![0, 1, 2, 3]),
        (vec![0, 4], vec![0, 1, 2, 3]),
    ] {
        assert!(Content::from_parts(ends, values, cells()).is_err());
    }
}
