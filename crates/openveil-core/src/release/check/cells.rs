//! Checks that the published cells describe their people.

use super::{Violation, each_block};
use crate::hierarchy::Hierarchy;
use crate::release::{Cells, Content};
use crate::table::{Column, Form, Groups, View};
use std::ops::Range;

/// Checks that every cell covers exactly the codes of its rows, no fewer and no more.
pub(super) fn check_cells(
    release: &Content,
    column: &Column,
    cells: &Cells,
    membership: &Groups,
) -> Result<(), Violation> {
    let tree = column.domain().hierarchy().map(CheckedTree::new);
    each_block(0..release.class_count(), |classes| {
        check_cells_of(release, (column, tree.as_ref()), cells, membership, classes)
    })
}

fn check_cells_of(
    release: &Content,
    (column, tree): (&Column, Option<&CheckedTree<'_>>),
    cells: &Cells,
    membership: &Groups,
    classes: Range<usize>,
) -> Result<(), Violation> {
    let everybody = membership.rows_of(0..membership.len());
    let places = release.class_rows(classes.start).start..release.class_rows(classes.end - 1).end;
    // Codes are fetched first, so that their memory accesses overlap.
    let fetched: Vec<u32> =
        everybody[places].iter().map(|&row| column.codes()[row as usize]).collect();
    let mut codes: Vec<u32> = Vec::new();
    let mut rest = &fetched[..];
    for class in classes {
        let (own, others) = rest.split_at(release.class_rows(class).len());
        rest = others;
        codes.clear();
        if !matches!(cells, Cells::Intervals(_)) {
            codes.extend_from_slice(own);
            codes.sort_unstable();
        }
        let describes = match cells {
            Cells::Intervals(bounds) => {
                let (least, greatest) = &bounds[class];
                own.iter().min() == Some(least) && own.iter().max() == Some(greatest)
            }
            Cells::Nodes { .. } => tree.is_some_and(|tree| {
                codes.dedup();
                let (least, greatest) = (codes[0], codes[codes.len() - 1]);
                let expected = match column.form() {
                    Some(Form::Label) => vec![tree.lowest_above(&codes)],
                    _ => tree.narrowest_above(&codes),
                };
                let published = cells.nodes(class).iter();
                let labels = |&node: &u32| tree.hierarchy.label(node);
                published.clone().map(|(_, node)| node).eq(&expected)
                    && published.clone().all(|&(range, node)| tree.range(node) == range)
                    && (least < greatest || labels(&expected[0]) == tree.labels[least as usize])
            }),
            Cells::Sets { .. } => {
                codes.dedup();
                cells.members(class) == codes
            }
            Cells::Exact(exact) => {
                let mut published = exact[release.class_rows(class)].to_vec();
                published.sort_unstable();
                published == codes
            }
            // The codes must ascend: any other order could disclose something.
            Cells::Sliced(sliced) => sliced[release.class_rows(class)] == codes[..],
        };
        if !describes {
            let place = release.class_rows(class).start;
            let group = (0..release.group_count())
                .find(|&group| release.group_rows(group).contains(&place));
            return Err(Violation::Cell {
                group: group.unwrap_or_default() + 1,
                column: column.name().to_owned(),
            });
        }
    }
    Ok(())
}

/// A tree in the form that the check uses: the direct children of each node.
struct CheckedTree<'a> {
    hierarchy: &'a Hierarchy,
    labels: Vec<&'a str>,
    /// The children of each node, in leaf order.
    children: Vec<Vec<u32>>,
}

impl<'a> CheckedTree<'a> {
    fn new(hierarchy: &'a Hierarchy) -> Self {
        let mut children = vec![Vec::new(); hierarchy.node_count()];
        for node in 0..hierarchy.node_count() as u32 {
            if let Some(parent) = hierarchy.parent(node) {
                children[parent as usize].push(node);
            }
        }
        Self { hierarchy, labels: hierarchy.leaf_labels().collect(), children }
    }

    fn range(&self, node: u32) -> (u32, u32) {
        self.hierarchy.leaf_range(node)
    }

    fn leaves(&self, node: u32) -> u32 {
        let (first, last) = self.range(node);
        last - first + 1
    }

    /// The child of a node under which a leaf lies, if there is one.
    fn child_above(&self, node: u32, leaf: u32) -> Option<u32> {
        let children = &self.children[node as usize];
        let next = children.partition_point(|&child| self.range(child).0 <= leaf);
        let child = children[next.checked_sub(1)?];
        (leaf <= self.range(child).1).then_some(child)
    }

    /// The lowest node above all of some ascending leaves, searched from the root down.
    fn lowest_above(&self, leaves: &[u32]) -> u32 {
        let mut node = 0;
        while let Some(child) = self.child_above(node, leaves[0]) {
            if leaves[leaves.len() - 1] > self.range(child).1 {
                break;
            }
            node = child;
        }
        node
    }

    /// The lowest node above some leaves, or, if they cover fewer leaves, one node for each of its
    /// branches that has some.
    fn narrowest_above(&self, leaves: &[u32]) -> Vec<u32> {
        let above = self.lowest_above(leaves);
        let branches =
            leaves.chunk_by(|&a, &b| self.child_above(above, a) == self.child_above(above, b));
        let mut nodes = Vec::new();
        for branch in branches {
            if self.child_above(above, branch[0]).is_none() {
                return vec![above];
            }
            nodes.push(self.lowest_above(branch));
        }
        let covered: u32 = nodes.iter().map(|&node| self.leaves(node)).sum();
        if covered < self.leaves(above) { nodes } else { vec![above] }
    }
}

/// Checks that exact rows are whole people, not mixtures of their cells.
pub(super) fn check_people(
    release: &Content,
    table: &View,
    membership: &Groups,
) -> Result<(), Violation> {
    let exact: Vec<(&Column, &Vec<u32>)> = table
        .known()
        .iter()
        .zip(release.cells())
        .filter_map(|(column, cells)| match cells {
            Cells::Exact(codes) => Some((column, codes)),
            _ => None,
        })
        .collect();
    let Some((first, _)) = exact.first() else {
        return Ok(());
    };
    let person = |row: u32| exact.iter().map(move |(own, _)| own.codes()[row as usize]);
    let released = |row: usize| exact.iter().map(move |(_, codes)| codes[row]);
    each_block(0..membership.len(), |groups| {
        let mut people: Vec<u32> = Vec::new();
        for group in groups {
            let start = release.group_rows(group).start;
            for class in release.classes(group) {
                let places = release.class_rows(class);
                let own = places.start - start..places.end - start;
                people.clear();
                people.extend_from_slice(&membership.get(group)[own]);
                people.sort_unstable_by(|&a, &b| person(a).cmp(person(b)));
                let mut pairs = people.iter().zip(places);
                if !pairs.all(|(&row, place)| person(row).eq(released(place))) {
                    return Err(Violation::Cell {
                        group: group + 1,
                        column: first.name().to_owned(),
                    });
                }
            }
        }
        Ok(())
    })
}
