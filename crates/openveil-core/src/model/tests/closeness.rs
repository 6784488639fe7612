//! Compares the earth mover's distance with an explicit transport of earth.

use super::super::GroundDistance;
use super::generators::world_and_groups;
use super::{Requirement, World, r};
use crate::hierarchy::Hierarchy;
use crate::model::TCloseness;
use proptest::prelude::*;

/// The least cost of moving one load to another of equal weight: shortest paths, one after the
/// other, with the option of moving back.
fn transport(from: &[i64], to: &[i64], distance: &dyn Fn(usize, usize) -> i64) -> i64 {
    let n = from.len();
    let (mut left, mut wanted) = (from.to_vec(), to.to_vec());
    let mut moved = vec![vec![0i64; n]; n];
    let mut cost = 0;
    while left.iter().any(|&load| load > 0) {
        // Nodes 0..n send, n..2n receive.
        let mut best: Vec<Option<(i64, usize)>> = vec![None; 2 * n];
        (0..n).filter(|&i| left[i] > 0).for_each(|i| best[i] = Some((0, i)));
        for _ in 0..2 * n {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let relax = |best: &mut Vec<Option<(i64, usize)>>, a: usize, b: usize, d| {
                    if let Some((length, _)) = best[a]
                        && best[b].is_none_or(|(other, _)| length + d < other)
                    {
                        best[b] = Some((length + d, a));
                    }
                };
                relax(&mut best, i, n + j, distance(i, j));
                if moved[i][j] > 0 {
                    relax(&mut best, n + j, i, -distance(i, j));
                }
            }
        }
        let end =
            (0..n).filter(|&j| wanted[j] > 0).min_by_key(|&j| best[n + j].unwrap().0).unwrap();
        cost += best[n + end].unwrap().0;
        let mut node = n + end;
        loop {
            let before = best[node].unwrap().1;
            if before == node {
                break;
            }
            if node >= n {
                moved[before][node - n] += 1;
            } else {
                moved[node][before - n] -= 1;
            }
            node = before;
        }
        left[node] -= 1;
        wanted[end] -= 1;
    }
    cost
}

/// The distances between values that occur, and their common factor.
fn distances(world: &World, ground: GroundDistance) -> (Vec<Vec<i64>>, i64) {
    let present: Vec<usize> = (0..world.counts.len()).filter(|&v| world.counts[v] > 0).collect();
    let table = |distance: &dyn Fn(usize, usize) -> i64| -> Vec<Vec<i64>> {
        let row = |a: &usize| present.iter().map(|b| distance(*a, *b)).collect();
        present.iter().map(row).collect()
    };
    let rank = |value: usize| present.iter().position(|&v| v == value).unwrap() as i64;
    match ground {
        GroundDistance::Equal => (table(&|a, b| i64::from(a != b)), 1),
        GroundDistance::Ordered => {
            let scale = (present.len() as i64 - 1).max(1);
            (table(&|a, b| (rank(a) - rank(b)).abs()), scale)
        }
        GroundDistance::Hierarchical => {
            let hierarchy = world.table.secret().hierarchy().unwrap();
            let labels: Vec<&str> = hierarchy.leaf_labels().collect();
            let leaf = |value: usize| {
                let label = world.table.secret().label(value as u32);
                labels.iter().position(|leaf| *leaf == label).unwrap() as u32
            };
            let height = |node: u32| height(hierarchy, node);
            let distance = |a: usize, b: usize| {
                let (low, high) = (leaf(a).min(leaf(b)), leaf(a).max(leaf(b)));
                if a == b { 0 } else { height(hierarchy.common_ancestor(low, high)) }
            };
            (table(&distance), height(0).max(1))
        }
    }
}

