use super::*;
use crate::algorithm::cover::deal::CoverRecord;
use crate::algorithm::cover::deal::testing::{number, record};
use openveil_core::coins::SecretCoins;
use openveil_core::table::{Column, Domain};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn columns(domains: [u32; 2]) -> Vec<Column> {
    let column = |size: u32| Column::new("q", Vec::new(), Domain::integers(0..i64::from(size)));
    domains.map(column).into()
}

/// Numbered records of a bucket: `slots[slot][group]`.
fn bucket(keys: &[Vec<[u16; 2]>]) -> Vec<Vec<CoverRecord<2>>> {
    let groups = keys[0].len();
    let slot = |(slot, keys): (usize, &Vec<[u16; 2]>)| -> Vec<CoverRecord<2>> {
        keys.iter()
            .enumerate()
            .map(|(group, &keys)| record((slot * groups + group) as u32, keys))
            .collect()
    };
    keys.iter().enumerate().map(slot).collect()
}

/// The groups that arranging produces, as sets of record numbers.
fn arranged(
    mut slots: Vec<Vec<CoverRecord<2>>>,
    columns: &[Column],
    effort: u32,
) -> BTreeSet<Vec<u32>> {
    let space = CoverSpace::<2>::new(columns);
    // In the order in which the deal hands columns on: by their content.
    let keys =
        |slot: &Vec<CoverRecord<2>>| slot.iter().map(|record| record.keys).collect::<Vec<_>>();
    slots.iter_mut().for_each(|slot| slot.sort_by_key(|record| record.keys));
    slots.sort_by_key(keys);
    let settings = Settings { effort, keeps_marginals: effort > 0, ..Settings::default() };
    let unit = slots.iter_mut().map(Vec::as_mut_slice).collect();
    arrange(unit, &space, &settings, BLOCK, &mut SecretCoins::from_test_seed(1));
    let group = |group: usize| {
        let mut members: Vec<u32> = slots.iter().map(|slot| number(&slot[group])).collect();
        members.sort_unstable();
        members
    };
    (0..slots[0].len()).map(group).collect()
}

fn total_cost(groups: &BTreeSet<Vec<u32>>, keys: &[Vec<[u16; 2]>], columns: &[Column]) -> f32 {
    let space = CoverSpace::<2>::new(columns);
    let per_slot = keys[0].len();
    let key = |&number: &u32| keys[number as usize / per_slot][number as usize % per_slot];
    let cost = |group: &Vec<u32>| {
        let keys: Vec<[u16; 2]> = group.iter().map(key).collect();
        let of_axis = |axis: usize| {
            let mut keys: Vec<u16> = keys.iter().map(|key| key[axis]).collect();
            keys.sort_unstable();
            space.cost(axis, space.axes()[axis].values(&keys))
        };
        of_axis(0) + of_axis(1)
    };
    groups.iter().map(cost).sum()
}

fn keys(slots: usize, groups: usize) -> impl Strategy<Value = Vec<Vec<[u16; 2]>>> {
    let key = (0u16..40, 0u16..3).prop_map(|(a, b)| [a, b]);
    prop::collection::vec(prop::collection::vec(key, groups), slots)
}

