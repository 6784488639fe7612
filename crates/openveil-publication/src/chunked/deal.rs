//! Assigns rows to columns at random, and rows of every column to places.

use super::blueprint::{Blueprint, Parting};
use super::rows::Rows;
use super::scratch::ScratchFile;
use openveil_core::algorithm::chunks::{Chunks, Urns};
use openveil_core::coins::Coins;
use openveil_core::table::View;
use openveil_io::source::BytesRead;
use openveil_io::{Error, Location};
use rayon::prelude::*;
use std::path::Path;

/// The number of rows that are held in memory before they are written to a shelf, over all shelves.
const WAITING: usize = 1 << 20;

/// The smallest number of rows that are written to a shelf at a time.
const FEWEST: usize = 1 << 6;

/// Assigns every row once, and writes it to the shelf of its part: per row its column, its place,
/// and the codes of all published columns.
///
/// # Errors
/// A disk that is full.
pub(super) fn dealt(
    rows: Rows,
    (blueprint, view, most_rows): (&Blueprint, &View, u32),
    folder: &Path,
    coins: &mut dyn Coins,
    progress: BytesRead<'_>,
) -> Result<(ScratchFile, Parting), Error> {
    let (columns, lots) = into_columns(rows, blueprint, folder, coins)?;
    if !blueprint.grid.fits(&lots) {
        return Err(changed());
    }
    let chunks = blueprint.chunks(&lots, view, coins)?;
    let parting = Parting::of(chunks.chunks(), most_rows);
    let shelved = onto_shelves(&columns, &chunks, &parting, folder, coins, progress)?;
    Ok((shelved, parting))
}

/// Assigns every row to a column; stores per row the column, its lot in the grid, and its codes.
/// Also returns the number of rows of each lot.
fn into_columns(
    rows: Rows,
    blueprint: &Blueprint,
    folder: &Path,
    coins: &mut dyn Coins,
) -> Result<(ScratchFile, Vec<u32>), Error> {
    let mut dealt = ScratchFile::new(folder, 1)?;
    let mut of_lot = vec![0; blueprint.grid.lots()];
    let mut urns = Urns::of(blueprint.layout.values());
    for block in 0..rows.blocks() {
        let codes = rows.block(block)?;
        let region = blueprint.region(&codes);
        let rows = (0..codes[0].len()).into_par_iter();
        let places: Vec<(u32, u32)> = rows
            .map(|row| (blueprint.lot(&codes, row), region(row)))
            .collect();
        let (mut columns, mut lots) = (Vec::new(), Vec::new());
        for (lot, region) in places {
            let column = urns.draw(lot as usize, coins).ok_or_else(changed)?;
            let lot = blueprint.grid.lot(column, region);
            of_lot[lot] += 1;
            columns.push(column);
            lots.push(lot as u32);
        }
        let mut all = vec![&columns[..], &lots[..]];
        all.extend(codes.iter().map(Vec::as_slice));
        dealt.put(0, &all)?;
    }
    if urns.are_empty() {
        Ok((dealt, of_lot))
    } else {
        Err(changed())
    }
}

/// Assigns every row of a column to a place, and writes it to the shelf of the place's part.
fn onto_shelves(
    columns: &ScratchFile,
    chunks: &Chunks,
    parting: &Parting,
    folder: &Path,
    coins: &mut dyn Coins,
    progress: BytesRead<'_>,
) -> Result<ScratchFile, Error> {
    let mut urns = Urns::of(chunks.allotment());
    let shelves = parting.parts();
    let mut scratch = ScratchFile::new(folder, shelves)?;
    let most = (WAITING / shelves).max(FEWEST);
    let mut waiting: Vec<Vec<Vec<u32>>> = vec![Vec::new(); shelves];
    for block in 0..columns.blocks(0) {
        let mut codes = Vec::new();
        columns.take(0, block, &mut codes)?;
        for row in 0..codes[0].len() {
            let lot = codes[1][row] as usize;
            let place = urns.draw(lot, coins).ok_or_else(changed)?;
            let shelf = parting.part_of(place) as usize;
            let own = &mut waiting[shelf];
            own.resize(codes.len(), Vec::new());
            own[0].push(codes[0][row]);
            own[1].push(place);
            for (own, codes) in own[2..].iter_mut().zip(&codes[2..]) {
                own.push(codes[row]);
            }
            if own[0].len() >= most {
                put(&mut scratch, shelf, own)?;
            }
        }
        progress(codes[0].len() as u64);
    }
    for (shelf, own) in waiting.iter_mut().enumerate() {
        put(&mut scratch, shelf, own)?;
    }
    Ok(scratch)
}

fn put(scratch: &mut ScratchFile, shelf: usize, waiting: &mut [Vec<u32>]) -> Result<(), Error> {
    let columns: Vec<&[u32]> = waiting.iter().map(Vec::as_slice).collect();
    scratch.put(shelf, &columns)?;
    waiting.iter_mut().for_each(Vec::clear);
    Ok(())
}

fn changed() -> Error {
    let problem = "the rows on disk are not the rows that were counted; nothing was written";
    Error::new(Location::default(), problem)
}
