//! The lots in which the rows of a table are counted.

use super::Regions;
use crate::Error;
use crate::algorithm::Settings;
use crate::model::Criteria;
use crate::table::View;
use std::ops::Range;

/// Rows of one value and stratum are a *lot*, or a lot in each region if the stratum is cut up: if
/// it has more rows than a chunk may have. It depends on the table's histograms and the regions.
#[derive(Debug, Clone)]
pub struct Grid {
    regions: Regions,
    strata: Vec<GridStratum>,
    /// The number of values.
    values: usize,
    /// The first lot of each value in each stratum, followed by the number of lots.
    lots: Vec<usize>,
    /// Rows of each value in each stratum.
    rows: Vec<u32>,
    most_rows: u32,
}

#[derive(Debug, Clone, Copy)]
struct GridStratum {
    rows: u64,
    /// The fewest rows that can be a chunk.
    least: u32,
}

impl GridStratum {
    /// Whether rows are counted by region, if chunks have at most this many.
    fn is_cut(&self, most_rows: u32) -> bool {
        self.rows > u64::from(most_rows) && self.rows > u64::from(self.least)
    }
}

impl Grid {
    /// A grid for chunks of at most `most_rows` rows, where strata can be cut that far. Only counts
    /// of the table are needed ([`View::counted`]); `criteria` has one entry for each stratum.
    /// `regions` gets the number of values whose rows are counted by region. O(strata · values).
    ///
    /// # Errors
    /// If the model does not allow a stratum, and those of `regions`.
    ///
    /// # Panics
    /// If `most_rows` is 0.
    pub fn new(
        table: &View,
        criteria: &[Criteria],
        settings: &Settings,
        most_rows: u32,
        regions: impl FnOnce(usize) -> Result<Regions, Error>,
    ) -> Result<Self, Error> {
        assert!(most_rows > 0, "chunks have rows");
        let smallest = settings.smallest_group(&[table]).get();
        let (mut strata, mut rows) = (Vec::new(), Vec::new());
        for (stratum, criteria) in table.strata().iter().zip(criteria) {
            let part = stratum.view(table);
            criteria.check_whole(&part)?;
            rows.extend_from_slice(part.histogram().counts());
            strata.push(GridStratum {
                rows: part.rows() as u64,
                least: smallest.max(criteria.least_size()),
            });
        }
        let values = table.secret().values();
        let is_by_region = |at: usize| rows[at] > 0 && strata[at / values].is_cut(most_rows);
        let regions = regions((0..rows.len()).filter(|&at| is_by_region(at)).count())?;
        let mut lots = vec![0];
        for at in 0..rows.len() {
            let own = if is_by_region(at) { regions.count() } else { 1 };
            lots.push(lots[at] + own as usize);
        }
        Ok(Self { regions, strata, values, lots, rows, most_rows })
    }

    /// Number of lots.
    pub fn lots(&self) -> usize {
        self.lots[self.rows.len()]
    }

    /// The lot of a row of a stratum, by its value and its codes on the quasi-identifiers.
    #[inline]
    pub fn lot(&self, stratum: usize, value: u32, code: impl Fn(usize) -> u32) -> usize {
        let own = self.own_lots(stratum * self.values + value as usize);
        match own.len() {
            1 => own.start,
            _ => own.start + self.regions.region(code) as usize,
        }
    }

    /// Whether the lots of every value in every stratum have as many rows as the table was said to
    /// have.
    pub fn fits(&self, rows: &[u32]) -> bool {
        rows.len() == self.lots()
            && self.rows.iter().enumerate().all(|(at, &expected)| {
                let own: u64 = rows[self.own_lots(at)].iter().map(|&rows| u64::from(rows)).sum();
                own == u64::from(expected)
            })
    }

    /// The entries for the lots of each value of a stratum, of all its values.
    pub(in crate::algorithm) fn of_stratum<'a>(
        &self,
        stratum: usize,
        rows: &'a [u32],
    ) -> Vec<&'a [u32]> {
        let own = stratum * self.values..(stratum + 1) * self.values;
        own.map(|at| &rows[self.own_lots(at)]).collect()
    }

    fn own_lots(&self, at: usize) -> Range<usize> {
        self.lots[at]..self.lots[at + 1]
    }

    /// The most rows of a chunk.
    pub(in crate::algorithm) fn most_rows(&self) -> u32 {
        self.most_rows
    }

    /// The fewest rows that can be a chunk of each stratum.
    pub(in crate::algorithm) fn least_rows(&self) -> impl Iterator<Item = u32> {
        self.strata.iter().map(|stratum| stratum.least)
    }
}
