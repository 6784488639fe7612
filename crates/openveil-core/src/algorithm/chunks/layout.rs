//! The columns that the rows of each value go to, in all strata of a table.

use super::allotment::{Allotment, LotShare};

/// The columns into which rows are dealt, numbered unit after unit, and how many rows of each value
/// go into each. It depends on the table's histograms only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkLayout {
    units: Vec<LayoutUnitColumns>,
    /// A lot for every value in every stratum; its places are columns.
    values: Allotment,
    /// Values in the secret's domain.
    domain: usize,
}

/// Columns that are cut up together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutUnitColumns {
    /// The stratum, by its position among the table's.
    pub stratum: u32,
    /// Its first column.
    pub first: u32,
    /// Number of columns.
    pub columns: u32,
    /// Rows of all of them.
    pub rows: u64,
    /// The fewest rows that can be a chunk.
    pub least: u32,
}

impl LayoutUnitColumns {
    /// Whether the unit is cut up, if chunks have at most this many rows.
    pub(in crate::algorithm) fn is_cut(&self, most_rows: u32) -> bool {
        self.rows > u64::from(most_rows) && self.rows > u64::from(self.least)
    }

    /// The numbers of its columns.
    pub(in crate::algorithm) fn numbers(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.columns) as usize
    }
}

impl ChunkLayout {
    /// Builds a layout from the columns of each value in each stratum (`lots`), for a domain of
    /// this many values.
    pub(in crate::algorithm) fn new(
        units: Vec<LayoutUnitColumns>,
        lots: Vec<Vec<LotShare>>,
        domain: usize,
    ) -> Self {
        let values = Allotment::new(lots);
        Self {
            units,
            values,
            domain,
        }
    }

    /// The units, stratum by stratum.
    pub fn units(&self) -> &[LayoutUnitColumns] {
        &self.units
    }

    /// Number of columns in all units.
    pub fn columns(&self) -> usize {
        self.units.last().map_or(0, |unit| unit.numbers().end)
    }

    /// Number of columns of units that are cut up, if chunks have at most this many rows.
    pub fn columns_cut(&self, most_rows: u32) -> usize {
        let cut = self.units.iter().filter(|unit| unit.is_cut(most_rows));
        cut.map(|unit| unit.columns as usize).sum()
    }

    /// How many rows of each value go into each column, by the lots of [`ChunkLayout::lot`].
    pub fn values(&self) -> &Allotment {
        &self.values
    }

    /// The lot of a value in a stratum.
    #[inline]
    pub fn lot(&self, stratum: usize, value: u32) -> usize {
        stratum * self.domain + value as usize
    }
}
