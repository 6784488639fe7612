use super::Counts;
use super::prior::Prior;
use crate::exact::{Integer, bits};
use crate::hierarchy::Hierarchy;

/// Distances between sensitive values, and the cost of turning the table's distribution into
/// another: the *earth mover's distance*.
#[derive(Debug, Clone)]
pub(super) enum Ground {
    /// Distance 1 between all values.
    Equal,
    /// The difference in rank among the values that occur.
    Ordered,
    /// The height of the common ancestor.
    Tree(TreeDistance),
}

/// Distances in a hierarchy: the height of the lowest common ancestor divided by that of the root.
/// A value has height 0, and an inner node is one above its highest child. (Li, Li,
/// Venkatasubramanian: t-closeness, 2007, section 5.)
#[derive(Debug, Clone)]
pub(super) struct TreeDistance {
    hierarchy: Hierarchy,
    /// The height of every node.
    heights: Vec<u32>,
    /// The leaf of every value.
    leaf_of: Vec<u32>,
    edges: Vec<Edge>,
}

/// An edge of the tree: the leaves below it, and how much higher its upper end is.
#[derive(Debug, Clone, Copy)]
struct Edge {
    first: u32,
    last: u32,
    height: u32,
}

impl Ground {
    /// The factor that makes distances and costs whole numbers.
    pub(super) fn scale(&self, prior: &Prior) -> u128 {
        match self {
            Self::Equal => 1,
            Self::Ordered => (prior.present().len() as u128).saturating_sub(1).max(1),
            Self::Tree(tree) => 2 * u128::from(tree.heights[0].max(1)),
        }
    }

    /// The scaled distance of two different values that occur, by position among them.
    pub(super) fn distance(&self, prior: &Prior, a: usize, b: usize) -> u128 {
        match self {
            Self::Equal => 1,
            Self::Ordered => a.abs_diff(b) as u128,
            Self::Tree(tree) => 2 * u128::from(tree.height_above(prior.present(), a, b)),
        }
    }

    /// The number of binary digits that suffices for [`Ground::cost`] and its terms.
    pub(super) fn digits(&self, prior: &Prior, counts: &Counts<'_>) -> u32 {
        let terms = prior.present().len() as u128 + 1;
        bits(counts.total()) + bits(prior.rows()) + bits(self.scale(prior)) + bits(terms) + 1
    }

    /// The least cost of turning the table's distribution into that of `counts`, times the scale
    /// and both totals.
    ///
    /// O(values that occur), in a tree O(nodes).
    pub(super) fn cost<T: Integer>(&self, prior: &Prior, counts: &Counts<'_>) -> T {
        let (here, whole) = (T::from_number(counts.total()), T::from_number(prior.rows()));
        let surplus = |count: u128, prior: u128| {
            T::from_number(count) * whole.clone() - T::from_number(prior) * here.clone()
        };
        match self {
            // The total surplus equals the total deficit, so it suffices to add up the surplus;
            // values that do not occur have none.
            Self::Equal => counts
                .entries()
                .iter()
                .map(|&(value, count)| surplus(count, prior.rows_of(value)))
                .filter(|surplus| surplus.is_positive())
                .fold(T::zero(), |sum, surplus| sum + surplus),
            // The surplus of one end passes every step on the way to the other end.
            Self::Ordered => {
                let (mut carried, mut cost) = (T::zero(), T::zero());
                for (_, count, prior) in prior.beside(counts) {
                    carried = carried + surplus(count, prior);
                    cost = cost + carried.abs();
                }
                cost
            }
            Self::Tree(tree) => tree.cost(
                prior.beside(counts).map(|(value, count, prior)| (value, surplus(count, prior))),
            ),
        }
    }
}

impl TreeDistance {
    /// Distances between values whose leaves are `leaf_of[value]`.
    pub(super) fn new(hierarchy: Hierarchy, leaf_of: Vec<u32>) -> Self {
        let heights = heights(&hierarchy);
        let edges = edges(&hierarchy, &heights);
        Self { hierarchy, heights, leaf_of, edges }
    }

    fn height_above(&self, values: &[u32], a: usize, b: usize) -> u32 {
        let leaf = |position: usize| self.leaf_of[values[position] as usize];
        let (low, high) = (leaf(a).min(leaf(b)), leaf(a).max(leaf(b)));
        self.heights[self.hierarchy.common_ancestor(low, high) as usize]
    }

    /// The sum over edges of their height times the surplus below, which passes up or down. The
    /// distance of two leaves is the length of the path between them.
    fn cost<T: Integer>(&self, surplus: impl Iterator<Item = (u32, T)>) -> T {
        let leaves = self.hierarchy.leaf_count();
        let mut before = vec![T::zero(); leaves + 1];
        for (value, surplus) in surplus {
            let place = &mut before[self.leaf_of[value as usize] as usize + 1];
            *place = place.clone() + surplus;
        }
        for leaf in 0..leaves {
            before[leaf + 1] = before[leaf + 1].clone() + before[leaf].clone();
        }
        self.edges.iter().fold(T::zero(), |cost, edge| {
            let below =
                before[edge.last as usize + 1].clone() - before[edge.first as usize].clone();
            cost + below.abs() * T::from_number(edge.height.into())
        })
    }
}

/// The node of a leaf: an inner node if a value stands above others.
fn node_of(hierarchy: &Hierarchy, leaf: u32) -> u32 {
    hierarchy.common_ancestor(leaf, leaf)
}

fn heights(hierarchy: &Hierarchy) -> Vec<u32> {
    let mut heights = vec![0; hierarchy.node_count()];
    for node in (0..hierarchy.node_count() as u32).rev() {
        if let Some(parent) = hierarchy.parent(node) {
            let above = heights[node as usize] + 1;
            heights[parent as usize] = above.max(heights[parent as usize]);
        }
    }
    heights
}

/// The tree's edges. A value that stands above others hangs below its node by a separate edge.
fn edges(hierarchy: &Hierarchy, heights: &[u32]) -> Vec<Edge> {
    let inner = (0..hierarchy.node_count() as u32).filter_map(|node| {
        let parent = hierarchy.parent(node)?;
        let (first, last) = hierarchy.leaf_range(node);
        let height = heights[parent as usize] - heights[node as usize];
        Some(Edge { first, last, height })
    });
    let values = (0..hierarchy.leaf_count() as u32).map(|leaf| Edge {
        first: leaf,
        last: leaf,
        height: heights[node_of(hierarchy, leaf) as usize],
    });
    inner.chain(values).filter(|edge| edge.height > 0).collect()
}
