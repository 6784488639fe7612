//! Connections between tables: join forests by the GYO reduction.

use openveil_core::table::ColumnSet;

/// A node of a join forest: one table, or several tables that form a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForestNode {
    /// The tables in it, by number; several only if they form a cycle.
    pub tables: Vec<usize>,
    /// All their columns.
    pub columns: ColumnSet,
    /// The parent node, which comes earlier.
    pub parent: Option<usize>,
    /// The columns it shares with its parent; empty at a root.
    pub separator: ColumnSet,
}

/// The join forest of a schema (Graham 1979; Yu and Özsoyoğlu 1979): if all shared columns of a
/// table lie in one other table, it becomes a child of that table and is set aside, and so on. The
/// rest contains cycles and becomes one node per connected part. Parents come before their
/// children. O(tables³).
pub fn join_forest(tables: &[ColumnSet]) -> Vec<ForestNode> {
    let mut left: Vec<usize> = (0..tables.len()).collect();
    let mut removed: Vec<(usize, Option<usize>)> = Vec::new();
    while let Some((position, host)) = ear(tables, &left) {
        removed.push((left.remove(position), host));
    }
    let mut nodes: Vec<ForestNode> = Vec::new();
    let mut node_of = vec![usize::MAX; tables.len()];
    for part in connected_parts(tables, &left) {
        for &table in &part {
            node_of[table] = nodes.len();
        }
        let sets = part.iter().map(|&table| tables[table]);
        nodes.push(ForestNode {
            columns: sets.fold(ColumnSet::EMPTY, |all, set| all | set),
            tables: part,
            parent: None,
            separator: ColumnSet::EMPTY,
        });
    }
    // In reverse order, so that a parent, which was set aside later or not at all, is added before
    // its children.
    for (table, host) in removed.into_iter().rev() {
        let parent = host.map(|host| node_of[host]);
        node_of[table] = nodes.len();
        nodes.push(ForestNode {
            tables: vec![table],
            columns: tables[table],
            separator: parent
                .map_or(ColumnSet::EMPTY, |parent| tables[table] & nodes[parent].columns),
            parent,
        });
    }
    nodes
}

/// Whether the maximum-likelihood estimate from these tables has a closed form:
/// the reduction sets every table aside.
pub fn is_acyclic(tables: &[ColumnSet]) -> bool {
    join_forest(tables).iter().all(|node| node.tables.len() == 1)
}

/// The position in `left` of a table that can be set aside, and its parent table, if it shares
/// columns with any.
fn ear(tables: &[ColumnSet], left: &[usize]) -> Option<(usize, Option<usize>)> {
    left.iter().enumerate().find_map(|(position, &table)| {
        let mut others = left.iter().filter(|&&other| other != table);
        let shared = others.clone().fold(ColumnSet::EMPTY, |all, &other| all | tables[other])
            & tables[table];
        if shared.is_empty() {
            return Some((position, None));
        }
        others.find(|&&other| shared.is_subset(tables[other])).map(|&host| (position, Some(host)))
    })
}

fn connected_parts(tables: &[ColumnSet], left: &[usize]) -> Vec<Vec<usize>> {
    let mut left = left.to_vec();
    let mut parts = Vec::new();
    while let Some(first) = left.first().copied() {
        let mut columns = tables[first];
        loop {
            let grown = left
                .iter()
                .filter(|&&table| tables[table].meets(columns))
                .fold(columns, |all, &table| all | tables[table]);
            if grown == columns {
                break;
            }
            columns = grown;
        }
        let (part, rest) = left.iter().partition(|&&table| tables[table].meets(columns));
        parts.push(part);
        left = rest;
    }
    parts
}
