//! The matrix of a regression.

use super::Term;
use crate::people::People;
use crate::worlds::Analysis;
use std::collections::{BTreeSet, HashMap};

/// Rows that are alike, as features, with weights of values.
pub(super) struct Data {
    /// Features of each kind of row.
    pub(super) features: Vec<Vec<(u32, f64)>>,
    /// The kind of each row; `None` if a number is missing.
    pub(super) of_row: Vec<Option<u32>>,
}

/// The columns of a regression's matrix.
pub(super) struct Design<'a> {
    /// For each column of the matrix, the known columns and codes that it represents.
    pub(super) names: Vec<Vec<(usize, Option<u32>)>>,
    /// For each term, its columns of the matrix, by codes.
    terms: Vec<(Term, HashMap<Vec<u32>, u32>)>,
    numbers: Vec<Option<Vec<f64>>>,
    /// For each known column, the reference level if it is not a number.
    references: &'a [u32],
}

impl<'a> Design<'a> {
    /// Returns the columns of terms that are not numbers, with the codes that occur, beginning with
    /// the reference level. O(rows · log).
    pub(super) fn levels(&self, analysis: &Analysis) -> Vec<(usize, Vec<u32>)> {
        let columns: BTreeSet<usize> =
            self.terms.iter().flat_map(|(term, _)| term.iter().copied()).collect();
        columns
            .into_iter()
            .filter(|&column| self.numbers[column].is_none())
            .map(|column| {
                let mut codes = analysis.codes(column);
                codes.sort_by_key(|&code| (code != self.references[column], code));
                (column, codes)
            })
            .collect()
    }

    pub(super) fn new(analysis: &Analysis, terms: &[Term], references: &'a [u32]) -> Self {
        let people = &analysis.release.people[0];
        let numbers = analysis.meaning.numbers.clone();
        let mut design = Self { names: vec![Vec::new()], terms: Vec::new(), numbers, references };
        for term in terms {
            let mut keys: Vec<Vec<u32>> = Vec::new();
            let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
            for row in 0..analysis.release.evidence.rows() {
                if let Some(key) = design.key(people, term, row)
                    && known.insert(key.clone(), 0).is_none()
                {
                    keys.push(key);
                }
            }
            keys.sort_unstable();
            for key in &keys {
                known.insert(key.clone(), design.names.len() as u32);
                let name = term
                    .iter()
                    .zip(key)
                    .map(|(&column, &code)| {
                        (column, design.numbers[column].is_none().then_some(code))
                    })
                    .collect();
                design.names.push(name);
            }
            design.terms.push((term.clone(), known));
        }
        design
    }

    /// The codes by which a row belongs to a column of a term; a number always has the same one.
    /// `None` for reference levels.
    fn key(&self, people: &People, term: &Term, row: usize) -> Option<Vec<u32>> {
        term.iter()
            .map(|&column| match self.numbers[column] {
                Some(_) => Some(0),
                None => {
                    let code = people.codes(column)[row];
                    (code != self.references[column]).then_some(code)
                }
            })
            .collect()
    }

    pub(super) fn data(&self, people: &People, rows: usize) -> Data {
        let mut kinds: HashMap<Vec<u32>, Option<u32>> = HashMap::new();
        let mut data = Data { features: Vec::new(), of_row: Vec::with_capacity(rows) };
        let mut columns: Vec<usize> =
            self.terms.iter().flat_map(|(term, _)| term.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        for row in 0..rows {
            let codes: Vec<u32> = columns.iter().map(|&column| people.codes(column)[row]).collect();
            let kind = match kinds.get(&codes) {
                Some(&kind) => kind,
                None => {
                    let kind = self.features(people, row).map(|features| {
                        data.features.push(features);
                        data.features.len() as u32 - 1
                    });
                    kinds.insert(codes, kind);
                    kind
                }
            };
            data.of_row.push(kind);
        }
        data
    }

    fn features(&self, people: &People, row: usize) -> Option<Vec<(u32, f64)>> {
        let mut features = vec![(0, 1.0)];
        for (term, known) in &self.terms {
            let value: f64 = term
                .iter()
                .filter_map(|&column| {
                    let numbers = self.numbers[column].as_ref()?;
                    Some(numbers[people.codes(column)[row] as usize])
                })
                .product();
            if value.is_nan() {
                return None;
            }
            if let Some(&column) = self.key(people, term, row).and_then(|key| known.get(&key)) {
                features.push((column, value));
            }
        }
        Some(features)
    }
}
