//! Searches covers exhaustively; sets of people are bits of a word.

use super::covers::{Covers, colours};
use super::{CoverColours, CoverCondition, CoverStrength};
use openveil_core::Error;
use openveil_core::release::check::Violation;
use openveil_core::table::Groups;
use std::collections::HashSet;

/// The largest number of people of a table whose covers are searched.
pub const COVERED_PEOPLE: usize = 32;

/// The largest number of steps of the search for the covers of one colour.
pub const SEARCH_LIMIT: u64 = 1_000_000;

/// The result of a search for covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoverFound {
    /// The partitions satisfy the property, by these covers.
    Covered(Covers),
    /// They do not satisfy it: the colour of this value has no l − 1 covers. It is the least such
    /// value.
    Uncovered {
        /// The value.
        value: u32,
    },
}

impl CoverFound {
    /// Returns the covers, if there are any.
    pub fn covers(self) -> Option<Covers> {
        match self {
            Self::Covered(covers) => Some(covers),
            Self::Uncovered { .. } => None,
        }
    }
}

/// Searches covers by which a set of partitions of a table satisfies a property, by backtracking:
/// first all covers of a colour, then l − 1 that are compatible. `values[person]` is the table. The
/// papers assume that the partitions are locally safe; this is not checked, and full l-cover
/// implies it.
///
/// Time: for a colour of k among n rows (n − k)!/(n − 2k)! bijections, each compared with every
/// group, and the choice among the resulting covers.
///
/// # Errors
/// [`Error::BeyondLimit`] beyond [`COVERED_PEOPLE`] or [`SEARCH_LIMIT`];
/// [`Error::Violation`] if some groups are no partition of the people.
pub fn find(
    values: &[u32],
    partitions: &[Groups],
    condition: CoverCondition,
) -> Result<CoverFound, Error> {
    if values.len() > COVERED_PEOPLE {
        return Err(Error::BeyondLimit {
            what: "people of a table whose covers are searched",
            needed: values.len().to_string(),
            limit: COVERED_PEOPLE as u64,
        });
    }
    for partition in partitions {
        let checked = partition.check_partition(values.len());
        checked.map_err(Violation::NotAPartition)?;
    }
    let known = partitions.iter().flat_map(Groups::iter).map(bits).collect();
    let mut images = Vec::new();
    for (value, rows) in colours(values) {
        let mut search = ColourSearch {
            values,
            condition,
            known: &known,
            rows: &rows,
            found: Vec::new(),
            steps: 0,
        };
        search.collect_covers(&mut Vec::new(), bits(&rows))?;
        let mut chosen = Vec::new();
        if !search.choose(0, 0, &mut chosen)? {
            return Ok(CoverFound::Uncovered { value });
        }
        let found = chosen.iter().map(|&cover| search.found[cover].clone());
        images.push(found.collect());
    }
    let covers = Covers::new(values, condition, images);
    Ok(CoverFound::Covered(covers.expect("what was searched for")))
}

fn bits(rows: &[u32]) -> u32 {
    rows.iter().fold(0, |bits, &row| bits | 1 << row)
}

/// The search for the covers of one colour.
struct ColourSearch<'a> {
    values: &'a [u32],
    condition: CoverCondition,
    /// All groups of all partitions.
    known: &'a HashSet<u32>,
    /// The colour.
    rows: &'a [u32],
    /// The covers found so far: images of its rows in order.
    found: Vec<Vec<u32>>,
    steps: u64,
}

impl ColourSearch<'_> {
    fn step(&mut self) -> Result<(), Error> {
        self.steps += 1;
        if self.steps > SEARCH_LIMIT {
            return Err(Error::BeyondLimit {
                what: "steps of the search for covers of one value",
                needed: format!("more than {SEARCH_LIMIT}"),
                limit: SEARCH_LIMIT,
            });
        }
        Ok(())
    }

    /// Extends the images of the first rows to covers in all ways; `taken` are the colour and these
    /// images.
    fn collect_covers(&mut self, images: &mut Vec<u32>, taken: u32) -> Result<(), Error> {
        self.step()?;
        if images.len() == self.rows.len() {
            if self.is_cover(images) {
                self.found.push(images.clone());
            }
            return Ok(());
        }
        for image in 0..self.values.len() as u32 {
            if taken >> image & 1 == 0 {
                images.push(image);
                self.collect_covers(images, taken | 1 << image)?;
                images.pop();
            }
        }
        Ok(())
    }

    /// Checks the last condition of Definition 7 and, if required, of Definition 9.
    fn is_cover(&self, images: &[u32]) -> bool {
        let (own, cover) = (bits(self.rows), bits(images));
        self.known.iter().all(|&group| {
            let is_balanced = (group & own).count_ones() == (group & cover).count_ones();
            (self.condition.strength == CoverStrength::Weak || is_balanced)
                && self.known.contains(&self.exchange(group, images))
        })
    }

    fn exchange(&self, group: u32, images: &[u32]) -> u32 {
        self.rows.iter().zip(images).fold(group, |group, (&row, &image)| {
            let differs = (group >> row ^ group >> image) & 1;
            group ^ (differs << row | differs << image)
        })
    }

    /// Chooses covers from the `first` on until there are enough.
    fn choose(&mut self, first: usize, taken: u32, chosen: &mut Vec<usize>) -> Result<bool, Error> {
        self.step()?;
        if chosen.len() == self.condition.covers() {
            return Ok(true);
        }
        for cover in first..self.found.len() {
            let own = bits(&self.found[cover]);
            if taken & own == 0 && self.goes_with(cover, chosen) {
                chosen.push(cover);
                if self.choose(cover + 1, taken | own, chosen)? {
                    return Ok(true);
                }
                chosen.pop();
            }
        }
        Ok(false)
    }

    /// Returns whether the images of every row have different colours, if required.
    fn goes_with(&self, cover: usize, chosen: &[usize]) -> bool {
        let value = |cover: usize, place: usize| self.values[self.found[cover][place] as usize];
        self.condition.reading == CoverColours::LCover
            || chosen.iter().all(|&other| {
                (0..self.rows.len()).all(|place| value(other, place) != value(cover, place))
            })
    }
}
