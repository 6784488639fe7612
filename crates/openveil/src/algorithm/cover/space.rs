//! What *arrange* may know of the quasi-identifiers: positions and extents.

use crate::hierarchy::Hierarchy;
use crate::table::Column;

/// Nodes with more children than this are cut like an axis without a tree.
const BORDERS: usize = 16;

/// Positions of one person on every quasi-identifier; unused ones are 0.
pub(super) type Keys<const K: usize> = [u16; K];

/// The space in which people lie: per quasi-identifier, what an extent costs.
///
/// Domains beyond 65,536 values are cut to 16 bits; only the arranging sees the
/// coarser positions, never the release.
pub(super) struct Space<'a, const K: usize> {
    axes: [Axis<'a>; K],
    used: usize,
}

#[derive(Clone, Copy, Default)]
struct Axis<'a> {
    /// Cost of one step: weight over the extent of the domain.
    unit: f32,
    /// How many low bits of a code are cut off.
    shift: u32,
    last: u32,
    tree: Option<&'a Hierarchy>,
}

impl<'a, const K: usize> Space<'a, K> {
    pub(super) fn of(columns: &'a [Column]) -> Self {
        let mut axes = [Axis::default(); K];
        for (axis, column) in axes.iter_mut().zip(columns) {
            let full = column.domain().full_extent();
            *axis = Axis {
                unit: column.weight() as f32 / full.max(1) as f32,
                shift: (u32::BITS - full.leading_zeros()).saturating_sub(u16::BITS),
                last: full,
                tree: column.domain().hierarchy(),
            };
        }
        Self {
            axes,
            used: columns.len(),
        }
    }

    /// Number of quasi-identifiers in use.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// The position of a code.
    #[inline]
    pub(super) fn key(&self, axis: usize, code: u32) -> u16 {
        (code >> self.axes[axis].shift) as u16
    }

    /// What it costs a group to span the positions `low..=high` of an axis.
    #[inline]
    pub(super) fn cost(&self, axis: usize, low: u16, high: u16) -> f32 {
        let axis = &self.axes[axis];
        let steps = match axis.tree {
            None => u32::from(high - low) << axis.shift,
            Some(tree) => {
                let high = (((u32::from(high) + 1) << axis.shift) - 1).min(axis.last);
                tree.extent(u32::from(low) << axis.shift, high)
            }
        };
        axis.unit * steps as f32
    }

    /// The positions in `low + 1..=high` at which another subtree of the lowest
    /// node above both begins: the cuts that pay on an axis with a tree. Empty on
    /// other axes and under nodes with more than [`BORDERS`] children.
    pub(super) fn borders(&self, axis: usize, low: u16, high: u16) -> Vec<u16> {
        let axis = &self.axes[axis];
        let Some(tree) = axis.tree else {
            return Vec::new();
        };
        let last = (((u32::from(high) + 1) << axis.shift) - 1).min(axis.last);
        let mut begin = u32::from(low) << axis.shift;
        let node = tree.common_ancestor(begin, last);
        let mut borders = Vec::new();
        while begin <= last && borders.len() <= BORDERS {
            borders.push((begin >> axis.shift) as u16);
            begin = tree.end_of_child(node, begin) + 1;
        }
        borders.retain(|&border| border > low);
        if borders.len() > BORDERS {
            Vec::new()
        } else {
            borders
        }
    }

    /// What it costs a group to span a box: the sum over all axes.
    #[inline]
    pub(super) fn box_cost(&self, low: &Keys<K>, high: &Keys<K>) -> f32 {
        (0..self.used)
            .map(|axis| self.cost(axis, low[axis], high[axis]))
            .sum()
    }
}
