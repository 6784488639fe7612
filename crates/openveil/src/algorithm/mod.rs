//! The publishing algorithms by name, behind one interface.

pub mod baseline;
pub mod blocks;
mod check;
pub mod cover;
pub mod halving;
mod profile;
pub mod streamliner;

use self::baseline::{Cut, Score, anatomy, incognito, mondrian, top_down};
use self::blocks::{BLOCK_SIZE, Blocks, Disclosure};
use self::cover::cover;
use self::halving::halving;
use self::streamliner::{gda, rda, rda_file_order, ria};
use crate::Error;
use crate::coins::Coins;
use crate::model::Model;
use crate::table::{Groups, View};

/// An algorithm that cuts a table into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Decompose, deal, arrange: see [`self::cover`]. The default.
    Cover,
    /// Equal halves by quasi-identifiers, kept where the model holds: see
    /// [`self::halving`]. For any convex model.
    Halving,
    /// Random and independent: see [`self::streamliner`].
    Ria,
    /// Random and dependent: see [`self::streamliner`].
    Rda,
    /// The paper's literal RDA, which takes rows in file order. Unsafe.
    RdaFileOrder,
    /// Guided and dependent, as printed. Unsafe.
    Gda,
    /// Blocks that release what k-jump allows, with the vector that suits a block
    /// best: see [`self::blocks`].
    KJump,
    /// Blocks that release the first grouping with a safe disclosure set.
    Safe,
    /// Blocks that release the first grouping that looks safe. Unsafe.
    Naive,
    /// Top-down local recoding, for any model: see [`self::baseline`].
    TopDown,
    /// Mondrian whose boxes do not overlap, for any model: see [`self::baseline`].
    Mondrian,
    /// Mondrian that shares out rows with the median value.
    MondrianRelaxed,
    /// Incognito, for monotone models: see [`self::baseline`].
    Incognito,
    /// Anatomize, for ratio and distinct l-diversity: see [`self::baseline`].
    Anatomy,
}

/// The strongest reader against whom an algorithm's promise holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adversary {
    /// Knows the algorithm, its parameters and its source, but not the coins.
    KnowsAlgorithm,
    /// Sees the release and must not know how it was made.
    SeesRelease,
}

impl Adversary {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::KnowsAlgorithm => "knows-algorithm",
            Self::SeesRelease => "sees-release",
        }
    }
}

impl Algorithm {
    /// The name in policies and manifests.
    pub fn name(self) -> &'static str {
        self.profile().name
    }

    /// The algorithm of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
    }

    /// Against whom the algorithm protects.
    pub fn adversary(self) -> Adversary {
        self.profile().adversary
    }

    /// Whether the algorithm tosses coins; if not, the same table always leads
    /// to the same release.
    pub fn is_randomized(self) -> bool {
        self.profile().is_randomized
    }

    /// Cuts the rows of a table into groups that satisfy the model.
    ///
    /// # Errors
    /// As [`Algorithm::check`], and what the algorithm's own module says.
    pub fn partition(
        self,
        table: &View,
        model: &Model,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        self.check(table, model)?;
        match self {
            Self::Cover => cover(table, model, coins),
            Self::Halving => halving(table, model, coins),
            Self::Ria => ria(table, self.ratio(model)?, coins),
            Self::Rda => rda(table, self.ratio(model)?, coins),
            Self::RdaFileOrder => rda_file_order(table, self.ratio(model)?),
            Self::Gda => gda(table, self.ratio(model)?),
            Self::KJump => self.in_blocks(Disclosure::Jump, table, model, coins),
            Self::Safe => self.in_blocks(Disclosure::Safe, table, model, coins),
            Self::Naive => self.in_blocks(Disclosure::Naive, table, model, coins),
            Self::TopDown => top_down(table, &model.bind(table)?),
            Self::Mondrian => mondrian(table, &model.bind(table)?, Cut::Strict),
            Self::MondrianRelaxed => mondrian(table, &model.bind(table)?, Cut::Relaxed),
            Self::Incognito => incognito(table, &model.bind(table)?, Score::default()),
            Self::Anatomy => Ok(anatomy(table, self.buckets(model)?, coins)),
        }
    }

    fn in_blocks(
        self,
        disclosure: Disclosure,
        table: &View,
        model: &Model,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        let blocks = Blocks::new(BLOCK_SIZE, disclosure)?;
        blocks.partition(table, self.ratio(model)?, coins)
    }
}
