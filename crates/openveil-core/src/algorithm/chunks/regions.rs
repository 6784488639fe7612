//! Parts of the space in which people lie, from a sample of them: people in the same part, or in
//! neighbouring ones, are alike.

use crate::Error;
use crate::algorithm::cover::{Division, divided};
use crate::table::View;

/// A tree of cuts across quasi-identifiers. Its leaves, from left to right, are the *regions*. It
/// is a function of the sample's quasi-identifiers and of the coins that drew the sample, so it
/// depends on values no more than these coins do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    root: RegionNode,
    /// One person of each region.
    people: Vec<RegionPerson>,
}

/// One person of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RegionPerson {
    /// Positions on the quasi-identifiers.
    keys: Vec<u16>,
    /// Whether the sample has several people in the region, all of them at this place.
    are_alike: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RegionNode {
    Region(u32),
    Cut {
        axis: usize,
        /// Codes below it lie in the first part.
        below: u32,
        parts: Box<[RegionNode; 2]>,
    },
}

impl Regions {
    /// Cuts a sample into regions of about `people` people each, or of more who share one tuple.
    /// O(n log n).
    ///
    /// # Errors
    /// [`Error::TooManyQuasiIdentifiers`].
    pub fn of(sample: &View, people: usize) -> Result<Self, Error> {
        let mut somebody = Vec::new();
        let root = numbered(divided(sample, people)?, &mut somebody);
        Ok(Self {
            root,
            people: somebody,
        })
    }

    /// Number of regions, at least 1.
    pub fn count(&self) -> u32 {
        self.people.len() as u32
    }

    /// The position of one person of a region.
    pub(in crate::algorithm) fn keys<const K: usize>(&self, region: u32) -> [u16; K] {
        let own = &self.people[region as usize].keys;
        std::array::from_fn(|axis| own.get(axis).copied().unwrap_or(0))
    }

    /// Whether a region is probably a single place with many people.
    pub(in crate::algorithm) fn are_alike(&self, region: u32) -> bool {
        self.people[region as usize].are_alike
    }

    /// The region of a person with these codes on the quasi-identifiers. O(log regions).
    ///
    /// # Panics
    /// If there are fewer codes than quasi-identifiers.
    #[inline]
    pub fn region(&self, code: impl Fn(usize) -> u32) -> u32 {
        let mut node = &self.root;
        loop {
            match node {
                RegionNode::Region(number) => return *number,
                RegionNode::Cut { axis, below, parts } => {
                    node = &parts[usize::from(code(*axis) >= *below)];
                }
            }
        }
    }
}

fn numbered(division: Division, people: &mut Vec<RegionPerson>) -> RegionNode {
    match division {
        Division::Whole { keys, are_alike } => {
            people.push(RegionPerson { keys, are_alike });
            RegionNode::Region(people.len() as u32 - 1)
        }
        Division::Cut { axis, below, parts } => {
            let [first, second] = *parts;
            let first = numbered(first, people);
            RegionNode::Cut {
                axis,
                below,
                parts: Box::new([first, numbered(second, people)]),
            }
        }
    }
}
