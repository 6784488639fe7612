//! How many rows of each column are in each region.

use super::Regions;
use super::layout::ChunkLayout;

/// Which columns are cut up: the columns of units that have more rows than a chunk may have. Their
/// rows are counted by region, so each region of such a column is a *lot*. Every other column is
/// one lot.
#[derive(Debug, Clone)]
pub struct Grid {
    /// The first lot of each column, followed by the number of lots.
    lots: Vec<usize>,
    /// Rows of each column.
    rows: Vec<u32>,
    most_rows: u32,
}

impl Grid {
    /// A grid for chunks of at most `most_rows` rows, where units can be cut that far. O(values ·
    /// columns).
    ///
    /// # Panics
    /// If `most_rows` is 0.
    pub fn new(layout: &ChunkLayout, most_rows: u32, regions: &Regions) -> Self {
        assert!(most_rows > 0, "chunks have rows");
        let mut lots = vec![0];
        for unit in layout.units() {
            let own = if unit.is_cut(most_rows) {
                regions.count() as usize
            } else {
                1
            };
            for _ in 0..unit.columns {
                lots.push(lots[lots.len() - 1] + own);
            }
        }
        let mut rows = vec![0; layout.columns()];
        for lot in 0..layout.values().lots() {
            for share in layout.values().shares(lot) {
                rows[share.to as usize] += share.rows;
            }
        }
        Self {
            lots,
            rows,
            most_rows,
        }
    }

    /// Number of lots.
    pub fn lots(&self) -> usize {
        self.lots[self.rows.len()]
    }

    /// The lot of a column's rows in a region; the region does not matter where the column
    /// is not cut up.
    #[inline]
    pub fn lot(&self, column: u32, region: u32) -> usize {
        let column = column as usize;
        let first = self.lots[column];
        match self.lots[column + 1] - first {
            1 => first,
            _ => first + region as usize,
        }
    }

    /// Whether the lots of every column have as many rows as the layout gives it.
    pub fn fits(&self, rows: &[u32]) -> bool {
        let of_column = |(column, &expected): (usize, &u32)| {
            let own = self.of_column(column, rows).iter();
            let own: u64 = own.map(|&rows| u64::from(rows)).sum();
            own == u64::from(expected)
        };
        rows.len() == self.lots() && self.rows.iter().enumerate().all(of_column)
    }

    /// The part of `rows`, which has an entry for every lot, that belongs to one column.
    pub(in crate::algorithm) fn of_column<'a>(&self, column: usize, rows: &'a [u32]) -> &'a [u32] {
        &rows[self.lots[column]..self.lots[column + 1]]
    }

    /// The most rows of a chunk.
    pub(in crate::algorithm) fn most_rows(&self) -> u32 {
        self.most_rows
    }
}
