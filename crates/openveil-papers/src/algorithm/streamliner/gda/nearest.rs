//! Finds the group that is nearest to a left-over.

use super::average::Average;
use super::clusters::Clusters;
use rayon::prelude::*;

const NONE: u32 = u32::MAX;

/// Groups, some of which are open to choice, under a tree with lower bounds of the distance to the
/// groups of each section.
///
/// The average distance of a rank to a group is at least its distance to the group's average, and
/// at least the group's *spread*: its average distance to its own median. Sections consist of
/// groups with similar averages. Groups that change keep their place, and the bounds of sections
/// are updated.
pub(super) struct Nearest {
    leaves: Vec<Leaf>,
    /// The leaf of each group.
    leaf_of: Vec<u32>,
    /// Node i is the parent of nodes 2i and 2i + 1; the leaves' nodes come last.
    nodes: Vec<OpenGroups>,
}

#[derive(Clone, Copy)]
struct Leaf {
    group: u32,
    mean: Average,
    spread: Average,
}

/// The open groups below a node, as leaves except for `oldest`.
#[derive(Clone, Copy)]
struct OpenGroups {
    /// The leaf of least spread; none if no group is open.
    tightest: u32,
    /// The leaf of least average.
    lowest: u32,
    /// The leaf of greatest average.
    highest: u32,
    /// The group formed first.
    oldest: u32,
}

const CLOSED: OpenGroups = OpenGroups { tightest: NONE, lowest: NONE, highest: NONE, oldest: NONE };

/// The bound that a group must undercut: a distance, then the order of forming.
type DistanceBound = (Average, u32);

impl Nearest {
    /// Makes a tree over all groups, none of them open. O(n log n).
    pub(super) fn new(clusters: &Clusters<'_>) -> Self {
        let standing: Vec<u32> = clusters.standing().collect();
        let mut leaves: Vec<Leaf> =
            standing.into_par_iter().map(|group| Leaf::new(clusters, group)).collect();
        leaves.par_sort_unstable_by_key(|leaf| (leaf.mean, leaf.group));
        let mut leaf_of = vec![NONE; leaves.len()];
        for (place, leaf) in leaves.iter().enumerate() {
            leaf_of[leaf.group as usize] = place as u32;
        }
        Self { nodes: vec![CLOSED; 2 * leaves.len().next_power_of_two()], leaves, leaf_of }
    }

    /// Opens some groups and closes all others, in O(groups).
    pub(super) fn open_only(&mut self, is_open: impl Fn(u32) -> bool) {
        let width = self.width();
        for place in 0..self.leaves.len() {
            self.nodes[width + place] = if is_open(self.leaves[place].group) {
                self.open_leaf(place as u32)
            } else {
                CLOSED
            };
        }
        for node in (1..width).rev() {
            self.nodes[node] = self.joined(node);
        }
    }

    /// Closes a group, in O(log groups).
    pub(super) fn close(&mut self, group: u32) {
        self.set(self.leaf_of[group as usize], CLOSED);
    }

    /// Updates a closed group that has changed. O(its rows).
    pub(super) fn update(&mut self, clusters: &Clusters<'_>, group: u32) {
        let place = self.leaf_of[group as usize];
        self.leaves[place as usize] = Leaf::new(clusters, group);
    }

    /// Opens a group, in O(log groups).
    pub(super) fn open(&mut self, group: u32) {
        let place = self.leaf_of[group as usize];
        self.set(place, self.open_leaf(place));
    }

    /// Returns the open group with the least average distance to a rank; ties: the group formed
    /// first.
    pub(super) fn find(&self, clusters: &Clusters<'_>, rank: u64) -> Option<u32> {
        let mut best = None;
        if let Some(bound) = self.bound(1, rank) {
            self.search(1, bound, clusters, rank, &mut best);
        }
        best.map(|(_, group)| group)
    }

    /// Searches below a node, the more promising half first: of many equally near groups, the
    /// oldest is then found at once.
    fn search(
        &self,
        node: usize,
        bound: DistanceBound,
        clusters: &Clusters<'_>,
        rank: u64,
        best: &mut Option<DistanceBound>,
    ) {
        if best.is_some_and(|best| bound >= best) {
            return;
        }
        if node >= self.width() {
            let group = self.leaves[node - self.width()].group;
            let found = (clusters.distance(group, rank), group);
            if best.is_none_or(|best| found < best) {
                *best = Some(found);
            }
            return;
        }
        let mut halves = [2 * node, 2 * node + 1].map(|half| (self.bound(half, rank), half));
        halves.sort_unstable();
        for (bound, half) in halves {
            if let Some(bound) = bound {
                self.search(half, bound, clusters, rank, best);
            }
        }
    }

    /// Returns a lower bound of every open group below a node; none if none is open.
    fn bound(&self, node: usize, rank: u64) -> Option<DistanceBound> {
        let node = self.nodes[node];
        let spread = self.leaves.get(node.tightest as usize)?.spread;
        let lowest = self.leaves[node.lowest as usize].mean;
        let highest = self.leaves[node.highest as usize].mean;
        let outside = if lowest.exceeds(rank) {
            lowest.distance(rank)
        } else if highest.exceeds(rank) {
            Average::ZERO
        } else {
            highest.distance(rank)
        };
        Some((outside.max(spread), node.oldest))
    }

    fn open_leaf(&self, place: u32) -> OpenGroups {
        OpenGroups {
            tightest: place,
            lowest: place,
            highest: place,
            oldest: self.leaves[place as usize].group,
        }
    }

    fn set(&mut self, place: u32, leaf: OpenGroups) {
        let mut node = self.width() + place as usize;
        self.nodes[node] = leaf;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.joined(node);
        }
    }

    fn joined(&self, node: usize) -> OpenGroups {
        let (left, right) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        if left.tightest == NONE {
            return right;
        }
        if right.tightest == NONE {
            return left;
        }
        let leaf = |place: u32| &self.leaves[place as usize];
        let pick = |takes_right: bool, left, right| if takes_right { right } else { left };
        let tighter = leaf(right.tightest).spread < leaf(left.tightest).spread;
        let lower = leaf(right.lowest).mean < leaf(left.lowest).mean;
        let higher = leaf(right.highest).mean > leaf(left.highest).mean;
        OpenGroups {
            tightest: pick(tighter, left.tightest, right.tightest),
            lowest: pick(lower, left.lowest, right.lowest),
            highest: pick(higher, left.highest, right.highest),
            oldest: left.oldest.min(right.oldest),
        }
    }

    fn width(&self) -> usize {
        self.nodes.len() / 2
    }
}

impl Leaf {
    fn new(clusters: &Clusters<'_>, group: u32) -> Self {
        Self { group, mean: clusters.mean(group), spread: clusters.spread(group) }
    }
}
