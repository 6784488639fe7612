#![doc = include_str!("proof.md")]

pub mod check;

use crate::algorithm::Settings;
use crate::coins::Coins;
use crate::history::{Book, Slot};
use crate::model::RatioDiversity;
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

    /// The sizes that occur, ascending, each with its number of ties. O(ties + largest size).
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
    /// [`Error::Ties`] with all sizes that cannot be published.
    pub fn check(&self, view: &View, ratio: RatioDiversity) -> Result<(), Error> {
        let classes = self.by_size(view);
        let refused = classes.iter().filter_map(|class| {
            let histogram = class.histogram(view);
            let cause = Book::default().admit(&histogram, ratio).err()?;
            let protected = vec![false; histogram.counts().len()];
            Some(RefusedStratum {
                stratum: in_words(class.size),
                cause: Box::new(cause.into()),
                largest_l: RatioDiversity::largest_l(&histogram, &protected),
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

    /// Makes groups in which a tie's rows are in different groups, all of one signature.
    ///
    /// Ties of one size are dealt into slots of one value, whole; the rows of a slot are arranged
    /// with those of the other slots of its signature. O(n log n), like
    /// [`cover`](fn@crate::algorithm::cover::cover).
    ///
    /// # Errors
    /// The errors of [`Ties::check`]; [`Error::TooManyQuasiIdentifiers`].
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
        // All sizes are checked before the first coin.
        self.check(view, ratio)?;
        let mut all = Groups::with_capacity(view.rows(), view.rows());
        for class in self.by_size(view) {
            let mut book = Book::default();
            let admission = book.admit(&class.histogram(view), ratio)?;
            let slot_of = book.enter(&admission, &class.values, coins);
            let slots = class.tie_of.iter().map(|&tie| slot_of[tie as usize]);
            let slots: Vec<Slot> = slots.collect();
            let part = view.of_rows(&class.rows)?;
            let groups = book.groups(&part, &slots, settings, coins)?;
            all.append(groups.renumbered(|row| class.rows[row as usize]));
        }
        Ok(all)
    }

    /// The ties of each size, sizes ascending. O(rows + largest size).
    fn by_size(&self, view: &View) -> Vec<TieClass> {
        let sizes = self.classes().into_iter().map(|(size, _)| size);
        let mut classes: Vec<TieClass> = sizes.map(TieClass::new).collect();
        let largest = classes.last().map_or(0, |class| class.size as usize);
        let mut class_of = vec![0; largest + 1];
        for (number, class) in classes.iter().enumerate() {
            class_of[class.size as usize] = number;
        }
        let mut number_of: Vec<Option<u32>> = vec![None; self.sizes.len()];
        let rows = self.of_row.iter().zip(view.secret().codes());
        for (row, (&tie, &value)) in (0..).zip(rows) {
            let class = &mut classes[class_of[self.sizes[tie as usize] as usize]];
            let number = *number_of[tie as usize].get_or_insert_with(|| {
                class.values.push(value);
                class.values.len() as u32 - 1
            });
            class.rows.push(row);
            class.tie_of.push(number);
        }
        classes
    }
}

/// The ties of one size, numbered in the order of their first rows.
struct TieClass {
    size: u32,
    /// Their rows, ascending.
    rows: Vec<u32>,
    /// The tie of each of these rows.
    tie_of: Vec<u32>,
    /// The value of each tie.
    values: Vec<u32>,
}

impl TieClass {
    fn new(size: u32) -> Self {
        Self {
            size,
            rows: Vec::new(),
            tie_of: Vec::new(),
            values: Vec::new(),
        }
    }

    /// How often each value occurs among the ties.
    fn histogram(&self, view: &View) -> Histogram {
        Histogram::of(&self.values, view.secret().values())
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
