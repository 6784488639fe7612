use super::{Column, Histogram, Secret, check_codes, check_rows};
use crate::Error;

/// A table as one reader's knowledge divides it: columns that the reader knows of
/// everybody, in an order, and what must stay secret.
///
/// This is what algorithms anonymise. One column can be known in one view of a
/// [`Table`](super::Table) and secret in another; views share its codes.
#[derive(Debug, Clone)]
pub struct View {
    known: Vec<Column>,
    secret: Secret,
}

impl View {
    /// Puts columns together and checks that they fit, in O(n · columns).
    ///
    /// # Errors
    /// [`Error::EmptyTable`], [`Error::TooManyRows`], [`Error::UnequalColumns`]
    /// or [`Error::CodeOutsideDomain`].
    pub fn new(known: Vec<Column>, secret: Secret) -> Result<Self, Error> {
        let rows = secret.codes().len();
        check_rows(rows)?;
        check_codes(secret.name(), secret.codes(), rows, secret.values())?;
        for column in &known {
            check_codes(column.name(), column.codes(), rows, column.domain().len())?;
        }
        Ok(Self { known, secret })
    }

    /// Columns of a table, which were checked when it was made.
    pub(super) fn of_table(known: Vec<Column>, secret: Secret) -> Self {
        Self { known, secret }
    }

    /// Number of rows: people in the table.
    pub fn rows(&self) -> usize {
        self.secret.codes().len()
    }

    /// The columns that the reader knows for everybody: the quasi-identifiers.
    pub fn known(&self) -> &[Column] {
        &self.known
    }

    /// What stays secret.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The same people with other values: `codes[row]` is a position in the same
    /// domain.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_secret_codes(&self, codes: Vec<u32>) -> Result<Self, Error> {
        let secret = self.secret.clone().with_codes(codes);
        check_codes(secret.name(), secret.codes(), self.rows(), secret.values())?;
        Ok(Self {
            known: self.known.clone(),
            secret,
        })
    }

    /// How many rows carry each secret value: public knowledge.
    pub fn histogram(&self) -> Histogram {
        Histogram::of(self.secret.codes(), self.secret.values())
    }
}
