//! Count queries by message passing.

use super::{Estimate, NodeCells};
use crate::RulesError;
use openveil_core::table::ColumnSet;

/// A count query: how many rows have, on each of some columns, one of some values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EstimateQuery {
    predicates: Vec<(usize, Vec<bool>)>,
}

impl EstimateQuery {
    /// A query for all rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Restricts the query to rows whose code on a column is among `codes`, in addition to earlier
    /// restrictions. Codes beyond the domain match no row.
    #[must_use]
    pub fn among(mut self, column: usize, codes: impl IntoIterator<Item = u32>) -> Self {
        let mut allowed = Vec::new();
        for code in codes.into_iter().map(|code| code as usize) {
            if allowed.len() <= code {
                allowed.resize(code + 1, false);
            }
            allowed[code] = true;
        }
        self.predicates.push((column, allowed));
        self
    }

    /// The columns in the query.
    pub fn columns(&self) -> ColumnSet {
        self.predicates.iter().map(|(column, _)| *column).collect()
    }

    /// Whether a row matches; `code(column)` is its code.
    pub fn matches(&self, code: impl Fn(usize) -> u32) -> bool {
        self.predicates.iter().all(|(column, allowed)| is_allowed(allowed, code(*column)))
    }
}

fn is_allowed(allowed: &[bool], code: u32) -> bool {
    allowed.get(code as usize).copied().unwrap_or(false)
}

impl Estimate {
    /// The estimated number of rows that match. O(cells of the tables between the query's columns);
    /// other tables are not read.
    ///
    /// # Errors
    /// [`RulesError::NotPublished`] if no table has a column of the query.
    pub fn count(&self, query: &EstimateQuery) -> Result<f64, RulesError> {
        if let Some(column) = (query.columns() - self.columns()).least() {
            return Err(RulesError::NotPublished { column });
        }
        let mut received: Vec<Vec<(usize, Vec<f64>)>> = vec![Vec::new(); self.parts.len()];
        let mut share = 1.0;
        // Children come after their parents, so going backwards goes upwards.
        for index in (0..self.parts.len()).rev() {
            let part = &self.parts[index];
            let asked = query.columns().meets(part.cells.columns());
            let messages = std::mem::take(&mut received[index]);
            if !asked && messages.is_empty() {
                continue; // it would send ones
            }
            let sums = self.sums(part, query, &messages);
            match part.parent {
                None => share *= sums.iter().sum::<f64>(),
                Some(parent) => {
                    let message = sums
                        .iter()
                        .zip(&part.separator_shares)
                        .map(|(sum, share)| sum / share)
                        .collect();
                    received[parent].push((index, message));
                }
            }
        }
        Ok(share * self.rows)
    }

    /// The weight of the cells that match, for each value of the separator.
    fn sums(
        &self,
        part: &NodeCells,
        query: &EstimateQuery,
        messages: &[(usize, Vec<f64>)],
    ) -> Vec<f64> {
        let own = query.predicates.iter();
        let own: Vec<(usize, &[bool])> = own
            .filter_map(|(column, allowed)| {
                let position = part.cells.columns().iter().position(|own| own == *column);
                position.map(|position| (position, &allowed[..]))
            })
            .collect();
        let mut sums = vec![0.0; part.separator_shares.len()];
        for (cell, &weight) in part.cells.weights().iter().enumerate() {
            let row = part.cells.row(cell);
            if !own.iter().all(|&(at, allowed)| is_allowed(allowed, row[at])) {
                continue;
            }
            let factors = messages
                .iter()
                .map(|(child, message)| message[self.parts[*child].in_parent[cell] as usize]);
            sums[part.separator[cell] as usize] += weight * factors.product::<f64>();
        }
        sums
    }
}
