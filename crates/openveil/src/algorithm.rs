//! The publishing algorithms by name, behind one interface.

use crate::Error;
use crate::blocks::{BLOCK_SIZE, Blocks, Disclosure};
use crate::coins::Coins;
use crate::cover::{MAX_QUASI_IDENTIFIERS, cover};
use crate::privacy::RatioDiversity;
use crate::streamliner::{gda, rda, rda_file_order, ria};
use crate::table::{Groups, Table};

/// An algorithm that cuts a table into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Decompose, deal, arrange: see [`crate::cover`]. The default.
    Cover,
    /// Random and independent: see [`crate::streamliner`].
    Ria,
    /// Random and dependent: see [`crate::streamliner`].
    Rda,
    /// The paper's literal RDA, which takes rows in file order. Unsafe.
    RdaFileOrder,
    /// Guided and dependent, as printed. Unsafe.
    Gda,
    /// Blocks that release what k-jump allows, with the vector that suits a block
    /// best: see [`crate::blocks`].
    KJump,
    /// Blocks that release the first grouping with a safe disclosure set.
    Safe,
    /// Blocks that release the first grouping that looks safe. Unsafe.
    Naive,
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
    /// All algorithms, the default first.
    pub const ALL: [Self; 8] = [
        Self::Cover,
        Self::Ria,
        Self::Rda,
        Self::RdaFileOrder,
        Self::Gda,
        Self::KJump,
        Self::Safe,
        Self::Naive,
    ];

    /// The name in policies and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Ria => "ria",
            Self::Rda => "rda",
            Self::RdaFileOrder => "rda-file-order",
            Self::Gda => "gda",
            Self::KJump => "k-jump",
            Self::Safe => "safe",
            Self::Naive => "naive",
        }
    }

    /// The algorithm of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
    }

    /// Against whom the algorithm protects.
    pub fn adversary(self) -> Adversary {
        match self {
            Self::Cover | Self::Ria | Self::Rda | Self::KJump | Self::Safe => {
                Adversary::KnowsAlgorithm
            }
            Self::RdaFileOrder | Self::Gda | Self::Naive => Adversary::SeesRelease,
        }
    }

    /// Whether the algorithm tosses coins; if not, the same table always leads
    /// to the same release.
    pub fn is_randomized(self) -> bool {
        match self {
            Self::Cover | Self::Ria | Self::Rda | Self::KJump | Self::Safe | Self::Naive => true,
            Self::RdaFileOrder | Self::Gda => false,
        }
    }

    /// How a block decides what to release, for algorithms made of blocks.
    fn disclosure(self) -> Option<Disclosure> {
        match self {
            Self::KJump => Some(Disclosure::Jump),
            Self::Safe => Some(Disclosure::Safe),
            Self::Naive => Some(Disclosure::Naive),
            _ => None,
        }
    }

    /// Checks, without tossing a coin, that the algorithm can publish a table.
    ///
    /// # Errors
    /// [`Error::Ineligible`] if no release satisfies the model;
    /// [`Error::ExemptUnsupported`], [`Error::TooManyQuasiIdentifiers`],
    /// [`Error::BlockTooLarge`].
    pub fn check(self, table: &Table, model: RatioDiversity) -> Result<(), Error> {
        let exempt = table.sensitive().exempt();
        let columns = table.quasi_identifiers().len();
        if self == Self::Cover && columns > MAX_QUASI_IDENTIFIERS {
            return Err(Error::TooManyQuasiIdentifiers {
                found: columns,
                limit: MAX_QUASI_IDENTIFIERS,
            });
        }
        if let Some(disclosure) = self.disclosure() {
            return Blocks::new(BLOCK_SIZE, disclosure)?.check(table, model);
        }
        if self != Self::Cover && exempt.contains(&true) {
            return Err(Error::ExemptUnsupported {
                algorithm: self.name(),
            });
        }
        Ok(model.check_eligible(&table.histogram(), exempt)?)
    }

    /// Cuts the rows of a table into groups that satisfy the model.
    ///
    /// # Errors
    /// As [`Algorithm::check`], and what the algorithm's own module says.
    pub fn partition(
        self,
        table: &Table,
        model: RatioDiversity,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        self.check(table, model)?;
        match self {
            Self::Cover => cover(table, model, coins),
            Self::Ria => ria(table, model, coins),
            Self::Rda => rda(table, model, coins),
            Self::RdaFileOrder => rda_file_order(table, model),
            Self::Gda => gda(table, model),
            Self::KJump => in_blocks(Disclosure::Jump, table, model, coins),
            Self::Safe => in_blocks(Disclosure::Safe, table, model, coins),
            Self::Naive => in_blocks(Disclosure::Naive, table, model, coins),
        }
    }
}

fn in_blocks(
    disclosure: Disclosure,
    table: &Table,
    model: RatioDiversity,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    Blocks::new(BLOCK_SIZE, disclosure)?.partition(table, model, coins)
}
