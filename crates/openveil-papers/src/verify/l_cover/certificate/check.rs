//! The independent check of a certificate: it counts, and constructs nothing.

use super::Certificate;
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Groups, NotAPartition, View};

/// A fault in a certificate. Rows are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// Some row is missing or is in two groups.
    #[error(transparent)]
    NotAPartition(#[from] NotAPartition),
    /// The certificate is for another table or another l.
    #[error("the certificate is not for {rows} rows with {covers} images each")]
    Shape {
        /// Number of rows of the table.
        rows: usize,
        /// Number of images that every row needs, l − 1.
        covers: usize,
    },
    /// A row whose value is protected has no images.
    #[error("row {row} has no images, although its value is protected")]
    Uncovered {
        /// The row.
        row: u32,
    },
    /// An image is not in the row's group, or not in the table.
    #[error("row {image} cannot stand for row {row}: it is not in its group")]
    OtherGroup {
        /// The row.
        row: u32,
        /// Its image.
        image: u32,
    },
    /// An image has the value that it should conceal.
    #[error("row {image} cannot stand for row {row}: both have the same value")]
    OwnValue {
        /// The row.
        row: u32,
        /// Its image.
        image: u32,
    },
    /// Two images of a row have the same protected value.
    #[error("two images of row {row} have the same value")]
    SharedValue {
        /// The row.
        row: u32,
    },
    /// A row is an image twice for rows of the same value.
    #[error("row {image} stands for two rows of the same value, one of them row {row}")]
    Twice {
        /// The second of the rows.
        row: u32,
        /// The image.
        image: u32,
    },
}

/// Checks a certificate against the owner's table and the groups of a release: the three conditions
/// in this module's proof, for every row.
///
/// If all hold, every group satisfies the model. O(n · l + values) time.
///
/// # Errors
/// The first [`CertificateError`] found.
pub fn check(
    certificate: &Certificate,
    table: &View,
    groups: &Groups,
    model: RatioDiversity,
) -> Result<(), CertificateError> {
    groups.check_partition(table.rows())?;
    let covers = model.l() as usize - 1;
    if certificate.covers != covers || certificate.images.len() != table.rows() * covers {
        let rows = table.rows();
        return Err(CertificateError::Shape { rows, covers });
    }
    let mut checker = Checker::new(table, groups);
    for row in rows_by_value(table) {
        checker.check_row(row, certificate.images(row))?;
    }
    Ok(())
}

struct Checker<'a> {
    codes: &'a [u32],
    exempt: &'a [bool],
    group_of: Vec<u32>,
    /// By value: the last row with an image of it, plus 1.
    seen_for_row: Vec<u32>,
    /// By row: the last value that it was an image for, plus 1.
    stood_for: Vec<u32>,
}

impl<'a> Checker<'a> {
    fn new(table: &'a View, groups: &Groups) -> Self {
        let mut group_of = vec![0; table.rows()];
        for (number, rows) in groups.iter().enumerate() {
            for &row in rows {
                group_of[row as usize] = number as u32;
            }
        }
        Self {
            codes: table.secret().codes(),
            exempt: table.secret().exempt(),
            group_of,
            seen_for_row: vec![0; table.secret().values()],
            stood_for: vec![0; table.rows()],
        }
    }

    /// Checks one row. Rows have to be passed value by value.
    fn check_row(&mut self, row: u32, images: &[u32]) -> Result<(), CertificateError> {
        let own = self.codes[row as usize];
        if self.exempt[own as usize] {
            return Ok(());
        }
        if images.is_empty() {
            return Err(CertificateError::Uncovered { row });
        }
        for &image in images {
            if self.group_of.get(image as usize) != Some(&self.group_of[row as usize]) {
                return Err(CertificateError::OtherGroup { row, image });
            }
            let value = self.codes[image as usize];
            if value == own {
                return Err(CertificateError::OwnValue { row, image });
            }
            if !self.exempt[value as usize] && self.seen_for_row[value as usize] == row + 1 {
                return Err(CertificateError::SharedValue { row });
            }
            self.seen_for_row[value as usize] = row + 1;
            if self.stood_for[image as usize] == own + 1 {
                return Err(CertificateError::Twice { row, image });
            }
            self.stood_for[image as usize] = own + 1;
        }
        Ok(())
    }
}

/// Returns all rows, value by value.
fn rows_by_value(table: &View) -> Vec<u32> {
    let codes = table.secret().codes();
    let mut next = vec![0usize; table.secret().values() + 1];
    for &code in codes {
        next[code as usize + 1] += 1;
    }
    for value in 1..next.len() {
        next[value] += next[value - 1];
    }
    let mut rows = vec![0; codes.len()];
    for (row, &code) in codes.iter().enumerate() {
        rows[next[code as usize]] = row as u32;
        next[code as usize] += 1;
    }
    rows
}
