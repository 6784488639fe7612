#![doc = include_str!("proof.md")]

mod cut;

use super::{Cover, Decomposition, arranged_afresh, check_width, decomposition};
use crate::Error;
use crate::algorithm::Settings;
use crate::algorithm::chunks::{
    Chunk, ChunkLayout, Chunked, Chunks, Counted, LayoutUnitColumns, LotShare, rows_by_class,
};
use crate::coins::Coins;
use crate::model::Criteria;
use crate::table::{Groups, View};
use cut::cut_units;

impl Chunked for Cover {
    /// The layout of [`cover`](super::cover) on the same counts, with lots whose compositions coins
    /// decide. O(strata · time of decompose).
    fn layout(
        &self,
        table: &View,
        criteria: &[Criteria],
        _settings: &Settings,
        _coins: &mut dyn Coins,
    ) -> Result<ChunkLayout, Error> {
        check_width(table)?;
        let domain = table.secret().values();
        let (mut units, mut lots, mut next) = (Vec::new(), Vec::new(), 0);
        for (stratum, (part, criteria)) in (0..).zip(table.strata().iter().zip(criteria)) {
            let part = part.view(table);
            let decomposition = decomposition(&part, criteria)?;
            let mut own = vec![Vec::new(); domain];
            for unit in decomposition.units() {
                let columns = unit.columns.len() as u32;
                units.push(LayoutUnitColumns {
                    stratum,
                    first: next,
                    columns,
                    rows: u64::from(columns) * u64::from(unit.groups),
                    least: columns,
                });
                add_places(&mut own, &decomposition, unit, next);
                next += columns;
            }
            lots.append(&mut own);
        }
        Ok(ChunkLayout::new(units, lots, domain))
    }

    /// Every chunk has as many rows of each column of its unit as it has groups, so it is a unit by
    /// itself. The places to cut follow *arrange*, with regions instead of people. *Exact first*:
    /// in every region that is one place, each column contributes as many rows as the column with
    /// the fewest has there. These rows stand region after region, and are cut behind the same
    /// ranks in all columns. The other rows are cut in two again and again until parts are small
    /// enough: all columns after the same number of rows along one quasi-identifier, where that
    /// lowers the cost most. The decisions follow from how many people of each column are in each
    /// region and treat columns alike. They do not depend on values.
    ///
    /// O(lots · log chunks) for each quasi-identifier.
    fn cut(
        &self,
        counted: &Counted<'_>,
        rows: &[u32],
        _coins: &mut dyn Coins,
    ) -> Result<Chunks, Error> {
        check_width(counted.table)?;
        assert!(counted.grid.fits(rows), "a column has the layout's rows");
        Ok(with_keys!(counted.table, cut_units(counted, rows)))
    }

    /// Groups rows by their quasi-identifiers and by which rows share a column.
    ///
    /// O(n log n), like [`cover`](super::cover).
    fn groups(
        &self,
        chunk: &Chunk,
        view: &View,
        class: &[u32],
        _criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        arranged_afresh(view, rows_by_class(chunk, class), settings, coins)
    }
}

/// Adds the columns of a unit to the places of their values.
fn add_places(
    lots: &mut [Vec<LotShare>],
    decomposition: &Decomposition,
    unit: &super::Unit,
    first: u32,
) {
    for (to, values) in (first..).zip(decomposition.all_values(unit)) {
        for (value, rows) in values {
            lots[value as usize].push(LotShare { to, rows });
        }
    }
}

#[cfg(test)]
mod tests;
