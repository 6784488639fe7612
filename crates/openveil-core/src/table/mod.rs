//! Tables of people: dictionary-coded columns, the division into known and secret columns, and
//! groups of rows.

mod column;
mod column_set;
mod domain;
mod groups;
mod histogram;
mod secret;
mod strata;
mod view;
mod worlds;

pub use column::{Column, Form, Members};
pub use column_set::{ColumnSet, MAX_COLUMNS};
pub use domain::{Domain, Generalization};
pub use groups::{Groups, NotAPartition};
pub use histogram::{Histogram, counted};
pub use secret::{ProtectedEach, Secret};
pub use strata::Stratum;
pub use view::View;
pub use worlds::{Worlds, histograms};

use crate::Error;
use rayon::prelude::*;
use std::collections::HashMap;

/// A table of people: one row per person, columns without roles.
///
/// A [`View`] decides which columns a reader knows and which stay secret. Identifiers and dropped
/// columns are removed before.
///
/// ```
/// use openveil_core::table::{Column, ColumnSet, Domain, PeopleTable};
///
/// let ages = Column::new("age", vec![0, 1, 1], Domain::integers([31, 34]));
/// let jobs = Column::new("job", vec![1, 0, 1], Domain::unordered(["clerk", "nurse"]));
/// let table = PeopleTable::new(vec![ages, jobs])?;
/// let view = table.view(ColumnSet::one(0), ColumnSet::one(1));
/// assert_eq!(view.secret().label(view.secret().codes()[0]), "nurse");
/// # Ok::<(), openveil_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PeopleTable {
    columns: Vec<Column>,
    rows: usize,
}

impl PeopleTable {
    /// Builds a table from columns and checks that they fit together. O(n · columns).
    ///
    /// # Errors
    /// [`Error::EmptyTable`] without rows or columns, [`Error::TooManyColumns`],
    /// [`Error::TooManyRows`], [`Error::UnequalColumns`] or
    /// [`Error::CodeOutsideDomain`].
    pub fn new(columns: Vec<Column>) -> Result<Self, Error> {
        if columns.len() > MAX_COLUMNS {
            return Err(Error::TooManyColumns { found: columns.len() });
        }
        let rows = columns.first().map_or(0, |column| column.codes().len());
        check_rows(rows)?;
        let checked: Vec<Result<(), Error>> = columns
            .par_iter()
            .map(|column| check_codes(column.name(), column.codes(), rows, column.domain().len()))
            .collect();
        checked.into_iter().collect::<Result<(), Error>>()?;
        Ok(Self { columns, rows })
    }

    /// Builds a table from the names and domains of its columns, without codes: its `rows` rows are
    /// stored elsewhere. Its views represent it once they are [counted](View::counted).
    ///
    /// # Errors
    /// [`Error::EmptyTable`], [`Error::TooManyColumns`] or [`Error::TooManyRows`].
    ///
    /// # Panics
    /// If a column has codes.
    pub fn elsewhere(columns: Vec<Column>, rows: usize) -> Result<Self, Error> {
        if columns.len() > MAX_COLUMNS {
            return Err(Error::TooManyColumns { found: columns.len() });
        }
        check_rows(rows)?;
        assert!(columns.iter().all(|column| column.codes().is_empty()));
        Ok(Self { columns, rows })
    }

    /// Builds a table from columns of codes without labels, numbered in their order.
    ///
    /// # Errors
    /// The errors of [`PeopleTable::new`].
    pub fn of_codes(columns: Vec<Vec<u32>>) -> Result<Self, Error> {
        Self::new(
            columns
                .into_iter()
                .enumerate()
                .map(|(number, codes): (usize, Vec<u32>)| {
                    let values = codes.iter().max().map_or(0, |&last| i64::from(last) + 1);
                    Column::new(number.to_string(), codes, Domain::integers(0..values))
                })
                .collect(),
        )
    }

    /// Number of rows, at least 1.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns in their order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// All columns, by number.
    pub fn all(&self) -> ColumnSet {
        ColumnSet::first(self.columns.len())
    }

    /// The codes of a column.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn codes(&self, column: usize) -> &[u32] {
        self.columns[column].codes()
    }

    /// The number of a column.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name() == name)
    }

    /// The names of a set's columns, in the order of their numbers.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn names_of(&self, set: ColumnSet) -> Vec<String> {
        set.iter().map(|column: usize| self.columns[column].name().to_owned()).collect()
    }

    /// Returns the view of a reader who knows the columns `known`. Several secret columns are
    /// protected as one combination. O(columns) for a single secret column.
    ///
    /// # Panics
    /// If a column does not exist, or none is secret.
    pub fn view(&self, known: ColumnSet, secret: ColumnSet) -> View {
        assert!(!secret.is_empty(), "a view has something secret");
        let secret: Vec<Secret> =
            secret.iter().map(|column| Secret::from_column(&self.columns[column])).collect();
        let known = known.iter().map(|column| self.columns[column].clone());
        View::of_table(known.collect(), Secret::combination(&secret))
    }

    /// One row's codes on some columns, in the order of their numbers.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn tuple(&self, row: usize, columns: ColumnSet) -> Vec<u32> {
        columns.iter().map(|c| self.codes(c)[row]).collect()
    }

    /// Numbers the combinations of values on some columns in the order of their first row. Returns
    /// the number of each row's combination, and how many combinations there are. O(n · columns),
    /// whatever the size of the domains.
    pub fn classes(&self, columns: ColumnSet) -> (Vec<u32>, usize) {
        let mut classes = vec![0; self.rows];
        let mut count = 1;
        for column in columns.iter() {
            let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
            for (class, &code) in classes.iter_mut().zip(self.codes(column)) {
                let next = numbers.len() as u32;
                *class = *numbers.entry((*class, code)).or_insert(next);
            }
            count = numbers.len();
        }
        (classes, count)
    }
}

fn check_rows(rows: usize) -> Result<(), Error> {
    match rows {
        0 => Err(Error::EmptyTable),
        _ if rows >= u32::MAX as usize => Err(Error::TooManyRows { rows }),
        _ => Ok(()),
    }
}

fn check_codes(column: &str, codes: &[u32], rows: usize, domain: usize) -> Result<(), Error> {
    if codes.len() != rows {
        return Err(Error::UnequalColumns {
            column: column.to_owned(),
            expected: rows,
            found: codes.len(),
        });
    }
    match codes.iter().max() {
        Some(&code) if code as usize >= domain => {
            Err(Error::CodeOutsideDomain { column: column.to_owned(), code, domain })
        }
        _ => Ok(()),
    }
}
