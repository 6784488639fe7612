//! Which groups cover a person: a bit per group, column and value.

use super::BeliefError;
use crate::release::{Cells, Release};
use crate::table::View;

/// The most words of 64 groups that are kept: 512 MiB.
const MAX_WORDS: u64 = 1 << 26;

/// For each code of each quasi-identifier, the groups whose cell covers it.
pub(super) struct Covering {
    /// Words of 64 groups per code.
    words: usize,
    /// Per column, the words of all its codes end to end.
    columns: Vec<Vec<u64>>,
}

impl Covering {
    /// Reads the cells of a generalised release.
    pub(super) fn of(release: &Release, table: &View) -> Result<Self, BeliefError> {
        let words = release.group_count().div_ceil(64);
        let columns = table.known().iter();
        let codes: u64 = columns.map(|column| column.domain().len() as u64).sum();
        if codes * words as u64 > MAX_WORDS {
            return Err(BeliefError::TooLarge {
                what: "words of 64 groups for all values of quasi-identifiers",
                needed: codes * words as u64,
                limit: MAX_WORDS,
            });
        }
        let columns = table.known().iter().zip(release.cells());
        let columns = columns.map(|(column, cells)| {
            let mut bits = vec![0u64; column.domain().len() * words];
            for group in 0..release.group_count() {
                let mut mark =
                    |code: u32| bits[code as usize * words + group / 64] |= 1 << (group % 64);
                match cells {
                    Cells::Intervals(bounds) => (bounds[group].0..=bounds[group].1).for_each(mark),
                    Cells::Nodes(nodes) => (nodes[group].0.0..=nodes[group].0.1).for_each(mark),
                    Cells::Sets { .. } => cells.members(group).iter().for_each(|&code| mark(code)),
                    Cells::Exact(codes) => {
                        let rows = release.group_rows(group);
                        codes[rows].iter().for_each(|&code| mark(code));
                    }
                }
            }
            bits
        });
        Ok(Self {
            words,
            columns: columns.collect(),
        })
    }

    /// Calls for each group that covers a row of the table, ascending. Without
    /// quasi-identifiers every group does.
    pub(super) fn each_group(&self, table: &View, row: u32, mut call: impl FnMut(usize)) {
        let columns = table.known().iter().zip(&self.columns);
        let columns: Vec<&[u64]> = columns
            .map(|(column, bits)| {
                let start = column.codes()[row as usize] as usize * self.words;
                &bits[start..start + self.words]
            })
            .collect();
        for word in 0..self.words {
            let mut bits = columns
                .iter()
                .fold(u64::MAX, |bits, column| bits & column[word]);
            while bits != 0 {
                call(word * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}
