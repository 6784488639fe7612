//! Columns by number, sets of them, and their names.

use super::Error;
use std::fmt;
use std::ops::{BitAnd, BitOr, Sub};

/// The most columns that rules and schemas can speak of: bits of a [`ColumnSet`].
pub const MAX_COLUMNS: usize = 128;

/// A set of columns, by number (0 … 127). Copied and compared like a number.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnSet(u128);

impl ColumnSet {
    /// No columns.
    pub const EMPTY: Self = Self(0);

    /// The set of one column.
    ///
    /// # Panics
    /// If `column` is not below [`MAX_COLUMNS`] ([`Columns`] hands out no such number).
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

    /// Whether there is no column in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of columns in it.
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
        columns
            .into_iter()
            .fold(Self::EMPTY, |set, column| set | Self::one(column))
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

/// The names of a table's columns: where rules are written, columns have names;
/// where they are reasoned about, numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    names: Vec<String>,
}

impl Columns {
    /// Numbers columns in the order of their names.
    ///
    /// # Errors
    /// [`Error::TooManyColumns`], [`Error::DuplicateColumn`].
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() > MAX_COLUMNS {
            return Err(Error::TooManyColumns { found: names.len() });
        }
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(Error::DuplicateColumn {
                column: names[twice].clone(),
            });
        }
        Ok(Self { names })
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All columns.
    pub fn all(&self) -> ColumnSet {
        ColumnSet::first(self.len())
    }

    /// The name of a column.
    ///
    /// # Panics
    /// If there is no column of this number.
    pub fn name(&self, column: usize) -> &str {
        &self.names[column]
    }

    /// The names in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of a set's columns, in the order of their numbers.
    pub fn names_of(&self, set: ColumnSet) -> Vec<&str> {
        set.iter().map(|column| self.name(column)).collect()
    }

    /// The number of a column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn number(&self, name: &str) -> Result<usize, Error> {
        self.names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| Error::UnknownColumn {
                column: name.to_owned(),
            })
    }

    /// The set of some names.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn set<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<ColumnSet, Error> {
        names.into_iter().map(|name| self.number(name)).collect()
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

    #[test]
    fn names_are_checked() {
        let columns = Columns::new(["age", "race"]).unwrap();
        assert_eq!(columns.set(["race"]), Ok(ColumnSet::one(1)));
        let unknown = columns.set(["rase"]).unwrap_err();
        assert_eq!(unknown.to_string(), "there is no column `rase`");
        assert!(Columns::new(["a", "b", "a"]).is_err());
        let many = (0..=MAX_COLUMNS).map(|i| i.to_string());
        let message = Columns::new(many).unwrap_err().to_string();
        assert!(
            message.contains("129 columns") && message.contains("128"),
            "{message}"
        );
    }
}
