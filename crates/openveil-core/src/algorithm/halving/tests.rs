use super::odd::OddNode;
use super::record::{HalvingRecord, choose, split};
use super::*;
use crate::coins::{PATH_LIMIT, SecretCoins, distribution};
use crate::exact::Rational;
use crate::model::{
    CountBuffer, Counts, DistinctDiversity, EntropyDiversity, Model, RatioDiversity,
    RecursiveDiversity, Requirement,
};
use crate::table::{Column, Domain, Secret};
use proptest::prelude::*;
use std::num::NonZeroU32;

fn table(values: &[u32], columns: u32) -> View {
    let n = values.len() as u32;
    let column = |index: u32| {
        let codes = (0..n).map(|row| (row * (7 + 4 * index) + index) % 31);
        Column::new(format!("q{index}"), codes.collect(), Domain::integers(0..31))
    };
    let domain = values.iter().max().map_or(0, |&value| value + 1);
    let labels = (0..domain).map(|value| value.to_string());
    let sensitive = Secret::new("s", values.to_vec(), labels);
    View::new((0..columns).map(column).collect(), sensitive).unwrap()
}

proptest! {
    /// Whenever the whole table satisfies the model, every row is in one group and every group
    /// satisfies it.
    #[test]
    fn leaves_are_a_partition_that_satisfies_the_model(
        values in prop::collection::vec(0u32..9, 1..400), l in 2u32..6, columns in 0u32..5,
        distinct: bool, seed: u64,
    ) {
        let table = table(&values, columns);
        let model = if distinct { Requirement::Distinct(DistinctDiversity { l }).into() } else { Model::from(RatioDiversity::new(l).unwrap()) };
        let criteria = model.bind(&table).unwrap();
        let found = Halving.partition(&table, &model, &mut SecretCoins::from_test_seed(seed));
        match found {
            Err(_) => prop_assert!(criteria.check_whole(&table).is_err()),
            Ok(groups) => {
                prop_assert_eq!(groups.check_partition(values.len()), Ok(()));
                for rows in groups.iter() {
                    let codes = rows.iter().map(|&row| values[row as usize]);
                    prop_assert!(criteria.hold_on_group(&CountBuffer::default().of_codes(codes)));
                }
            }
        }
    }
}

/// Values that are mixed everywhere: groups shrink to almost the least size that is asked for,
/// whatever the number of rows.
#[test]
fn nodes_are_cut_down_to_small_leaves() {
    let groups = |rows: u32, smallest| {
        let values: Vec<u32> = (0..rows).map(|row| row * row * 7 % 11).collect();
        let model = RatioDiversity::new(3).unwrap().into();
        let settings =
            Settings { smallest_group: NonZeroU32::new(smallest), ..Settings::default() };
        let coins = &mut SecretCoins::from_test_seed(1);
        let table = table(&values, 2);
        Halving.partition_with(&table, &model, &settings, coins).unwrap()
    };
    for rows in [1_000, 1_023, 1_025] {
        let number = groups(rows, 1).len() as u32;
        assert!(number > rows / 16, "{number} groups");
        // Without a number, groups have 25 rows.
        for smallest in [0, 25, 40] {
            let groups = groups(rows, smallest);
            let least = smallest.max(25);
            assert!(groups.iter().all(|own| own.len() as u32 >= least));
            assert!(groups.len() as u32 > rows / least / 2);
        }
    }
}

/// Both halves of large nodes are worked on in parallel, and threads do not affect the result.
#[test]
fn threads_decide_nothing() {
    let values: Vec<u32> = (0..50_000u32).map(|row| row % 1_009 * (row % 997) % 13).collect();
    let table = table(&values, 3);
    let model = RatioDiversity::new(3).unwrap().into();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut coins = SecretCoins::from_test_seed(5);
        let groups = || Halving.partition(&table, &model, &mut coins).unwrap();
        pool.build().unwrap().install(groups)
    };
    let alone = on(1);
    assert_eq!(alone.check_partition(values.len()), Ok(()));
    assert_eq!(alone, on(3));
}

fn numbered(keys: &[[u16; 2]]) -> Vec<HalvingRecord<2>> {
    let record = |(row, &keys): (u32, &[u16; 2])| HalvingRecord { keys, row, value: 0 };
    (0..).zip(keys).map(record).collect()
}

