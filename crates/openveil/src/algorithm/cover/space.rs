//! What *arrange* may know of the quasi-identifiers: positions and extents.

use crate::hierarchy::Hierarchy;
use crate::table::{Column, Generalization};

/// Nodes with more children than this are cut like an axis without a tree.
const BORDERS: usize = 16;

/// Positions of one person on every quasi-identifier; unused ones are 0.
pub(super) type Keys<const K: usize> = [u16; K];

/// The space in which people lie: per quasi-identifier, what a cell costs.
///
/// A cell of s values costs the column's weight times ln s: the width of an interval,
/// the members of a set, the leaves under the nodes of a tree. So to halve a cell is
/// worth as much whatever its size, and two values as much as a range of a hundred
/// (the divergence of the release from the table is a mean of such logarithms).
///
/// Domains beyond 65,536 values are cut to 16 bits; only the arranging sees the
/// coarser positions, never the release.
pub(super) struct Space<'a, const K: usize> {
    axes: [Axis<'a>; K],
    used: usize,
    /// ln(i + 1)
    logarithms: Vec<f32>,
}

/// One quasi-identifier.
#[derive(Clone, Copy, Default)]
pub(super) struct Axis<'a> {
    pub(super) weight: f32,
    /// How many low bits of a code are cut off.
    shift: u32,
    last: u32,
    pub(super) cells: Cells<'a>,
}

/// What is published of an axis.
#[derive(Clone, Copy, Default)]
pub(super) enum Cells<'a> {
    /// An interval.
    #[default]
    Interval,
    /// The values that occur.
    Set,
    /// Nodes of a tree.
    Nodes(&'a Hierarchy),
}

impl<'a, const K: usize> Space<'a, K> {
    pub(super) fn of(columns: &'a [Column]) -> Self {
        let mut axes = [Axis::default(); K];
        let mut widest = 0;
        for (axis, column) in axes.iter_mut().zip(columns) {
            let full = column.domain().full_extent();
            widest = widest.max(full);
            *axis = Axis {
                weight: column.weight() as f32,
                shift: (u32::BITS - full.leading_zeros()).saturating_sub(u16::BITS),
                last: full,
                cells: match column.domain().generalization() {
                    Generalization::Interval => Cells::Interval,
                    Generalization::Set => Cells::Set,
                    Generalization::Tree(tree) => Cells::Nodes(tree),
                },
            };
        }
        let widest = widest.min(u16::MAX.into());
        Self {
            axes,
            used: columns.len(),
            logarithms: (0..=widest)
                .map(|steps| (steps as f32 + 1.0).ln())
                .collect(),
        }
    }

    /// The quasi-identifiers in use.
    pub(super) fn axes(&self) -> &[Axis<'a>] {
        &self.axes[..self.used]
    }

    /// How many low bits of a code are cut off to make a position.
    pub(super) fn shift(&self, axis: usize) -> u32 {
        self.axes[axis].shift
    }

    /// The position of a code.
    #[inline]
    pub(super) fn key(&self, axis: usize, code: u32) -> u16 {
        (code >> self.axes[axis].shift) as u16
    }

    /// What a cell of some values costs on an axis, up to the most that a domain has.
    #[inline]
    pub(super) fn cost(&self, axis: usize, values: usize) -> f32 {
        self.axes[axis].weight * self.logarithms[values - 1]
    }
}

impl Axis<'_> {
    /// How many values the cell of some positions, ascending, has.
    pub(super) fn values(&self, keys: &[u16]) -> usize {
        let (low, high) = (keys[0], keys[keys.len() - 1]);
        match self.cells {
            Cells::Interval => usize::from(high - low) + 1,
            Cells::Set => 1 + keys.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            Cells::Nodes(_) => {
                let mut values = 0;
                self.spans(keys, |low, high| values += usize::from(high - low) + 1);
                values
            }
        }
    }

    /// The positions that the cell of some positions, ascending, covers, stretch by
    /// stretch. Of a tree these are the leaves under the nodes that stand for the cell:
    /// for each child of the lowest node above all, the lowest node above those in it.
    pub(super) fn spans(&self, keys: &[u16], mut span: impl FnMut(u16, u16)) {
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        match self.cells {
            Cells::Interval => span(first, last),
            Cells::Set => keys
                .chunk_by(|a, b| a == b)
                .for_each(|same| span(same[0], same[0])),
            Cells::Nodes(tree) => {
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

    /// Whether cells are sets of positions that fit into 128 bits.
    pub(super) fn is_set_of_bits(&self) -> bool {
        matches!(self.cells, Cells::Set) && u32::from(self.last_key()) < u128::BITS
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

    /// The positions in `low + 1..=high` at which another subtree of the lowest
    /// node above both begins: the cuts that pay on an axis with a tree. Empty on
    /// other axes and under nodes with more than [`BORDERS`] children.
    pub(super) fn borders(&self, low: u16, high: u16) -> Vec<u16> {
        let Cells::Nodes(tree) = self.cells else {
            return Vec::new();
        };
        let (mut begin, last) = (self.first_code(low), self.last_code(high));
        let node = tree.common_ancestor(begin, last);
        let mut borders = Vec::new();
        while begin <= last && borders.len() <= BORDERS {
            borders.push((begin >> self.shift) as u16);
            begin = tree.end_of_child(node, begin) + 1;
        }
        borders.retain(|&border| border > low);
        if borders.len() > BORDERS {
            Vec::new()
        } else {
            borders
        }
    }
}
