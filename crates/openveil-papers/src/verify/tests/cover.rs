//! The cover algorithm against a reader who knows it.

use super::informed::evidence;
use super::*;
use crate::algorithm::Cover;
use crate::algorithm::cover::testing::cover_in_blocks;
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::Coins;
use openveil_core::exact::{Fraction, fraction};
use openveil_core::hierarchy::{Hierarchy, intervals};
use openveil_core::release::{Content, publish};
use openveil_core::table::{Column, Domain, View};
use proptest::prelude::*;
use std::collections::HashMap;

/// Checks the guarantee under every view, and that cells never disclose more than membership.
fn assert_safe(scenario: &Scenario) {
    let bound = fraction(1, scenario.model().ratio().unwrap().l().into());
    let found = VIEWS.map(|(style, seen)| {
        let view = scenario.clone().with_style(style).with_seen(seen);
        verify(&Cover as &dyn Algorithm, &view).unwrap()
    });
    for found in &found {
        assert_eq!(found.counterexample, None, "{scenario:?}");
        assert!(found.is_safe() && found.max_posterior <= bound);
        assert_eq!((found.unsafe_tables, found.certain_tables), (0, 0));
        assert!(found.releases > 0);
    }
    assert_eq!(found[0], found[2], "membership does not depend on style");
    assert!(found[1].max_posterior <= found[0].max_posterior);
    assert!(found[3].max_posterior <= found[0].max_posterior);
}

/// Returns quasi-identifiers for n people: distinct, with ties, and two columns.
pub(super) fn layouts(n: usize) -> [Vec<Vec<u32>>; 4] {
    let column = |rank: fn(u32) -> u32| (0..n as u32).map(rank).collect::<Vec<u32>>();
    [
        vec![column(|person| person)],
        vec![column(|person| person / 2)],
        vec![column(|person| person * person), column(|person| person * 5 % 7)],
        vec![column(|person| person % 2), column(|person| person % 3)],
    ]
}

fn assert_safe_in_all_layouts(scenario: &Scenario) {
    for layout in layouts(scenario.table().rows()) {
        let codes: Vec<&[u32]> = layout.iter().map(Vec::as_slice).collect();
        assert_safe(&scenario.clone().with_numbers(&codes).unwrap());
    }
}

#[test]
fn safe_on_the_multisets_of_the_design() {
    for values in [&[1, 1, 2, 2][..], &[1, 1, 2, 2, 3, 3], &[1, 1, 2, 2, 3, 4], &[1, 1, 1, 2, 2, 3]]
    {
        assert_safe_in_all_layouts(&scenario(values, 2));
    }
    for values in [&[1, 1, 2, 2, 3, 3][..], &[1, 1, 2, 2, 3, 4], &[1, 1, 2, 2, 3, 3, 4]] {
        assert_safe_in_all_layouts(&scenario(values, 3));
    }
}

