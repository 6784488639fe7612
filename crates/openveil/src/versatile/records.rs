//! Rows of codes, column by column: what several tables are cut from.

use super::{ColumnSet, Error};
use std::collections::HashMap;

/// A table of dictionary-coded columns in which no column has a role by itself.
/// Which column stays secret from whom is a matter of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    columns: Vec<Vec<u32>>,
    rows: usize,
}

impl Records {
    /// Columns of one length, numbered in their order. O(columns).
    ///
    /// # Errors
    /// [`Error::TooManyColumns`], [`Error::UnequalColumns`];
    /// [`Error::EmptyTable`] without columns or rows.
    pub fn new(columns: Vec<Vec<u32>>) -> Result<Self, Error> {
        if columns.len() > super::MAX_COLUMNS {
            let found = columns.len();
            return Err(Error::TooManyColumns { found });
        }
        let rows = columns.first().map_or(0, Vec::len);
        if rows == 0 {
            return Err(Error::EmptyTable);
        }
        match columns.iter().position(|column| column.len() != rows) {
            Some(column) => Err(Error::UnequalColumns { column, rows }),
            None => Ok(Self { columns, rows }),
        }
    }

    /// Number of rows, at least 1.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All columns.
    pub fn all(&self) -> ColumnSet {
        ColumnSet::first(self.columns.len())
    }

    /// The codes of a column.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column(&self, column: usize) -> &[u32] {
        &self.columns[column]
    }

    /// One row's codes on some columns, in the order of their numbers.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn tuple(&self, row: usize, columns: ColumnSet) -> Vec<u32> {
        columns.iter().map(|c| self.columns[c][row]).collect()
    }

    /// Numbers the combinations of values on some columns in the order of their
    /// first row: the number of each row's combination, and how many there are.
    /// O(n · columns), whatever the size of the domains.
    pub fn classes(&self, columns: ColumnSet) -> (Vec<u32>, usize) {
        let mut classes = vec![0; self.rows];
        let mut count = 1;
        for column in columns.iter() {
            let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
            for (class, &code) in classes.iter_mut().zip(&self.columns[column]) {
                let next = numbers.len() as u32;
                *class = *numbers.entry((*class, code)).or_insert(next);
            }
            count = numbers.len();
        }
        (classes, count)
    }

    /// Checks that columns exist.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] names the first that does not.
    pub(super) fn check(&self, columns: ColumnSet) -> Result<(), Error> {
        match (columns - self.all()).least() {
            Some(column) => Err(Error::UnequalColumns {
                column,
                rows: self.rows,
            }),
            None => Ok(()),
        }
    }
}
