//! Which columns are connected, and through which tables (Definition 3).

use super::Schema;
use crate::Dependency;
use openveil_core::table::ColumnSet;
use std::collections::VecDeque;

/// The link between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnLink {
    /// A published table has both columns; its number.
    Table(usize),
    /// A dependency that the reader knows has both columns; its number.
    Dependency(usize),
}

/// A path from column to column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The first column.
    pub start: usize,
    /// The steps; empty if the path ends where it starts.
    pub hops: Vec<Hop>,
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The link between the column before and this one.
    pub over: ColumnLink,
    /// The column that it leads to.
    pub to: usize,
}

impl Path {
    /// The columns on the path, including the first.
    pub fn columns(&self) -> Vec<usize> {
        let steps = self.hops.iter().map(|hop| hop.to);
        std::iter::once(self.start).chain(steps).collect()
    }
}

/// Column sets that connect their columns, with the link that each represents.
pub(super) type ConnectingSets = Vec<(ColumnLink, ColumnSet)>;

/// Tables and dependencies as links. For a reader who knows a dependency, its columns are as good
/// as published together: see the proof.
pub(super) fn links(schema: &Schema, dependencies: &[Dependency]) -> ConnectingSets {
    let tables = schema
        .tables()
        .iter()
        .enumerate()
        .map(|(index, table)| (ColumnLink::Table(index), table.columns()));
    let known = dependencies.iter().enumerate();
    let known = known.map(|(index, known)| (ColumnLink::Dependency(index), known.columns()));
    tables.chain(known).collect()
}

/// All columns that are reachable from `from` over links, including `from`. O(links²).
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
    Path { start: column, hops }
}

/// All columns that are reachable from `from`, including `from`, over tables that share columns and
/// over known dependencies (Definition 3). O((tables + dependencies)²).
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