#[test]
fn safe_on_every_small_multiset() {
    let mut checked = 0;
    for n in 2..=if is_long() { 8 } else { 7 } {
        for counts in histograms(n) {
            let values: Vec<u32> = (0..)
                .zip(&counts)
                .flat_map(|(value, &count)| vec![value; count as usize])
                .collect();
            for l in [2, 3] {
                let scenario = scenario(&values, l);
                let histogram = scenario.table().histogram();
                let exempt = scenario.table().secret().exempt();
                if scenario.model().ratio().unwrap().check_eligible(&histogram, exempt).is_ok() {
                    if n < 8 {
                        assert_safe(&scenario);
                    } else {
                        let found = verify(&Cover as &dyn Algorithm, &scenario).unwrap();
                        assert_eq!(found.counterexample, None, "{counts:?}");
                        assert!(found.max_posterior <= fraction(1, l.into()));
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} eligible multisets");
}

/// Neighbourhoods of one and two groups, so that small tables reach every part of arranging, with
/// and without prices on marginals.
#[test]
fn safe_however_hard_groups_are_worked_at() {
    for effort in [0, 1, 3] {
        for (block, keeps_marginals) in [(1, false), (2, false), (2, true)] {
            let settings = Settings { effort, keeps_marginals, ..Settings::default() };
            let engine = |table: &View, model: &Model, coins: &mut dyn Coins| {
                cover_in_blocks(table, &model.bind(table)?, &settings, block, coins)
            };
            for values in [&[1, 1, 2, 2, 3, 3][..], &[1, 1, 2, 2, 3, 4], &[1, 1, 2, 2, 3, 3, 4, 4]]
            {
                let ranks: Vec<u32> = (0..values.len() as u32).map(|at| at * at % 5).collect();
                let halves: Vec<u32> = (0..values.len() as u32).map(|at| at * 3 % 4).collect();
                let scenario = scenario(values, 2).with_numbers(&[&ranks, &halves]).unwrap();
                let found = verify(&engine, &scenario).unwrap();
                assert_eq!(found.counterexample, None, "{settings:?} {block} {values:?}");
                assert!(found.max_posterior <= fraction(1, 2));
            }
        }
    }
}

#[test]
fn safe_on_eight_and_nine_rows() {
    for (values, l, tables) in [
        (&[1, 1, 2, 2, 3, 3, 4, 4][..], 2, 2_520),
        (&[1, 2, 3, 4, 5, 6, 7, 8], 3, 40_320),
        (&[1, 1, 1, 2, 2, 2, 3, 3, 3], 2, 1_680),
        (&[1, 1, 2, 2, 3, 3, 4, 4, 5], 2, 22_680),
    ] {
        let found = verify(&Cover as &dyn Algorithm, &scenario(values, l)).unwrap();
        assert_eq!(found.tables, tables);
        assert_eq!(found.counterexample, None);
        assert!(found.max_posterior <= fraction(1, l.into()));
    }
}

#[test]
fn safe_with_a_value_that_needs_no_protection() {
    for values in [&[0, 0, 0, 1, 1, 2][..], &[0, 0, 0, 0, 1, 2], &[0, 0, 0, 1, 1, 2, 2]] {
        for l in [2, 3] {
            let exempt = vec![true, false, false];
            let scenario = scenario(values, l).with_exempt(exempt);
            assert_safe_in_all_layouts(&scenario);
        }
    }
}

#[test]
fn safe_with_sets_and_trees() {
    let tree = Hierarchy::from_paths(intervals(&[20, 23, 31, 38], &[10])).unwrap();
    let columns = vec![
        Column::new("age", vec![0, 1, 2, 3, 0, 2], Domain::tree(tree)).with_weight(3),
        Column::new("sex", vec![0, 1, 1, 0, 0, 1], Domain::unordered(["f", "m"])),
    ];
    for values in [[1, 1, 2, 2, 3, 3], [1, 1, 1, 2, 3, 4]] {
        let scenario = scenario(&values, 2);
        assert_safe(&scenario.with_quasi_identifiers(columns.clone()).unwrap());
    }
}

#[test]
fn safe_where_the_order_of_slots_would_tell() {
    // Three slots of two. Exchanges go through the slots; if these were in the order of their
    // values, every one of these layouts would disclose values with probability 2/3.
    let layouts: [[&[u32]; 2]; 4] = [
        [&[2, 7, 4, 8, 7, 5], &[6, 0, 3, 4, 6, 9]],
        [&[1, 1, 4, 9, 1, 9], &[4, 0, 9, 2, 0, 2]],
        [&[6, 1, 4, 2, 5, 3], &[0, 4, 9, 1, 2, 7]],
        [&[0, 4, 0, 7, 3, 0], &[4, 5, 5, 3, 5, 3]],
    ];
    for layout in layouts {
        let scenario = scenario(&[1, 1, 2, 2, 3, 3], 3);
        assert_safe(&scenario.with_numbers(&layout).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn safe_wherever_people_lie(
        people in prop::collection::vec((0u32..10, 0u32..6, 0u32..4), 4..8),
        l in 2u32..4,
        exempt in any::<bool>(),
    ) {
        let values: Vec<u32> = people.iter().map(|person| person.2).collect();
        let age: Vec<u32> = people.iter().map(|person| person.0).collect();
        let zip: Vec<u32> = people.iter().map(|person| person.1).collect();
        let scenario = scenario(&values, l).with_numbers(&[&age, &zip]).unwrap();
        let mut flags = vec![false; scenario.table().secret().values()];
        flags[0] = exempt;
        let scenario = scenario.with_exempt(flags.clone());
        let histogram = scenario.table().histogram();
        prop_assume!(scenario.model().ratio().unwrap().check_eligible(&histogram, &flags).is_ok());
        assert_safe(&scenario);
    }
}

/// Returns the probability of each release of a table.
fn released(table: &View, style: Style) -> HashMap<Content, Fraction> {
    let model = RatioDiversity::new(2).unwrap();
    let groups =
        Algorithm::distribution(&Cover, table, &model.into(), PATH_LIMIT, &Memory::default())
            .unwrap();
    let mut found: HashMap<Content, Fraction> = HashMap::new();
    for (partition, weight) in groups.outcomes() {
        let release = publish(table, partition, style).0;
        *found.entry(release).or_default() += fraction(*weight, groups.total());
    }
    found
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let people = [(0, 3, 0), (1, 1, 1), (2, 2, 0), (2, 0, 2), (4, 4, 1), (5, 1, 2)];
    let table = |order: &[u32]| {
        let column = |value: fn((u32, u32, u32)) -> u32| {
            order.iter().map(|&row| value(people[row as usize])).collect::<Vec<u32>>()
        };
        let (age, zip, values) = (column(|p| p.0), column(|p| p.1), column(|p| p.2));
        let scenario = scenario(&[0, 0, 1, 1, 2, 2], 2);
        let scenario = scenario.with_numbers(&[&age, &zip]).unwrap();
        scenario.world(&values).unwrap()
    };
    for style in [Style::Generalize, Style::Anatomy] {
        let in_order = released(&table(&[0, 1, 2, 3, 4, 5]), style);
        assert!(in_order.len() > 1);
        let mut orders = Worlds::new(&[0, 1, 2, 3, 4, 5]);
        while let Some(order) = orders.next_world() {
            assert_eq!(released(&table(order), style), in_order, "{order:?}");
        }
    }
}

/// The bound is about each person: of two people in one group a reader knows that they differ.
#[test]
fn two_people_may_be_told_apart_for_certain() {
    let scenario = scenario(&[1, 1, 2, 2], 2);
    let differ =
        |leads: &Vec<(Vec<u32>, Fraction)>| leads.iter().all(|(table, _)| table[0] != table[1]);
    assert!(evidence(&Cover as &dyn Algorithm, &scenario).iter().any(differ));
    assert_eq!(verify(&Cover as &dyn Algorithm, &scenario).unwrap().max_posterior, fraction(1, 2));
}
