//! An exact simulation of the reader of several tables: enumerates all tables that fit a
//! publication, for tiny tables.
//!
//! Before the publication every arrangement of every column's values is equally likely to the
//! reader. The reader knows some columns of everybody, every column's histogram, the published
//! tables, and possibly dependencies. A world is an arrangement of the other columns that fits. Its
//! weight is the number of ways in which its rows can be the rows of the published groups, because
//! the anonymisation makes each of these random assignments equally often ([`Weighing::ByDeals`]).

mod candidates;
mod enumerate;
mod published;

pub use candidates::candidates;
pub use enumerate::{PublicationReader, Weighing, World};
pub use published::PublishedTable;

use super::RulesError;
use openveil_core::exact::{Fraction, fraction};
use openveil_core::table::ColumnSet;
use std::collections::BTreeMap;

/// The conclusions of a reader about everybody's combination of some columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posteriors {
    by_row: Vec<BTreeMap<Vec<u32>, u128>>,
    weight: u128,
    worlds: u64,
}

impl Posteriors {
    /// Computes everybody's distribution of the combination of the columns `about`, over all worlds
    /// that fit. Exponential in rows and columns.
    ///
    /// # Errors
    /// [`RulesError::BeyondLimit`] if more than `limit` partial arrangements would have to be
    /// visited; [`RulesError::Inconsistent`] if no world fits.
    pub fn new(
        reader: &PublicationReader,
        about: ColumnSet,
        limit: usize,
    ) -> Result<Self, RulesError> {
        let mut found = Self { by_row: vec![BTreeMap::new(); reader.rows()], weight: 0, worlds: 0 };
        reader.visit(about, limit, &mut |world| {
            found.worlds += 1;
            found.weight += world.weight;
            for (row, shares) in found.by_row.iter_mut().enumerate() {
                let combination = about.iter().map(|column| world.code(column, row));
                *shares.entry(combination.collect()).or_default() += world.weight;
            }
        })?;
        match found.worlds {
            0 => Err(RulesError::Inconsistent),
            _ => Ok(found),
        }
    }

    /// The number of worlds that fit, told apart by relevant columns only.
    pub fn worlds(&self) -> u64 {
        self.worlds
    }

    /// The chance of a combination for a person.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn chance(&self, row: usize, combination: &[u32]) -> Fraction {
        let weight = self.by_row[row].get(combination).copied().unwrap_or(0);
        fraction(weight, self.weight)
    }

    /// The likeliest combination of a person, the first of equals, and its chance.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn likeliest(&self, row: usize) -> (&[u32], Fraction) {
        let shares = self.by_row[row].iter();
        let best =
            shares.max_by_key(|(combination, weight)| (**weight, std::cmp::Reverse(*combination)));
        best.map_or((&[], fraction(0, 1)), |(combination, weight)| {
            (combination, fraction(*weight, self.weight))
        })
    }

    /// A person's combinations with their weights, ascending.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn weights(&self, row: usize) -> impl Iterator<Item = (&[u32], u128)> {
        self.by_row[row].iter().map(|(combination, weight)| (&combination[..], *weight))
    }

    /// The highest chance of any combination for any person.
    pub fn highest(&self) -> Fraction {
        let weights = self.by_row.iter().flat_map(|shares| shares.values());
        fraction(weights.copied().max().unwrap_or(0), self.weight)
    }
}
