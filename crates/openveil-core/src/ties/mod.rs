#![doc = include_str!("proof.md")]

pub mod check;

use crate::algorithm::{Algorithm, Settings};
use crate::coins::Coins;
use crate::model::{Model, RatioDiversity};
use crate::table::{Groups, View};
use crate::{Error, RefusedStratum};
use std::num::NonZeroU32;

/// Which rows of a table are tied to each other: rows of one tie have one secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ties {
    /// By row, the number of its tie.
    of_row: Vec<u32>,
    /// By tie, its number of rows.
    sizes: Vec<u32>,
}

impl Ties {
    /// Ties by row, numbered from 0.
    pub fn new(of_row: Vec<u32>) -> Self {
        let ties = of_row.iter().max().map_or(0, |&last| last as usize + 1);
        let mut sizes = vec![0; ties];
        of_row.iter().for_each(|&tie| sizes[tie as usize] += 1);
        Self { of_row, sizes }
    }

    /// By row, the number of its tie.
    pub fn of_row(&self) -> &[u32] {
        &self.of_row
    }

    /// Two rows of one tie with different codes, if there are any. O(rows).
    ///
    /// # Panics
    /// If there is not one code per row.
    pub fn differing(&self, codes: &[u32]) -> Option<(u32, u32)> {
        assert_eq!(codes.len(), self.of_row.len(), "one code per row");
        let mut first: Vec<Option<u32>> = vec![None; self.sizes.len()];
        (0..).zip(&self.of_row).find_map(|(row, &tie)| {
            let first = *first[tie as usize].get_or_insert(row);
            (codes[first as usize] != codes[row as usize]).then_some((first, row))
        })
    }

    /// The sizes that occur, ascending, each with its number of ties. O(ties + largest size).
    pub fn classes(&self) -> Vec<(u32, u32)> {
        let largest = self.sizes.iter().max().map_or(0, |&size| size as usize);
        let mut ties = vec![0; largest + 1];
        self.sizes.iter().for_each(|&size| ties[size as usize] += 1);
        (0..).zip(ties).filter(|&(size, ties)| size > 0 && ties > 0).collect()
    }

    /// The ties of each size as a table, sizes ascending. O(rows · columns · log of the largest size).
    ///
    /// # Panics
    /// If the rows of a tie have different values ([`Ties::differing`]).
    pub fn tables(&self, view: &View) -> TieTables {
        assert_eq!(self.differing(view.secret().codes()), None, "one value per tie");
        let mut rows_of: Vec<Vec<u32>> =
            self.sizes.iter().map(|&size| Vec::with_capacity(size as usize)).collect();
        for (row, &tie) in (0..).zip(&self.of_row) {
            rows_of[tie as usize].push(row);
        }
        rows_of.retain(|rows| !rows.is_empty());
        // Ties of a size stay in the order of their first rows.
        rows_of.sort_by_key(|rows| (rows.len(), rows[0]));
        let classes = rows_of.chunk_by(|a, b| a.len() == b.len());
        TieTables(classes.map(|ties| TieClass::new(view, ties)).collect())
    }
}

/// The ties of each size, as tables with one row for each tie.
#[derive(Debug)]
pub struct TieTables(Vec<TieClass>);

impl TieTables {
    /// Checks, without tossing a coin, that an algorithm can publish the ties of every size by
    /// themselves.
    ///
    /// # Errors
    /// [`Error::Ties`] with all sizes whose values allow no release; the other errors of
    /// [`Algorithm::check_with`].
    pub fn check(
        &self,
        model: &Model,
        algorithm: &dyn Algorithm,
        settings: &Settings,
    ) -> Result<(), Error> {
        let mut refused = Vec::new();
        for class in &self.0 {
            match algorithm.check_with(&class.view, model, settings) {
                Err(cause @ (Error::Ineligible(_) | Error::Unsatisfiable(_))) => {
                    refused.push(RefusedStratum {
                        stratum: in_words(class.size),
                        cause: Box::new(cause),
                        largest_l: RatioDiversity::largest_l_of(&class.view),
                    });
                }
                checked => checked?,
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        Err(Error::Ties { refused, sizes: self.0.len() })
    }

    /// The fewest ties of a group, for each size that occurs: a function of settings and of the
    /// number of ties. O(sizes).
    pub fn smallest_groups(&self, settings: &Settings) -> Vec<NonZeroU32> {
        self.0.iter().map(|class| settings.smallest_group(&[&class.view])).collect()
    }

    /// Makes groups of ties of one size, in which the rows of a tie are together. The algorithm
    /// groups the ties of each size as if each were one person.
    ///
    /// # Errors
    /// The errors of [`TieTables::check`] and of [`Algorithm::partition_with`].
    pub fn groups(
        &self,
        model: &Model,
        algorithm: &dyn Algorithm,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        // All sizes are checked before the first coin.
        self.check(model, algorithm, settings)?;
        let rows = self.0.iter().map(|class| class.rows.len()).sum();
        let mut all = Groups::with_capacity(rows, rows);
        for class in &self.0 {
            let own = algorithm.partition_with(&class.view, model, settings, coins)?;
            all.append(own.multiplied(|tie| class.rows_of(tie)));
        }
        Ok(all)
    }
}

/// The ties of one size.
#[derive(Debug)]
struct TieClass {
    size: u32,
    /// Their rows, tie after tie.
    rows: Vec<u32>,
    /// A table with one row for each tie.
    view: View,
}

impl TieClass {
    /// A tie's known value is the middle one of its rows: ties in one group are alike.
    fn new(view: &View, ties: &[Vec<u32>]) -> Self {
        let mut own = Vec::new();
        let mut middle = |rows: &Vec<u32>, codes: &[u32]| {
            own.clear();
            own.extend(rows.iter().map(|&row| codes[row as usize]));
            let middle = (own.len() - 1) / 2;
            *own.select_nth_unstable(middle).1
        };
        let known = view
            .known()
            .iter()
            .map(|column| {
                let codes = ties.iter().map(|rows| middle(rows, column.codes()));
                column.clone().with_codes(codes.collect())
            })
            .collect();
        let first: Vec<u32> = ties.iter().map(|rows| rows[0]).collect();
        let firsts = view.of_rows(&first).expect("a class has ties");
        Self {
            size: ties[0].len() as u32,
            rows: ties.concat(),
            view: firsts.with_known(known).expect("one code per tie"),
        }
    }

    fn rows_of(&self, tie: u32) -> &[u32] {
        let size = self.size as usize;
        &self.rows[tie as usize * size..][..size]
    }
}

/// `single rows`, or `ties of 3 rows`.
fn in_words(size: u32) -> String {
    match size {
        1 => "single rows".to_owned(),
        size => format!("ties of {size} rows"),
    }
}

#[cfg(test)]
mod tests;
