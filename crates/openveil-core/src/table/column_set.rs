//! Sets of columns, by number.

use std::fmt;
use std::ops::{BitAnd, BitOr, Sub};

/// The most columns that a table can have: bits of a [`ColumnSet`].
pub const MAX_COLUMNS: usize = 128;

/// A set of columns, by number (0 … 127). Copied and compared like a number.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnSet(u128);

impl ColumnSet {
    /// No columns.
    pub const EMPTY: Self = Self(0);

    /// Returns the set of one column.
    ///
    /// # Panics
    /// If `column` is not below [`MAX_COLUMNS`]; a [`PeopleTable`](super::PeopleTable) has no such
    /// column.
    pub fn one(column: usize) -> Self {
        assert!(column < MAX_COLUMNS, "column number {column}");
        Self(1 << column)
    }

    /// The columns 0 … `count` − 1.
    ///
    /// # Panics
    /// If `count` is above [`MAX_COLUMNS`].
    pub fn first(count: usize) -> Self {
        (0..count).collect()
    }

    /// Whether a column is in the set.
    pub fn contains(self, column: usize) -> bool {
        column < MAX_COLUMNS && self.0 >> column & 1 == 1
    }

    /// Whether every column of this set is in the other.
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the sets share a column.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of columns in the set.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The columns in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let column = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(column)
        })
    }

    /// The least column, if any.
    pub fn least(self) -> Option<usize> {
        self.iter().next()
    }
}

impl FromIterator<usize> for ColumnSet {
    fn from_iter<I: IntoIterator<Item = usize>>(columns: I) -> Self {
        columns.into_iter().fold(Self::EMPTY, |set, column| set | Self::one(column))
    }
}

impl BitOr for ColumnSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for ColumnSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Sub for ColumnSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl fmt::Debug for ColumnSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_like_sets() {
        let set: ColumnSet = [5, 0, 127].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 5, 127]);
        assert_eq!((set.len(), set.least()), (3, Some(0)));
        assert!(set.contains(127) && !set.contains(1) && !set.contains(500));
        assert_eq!(set - ColumnSet::one(5), [0, 127].into_iter().collect());
        assert!(ColumnSet::EMPTY.is_subset(set) && !set.meets(ColumnSet::one(1)));
        assert_eq!(ColumnSet::first(MAX_COLUMNS).len(), MAX_COLUMNS);
    }
}
