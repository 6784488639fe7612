//! Averages of distances, compared without rounding.

use std::cmp::Ordering;

/// A sum of weighted ranks or of distances, and the number of rows that it covers.
///
/// Ordered by value. Sums stay below 2⁶⁴ times the number of rows, and the counts of two disjoint
/// groups add up to less than 2³², so cross products do not overflow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Average {
    pub(super) sum: u128,
    pub(super) count: u32,
}

impl Average {
    pub(super) const ZERO: Self = Self { sum: 0, count: 1 };

    /// Returns the distance of a weighted rank from this average.
    pub(super) fn distance(self, rank: u64) -> Self {
        Self {
            sum: self.sum.abs_diff(u128::from(rank) * u128::from(self.count)),
            count: self.count,
        }
    }

    /// Returns whether a weighted rank is less than this average.
    pub(super) fn exceeds(self, rank: u64) -> bool {
        self.sum > u128::from(rank) * u128::from(self.count)
    }
}

impl Ord for Average {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.count == other.count {
            return self.sum.cmp(&other.sum);
        }
        let left = self.sum * u128::from(other.count);
        left.cmp(&(other.sum * u128::from(self.count)))
    }
}

impl PartialOrd for Average {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Average {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Average {}
