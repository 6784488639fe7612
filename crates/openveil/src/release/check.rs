//! The independent check: recounts a release before it is written.
//!
//! It shares no code with the algorithms or with the making of the release. It
//! reads the released content, the owner's table and the groups in the order of
//! the release, and refuses on any difference. What it reads of the release are
//! plain arrays; it compares sensitive values by their text, not their codes.

use super::{Cells, Release, Style};
use crate::hierarchy::Hierarchy;
use crate::privacy::RatioDiversity;
use crate::table::{Groups, NotAPartition, QuasiIdentifier, Sensitive, Table};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::HashMap;

/// What is wrong with a release. Groups are counted from 1, as published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// Some row is missing or stands in two groups.
    #[error(transparent)]
    NotAPartition(#[from] NotAPartition),
    /// The release has another number of groups or rows than it should, or
    /// another style.
    #[error("the release does not have the shape of its groups")]
    Shape,
    /// A group's published values are not those of its people.
    #[error("group {group} does not hold the sensitive values of its rows")]
    Values {
        /// The group.
        group: usize,
    },
    /// A published cell does not cover its people, or says more than it should.
    #[error("the cell of column `{column}` in group {group} does not describe its rows")]
    Cell {
        /// The group.
        group: usize,
        /// The column.
        column: String,
    },
    /// Groups, or rows inside a group, are not in the order of their content.
    #[error("group {group} is not where, or not in the order that, its content asks for")]
    Order {
        /// The group.
        group: usize,
    },
    /// A group breaks the privacy model.
    #[error(
        "group {group} has {count} rows of one protected value among {size}, more than 1/{l} of them"
    )]
    Model {
        /// The group.
        group: usize,
        /// Rows of the value.
        count: u32,
        /// Rows of the group.
        size: u32,
        /// The bound.
        l: u32,
    },
    /// The whole table's values are not those of the input.
    #[error("a value stands in {released} released rows, but in {input} rows of the input")]
    Multiset {
        /// Rows released.
        released: u64,
        /// Rows of the input.
        input: u64,
    },
}

/// Recounts a release against the owner's table.
///
/// `membership` lists the input rows of each released group, in the release's
/// order. O(n · columns) time.
///
/// # Errors
/// The first [`Violation`] found.
pub fn release(
    release: &Release,
    table: &Table,
    membership: &Groups,
    model: RatioDiversity,
    style: Style,
) -> Result<(), Violation> {
    membership.check_partition(table.rows())?;
    check_shape(release, table, membership, style)?;
    let values = Values::of(table.sensitive());
    check_values(release, table, membership, &values, model)?;
    check_multiset(release, table, &values)?;
    let columns = table.quasi_identifiers().par_iter().zip(release.cells());
    columns.try_for_each(|(column, cells)| check_cells(release, column, cells, membership))?;
    if style == Style::Anatomy {
        check_people(release, table, membership)?;
    }
    check_order(release)
}

fn check_shape(
    release: &Release,
    table: &Table,
    membership: &Groups,
    style: Style,
) -> Result<(), Violation> {
    let columns = table.quasi_identifiers();
    let groups = membership.len();
    let domain = |column: &QuasiIdentifier| column.domain().len() as u32;
    let fits = |column: &QuasiIdentifier, cells: &Cells| match (style, cells) {
        (Style::Anatomy, Cells::Exact(codes)) => {
            codes.len() == table.rows() && codes.iter().all(|&code| code < domain(column))
        }
        (Style::Generalize, Cells::Intervals(bounds)) => bounds.len() == groups,
        (Style::Generalize, Cells::Nodes(nodes)) => nodes.len() == groups,
        (Style::Generalize, Cells::Sets { ends, .. }) => ends.len() == groups,
        _ => false,
    };
    let known = table.sensitive().values() as u32;
    let sizes = membership.iter().map(|rows| rows.len() as u32);
    let right = release.rows() == table.rows()
        && release.group_sizes().eq(sizes)
        && release.row_values().iter().all(|&value| value < known)
        && release.cells().len() == columns.len()
        && columns
            .iter()
            .zip(release.cells())
            .all(|(column, cells)| fits(column, cells));
    if right { Ok(()) } else { Err(Violation::Shape) }
}

/// Sensitive values by what a reader sees of them.
struct Values {
    /// For each code, the first code that is published with the same text.
    class: Vec<u32>,
    /// Whether some code with that text needs protection.
    protected: Vec<bool>,
}

