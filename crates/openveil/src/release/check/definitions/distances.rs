use super::powers::compare_with_exp;
use super::{Group, Whole, half};
use crate::exact::Fraction;
use crate::hierarchy::Hierarchy;
use num_bigint::BigInt;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// Every value's share in the group less its share in the whole table.
fn differences(group: &Group<'_>, whole: &Whole<'_>) -> Vec<Fraction> {
    let difference = |value: usize| group.share(value) - whole.share(value);
    whole.values().into_iter().map(difference).collect()
}

pub(super) fn total_variation(group: &Group<'_>, whole: &Whole<'_>) -> Fraction {
    let sum: Fraction = differences(group, whole).iter().map(Signed::abs).sum();
    sum * half()
}

pub(super) fn maximum(group: &Group<'_>, whole: &Whole<'_>) -> Fraction {
    let differences = differences(group, whole);
    let greatest = differences.iter().map(Signed::abs).max();
    greatest.unwrap_or_else(Fraction::zero)
}

/// The square of the Euclidean distance.
pub(super) fn squared(group: &Group<'_>, whole: &Whole<'_>) -> Fraction {
    let differences = differences(group, whole);
    differences
        .iter()
        .map(|difference| difference * difference)
        .sum()
}

/// The earth mover's distance for ranks: 1/(m − 1) · Σᵢ |Σ_{j ≤ i} (p_j − q_j)|.
pub(super) fn ordered(group: &Group<'_>, whole: &Whole<'_>) -> Fraction {
    let differences = differences(group, whole);
    let upto = |i: usize| differences[..=i].iter().sum::<Fraction>().abs();
    let sum: Fraction = (0..differences.len()).map(upto).sum();
    match differences.len() {
        1 => Fraction::zero(),
        m => sum / BigInt::from(m - 1),
    }
}

/// The earth mover's distance in a hierarchy, as the t-closeness paper has it: the
/// sum over inner nodes of height/H · min(pos_extra, neg_extra). `None` without a
/// hierarchy that has every value.
pub(super) fn hierarchical(group: &Group<'_>, whole: &Whole<'_>) -> Option<Fraction> {
    let hierarchy = whole.hierarchy()?;
    let mut nodes: Vec<Node> = (0..hierarchy.node_count())
        .map(|_| Node::default())
        .collect();
    let labels: Vec<&str> = hierarchy.leaf_labels().collect();
    let values = whole.values();
    for (value, difference) in values.iter().zip(differences(group, whole)) {
        let label = whole.label(*value);
        let leaf = labels.iter().position(|leaf| *leaf == label)?;
        let node = deepest(hierarchy, leaf as u32);
        nodes[node].own = Some(difference);
    }
    // Children follow their parents.
    for node in (0..nodes.len()).rev() {
        nodes[node].close();
        if let Some(parent) = hierarchy.parent(node as u32) {
            let (extra, height) = (nodes[node].extra.clone(), nodes[node].height);
            nodes[parent as usize].children.push((extra, height));
        }
    }
    let root = BigInt::from(nodes[0].height.max(1));
    let cost = nodes
        .iter()
        .map(|node| &node.moved * BigInt::from(node.height));
    Some(cost.sum::<Fraction>() / root)
}

/// The node that a leaf's value stands at.
fn deepest(hierarchy: &Hierarchy, leaf: u32) -> usize {
    hierarchy.common_ancestor(leaf, leaf) as usize
}

/// A node of the hierarchy, from its children upwards.
#[derive(Default)]
struct Node {
    /// What the value at the node itself has too much.
    own: Option<Fraction>,
    /// What lies below each child has too much, and the child's height.
    children: Vec<(Fraction, u64)>,
    height: u64,
    extra: Fraction,
    /// What moves between the children: min(pos_extra, neg_extra).
    moved: Fraction,
}

impl Node {
    /// Fills in what follows from the children. A value at a node with children is
    /// a child of its own.
    fn close(&mut self) {
        let own = self.own.take().map(|extra| (extra, 0));
        match (own, self.children.is_empty()) {
            (Some((extra, _)), true) => {
                self.extra = extra;
                return;
            }
            (own, _) => self.children.extend(own),
        }
        let heights = self.children.iter().map(|child| child.1);
        self.height = heights.max().map_or(0, |height| height + 1);
        self.extra = self.children.iter().map(|child| &child.0).sum();
        let part = |positive: bool| {
            let extras = self.children.iter().map(|child| &child.0);
            let chosen = extras.filter(|extra| extra.is_positive() == positive);
            chosen.map(Signed::abs).sum::<Fraction>()
        };
        self.moved = part(true).min(part(false));
    }
}

/// Whether Σ p ln(p/q) ≤ bound: ∏ (p/q)^count ≤ e^(size · bound).
pub(super) fn diverges_by_at_most(group: &Group<'_>, whole: &Whole<'_>, bound: &Fraction) -> bool {
    let ratios = group
        .counts
        .iter()
        .map(|&(value, count)| (group.share(value) / whole.share(value), count));
    let ratios: Vec<(Fraction, u64)> = ratios.collect();
    let summand = |(ratio, count): &(Fraction, u64)| {
        let ratio = ratio.to_f64().unwrap_or(f64::NAN);
        *count as f64 * ratio.ln()
    };
    let (sum, limit) = (
        ratios.iter().map(summand).sum::<f64>(),
        group.size as f64 * bound.to_f64().unwrap_or(f64::NAN),
    );
    let scale: f64 = ratios.iter().map(summand).map(f64::abs).sum::<f64>() + limit;
    if (sum - limit).abs() > 1e-6 * scale {
        return sum < limit;
    }
    // Close to the bound, where powers are worth their price.
    let product = ratios
        .iter()
        .fold(Fraction::one(), |product, (ratio, count)| {
            let power = |part: &BigInt| Pow::pow(part, *count);
            product * Fraction::new(power(ratio.numer()), power(ratio.denom()))
        });
    compare_with_exp(&product, &(bound * BigInt::from(group.size))) != Ordering::Greater
}
