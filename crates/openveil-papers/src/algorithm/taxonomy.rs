//! Successively coarser views of a column's domain.

use openveil_core::hierarchy::Hierarchy;
use openveil_core::table::{Domain, Generalization};
use std::collections::HashMap;
use std::hash::Hash;

/// Partitions of the codes of one domain into classes, each equal to or coarser than the one
/// before: the first keeps every code apart, the last has one class.
///
/// A column with a tree has the tree's levels. A column whose values are ordered, but without a
/// tree, has intervals that double in length: 2, 4, 8 … neighbouring codes. Any other column has
/// two levels: exact, and everything.
#[derive(Debug, Clone)]
pub(in crate::algorithm) struct Taxonomy {
    /// `levels[level][code]`: a class, numbered from 0 without gaps.
    levels: Vec<Vec<u32>>,
}

impl Taxonomy {
    /// Makes levels counted from the leaves, as in hierarchy files: a code stands for its value,
    /// then for the label directly above it, and so on; a path that ends early stays at the root.
    /// O(codes · depth).
    pub(in crate::algorithm) fn by_height(domain: &Domain) -> Self {
        Self::new(domain, |path, steps| path[steps.min(path.len() - 1)])
    }

    /// Makes levels counted from the root, so that one step down from a node of the tree leads to
    /// its children; a path that ends early stays at its leaf. O(codes · depth).
    pub(in crate::algorithm) fn by_depth(domain: &Domain) -> Self {
        let longest = domain
            .hierarchy()
            .map_or(0, |tree| paths(tree).iter().map(Vec::len).max().unwrap_or(0));
        Self::new(domain, |path, steps| {
            let depth = longest - 1 - steps;
            path[(path.len() - 1).saturating_sub(depth)]
        })
    }

    /// Makes levels; `node_at` picks the node of a path, leaf first, that stands for the leaf on a
    /// level.
    fn new(domain: &Domain, node_at: impl Fn(&[u32], usize) -> u32) -> Self {
        let codes = domain.len() as u32;
        let levels = match domain.generalization() {
            Generalization::Tree(tree) => {
                let paths = paths(tree);
                let longest = paths.iter().map(Vec::len).max().unwrap_or(1);
                (0..longest)
                    .map(|steps| numbered(paths.iter().map(|path| node_at(path, steps))))
                    .collect()
            }
            Generalization::Interval => {
                let doublings = codes.max(1).next_power_of_two().ilog2();
                (0..=doublings)
                    .map(|shift| (0..codes).map(|code| code >> shift).collect())
                    .collect()
            }
            Generalization::Set if codes > 1 => vec![(0..codes).collect(), vec![0; codes as usize]],
            Generalization::Set => vec![vec![0; codes as usize]],
        };
        Self { levels }
    }

    /// Returns the number of levels, at least 1.
    pub(in crate::algorithm) fn len(&self) -> usize {
        self.levels.len()
    }

    /// Returns the class of every code on a level.
    pub(in crate::algorithm) fn classes(&self, level: usize) -> &[u32] {
        &self.levels[level]
    }

    /// Returns the number of classes on a level.
    pub(in crate::algorithm) fn class_count(&self, level: usize) -> usize {
        self.levels[level].iter().max().map_or(0, |&class| class as usize + 1)
    }
}

/// Returns the nodes from each leaf up to the root.
fn paths(tree: &Hierarchy) -> Vec<Vec<u32>> {
    (0..tree.leaf_count() as u32)
        .map(|leaf| {
            let node = tree.common_ancestor(leaf, leaf);
            std::iter::successors(Some(node), |&node| tree.parent(node)).collect()
        })
        .collect()
}

/// Numbers items in the order of first occurrence; equal items get equal numbers.
pub(in crate::algorithm) fn numbered<T: Eq + Hash>(listed: impl Iterator<Item = T>) -> Vec<u32> {
    let mut numbers = HashMap::new();
    listed
        .map(|own| {
            let next = numbers.len() as u32;
            *numbers.entry(own).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(taxonomy: &Taxonomy) -> Vec<&[u32]> {
        (0..taxonomy.len()).map(|l| taxonomy.classes(l)).collect()
    }

    fn uneven() -> Domain {
        let paths = [
            vec!["Paris", "France", "Europe", "*"],
            vec!["Lyon", "France", "Europe", "*"],
            vec!["Malta", "Europe", "*"],
            vec!["Europe", "*"],
            vec!["Moon", "*"],
        ];
        Domain::tree(Hierarchy::from_paths(paths).unwrap())
    }

    #[test]
    fn paths_of_different_lengths_are_counted_from_either_end() {
        // Leaves in the tree's order: Europe itself, Paris, Lyon, Malta, Moon.
        let domain = uneven();
        let labels: Vec<&str> = domain.labels().collect();
        assert_eq!(labels, ["Europe", "Paris", "Lyon", "Malta", "Moon"]);
        assert_eq!(
            levels(&Taxonomy::by_height(&domain)),
            [
                [0, 1, 2, 3, 4],
                // *, France, France, Europe, *
                [0, 1, 1, 2, 0],
                // *, Europe, Europe, *, *
                [0, 1, 1, 0, 0],
                [0; 5],
            ]
        );
        assert_eq!(
            levels(&Taxonomy::by_depth(&domain)),
            [
                [0, 1, 2, 3, 4],
                // Europe itself, France, France, Malta, Moon
                [0, 1, 1, 2, 3],
                [0, 0, 0, 0, 1],
                [0; 5],
            ]
        );
    }

    #[test]
    fn columns_without_a_tree_have_levels_too() {
        let integers = Taxonomy::by_height(&Domain::integers(0..5));
        assert_eq!(levels(&integers), [[0, 1, 2, 3, 4], [0, 0, 1, 1, 2], [0, 0, 0, 0, 1], [0; 5]]);
        assert_eq!(integers.class_count(1), 3);
        let names = Taxonomy::by_depth(&Domain::unordered(["a", "b"]));
        assert_eq!(levels(&names), [[0, 1], [0, 0]]);
        let one = Taxonomy::by_depth(&Domain::unordered(["a"]));
        assert_eq!(levels(&one), [[0]]);
        assert_eq!(Taxonomy::by_height(&Domain::integers([7])).len(), 1);
    }

    /// Codes that are equal on one level are equal on all levels above, whatever the tree.
    #[test]
    fn levels_are_nested() {
        for taxonomy in [Taxonomy::by_height(&uneven()), Taxonomy::by_depth(&uneven())] {
            for level in 1..taxonomy.len() {
                let (below, here) = (taxonomy.classes(level - 1), taxonomy.classes(level));
                for a in 0..here.len() {
                    for b in 0..here.len() {
                        assert!(below[a] != below[b] || here[a] == here[b]);
                    }
                }
            }
        }
    }
}
