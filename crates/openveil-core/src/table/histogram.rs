//! Multisets of sensitive values.

use rayon::prelude::*;

/// The number of codes that one thread counts before it takes others.
const CHUNK: usize = 1 << 17;

/// Counts in parallel how often each of `values` codes occurs in a column. O(n + values).
///
/// # Panics
/// If a code is not below `values`.
pub fn counted(codes: &[u32], values: usize) -> Vec<u32> {
    let count = |codes: &[u32]| {
        let mut counts = vec![0; values];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        counts
    };
    // Every chunk has its own counts, which should not be more work than its codes.
    let chunk = CHUNK.max(values * 8);
    if codes.len() <= chunk {
        return count(codes);
    }
    codes.par_chunks(chunk).map(count).reduce(
        || vec![0; values],
        |mut counts: Vec<u32>, others: Vec<u32>| {
            counts.iter_mut().zip(others).for_each(|(own, other)| *own += other);
            counts
        },
    )
}

/// How many rows carry each sensitive value.
///
/// The histogram of the whole table is public, because any release discloses it. Decisions before
/// the deal may depend on nothing else of the sensitive column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u32>,
    rows: u32,
}

impl Histogram {
    /// Counts `codes` over a domain of `values` values, in O(n + values).
    ///
    /// # Panics
    /// If a code is not below `values` (a [`crate::table::View`] never holds one).
    pub fn new(codes: &[u32], values: usize) -> Self {
        Self { counts: counted(codes, values), rows: codes.len() as u32 }
    }

    /// A histogram from its counts, indexed by value.
    pub fn from_counts(counts: Vec<u32>) -> Self {
        let rows = counts.iter().sum();
        Self { counts, rows }
    }

    /// The counts, indexed by value.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Number of rows: the sum of the counts.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Number of values that occur.
    pub fn distinct(&self) -> usize {
        self.counts.iter().filter(|&&count| count > 0).count()
    }

    /// Values by count, the most frequent first; ties by code.
    pub fn by_count(&self) -> Vec<u32> {
        let mut values: Vec<u32> = (0..self.counts.len() as u32)
            .filter(|&value| self.counts[value as usize] > 0)
            .collect();
        values.sort_by_key(|&value| (std::cmp::Reverse(self.counts[value as usize]), value));
        values
    }
}
