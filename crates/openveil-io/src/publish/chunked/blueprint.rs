//! What is decided before the deal: where rows of each value go, and which rows are alike.

use crate::publish::schema::Guard;
use crate::{Error, Location};
use openveil::algorithm::cover::chunks::{Chunk, Chunks, Grid, Layout, Regions};
use openveil::table::{Column, ColumnSet, View};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// People of a region, unless they are alike.
const REGION: usize = 1;

/// How a table is dealt: a function of its counts, of a sample of quasi-identifiers and of how
/// many rows a part may have.
#[derive(Debug)]
pub(in crate::publish) struct Blueprint {
    pub(in crate::publish) layout: Layout,
    pub(in crate::publish) grid: Grid,
    regions: Regions,
    strata: Strata,
    pub(in crate::publish) columns: Columns,
}

/// Where the columns of a view stand among the published ones.
#[derive(Debug, Clone, Copy)]
pub(in crate::publish) struct Columns {
    pub(super) known: ColumnSet,
    pub(super) other: ColumnSet,
    pub(in crate::publish) secret: usize,
}

impl Blueprint {
    /// Plans parts of at most so many rows, or one chunk. `sample` has codes of some people,
    /// quasi-identifier by quasi-identifier.
    ///
    /// # Errors
    /// A table that its model does not allow.
    pub(in crate::publish) fn of(
        guard: &Guard,
        sample: Vec<Vec<u32>>,
        most_rows: u32,
    ) -> Result<Self, Error> {
        let view = &guard.view;
        let failed = |cause: openveil::Error| Error::new(Location::default(), cause.to_string());
        let criteria = guard.model.bind_strata(view).map_err(failed)?;
        let layout = Layout::of(view, &criteria).map_err(failed)?;
        let regions = regions(view, sample).map_err(failed)?;
        let grid = Grid::new(&layout, most_rows, &regions);
        Ok(Self {
            columns: Columns {
                known: guard.known,
                other: guard.other,
                secret: guard.secret.iter().next().expect("something is secret"),
            },
            strata: Strata::of(view, guard.known),
            layout,
            grid,
            regions,
        })
    }

    /// Cuts the table into chunks, once the rows of each lot are counted.
    ///
    /// # Errors
    /// Counts that are not those of the table.
    pub(in crate::publish) fn chunks(&self, rows: &[u32], view: &View) -> Result<Chunks, Error> {
        if !self.grid.fits(rows) {
            let problem = "rows are not those that were counted; nothing was published";
            return Err(Error::new(Location::default(), problem));
        }
        let chunks = Chunks::of(&self.grid, rows, view, &self.regions);
        chunks.map_err(|cause| Error::new(Location::default(), cause.to_string()))
    }

    /// The lot of a row in the layout: that of its value in its stratum.
    pub(in crate::publish) fn lot(&self, codes: &[Vec<u32>], row: usize) -> u32 {
        let value = codes[self.columns.secret][row];
        self.layout.lot(self.strata.of_row(codes, row), value) as u32
    }

    /// The region of each row.
    pub(in crate::publish) fn region<'a>(
        &'a self,
        codes: &'a [Vec<u32>],
    ) -> impl Fn(usize) -> u32 + 'a {
        let known: Vec<&[u32]> = self.columns.known.iter().map(|at| &codes[at][..]).collect();
        move |row| self.regions.region(|axis| known[axis][row])
    }
}

/// The chunks of a table, and the parts that they are published in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::publish) struct Parting {
    chunks: Vec<Chunk>,
    /// The part that each chunk is published in.
    part_of: Vec<u32>,
    /// Groups before each part, and behind the last one their number.
    groups: Vec<u64>,
}

impl Parting {
    /// Parts of as many chunks as fit together, in their order: of at most so many rows, or one
    /// chunk.
    pub(in crate::publish) fn of(chunks: &[Chunk], most_rows: u32) -> Self {
        let (mut part_of, mut groups, mut rows) = (Vec::new(), vec![0, 0], 0);
        for chunk in chunks {
            if rows > 0 && rows + chunk.rows() > u64::from(most_rows) {
                groups.push(groups[groups.len() - 1]);
                rows = 0;
            }
            rows += chunk.rows();
            let last = groups.len() - 1;
            groups[last] += u64::from(chunk.groups);
            part_of.push(last as u32 - 1);
        }
        Self {
            chunks: chunks.to_vec(),
            part_of,
            groups,
        }
    }

    /// Number of parts.
    pub(in crate::publish) fn parts(&self) -> usize {
        self.groups.len() - 1
    }

    /// The part that a chunk is published in.
    pub(in crate::publish) fn part_of(&self, chunk: u32) -> u32 {
        self.part_of[chunk as usize]
    }

    /// Groups of the release that stand before a part's.
    pub(in crate::publish) fn groups_before(&self, part: usize) -> u64 {
        self.groups[part]
    }

    /// Whether rows that were dealt into these columns are all of a chunk: one of every column
    /// for each of its groups.
    pub(super) fn is_whole(&self, chunk: u32, columns: &[u32]) -> bool {
        let Some(chunk) = self.chunks.get(chunk as usize) else {
            return false;
        };
        let mut rows = vec![0; chunk.columns as usize];
        for &column in columns {
            match rows.get_mut(column.wrapping_sub(chunk.first) as usize) {
                Some(own) => *own += 1,
                None => return false,
            }
        }
        rows.iter().all(|&rows| rows == chunk.groups)
    }
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
#[derive(Debug)]
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
        let key = self.columns.iter().map(|&column| codes[column][row]);
        self.number_of[&key.collect::<Vec<u32>>()]
    }
}
