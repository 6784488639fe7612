use super::tree::{GroundTree, Masses};
use super::{CountedGroup, GroupCounts, Knowledge};

/// t of t-closeness: the largest earth mover's distance from a group to the whole
/// table, for each ground distance. N. Li, T. Li, S. Venkatasubramanian (2007).
///
/// Between 0 and 1. Every distance is computed in integers and rounded once.
#[derive(Debug, Clone, PartialEq)]
pub struct LargestDistance {
    /// With all values equally far apart.
    pub equal: f64,
    /// With values apart by their number of steps in the order, if they have one.
    pub ordered: Option<f64>,
    /// With values apart by the height of their common ancestor, if there is a tree.
    pub hierarchical: Option<f64>,
    /// A buffer for the nodes of one group.
    touched: Vec<(u32, u64)>,
}

/// The distribution that groups are compared with, and its ground distances.
pub(super) struct WholeDistribution<'a> {
    whole: &'a [u32],
    rows: u64,
    order: Option<ValueOrder>,
    tree: Option<(&'a GroundTree, Masses)>,
}

impl<'a> WholeDistribution<'a> {
    pub(super) fn new(counts: &'a GroupCounts, knowledge: &'a Knowledge) -> Self {
        let whole = counts.whole();
        Self {
            whole,
            rows: counts.rows(),
            order: knowledge.ordered.then(|| ValueOrder::new(whole)),
            tree: knowledge.tree.as_ref().map(|tree: &'a GroundTree| (tree, tree.masses(whole))),
        }
    }
}

impl LargestDistance {
    /// The closeness of no groups.
    pub(super) fn none(ground: &WholeDistribution<'_>) -> Self {
        Self {
            equal: 0.0,
            ordered: ground.order.as_ref().map(|_| 0.0),
            hierarchical: ground.tree.as_ref().map(|_| 0.0),
            touched: Vec::new(),
        }
    }

    /// Adds a group.
    pub(super) fn see(&mut self, group: &CountedGroup<'_>, ground: &WholeDistribution<'_>) {
        self.equal = self.equal.max(equal(group, ground));
        if let (Some(worst), Some(order)) = (&mut self.ordered, &ground.order) {
            *worst = worst.max(order.distance(group, ground.rows));
        }
        if let (Some(worst), Some((tree, masses))) = (&mut self.hierarchical, &ground.tree) {
            let distance = tree.distance(masses, group, ground.rows, &mut self.touched);
            *worst = worst.max(distance);
        }
    }

    /// The worse of both.
    pub(super) fn or(mut self, other: Self) -> Self {
        let larger = |(one, other): (f64, f64)| one.max(other);
        self.equal = self.equal.max(other.equal);
        self.ordered = self.ordered.zip(other.ordered).map(larger);
        self.hierarchical = self.hierarchical.zip(other.hierarchical).map(larger);
        self
    }
}

/// Half the sum of all differences: the shares above those of the whole table.
fn equal(group: &CountedGroup<'_>, ground: &WholeDistribution<'_>) -> f64 {
    let size = u64::from(group.size());
    let excess = |&(value, count): &(u32, u32)| {
        let expected = u64::from(ground.whole[value as usize]) * size;
        u128::from((u64::from(count) * ground.rows).saturating_sub(expected))
    };
    let excess: u128 = group.entries().iter().map(excess).sum();
    excess as f64 / (u128::from(size) * u128::from(ground.rows)) as f64
}

/// The whole table's values in their order.
struct ValueOrder {
    /// Rows with this value or a lower one.
    up_to: Vec<u64>,
    /// `sums[i]`: the sum of `up_to[..i]`.
    sums: Vec<u128>,
}

impl ValueOrder {
    fn new(whole: &[u32]) -> Self {
        let running = |total: &mut u64, &count: &u32| {
            *total += u64::from(count);
            Some(*total)
        };
        let up_to: Vec<u64> = whole.iter().scan(0, running).collect();
        let mut sums = vec![0];
        for &rows in &up_to {
            sums.push(sums[sums.len() - 1] + u128::from(rows));
        }
        Self { up_to, sums }
    }

    /// The sum of |Q(i) − P(i)| over all values but the last, divided by their number. O(entries ·
    /// log values): between two entries Q is constant.
    fn distance(&self, group: &CountedGroup<'_>, rows: u64) -> f64 {
        let values = self.up_to.len();
        if values < 2 {
            return 0.0;
        }
        let size = u64::from(group.size());
        let (mut from, mut below, mut work) = (0, 0u64, 0u128);
        for &(value, count) in group.entries() {
            work += self.work(from, value as usize, below * rows, size);
            from = value as usize;
            below += u64::from(count);
        }
        work += self.work(from, values, below * rows, size);
        let scale = u128::from(size) * u128::from(rows) * (values as u128 - 1);
        work as f64 / scale as f64
    }

    /// The sum of |`level` − P(i) · `size`| for i in `from..to`.
    fn work(&self, from: usize, to: usize, level: u64, size: u64) -> u128 {
        let (level, size) = (u128::from(level), u128::from(size));
        let lower = self.up_to[from..to].partition_point(|&rows| u128::from(rows) * size < level);
        let turn = from + lower;
        let sum = |from: usize, to: usize| (self.sums[to] - self.sums[from]) * size;
        let (above, under) = ((to - turn) as u128, lower as u128);
        under * level - sum(from, turn) + sum(turn, to) - above * level
    }
}
