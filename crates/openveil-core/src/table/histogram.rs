//! Multisets of sensitive values.

/// How many rows carry each sensitive value.
///
/// The histogram of the whole table is public: any release gives it away. It is
/// all of the sensitive column that decisions before the deal may depend on.
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
    pub fn of(codes: &[u32], values: usize) -> Self {
        let mut counts = vec![0; values];
        for &code in codes {
            counts[code as usize] += 1;
        }
        Self {
            counts,
            rows: codes.len() as u32,
        }
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
