//! Assigns rows to places at random.

use super::blueprint::{Blueprint, Parting};
use super::rows::Rows;
use super::scratch::ScratchFile;
use openveil_core::algorithm::chunks::{Chunks, Urns};
use openveil_core::coins::Coins;
use openveil_io::source::BytesRead;
use openveil_io::{Error, Location};
use rayon::prelude::*;
use std::path::Path;

/// The number of rows that are held in memory before they are written to a shelf, over all shelves.
const WAITING: usize = 1 << 20;

/// The smallest number of rows that are written to a shelf at a time.
const FEWEST: usize = 1 << 6;

/// Counts the rows of each lot, and assigns every row to a place: writes it to the shelf of its
/// part, with the place and the codes of all published columns.
///
/// # Errors
/// A disk that is full.
pub(super) fn dealt(
    rows: &Rows,
    (blueprint, most_rows): (&Blueprint, u32),
    folder: &Path,
    coins: &mut dyn Coins,
    progress: BytesRead<'_>,
) -> Result<(ScratchFile, Parting), Error> {
    let mut of_lot = vec![0; blueprint.grid.lots()];
    // Finding a lot takes longer than reading it.
    let mut lots = ScratchFile::new(folder, 1)?;
    for block in 0..rows.blocks() {
        let own = blueprint.lots(&rows.block(block)?);
        own.iter().for_each(|&lot| of_lot[lot as usize] += 1);
        lots.put(0, &[&own])?;
    }
    let chunks = blueprint.chunks(&of_lot, coins).ok_or_else(changed)?;
    let parting = Parting::new(chunks.chunks(), most_rows);
    let plan = (&lots, &chunks, &parting);
    let shelved = onto_shelves(rows, plan, folder, coins, progress)?;
    Ok((shelved, parting))
}

/// Assigns every row of a lot to a place, and writes it to the shelf of the place's part.
fn onto_shelves(
    rows: &Rows,
    (lots, chunks, parting): (&ScratchFile, &Chunks, &Parting),
    folder: &Path,
    coins: &mut dyn Coins,
    progress: BytesRead<'_>,
) -> Result<ScratchFile, Error> {
    let mut urns = Urns::new(chunks.allotment());
    let shelves = parting.parts();
    let mut scratch = ScratchFile::new(folder, shelves)?;
    let most = (WAITING / shelves).max(FEWEST);
    // By column, and then by shelf.
    let mut waiting: Vec<Vec<Vec<u32>>> = Vec::new();
    for block in 0..rows.blocks() {
        let mut columns = rows.block(block)?;
        let mut own_lots = Vec::new();
        lots.take(0, block, &mut own_lots)?;
        let draw = |&lot: &u32| urns.draw(lot as usize, coins);
        let places: Vec<u32> =
            own_lots[0].iter().map(draw).collect::<Option<_>>().ok_or_else(changed)?;
        let shelf_of: Vec<u32> = places.iter().map(|&place| parting.part_of(place)).collect();
        columns.insert(0, places);
        waiting.resize(columns.len(), vec![Vec::new(); shelves]);
        waiting.par_iter_mut().zip(&columns).for_each(|(waiting, codes)| {
            for (&shelf, &code) in shelf_of.iter().zip(codes) {
                waiting[shelf as usize].push(code);
            }
        });
        for shelf in 0..shelves {
            if waiting[0][shelf].len() >= most {
                put(&mut scratch, shelf, &mut waiting)?;
            }
        }
        progress(shelf_of.len() as u64);
    }
    (0..shelves).try_for_each(|shelf| put(&mut scratch, shelf, &mut waiting))?;
    if urns.are_empty() { Ok(scratch) } else { Err(changed()) }
}

/// Writes the rows that wait for a shelf.
fn put(
    scratch: &mut ScratchFile,
    shelf: usize,
    waiting: &mut [Vec<Vec<u32>>],
) -> Result<(), Error> {
    let columns: Vec<&[u32]> = waiting.iter().map(|column| &column[shelf][..]).collect();
    scratch.put(shelf, &columns)?;
    waiting.iter_mut().for_each(|column| column[shelf].clear());
    Ok(())
}

fn changed() -> Error {
    let problem = "the rows on disk are not the rows that were counted; nothing was written";
    Error::new(Location::default(), problem)
}
