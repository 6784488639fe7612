//! Special uniques: rows that a few known columns suffice to single out.
//!
//! A minimal sample unique is a set of columns on which a row is unique, while it is unique on no
//! smaller subset. Sources: Elliot, Manning and Ford (2002), *A computational algorithm for
//! handling the special uniques problem*; Manning, Haglin and Keane (2008), *A recursive search
//! algorithm for statistical disclosure assessment* (SUDA2). The results equal SUDA2's, but are
//! computed differently. For each set of columns, we take the rows that are unique on it, minus the
//! rows that are unique on a subset with one column fewer.

use super::super::combined::{ColumnCodes, combine, number};
use rayon::prelude::*;
use std::collections::HashMap;

/// The minimal sample uniques of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecialUniques {
    /// The number of minimal uniques of one column, of two, and so on.
    pub found: Vec<u64>,
    /// The SUDA score of each row: the sum, over its minimal uniques of k of A columns, of the
    /// products of A − i for i from k to the largest size searched, or to A − 1.
    pub scores: Vec<f64>,
    /// For each column, the part of all scores that comes from sets with it.
    pub columns: Vec<f64>,
    /// For each column and code, the part of the scores of rows with this code.
    pub values: Vec<Vec<f64>>,
    /// Number of rows that are unique, and number of rows with exactly one equal row.
    uniques: u64,
    pairs: u64,
}

/// One bit per row.
type RowBits = Vec<u64>;

impl SpecialUniques {
    /// Searches sets of up to `most` columns. O(sets of columns · rows).
    pub fn new(columns: &[ColumnCodes<'_>], rows: usize, most: usize) -> Self {
        let all = columns.len();
        let most = most.min(all);
        let mut own = Self {
            found: vec![0; most],
            scores: vec![0.0; rows],
            columns: vec![0.0; all],
            values: columns
                .iter()
                .map(|column: &ColumnCodes<'_>| vec![0.0; column.1 as usize])
                .collect(),
            uniques: 0,
            pairs: 0,
        };
        let mut smaller: HashMap<Vec<usize>, RowBits> = HashMap::new();
        for size in 1..=most {
            let prefixes = subsets(all, size - 1);
            let of_prefix = |prefix: &Vec<usize>| -> Vec<(Vec<usize>, RowBits)> {
                let coded: Vec<_> = prefix.iter().map(|&at| columns[at]).collect();
                let combined = combine(&coded, rows);
                let span = combined.first_rows.len() as u64;
                let next = prefix.last().map_or(0, |last| last + 1);
                (next..all)
                    .map(|at| {
                        let alone = alone(&combined.ids, span, columns[at]);
                        ([&prefix[..], &[at]].concat(), alone)
                    })
                    .collect()
            };
            let found: Vec<_> = prefixes.par_iter().flat_map_iter(of_prefix).collect();
            let score = score(all, size, most);
            for (set, alone) in &found {
                let below: Vec<&RowBits> = (0..size)
                    .filter_map(|left_out| {
                        let mut part = set.clone();
                        part.remove(left_out);
                        smaller.get(&part)
                    })
                    .collect();
                own.add(columns, set, alone, &below, score);
            }
            smaller = found.into_iter().collect();
        }
        let total: f64 = own.scores.iter().sum();
        if total > 0.0 {
            own.columns
                .iter_mut()
                .chain(own.values.iter_mut().flatten())
                .for_each(|share| *share /= total);
        }
        let classes = combine(columns, rows);
        let mut sizes = vec![0u32; classes.first_rows.len()];
        classes.ids.iter().for_each(|&id| sizes[id as usize] += 1);
        let of_size = |size: u32| sizes.iter().filter(|own| **own == size).count() as u64;
        own.uniques = of_size(1);
        own.pairs = 2 * of_size(2);
        own
    }

    /// Counts the rows that are unique on a set of columns, and on none of its subsets.
    fn add(
        &mut self,
        columns: &[ColumnCodes<'_>],
        set: &[usize],
        alone: &RowBits,
        below: &[&RowBits],
        score: f64,
    ) {
        for (word, &alone) in alone.iter().enumerate() {
            let before = below.iter().fold(0, |all, own| all | own[word]);
            let mut left = alone & !before;
            while left != 0 {
                let row = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                self.found[set.len() - 1] += 1;
                self.scores[row] += score;
                for &at in set {
                    self.columns[at] += score;
                    self.values[at][columns[at].0[row] as usize] += score;
                }
            }
        }
    }

    /// The DIS-SUDA score of each row: approximately the chance that a match with it is correct, if
    /// the table is a sample of this fraction. It is 0 where the SUDA score is 0. `None` if no two
    /// rows are equal, since the chance is estimated from pairs. Source: Elliot (2000), *DIS: a new
    /// approach to the measurement of statistical disclosure risk*, with the factors of sdcMicro:
    /// Q = 1 + (8 − A)/20. O(rows).
    pub fn dis(&self, fraction: f64) -> Option<Vec<f64>> {
        if self.pairs == 0 {
            return None;
        }
        let (uniques, pairs) = (self.uniques as f64, self.pairs as f64);
        let right = uniques * fraction / (uniques * fraction + pairs * (1.0 - fraction));
        let power = 1.0 + (8.0 - self.columns.len() as f64) / 20.0;
        let factor: f64 =
            self.scores.iter().filter(|score| **score > 0.0).map(|score| score.powf(-power)).sum();
        Some(
            self.scores
                .iter()
                .map(|&score| {
                    if score == 0.0 {
                        return 0.0;
                    }
                    let others = uniques / right - uniques;
                    1.0 / (1.0 + others / (score.powf(power) * factor))
                })
                .collect(),
        )
    }
}

/// Returns the score of a minimal unique of k out of A columns, if sets of up to `most` columns are
/// searched.
fn score(all: usize, size: usize, most: usize) -> f64 {
    let factors = size..=most.min(all - 1);
    factors.map(|i| (all - i) as f64).product()
}

/// All sets of `size` of the first `all` columns, in order.
fn subsets(all: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        sets = sets
            .into_iter()
            .flat_map(|set: Vec<usize>| {
                let next = set.last().map_or(0, |last| last + 1);
                (next..all).map(move |at| [&set[..], &[at]].concat())
            })
            .collect();
    }
    sets
}

/// The rows without an equal row, judged by numbers below `span` and the codes of a column.
fn alone(ids: &[u32], span: u64, (codes, values): ColumnCodes<'_>) -> RowBits {
    let keys = ids.iter().zip(codes).map(|(&id, &code)| u64::from(id) * values + u64::from(code));
    let mut bits = vec![0u64; ids.len().div_ceil(64)];
    let mut set = |row: usize| bits[row / 64] |= 1 << (row % 64);
    if span * values <= 16 * ids.len() as u64 {
        // 0, 1, or more.
        let mut seen = vec![0u8; (span * values) as usize];
        keys.clone().for_each(|key: u64| seen[key as usize] = (seen[key as usize] + 1).min(2));
        keys.enumerate().filter(|(_, key)| seen[*key as usize] == 1).for_each(|(row, _)| set(row));
        return bits;
    }
    let keys: Vec<u64> = keys.collect();
    let numbered = number(&keys);
    let mut sizes = vec![0u8; numbered.first_rows.len()];
    for &id in &numbered.ids {
        sizes[id as usize] = (sizes[id as usize] + 1).min(2);
    }
    numbered
        .first_rows
        .iter()
        .zip(sizes)
        .filter(|(_, size)| *size == 1)
        .for_each(|(&row, _)| set(row as usize));
    bits
}
