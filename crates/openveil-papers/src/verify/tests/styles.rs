//! Forms of single columns, and columns for analysis: neither discloses a value, and neither
//! influences a group.

use super::*;
use crate::algorithm;
use crate::algorithm::Cover;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::coins::SecretCoins;
use openveil_core::hierarchy::Hierarchy;
use openveil_core::table::{Column, Domain, Form, View};

fn column(name: &str, codes: &[u32]) -> Column {
    let greatest = codes.iter().max().map_or(0, |&code| i64::from(code));
    Column::new(name, codes.to_vec(), Domain::integers(0..=greatest))
}

/// A tree whose groups are sets of nodes, and one published by label.
fn zip(codes: &[u32], form: Option<Form>) -> Column {
    let paths = ["a,x", "b,x", "c,y", "d,y", "e,z", "f,z"];
    let paths = paths.map(|path| path.split(',').map(str::to_owned).collect::<Vec<_>>());
    let tree = Domain::tree(Hierarchy::from_paths(paths).unwrap());
    let column = Column::new("zip", codes.to_vec(), tree);
    match form {
        Some(form) => column.with_form(form),
        None => column,
    }
}

/// Returns six people about whom much is known, and one further fact.
fn people(values: &[u32], form: Option<Form>, other: &[u32]) -> Scenario {
    let known = vec![
        column("age", &[0, 1, 1, 2, 3, 4]).with_form(Form::Range),
        column("size", &[0, 0, 1, 1, 0, 1]),
        zip(&[0, 2, 4, 1, 3, 5], form),
    ];
    let scenario = scenario(values, 2);
    let table = scenario.table().clone().with_known(known).unwrap();
    let table = table.with_other(vec![column("weight", other)]).unwrap();
    Scenario::of_table(table, scenario.model().clone())
}

/// No posterior of a value is above 1/2, whatever else is published about people. A column for
/// analysis may even equal the sensitive column of a possible table: it is equal in all possible
/// tables.
#[test]
fn no_form_of_a_column_gives_a_value_away() {
    for values in [&[0, 0, 1, 1, 2, 2][..], &[0, 0, 0, 1, 1, 2], &[0, 0, 1, 2, 3, 4]] {
        for form in [None, Some(Form::Label), Some(Form::Values)] {
            for style in Style::ALL {
                let scenario =
                    people(values, form, values).with_style(style).with_seen(Visibility::Release);
                for algorithm in [&Cover as &dyn Algorithm, &Halving] {
                    let report = verify(algorithm, &scenario).unwrap();
                    assert!(report.is_safe(), "{} {values:?} {form:?} {style:?}", algorithm.name());
                }
            }
        }
    }
}

/// No algorithm uses a column for analysis.
#[test]
fn other_columns_steer_no_group() {
    let plain = people(&[0, 0, 1, 1, 2, 2], None, &[0; 6]);
    let groups = |table: &View, algorithm: &dyn Algorithm, seed: u64| {
        let mut coins = SecretCoins::from_test_seed(seed);
        algorithm.partition(table, plain.model(), &mut coins).unwrap()
    };
    for algorithm in algorithm::all() {
        for seed in 0..4 {
            let alone = groups(plain.table(), algorithm, seed);
            for other in [[5, 4, 3, 2, 1, 0], [0, 1, 0, 1, 0, 1]] {
                let table = plain.table().clone();
                let table = table.with_other(vec![column("weight", &other)]).unwrap();
                assert!(groups(&table, algorithm, seed) == alone, "{}", algorithm.name());
            }
        }
    }
}
