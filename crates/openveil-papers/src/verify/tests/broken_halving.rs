//! Halving without one of its conditions, beside halving with it.

use super::*;
use crate::algorithm::Cover;
use openveil_core::Error;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{Coins, shuffle};
use openveil_core::model::{CountBuffer, Counts, Criteria};
use openveil_core::table::{Groups, View};

type Rows = Vec<u32>;

/// The differences of a variant of halving from the engine.
#[derive(Clone, Copy)]
struct Variant {
    /// Whether children of an accepted second attempt are leaves. If not, they are cut in any way,
    /// and not every strand in its middle.
    leaf_rule: bool,
    /// Whether odd nodes are cut beside their middle row, whatever that discloses.
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

const SOUND: Variant = Variant { leaf_rule: true, cuts_odd_nodes: false };

/// Breaks: "below it, every cut is one of all strands, each in its middle".
#[test]
fn cutting_below_a_second_attempt_leaks() {
    let values = [1, 1, 1, 2, 2, 2, 3, 3];
    let scenario = scenario(&values, 2);
    let found = verify(&engine(SOUND), &scenario).unwrap();
    assert_eq!(found.counterexample, None);
    let broken = Variant { leaf_rule: false, ..SOUND };
    let found = verify(&engine(broken), &scenario).unwrap();
    assert!(found.unsafe_releases > 0, "{found:?}");
}

/// Breaks: "a node of odd size is cut only if the exact posteriors after a refusal,
/// in the bigger and in the smaller half, would satisfy p".
#[test]
fn cutting_odd_nodes_whatever_it_tells_leaks() {
    let broken = Variant { cuts_odd_nodes: true, ..SOUND };
    let mut leaks = 0;
    for counts in histograms(7) {
        let values = (0u32..).zip(counts);
        let values: Vec<u32> =
            values.flat_map(|(value, count)| vec![value; count as usize]).collect();
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

/// Whether the model survives the refusal of a cut into sides that differ by `surplus` people. A
/// node has the values H; after the refusal, posteriors are mixtures of H − B on the smaller side
/// and of H + B on the greater one, over sub-multisets B of `surplus` values. If values are
/// interchangeable, the least even mixtures decide: the B that takes the rarest values away, and
/// the B that adds to the most frequent ones.
///
/// `sorted` holds the counts of the values of H, greatest first.
fn survives_refusal(criteria: &Criteria, sorted: &[u128], surplus: u128) -> bool {
    let holds = |counts: &[(u32, u128)]| criteria.hold_on_posterior(&Counts::new(counts));
    let mut left = surplus;
    let more = (0..).zip(sorted).map(|(rank, &count)| {
        let added = count.min(left);
        left -= added;
        (rank, count + added)
    });
    if !holds(&more.collect::<Vec<_>>()) {
        return false;
    }
    let mut left = sorted.iter().sum::<u128>() - surplus;
    let fewer = (0..).zip(sorted).map(|(rank, &count)| {
        let kept = count.min(left);
        left -= kept;
        (rank, kept)
    });
    holds(&fewer.filter(|&(_, kept)| kept > 0).collect::<Vec<_>>())
}

/// Makes one cut into sides of different size: the first two people, and the others. If `stands`, the cut also requires that as
/// many of the others could stand for the first two.
fn cut_two_off(
    table: &View,
    model: &Model,
    stands: bool,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let criteria = model.bind(table)?;
    let holds = |rows: &[u32]| {
        let values = rows.iter().map(|&row| table.secret().codes()[row as usize]);
        criteria.hold_on_group(&CountBuffer::default().of_codes(values))
    };
    let mut others: Rows = (2..table.rows() as u32).collect();
    shuffle(&mut others, coins);
    let mut sorted: Vec<u128> = table.histogram().counts().iter().map(|&c| c.into()).collect();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let surplus = others.len() as u128 - 2;
    let all_but_these = [&[0, 1], &others[2..]].concat();
    let symmetric = !stands || holds(&others[..2]) && holds(&all_but_these);
    let survives = survives_refusal(&criteria, &sorted, surplus);
    if survives && symmetric && holds(&[0, 1]) && holds(&others) {
        return Ok([vec![0, 1], others].into_iter().collect());
    }
    Ok([(0..table.rows() as u32).collect::<Rows>()].into_iter().collect())
}

/// A cut into sides of different size needs, besides the condition above, that coins draw as many
/// people of the greater side as the other has, for whom the same conditions hold. (An engine
/// before 2.0 made such cuts.)
#[test]
fn sides_of_different_size_that_nobody_stands_for_leak() {
    let unsafe_releases = |stands: bool| {
        let scenarios = [5, 6].into_iter().flat_map(histograms).filter_map(|counts| {
            let values = (0u32..).zip(counts);
            let values: Vec<u32> =
                values.flat_map(|(value, count)| vec![value; count as usize]).collect();
            let scenario = scenario(&values, 2);
            let criteria = scenario.model().bind(scenario.table()).unwrap();
            criteria.check_whole(scenario.table()).is_ok().then_some(scenario)
        });
        let engine = |table: &View, model: &Model, coins: &mut dyn Coins| {
            cut_two_off(table, model, stands, coins)
        };
        scenarios.map(|scenario| verify(&engine, &scenario).unwrap().unsafe_releases).sum::<u64>()
    };
    assert_eq!(unsafe_releases(true), 0);
    assert!(unsafe_releases(false) > 0);
}

/// Breaks: a refused node is passed to the engine that handles every eligible histogram. A refusal
/// is not symmetric under exchanging columns.
#[test]
fn cover_inside_a_refused_node_leaks() {
    let or_cover = |table: &View, model: &Model, coins: &mut dyn Coins| {
        let halves = halve(table, model, SOUND)?;
        if halves.len() > 1 {
            return Ok(halves);
        }
        Cover.partition(table, model, coins)
    };
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2);
    assert!(verify(&engine(SOUND), &scenario).unwrap().is_safe());
    let found = verify(&or_cover, &scenario).unwrap();
    assert!(found.unsafe_releases > 0 && found.certain_tables > 0);
}
