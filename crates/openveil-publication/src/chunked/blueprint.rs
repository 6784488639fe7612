//! Decides before the random assignment which rows are alike.

use crate::made::schema::Guard;
use openveil_core::algorithm::Settings;
use openveil_core::algorithm::chunks::{Chunk, Chunks, Grid, Regions};
use openveil_core::coins::Coins;
use openveil_core::model::Criteria;
use openveil_core::table::{Column, ColumnSet, View};
use openveil_io::Error;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The approximate number of lots that are counted: with more lots, the regions of people are
/// finer.
const MOST_LOTS: usize = 1 << 21;

/// The plan by which rows of a table are assigned. It depends on the table's counts, on a sample of
/// quasi-identifiers and on the largest number of rows of a part.
#[derive(Debug)]
pub(crate) struct Blueprint {
    pub(crate) grid: Grid,
    pub(super) criteria: Vec<Criteria>,
    strata: RowStrata,
    pub(crate) columns: ColumnPlaces,
}

/// The positions of a view's columns among the published ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnPlaces {
    pub(super) known: ColumnSet,
    pub(super) other: ColumnSet,
    pub(crate) secret: usize,
}

impl Blueprint {
    /// Plans parts of at most `most_rows` rows, or of one chunk. `sample` has codes of some people,
    /// quasi-identifier by quasi-identifier.
    ///
    /// # Errors
    /// A table for which the model is impossible.
    pub(crate) fn new(
        guard: &Guard,
        sample: Vec<Vec<u32>>,
        (settings, most_rows): (&Settings, u32),
    ) -> Result<Self, Error> {
        let view = &guard.view;
        let criteria = guard.model.bind_strata(view)?;
        let grid = Grid::new(view, &criteria, settings, most_rows, |values_cut| {
            regions(view, sample, values_cut)
        });
        Ok(Self {
            columns: ColumnPlaces {
                known: guard.known,
                other: guard.other,
                secret: guard.secret.iter().next().expect("something is secret"),
            },
            strata: RowStrata::new(view, guard.known),
            grid: grid?,
            criteria,
        })
    }

    /// Divides the table into chunks, once the rows of each lot are counted; none if the counts are
    /// not those of the table.
    pub(crate) fn chunks(&self, rows: &[u32], coins: &mut dyn Coins) -> Option<Chunks> {
        let fits = self.grid.fits(rows);
        fits.then(|| Chunks::cut(&self.grid, &self.criteria, rows, coins))
    }

    /// Returns the lot of each row.
    pub(crate) fn lots(&self, codes: &[Vec<u32>]) -> Vec<u32> {
        let known: Vec<&[u32]> = self.columns.known.iter().map(|at| &codes[at][..]).collect();
        codes[self.columns.secret]
            .par_iter()
            .enumerate()
            .map(|(row, &value)| {
                let stratum = self.strata.of_row(codes, row);
                self.grid.lot(stratum, value, |axis| known[axis][row]) as u32
            })
            .collect()
    }
}

/// The chunks of a table, and the parts that they are published in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Parting {
    chunks: Vec<Chunk>,
    /// The chunk that each place belongs to.
    chunk_of: Vec<u32>,
    /// The part in which each chunk is published.
    part_of: Vec<u32>,
}

impl Parting {
    /// Collects consecutive chunks into parts: as many as have at most `most_rows` rows together,
    /// or one chunk.
    pub(crate) fn new(chunks: &[Chunk], most_rows: u32) -> Self {
        let (mut chunk_of, mut part_of) = (Vec::new(), Vec::new());
        let (mut part, mut rows) = (0, 0);
        for (number, chunk) in (0..).zip(chunks) {
            if rows > 0 && rows + chunk.rows() > u64::from(most_rows) {
                part += 1;
                rows = 0;
            }
            rows += chunk.rows();
            part_of.push(part);
            chunk_of.extend(vec![number; chunk.classes as usize]);
        }
        Self { chunks: chunks.to_vec(), chunk_of, part_of }
    }

    /// Returns the number of parts.
    pub(crate) fn parts(&self) -> usize {
        self.part_of.last().map_or(0, |&last| last as usize + 1)
    }

    /// Returns the part in which a place's rows are published.
    pub(crate) fn part_of(&self, place: u32) -> u32 {
        self.part_of[self.chunk_of[place as usize] as usize]
    }

    /// Returns the number of the chunk that a place belongs to, if the place exists.
    pub(super) fn chunk_of(&self, place: u32) -> Option<u32> {
        self.chunk_of.get(place as usize).copied()
    }

    /// Returns a chunk by its number.
    pub(super) fn chunk(&self, number: u32) -> &Chunk {
        &self.chunks[number as usize]
    }
}

/// Returns regions for people like those of the sample: few enough for the lots of all values that
/// are cut to stay below [`MOST_LOTS`].
fn regions(
    view: &View,
    sample: Vec<Vec<u32>>,
    values_cut: usize,
) -> Result<Regions, openveil_core::Error> {
    let people = sample.first().map_or(1, Vec::len);
    let columns = view.known().iter().zip(sample);
    let known: Vec<Column> =
        columns.map(|(column, codes)| column.clone().with_codes(codes)).collect();
    // Regions must not depend on values, so everybody gets the same value here.
    let secret = view.secret().clone().with_codes(vec![0; people]);
    let most = (MOST_LOTS / values_cut.max(1)).max(1);
    Ok(Regions::new(&View::new(known, secret)?, people.div_ceil(most)))
}

/// Finds the stratum of a row.
#[derive(Debug)]
struct RowStrata {
    columns: Vec<usize>,
    number_of: HashMap<Vec<u32>, usize>,
}

impl RowStrata {
    fn new(view: &View, known: ColumnSet) -> Self {
        let published: Vec<usize> = known.iter().collect();
        let columns = view
            .strata_columns()
            .filter_map(|column| view.known().iter().position(|own| own.name() == column.name()))
            .map(|at| published[at])
            .collect();
        let strata = view.strata();
        let numbered = strata.iter().map(|own| own.codes().to_vec()).zip(0..);
        Self { columns, number_of: numbered.collect() }
    }

    fn of_row(&self, codes: &[Vec<u32>], row: usize) -> usize {
        if self.columns.is_empty() {
            return 0;
        }
        let key = self.columns.iter().map(|&column| codes[column][row]);
        self.number_of[&key.collect::<Vec<u32>>()]
    }
}
