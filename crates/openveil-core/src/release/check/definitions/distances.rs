use super::logarithms;
use super::numbers::Share;
use super::{CheckedGroup, Whole};
use crate::exact::Rational;
use crate::hierarchy::Hierarchy;
use num_bigint::BigInt;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};

/// The part of a distance that depends on the table only, computed once.
///
/// With N rows of the table and n of a group, shares differ by (c·N − C·n) / (n·N). The sums are
/// over the whole numbers c·N − C·n.
pub(super) struct TableDistance<'a> {
    counts: &'a [u64],
    rows: u64,
    /// Values from the most frequent to the rarest.
    ranked: Vec<usize>,
    protected_values: usize,
}

impl<'a> TableDistance<'a> {
    pub(super) fn new(whole: &Whole<'a>) -> Self {
        let mut ranked = whole.values();
        ranked.sort_by_key(|&value| Reverse(whole.counts[value]));
        Self {
            counts: whole.counts,
            rows: whole.rows(),
            protected_values: ranked.iter().filter(|&&v| whole.protected[v]).count(),
            ranked,
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of protected values that occur.
    pub(super) fn protected_values(&self) -> usize {
        self.protected_values
    }

    pub(super) fn share(&self, value: usize) -> Share {
        (self.counts[value].into(), self.rows.into())
    }

    /// c·N − C·n of the values in the group. All other values have −C·n.
    fn surplus<'b>(&'b self, group: &'b CheckedGroup<'_>) -> impl Iterator<Item = i128> + 'b {
        group
            .counts
            .iter()
            .map(|&(value, count)| surplus(count, self.rows, self.counts[value], group.size))
    }

    /// Rows of the table with values that the group has.
    fn shared_rows(&self, group: &CheckedGroup<'_>) -> u64 {
        group.counts.iter().map(|entry| self.counts[entry.0]).sum()
    }

    /// Half the sum of the differences.
    pub(super) fn total_variation(&self, group: &CheckedGroup<'_>) -> Share {
        let own: u128 = self.surplus(group).map(i128::unsigned_abs).sum();
        let others = product(self.rows - self.shared_rows(group), group.size);
        (own + others, 2 * product(self.rows, group.size))
    }

    /// The greatest difference. Among the values that the group lacks, the most frequent one
    /// differs most.
    pub(super) fn maximum(&self, group: &CheckedGroup<'_>) -> Share {
        let own = self.surplus(group).map(i128::unsigned_abs).max();
        let other = self
            .ranked
            .iter()
            .find(|&&value| group.count(value) == 0)
            .map(|&value| product(self.counts[value], group.size));
        let greatest = own.max(other).unwrap_or(0);
        (greatest, product(self.rows, group.size))
    }

    /// Whether the root of the summed squares is at most `bound`.
    pub(super) fn is_euclidean_within(&self, group: &CheckedGroup<'_>, bound: Rational) -> bool {
        let square = |number: BigInt| &number * &number;
        let squares = |counts: &mut dyn Iterator<Item = u64>| -> u128 {
            counts.map(|count| product(count, count)).sum()
        };
        let own: BigInt = self.surplus(group).map(|s| square(s.into())).sum();
        let all = squares(&mut self.counts.iter().copied());
        let shared = squares(&mut group.counts.iter().map(|entry| self.counts[entry.0]));
        let others = square(group.size.into()) * (all - shared);
        let scale = square(product(self.rows, group.size).into());
        (own + others) * square((*bound.denom()).into()) <= scale * square((*bound.numer()).into())
    }

    /// Whether Σ p ln(p/q) ≤ bound: Σ c (ln c − ln C) + n (ln N − ln n) ≤ n · bound.
    pub(super) fn diverges_by_at_most(&self, group: &CheckedGroup<'_>, bound: Rational) -> bool {
        let n = i128::from(group.size);
        let mut terms = vec![(n, self.rows), (-n, group.size)];
        for &(value, count) in group.counts {
            let c = i128::from(count);
            terms.extend([(c, count), (-c, self.counts[value])]);
        }
        let limit = n * i128::from(*bound.numer());
        logarithms::sign(&terms, (-limit, (*bound.denom()).into())) != Ordering::Greater
    }
}

pub(super) fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// c·N − C·n. Row numbers have 32 bits, so sums do not overflow.
pub(super) fn surplus(count: u64, rows: u64, in_table: u64, size: u64) -> i128 {
    product(count, rows) as i128 - product(in_table, size) as i128
}

/// The order of the values that occur.
pub(super) struct Ranks {
    values: Vec<usize>,
    /// Rows of the table up to each rank: Q.
    upto: Vec<u64>,
    /// Sums of Q before each rank.
    sums: Vec<u128>,
}

impl Ranks {
    pub(super) fn new(whole: &Whole<'_>) -> Self {
        let values = whole.values();
        let (mut upto, mut sums, mut rows) = (Vec::new(), vec![0], 0);
        for (rank, &value) in values.iter().enumerate() {
            rows += whole.counts[value];
            upto.push(rows);
            sums.push(sums[rank] + u128::from(rows));
        }
        Self { values, upto, sums }
    }

