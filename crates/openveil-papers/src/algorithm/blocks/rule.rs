//! The privacy model as blocks see it: the only file here that names it.

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
            names: Names::of(criteria, sensitive),
            codes: sensitive.codes(),
            counts: CountBuffer::default(),
        }
    }

    /// The least size of groups.
    pub(super) fn least(&self) -> usize {
        least(self.criteria)
    }

    /// Whether rows may be published as one group of which nothing else is known.
    /// O(n log n) for few rows, O(n) for many.
    pub(super) fn allows(&mut self, rows: impl Iterator<Item = u32>) -> bool {
        let codes = rows.map(|row| self.codes[row as usize]);
        let counts = self.counts.of_codes(codes);
        self.criteria.hold_on_group(&counts)
    }

    /// The values of some rows.
    pub(super) fn values(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        rows.map(|row| self.codes[row as usize]).collect()
    }
}

/// The least size of groups that blocks make: what the model asks, and nobody alone.
pub(super) fn least(criteria: &Criteria) -> usize {
    (criteria.least_size() as usize).max(2)
}

/// Which values may stand for one another.
#[derive(Debug)]
pub(super) enum Names {
    /// Protected ones for protected ones, others for others, which the model does not notice.
    Shared {
        protected: Vec<u32>,
        exempt: Vec<u32>,
    },
    /// None: the model looks at them.
    Own,
}

impl Names {
    fn of(criteria: &Criteria, sensitive: &Secret) -> Self {
        // The ratio tells values apart by whether they are exempt, and in nothing else.
        if criteria.ratio().is_none() && !criteria.treats_values_alike() {
            return Self::Own;
        }
        let (exempt, protected) =
            (0..sensitive.values() as u32).partition(|&value| sensitive.exempt()[value as usize]);
        Self::Shared { protected, exempt }
    }
}

/// The model on what a reader concludes about a person of a block, whose values are numbered.
pub(super) struct Numbered<'a> {
    pub(super) criteria: &'a Criteria,
    /// The values by number, ascending.
    pub(super) values: &'a [u32],
}

impl Numbered<'_> {
    fn with<T>(&self, counts: &[u128], ask: impl Fn(&Counts<'_>) -> T) -> T {
        let entries = self.values.iter().copied().zip(counts.iter().copied());
        let entries: Vec<(u32, u128)> = entries.filter(|&(_, count)| count > 0).collect();
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
