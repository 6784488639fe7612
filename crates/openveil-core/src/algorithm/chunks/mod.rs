//! Tables that do not fit into memory or are spread over several machines: only counts of such
//! tables are needed until rows are put together.
//!
//! 1. How many rows go to which place, and which places make a *chunk* ([`Chunks`])? This follows
//!    from how many rows of each value lie in each region of the space of quasi-identifiers
//!    ([`Regions`], [`Grid`]). Coins decide which rows these are ([`Urns`]).
//! 2. How are the rows of one chunk grouped, once it is in memory ([`Chunk::groups`])?
//!
//! The proof of `halving` shows why this is safe.

mod allotment;
mod grid;
mod regions;

pub use allotment::{Allotment, LotShare, Urns};
pub use grid::Grid;
pub use regions::Regions;

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
    pub(in crate::algorithm) fn new(
        chunks: Vec<Chunk>,
        lots: impl IntoIterator<Item = Vec<LotShare>>,
    ) -> Self {
        Self { chunks, allotment: Allotment::new(lots) }
    }

    /// The chunks, stratum after stratum.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// How many rows of each lot go to each place.
    pub fn allotment(&self) -> &Allotment {
        &self.allotment
    }
}

/// The rows of each class, in the order of classes.
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
