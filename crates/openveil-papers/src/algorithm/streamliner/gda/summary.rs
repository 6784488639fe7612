//! Computes distances to large groups without visiting each member.

/// The weighted ranks of the first members of a group's chain, sorted.
pub(super) struct RankSummary {
    ranks: Vec<u64>,
    /// `sums[i]`: sum of the first i ranks.
    sums: Vec<u128>,
    /// The position of the last covered member.
    pub(super) last: u32,
}

impl RankSummary {
    /// Makes a summary that covers nobody yet.
    pub(super) fn new() -> Self {
        Self { ranks: Vec::new(), sums: vec![0], last: u32::MAX }
    }

    /// Returns the number of covered members.
    pub(super) fn covered(&self) -> usize {
        self.ranks.len()
    }

    /// Returns whether so many uncovered members are worth the O(covered) cost of covering them.
    pub(super) fn is_outgrown_by(&self, uncovered: usize) -> bool {
        uncovered > 8 * self.covered().isqrt()
    }

    /// Covers further members; `last` is the position of the last.
    pub(super) fn cover(&mut self, more: impl Iterator<Item = u64>, last: u32) {
        self.ranks.extend(more);
        // Stable sorting merges the sorted start with the sorted rest.
        self.ranks.sort();
        self.sums.clear();
        self.sums.push(0);
        let mut sum = 0;
        self.sums.extend(self.ranks.iter().map(|&rank| {
            sum += u128::from(rank);
            sum
        }));
        self.last = last;
    }

    /// Returns the sum of the distances of a rank to the covered members, in O(log).
    pub(super) fn distances(&self, rank: u64) -> u128 {
        let below = self.ranks.partition_point(|&other| other < rank);
        let above = self.covered() - below;
        let (sum_below, sum) = (self.sums[below], self.sums[self.covered()]);
        let rank = u128::from(rank);
        (rank * below as u128 - sum_below) + (sum - sum_below - rank * above as u128)
    }
}
