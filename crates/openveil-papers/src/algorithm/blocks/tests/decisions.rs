//! Decisions about the release of a block.

use super::decide::{BlockDecision, BlockShape};
use super::rule::Names;
use super::runs::{borders, run_counts, runs};
use super::*;
use crate::disclosure::{ContingencyTables, TableSpace};
use openveil_core::table::{Worlds, histograms};

#[test]
fn runs_are_even_and_begin_with_the_longer_ones() {
    let sizes = |people, count| runs(people, count).map(|run| run.len()).collect::<Vec<_>>();
    assert_eq!(sizes(8, 4), [2, 2, 2, 2]);
    assert_eq!(sizes(8, 3), [3, 3, 2]);
    assert_eq!(sizes(7, 2), [4, 3]);
    assert_eq!(run_counts(8, 3).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(run_counts(2, 3).collect::<Vec<_>>(), [1]);
    assert_eq!(borders(8, 2), [2, 3, 4, 6]);
    assert!(borders(5, 3).is_empty());
}

/// The number of classes equals the engine's, and is greatest for different values.
#[test]
fn classes_are_counted_without_listing_them() {
    for (people, least) in [(4, 2), (6, 2), (7, 2), (7, 3), (8, 2), (8, 4), (5, 3)] {
        let candidates = BlockFunctions::runs(people, least);
        let functions = candidates.functions(people).unwrap();
        let classes =
            |counts: &[u32]| ContingencyTables::new(&functions, counts, 20_000).unwrap().classes();
        let most = classes(&vec![1; people]);
        assert_eq!(candidates.most_classes(people), most as u128);
        let all = histograms(people as u32);
        assert!(people > 7 || all.iter().all(|counts| classes(counts) <= most));
    }
    assert_eq!(BlockFunctions::runs(60, 2).most_classes(60), u128::MAX);
}

fn diverse(values: &[u32], l: usize) -> bool {
    let count = |value| values.iter().filter(|&&other| other == value).count();
    values.iter().all(|&value| count(value) * l <= values.len())
}

/// Returns shapes of up to `people` people that may be published as one group.
fn shapes(people: u32, l: usize) -> Vec<Vec<u32>> {
    let shapes = (2..=people).flat_map(histograms);
    let values = |counts: &Vec<u32>| -> Vec<u32> {
        (0..)
            .zip(counts)
            .flat_map(|(value, &count)| std::iter::repeat_n(value, count as usize))
            .collect()
    };
    shapes
        .filter(|counts| counts.iter().rev().is_sorted())
        .map(|counts| values(&counts))
        .filter(|values| diverse(values, l))
        .collect()
}

/// Returns names of ten values, some of which are exempt.
fn names(exempt: &[u32]) -> Names {
    let (exempt, protected) = (0..10).partition(|value| exempt.contains(value));
    Names::Shared { protected, exempt }
}

/// Returns the decision for a block with these values, and its functions.
fn decided(
    disclosure: &BlockDisclosure,
    values: &[u32],
    exempt: &[u32],
    l: u32,
) -> (BlockDecision, BlockFunctions) {
    let candidates = BlockFunctions::runs(values.len(), l as usize);
    let criteria = model(l).bind(&table(&[], values, exempt)).unwrap();
    let (shape, _) = BlockShape::new(values, &names(exempt));
    let decision = BlockDecision::new(disclosure, &candidates, &shape, &criteria).unwrap();
    (decision, candidates)
}

/// Returns the discernability summed over all patterns of a shape.
fn cost(disclosure: &BlockDisclosure, values: &[u32], l: u32) -> usize {
    let (shape, _) = BlockShape::new(values, &names(&[]));
    let (decision, candidates) = decided(disclosure, values, &[], l);
    let mut worlds = Worlds::new(values);
    let mut cost = 0;
    while let Some(world) = worlds.next_world() {
        let (other, pattern) = BlockShape::new(world, &names(&[]));
        assert_eq!(other, shape);
        for group in candidates.partition(decision.released(&pattern).unwrap()).iter() {
            let values: Vec<u32> = group.iter().map(|&place| world[place as usize]).collect();
            assert!(diverse(&values, l as usize));
            cost += group.len() * group.len();
        }
    }
    cost
}

/// Something is released for every pattern of every shape, and a strategy with more plans to choose
/// from has no greater cost.
#[test]
fn every_pattern_is_released_and_choice_pays() {
    let mut naive_is_finer = 0;
    for l in [2, 3] {
        for values in shapes(7, l as usize) {
            let one_group: usize =
                Worlds::new(&values).count().unwrap() as usize * values.len().pow(2);
            let [naive, safe, jump] = DISCLOSURES.map(|disclosure| cost(&disclosure, &values, l));
            let fixed = cost(&BlockDisclosure::JumpBy(vec![1, 2]), &values, l);
            assert!(jump <= safe && jump <= fixed && safe <= one_group, "{values:?}");
            naive_is_finer += usize::from(naive < safe);
        }
    }
    assert!(naive_is_finer > 0);
}

/// Naive, by its definition: the first runs that are all diverse.
#[test]
fn naive_takes_the_first_that_looks_safe() {
    for l in [2, 3] {
        for values in shapes(6, l as usize) {
            let (decision, candidates) = decided(&BlockDisclosure::Naive, &values, &[], l);
            let mut worlds = Worlds::new(&values);
            while let Some(world) = worlds.next_world() {
                let looks_safe = |&count: &usize| {
                    runs(world.len(), count).all(|run| diverse(&world[run], l as usize))
                };
                let expected = run_counts(world.len(), l as usize).find(looks_safe);
                let (_, pattern) = BlockShape::new(world, &names(&[]));
                let released = decision.released(&pattern).unwrap();
                assert_eq!(Some(candidates.partition(released).len()), expected);
            }
        }
    }
}

proptest! {
    /// Renamed values give the same shape and pattern, unless they change between protected and
    /// exempt.
    #[test]
    fn names_of_values_do_not_matter(
        values in prop::collection::vec(0u32..5, 2..9),
        order in Just((0u32..5).collect::<Vec<_>>()).prop_shuffle(),
        exempt in 0usize..3,
    ) {
        let own: Vec<u32> = (0..exempt as u32).collect();
        // The names stay: exempt values are renamed among themselves.
        prop_assume!(order[..exempt].iter().all(|value| own.contains(value)));
        let renamed: Vec<u32> = values.iter().map(|&value| order[value as usize]).collect();
        let (shape, pattern) = BlockShape::new(&values, &names(&own));
        let (other, again) = BlockShape::new(&renamed, &names(&own));
        prop_assert_eq!(&shape, &other);
        for pattern in [&pattern, &again] {
            // Patterns tell who shares a value with whom, and nothing else.
            for (a, b) in (0..values.len()).zip(1..values.len()) {
                prop_assert_eq!(pattern[a] == pattern[b], values[a] == values[b]);
            }
        }
    }
}

/// A shape differs from one in which another value is exempt.
#[test]
fn exempt_values_are_part_of_the_shape() {
    let shapes = [[1, 1, 2, 3], [0, 0, 1, 2], [1, 1, 0, 2]];
    let [none, twice, once] = shapes.map(|values| BlockShape::new(&values, &names(&[0])).0);
    assert!(none != twice && twice != once && none != once);
    let values = [0, 0, 1, 2];
    // 0 may become certain: pairs are released that put both of its people together.
    let (_, pattern) = BlockShape::new(&values, &names(&[0]));
    let (decision, candidates) = decided(&BlockDisclosure::Safe, &values, &[0], 2);
    let released = decision.released(&pattern).unwrap();
    assert_eq!(candidates.partition(released).len(), 2);
}
