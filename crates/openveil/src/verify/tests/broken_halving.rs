//! Halving without one of its conditions, next to halving with it.

use super::*;
use crate::Error;
use crate::coins::Coins;
use crate::model::CountBuffer;
use crate::table::{Groups, View};

type Rows = Vec<u32>;

/// What a variant of halving does differently from the engine.
#[derive(Clone, Copy)]
struct Variant {
    /// Children of an accepted second attempt are leaves.
    leaf_rule: bool,
    /// Odd nodes are cut beside their middle row, whatever that gives away.
    cuts_odd_nodes: bool,
}

/// Halving by row number; the second attempt takes the lower and the upper halves
/// of both halves.
fn halve(table: &View, model: &Model, variant: Variant) -> Result<Groups, Error> {
    let criteria = model.bind(table)?;
    let holds = |rows: &Rows| {
        let values = rows.iter().map(|&row| table.secret().codes()[row as usize]);
        criteria.hold_on_group(&CountBuffer::default().of_codes(values))
    };
    let mut open: Vec<Rows> = vec![(0..table.rows() as u32).collect()];
    let mut leaves: Vec<Rows> = Vec::new();
    while let Some(node) = open.pop() {
        let is_odd = node.len() % 2 == 1;
        if node.len() < 4 || (is_odd && !variant.cuts_odd_nodes) {
            leaves.push(node);
            continue;
        }
        let (lower, upper) = node.split_at(node.len() / 2);
        let first = [lower.to_vec(), upper.to_vec()];
        if first.iter().all(holds) {
            open.extend(first);
            continue;
        }
        if node.len() % 4 != 0 {
            leaves.push(node);
            continue;
        }
        let quarter = node.len() / 4;
        let second = [
            [&lower[..quarter], &upper[..quarter]].concat(),
            [&lower[quarter..], &upper[quarter..]].concat(),
        ];
        match second.iter().all(holds) {
            true if variant.leaf_rule => leaves.extend(second),
            true => open.extend(second),
            false => leaves.push(node),
        }
    }
    Ok(leaves.into_iter().collect())
}

fn engine(variant: Variant) -> impl Mechanism {
    move |table: &View, model: &Model, _: &mut dyn Coins| halve(table, model, variant)
}

const SOUND: Variant = Variant {
    leaf_rule: true,
    cuts_odd_nodes: false,
};

/// Breaks: "only if … the children of an accepted second cut are leaves".
#[test]
fn cutting_below_a_second_attempt_leaks() {
    let values = [1, 1, 1, 2, 2, 2, 3, 3];
    let scenario = scenario(&values, 2);
    let found = verify(&engine(SOUND), &scenario).unwrap();
    assert_eq!(found.counterexample, None);
    let broken = Variant {
        leaf_rule: false,
        ..SOUND
    };
    let found = verify(&engine(broken), &scenario).unwrap();
    assert!(found.unsafe_releases > 0, "{found:?}");
}

/// Breaks: "a node of odd size is cut only if the exact posteriors after a refusal,
/// in the bigger and in the smaller half, would satisfy p".
#[test]
fn cutting_odd_nodes_whatever_it_tells_leaks() {
    let broken = Variant {
        cuts_odd_nodes: true,
        ..SOUND
    };
    let mut leaks = 0;
    for counts in histograms(7) {
        let values = (0u32..).zip(counts);
        let values: Vec<u32> = values
            .flat_map(|(value, count)| vec![value; count as usize])
            .collect();
        let scenario = scenario(&values, 2);
        let criteria = scenario.model().bind(scenario.table()).unwrap();
        if criteria.check_whole(scenario.table()).is_err() {
            continue;
        }
        let found = verify(&engine(SOUND), &scenario).unwrap();
        assert_eq!(found.counterexample, None, "{values:?}");
        let found = verify(&engine(broken), &scenario).unwrap();
        leaks += u32::from(!found.is_safe());
    }
    assert!(leaks > 0);
}
