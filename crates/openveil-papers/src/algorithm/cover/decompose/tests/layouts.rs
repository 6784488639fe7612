//! Approved layouts: any change to the search shows here, case by case. Other tests check what
//! layouts must satisfy; people decide whether a new layout is better.

use super::*;
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::model::{AlphaKAnonymity, KAnonymity};
use std::fmt::Write as _;

/// Counts of values: even, steep, with a few large ones, and with many rare ones.
fn histograms() -> Vec<Vec<u32>> {
    let mut coins = SecretCoins::from_test_seed(21);
    let mut below = |values: usize, most: u32| -> Vec<u32> {
        (0..values).map(|_| 1 + coins.below(most)).collect()
    };
    vec![
        vec![6; 8],
        vec![40, 21, 17, 11, 7, 5, 3, 2],
        vec![30, 30, 29, 3, 2, 2, 1, 1],
        below(8, 12),
        below(8, 90),
        [vec![60, 55], below(22, 9)].concat(),
        below(24, 20),
        below(40, 4),
    ]
}

/// Draws a layout: `2 × [0·5 3·1 | 1·6]` are two groups that take one row from each of two columns.
/// The first column has five rows of value 0 and one of value 3.
fn drawn(found: &Decomposition) -> String {
    let units = found.units().iter().map(|unit| {
        let columns: Vec<String> = found
            .all_values(unit)
            .into_iter()
            .map(|values| {
                values
                    .iter()
                    .map(|(value, rows)| format!("{value}·{rows}"))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        format!("{} × [{}]", unit.groups, columns.join(" | "))
    });
    units.collect::<Vec<_>>().join("\n  ")
}

fn note(text: &mut String, name: &str, counts: &[u32], found: Option<Decomposition>) {
    let drawn = found.map_or("none".to_owned(), |found| drawn(&found));
    writeln!(text, "{name}, {counts:?}\n  {drawn}").unwrap();
}

/// Layouts by the ratio, with and without an order of values, and with the most frequent value
/// exempt.
fn of_ratio(text: &mut String) {
    for counts in histograms() {
        let histogram = Histogram::from_counts(counts.clone());
        let values = counts.len() as u32;
        let turned: Vec<u32> = (0..values).map(|value| (value * 5 + 3) % values).collect();
        let first = (0..values).map(|value| value == 0).collect::<Vec<_>>();
        let none = vec![false; counts.len()];
        for l in [2, 3, 5] {
            let ratio = RatioDiversity::new(l).unwrap();
            let plain = decompose(&histogram, &none, None, ratio).ok();
            note(text, &format!("l = {l}"), &counts, plain);
        }
        let ratio = RatioDiversity::new(4).unwrap();
        if !values.is_multiple_of(5) {
            let ordered = decompose(&histogram, &none, Some(&turned), ratio).ok();
            note(text, "l = 4, ordered", &counts, ordered);
        }
        let exempt = decompose(&histogram, &first, None, ratio).ok();
        note(text, "l = 4, the first exempt", &counts, exempt);
    }
}

fn of_models(text: &mut String) {
    let alpha = Rational::new(2, 5);
    let more = [
        Requirement::KAnonymity(KAnonymity { k: 4 }),
        Requirement::AlphaK(AlphaKAnonymity { alpha, k: 2 }),
        l_alpha(Variant::Distinct, 2),
    ];
    for model in models().into_iter().chain(more.map(Model::from)) {
        for counts in &histograms()[..5] {
            let (criteria, table) = criteria(&model, counts);
            let found = decompose_any(&table.histogram(), &criteria, None);
            note(text, &model.to_string(), counts, found);
        }
    }
}

fn of_sets(text: &mut String) {
    let mut coins = SecretCoins::from_test_seed(4);
    for (members, sets, most) in [(7, 8, 1), (9, 14, 6), (12, 30, 2), (6, 12, 20), (20, 40, 9)] {
        let of: std::collections::BTreeSet<Vec<u32>> = (0..sets)
            .map(|_| {
                (0..1 + coins.below(3))
                    .map(|_| coins.below(members))
                    .collect::<std::collections::BTreeSet<_>>()
                    .into_iter()
                    .collect()
            })
            .collect();
        let of: Vec<Vec<u32>> = of.into_iter().collect();
        let counts: Vec<u32> = of.iter().map(|_| 1 + coins.below(most)).collect();
        let labels = (0..members).map(|value| value.to_string()).collect();
        let exempt = (0..members).map(|member| member == 0).collect();
        let members = Members::new(labels, exempt, of.clone());
        let histogram = Histogram::from_counts(counts.clone());
        for l in [2, 3] {
            let found = decompose_sets(&histogram, &members, l);
            note(text, &format!("sets {of:?}, l = {l}"), &counts, found);
        }
    }
}

#[test]
fn layouts_are_those_that_were_agreed_on() {
    let mut text = String::new();
    of_ratio(&mut text);
    of_models(&mut text);
    of_sets(&mut text);
    assert_eq!(text, include_str!("layouts.txt"), "{text}");
}
