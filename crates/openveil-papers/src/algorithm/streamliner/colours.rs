//! Colours: the rows that share a sensitive value.

use openveil_core::coins::{Coins, shuffle};
use openveil_core::exact::share_at_most;
use openveil_core::table::View;
use std::ops::Range;

/// The rows of a table by sensitive value.
///
/// A *colour* is the set of all people with the same sensitive value (Privacy Streamliner, section
/// 2.1). Colours are in the order of their values' codes, and rows within a colour are ascending;
/// values that do not occur have no colour.
#[derive(Debug, Clone)]
pub struct Colours {
    rows: Vec<u32>,
    starts: Vec<u32>,
    values: Vec<u32>,
    colour_of: Vec<u32>,
}

impl Colours {
    /// Returns the colours of a table, in O(n + values).
    pub fn new(table: &View) -> Self {
        Self::of_codes(table.secret().codes())
    }

    /// Returns the colours of a column of codes, in O(n + greatest code).
    pub fn of_codes(codes: &[u32]) -> Self {
        let domain = codes.iter().max().map_or(0, |&code| code as usize + 1);
        let mut colour_of_value = vec![0u32; domain];
        for &code in codes {
            colour_of_value[code as usize] += 1;
        }
        let mut starts = vec![0];
        let mut values = Vec::new();
        for (value, slot) in colour_of_value.iter_mut().enumerate() {
            if *slot > 0 {
                starts.push(starts[values.len()] + *slot);
                *slot = values.len() as u32;
                values.push(value as u32);
            }
        }
        let colour_of: Vec<u32> =
            codes.iter().map(|&code| colour_of_value[code as usize]).collect();
        Self { rows: sorted_by_colour(&colour_of, &starts), starts, values, colour_of }
    }

    /// Returns the number of colours, which are the values that occur.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no colours, and therefore no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the number of rows in all colours together.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the rows of one colour, ascending.
    pub fn get(&self, colour: usize) -> &[u32] {
        &self.rows[self.range(colour)]
    }

    /// Returns the code of a colour's sensitive value.
    pub fn value(&self, colour: usize) -> u32 {
        self.values[colour]
    }

    /// Returns the colour of a row.
    pub fn colour_of(&self, row: u32) -> u32 {
        self.colour_of[row as usize]
    }

    /// Returns the rows of each colour.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|colour| self.get(colour))
    }

    /// Returns whether no colour has more than one row in `l` (section 2.1).
    pub fn is_eligible(&self, l: u32) -> bool {
        let rows = self.row_count() as u64;
        self.iter().all(|colour| share_at_most(colour.len() as u64, rows, l))
    }

    /// Returns the number of rows of each colour.
    pub(super) fn sizes(&self) -> Vec<u32> {
        self.iter().map(|colour| colour.len() as u32).collect()
    }

    /// Returns the positions of a colour's rows in [`Colours::rows`].
    pub(super) fn range(&self, colour: usize) -> Range<usize> {
        self.starts[colour] as usize..self.starts[colour + 1] as usize
    }

    /// Returns all rows, colour by colour.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns as many places of each colour as it has rows, numbered by position in
    /// [`Colours::rows`]. They are equal for all tables with the same histogram.
    pub(super) fn places(&self) -> Self {
        let sizes = self.sizes().into_iter().zip(0..);
        Self {
            rows: (0..self.rows.len() as u32).collect(),
            colour_of: sizes
                .flat_map(|(size, colour)| std::iter::repeat_n(colour, size as usize))
                .collect(),
            ..self.clone()
        }
    }

    /// Puts the rows of every colour into its places in random order; returns the row of each
    /// place. O(n).
    pub(super) fn seated(&self, coins: &mut dyn Coins) -> Vec<u32> {
        let mut seated = self.rows.clone();
        for colour in 0..self.len() {
            shuffle(&mut seated[self.range(colour)], coins);
        }
        seated
    }
}

/// Counting sort: returns the rows of each colour, concatenated.
fn sorted_by_colour(colour_of: &[u32], starts: &[u32]) -> Vec<u32> {
    let mut next = starts.to_vec();
    let mut rows = vec![0; colour_of.len()];
    for (row, &colour) in colour_of.iter().enumerate() {
        let place = &mut next[colour as usize];
        rows[*place as usize] = row as u32;
        *place += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_do_not_occur_have_no_colour() {
        let colours = Colours::of_codes(&[4, 1, 4, 7, 1]);
        let rows: Vec<&[u32]> = colours.iter().collect();
        assert_eq!(rows, [&[1, 4][..], &[0, 2], &[3]]);
        assert_eq!([0, 1, 2].map(|colour| colours.value(colour)), [1, 4, 7]);
        assert_eq!([0, 1, 3].map(|row| colours.colour_of(row)), [1, 0, 2]);
        assert!(colours.is_eligible(2));
        assert!(!colours.is_eligible(3));
    }
}
