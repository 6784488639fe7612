//! Dealing rows into columns, and columns into chunks.

use super::chunk::Chunks;
use super::rows::Rows;
use super::scratch::Scratch;
use crate::publish::schema::Guard;
use crate::source::Progress;
use crate::{Error, Location};
use openveil::algorithm::cover::chunks::{Grid, Layout, Regions, Urns};
use openveil::coins::Coins;
use openveil::table::{Column, ColumnSet, View};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// People of a region, about.
const REGION: usize = 16;

/// Rows that wait for their shelf, on all shelves together.
const WAITING: usize = 1 << 20;

/// All rows, dealt: on disk, with their columns.
pub(super) struct Deal {
    /// Per row: its column, its lot in the grid, and the codes of all published columns.
    scratch: Scratch,
    grid: Grid,
    /// Rows of each lot.
    lots: Vec<u32>,
    most_rows: u32,
    columns: Columns,
}

/// Where the columns of a view stand among the published ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub(super) known: ColumnSet,
    pub(super) other: ColumnSet,
    pub(super) secret: usize,
}

impl Deal {
    /// Deals every row once.
    ///
    /// # Errors
    /// A disk that is full, or an input that no model allows.
    pub(super) fn of(
        rows: Rows,
        guard: &Guard,
        most_rows: u32,
        folder: &Path,
        coins: &mut dyn Coins,
    ) -> Result<Self, Error> {
        let view = &guard.view;
        let failed = |cause: openveil::Error| Error::new(Location::default(), cause.to_string());
        let criteria = guard.model.bind_strata(view).map_err(failed)?;
        let layout = Layout::of(view, &criteria).map_err(failed)?;
        let columns = Columns {
            known: guard.known,
            other: guard.other,
            secret: guard.secret.iter().next().expect("something is secret"),
        };
        let regions = regions(view, rows.sample(guard.known)).map_err(failed)?;
        let grid = Grid::new(&layout, most_rows, regions.count());
        let mut deal = Self {
            scratch: Scratch::new(folder, 1)?,
            lots: vec![0; grid.lots()],
            grid,
            most_rows,
            columns,
        };
        let strata = Strata::of(view, columns.known);
        let mut urns = Urns::of(layout.values());
        for block in 0..rows.blocks() {
            let codes = rows.block(block)?;
            deal.block(&codes, (&layout, &mut urns), &strata, &regions, coins)?;
        }
        match urns.are_empty() {
            true => Ok(deal),
            false => Err(changed()),
        }
    }

    /// Deals the rows of a block.
    fn block(
        &mut self,
        codes: &[Vec<u32>],
        (layout, urns): (&Layout, &mut Urns),
        strata: &Strata,
        regions: &Regions,
        coins: &mut dyn Coins,
    ) -> Result<(), Error> {
        let known: Vec<&[u32]> = self.columns.known.iter().map(|at| &codes[at][..]).collect();
        let rows = codes[self.columns.secret].par_iter().enumerate();
        let places: Vec<(u32, u32)> = rows
            .map(|(row, &value)| {
                let lot = layout.lot(strata.of_row(codes, row), value);
                (lot as u32, regions.region(|axis| known[axis][row]))
            })
            .collect();
        let (mut columns, mut lots) = (Vec::new(), Vec::new());
        for (lot, region) in places {
            let column = urns.draw(lot as usize, coins).ok_or_else(changed)?;
            let lot = self.grid.lot(column, region);
            self.lots[lot] += 1;
            columns.push(column);
            lots.push(lot as u32);
        }
        let mut all = vec![&columns[..], &lots[..]];
        all.extend(codes.iter().map(Vec::as_slice));
        self.scratch.put(0, &all)
    }

    /// Puts every row on the shelf of its chunk.
    ///
    /// # Errors
    /// A disk that is full.
    pub(super) fn shelved(
        self,
        folder: &Path,
        coins: &mut dyn Coins,
        progress: Progress<'_>,
    ) -> Result<Chunks, Error> {
        let mut urns = Urns::of(&self.grid.allotment(&self.lots));
        let shelf_of = shelves(&self.grid, self.most_rows);
        let shelves = shelf_of.last().map_or(0, |&last| last as usize + 1);
        let mut scratch = Scratch::new(folder, shelves)?;
        let most = (WAITING / shelves.max(1)).max(1 << 10);
        let mut waiting: Vec<Vec<Vec<u32>>> = vec![Vec::new(); shelves];
        for block in 0..self.scratch.blocks(0) {
            let mut codes = Vec::new();
            self.scratch.take(0, block, &mut codes)?;
            for row in 0..codes[0].len() {
                let chunk = urns
                    .draw(codes[1][row] as usize, coins)
                    .ok_or_else(changed)?;
                let shelf = shelf_of[chunk as usize] as usize;
                let own = &mut waiting[shelf];
                own.resize(codes.len(), Vec::new());
                own[0].push(codes[0][row]);
                own[1].push(chunk);
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
        Ok(Chunks::new(scratch, self.columns, shelves))
    }
}

fn put(scratch: &mut Scratch, shelf: usize, waiting: &mut [Vec<u32>]) -> Result<(), Error> {
    let columns: Vec<&[u32]> = waiting.iter().map(Vec::as_slice).collect();
    scratch.put(shelf, &columns)?;
    waiting.iter_mut().for_each(Vec::clear);
    Ok(())
}

/// Chunks that lie on one shelf: as many as fit together, in their order.
fn shelves(grid: &Grid, most_rows: u32) -> Vec<u32> {
    let (mut shelf, mut rows) = (0, 0);
    let of_chunk = |chunk: usize| {
        let own = u64::from(grid.chunk(chunk).1) * u64::from(grid.columns(chunk).1);
        if rows > 0 && rows + own > u64::from(most_rows) {
            (shelf, rows) = (shelf + 1, 0);
        }
        rows += own;
        shelf
    };
    (0..grid.chunks()).map(of_chunk).collect()
}

/// Regions of people like those of a sample.
fn regions(view: &View, sample: Vec<Vec<u32>>) -> Result<Regions, openveil::Error> {
    let people = sample.first().map_or(1, Vec::len);
    let columns = view.known().iter().zip(sample);
    let known: Vec<Column> = columns
        .map(|(column, codes)| column.clone().with_codes(codes))
        .collect();
    // Regions know nothing of values: everybody has the same here.
    let secret = view.secret().clone().with_codes(vec![0; people]);
    Regions::of(&View::new(known, secret)?, REGION)
}

/// Which stratum a row is in.
struct Strata {
    columns: Vec<usize>,
    number_of: HashMap<Vec<u32>, usize>,
}

impl Strata {
    fn of(view: &View, known: ColumnSet) -> Self {
        let published: Vec<usize> = known.iter().collect();
        let fixed = view.strata_columns().map(|column| {
            let mut known = view.known().iter();
            known.position(|own| own.name() == column.name())
        });
        let columns = fixed.flatten().map(|at| published[at]).collect();
        let strata = view.strata();
        let numbered = strata.iter().map(|own| own.codes().to_vec()).zip(0..);
        Self {
            columns,
            number_of: numbered.collect(),
        }
    }

    fn of_row(&self, codes: &[Vec<u32>], row: usize) -> usize {
        if self.columns.is_empty() {
            return 0;
        }
        let key: Vec<u32> = self
            .columns
            .iter()
            .map(|&column| codes[column][row])
            .collect();
        self.number_of[&key]
    }
}

fn changed() -> Error {
    let problem = "rows on disk are not those that were counted; nothing was written";
    Error::new(Location::default(), problem)
}
