//! Random small tables and models for the tests of every baseline.

use openveil_core::hierarchy::{Hierarchy, intervals};
use openveil_core::model::{
    CountBuffer, Criteria, DistinctDiversity, KAnonymity, Model, RatioDiversity, Requirement,
};
use openveil_core::table::{Column, Domain, Groups, Secret, View};
use proptest::prelude::*;

/// Four columns of eight codes each: a tree of even depth, one of uneven depth,
/// integers and a set.
const CODES: u32 = 8;

fn domains() -> [Domain; 4] {
    let even = intervals(&[0, 1, 2, 3, 4, 5, 6, 7], &[2, 4]);
    let uneven = [
        vec!["a", "x", "p", "*"],
        vec!["b", "x", "p", "*"],
        vec!["c", "y", "p", "*"],
        vec!["d", "p", "*"],
        vec!["p", "*"],
        vec!["e", "z", "*"],
        vec!["f", "z", "*"],
        vec!["g", "*"],
    ];
    [
        Domain::tree(Hierarchy::from_paths(even).unwrap()),
        Domain::tree(Hierarchy::from_paths(uneven).unwrap()),
        Domain::integers(0..CODES.into()),
        Domain::unordered(["s", "t", "u", "v", "w", "x", "y", "z"]),
    ]
}

/// Returns tables of up to 24 rows, of which `columns` picks the quasi-identifiers, with up to four
/// sensitive values, the first of which may need no protection.
pub(super) fn tables() -> impl Strategy<Value = View> {
    let row = (prop::array::uniform4(0..CODES), 0u32..4);
    let rows = prop::collection::vec(row, 1..24);
    (rows, 0u32..16, any::<bool>()).prop_map(|(rows, columns, exempt)| {
        let values = rows.iter().map(|row| row.1).collect();
        let sensitive = Secret::new("value", values, ["0", "1", "2", "3"])
            .with_exempt(vec![exempt, false, false, false]);
        let columns =
            domains().into_iter().enumerate().filter(|(index, _)| columns >> index & 1 == 1).map(
                |(index, domain)| {
                    let codes = rows.iter().map(|row| row.0[index]).collect();
                    Column::new(format!("q{index}"), codes, domain)
                },
            );
        View::new(columns.collect(), sensitive).unwrap()
    })
}

/// Returns monotone models of all kinds.
pub(super) fn models() -> impl Strategy<Value = Model> {
    let ratio = |l| Requirement::Ratio(RatioDiversity::new(l).unwrap());
    prop_oneof![
        (1u32..5).prop_map(|k| Requirement::KAnonymity(KAnonymity { k }).into()),
        (2u32..4).prop_map(move |l| ratio(l).into()),
        (2u32..4).prop_map(|l| Requirement::Distinct(DistinctDiversity { l }).into()),
        (2u32..4, 2u32..6).prop_map(move |(l, k)| {
            Model::all_of(vec![Requirement::KAnonymity(KAnonymity { k }), ratio(l)]).unwrap()
        }),
    ]
}

/// Returns whether some rows as one group satisfy a model.
pub(super) fn hold(table: &View, criteria: &Criteria, rows: &[u32]) -> bool {
    let values = table.secret().codes();
    let codes = rows.iter().map(|&row| values[row as usize]);
    rows.len() >= criteria.least_size() as usize
        && criteria.hold_on_group(&CountBuffer::default().of_codes(codes))
}

/// Returns whether every row is in one group, and every group satisfies the model.
pub(super) fn is_sound(table: &View, criteria: &Criteria, groups: &Groups) -> bool {
    groups.check_partition(table.rows()).is_ok()
        && groups.iter().all(|rows| hold(table, criteria, rows))
}
