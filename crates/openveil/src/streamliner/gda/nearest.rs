//! Which group is nearest to a left-over.

use super::average::Average;
use super::clusters::Clusters;

const NONE: u32 = u32::MAX;

/// Groups in ascending order of their average weighted rank, under a tree that
/// knows how close the groups of a section can be at best.
///
/// The average distance of a rank to a group is at least its distance to the
/// group's average, and at least the group's *spread*: its average distance to
/// its own median. Groups taken out stay out.
pub(super) struct Nearest {
    leaves: Vec<Leaf>,
    /// Node i stands above nodes 2i and 2i + 1; the leaves' nodes come last.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Leaf {
    group: u32,
    mean: Average,
    spread: Average,
}

#[derive(Clone, Copy)]
struct Node {
    /// The leaf of least spread; none if all groups below are taken out.
    tightest: u32,
    /// The group formed first.
    oldest: u32,
}

const EMPTY: Node = Node {
    tightest: NONE,
    oldest: NONE,
};

/// The group nearest to a rank.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) distance: Average,
    pub(super) group: u32,
    /// Its leaf, by which it can be taken out.
    pub(super) leaf: usize,
}

impl Found {
    /// What the nearest of several is the least of.
    pub(super) fn key(self) -> (Average, u32) {
        (self.distance, self.group)
    }
}

impl Nearest {
    /// A tree over some groups, in O(groups · log groups).
    pub(super) fn new(clusters: &Clusters<'_>, groups: impl Iterator<Item = u32>) -> Self {
        let mut scratch = Vec::new();
        let mut leaves: Vec<Leaf> = groups
            .map(|group| Leaf {
                group,
                mean: clusters.mean(group),
                spread: clusters.spread(group, &mut scratch),
            })
            .collect();
        leaves.sort_unstable_by_key(|leaf| (leaf.mean, leaf.group));
        let width = leaves.len().next_power_of_two();
        let mut tree = Self {
            nodes: vec![EMPTY; 2 * width],
            leaves,
        };
        for leaf in 0..tree.leaves.len() {
            tree.nodes[width + leaf] = Node {
                tightest: leaf as u32,
                oldest: tree.leaves[leaf].group,
            };
        }
        for node in (1..width).rev() {
            tree.nodes[node] = tree.joined(node);
        }
        tree
    }

    /// Number of groups at the start.
    pub(super) fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Takes a group out, in O(log groups).
    pub(super) fn take_out(&mut self, leaf: usize) {
        let mut node = self.width() + leaf;
        self.nodes[node] = EMPTY;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.joined(node);
        }
    }

    /// The group with the least average distance to a rank, ties by which was
    /// formed first.
    pub(super) fn find(&self, clusters: &Clusters<'_>, rank: u64) -> Option<Found> {
        let mut best = None;
        self.search(1, 0, self.width(), clusters, rank, &mut best);
        best
    }

    /// Searches the leaves `low..high` below a node, the nearer half first.
    fn search(
        &self,
        node: usize,
        low: usize,
        high: usize,
        clusters: &Clusters<'_>,
        rank: u64,
        best: &mut Option<Found>,
    ) {
        if self.nodes[node].tightest == NONE {
            return;
        }
        if let Some(found) = best
            && self.bound(node, low, high, rank) >= found.key()
        {
            return;
        }
        if high - low == 1 {
            let group = self.leaves[low].group;
            let found = Found {
                distance: clusters.distance(group, rank),
                group,
                leaf: low,
            };
            if best.is_none_or(|best| found.key() < best.key()) {
                *best = Some(found);
            }
            return;
        }
        let middle = low.midpoint(high);
        let left_first = match self.leaves.get(middle) {
            Some(leaf) => leaf.mean.exceeds(rank),
            None => true,
        };
        for left in [left_first, !left_first] {
            match left {
                true => self.search(2 * node, low, middle, clusters, rank, best),
                false => self.search(2 * node + 1, middle, high, clusters, rank, best),
            }
        }
    }

    /// No group below a node is nearer than this.
    fn bound(&self, node: usize, low: usize, high: usize, rank: u64) -> (Average, u32) {
        let Node { tightest, oldest } = self.nodes[node];
        let (first, last) = (
            self.leaves[low],
            self.leaves[high.min(self.leaves.len()) - 1],
        );
        let outside = if first.mean.exceeds(rank) {
            first.mean.distance(rank)
        } else if last.mean.exceeds(rank) {
            Average::ZERO
        } else {
            last.mean.distance(rank)
        };
        (outside.max(self.leaves[tightest as usize].spread), oldest)
    }

    fn joined(&self, node: usize) -> Node {
        let (left, right) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        if left.tightest == NONE || right.tightest == NONE {
            return if left.tightest == NONE { right } else { left };
        }
        let spread = |node: Node| self.leaves[node.tightest as usize].spread;
        Node {
            tightest: match spread(right) < spread(left) {
                true => right.tightest,
                false => left.tightest,
            },
            oldest: left.oldest.min(right.oldest),
        }
    }

    fn width(&self) -> usize {
        self.nodes.len() / 2
    }
}
