//! What the figures on several rules at once are made from: data, random rules,
//! ways to publish, and how good the result is.

pub mod data;
pub mod measure;
pub mod texas;
pub mod ways;

use openveil::schema::{Rule, is_irreducible};
use openveil::table::{ColumnSet, Table};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A table of codes with names and sizes of its domains.
#[derive(Debug)]
pub struct Dataset {
    /// The columns' names.
    pub names: Vec<String>,
    /// Values per column.
    pub domains: Vec<u32>,
    /// The rows.
    pub records: Table,
}

/// `count` random rules, none implied by another, with `lhs` given columns and one
/// protected one, whose own histogram allows ratio `l`-diversity. `None` if there
/// are not so many.
pub fn random_rules(
    data: &Dataset,
    count: usize,
    lhs: usize,
    l: u32,
    seed: u64,
) -> Option<Vec<Rule>> {
    let columns = data.names.len();
    let possible: Vec<usize> = (0..columns)
        .filter(|&column| allows(data, column, l))
        .collect();
    let mut generator = StdRng::seed_from_u64(seed);
    let mut rules: Vec<Rule> = Vec::new();
    for _ in 0..10_000 {
        if rules.len() == count {
            return Some(rules);
        }
        let protect = *possible.get(generator.random_range(0..possible.len().max(1)))?;
        let mut given = ColumnSet::EMPTY;
        while given.len() < lhs.min(columns - 1) {
            let column = generator.random_range(0..columns);
            if column != protect {
                given = given | ColumnSet::one(column);
            }
        }
        rules.extend(Rule::new(given, ColumnSet::one(protect)).ok());
        if !is_irreducible(&rules) {
            rules.pop();
        }
    }
    None
}

/// Whether no value of a column stands in more than 1/`l` of the rows.
fn allows(data: &Dataset, column: usize, l: u32) -> bool {
    let mut counts = vec![0u32; data.domains[column] as usize];
    for &code in data.records.codes(column) {
        counts[code as usize] += 1;
    }
    let most = counts.into_iter().max().unwrap_or(0);
    most as usize <= data.records.rows() / l as usize
}
