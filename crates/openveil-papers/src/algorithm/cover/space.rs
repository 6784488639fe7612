//! The information about quasi-identifiers that *arrange* may use: positions and extents.

use openveil_core::hierarchy::Hierarchy;
use openveil_core::table::{Column, Generalization};

/// The most borders between a node's children that are tried.
const BORDERS: usize = 16;

/// Positions of one person on every quasi-identifier; unused ones are 0.
pub(super) type Keys<const K: usize> = [u16; K];

/// The space in which people lie: the costs of cells, per quasi-identifier.
///
/// A cell of s values costs the column's weight times ln s: the width of an interval, the members
/// of a set, the leaves under the nodes of a tree. So halving a cell is worth the same whatever its
/// size, for two values as for a range of a hundred (the divergence of the release from the table
/// is a mean of such logarithms).
///
/// Domains beyond 65,536 values are reduced to 16 bits. Only *arrange* sees the coarser positions;
/// the release does not.
pub(super) struct CoverSpace<'a, const K: usize> {
    axes: [CoverAxis<'a>; K],
    used: usize,
    /// ln(i + 1)
    logarithms: Vec<f32>,
    /// 1 / (i + 1)
    shares: Vec<f32>,
}

/// One quasi-identifier.
#[derive(Clone, Copy, Default)]
pub(super) struct CoverAxis<'a> {
    pub(super) weight: f32,
    /// How many low bits of a code are cut off.
    shift: u32,
    last: u32,
    pub(super) cells: CellSizes<'a>,
}

/// The kind of cells that are published of an axis.
#[derive(Clone, Copy, Default)]
pub(super) enum CellSizes<'a> {
    /// An interval.
    #[default]
    Interval,
    /// The values that occur.
    Set,
    /// Nodes of a tree.
    Nodes(&'a Hierarchy),
}

impl<'a, const K: usize> CoverSpace<'a, K> {
    pub(super) fn new(columns: &'a [Column]) -> Self {
        let mut axes = [CoverAxis::default(); K];
        let mut widest = 0;
        for (axis, column) in axes.iter_mut().zip(columns) {
            let full = column.domain().full_extent();
            widest = widest.max(full);
            *axis = CoverAxis {
                weight: column.weight() as f32,
                shift: (u32::BITS - full.leading_zeros()).saturating_sub(u16::BITS),
                last: full,
                cells: match column.domain().generalization() {
                    Generalization::Interval => CellSizes::Interval,
                    Generalization::Set => CellSizes::Set,
                    Generalization::Tree(tree) => CellSizes::Nodes(tree),
                },
            };
        }
        let widest = widest.min(u16::MAX.into());
        let values = (0..=widest).map(|steps| steps as f32 + 1.0);
        Self {
            axes,
            used: columns.len(),
            logarithms: values.clone().map(f32::ln).collect(),
            shares: values.map(f32::recip).collect(),
        }
    }

    /// The quasi-identifiers in use.
    pub(super) fn axes(&self) -> &[CoverAxis<'a>] {
        &self.axes[..self.used]
    }

    /// The position of a code.
    #[inline]
    pub(super) fn key(&self, axis: usize, code: u32) -> u16 {
        (code >> self.axes[axis].shift) as u16
    }

    /// The cost of a cell of `values` values on an axis, at most the size of its domain.
    #[inline]
    pub(super) fn cost(&self, axis: usize, values: usize) -> f32 {
        self.axes[axis].weight * self.logarithms[values - 1]
    }

    /// The share of each value in a cell of `values` values.
    #[inline]
    pub(super) fn share(&self, values: usize) -> f32 {
        self.shares[values - 1]
    }
}

