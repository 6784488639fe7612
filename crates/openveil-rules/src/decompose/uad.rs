//! Utility-aware decomposition (Algorithm 2).

use super::colouring::dsatur;
use super::problem::DecompositionProblem;
use crate::normal_form::{Schema, SubTable};
use crate::{Dependency, Rule, RulesError, connected};
use openveil_core::table::ColumnSet;

/// Utility-aware decomposition (the paper's Algorithm 2): it colours the graph of columns that are
/// on different sides of a rule, and publishes the largest colour as a table. It adds to the table
/// the one column that profits most from being guarded there, and continues with the rest.
///
/// Departs from the paper in one point: a colour is extended as far as possible. As printed,
/// columns that no rule names share the colour that is assigned first, which for a single rule is
/// the colour of the protected column. The rule's left side is then separated from all other
/// columns. With our change a single rule leads to a single table, as the paper says.
///
/// Each column ends up in exactly one table. A guarded column is protected from *all* other columns
/// of its table. Uses only the rules, so the schema discloses nothing about the data. If a rule has
/// several protected columns, one is chosen. Columns that known dependencies connect stay together
/// (the paper leaves dependencies open). O(columns⁴).
///
/// # Errors
/// [`RulesError::Determined`] or [`RulesError::LinkedByDependencies`] if no decomposition can
/// satisfy a rule; [`RulesError::NotNormalForm`] if the result failed its check.
pub fn uad(
    columns: ColumnSet,
    rules: &[Rule],
    dependencies: &[Dependency],
) -> Result<Schema, RulesError> {
    let problem = DecompositionProblem::new(columns, rules, dependencies)?;
    let graph = Graph::new(&problem);
    let mut left = ColumnSet::first(graph.clusters.len());
    let mut tables = Vec::new();
    while !left.is_empty() {
        let (table, used) = graph.next_table(left)?;
        tables.push(table);
        left = left - used;
    }
    problem.verified(Schema::new(tables))
}

/// The directed graph of Algorithm 2, line 1. Its vertices are clusters of columns that
/// dependencies connect, or single columns without dependencies.
struct Graph {
    clusters: Vec<ColumnSet>,
    /// `into[v]`: the vertices with a column known to a reader against whom v is protected.
    into: Vec<ColumnSet>,
    out_of: Vec<ColumnSet>,
}

impl Graph {
    fn new(problem: &DecompositionProblem) -> Self {
        let mut clusters: Vec<ColumnSet> = Vec::new();
        let mut left = problem.columns;
        while let Some(column) = left.least() {
            let cluster = connected(ColumnSet::one(column), problem.dependencies) & left;
            left = left - cluster;
            clusters.push(cluster);
        }
        let mut into = vec![ColumnSet::EMPTY; clusters.len()];
        let mut out_of = into.clone();
        for (rule, &target) in problem.rules.iter().zip(&problem.targets) {
            let Some(to) = clusters.iter().position(|set| set.contains(target)) else {
                continue; // a column that is not published needs no guard
            };
            let known = connected(rule.given(), problem.dependencies);
            for from in (0..clusters.len()).filter(|&from| clusters[from].meets(known)) {
                into[to] = into[to] | ColumnSet::one(from);
                out_of[from] = out_of[from] | ColumnSet::one(to);
            }
        }
        Self { clusters, into, out_of }
    }

    /// Lines 2 to 6: builds a table from the remaining vertices; returns it and the vertices that
    /// it uses.
    fn next_table(&self, left: ColumnSet) -> Result<(SubTable, ColumnSet), RulesError> {
        let independent = self.largest_colour(left);
        let guarded = (left - independent)
            .iter()
            .filter(|&vertex| !self.out_of[vertex].meets(independent))
            .map(|vertex| ((self.into[vertex] & independent).len(), vertex))
            // a guarded column must not be connected with other columns
            .filter(|&(edges, vertex)| edges == 0 || self.clusters[vertex].len() == 1)
            .max_by_key(|&(edges, vertex)| (edges, std::cmp::Reverse(vertex)));
        let columns = |vertices: ColumnSet| {
            vertices
                .iter()
                .map(|vertex| self.clusters[vertex])
                .fold(ColumnSet::EMPTY, |all, set| all | set)
        };
        let Some((edges, vertex)) = guarded else {
            return Ok((SubTable::open(columns(independent))?, independent));
        };
        let used = independent | ColumnSet::one(vertex);
        let table = match edges {
            0 => SubTable::open(columns(used))?,
            _ => SubTable::guarding(columns(used), self.clusters[vertex])?,
        };
        Ok((table, used))
    }

    /// Lines 2 and 3: the largest colour of the remaining vertices, the first of equals. Before
    /// colours are compared, each is extended by the vertices that it can take, because a column
    /// that no rule names may have got any colour.
    fn largest_colour(&self, left: ColumnSet) -> ColumnSet {
        let vertices: Vec<usize> = left.iter().collect();
        let neighbours: Vec<ColumnSet> = vertices
            .iter()
            .map(|&vertex| {
                let around = (self.into[vertex] | self.out_of[vertex]) & left;
                (0..vertices.len()).filter(|&other| around.contains(vertices[other])).collect()
            })
            .collect();
        let colours = dsatur(&neighbours);
        let class = |colour: usize| -> ColumnSet {
            (0..vertices.len())
                .filter(|&index| colours[index] == colour)
                .map(|index| vertices[index])
                .collect()
        };
        let class = |colour: usize| {
            left.iter().fold(class(colour), |class, vertex| {
                let around = self.into[vertex] | self.out_of[vertex];
                if around.meets(class) { class } else { class | ColumnSet::one(vertex) }
            })
        };
        (0..vertices.len())
            .map(class)
            .max_by_key(|class| (class.len(), std::cmp::Reverse(class.least())))
            .unwrap_or_default()
    }
}
