#![doc = include_str!("proof.md")]

pub mod certificate;
mod covers;
mod search;

pub use covers::{Breach, ColourCovers, Covers};
pub use search::{COVERED_PEOPLE, CoverFound, SEARCH_LIMIT, find};

use openveil_core::model::RatioDiversity;

/// The demands on the covers of a set of partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoverCondition {
    /// Every colour needs l − 1 covers.
    pub model: RatioDiversity,
    /// The knowledge that the covers have to withstand.
    pub strength: CoverStrength,
    /// Which paper's covers.
    pub reading: CoverColours,
}

/// The knowledge that covers have to withstand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverStrength {
    /// That the set of partitions is known: weak l-cover (L-Cover paper,
    /// Definition 8).
    Weak,
    /// That one of them is released: every group holds as many rows of a colour
    /// as of each of its covers (Definition 9).
    Full,
}

/// Whether the covers of one row may be of one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverColours {
    /// They may (L-Cover paper, Definitions 7 to 9).
    LCover,
    /// The images of one row are of different colours (Privacy Streamliner,
    /// Definitions 4 and 5).
    Streamliner,
}

impl CoverCondition {
    /// How many covers every colour needs: l − 1.
    pub fn covers(&self) -> usize {
        self.model.l() as usize - 1
    }
}
