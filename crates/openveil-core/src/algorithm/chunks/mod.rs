//! Tables that do not fit into memory or are spread over several machines: the common parts of
//! engines that need only counts of such tables until they put rows together.
//!
//! A [`Chunked`] engine answers three questions:
//!
//! 1. Into which columns do the rows of each value go ([`ChunkLayout`])? This follows from the
//!    table's histograms. Coins decide which rows these are ([`Urns`]).
//! 2. How many rows go to which place, and which places make a *chunk* ([`Chunks`])? This follows
//!    from how many rows of each column lie in each region of the space of quasi-identifiers
//!    ([`Regions`], [`Grid`]). Again coins decide which rows.
//! 3. How are the rows of one chunk grouped, once it is in memory?
//!
//! The proofs of the engines show why this is safe.

mod allotment;
mod grid;
mod layout;
mod regions;

pub use allotment::{Allotment, LotShare, Urns};
pub use grid::Grid;
pub use layout::{ChunkLayout, LayoutUnitColumns};
pub use regions::Regions;

use super::Settings;
use crate::Error;
use crate::coins::Coins;
use crate::model::Criteria;
use crate::table::{Groups, View};
use std::fmt;

/// An engine for tables that lie elsewhere.
pub trait Chunked: fmt::Debug + Send + Sync {
    /// Returns into which columns the rows of each value go, in all strata of a table. Only counts
    /// of the table are needed ([`View::counted`]). `criteria` has one entry for each stratum, in
    /// their order. Coins may decide which values share a column: with the same coins the layout is
    /// the same.
    ///
    /// # Errors
    /// If the model does not allow the table, or it exceeds the engine's limits.
    fn layout(
        &self,
        table: &View,
        criteria: &[Criteria],
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<ChunkLayout, Error>;

    /// Cuts a table into chunks; `rows` has the number of rows of each lot of the grid.
    ///
    /// # Errors
    /// If the table exceeds the engine's limits.
    ///
    /// # Panics
    /// If the counts do not [fit](Grid::fits).
    fn cut(
        &self,
        counted: &Counted<'_>,
        rows: &[u32],
        coins: &mut dyn Coins,
    ) -> Result<Chunks, Error>;

    /// Returns the groups of one chunk. `class` has the [class](Chunk::class) of each row. The
    /// order of rows does not matter.
    ///
    /// # Errors
    /// If the chunk exceeds the engine's limits.
    ///
    /// # Panics
    /// Unless the chunk is [whole](Chunk::is_whole).
    fn groups(
        &self,
        chunk: &Chunk,
        view: &View,
        class: &[u32],
        criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error>;
}

/// A table whose rows are counted, and what was decided about it.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// The table: its domains are needed, its rows are not.
    pub table: &'a View,
    /// The criteria of its strata.
    pub criteria: &'a [Criteria],
    /// The columns that rows of each value go to.
    pub layout: &'a ChunkLayout,
    /// The regions in which rows were counted.
    pub regions: &'a Regions,
    /// The lots in which rows were counted.
    pub grid: &'a Grid,
}

/// Rows that are put into groups together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Chunk {
    /// The stratum, by its position among the table's.
    pub stratum: u32,
    /// Number of classes, each of which has equally many rows.
    pub classes: u32,
    /// Rows of each class.
    pub rows_each: u32,
    /// The first of its places, each of which makes a class.
    pub first: u32,
    /// Whether the chunk is already one group, with nothing left to decide.
    pub is_group: bool,
}

impl Chunk {
    /// Number of rows.
    pub fn rows(&self) -> u64 {
        u64::from(self.classes) * u64::from(self.rows_each)
    }

    /// The class of a row that was put at a place, from 0.
    #[inline]
    pub fn class(&self, place: u32) -> u32 {
        place.wrapping_sub(self.first)
    }

    /// Whether these are the classes of all rows of the chunk. O(rows).
    pub fn is_whole(&self, classes: &[u32]) -> bool {
        let mut rows = vec![0; self.classes as usize];
        for &class in classes {
            match rows.get_mut(class as usize) {
                Some(own) => *own += 1,
                None => return false,
            }
        }
        rows.iter().all(|&rows| rows == self.rows_each)
    }
}

/// The chunks of a table, and how many rows of each lot go to each of their places. Places are
/// numbered chunk after chunk.
#[derive(Debug, Clone)]
pub struct Chunks {
    chunks: Vec<Chunk>,
    allotment: Allotment,
}

impl Chunks {
    pub(super) fn new(chunks: Vec<Chunk>, lots: impl IntoIterator<Item = Vec<LotShare>>) -> Self {
        Self {
            chunks,
            allotment: Allotment::new(lots),
        }
    }

    /// The chunks, unit after unit.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// How many rows of each lot go to each place.
    pub fn allotment(&self) -> &Allotment {
        &self.allotment
    }
}

/// The rows of each class, in the form that the engines take.
pub(super) fn rows_by_class(chunk: &Chunk, class: &[u32]) -> Vec<Vec<u32>> {
    assert!(chunk.is_whole(class), "all rows of a chunk are there");
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); chunk.classes as usize];
    for (row, &class) in (0..).zip(class) {
        rows[class as usize].push(row);
    }
    rows
}

#[cfg(any(test, feature = "testing"))]
pub mod testing;
