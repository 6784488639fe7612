//! The order of rows in the input must not matter: a shuffled table leads to the same groups of
//! people with exactly the same probabilities.

use super::*;
use crate::algorithm;
use openveil_core::coins::{SecretCoins, shuffle};
use openveil_core::model::suite::models;
use openveil_core::table::{Groups, View};
use std::collections::BTreeSet;

/// Returns a table whose row `i` is row `order[i]` of another.
fn shuffled(table: &View, order: &[u32]) -> View {
    let pick = |codes: &[u32]| order.iter().map(|&row| codes[row as usize]).collect();
    let known = table.known().iter().map(|column| column.clone().with_codes(pick(column.codes())));
    let secret = table.secret().clone().with_codes(pick(table.secret().codes()));
    View::new(known.collect(), secret).unwrap()
}

/// Returns groups of shuffled rows in the row numbers before shuffling.
fn unshuffled(groups: Groups, order: &[u32]) -> Groups {
    groups.renumbered(|row| order[row as usize]).sorted()
}

/// The algorithms that break ties by row number, as their papers print them: for comparison, on
/// consent only.
const BY_ROW_NUMBER: [&str; 2] = ["gda", "rda-file-order"];

#[test]
fn the_order_of_rows_leads_nowhere() {
    let mut coins = SecretCoins::from_test_seed(11);
    let mut told: Vec<&str> = Vec::new();
    let mut compared: BTreeSet<&str> = BTreeSet::new();
    for model in models(3) {
        // Everybody differs, so that ties are between values, not between people.
        let table = scenario(&[0, 1, 2, 0, 1, 2], 2)
            .with_numbers(&[&[0, 1, 2, 3, 4, 5], &[4, 1, 5, 0, 2, 3]])
            .unwrap();
        let table = table.table();
        for algorithm in algorithm::all() {
            if algorithm.check(table, &model).is_err() {
                continue;
            }
            let paths = 200_000;
            let Ok(before) = algorithm.distribution(table, &model, paths, &Memory::default())
            else {
                continue;
            };
            compared.insert(algorithm.name());
            for _ in 0..3 {
                let mut order: Vec<u32> = (0..table.rows() as u32).collect();
                shuffle(&mut order, &mut coins);
                let after = algorithm.distribution(
                    &shuffled(table, &order),
                    &model,
                    paths,
                    &Memory::default(),
                );
                let after = after.unwrap().map(|groups| unshuffled(groups, &order));
                let same = before
                    .outcomes()
                    .iter()
                    .all(|(groups, _)| before.probability(groups) == after.probability(groups));
                if !same {
                    told.push(algorithm.name());
                    break;
                }
            }
        }
    }
    told.sort_unstable();
    told.dedup();
    // Algorithms that use row numbers are detected, and no others.
    assert_eq!(told, BY_ROW_NUMBER);
    assert_eq!(compared.len(), algorithm::all().count(), "{compared:?}");
}