impl Values {
    fn of(sensitive: &Sensitive) -> Self {
        let mut first: HashMap<&[Box<str>], u32> = HashMap::new();
        let codes = 0..sensitive.values() as u32;
        let class: Vec<u32> = codes
            .map(|code| *first.entry(sensitive.parts(code)).or_insert(code))
            .collect();
        let mut protected = vec![false; class.len()];
        for (&class, &exempt) in class.iter().zip(sensitive.exempt()) {
            protected[class as usize] |= !exempt;
        }
        Self { class, protected }
    }

    fn class(&self, code: u32) -> usize {
        self.class[code as usize] as usize
    }
}

fn check_values(
    release: &Release,
    table: &Table,
    membership: &Groups,
    values: &Values,
    model: RatioDiversity,
) -> Result<(), Violation> {
    let codes = table.sensitive().codes();
    // Per value: rows of the input in the group, and rows released.
    let mut input = vec![0u32; values.class.len()];
    let mut released = vec![0u32; values.class.len()];
    for (index, rows) in membership.iter().enumerate() {
        let (group, size) = (index + 1, rows.len() as u32);
        let of_row = |&row: &u32| values.class(codes[row as usize]);
        let of_release = |&code: &u32| values.class(code);
        rows.iter().map(of_row).for_each(|value| input[value] += 1);
        release
            .values(index)
            .iter()
            .map(of_release)
            .for_each(|value| released[value] += 1);
        // Both lists are as long as the group: agreeing on one is enough.
        if rows
            .iter()
            .map(of_row)
            .any(|value| input[value] != released[value])
        {
            return Err(Violation::Values { group });
        }
        let protected = rows
            .iter()
            .map(of_row)
            .filter(|&value| values.protected[value]);
        let count = protected.map(|value| input[value]).max().unwrap_or(0);
        let l = model.l();
        if u64::from(count.max(1)) * u64::from(l) > u64::from(size) {
            return Err(Violation::Model {
                group,
                count,
                size,
                l,
            });
        }
        for value in rows.iter().map(of_row) {
            input[value] = 0;
            released[value] = 0;
        }
    }
    Ok(())
}

fn check_multiset(release: &Release, table: &Table, values: &Values) -> Result<(), Violation> {
    let count = |codes: &[u32]| {
        let mut counts = vec![0u64; values.class.len()];
        codes
            .iter()
            .for_each(|&code| counts[values.class(code)] += 1);
        counts
    };
    let released = count(release.row_values());
    let input = count(table.sensitive().codes());
    match released
        .into_iter()
        .zip(input)
        .find(|(released, input)| released != input)
    {
        Some((released, input)) => Err(Violation::Multiset { released, input }),
        None => Ok(()),
    }
}

/// Every cell says exactly what its rows need, no less and no more.
fn check_cells(
    release: &Release,
    column: &QuasiIdentifier,
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
fn check_people(release: &Release, table: &Table, membership: &Groups) -> Result<(), Violation> {
    let Some(column) = table.quasi_identifiers().first() else {
        return Ok(());
    };
    for (group, rows) in membership.iter().enumerate() {
        let mut people: Vec<Vec<u32>> = rows
            .iter()
            .map(|&row| {
                table
                    .quasi_identifiers()
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

fn exact_row(release: &Release, row: usize) -> Vec<u32> {
    let code = |cells: &Cells| match cells {
        Cells::Exact(codes) => Some(codes[row]),
        _ => None,
    };
    release.cells().iter().filter_map(code).collect()
}

/// Values ascend inside a group, and groups by what is released of them: no
/// order tells more than the content.
fn check_order(release: &Release) -> Result<(), Violation> {
    for group in 0..release.group_count() {
        let ascending = release.values(group).is_sorted();
        let placed = group == 0 || compare(release, group - 1, group) != Ordering::Greater;
        if !ascending || !placed {
            return Err(Violation::Order { group: group + 1 });
        }
    }
    Ok(())
}

fn compare(release: &Release, a: usize, b: usize) -> Ordering {
    let cells = release.cells().iter().map(|cells| match cells {
        Cells::Intervals(bounds) => bounds[a].cmp(&bounds[b]),
        Cells::Nodes(nodes) => nodes[a].cmp(&nodes[b]),
        Cells::Sets { .. } => cells.members(a).cmp(cells.members(b)),
        Cells::Exact(codes) => codes[release.group_rows(a)].cmp(&codes[release.group_rows(b)]),
    });
    cells
        .fold(Ordering::Equal, Ordering::then)
        .then_with(|| release.values(a).cmp(release.values(b)))
}
