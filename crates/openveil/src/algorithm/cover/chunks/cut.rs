//! Units cut into chunks: equally many rows of every column in each.

use super::super::arrange::{Node, Scratch, best};
use super::super::check_width;
use super::super::deal::Record;
use super::super::space::Space;
use super::Regions;
use super::allotment::{Allotment, Share};
use super::grid::Grid;
use crate::Error;
use crate::table::View;

/// People of each column by whom a place to cut is chosen.
const LOOKED_AT: u64 = 1 << 11;

/// The chunks of all units, and how many rows of every lot go to each.
///
/// Every chunk has as many rows of each column of its unit as it has groups, so it is a unit by
/// itself. Where a unit is cut follows *arrange*, with regions in the place of people. *Exact
/// first*: of every region that is one place, as many rows of each column as the column with the
/// fewest has there; these stand region after region, and are cut behind the same ranks in all
/// columns. The others are cut in two, all columns after the same number of rows along one
/// quasi-identifier, where that lowers the cost most; and again, until parts are small enough.
/// What is decided follows from how many people of each column are in each region, and treats
/// columns alike; values do not enter.
#[derive(Debug, Clone)]
pub struct Chunks {
    chunks: Vec<Chunk>,
    allotment: Allotment,
}

/// A unit, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Chunk {
    /// Number of groups: its rows of each column.
    pub groups: u32,
    /// Its first column.
    pub first: u32,
    /// Number of columns.
    pub columns: u32,
}

impl Chunk {
    /// Number of rows.
    pub fn rows(&self) -> u64 {
        u64::from(self.groups) * u64::from(self.columns)
    }
}

impl Chunks {
    /// Cuts the units of a table, of which domains are needed and no rows; `rows` says how many
    /// there are of each lot. O(lots · log chunks) for each quasi-identifier.
    ///
    /// # Errors
    /// [`Error::TooManyQuasiIdentifiers`].
    ///
    /// # Panics
    /// If the counts do not [fit](Grid::fits).
    pub fn of(grid: &Grid, rows: &[u32], table: &View, regions: &Regions) -> Result<Self, Error> {
        check_width(table)?;
        assert!(grid.fits(rows), "a column has a row for each group");
        Ok(with_keys!(table, cut_units(grid, rows, table, regions)))
    }

    /// The chunks, unit after unit.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// How many rows of each lot go to each chunk.
    pub fn allotment(&self) -> &Allotment {
        &self.allotment
    }
}

fn cut_units<const K: usize>(grid: &Grid, rows: &[u32], table: &View, regions: &Regions) -> Chunks {
    let space = Space::<K>::of(table.known());
    let (mut chunks, mut lots) = (Vec::new(), Vec::new());
    for unit in &grid.units {
        let columns = unit.first as usize..(unit.first + unit.columns) as usize;
        let columns: Vec<&[u32]> = columns.map(|at| grid.of_column(at, rows)).collect();
        let mut cutter = Cutter {
            regions,
            space: &space,
            chunk: Chunk {
                groups: 0,
                first: unit.first,
                columns: unit.columns,
            },
            most: (grid.most_rows / unit.columns).max(1),
            shares: columns
                .iter()
                .map(|lots| vec![Vec::new(); lots.len()])
                .collect(),
            chunks: &mut chunks,
            scratch: Scratch::default(),
        };
        match columns[0].len() {
            1 => cutter.whole(unit.groups),
            _ => cutter.unit(&columns),
        }
        lots.extend(cutter.shares.into_iter().flatten());
    }
    Chunks {
        chunks,
        allotment: Allotment::new(lots),
    }
}

/// Rows of one column: regions, each with so many.
type Rows = Vec<(u32, u32)>;

/// Cuts one unit.
struct Cutter<'a, const K: usize> {
    regions: &'a Regions,
    space: &'a Space<'a, K>,
    /// The unit, without groups.
    chunk: Chunk,
    /// Groups that a chunk may have.
    most: u32,
    /// Of each column, the shares of every lot.
    shares: Vec<Vec<Vec<Share>>>,
    chunks: &'a mut Vec<Chunk>,
    scratch: Scratch,
}

