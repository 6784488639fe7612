//! Tables of people: dictionary-coded columns, and the groups that cut them up.

mod domain;
mod groups;
mod quasi_identifier;
mod sensitive;

pub use domain::{Domain, Generalization};
pub use groups::{Groups, NotAPartition};
pub use quasi_identifier::QuasiIdentifier;
pub use sensitive::Sensitive;

use crate::Error;
use crate::histogram::Histogram;

/// A table of people: one row per person, quasi-identifiers that an adversary
/// knows, and one sensitive column that stays secret.
///
/// Identifiers and dropped columns never get this far.
#[derive(Debug, Clone)]
pub struct Table {
    quasi_identifiers: Vec<QuasiIdentifier>,
    sensitive: Sensitive,
}

impl Table {
    /// Puts columns together and checks that they fit, in O(n · columns).
    ///
    /// # Errors
    /// [`Error::EmptyTable`], [`Error::TooManyRows`], [`Error::UnequalColumns`]
    /// or [`Error::CodeOutsideDomain`].
    pub fn new(
        quasi_identifiers: Vec<QuasiIdentifier>,
        sensitive: Sensitive,
    ) -> Result<Self, Error> {
        let rows = sensitive.codes().len();
        if rows == 0 {
            return Err(Error::EmptyTable);
        }
        if rows >= u32::MAX as usize {
            return Err(Error::TooManyRows { rows });
        }
        check_codes(sensitive.name(), sensitive.codes(), sensitive.values())?;
        for column in &quasi_identifiers {
            if column.codes().len() != rows {
                return Err(Error::UnequalColumns {
                    column: column.name().to_owned(),
                    expected: rows,
                    found: column.codes().len(),
                });
            }
            check_codes(column.name(), column.codes(), column.domain().len())?;
        }
        Ok(Self {
            quasi_identifiers,
            sensitive,
        })
    }

    /// Number of rows: people in the table.
    pub fn rows(&self) -> usize {
        self.sensitive.codes().len()
    }

    /// The columns that an adversary knows for everybody.
    pub fn quasi_identifiers(&self) -> &[QuasiIdentifier] {
        &self.quasi_identifiers
    }

    /// The column that stays secret.
    pub fn sensitive(&self) -> &Sensitive {
        &self.sensitive
    }

    /// How many rows carry each sensitive value: public knowledge.
    pub fn histogram(&self) -> Histogram {
        Histogram::of(self.sensitive.codes(), self.sensitive.values())
    }
}

fn check_codes(column: &str, codes: &[u32], domain: usize) -> Result<(), Error> {
    match codes.iter().max() {
        Some(&code) if code as usize >= domain => Err(Error::CodeOutsideDomain {
            column: column.to_owned(),
            code,
            domain,
        }),
        _ => Ok(()),
    }
}
