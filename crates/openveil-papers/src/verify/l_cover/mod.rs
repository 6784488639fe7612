#![doc = include_str!("proof.md")]

pub mod certificate;
mod covers;
mod search;

pub use covers::{Breach, ColourCovers, Covers};
pub use search::{COVERED_PEOPLE, CoverFound, SEARCH_LIMIT, find};

use openveil_core::model::RatioDiversity;

/// The requirements on the covers of a set of partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoverCondition {
    /// Every colour needs l − 1 covers.
    pub model: RatioDiversity,
    /// The knowledge that the covers have to withstand.
    pub strength: CoverStrength,
    /// The paper whose covers are used.
    pub reading: CoverColours,
}

/// The knowledge that covers have to withstand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverStrength {
    /// The reader knows the set of partitions: weak l-cover (L-Cover paper, Definition 8).
    Weak,
    /// The reader also knows that one of them is released: every group has as many rows of a colour
    /// as of each of its covers (Definition 9).
    Full,
}

/// Whether the covers of one row may have one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverColours {
    /// They may (L-Cover paper, Definitions 7 to 9).
    LCover,
    /// The images of one row have different colours (Privacy Streamliner, Definitions 4 and 5).
    Streamliner,
}

impl CoverCondition {
    /// Returns the number of covers that every colour needs: l − 1.
    pub fn covers(&self) -> usize {
        self.model.l() as usize - 1
    }
}
