//! Which columns hang together, and over what (Definition 3).

use super::Schema;
use crate::Dependency;
use openveil_core::table::ColumnSet;
use std::collections::VecDeque;

/// The link between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnLink {
    /// A published table has both; its number.
    Table(usize),
    /// A dependency that the reader knows has both; its number.
    Dependency(usize),
}

/// A way from column to column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Where it starts.
    pub start: usize,
    /// The steps; none if it ends where it starts.
    pub hops: Vec<Hop>,
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The link between the column before and this one.
    pub over: ColumnLink,
    /// The column it leads to.
    pub to: usize,
}

impl Path {
    /// The columns it visits, the first included.
    pub fn columns(&self) -> Vec<usize> {
        let steps = self.hops.iter().map(|hop| hop.to);
        std::iter::once(self.start).chain(steps).collect()
    }
}

/// Column sets that connect, with what they stand for.
pub(super) type ConnectingSets = Vec<(ColumnLink, ColumnSet)>;

/// Tables and dependencies as links. To a reader who knows a dependency its
/// columns are as good as published together: see the proof.
pub(super) fn links(schema: &Schema, dependencies: &[Dependency]) -> ConnectingSets {
    let tables = schema.tables().iter().enumerate();
    let tables = tables.map(|(index, table)| (ColumnLink::Table(index), table.columns()));
    let known = dependencies.iter().enumerate();
    let known = known.map(|(index, known)| (ColumnLink::Dependency(index), known.columns()));
    tables.chain(known).collect()
}

/// All columns reachable from `from` (itself included) over links. O(links²).
pub(super) fn reach(from: ColumnSet, links: &[(ColumnLink, ColumnSet)]) -> ColumnSet {
    let mut reached = from;
    loop {
        let before = reached;
        for (_, columns) in links {
            if columns.meets(reached) {
                reached = reached | *columns;
            }
        }
        if reached == before {
            return reached;
        }
    }
}

/// A shortest path from any column of `from` to any of `to` over links.
/// O(columns · links).
pub(super) fn shortest(
    from: ColumnSet,
    to: ColumnSet,
    links: &[(ColumnLink, ColumnSet)],
) -> Option<Path> {
    let mut came: Vec<Option<(ColumnLink, usize)>> = vec![None; openveil_core::table::MAX_COLUMNS];
    let mut seen = from;
    let mut queue: VecDeque<usize> = from.iter().collect();
    while let Some(column) = queue.pop_front() {
        if to.contains(column) {
            return Some(trace(column, &came));
        }
        for (link, columns) in links.iter().filter(|(_, set)| set.contains(column)) {
            for next in (*columns - seen).iter() {
                came[next] = Some((*link, column));
                queue.push_back(next);
            }
            seen = seen | *columns;
        }
    }
    None
}

fn trace(end: usize, came: &[Option<(ColumnLink, usize)>]) -> Path {
    let mut hops = Vec::new();
    let mut column = end;
    while let Some((over, before)) = came[column] {
        hops.push(Hop { over, to: column });
        column = before;
    }
    hops.reverse();
    Path {
        start: column,
        hops,
    }
}

/// All columns reachable from `from`, itself included, over tables that share
/// columns and over known dependencies (Definition 3). O((tables + dependencies)²).
pub fn reachable(schema: &Schema, dependencies: &[Dependency], from: ColumnSet) -> ColumnSet {
    reach(from, &links(schema, dependencies))
}

/// A shortest path from any column of `from` to any of `to`, if there is one.
/// O(columns · (tables + dependencies)).
pub fn path(
    schema: &Schema,
    dependencies: &[Dependency],
    from: ColumnSet,
    to: ColumnSet,
) -> Option<Path> {
    shortest(from, to, &links(schema, dependencies))
}
