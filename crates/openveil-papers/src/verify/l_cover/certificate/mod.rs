#![doc = include_str!("proof.md")]

mod check;

pub use check::{CertificateError, check};

use openveil_core::Error;
use openveil_core::model::RatioDiversity;
use openveil_core::release::check::Violation;
use openveil_core::table::{Groups, View};

/// Stands for the images of a row that needs none.
const NOBODY: u32 = u32::MAX;

/// The l-cover of a published partition: l − 1 images for every row with a protected value. It
/// belongs to the owner, and must never be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    covers: usize,
    /// `covers` images per row; [`NOBODY`] for rows that need none.
    images: Vec<u32>,
}

impl Certificate {
    /// Builds the certificate of a partition whose groups satisfy the model, by rotating each
    /// group. O(n · (l + log n)) time, 4(l − 1) bytes per row.
    ///
    /// # Errors
    /// [`Error::Violation`] if the groups are no partition of the table, or if one violates the
    /// model.
    pub fn new(table: &View, groups: &Groups, model: RatioDiversity) -> Result<Self, Error> {
        groups.check_partition(table.rows()).map_err(Violation::NotAPartition)?;
        let covers = model.l() as usize - 1;
        let mut images = vec![NOBODY; table.rows() * covers];
        let mut ring = Vec::new();
        for (group, rows) in groups.iter().enumerate() {
            ring.clear();
            ring.extend_from_slice(rows);
            let step = sort_by_value(table, &mut ring);
            if !model.allows(step as u64, rows.len() as u64) {
                return Err(Error::Violation(Violation::Model {
                    group: group + 1,
                    count: step as u32,
                    size: rows.len() as u32,
                    l: model.l(),
                }));
            }
            turn(table, &ring, step, covers, &mut images);
        }
        Ok(Self { covers, images })
    }

    /// Returns the number of images of every row: l − 1.
    pub fn covers(&self) -> usize {
        self.covers
    }

    /// Returns the images of a row; none if the row's value is exempt.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn images(&self, row: u32) -> &[u32] {
        let start = row as usize * self.covers;
        match &self.images[start..start + self.covers] {
            [NOBODY, ..] => &[],
            images => images,
        }
    }
}

/// Sorts the rows of a group by value, and returns the greatest count of a protected value.
fn sort_by_value(table: &View, ring: &mut [u32]) -> usize {
    let sensitive = table.secret();
    let value = |row: u32| sensitive.codes()[row as usize];
    ring.sort_unstable_by_key(|&row| value(row));
    let runs = ring.chunk_by(|&a, &b| value(a) == value(b));
    runs.filter(|run| !sensitive.exempt()[value(run[0]) as usize])
        .map(<[u32]>::len)
        .max()
        .unwrap_or(0)
}

/// Gives every protected row of a ring the rows `step`, 2 · `step`, … positions further.
fn turn(table: &View, ring: &[u32], step: usize, covers: usize, images: &mut [u32]) {
    let sensitive = table.secret();
    for (place, &row) in ring.iter().enumerate() {
        if sensitive.exempt()[sensitive.codes()[row as usize] as usize] {
            continue;
        }
        let start = row as usize * covers;
        let mut next = place;
        for image in &mut images[start..start + covers] {
            next += step;
            // (l − 1) · step is less than the ring's length, so one turn suffices.
            if next >= ring.len() {
                next -= ring.len();
            }
            *image = ring[next];
        }
    }
}

#[cfg(test)]
mod tests;