/// Each of three people who are alike is equally likely to come before the cut.
#[test]
fn coins_part_those_who_are_alike() {
    let keys = [[1, 0], [0, 5], [1, 0], [2, 2], [1, 0]];
    let found = distribution(PATH_LIMIT, |coins| {
        let mut records = numbered(&keys);
        split(&mut records, 2, 0, coins);
        let mut front: Vec<u32> = records[..2].iter().map(|record| record.row).collect();
        front.sort_unstable();
        Ok(front)
    });
    let found = found.unwrap();
    let fronts: Vec<&[u32]> = found.outcomes().iter().map(|(front, _)| &front[..]).collect();
    assert_eq!(fronts, [[0, 1], [1, 2], [1, 4]]);
    assert!(found.outcomes().iter().all(|(_, weight)| 3 * weight == found.total()));
}

#[test]
fn a_choice_is_uniform_from_either_end() {
    for front in [0, 1, 3, 4] {
        let found = distribution(PATH_LIMIT, |coins| {
            let mut items = [0, 1, 2, 3];
            choose(&mut items, front, coins);
            items[..front].sort_unstable();
            Ok(items[..front].to_vec())
        });
        let found = found.unwrap();
        let weights: Vec<u128> = found.outcomes().iter().map(|&(_, weight)| weight).collect();
        assert!(weights.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(weights.len(), [1, 4, 6, 4, 1][front]);
    }
}

/// A model that treats all values alike, one of several kinds.
fn of_some_kind(kind: usize) -> Model {
    let kinds: [Requirement; 4] = [
        Requirement::Ratio(RatioDiversity::new(2).unwrap()),
        Requirement::Distinct(DistinctDiversity { l: 3 }),
        Requirement::Entropy(EntropyDiversity { l: Rational::new(5, 2) }),
        Requirement::Recursive(RecursiveDiversity { c: Rational::new(2, 1), l: 2 }),
    ];
    kinds[kind].clone().into()
}

proptest! {
    /// The least records are in front, whatever the ties.
    #[test]
    fn a_split_agrees_with_sorting(
        keys in prop::collection::vec((0u16..6, 0u16..4), 1..60), at in 0usize..60, seed: u64,
    ) {
        let keys: Vec<[u16; 2]> = keys.into_iter().map(|(a, b)| [a, b]).collect();
        let at = at.min(keys.len());
        let mut records = numbered(&keys);
        split(&mut records, at, 1, &mut SecretCoins::from_test_seed(seed));
        let order = |keys: &[u16; 2]| [keys[1], keys[0]];
        let mut sorted: Vec<[u16; 2]> = keys.iter().map(order).collect();
        sorted.sort_unstable();
        let mut front: Vec<[u16; 2]> = records[..at].iter().map(|r| order(&r.keys)).collect();
        front.sort_unstable();
        prop_assert_eq!(&front[..], &sorted[..at]);
        let mut rows: Vec<u32> = records.iter().map(|record| record.row).collect();
        rows.sort_unstable();
        prop_assert_eq!(rows, (0..keys.len() as u32).collect::<Vec<_>>());
    }

    /// The cut is at the place where the boxes cost least, over all columns and strands.
    #[test]
    fn cuts_are_where_boxes_cost_least(
        keys in prop::collection::vec((0u16..31, 0u16..31), 4..40), two: bool,
    ) {
        let size = keys.len() / 4 * 4;
        let keys: Vec<[u16; 2]> = keys[..size].iter().map(|&(a, b)| [a, b]).collect();
        let strands = if two { 2 } else { 1 };
        let table = table(&[0, 1], 2);
        let space = HalvingSpace::<2>::new(&table);
        let coins = &mut SecretCoins::from_test_seed(1);
        let best = space.best_axis(&numbered(&keys), strands, &mut Vec::new(), coins);
        let cost = |axis: usize| -> f64 {
            let mut sides = [Vec::new(), Vec::new()];
            for strand in keys.chunks(size / strands) {
                let mut strand = strand.to_vec();
                strand.sort_by_key(|keys| [keys[axis], keys[1 - axis]]);
                let upper = strand.split_off(strand.len() / 2);
                sides[0].extend(strand);
                sides[1].extend(upper);
            }
            let width = |side: &[[u16; 2]], axis: usize| {
                let positions = side.iter().map(|keys| keys[axis]);
                f64::from(positions.clone().max().unwrap() - positions.min().unwrap()) / 30.0
            };
            let side = |side: &Vec<[u16; 2]>| {
                let logs = (0..2).map(|axis| (width(side, axis) + 0.2).ln());
                side.len() as f64 * logs.sum::<f64>()
            };
            sides.iter().map(side).sum()
        };
        prop_assert!(cost(best) <= cost(1 - best) + 1e-3);
    }

    /// A remembered window equals the one computed afresh.
    #[test]
    fn nodes_that_are_known_again_are_cut_as_before(
        nodes in prop::collection::vec(prop::collection::vec(1u128..4, 2..5), 1..8), kind in 0usize..4,
    ) {
        let criteria = of_some_kind(kind).bind(&table(&[0, 1, 2, 3, 4], 0)).unwrap();
        let mut odd = OddNode::new(&criteria);
        for node in nodes.iter().chain(&nodes) {
            let mut entries: Vec<(u32, u128)> = (0..).zip(node.iter().copied()).collect();
            entries[0].1 += 1 - node.iter().sum::<u128>() % 2;
            let counts = Counts::new(&entries);
            prop_assert_eq!(odd.window(&counts), OddNode::new(&criteria).window(&counts));
        }
    }
}

/// The parts of the groups that these coins lead to, group by group: the rows of each strand. None
/// where strands are not of equal length.
fn parts(table: &View, criteria: &Criteria, attempts: Attempts, seed: u64) -> Vec<Vec<Vec<u32>>> {
    let space = HalvingSpace::<4>::new(table);
    let engine = Engine::new(&space, criteria, attempts, table.secret().values());
    let (mut records, mut leaves) = (space.records(table), Leaves::default());
    let coins = &mut SecretCoins::from_test_seed(seed);
    engine.visit_table(&mut records, &mut Room::new(criteria), coins, &mut leaves);
    let mut rest = &records[..];
    let parts = leaves.sizes.iter().map(|&(rows, strands)| {
        let (leaf, behind) = rest.split_at(rows as usize);
        rest = behind;
        leaf.chunks((rows / strands.max(1)) as usize)
            .map(|strand| strand.iter().map(|record| record.row).collect())
            .collect()
    });
    let all: Vec<Vec<Vec<u32>>> = parts.collect();
    let unequal = |number: &usize| leaves.sizes[*number].1 == 0;
    (0..all.len())
        .map(|number| if unequal(&number) { Vec::new() } else { all[number].clone() })
        .collect()
}

proptest! {
    /// Exchanging the values of two people of a part changes no answer, so the same coins lead to
    /// the same parts. The sizes are such that no rows are set aside.
    #[test]
    fn exchanging_people_inside_parts_changes_nothing(
        values in prop::collection::vec(0u32..6, 96), size in 0usize..3, columns in 1u32..4,
        kind in 0usize..4, smallest in 1usize..20, picks in prop::collection::vec(0usize..1 << 16, 24),
        seed: u64,
    ) {
        let values = &values[..[64, 80, 96][size]];
        let original = table(values, columns);
        let criteria = of_some_kind(kind).bind(&original).unwrap();
        prop_assume!(criteria.check_whole(&original).is_ok());
        let attempts = Attempts { smallest, ..Attempts::default() };
        let found = parts(&original, &criteria, attempts, seed);
        let within: Vec<&Vec<u32>> = found.iter().flatten().filter(|part| part.len() > 1).collect();
        for pick in picks {
            let Some(part) = within.get(pick % within.len().max(1)) else { break };
            let at = pick / within.len();
            let pair = [part[at % part.len()], part[(at + 1 + at % (part.len() - 1)) % part.len()]];
            let mut exchanged = values.to_vec();
            exchanged.swap(pair[0] as usize, pair[1] as usize);
            let exchanged = original.with_secret_codes(exchanged).unwrap();
            prop_assert_eq!(&parts(&exchanged, &criteria, attempts, seed), &found);
        }
    }
}
