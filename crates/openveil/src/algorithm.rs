//! The publishing algorithms by name, behind one interface.

use crate::Error;
use crate::blocks::{BLOCK_SIZE, Blocks, Disclosure};
use crate::coins::Coins;
use crate::cover::{MAX_QUASI_IDENTIFIERS, cover};
use crate::halving::halving;
use crate::privacy::{Model, RatioDiversity};
use crate::streamliner::{gda, rda, rda_file_order, ria};
use crate::table::{Groups, Table};

/// An algorithm that cuts a table into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Decompose, deal, arrange: see [`crate::cover`]. The default.
    Cover,
    /// Equal halves by quasi-identifiers, kept where the model holds: see
    /// [`crate::halving`]. For any convex model.
    Halving,
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

/// What is known of an algorithm without running it.
struct Profile {
    name: &'static str,
    adversary: Adversary,
    is_randomized: bool,
    /// Whether it publishes models other than ratio l-diversity.
    takes_any_model: bool,
    /// Whether values may be exempt.
    takes_exempt: bool,
}

impl Profile {
    /// An algorithm that tosses coins and is safe to know, for ratio l-diversity.
    const fn safe(name: &'static str) -> Self {
        Self {
            name,
            adversary: Adversary::KnowsAlgorithm,
            is_randomized: true,
            takes_any_model: false,
            takes_exempt: false,
        }
    }

    /// An algorithm that gives people away to a reader who re-runs it.
    const fn disclosing(name: &'static str) -> Self {
        Self {
            adversary: Adversary::SeesRelease,
            is_randomized: false,
            ..Self::safe(name)
        }
    }

    const fn any_model(self) -> Self {
        Self {
            takes_any_model: true,
            takes_exempt: true,
            ..self
        }
    }

    const fn exempt(self) -> Self {
        Self {
            takes_exempt: true,
            ..self
        }
    }

    const fn randomized(self) -> Self {
        Self {
            is_randomized: true,
            ..self
        }
    }
}

impl Algorithm {
    /// All algorithms, the default first.
    pub const ALL: [Self; 9] = [
        Self::Cover,
        Self::Halving,
        Self::Ria,
        Self::Rda,
        Self::RdaFileOrder,
        Self::Gda,
        Self::KJump,
        Self::Safe,
        Self::Naive,
    ];

    const fn profile(self) -> Profile {
        match self {
            Self::Cover => Profile::safe("cover").any_model(),
            Self::Halving => Profile::safe("halving").any_model(),
            Self::Ria => Profile::safe("ria"),
            Self::Rda => Profile::safe("rda"),
            Self::RdaFileOrder => Profile::disclosing("rda-file-order"),
            Self::Gda => Profile::disclosing("gda"),
            Self::KJump => Profile::safe("k-jump").exempt(),
            Self::Safe => Profile::safe("safe").exempt(),
            Self::Naive => Profile::disclosing("naive").randomized().exempt(),
        }
    }

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
    /// [`Error::Ineligible`] or [`Error::Unsatisfiable`] if no release satisfies the
    /// model; [`Error::ModelUnsupported`], [`Error::ExemptUnsupported`],
    /// [`Error::NotConvex`], [`Error::TooManyQuasiIdentifiers`],
    /// [`Error::BlockTooLarge`].
    pub fn check(self, table: &Table, model: &Model) -> Result<(), Error> {
        let exempt = table.sensitive().exempt();
        let columns = table.quasi_identifiers().len();
        if self == Self::Cover && columns > MAX_QUASI_IDENTIFIERS {
            return Err(Error::TooManyQuasiIdentifiers {
                found: columns,
                limit: MAX_QUASI_IDENTIFIERS,
            });
        }
        if !self.profile().takes_exempt && exempt.contains(&true) {
            return Err(Error::ExemptUnsupported {
                algorithm: self.name(),
            });
        }
        if let Some(disclosure) = self.disclosure() {
            return Blocks::new(BLOCK_SIZE, disclosure)?.check(table, self.ratio(model)?);
        }
        // Only cover reaches every release that ratio l-diversity allows.
        let is_cover_for_ratio = self == Self::Cover && model.ratio().is_some();
        if self.profile().takes_any_model && !is_cover_for_ratio {
            return self.check_whole(table, model);
        }
        let ratio = self.ratio(model)?;
        Ok(ratio.check_eligible(&table.histogram(), exempt)?)
    }

    /// Checks that the table as one group satisfies the model, and that the
    /// algorithm's promise holds for it.
    fn check_whole(self, table: &Table, model: &Model) -> Result<(), Error> {
        let criteria = model.bind(table)?;
        if self.adversary() == Adversary::KnowsAlgorithm {
            criteria.check_convex(model)?;
        }
        criteria.check_whole(table)
    }

    /// The bound of a model that is ratio l-diversity.
    pub(crate) fn ratio(self, model: &Model) -> Result<RatioDiversity, Error> {
        model.ratio().ok_or_else(|| Error::ModelUnsupported {
            algorithm: self.name(),
            model: model.to_string(),
        })
    }

    /// Cuts the rows of a table into groups that satisfy the model.
    ///
    /// # Errors
    /// As [`Algorithm::check`], and what the algorithm's own module says.
    pub fn partition(
        self,
        table: &Table,
        model: &Model,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        self.check(table, model)?;
        if let Some(disclosure) = self.disclosure() {
            let blocks = Blocks::new(BLOCK_SIZE, disclosure)?;
            return blocks.partition(table, self.ratio(model)?, coins);
        }
        match self {
            Self::Cover => cover(table, model, coins),
            Self::Halving => halving(table, model, coins),
            Self::Ria => ria(table, self.ratio(model)?, coins),
            Self::Rda => rda(table, self.ratio(model)?, coins),
            Self::RdaFileOrder => rda_file_order(table, self.ratio(model)?),
            Self::Gda => gda(table, self.ratio(model)?),
            Self::KJump | Self::Safe | Self::Naive => unreachable!("made of blocks"),
        }
    }
}
