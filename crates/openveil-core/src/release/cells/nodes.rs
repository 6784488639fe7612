//! Cells of columns with a tree: the nodes that cover a group.

use crate::hierarchy::Hierarchy;

/// A node of a tree: its first and last leaf, then its number.
pub type LeafRange = ((u32, u32), u32);

/// Appends the nodes that are published for a set of leaves, ascending.
///
/// This is the lowest common ancestor. If they cover fewer leaves, it is instead the lowest common
/// ancestors inside each of its children that has members. So a group that straddles two branches
/// need not be published as the node above both. With `single` it is always the ancestor. O(members
/// · depth).
pub(super) fn covering(tree: &Hierarchy, set: &[u32], single: bool, nodes: &mut Vec<LeafRange>) {
    let node = |set: &[u32]| {
        let node = tree.common_ancestor(set[0], set[set.len() - 1]);
        (tree.leaf_range(node), node)
    };
    let above = node(set);
    let start = nodes.len();
    // A value that stands above others is a separate leaf: only its own node covers it.
    if !single && !set.iter().any(|&leaf| tree.node_of_leaf(leaf) == above.1) {
        let mut left = set;
        while let Some(&first) = left.first() {
            let end = tree.end_of_child(above.1, first);
            let (inside, after) = left.split_at(left.partition_point(|&leaf| leaf <= end));
            nodes.push(node(inside));
            left = after;
        }
    }
    let leaves = |&((first, last), _): &LeafRange| last - first + 1;
    let covered: u32 = nodes[start..].iter().map(leaves).sum();
    if nodes.len() == start || covered == leaves(&above) {
        nodes.truncate(start);
        nodes.push(above);
    }
}
