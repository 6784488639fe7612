#![doc = include_str!("proof.md")]

pub mod check;

use crate::algorithm::Settings;
use crate::coins::Coins;
use crate::history::{Book, Slot};
use crate::model::{Ineligible, RatioDiversity};
use crate::table::{Groups, Histogram, View};
use crate::{Error, RefusedStratum};

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

    /// The sizes that there are, ascending, each with its number of ties. O(ties + largest size).
    pub fn classes(&self) -> Vec<(u32, u32)> {
        let largest = self.sizes.iter().max().map_or(0, |&size| size as usize);
        let mut ties = vec![0; largest + 1];
        self.sizes.iter().for_each(|&size| ties[size as usize] += 1);
        let counted = (0..).zip(ties);
        counted
            .filter(|&(size, ties)| size > 0 && ties > 0)
            .collect()
    }

    /// Checks, without tossing a coin, that the ties of every size can be published by themselves.
    ///
    /// # Errors
    /// [`Error::Ties`] with all sizes that cannot.
    pub fn check(&self, view: &View, ratio: RatioDiversity) -> Result<(), Error> {
        let classes = self.classes();
        let refused = classes.iter().filter_map(|&(size, _)| {
            let histogram = self.histogram(view, size);
            let cause = self.admitted(&histogram, ratio).err()?;
            Some(RefusedStratum {
                stratum: in_words(size),
                cause: Box::new(cause.into()),
                largest_l: RatioDiversity::largest_l(
                    &histogram,
                    &vec![false; histogram.counts().len()],
                ),
            })
        });
        let refused: Vec<RefusedStratum> = refused.collect();
        if refused.is_empty() {
            return Ok(());
        }
        Err(Error::Ties {
            refused,
            sizes: classes.len(),
        })
    }

    /// Groups in which a tie's rows stand apart from each other, each in a group of one signature.
    ///
    /// Ties of one size are dealt into slots of one value, whole; the rows of a slot are arranged with
    /// those of the other slots of its signature. O(n log n), as [`cover`](fn@crate::algorithm::cover::cover).
    ///
    /// # Errors
    /// As [`Ties::check`]; [`Error::TooManyQuasiIdentifiers`].
    ///
    /// # Panics
    /// If the rows of a tie have different values ([`Ties::differing`]).
    pub fn groups(
        &self,
        view: &View,
        ratio: RatioDiversity,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        assert_eq!(
            self.differing(view.secret().codes()),
            None,
            "one value per tie"
        );
        // All sizes are looked at before the first coin.
        self.check(view, ratio)?;
        let mut all = Groups::with_capacity(view.rows(), view.rows());
        for (size, _) in self.classes() {
            let rows = self.rows_of_size(size);
            let (slots, book) = self.dealt(view, size, ratio, coins)?;
            let slots: Vec<Slot> = rows
                .iter()
                .map(|&row| slots[self.of_row[row as usize] as usize])
                .collect();
            let part = view.of_rows(&rows)?;
            let groups = book.groups(&part, &slots, settings, coins)?;
            all.append(groups.renumbered(|row| rows[row as usize]));
        }
        Ok(all)
    }

    /// The slot of every tie of a size, and the book that says what slots mean.
    fn dealt(
        &self,
        view: &View,
        size: u32,
        ratio: RatioDiversity,
        coins: &mut dyn Coins,
    ) -> Result<(Vec<Slot>, Book), Error> {
        let (ties, values) = self.values(view, size);
        let admission = self.admitted(&self.histogram(view, size), ratio)?;
        let mut book = Book::default();
        let mut slots = vec![Slot(u32::MAX); self.sizes.len()];
        let entered = book.enter(&admission, &values, coins);
        for (tie, slot) in ties.into_iter().zip(entered) {
            slots[tie as usize] = slot;
        }
        Ok((slots, book))
    }

    /// Groups of the ties with a histogram.
    fn admitted(
        &self,
        histogram: &Histogram,
        ratio: RatioDiversity,
    ) -> Result<crate::history::Admission, Ineligible> {
        Book::default().admit(histogram, ratio)
    }

    /// How often each value occurs among the ties of a size.
    fn histogram(&self, view: &View, size: u32) -> Histogram {
        Histogram::of(&self.values(view, size).1, view.secret().values())
    }

    /// The ties of a size, in the order of their first rows, and their values.
    fn values(&self, view: &View, size: u32) -> (Vec<u32>, Vec<u32>) {
        let mut seen = vec![false; self.sizes.len()];
        let codes = view.secret().codes();
        let firsts = self.of_row.iter().zip(codes).filter(|(tie, _)| {
            self.sizes[**tie as usize] == size
                && !std::mem::replace(&mut seen[**tie as usize], true)
        });
        firsts.map(|(&tie, &code)| (tie, code)).unzip()
    }

    /// The rows of ties of a size, ascending.
    fn rows_of_size(&self, size: u32) -> Vec<u32> {
        let rows = (0..).zip(&self.of_row);
        let of_size = rows.filter(|(_, tie)| self.sizes[**tie as usize] == size);
        of_size.map(|(row, _)| row).collect()
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
