//! The privacy model as blocks use it: the only file here that names it.

use crate::disclosure::Predicate;
use openveil_core::model::{CountBuffer, Counts, Criteria};
use openveil_core::table::Secret;

/// Decides about sets of rows of one table.
pub(super) struct BlockRule<'a> {
    pub(super) names: Names,
    criteria: &'a Criteria,
    codes: &'a [u32],
    counts: CountBuffer,
}

impl<'a> BlockRule<'a> {
    pub(super) fn new(criteria: &'a Criteria, sensitive: &'a Secret) -> Self {
        Self {
            criteria,
            names: Names::new(criteria, sensitive),
            codes: sensitive.codes(),
            counts: CountBuffer::default(),
        }
    }

    /// Returns the least size of groups.
    pub(super) fn least(&self) -> usize {
        least(self.criteria)
    }

    /// Returns whether rows may be published as one group of which nothing else is known. O(n log
    /// n) for few rows, O(n) for many.
    pub(super) fn allows(&mut self, rows: impl Iterator<Item = u32>) -> bool {
        let codes = rows.map(|row| self.codes[row as usize]);
        let counts = self.counts.of_codes(codes);
        self.criteria.hold_on_group(&counts)
    }

    /// Returns the values of some rows.
    pub(super) fn values(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        rows.map(|row| self.codes[row as usize]).collect()
    }
}

/// Returns the least size of groups that blocks make: the model's least size, and at least two.
pub(super) fn least(criteria: &Criteria) -> usize {
    (criteria.least_size() as usize).max(2)
}

/// Which values may be renamed to which.
#[derive(Debug)]
pub(super) enum Names {
    /// Protected values to protected ones and exempt values to exempt ones: the model does not
    /// notice it.
    Shared { protected: Vec<u32>, exempt: Vec<u32> },
    /// None: the model distinguishes values.
    Own,
}

impl Names {
    fn new(criteria: &Criteria, sensitive: &Secret) -> Self {
        // The ratio distinguishes values only by whether they are exempt.
        if criteria.ratio().is_none() && !criteria.treats_values_alike() {
            return Self::Own;
        }
        let (exempt, protected) =
            (0..sensitive.values() as u32).partition(|&value| sensitive.exempt()[value as usize]);
        Self::Shared { protected, exempt }
    }
}

/// Applies the model to a reader's conclusions about a person of a block, whose values are
/// numbered.
pub(super) struct Numbered<'a> {
    pub(super) criteria: &'a Criteria,
    /// The values by number, ascending.
    pub(super) values: &'a [u32],
}

impl Numbered<'_> {
    fn with<T>(&self, counts: &[u128], ask: impl Fn(&Counts<'_>) -> T) -> T {
        let entries: Vec<(u32, u128)> = self
            .values
            .iter()
            .copied()
            .zip(counts.iter().copied())
            .filter(|&(_, count)| count > 0)
            .collect();
        ask(&Counts::new(&entries))
    }
}

impl Predicate for Numbered<'_> {
    fn holds(&self, counts: &[u128]) -> bool {
        self.with(counts, |counts| self.criteria.hold_on_posterior(counts))
    }

    fn admits_group(&self, counts: &[u128]) -> bool {
        self.with(counts, |counts| self.criteria.admit_group(counts))
    }
}
