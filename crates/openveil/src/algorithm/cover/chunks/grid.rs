//! How many rows of each column are in each region.

use super::Regions;
use super::layout::{Layout, Unit};

/// Which columns are to be cut up: those of units that have more rows than a chunk may. Their
/// rows are counted by region, so every region of such a column is a *lot*; others have one.
#[derive(Debug, Clone)]
pub struct Grid {
    pub(super) units: Vec<Unit>,
    /// The first lot of each column, and behind the last one their number.
    lots: Vec<usize>,
    /// The unit of each column.
    unit_of: Vec<u32>,
    pub(super) most_rows: u32,
}

impl Grid {
    /// A grid for chunks of at most so many rows. O(columns).
    ///
    /// # Panics
    /// If chunks may have no rows.
    pub fn new(layout: &Layout, most_rows: u32, regions: &Regions) -> Self {
        assert!(most_rows > 0, "chunks have rows");
        let (mut lots, mut unit_of) = (vec![0], Vec::new());
        for (number, unit) in (0..).zip(layout.units()) {
            let rows = u64::from(unit.groups) * u64::from(unit.columns);
            let is_cut = rows > u64::from(most_rows) && unit.groups > 1;
            let own = if is_cut { regions.count() as usize } else { 1 };
            for _ in 0..unit.columns {
                lots.push(lots[lots.len() - 1] + own);
                unit_of.push(number);
            }
        }
        Self {
            units: layout.units().to_vec(),
            lots,
            unit_of,
            most_rows,
        }
    }

    /// Number of lots.
    pub fn lots(&self) -> usize {
        self.lots[self.unit_of.len()]
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

    /// Whether the lots of every column have as many rows as its unit has groups.
    pub fn fits(&self, rows: &[u32]) -> bool {
        let of_column = |(column, &unit): (usize, &u32)| {
            let own = self.of_column(column, rows).iter();
            let own: u64 = own.map(|&rows| u64::from(rows)).sum();
            own == u64::from(self.units[unit as usize].groups)
        };
        rows.len() == self.lots() && self.unit_of.iter().enumerate().all(of_column)
    }

    /// The lots of a column among those of all.
    pub(super) fn of_column<'a>(&self, column: usize, rows: &'a [u32]) -> &'a [u32] {
        &rows[self.lots[column]..self.lots[column + 1]]
    }
}
