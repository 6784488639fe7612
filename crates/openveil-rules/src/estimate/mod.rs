#![doc = include_str!("proof.md")]

mod divergence;
mod fit;
mod forest;
mod marginal;
mod query;
mod sample;
mod workload;

pub use divergence::{divergence, entropy};
pub use forest::{ForestNode, is_acyclic, join_forest};
pub use marginal::SparseMarginal;
pub use query::EstimateQuery;
pub use sample::Sampler;
pub use workload::OwnerQueries;

use super::RulesError;
use openveil_core::table::ColumnSet;
use std::collections::HashMap;

/// The greatest share of rows by which tables may differ on the columns they share. It allows for
/// rounding and unfinished fitting, not for contradicting tables.
const CONTRADICTION: f64 = 1e-3;

/// Limits on the work for an estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimateLimits {
    /// The most cells of the joint distribution of tables that form a cycle.
    pub cells: usize,
    /// The most rounds of iterative fitting.
    pub rounds: usize,
    /// The share of misplaced rows at which fitting ends.
    pub tolerance: f64,
}

impl Default for EstimateLimits {
    /// Two million cells, 1,000 rounds, one row in a billion.
    fn default() -> Self {
        Self { cells: 2_000_000, rounds: 1_000, tolerance: 1e-9 }
    }
}

/// The maximum-likelihood estimate of the joint distribution from published
/// tables, as a product over a join forest. Its size is that of the tables, never
/// that of the domain.
#[derive(Debug, Clone)]
pub struct Estimate {
    parts: Vec<NodeCells>,
    columns: ColumnSet,
    rows: f64,
    residual: f64,
}

/// A node with its cells.
#[derive(Debug, Clone)]
struct NodeCells {
    /// The weights of these cells are shares.
    cells: SparseMarginal,
    parent: Option<usize>,
    /// The number of each cell's combination of values on the separator.
    separator: Vec<u32>,
    /// The share of each combination of values on the separator.
    separator_shares: Vec<f64>,
    /// For each cell of the *parent*, the number of its combination on the separator.
    in_parent: Vec<u32>,
}

impl Estimate {
    /// Estimates the joint distribution from published tables.
    ///
    /// It has a closed form if the schema is acyclic; otherwise the tables that form a cycle are
    /// fitted iteratively. O(cells · tables) in addition to fitting.
    ///
    /// # Errors
    /// [`RulesError::BadMarginal`] without tables; [`RulesError::UnequalTotals`] or
    /// [`RulesError::Inconsistent`] if they contradict each other by more than one row in a
    /// thousand, which allows for rounding and unfinished fitting; [`RulesError::BeyondLimit`] if a
    /// cycle is too large to be fitted.
    pub fn new(marginals: &[SparseMarginal], limits: EstimateLimits) -> Result<Self, RulesError> {
        let rows = marginals.first().ok_or(RulesError::BadMarginal)?.total();
        for marginal in marginals {
            let other = marginal.total();
            if (other - rows).abs() > 1e-6 * rows {
                let (first, other) = (rows.round() as u64, other.round() as u64);
                return Err(RulesError::UnequalTotals { first, other });
            }
        }
        let sets: Vec<ColumnSet> = marginals.iter().map(SparseMarginal::columns).collect();
        let mut parts: Vec<NodeCells> = Vec::new();
        let mut residual = 0.0;
        for node in join_forest(&sets) {
            let own: Vec<&SparseMarginal> =
                node.tables.iter().map(|&table| &marginals[table]).collect();
            let cells = match own[..] {
                [single] => {
                    let shares = single.weights().iter().map(|weight| weight / rows);
                    single.clone().reweighted(shares.collect())
                }
                _ => {
                    let (cells, off) = fit::fit(&own, limits)?;
                    if off > CONTRADICTION {
                        return Err(RulesError::Inconsistent);
                    }
                    residual = f64::max(residual, off);
                    cells
                }
            };
            parts.push(NodeCells::new(cells, &node, &parts)?);
        }
        Ok(Self {
            parts,
            columns: sets.into_iter().fold(ColumnSet::EMPTY, |all, set| all | set),
            rows,
            residual,
        })
    }

    /// All columns of the estimate.
    pub fn columns(&self) -> ColumnSet {
        self.columns
    }

    /// Number of rows.
    pub fn rows(&self) -> f64 {
        self.rows
    }

    /// The share of misplaced rows in some table after iterative fitting; 0 in closed form.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Number of stored cells: combinations of values that occur in the tables.
    pub fn cells(&self) -> usize {
        self.parts.iter().map(|part| part.cells.len()).sum()
    }

    /// The probability of a row; `code(column)` is its code. 0 for combinations that a table rules
    /// out. O(columns · log cells).
    pub fn probability(&self, code: impl Fn(usize) -> u32) -> f64 {
        let mut probability = 1.0;
        for part in &self.parts {
            match part.cells.find(&code) {
                Some(cell) => probability *= part.conditional(cell),
                None => return 0.0,
            }
        }
        probability
    }
}

impl NodeCells {
    fn new(cells: SparseMarginal, node: &ForestNode, parts: &[Self]) -> Result<Self, RulesError> {
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut separator_shares: Vec<f64> = Vec::new();
        let separator: Vec<u32> = (0..cells.len())
            .map(|cell| {
                let next = numbers.len() as u32;
                let key = fit::key(&cells, node.separator, cell);
                let number = *numbers.entry(key).or_insert(next);
                if number == next {
                    separator_shares.push(0.0);
                }
                separator_shares[number as usize] += cells.weights()[cell];
                number
            })
            .collect();
        let mut in_parent = Vec::new();
        if let Some(parent) = node.parent {
            let above = &parts[parent].cells;
            let mut off = separator_shares.clone();
            for cell in 0..above.len() {
                let key = fit::key(above, node.separator, cell);
                let number = *numbers.get(&key).ok_or(RulesError::Inconsistent)?;
                off[number as usize] -= above.weights()[cell];
                in_parent.push(number);
            }
            if off.iter().map(|difference| difference.abs()).sum::<f64>() > 2.0 * CONTRADICTION {
                return Err(RulesError::Inconsistent);
            }
        }
        Ok(Self { cells, parent: node.parent, separator, separator_shares, in_parent })
    }

    /// The probability of a cell, given its values on the separator.
    fn conditional(&self, cell: usize) -> f64 {
        self.cells.weights()[cell] / self.separator_shares[self.separator[cell] as usize]
    }
}
