//! Cross-tables of known columns and the secret.

use crate::evidence::Evidence;
use crate::people::People;
use crate::posterior::RowPosterior;

/// The cells to count: by some known columns and by the secret.
#[derive(Debug, Clone)]
pub struct Ask {
    /// For each column in use: its number, and the part of the table that each code falls into.
    /// Codes with `None` are not counted.
    pub known: Vec<(usize, Vec<Option<u32>>)>,
    /// The number of parts of each column in `known`.
    pub parts: Vec<u32>,
    /// The part that each secret value falls into.
    pub secret: Vec<Option<u32>>,
    /// The number of parts of the secret.
    pub secret_parts: u32,
}

/// Counts by cell, with the parts of the secret running fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct CellCounts {
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

    /// Counts rows with given values. O(rows · columns).
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

    /// Counts rows by the beliefs about their values. O(rows · columns · log + chances).
    pub(crate) fn of_beliefs(
        &self,
        people: &People,
        posterior: &RowPosterior,
        evidence: &Evidence,
    ) -> CellCounts {
        let width = self.secret_parts as usize;
        let mut counts = vec![0.0; self.cells()];
        let mut variances = vec![0.0; self.cells()];
        let (mut seen, mut own) = (MembersByPart::default(), Vec::new());
        let mut members: Vec<(usize, &[f32])> = Vec::new();
        for group in 0..evidence.groups() {
            let values = posterior.values(group);
            let rows = evidence.rows_of(group);
            let (m, weight) = (rows.len() as f64, evidence.weight(group));
            // If some rows are fillers, the people are a random draw of all rows.
            let fillers = weight * (1.0 - weight) * m / (m - 1.0).max(1.0);
            own.clear();
            let runs = evidence.values()[rows.clone()].chunk_by(|a, b| a == b);
            own.extend(runs.map(|run| run.len() as f64));
            members.clear();
            let chances = rows.zip(posterior.chances(group));
            members.extend(
                chances.filter_map(|(row, chances)| Some((self.row(people, row)?, chances))),
            );
            members.sort_by_key(|(at, _)| *at);
            for members in members.chunk_by(|a, b| a.0 == b.0) {
                seen.look(&self.secret, values, &own, members);
                for part in &seen.parts {
                    let cell = members[0].0 * width + part.part as usize;
                    let (expected, variance) =
                        (part.expected, part.variance(members.len() as f64, m));
                    counts[cell] += weight * expected;
                    variances[cell] += weight * weight * variance
                        + fillers * (expected * (1.0 - expected / m) - variance / m).max(0.0);
                }
            }
        }
        CellCounts { counts, variances }
    }
}

/// The members of a group in the same part of the known columns, by part of the secret.
#[derive(Default)]
struct MembersByPart {
    parts: Vec<SecretPart>,
    /// For each value of the group, its place in `parts`.
    places: Vec<Option<usize>>,
    own: Vec<f64>,
}

/// Members whose values fall into a part of the secret.
#[derive(Clone, Copy, Default)]
struct SecretPart {
    part: u32,
    /// The number of the group's rows with such a value.
    rows: f64,
    /// The expected number of the members with such a value.
    expected: f64,
    /// The sum over members of p (1 − p).
    by_member: f64,
    /// The sum over the group's rows in the part of p (1 − p), where p is the chance that a member
    /// has the row's value.
    by_row: f64,
}

impl MembersByPart {
    /// Adds up members with their chances of the group's values; `counts` has the number of the
    /// group's rows for each value.
    fn look(
        &mut self,
        secret: &[Option<u32>],
        values: &[u32],
        counts: &[f64],
        members: &[(usize, &[f32])],
    ) {
        self.parts.clear();
        self.places.clear();
        for (number, (&value, &rows)) in values.iter().zip(counts).enumerate() {
            let Some(part) = secret[value as usize] else {
                self.places.push(None);
                continue;
            };
            let known = self.parts.iter().position(|own| own.part == part);
            let at = known.unwrap_or(self.parts.len());
            if known.is_none() {
                let none = SecretPart::default();
                self.parts.push(SecretPart { part, ..none });
            }
            self.places.push(Some(at));
            let own = &mut self.parts[at];
            let expected: f64 = members.iter().map(|(_, own)| f64::from(own[number])).sum();
            own.rows += rows;
            own.expected += expected;
            own.by_row += (expected * (1.0 - expected / rows)).max(0.0);
        }
        for (_, chances) in members {
            self.own.clear();
            self.own.resize(self.parts.len(), 0.0);
            for (place, &chance) in self.places.iter().zip(*chances) {
                if let Some(at) = place {
                    self.own[*at] += f64::from(chance);
                }
            }
            for (part, own) in self.parts.iter_mut().zip(&self.own) {
                part.by_member += (own * (1.0 - own)).max(0.0);
            }
        }
    }
}

impl SecretPart {
    /// The approximate variance of the number of these of n members over the orders of a group of
    /// m. It is exact if all orders are equally likely (hypergeometric), or for a single member or
    /// row, and 0 for all members or all rows.
    fn variance(&self, n: f64, m: f64) -> f64 {
        let left = |taken: f64| (m - taken) / (m - 1.0).max(1.0);
        f64::min(self.by_member * left(n), self.by_row * left(self.rows))
    }
}

#[cfg(test)]
mod tests;