impl<const K: usize> Cutter<'_, K> {
    /// A unit that is one chunk.
    fn whole(&mut self, groups: u32) {
        let to = self.next(groups);
        for shares in &mut self.shares {
            shares[0].push(Share { to, rows: groups });
        }
    }

    fn unit(&mut self, columns: &[&[u32]]) {
        let least = |region: usize| columns.iter().map(|lots| lots[region]).min().unwrap_or(0);
        let alike = |region: usize| match self.regions.are_alike(region as u32) {
            true => least(region),
            false => 0,
        };
        let alike: Vec<u32> = (0..columns[0].len()).map(alike).collect();
        let rows = |count: &dyn Fn(usize) -> u32| -> Rows {
            let regions = (0..alike.len()).map(|region| (region as u32, count(region)));
            regions.filter(|&(_, rows)| rows > 0).collect()
        };
        let matched = rows(&|region| alike[region]);
        self.in_turn(vec![matched; columns.len()]);
        let rest = columns
            .iter()
            .map(|lots| rows(&|region| lots[region] - alike[region]));
        self.divide(rest.collect());
    }

    /// Chunks of rows of which all columns have the same in every region.
    fn in_turn(&mut self, mut columns: Vec<Rows>) {
        let groups = count(&columns[0]);
        let chunks = groups.div_ceil(u64::from(self.most));
        let mut before = 0;
        for chunk in 1..=chunks {
            let end = groups * chunk / chunks;
            let (own, rest) = split(columns, end - before);
            (columns, before) = (rest, end);
            self.chunk(&own);
        }
    }

    /// Chunks of any rows: cut in two until parts are small enough.
    fn divide(&mut self, mut columns: Vec<Rows>) {
        let groups = count(&columns[0]);
        if groups == 0 {
            return;
        }
        if groups <= u64::from(self.most) {
            self.chunk(&columns);
            return;
        }
        let at = self.sort(&mut columns, groups);
        let (low, high) = split(columns, at);
        self.divide(low);
        self.divide(high);
    }

    /// Puts the rows of every column into the order of the axis along which they are cut; says
    /// after how many.
    fn sort(&mut self, columns: &mut [Rows], groups: u64) -> u64 {
        let looked_at = groups.min(LOOKED_AT);
        let mut people: Vec<Vec<Record<K>>> = columns
            .iter()
            .map(|rows| self.people(rows, groups, looked_at))
            .collect();
        // Of places that are equally good the first one is taken: columns must not have an order
        // of their own.
        people.sort_by(|a, b| {
            a.iter()
                .map(|own| own.keys)
                .cmp(b.iter().map(|own| own.keys))
        });
        let columns_of: Vec<_> = people.iter_mut().map(Vec::as_mut_slice).collect();
        let node = Node {
            columns: &columns_of,
            groups: 0..looked_at as usize,
        };
        // People who are all alike are cut anywhere.
        let Some(cut) = best(&node, self.space, &mut self.scratch) else {
            return groups / 2;
        };
        let regions = self.regions;
        let key = |region: u32| regions.keys::<K>(region)[cut.axis];
        for rows in columns {
            rows.sort_by_key(|&(region, _)| (key(region), region));
        }
        (cut.at as u64 * groups / looked_at).clamp(1, groups - 1)
    }

    /// So many people who stand for a column's rows, evenly.
    fn people(&self, rows: &Rows, groups: u64, looked_at: u64) -> Vec<Record<K>> {
        let mut rows = rows.iter();
        let (mut region, mut end) = (0, 0);
        let mut person = |number: u64| {
            let at = (2 * number + 1) * groups / (2 * looked_at);
            while at >= end {
                let &(next, count) = rows.next().expect("a column has so many rows");
                (region, end) = (next, end + u64::from(count));
            }
            Record::at(self.regions.keys(region))
        };
        (0..looked_at).map(&mut person).collect()
    }

    /// One chunk of these rows.
    fn chunk(&mut self, columns: &[Rows]) {
        let to = self.next(count(&columns[0]) as u32);
        for (shares, rows) in self.shares.iter_mut().zip(columns) {
            for &(region, rows) in rows {
                shares[region as usize].push(Share { to, rows });
            }
        }
    }

    /// The number of the next chunk, which has so many groups.
    fn next(&mut self, groups: u32) -> u32 {
        self.chunks.push(Chunk {
            groups,
            ..self.chunk
        });
        self.chunks.len() as u32 - 1
    }
}

fn count(rows: &Rows) -> u64 {
    rows.iter().map(|&(_, rows)| u64::from(rows)).sum()
}

/// The first rows of every column, so many, and the others.
fn split(columns: Vec<Rows>, at: u64) -> (Vec<Rows>, Vec<Rows>) {
    let split = |rows: Rows| {
        let (mut low, mut high, mut left) = (Rows::new(), Rows::new(), at);
        for (region, rows) in rows {
            let own = left.min(rows.into()) as u32;
            left -= u64::from(own);
            low.extend((own > 0).then_some((region, own)));
            high.extend((own < rows).then_some((region, rows - own)));
        }
        (low, high)
    };
    columns.into_iter().map(split).unzip()
}