    /// The earth mover's distance for ranks: 1/(m − 1) · Σᵢ |Pᵢ − Qᵢ|, P and Q the
    /// shares up to rank i.
    pub(super) fn distance(&self, group: &CheckedGroup<'_>) -> Share {
        let (mut sum, mut start, mut held) = (0, 0, 0);
        for &(value, count) in group.counts {
            let rank = self.values.partition_point(|&other| other < value);
            sum += self.gap(start, rank, held, group.size);
            (start, held) = (rank, held + count);
        }
        sum += self.gap(start, self.values.len(), held, group.size);
        let steps = self.values.len().saturating_sub(1).max(1) as u128;
        (sum, product(self.rows(), group.size) * steps)
    }

    fn rows(&self) -> u64 {
        self.upto.last().copied().unwrap_or(0)
    }

    /// Σ |N·held − n·Q| over the ranks from `start` to before `end`, in which `held`, the group's
    /// rows up to the rank, stays the same. Q ascends, so the sign changes once.
    fn gap(&self, start: usize, end: usize, held: u64, size: u64) -> u128 {
        let own = product(held, self.rows());
        let turn = start + self.upto[start..end].partition_point(|&upto| product(upto, size) < own);
        let of_table =
            |from: usize, to: usize| (self.sums[to] - self.sums[from]) * u128::from(size);
        let of_group = |from: usize, to: usize| own * (to - from) as u128;
        let surplus = of_group(start, turn) - of_table(start, turn);
        surplus + of_table(turn, end) - of_group(turn, end)
    }
}

/// The hierarchy of the sensitive column with the table's rows in it.
pub(super) struct RowTree {
    nodes: Vec<CheckedNode>,
    /// The node of each value.
    node_of: Vec<usize>,
    rows: u64,
}

#[derive(Clone, Default)]
struct CheckedNode {
    parent: Option<usize>,
    height: u64,
    /// Rows of the table at the node and below.
    rows: u64,
}

/// The rows and the surplus of a group at a node and below it.
#[derive(Default)]
struct NodeSurplus {
    rows: u64,
    /// The total surplus of the children with a positive surplus.
    positive: i128,
}

impl RowTree {
    /// `None` unless there is a hierarchy with every value.
    pub(super) fn new(whole: &Whole<'_>) -> Option<Self> {
        let hierarchy = whole.sensitive.hierarchy()?;
        let mut nodes = shape(hierarchy);
        let leaves: HashMap<&str, u32> = hierarchy.leaf_labels().zip(0..).collect();
        let mut node_of = vec![0; whole.counts.len()];
        for value in whole.values() {
            let leaf = *leaves.get(&*whole.label(value))?;
            node_of[value] = hierarchy.common_ancestor(leaf, leaf) as usize;
            nodes[node_of[value]].rows += whole.counts[value];
        }
        // Children follow their parents.
        for node in (0..nodes.len()).rev() {
            let rows = nodes[node].rows;
            if let Some(parent) = nodes[node].parent {
                nodes[parent].rows += rows;
            }
        }
        let rows = whole.rows();
        Some(Self { nodes, node_of, rows })
    }

    /// The earth mover's distance as the t-closeness paper defines it: the sum over inner nodes of
    /// height/H · min(pos_extra, neg_extra), of the children. A value at an inner node counts as a
    /// separate child. If the group has no rows below a node, no child has a surplus, and nothing
    /// moves.
    pub(super) fn distance(&self, group: &CheckedGroup<'_>, table: &TableDistance<'_>) -> Share {
        let mut held: BTreeMap<usize, NodeSurplus> = BTreeMap::new();
        for (&(value, count), surplus) in group.counts.iter().zip(table.surplus(group)) {
            let at = held.entry(self.node_of[value]).or_default();
            at.rows += count;
            at.positive += surplus.max(0);
        }
        let mut cost = 0;
        // Last node first, because children follow their parents.
        while let Some((number, NodeSurplus { rows, positive })) = held.pop_last() {
            let node = &self.nodes[number];
            let extra = surplus(rows, self.rows, node.rows, group.size);
            let negative = positive - extra;
            cost += positive.min(negative).unsigned_abs() * u128::from(node.height);
            if let Some(parent) = node.parent {
                let above = held.entry(parent).or_default();
                above.rows += rows;
                above.positive += extra.max(0);
            }
        }
        let greatest = u128::from(self.nodes[0].height.max(1));
        (cost, product(self.rows, group.size) * greatest)
    }
}

/// Parents and heights: a node is one higher than its highest child.
fn shape(hierarchy: &Hierarchy) -> Vec<CheckedNode> {
    let mut nodes = vec![CheckedNode::default(); hierarchy.node_count()];
    for number in (0..nodes.len()).rev() {
        nodes[number].parent = hierarchy.parent(number as u32).map(|node| node as usize);
        if let Some(parent) = nodes[number].parent {
            nodes[parent].height = nodes[parent].height.max(nodes[number].height + 1);
        }
    }
    nodes
}
