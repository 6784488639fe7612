//! Cuts units into chunks, each with equally many rows of every column.

use super::super::arrange::{ArrangedNode, CutMemory, best};
use super::super::deal::CoverRecord;
use super::super::space::CoverSpace;
use crate::algorithm::chunks::{By, Chunk, Chunks, Counted, LayoutUnitColumns, LotShare, Regions};

/// The number of people of each column that are looked at to choose a place to cut.
const LOOKED_AT: u64 = 1 << 11;

/// The chunks of all units.
pub(super) fn cut_units<const K: usize>(counted: &Counted<'_>, rows: &[u32]) -> Chunks {
    let space = CoverSpace::<K>::of(counted.table.known());
    let (mut chunks, mut lots) = (Vec::new(), Vec::new());
    for unit in counted.layout.units() {
        let columns: Vec<&[u32]> = unit
            .numbers()
            .map(|at| counted.grid.of_column(at, rows))
            .collect();
        let mut cutter = UnitCutter {
            regions: counted.regions,
            space: &space,
            unit,
            most: (counted.grid.most_rows() / unit.columns).max(1),
            shares: columns
                .iter()
                .map(|lots| vec![Vec::new(); lots.len()])
                .collect(),
            chunks: &mut chunks,
            scratch: CutMemory::default(),
        };
        if unit.is_cut(counted.grid.most_rows()) {
            cutter.unit(&columns)
        } else {
            cutter.whole()
        }
        lots.extend(cutter.shares.into_iter().flatten());
    }
    Chunks::new(chunks, lots)
}

/// Rows of one column: the regions, each with its number of rows.
type RegionRows = Vec<(u32, u32)>;

/// Cuts one unit.
struct UnitCutter<'a, const K: usize> {
    regions: &'a Regions,
    space: &'a CoverSpace<'a, K>,
    unit: &'a LayoutUnitColumns,
    /// The most groups that a chunk may have.
    most: u32,
    /// The shares of every lot, by column.
    shares: Vec<Vec<Vec<LotShare>>>,
    chunks: &'a mut Vec<Chunk>,
    scratch: CutMemory,
}

impl<const K: usize> UnitCutter<'_, K> {
    /// A unit that is one chunk.
    fn whole(&mut self) {
        let groups = (self.unit.rows / u64::from(self.unit.columns)) as u32;
        let to = self.next(groups);
        for shares in &mut self.shares {
            shares[0].push(LotShare { to, rows: groups });
        }
    }

    fn unit(&mut self, columns: &[&[u32]]) {
        let least = |region: usize| columns.iter().map(|lots| lots[region]).min().unwrap_or(0);
        let alike = |region: usize| {
            if self.regions.are_alike(region as u32) {
                least(region)
            } else {
                0
            }
        };
        let alike: Vec<u32> = (0..columns[0].len()).map(alike).collect();
        let rows = |count: &dyn Fn(usize) -> u32| -> RegionRows {
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

    /// Chunks of rows for which all columns have equally many in every region.
    fn in_turn(&mut self, mut columns: Vec<RegionRows>) {
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

    /// Chunks of any rows: cuts them in two until parts are small enough.
    fn divide(&mut self, mut columns: Vec<RegionRows>) {
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

    /// Orders the rows of every column along the axis on which they are cut; returns after how many
    /// to cut.
    fn sort(&mut self, columns: &mut [RegionRows], groups: u64) -> u64 {
        let looked_at = groups.min(LOOKED_AT);
        let mut people: Vec<Vec<CoverRecord<K>>> = columns
            .iter()
            .map(|rows| self.people(rows, groups, looked_at))
            .collect();
        // If several places are equally good, the first one is taken, so columns must not have an
        // order of their own.
        people.sort_by(|a, b| {
            a.iter()
                .map(|own| own.keys)
                .cmp(b.iter().map(|own| own.keys))
        });
        let columns_of: Vec<_> = people.iter_mut().map(Vec::as_mut_slice).collect();
        let node = ArrangedNode {
            columns: &columns_of,
            groups: 0..looked_at as usize,
        };
        // People who are all alike can be cut anywhere.
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

    /// A number of people who represent a column's rows, evenly.
    fn people(&self, rows: &RegionRows, groups: u64, looked_at: u64) -> Vec<CoverRecord<K>> {
        let mut rows = rows.iter();
        let (mut region, mut end) = (0, 0);
        let mut person = |number: u64| {
            let at = (2 * number + 1) * groups / (2 * looked_at);
            while at >= end {
                let &(next, count) = rows.next().expect("a column has so many rows");
                (region, end) = (next, end + u64::from(count));
            }
            CoverRecord::at(self.regions.keys(region))
        };
        (0..looked_at).map(&mut person).collect()
    }

    /// One chunk of these rows.
    fn chunk(&mut self, columns: &[RegionRows]) {
        let to = self.next(count(&columns[0]) as u32);
        for (shares, rows) in self.shares.iter_mut().zip(columns) {
            for &(region, rows) in rows {
                shares[region as usize].push(LotShare { to, rows });
            }
        }
    }

    /// The number of the next chunk, which has this many groups.
    fn next(&mut self, groups: u32) -> u32 {
        self.chunks.push(Chunk {
            stratum: self.unit.stratum,
            classes: self.unit.columns,
            rows_each: groups,
            by: By::Column(self.unit.first),
            is_group: false,
        });
        self.chunks.len() as u32 - 1
    }
}

fn count(rows: &RegionRows) -> u64 {
    rows.iter().map(|&(_, rows)| u64::from(rows)).sum()
}

/// The first `at` rows of every column, and the others.
fn split(columns: Vec<RegionRows>, at: u64) -> (Vec<RegionRows>, Vec<RegionRows>) {
    let split = |rows: RegionRows| {
        let (mut low, mut high, mut left) = (RegionRows::new(), RegionRows::new(), at);
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
