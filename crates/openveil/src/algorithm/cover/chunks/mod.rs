#![doc = include_str!("proof.md")]

mod allotment;
mod cut;
mod grid;
mod layout;
mod regions;

pub use allotment::{Allotment, Share, Urns};
pub use cut::{Chunk, Chunks};
pub use grid::Grid;
pub use layout::{Layout, Unit};
pub use regions::Regions;

use super::arranged_afresh;
use crate::Error;
use crate::algorithm::Settings;
use crate::coins::Coins;
use crate::table::{Groups, View};

/// The groups of one chunk: `columns[row]` is the column that the deal put a row into. Sees
/// quasi-identifiers and which rows share a column; in which order rows and columns come does
/// not matter.
///
/// O(n log n) time, as [`cover`](super::cover).
///
/// # Errors
/// [`Error::TooManyQuasiIdentifiers`].
///
/// # Panics
/// Unless every column has equally many rows of the chunk.
pub fn groups(
    chunk: &View,
    columns: &[u32],
    settings: &Settings,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let first = columns.iter().copied().min().unwrap_or(0);
    let last = columns.iter().copied().max().unwrap_or(0);
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); (last - first) as usize + 1];
    for (row, &column) in (0..).zip(columns) {
        rows[(column - first) as usize].push(row);
    }
    arranged_afresh(chunk, rows, settings, coins)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::model::Model;

    /// [`cover`](super::super::cover) in chunks of at most so many rows, in regions of so many
    /// people drawn by coins, or of everybody.
    pub(crate) fn cover_in_chunks(
        table: &View,
        model: &Model,
        (most_rows, sample): (u32, Option<usize>),
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        let layout = Layout::of(table, &model.bind_strata(table)?)?;
        let everybody = 0..table.rows() as u32;
        let drawn: Vec<u32> = match sample {
            None => everybody.collect(),
            Some(many) => (0..many).map(|_| coins.below(everybody.end)).collect(),
        };
        let regions = Regions::of(&table.of_rows(&drawn)?, 1)?;
        let grid = Grid::new(&layout, most_rows, &regions);
        let mut deal = Urns::of(layout.values());
        let mut stratum_of = vec![0; table.rows()];
        for (number, stratum) in table.strata().iter().enumerate() {
            (0..stratum.size(table) as u32)
                .for_each(|position| stratum_of[stratum.row(position) as usize] = number);
        }
        let column = |(row, &value): (usize, &u32)| {
            let lot = layout.lot(stratum_of[row], value);
            deal.draw(lot, coins)
                .expect("there is a place for every row")
        };
        let columns: Vec<u32> = table
            .secret()
            .codes()
            .iter()
            .enumerate()
            .map(column)
            .collect();
        let code = |row: usize| move |axis: usize| table.known()[axis].codes()[row];
        let lot = |(row, &column): (usize, &u32)| grid.lot(column, regions.region(code(row)));
        let lots: Vec<usize> = columns.iter().enumerate().map(lot).collect();
        let mut rows = vec![0; grid.lots()];
        lots.iter().for_each(|&lot| rows[lot] += 1);
        let chunks = Chunks::of(&grid, &rows, table, &regions)?;
        let mut places = Urns::of(chunks.allotment());
        let mut members = vec![Vec::new(); chunks.chunks().len()];
        for (row, &lot) in (0..).zip(&lots) {
            let chunk = places
                .draw(lot, coins)
                .expect("there is a chunk for every row");
            members[chunk as usize].push(row);
        }
        assert!(deal.are_empty() && places.are_empty());
        let mut all = Groups::with_capacity(table.rows(), 0);
        for rows in members {
            let own: Vec<u32> = rows.iter().map(|&row| columns[row as usize]).collect();
            let groups = groups(&table.of_rows(&rows)?, &own, &Settings::default(), coins)?;
            all.append(groups.renumbered(|row| rows[row as usize]));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