/// Steps down to the lowest value below a node.
fn height(hierarchy: &Hierarchy, node: u32) -> i64 {
    let children =
        (0..hierarchy.node_count() as u32).filter(|&n| hierarchy.parent(n) == Some(node));
    children.map(|child| height(hierarchy, child) + 1).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// A model with t equal to the distance holds; with t a little below it, it does not.
    #[test]
    fn closeness_turns_at_the_cost_of_moving(
        (world, groups) in world_and_groups(1),
        ground in prop_oneof![
            Just(GroundDistance::Equal),
            Just(GroundDistance::Ordered),
            Just(GroundDistance::Hierarchical)
        ],
    ) {
        let group = &groups[0];
        let (rows, size) = (world.counts.iter().sum::<u64>(), group.iter().sum::<u64>());
        let present = |counts: &[u64], times: u64| -> Vec<i64> {
            counts.iter().zip(&world.counts).filter(|&(_, &whole)| whole > 0).map(|(&count, _)| (count * times) as i64).collect()
        };
        let (distances, scale) = distances(&world, ground);
        let (from, to) = (present(&world.counts, size), present(group, rows));
        let cost = transport(&from, &to, &|a, b| distances[a][b]) as u64;
        let unit = rows * size * scale as u64;
        let close = |t| world.holds(&Requirement::Closeness(TCloseness { t, ground }), group);
        if cost > 0 && cost < unit {
            prop_assert!(close(r(cost, unit)));
        }
        let less = (cost * 1_000).saturating_sub(1);
        if less > 0 {
            prop_assert!(!close(r(less.min(unit * 1_000 - 1), unit * 1_000)));
        } else {
            prop_assert!(close(r(1, 1_000_000)));
        }
    }

    /// The bound on posteriors is attained: half a step beyond it is refused, and a distribution
    /// that attains it is found among mixtures of the table and moved earth.
    #[test]
    fn the_bound_of_total_variation_is_the_prior_and_t(
        counts in prop::collection::vec(1u64..9, 2..6),
        (n, d) in (2u64..9).prop_flat_map(|d| (1..d, Just(d))),
    ) {
        let world = World::new(&counts);
        let ground = GroundDistance::Equal;
        let bound = world.bind(&Requirement::Closeness(TCloseness { t: r(n, d), ground })).max_posterior();
        let greatest = r(*counts.iter().max().unwrap(), counts.iter().sum());
        let expected = greatest + r(n, d);
        let below_one = expected < r(1, 1);
        prop_assert_eq!(bound, below_one.then(|| crate::exact::widen(expected)));
    }
}

/// Example 4 of the t-closeness paper: salaries 3k … 11k, one row each. P₁ = {3k,
/// 4k, 5k} is 0.375 away, P₂ = {6k, 8k, 11k} 0.167.
#[test]
fn the_salaries_of_the_paper() {
    let world = World::new(&[1; 9]);
    let ground = GroundDistance::Ordered;
    let close =
        |t, group: &[u64]| world.holds(&Requirement::Closeness(TCloseness { t, ground }), group);
    let (first, second) = ([1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1]);
    assert!(close(r(3, 8), &first) && !close(r(374, 1_000), &first));
    assert!(close(r(1, 6), &second) && !close(r(166, 1_000), &second));
}

/// With ranks, a little cost moves neighbours: the bound on a posterior is the share of the nearest
/// values that a cost of t can move.
#[test]
fn the_bound_with_ranks_buys_the_nearest_first() {
    let world = World::new(&[1, 1, 1, 1, 1]);
    let ground = GroundDistance::Ordered;
    // 1/4 per step: both neighbours cost 2/5 · 1/4 = 1/10; half of the next value costs as much
    // again, since it is two steps away.
    let t = r(1, 5);
    let bound = world.bind(&Requirement::Closeness(TCloseness { t, ground })).max_posterior();
    assert_eq!(bound, Some(crate::exact::fraction(4, 5)));
    assert!(world.holds(&Requirement::Closeness(TCloseness { t, ground }), &[0, 0, 4, 0, 1]));
    assert!(!world.holds(&Requirement::Closeness(TCloseness { t, ground }), &[0, 0, 41, 0, 9]));
}

/// In a tree of two pairs, the distance within a pair is half of that across.
#[test]
fn the_bound_in_a_tree_buys_the_nearest_first() {
    let path = |value: &str, pair: &str| [value, pair, "*"].map(str::to_owned).to_vec();
    let paths = [path("v0", "p"), path("v1", "p"), path("v2", "q"), path("v3", "q")];
    let world = World::new(&[3; 4]).with_hierarchy(Hierarchy::from_paths(paths).unwrap());
    let ground = GroundDistance::Hierarchical;
    let bound = |t| {
        let requirement = Requirement::Closeness(TCloseness { t, ground });
        world.bind(&requirement).max_posterior()
    };
    // A fourth of the rows moves at a distance of 1/2, the others at a distance of 1. With the last
    // of them the value is certain.
    assert_eq!(bound(r(1, 16)), Some(crate::exact::fraction(3, 8)));
    assert_eq!(bound(r(1, 8)), Some(crate::exact::fraction(1, 2)));
    assert_eq!(bound(r(3, 8)), Some(crate::exact::fraction(3, 4)));
    assert_eq!(bound(r(5, 8)), None);
}
