//! Counts, in exact integers, of what a set of tables says about each person.

use super::predicate::Predicate;
use openveil_core::exact::{Fraction, fraction};
use std::sync::Arc;

/// A summary of a set of tables: how many there are, and in how many of them each person has each
/// value. Tables may be weighted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Census {
    unit_of: Arc<[u32]>,
    values: usize,
    tables: u128,
    /// By unit, then by value.
    counts: Vec<u128>,
}

impl Census {
    /// Returns the number of tables in the set, or the sum of their weights.
    pub fn tables(&self) -> u128 {
        self.tables
    }

    /// Returns the person's multiset of values over the set: a count per value.
    ///
    /// # Panics
    /// If there is no such person.
    pub fn counts(&self, person: usize) -> &[u128] {
        let start = self.unit_of[person] as usize * self.values;
        &self.counts[start..start + self.values]
    }

    /// Returns the person's posterior: a probability per value; all 0 if there are no tables.
    ///
    /// # Panics
    /// If there is no such person.
    pub fn posterior(&self, person: usize) -> Vec<Fraction> {
        self.counts(person).iter().map(|&count| fraction(count, self.tables.max(1))).collect()
    }

    /// Returns the greatest probability of any value of any person; 0 if there are no tables.
    pub fn highest_posterior(&self) -> Fraction {
        highest_share(&self.counts, self.tables)
    }

    /// Returns whether the property holds for every person. Without tables there is no conclusion,
    /// so it holds.
    pub fn satisfies(&self, predicate: &(impl Predicate + ?Sized)) -> bool {
        self.tables == 0 || rows_satisfy(&self.counts, self.values, predicate)
    }
}

/// Sums up tables one at a time; it can be reused after [`Counter::clear`].
/// [`super::TableSpace::add`] fills it.
///
/// People who cannot be told apart share a *unit* and are counted once.
#[derive(Debug, Clone)]
pub struct Counter {
    unit_of: Arc<[u32]>,
    values: usize,
    tables: u128,
    pub(super) sums: Vec<u128>,
}

impl Counter {
    /// Makes a counter of no tables for people in units; `unit_of[person]` counts from 0 without
    /// gaps.
    pub(super) fn new(unit_of: Arc<[u32]>, values: usize) -> Self {
        let units = unit_of.iter().max().map_or(0, |&last| last as usize + 1);
        Self { unit_of, values, tables: 0, sums: vec![0; units * values] }
    }

    /// Clears the counts.
    pub fn clear(&mut self) {
        self.tables = 0;
        self.sums.fill(0);
    }

    /// Returns the number of tables counted, or the sum of their weights.
    pub fn tables(&self) -> u128 {
        self.tables
    }

    /// Returns whether the property holds for every person; true if there are no tables.
    pub fn satisfies(&self, predicate: &(impl Predicate + ?Sized)) -> bool {
        self.tables == 0 || rows_satisfy(&self.sums, self.values, predicate)
    }

    /// Returns the greatest probability of any value of any person; 0 if there are no tables.
    pub fn highest_posterior(&self) -> Fraction {
        highest_share(&self.sums, self.tables)
    }

    /// Returns the census of the tables counted.
    pub fn census(&self) -> Census {
        Census {
            unit_of: Arc::clone(&self.unit_of),
            values: self.values,
            tables: self.tables,
            counts: self.sums.clone(),
        }
    }

    /// Adds a census of other tables of the same people.
    pub(super) fn add_census(&mut self, census: &Census) {
        self.tables += census.tables;
        let counts = census.counts.iter();
        self.sums.iter_mut().zip(counts).for_each(|(sum, c)| *sum += c);
    }

    pub(super) fn count_tables(&mut self, weight: u128) {
        self.tables += weight;
    }
}

fn rows_satisfy(counts: &[u128], values: usize, predicate: &(impl Predicate + ?Sized)) -> bool {
    counts.chunks_exact(values).all(|row| predicate.holds(row))
}

fn highest_share(counts: &[u128], tables: u128) -> Fraction {
    let highest = counts.iter().copied().max().unwrap_or(0);
    fraction(highest, tables.max(1))
}
