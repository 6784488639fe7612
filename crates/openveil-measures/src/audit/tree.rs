use super::CountedGroup;
use openveil_core::hierarchy::Hierarchy;

/// The hierarchical ground distance: the distance of two values is the height of their lowest
/// common ancestor divided by the height of the tree.
///
/// A node's height is the length of the longest path down to a value. This is the distance in a
/// tree with an edge of half the difference in heights above every node, so earth has only one way
/// to move, and its cost is a sum over nodes.
#[derive(Debug, Clone)]
pub struct GroundTree {
    /// The node directly above each node; for the root, the root itself.
    parents: Vec<u32>,
    /// How much higher the parent is.
    steps: Vec<u64>,
    node_of_value: Vec<u32>,
    height: u64,
}

/// The distribution of the whole table's rows in a tree.
pub(super) struct Masses {
    rows: Vec<u64>,
    /// The sum of rows times steps.
    total: u128,
}

impl GroundTree {
    /// Builds a tree in which `leaf_of[value]` is the leaf of each value.
    ///
    /// # Panics
    /// If a leaf is not in the tree.
    pub fn new(hierarchy: &Hierarchy, leaf_of: &[u32]) -> Self {
        let nodes = hierarchy.node_count() as u32;
        let mut parents: Vec<u32> =
            (0..nodes).map(|node| hierarchy.parent(node).unwrap_or(0)).collect();
        // A value that stands above others gets a separate leaf.
        let leaves: Vec<u32> = (0..hierarchy.leaf_count() as u32)
            .map(|leaf| {
                let node = hierarchy.common_ancestor(leaf, leaf);
                let (first, last) = hierarchy.leaf_range(node);
                if first == last {
                    return node;
                }
                parents.push(node);
                parents.len() as u32 - 1
            })
            .collect();
        let mut heights = vec![0u64; parents.len()];
        for node in (1..parents.len()).rev() {
            let parent = parents[node] as usize;
            heights[parent] = heights[parent].max(heights[node] + 1);
        }
        Self {
            steps: parents
                .iter()
                .enumerate()
                .map(|(node, &parent)| heights[parent as usize] - heights[node])
                .collect(),
            node_of_value: leaf_of.iter().map(|&leaf| leaves[leaf as usize]).collect(),
            height: heights[0],
            parents,
        }
    }

    /// A node and all nodes above it, except the root, which has no edge above it.
    fn way_up(&self, value: u32) -> impl Iterator<Item = u32> {
        let first = self.node_of_value[value as usize];
        std::iter::successors(Some(first), |&node| Some(self.parents[node as usize]))
            .take_while(|&node| node != 0)
    }

    pub(super) fn masses(&self, whole: &[u32]) -> Masses {
        let mut rows = vec![0u64; self.parents.len()];
        for (value, &count) in (0..).zip(whole) {
            self.way_up(value).for_each(|node| rows[node as usize] += u64::from(count));
        }
        let total = rows
            .iter()
            .zip(&self.steps)
            .map(|(&rows, &step)| u128::from(rows) * u128::from(step))
            .sum();
        Masses { rows, total }
    }

    /// The earth mover's distance of a group from the whole table of `rows` rows.
    /// O(entries · depth · log).
    pub(super) fn distance(
        &self,
        masses: &Masses,
        group: &CountedGroup<'_>,
        rows: u64,
        touched: &mut Vec<(u32, u64)>,
    ) -> f64 {
        if self.height == 0 {
            return 0.0;
        }
        touched.clear();
        for &(value, count) in group.entries() {
            touched.extend(self.way_up(value).map(|node| (node, u64::from(count))));
        }
        touched.sort_unstable_by_key(|&(node, _)| node);
        let size = u128::from(group.size());
        // Starts as if the group had no rows anywhere, then corrects the nodes where it has some.
        let mut work = masses.total * size;
        for run in touched.chunk_by(|a, b| a.0 == b.0) {
            let node = run[0].0 as usize;
            let count: u64 = run.iter().map(|&(_, count)| count).sum();
            let expected = u128::from(masses.rows[node]) * size;
            let found = u128::from(count) * u128::from(rows);
            let step = u128::from(self.steps[node]);
            work = work + found.abs_diff(expected) * step - expected * step;
        }
        let scale = 2 * u128::from(self.height) * size * u128::from(rows);
        work as f64 / scale as f64
    }
}
