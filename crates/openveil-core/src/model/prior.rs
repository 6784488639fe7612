use super::Counts;
use crate::exact::{Fraction, fraction};

/// The values of the whole table. They are a reader's belief about everybody before a release,
/// since the histogram is public.
#[derive(Debug, Clone)]
pub(super) struct Prior {
    /// Rows of each value, by code.
    counts: Vec<u32>,
    /// Codes that occur, ascending.
    present: Vec<u32>,
    rows: u128,
    exempt: Vec<bool>,
}

impl Prior {
    pub(super) fn new(counts: Vec<u32>, exempt: Vec<bool>) -> Self {
        Self {
            present: (0..counts.len() as u32).filter(|&code| counts[code as usize] > 0).collect(),
            rows: counts.iter().map(|&count| u128::from(count)).sum(),
            counts,
            exempt,
        }
    }

    /// Rows of the whole table.
    pub(super) fn rows(&self) -> u128 {
        self.rows
    }

    /// Rows of a value.
    pub(super) fn rows_of(&self, value: u32) -> u128 {
        self.counts[value as usize].into()
    }

    /// A value's share of the whole table.
    pub(super) fn share(&self, value: u32) -> Fraction {
        fraction(self.rows_of(value), self.rows)
    }

    /// Values that occur, ascending.
    pub(super) fn present(&self) -> &[u32] {
        &self.present
    }

    pub(super) fn is_exempt(&self, value: u32) -> bool {
        self.exempt[value as usize]
    }

    /// Values that occur and need protection.
    pub(super) fn protected(&self) -> impl Iterator<Item = u32> + '_ {
        self.present.iter().copied().filter(|value| !self.is_exempt(*value))
    }

    /// Every value that occurs, with its count in a multiset and in the table.
    pub(super) fn beside<'a>(
        &'a self,
        counts: &Counts<'a>,
    ) -> impl Iterator<Item = (u32, u128, u128)> + 'a {
        let mut entries = counts.entries().iter().peekable();
        self.present.iter().map(move |&value| {
            let here = entries.next_if(|entry| entry.0 == value);
            (value, here.map_or(0, |entry| entry.1), self.rows_of(value))
        })
    }

    /// The greatest bound on protected values' shares, if all bounds are below 1.
    pub(super) fn greatest(&self, bound: impl Fn(u32) -> Option<Fraction>) -> Option<Fraction> {
        let one = fraction(1, 1);
        self.protected()
            .map(|value| bound(value).filter(|bound| *bound < one))
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .max()
    }
}
