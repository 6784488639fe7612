//! Generalisation trees: which label represents which values.

mod builders;

pub use builders::{DateLevel, dates, intervals, prefixes};

use std::collections::HashMap;

/// The label of a root that has no other label: any value.
pub const ROOT: &str = "*";

/// A generalisation tree whose leaves are numbered so that every node covers a
/// contiguous range of them.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    /// The node of each leaf, in leaf order.
    leaves: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Node {
    label: Box<str>,
    parent: u32,
    first: u32,
    last: u32,
}

/// Why paths do not form a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HierarchyError {
    /// There is no value at all.
    #[error("the hierarchy has no values")]
    Empty,
    /// A value has two different paths.
    #[error("the value `{value}` appears in the hierarchy twice, with different levels above it")]
    TwoPaths {
        /// The value.
        value: String,
    },
    /// One label represents two different sets of values.
    #[error(
        "the label `{label}` stands for two different sets of values, so a reader could not tell which is meant"
    )]
    AmbiguousLabel {
        /// The label.
        label: String,
    },
}

impl Hierarchy {
    /// Builds a tree from one path per value: the value, then the labels above it up to the root.
    /// Paths may differ in length. A root `*` is added if they do not end in a common one. Siblings
    /// keep the order of first mention.
    ///
    /// O(total length of the paths).
    ///
    /// # Errors
    /// [`HierarchyError`].
    pub fn from_paths<P, L>(paths: P) -> Result<Self, HierarchyError>
    where
        P: IntoIterator<Item = Vec<L>>,
        L: AsRef<str>,
    {
        let paths: Vec<Vec<L>> = paths.into_iter().filter(|path| !path.is_empty()).collect();
        let root = common_root(&paths).ok_or(HierarchyError::Empty)?;
        let draft = TreeDraft::grow(&paths, &root)?;
        let hierarchy = draft.number_leaves();
        hierarchy.check_labels()?;
        Ok(hierarchy)
    }

    /// The values, in leaf order.
    pub fn leaf_labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.leaves.iter().map(|&node| &*self.nodes[node as usize].label)
    }

    /// Number of values.
    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// The lowest node above all of the leaves `low..=high`. O(depth).
    #[inline]
    pub fn common_ancestor(&self, low: u32, high: u32) -> u32 {
        let mut node = self.leaves[low as usize];
        while self.nodes[node as usize].last < high {
            node = self.nodes[node as usize].parent;
        }
        node
    }

    /// A node's label.
    pub fn label(&self, node: u32) -> &str {
        &self.nodes[node as usize].label
    }

    /// The first and the last leaf under a node.
    pub fn leaf_range(&self, node: u32) -> (u32, u32) {
        let node = &self.nodes[node as usize];
        (node.first, node.last)
    }

    /// Number of nodes. The root is node 0, and children follow their parents.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node directly above a node; `None` for the root.
    pub fn parent(&self, node: u32) -> Option<u32> {
        (node > 0).then(|| self.nodes[node as usize].parent)
    }

    /// The node of a leaf.
    pub fn node_of_leaf(&self, leaf: u32) -> u32 {
        self.leaves[leaf as usize]
    }

    /// The last leaf of the child of `node` under which `leaf` lies. O(depth).
    pub fn end_of_child(&self, node: u32, leaf: u32) -> u32 {
        let mut below = self.leaves[leaf as usize];
        // If the leaf is the node itself (a value above others), it ends with itself.
        if below == node {
            return leaf;
        }
        while self.nodes[below as usize].parent != node {
            below = self.nodes[below as usize].parent;
        }
        self.nodes[below as usize].last
    }

    /// Leaves under the common ancestor of `low..=high`, minus one. O(depth).
    #[inline]
    pub fn extent(&self, low: u32, high: u32) -> u32 {
        let (first, last) = self.leaf_range(self.common_ancestor(low, high));
        last - first
    }

    /// Returns the tree with only the leaves for which `kept[leaf]` is true and the nodes above
    /// them. O(nodes).
    ///
    /// # Panics
    /// If there is not one flag per leaf, or no leaf is kept.
    #[must_use]
    pub(crate) fn pruned(&self, kept: &[bool]) -> Self {
        assert_eq!(kept.len(), self.leaves.len(), "one flag per leaf");
        assert!(kept.contains(&true), "a tree has leaves");
        // The number of kept leaves before each leaf.
        let mut before = vec![0];
        for &kept in kept {
            before.push(before[before.len() - 1] + u32::from(kept));
        }
        let mut number_of = vec![0; self.nodes.len()];
        let mut nodes: Vec<Node> = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let (first, end) = (before[node.first as usize], before[node.last as usize + 1]);
            if first < end {
                number_of[number] = nodes.len() as u32;
                nodes.push(Node {
                    label: node.label.clone(),
                    parent: number_of[node.parent as usize],
                    first,
                    last: end - 1,
                });
            }
        }
        let leaves = self
            .leaves
            .iter()
            .zip(kept)
            .filter(|(_, kept)| **kept)
            .map(|(&node, _)| number_of[node as usize])
            .collect();
        Self { nodes, leaves }
    }

    fn check_labels(&self) -> Result<(), HierarchyError> {
        let mut ranges: HashMap<&str, (u32, u32)> = HashMap::new();
        for node in &self.nodes {
            let range = (node.first, node.last);
            if *ranges.entry(&node.label).or_insert(range) != range {
                return Err(HierarchyError::AmbiguousLabel { label: node.label.to_string() });
            }
        }
        Ok(())
    }
}

