//! People with complete known codes: the people that a release shows, or possible ones.

use crate::evidence::{Evidence, Meaning, ShownCodes};
use crate::model::KnownLevels;
use crate::model::ModelShape;
use openveil_core::coins::{Coins, shuffle};

/// One code per row and known column.
#[derive(Debug, Clone)]
pub struct People {
    codes: Vec<Vec<u32>>,
}

impl People {
    /// Draws people that fit a release: if it does not show which row has which code, random draws
    /// decide.
    pub(crate) fn possible(evidence: &Evidence, coins: &mut dyn Coins) -> Self {
        let column = |shown: &ShownCodes| match shown {
            ShownCodes::Rows(codes) => codes.clone(),
            ShownCodes::Shuffled(codes) => {
                let mut codes = codes.clone();
                for rows in evidence.classes() {
                    shuffle(&mut codes[rows.clone()], coins);
                }
                codes
            }
            ShownCodes::Cells { ends, ranges } => {
                let mut codes = vec![0; evidence.rows()];
                let mut start = 0;
                for (rows, &end) in evidence.classes().iter().zip(ends) {
                    let cell = &ranges[start as usize..end as usize];
                    for row in rows.clone() {
                        codes[row] = drawn(cell, coins);
                    }
                    start = end;
                }
                codes
            }
        };
        Self { codes: evidence.known().iter().map(column).collect() }
    }

    /// The codes of a known column, by row.
    pub fn codes(&self, column: usize) -> &[u32] {
        &self.codes[column]
    }

    pub(crate) fn columns(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn code_mut(&mut self, column: usize) -> &mut [u32] {
        &mut self.codes[column]
    }

    /// The levels of the people in the model.
    pub(crate) fn levels(&self, shape: &ModelShape) -> KnownLevels {
        shape.levels(self.codes.iter().map(Vec::as_slice))
    }

    /// These people as columns of a table.
    pub(crate) fn columns_of(&self, meaning: &Meaning) -> Vec<openveil_core::table::Column> {
        meaning
            .known
            .iter()
            .zip(&self.codes)
            .map(|(column, codes)| column.clone().with_codes(codes.clone()))
            .collect()
    }
}

/// Draws a code of a cell; all codes are equally likely.
pub(crate) fn drawn(cell: &[(u32, u32)], coins: &mut dyn Coins) -> u32 {
    let all: u32 = cell.iter().map(|(low, high)| high - low + 1).sum();
    let mut left = coins.below(all.max(1));
    for &(low, high) in cell {
        let own = high - low + 1;
        if left < own {
            return low + left;
        }
        left -= own;
    }
    cell.first().map_or(0, |&(low, _)| low)
}