/// Buckets of several sizes, on both sides of every threshold of the code.
fn buckets() -> impl Strategy<Value = Vec<Vec<[u16; 2]>>> {
    (2usize..6, prop::sample::select(vec![1, 2, 7, 33, 300, 2_500]))
        .prop_flat_map(|(slots, groups)| keys(slots, groups))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The invariance that the theorem needs: exchanging slots of a bucket changes nothing.
    #[test]
    fn exchanging_slots_leaves_the_groups_unchanged(keys in buckets(), turn in 1usize..5, effort in 0u32..3) {
        let columns = columns([40, 3]);
        let slots = bucket(&keys);
        let mut turned = slots.clone();
        turned.rotate_left(turn % slots.len());
        let last = slots.len() - 1;
        let mut swapped = slots.clone();
        swapped.swap(0, last);
        // Slots of equal content are interchangeable, so their records may be.
        let distinct: BTreeSet<&Vec<[u16; 2]>> = keys.iter().collect();
        prop_assume!(distinct.len() == keys.len());
        let groups = arranged(slots, &columns, effort);
        prop_assert_eq!(&groups, &arranged(turned, &columns, effort));
        prop_assert_eq!(&groups, &arranged(swapped, &columns, effort));
    }

    /// Every record is used once, and every group has one record of each slot.
    #[test]
    fn arranging_only_reorders_slots(keys in buckets(), effort in 0u32..3) {
        let groups = arranged(bucket(&keys), &columns([40, 3]), effort);
        let per_slot = keys[0].len() as u32;
        let mut all: Vec<u32> = groups.iter().flatten().copied().collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..per_slot * keys.len() as u32).collect::<Vec<_>>());
        for group in &groups {
            let slots: Vec<u32> = group.iter().map(|number| number / per_slot).collect();
            prop_assert_eq!(slots, (0..keys.len() as u32).collect::<Vec<_>>());
        }
    }

    /// A cut lowers the summed costs most: a naive search over every axis and place agrees on small
    /// nodes.
    #[test]
    fn small_nodes_are_cut_at_the_best_place(keys in keys(3, 6)) {
        let columns = columns([40, 3]);
        let space = CoverSpace::<2>::new(&columns);
        let mut slots = bucket(&keys);
        let views: Vec<&mut [CoverRecord<2>]> = slots.iter_mut().map(Vec::as_mut_slice).collect();
        let node = ArrangedNode { columns: &views, groups: 0..6 };
        let found = cut::best(&node, &space, &mut CutMemory::default());
        let gain = |axis: usize, at: usize| {
            let sorted: Vec<Vec<u16>> = keys.iter().map(|slot| {
                let mut column: Vec<u16> = slot.iter().map(|key| key[axis]).collect();
                column.sort_unstable();
                column
            }).collect();
            let extent = |from: usize, to: usize| {
                let mut keys: Vec<u16> = sorted.iter().flat_map(|slot| slot[from..to].to_vec()).collect();
                keys.sort_unstable();
                space.cost(axis, space.axes()[axis].values(&keys))
            };
            6.0 * extent(0, 6) - at as f32 * extent(0, at) - (6 - at) as f32 * extent(at, 6)
        };
        let best = (0..2).flat_map(|axis| (1..6).map(move |at| (axis, at)))
            .map(|(axis, at)| gain(axis, at)).fold(0.0f32, f32::max);
        match found {
            Some(cut) if best > 1e-4 => prop_assert!((gain(cut.axis, cut.at) - best).abs() < 1e-4),
            Some(_) => {}
            None => prop_assert!(best < 1e-4),
        }
    }
}

#[test]
fn people_who_are_alike_come_together() {
    // Two clusters, in opposite orders in the two slots.
    let near = |shift: u16| -> Vec<[u16; 2]> { (0..10).map(|i| [shift + i, 0]).collect() };
    let first: Vec<[u16; 2]> = near(0).into_iter().chain(near(30)).collect();
    let second: Vec<[u16; 2]> = near(30).into_iter().chain(near(0)).collect();
    let keys = vec![first, second];
    let columns = columns([40, 3]);
    let groups = arranged(bucket(&keys), &columns, 2);
    assert_eq!(total_cost(&groups, &keys, &columns), 0.0, "every person has a twin");
}

/// A tree over 40 positions whose subtrees are not where medians fall.
fn uneven_tree() -> Column {
    let part = |code: u32| {
        if code < 5 {
            "young"
        } else if code < 33 {
            "middle"
        } else {
            "old"
        }
    };
    let paths =
        (0..40).map(|code: u32| vec![code.to_string(), part(code).to_owned(), "*".to_owned()]);
    let tree = openveil_core::hierarchy::Hierarchy::from_paths(paths).unwrap();
    Column::new("q", Vec::new(), Domain::tree(tree))
}

#[test]
fn cuts_follow_the_borders_of_a_tree() {
    let mut columns = columns([40, 1]);
    columns[0] = uneven_tree();
    let slot =
        |turn: u16| -> Vec<[u16; 2]> { (0..400).map(|i| [(i * 7 + turn) % 40, 0]).collect() };
    let keys = vec![slot(0), slot(3), slot(8)];
    let groups = arranged(bucket(&keys), &columns, 2);
    let within = |group: &&Vec<u32>| {
        let part = |number: &u32| {
            let code = keys[*number as usize / 400][*number as usize % 400][0];
            (code >= 5) as u8 + (code >= 33) as u8
        };
        group.iter().map(part).max() == group.iter().map(part).min()
    };
    // Every slot has equally many people in each part, so all groups can be pure.
    assert_eq!(groups.iter().filter(within).count(), 400);
}