/// The label in which all paths of more than one step end, or [`ROOT`].
fn common_root<L: AsRef<str>>(paths: &[Vec<L>]) -> Option<String> {
    let first = paths.first()?;
    let last = first.last()?.as_ref();
    let common = paths
        .iter()
        .all(|path| path.len() > 1 && path.last().is_some_and(|label| label.as_ref() == last));
    Some(if common { last } else { ROOT }.to_owned())
}

/// A tree under construction: children in order of first mention.
struct TreeDraft {
    labels: Vec<Box<str>>,
    children: Vec<Vec<u32>>,
    is_value: Vec<bool>,
}

impl TreeDraft {
    fn grow<L: AsRef<str>>(paths: &[Vec<L>], root: &str) -> Result<Self, HierarchyError> {
        let mut draft =
            Self { labels: vec![root.into()], children: vec![Vec::new()], is_value: vec![false] };
        let mut child_of: HashMap<(u32, &str), u32> = HashMap::new();
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for path in paths {
            let mut node = 0;
            let above = match path.last() {
                Some(last) if path.len() > 1 && last.as_ref() == root => path.len() - 1,
                _ => path.len(),
            };
            for label in path[..above].iter().rev().map(AsRef::as_ref) {
                node =
                    *child_of.entry((node, label)).or_insert_with(|| draft.add_child(node, label));
            }
            let value = path[0].as_ref();
            if *seen.entry(value).or_insert(node) != node {
                return Err(HierarchyError::TwoPaths { value: value.to_owned() });
            }
            draft.is_value[node as usize] = true;
        }
        Ok(draft)
    }

    fn add_child(&mut self, parent: u32, label: &str) -> u32 {
        let node = self.labels.len() as u32;
        self.labels.push(label.into());
        self.children.push(Vec::new());
        self.is_value.push(false);
        self.children[parent as usize].push(node);
        node
    }

    /// Numbers the leaves in depth-first order. A value that is also an inner label (`Europe` as a
    /// value above `France`) becomes a separate leaf.
    fn number_leaves(self) -> Hierarchy {
        let mut nodes: Vec<Node> = Vec::with_capacity(self.labels.len());
        let mut leaves = Vec::new();
        let mut stack = vec![(0u32, 0u32)];
        while let Some((draft, parent)) = stack.pop() {
            let number = nodes.len() as u32;
            let children = &self.children[draft as usize];
            nodes.push(Node {
                label: self.labels[draft as usize].clone(),
                parent,
                first: leaves.len() as u32,
                last: 0,
            });
            if self.is_value[draft as usize] {
                leaves.push(number);
            }
            stack.extend(children.iter().rev().map(|&child| (child, number)));
        }
        // In depth-first order a node's descendants follow it, so its last leaf is known once
        // everything below it is numbered.
        for &leaf in &leaves {
            let position = nodes[leaf as usize].first;
            let mut node = leaf;
            loop {
                nodes[node as usize].last = position;
                if node == 0 {
                    break;
                }
                node = nodes[node as usize].parent;
            }
        }
        Hierarchy { nodes, leaves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Hierarchy {
        Hierarchy::from_paths([
            vec!["nurse", "health", "*"],
            vec!["clerk", "office", "*"],
            vec!["doctor", "health", "*"],
            vec!["judge", "*"],
        ])
        .unwrap()
    }

    #[test]
    fn leaves_of_a_node_are_neighbours() {
        let tree = jobs();
        let labels: Vec<&str> = tree.leaf_labels().collect();
        assert_eq!(labels, ["nurse", "doctor", "clerk", "judge"]);
        assert_eq!(tree.label(tree.common_ancestor(0, 1)), "health");
        assert_eq!(tree.label(tree.common_ancestor(1, 2)), "*");
        assert_eq!(tree.label(tree.common_ancestor(2, 2)), "clerk");
        assert_eq!((tree.extent(0, 1), tree.extent(1, 3), tree.extent(3, 3)), (1, 3, 0));
    }

    #[test]
    fn a_missing_root_is_added() {
        let tree = Hierarchy::from_paths([vec!["a", "x"], vec!["b", "y"]]).unwrap();
        assert_eq!(tree.label(tree.common_ancestor(0, 1)), ROOT);
    }

    #[test]
    fn ambiguity_is_refused() {
        let twice = Hierarchy::from_paths([vec!["a", "x", "*"], vec!["a", "y", "*"]]);
        assert_eq!(twice.unwrap_err(), HierarchyError::TwoPaths { value: "a".into() });
        let label = Hierarchy::from_paths([vec!["a", "x", "p", "*"], vec!["b", "x", "q", "*"]]);
        assert_eq!(label.unwrap_err(), HierarchyError::AmbiguousLabel { label: "x".into() });
    }

    #[test]
    fn a_pruned_tree_is_that_of_the_paths_that_are_left() {
        let paths = [
            vec!["nurse", "health", "*"],
            vec!["doctor", "health", "*"],
            vec!["clerk", "office", "*"],
            vec!["judge", "*"],
        ];
        let tree = Hierarchy::from_paths(paths.clone()).unwrap();
        for kept in 1u32..16 {
            let kept: Vec<bool> = (0..4).map(|leaf| (kept >> leaf) & 1 == 1).collect();
            let left = paths.iter().zip(&kept).filter(|(_, kept)| **kept);
            let left = Hierarchy::from_paths(left.map(|(path, _)| path.clone()));
            assert_eq!(format!("{:?}", tree.pruned(&kept)), format!("{:?}", left.unwrap()));
        }
    }

    #[test]
    fn a_value_may_stand_above_others() {
        let tree =
            Hierarchy::from_paths([vec!["Europe", "*"], vec!["France", "Europe", "*"]]).unwrap();
        assert_eq!((tree.extent(0, 0), tree.extent(1, 1)), (1, 0));
        assert_eq!(tree.label(tree.common_ancestor(0, 1)), "Europe");
    }
}
