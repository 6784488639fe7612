//! Units cut into chunks: equally many rows of every column in each.

use super::allotment::{Allotment, Share};
use super::layout::{Layout, Unit};

/// Which columns are cut up, and into how many chunks.
///
/// The rows of a column stand in the order of their regions ([`Regions`](super::Regions)),
/// those of one region in an order by coins. A unit of d groups in c chunks is cut, in every
/// column, behind the same ranks ⌊d/c⌋, ⌊2d/c⌋ …: so a chunk is itself a unit, with as many
/// rows of every column as it has groups. Ranks and regions know nothing of values.
#[derive(Debug, Clone)]
pub struct Grid {
    units: Vec<Unit>,
    /// The first chunk of each unit, and behind the last one their number.
    chunks: Vec<u32>,
    /// The first lot of each column, and behind the last one their number.
    lots: Vec<usize>,
    /// The unit of each column.
    unit_of: Vec<u32>,
    regions: u32,
}

impl Grid {
    /// A grid of chunks with at most so many rows, or one group where that has more; rows of
    /// columns that are cut up are told apart by `regions` regions. O(units + columns).
    ///
    /// # Panics
    /// If a limit is 0.
    pub fn new(layout: &Layout, most_rows: u32, regions: u32) -> Self {
        assert!(
            most_rows > 0 && regions > 0,
            "chunks have rows, tables regions"
        );
        let units = layout.units().to_vec();
        let (mut chunks, mut lots, mut unit_of) = (vec![0], vec![0], Vec::new());
        for (number, unit) in (0..).zip(&units) {
            let most_groups = (most_rows / unit.columns).max(1);
            let parts = unit.groups.div_ceil(most_groups);
            chunks.push(chunks[chunks.len() - 1] + parts);
            let own = if parts > 1 { regions as usize } else { 1 };
            for _ in 0..unit.columns {
                lots.push(lots[lots.len() - 1] + own);
                unit_of.push(number);
            }
        }
        Self {
            units,
            chunks,
            lots,
            unit_of,
            regions,
        }
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.chunks[self.units.len()] as usize
    }

    /// Number of lots: a column that is cut up has one for every region, others have one.
    pub fn lots(&self) -> usize {
        self.lots[self.unit_of.len()]
    }

    /// Whether the rows of a column go to several chunks.
    #[inline]
    pub fn is_cut(&self, column: u32) -> bool {
        self.lots[column as usize + 1] - self.lots[column as usize] > 1
    }

    /// The lot of a column's rows in a region; the region does not matter where the column
    /// is not cut up.
    #[inline]
    pub fn lot(&self, column: u32, region: u32) -> usize {
        let first = self.lots[column as usize];
        match self.is_cut(column) {
            true => first + region as usize,
            false => first,
        }
    }

    /// The stratum of a chunk, and how many groups it will have.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn chunk(&self, chunk: usize) -> (u32, u32) {
        let unit = self
            .chunks
            .partition_point(|&first| first as usize <= chunk)
            - 1;
        let part = chunk as u32 - self.chunks[unit];
        let groups = self.rank(unit, part + 1) - self.rank(unit, part);
        (self.units[unit].stratum, groups)
    }

    /// The columns of a chunk: the first one, and how many.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn columns(&self, chunk: usize) -> (u32, u32) {
        let unit = self
            .chunks
            .partition_point(|&first| first as usize <= chunk)
            - 1;
        (self.units[unit].first, self.units[unit].columns)
    }

    /// How many rows of each lot go to each chunk; `rows` says how many there are of each.
    /// O(lots + chunks · columns).
    ///
    /// # Panics
    /// If the lots of a column do not have as many rows as its unit has groups.
    pub fn allotment(&self, rows: &[u32]) -> Allotment {
        let columns = self.unit_of.iter().enumerate();
        Allotment::new(columns.flat_map(|(column, &unit)| {
            let own = &rows[self.lots[column]..self.lots[column + 1]];
            self.column(unit as usize, own)
        }))
    }

    /// The shares of the lots of one column.
    fn column(&self, unit: usize, lots: &[u32]) -> Vec<Vec<Share>> {
        let all: u64 = lots.iter().map(|&rows| u64::from(rows)).sum();
        let groups = self.units[unit].groups;
        assert_eq!(all, u64::from(groups), "a column has a row for each group");
        let (mut part, mut at) = (0, 0);
        let lot = |&rows: &u32| {
            let (mut shares, end) = (Vec::new(), at + rows);
            while at < end {
                let next = self.rank(unit, part + 1).min(end);
                shares.push(Share {
                    to: self.chunks[unit] + part,
                    rows: next - at,
                });
                at = next;
                part += u32::from(at == self.rank(unit, part + 1));
            }
            shares
        };
        lots.iter().map(lot).collect()
    }

    /// The first rank behind so many chunks of a unit.
    fn rank(&self, unit: usize, parts: u32) -> u32 {
        let all = u64::from(self.chunks[unit + 1] - self.chunks[unit]);
        (u64::from(self.units[unit].groups) * u64::from(parts) / all) as u32
    }

    /// Number of regions.
    pub fn regions(&self) -> u32 {
        self.regions
    }
}
