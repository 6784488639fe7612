//! Cross-tables of known columns and the secret.

use crate::evidence::Evidence;
use crate::people::People;
use crate::posterior::Posterior;

/// What is counted: cells by some known columns and by the secret.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Per column that matters: its number, and the part of the table that each code falls into;
    /// none is not counted.
    pub known: Vec<(usize, Vec<Option<u32>>)>,
    /// Per known column of `known`, how many parts there are.
    pub parts: Vec<u32>,
    /// The part that each secret value falls into.
    pub secret: Vec<Option<u32>>,
    /// How many parts of the secret there are.
    pub secret_parts: u32,
}

/// Counts by cell, the parts of the secret running fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The estimated counts.
    pub counts: Vec<f64>,
    /// Their variances over the orders that groups allow.
    pub variances: Vec<f64>,
}

impl Ask {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.rows() * self.secret_parts as usize
    }

    /// Number of parts of all known columns together.
    pub fn rows(&self) -> usize {
        self.parts.iter().map(|&parts| parts as usize).product()
    }

    /// The part of the known columns that a row falls into.
    #[inline]
    fn row(&self, people: &People, row: usize) -> Option<usize> {
        let mut at = 0;
        for ((column, part), &parts) in self.known.iter().zip(&self.parts) {
            at = at * parts as usize + part[people.codes(*column)[row] as usize]? as usize;
        }
        Some(at)
    }

    /// Counts rows whose values are given. O(rows · columns).
    pub(crate) fn of_values(
        &self,
        people: &People,
        values: &[u32],
        evidence: &Evidence,
    ) -> Vec<f64> {
        let width = self.secret_parts as usize;
        let mut counts = vec![0.0; self.cells()];
        for group in 0..evidence.groups() {
            for row in evidence.rows_of(group) {
                let part = self.secret[values[row] as usize];
                if let (Some(at), Some(part)) = (self.row(people, row), part) {
                    counts[at * width + part as usize] += evidence.weight(group);
                }
            }
        }
        counts
    }

    /// Counts rows whose values are believed. O(rows · columns + chances).
    pub(crate) fn of_beliefs(
        &self,
        people: &People,
        posterior: &Posterior,
        evidence: &Evidence,
    ) -> Counts {
        let width = self.secret_parts as usize;
        let mut counts = vec![0.0; self.cells()];
        let mut variances = vec![0.0; self.cells()];
        let mut sums: Vec<(usize, f64)> = Vec::new();
        for group in 0..evidence.groups() {
            let weight = evidence.weight(group);
            let values = posterior.values(group);
            sums.clear();
            for (row, chances) in evidence.rows_of(group).zip(posterior.chances(group)) {
                let Some(at) = self.row(people, row) else {
                    continue;
                };
                for (number, (&value, &chance)) in values.iter().zip(chances).enumerate() {
                    let Some(part) = self.secret[value as usize] else {
                        continue;
                    };
                    let (cell, chance) = (at * width + part as usize, f64::from(chance));
                    counts[cell] += weight * chance;
                    // One sum per cell and value of the group.
                    let key = cell * values.len() + number;
                    match sums.iter_mut().find(|own| own.0 == key) {
                        Some(own) => own.1 += chance,
                        None => sums.push((key, chance)),
                    }
                }
            }
            for &(key, sum) in &sums {
                let inside = sum - sum.floor();
                variances[key / values.len()] += weight * weight * inside * (1.0 - inside);
            }
        }
        Counts { counts, variances }
    }
}