impl CoverAxis<'_> {
    /// How many values the cell of some ascending positions has.
    pub(super) fn values(&self, keys: &[u16]) -> usize {
        let (low, high) = (keys[0], keys[keys.len() - 1]);
        match self.cells {
            CellSizes::Interval => usize::from(high - low) + 1,
            CellSizes::Set => 1 + keys.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            CellSizes::Nodes(_) => {
                let mut values = 0;
                self.spans(keys, |low, high| values += usize::from(high - low) + 1);
                values
            }
        }
    }

    /// The positions that the cell of some positions, ascending, covers, stretch by stretch. For a
    /// tree these are the leaves under the nodes that make up the cell: for each child of the
    /// lowest node above all positions, the lowest node above the positions under that child.
    pub(super) fn spans(&self, keys: &[u16], mut span: impl FnMut(u16, u16)) {
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        match self.cells {
            CellSizes::Interval => span(first, last),
            CellSizes::Set => keys.chunk_by(|a, b| a == b).for_each(|same| span(same[0], same[0])),
            CellSizes::Nodes(tree) => {
                let top = tree.common_ancestor(self.first_code(first), self.last_code(last));
                let mut rest = keys;
                while let Some(&key) = rest.first() {
                    let begin = self.first_code(key);
                    let end = tree.end_of_child(top, begin);
                    let beyond = rest.partition_point(|&key| self.first_code(key) <= end);
                    let inside = self.last_code(rest[beyond - 1]).min(end.max(begin));
                    let node = tree.common_ancestor(begin, inside);
                    let (low, high) = tree.leaf_range(node);
                    span((low >> self.shift) as u16, (high >> self.shift) as u16);
                    rest = &rest[beyond..];
                }
            }
        }
    }

    /// The number of positions.
    pub(super) fn positions(&self) -> usize {
        usize::from(self.last_key()) + 1
    }

    /// The last position.
    pub(super) fn last_key(&self) -> u16 {
        (self.last >> self.shift) as u16
    }

    fn first_code(&self, key: u16) -> u32 {
        u32::from(key) << self.shift
    }

    fn last_code(&self, key: u16) -> u32 {
        (((u32::from(key) + 1) << self.shift) - 1).min(self.last)
    }

    /// The first [`BORDERS`] positions in `low + 1..=high` at which another subtree of the lowest
    /// node above both begins. Cuts at these positions pay on an axis with a tree. Empty on other
    /// axes.
    pub(super) fn borders(&self, low: u16, high: u16) -> Vec<u16> {
        let CellSizes::Nodes(tree) = self.cells else {
            return Vec::new();
        };
        let (first, last) = (self.first_code(low), self.last_code(high));
        let node = tree.common_ancestor(first, last);
        let mut borders = Vec::new();
        let mut begin = tree.end_of_child(node, first) + 1;
        while begin <= last && borders.len() < BORDERS {
            let border = (begin >> self.shift) as u16;
            if border > *borders.last().unwrap_or(&low) {
                borders.push(border);
            }
            begin = tree.end_of_child(node, begin) + 1;
        }
        borders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::table::Domain;
    use proptest::prelude::*;

    /// Up to 60 leaves in up to three levels; some leaves are above others.
    fn tree() -> impl Strategy<Value = Hierarchy> {
        prop::collection::vec((0u32..4, 0u32..6, 0u32..8), 1..60).prop_map(|leaves| {
            Hierarchy::from_paths(leaves.iter().enumerate().map(|(leaf, (level, group, above))| {
                let own = vec![format!("leaf {leaf}")];
                let above = match level {
                    0 => vec![],
                    1 => vec![format!("group {group}")],
                    2 => vec![format!("low {above}"), format!("high {}", above / 3)],
                    _ => vec![format!("leaf {}", leaf / 4 * 4)],
                };
                // A leaf that has others below it is directly under the root.
                let above = if leaf % 4 == 0 { vec![] } else { above };
                [own, above, vec!["*".to_owned()]].concat()
            }))
            .unwrap()
        })
    }

    fn axis(tree: &Hierarchy, shift: u32) -> CoverAxis<'_> {
        CoverAxis {
            weight: 1.0,
            shift,
            last: tree.leaf_count() as u32 - 1,
            cells: CellSizes::Nodes(tree),
        }
    }

    /// The leaves under the child of a node that contains a leaf, found by climbing.
    fn child(tree: &Hierarchy, node: u32, leaf: u32) -> (u32, u32) {
        let mut below = tree.node_of_leaf(leaf);
        if below == node {
            return (leaf, leaf);
        }
        while tree.parent(below) != Some(node) {
            below = tree.parent(below).expect("the node is above");
        }
        tree.leaf_range(below)
    }

    /// The codes of a position.
    fn codes(of: &CoverAxis<'_>, key: u16) -> (u32, u32) {
        let width = 1u32 << of.shift;
        let first = u32::from(key) * width;
        (first, (first + width - 1).min(of.last))
    }

    proptest! {
        /// By the definition, one child after the other.
        #[test]
        fn cells_cover_a_node_for_each_child(
            tree in tree(), shift in 0u32..3, keys in prop::collection::vec(any::<u16>(), 1..12),
        ) {
            let of = axis(&tree, shift);
            let mut keys: Vec<u16> = keys.into_iter().map(|key| key % (of.last_key() + 1)).collect();
            keys.sort_unstable();
            let top = tree.common_ancestor(codes(&of, keys[0]).0, codes(&of, *keys.last().unwrap()).1);
            let expected: Vec<(u16, u16)> = keys.chunk_by(|a, b| {
                let of_child = |key: u16| child(&tree, top, codes(&of, key).0);
                of_child(*a) == of_child(*b)
            }).map(|inside| {
                let begin = codes(&of, inside[0]).0;
                let end = child(&tree, top, begin).1.max(begin);
                let end = codes(&of, *inside.last().unwrap()).1.min(end);
                let (low, high) = tree.leaf_range(tree.common_ancestor(begin, end));
                ((low >> shift) as u16, (high >> shift) as u16)
            }).collect();
            let mut found = Vec::new();
            of.spans(&keys, |low, high| found.push((low, high)));
            prop_assert_eq!(&found, &expected);
            let values: usize = expected.iter().map(|(low, high)| usize::from(high - low) + 1).sum();
            prop_assert_eq!(of.values(&keys), values);
        }

        #[test]
        fn borders_are_where_children_begin(
            tree in tree(), shift in 0u32..3, a: u16, b: u16,
        ) {
            let of = axis(&tree, shift);
            let keys = [a, b].map(|key| key % (of.last_key() + 1));
            let (low, high) = (keys[0].min(keys[1]), keys[0].max(keys[1]));
            let (first, last) = (codes(&of, low).0, codes(&of, high).1);
            let node = tree.common_ancestor(first, last);
            let mut expected: Vec<u16> = (first..=last).filter(|&code| code > first && child(&tree, node, code).0 == code).map(|code| (code >> shift) as u16).collect();
            expected.retain(|&border| border > low);
            expected.dedup();
            expected.truncate(BORDERS);
            prop_assert_eq!(of.borders(low, high), expected);
        }
    }

    /// 70,000 values in 16 bits.
    #[test]
    fn wide_domains_are_cut_to_16_bits() {
        let wide = Column::new("id", vec![0, 69_999], Domain::integers(0..70_000));
        let narrow = Column::new("age", vec![0, 90], Domain::integers(0..91));
        let columns = [wide, narrow];
        let space = CoverSpace::<4>::new(&columns);
        assert_eq!((space.axes[0].shift, space.axes[1].shift), (1, 0));
        assert_eq!((space.key(0, 69_999), space.key(1, 90)), (34_999, 90));
        assert_eq!(space.axes()[0].last_key(), 34_999);
        // An interval costs as much as its positions do.
        assert_eq!(space.cost(1, 1), 0.0);
        assert_eq!(space.cost(1, 91), 91f32.ln());
    }

    #[test]
    fn sets_have_the_values_that_occur() {
        let column = Column::new("town", vec![0], Domain::unordered(["a", "b", "c"]));
        let columns = [column];
        let space = CoverSpace::<2>::new(&columns);
        assert_eq!(space.axes()[0].values(&[0, 0, 2, 2]), 2);
        assert!(space.axes()[0].borders(0, 1).is_empty());
        let mut spans = Vec::new();
        space.axes()[0].spans(&[0, 0, 2, 2], |low, high| spans.push((low, high)));
        assert_eq!(spans, [(0, 0), (2, 2)]);
        let column = Column::new("age", vec![0], Domain::integers(0..9));
        let columns = [column];
        let space = CoverSpace::<2>::new(&columns);
        assert_eq!(space.axes()[0].values(&[2, 5]), 4);
        assert_eq!((space.cost(0, 4), space.share(4)), (4f32.ln(), 0.25));
    }
}
