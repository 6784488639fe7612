//! Do the published cells describe their people?

use super::Violation;
use crate::hierarchy::Hierarchy;
use crate::release::{Cells, Content};
use crate::table::{Column, Groups, View};

/// Every cell says exactly what its rows need, no less and no more.
pub(super) fn check_cells(
    release: &Content,
    column: &Column,
    cells: &Cells,
    membership: &Groups,
) -> Result<(), Violation> {
    let tree = column.domain().hierarchy().map(Tree::of);
    let mut codes: Vec<u32> = Vec::new();
    for (group, rows) in membership.iter().enumerate() {
        codes.clear();
        codes.extend(rows.iter().map(|&row| column.codes()[row as usize]));
        codes.sort_unstable();
        let (least, greatest) = (codes[0], codes[codes.len() - 1]);
        let describes = match cells {
            Cells::Intervals(bounds) => bounds[group] == (least, greatest),
            Cells::Nodes(nodes) => {
                let (range, node) = nodes[group];
                tree.as_ref()
                    .is_some_and(|tree| tree.is_lowest_above(node, range, least, greatest))
            }
            Cells::Sets { .. } => {
                codes.dedup();
                cells.members(group) == codes
            }
            Cells::Exact(exact) => {
                let mut published = exact[release.group_rows(group)].to_vec();
                published.sort_unstable();
                published == codes
            }
        };
        if !describes {
            return Err(Violation::Cell {
                group: group + 1,
                column: column.name().to_owned(),
            });
        }
    }
    Ok(())
}

/// A tree as the check sees it: what lies right under each node.
struct Tree<'a> {
    hierarchy: &'a Hierarchy,
    labels: Vec<&'a str>,
    /// Leaf ranges of the children of each node, in leaf order.
    children: Vec<Vec<(u32, u32)>>,
}

impl<'a> Tree<'a> {
    fn of(hierarchy: &'a Hierarchy) -> Self {
        let mut children = vec![Vec::new(); hierarchy.node_count()];
        for node in 0..hierarchy.node_count() as u32 {
            if let Some(parent) = hierarchy.parent(node) {
                children[parent as usize].push(hierarchy.leaf_range(node));
            }
        }
        Self {
            hierarchy,
            labels: hierarchy.leaf_labels().collect(),
            children,
        }
    }

    /// Whether a node covers both leaves and none of its children does.
    fn is_lowest_above(&self, node: u32, range: (u32, u32), least: u32, greatest: u32) -> bool {
        let known = (node as usize) < self.children.len();
        if !known || self.hierarchy.leaf_range(node) != range {
            return false;
        }
        if least == greatest {
            return self.hierarchy.label(node) == self.labels[least as usize];
        }
        let children = &self.children[node as usize];
        let next = children.partition_point(|&(first, _)| first <= least);
        let below = next.checked_sub(1).map(|child| children[child]);
        range.0 <= least && greatest <= range.1 && below.is_none_or(|(_, last)| last < greatest)
    }
}

/// Exact rows are people as a whole, not a mixture of their cells.
pub(super) fn check_people(
    release: &Content,
    table: &View,
    membership: &Groups,
) -> Result<(), Violation> {
    let Some(column) = table.known().first() else {
        return Ok(());
    };
    for (group, rows) in membership.iter().enumerate() {
        let mut people: Vec<Vec<u32>> = rows
            .iter()
            .map(|&row| {
                table
                    .known()
                    .iter()
                    .map(|c| c.codes()[row as usize])
                    .collect()
            })
            .collect();
        people.sort_unstable();
        let released = release.group_rows(group).map(|row| exact_row(release, row));
        if !released.eq(people) {
            return Err(Violation::Cell {
                group: group + 1,
                column: column.name().to_owned(),
            });
        }
    }
    Ok(())
}

fn exact_row(release: &Content, row: usize) -> Vec<u32> {
    let code = |cells: &Cells| match cells {
        Cells::Exact(codes) => Some(codes[row]),
        _ => None,
    };
    release.cells().iter().filter_map(code).collect()
}
