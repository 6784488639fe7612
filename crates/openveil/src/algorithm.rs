//! The publishing algorithms by name, behind one interface.

use crate::Error;
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
    pub const ALL: [Self; 6] = [
        Self::Cover,
        Self::Halving,
        Self::Ria,
        Self::Rda,
        Self::RdaFileOrder,
        Self::Gda,
    ];

    /// The name in policies and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Halving => "halving",
            Self::Ria => "ria",
            Self::Rda => "rda",
            Self::RdaFileOrder => "rda-file-order",
            Self::Gda => "gda",
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
            Self::Cover | Self::Halving | Self::Ria | Self::Rda => Adversary::KnowsAlgorithm,
            Self::RdaFileOrder | Self::Gda => Adversary::SeesRelease,
        }
    }

    /// Whether the algorithm tosses coins; if not, the same table always leads
    /// to the same release.
    pub fn is_randomized(self) -> bool {
        match self {
            Self::Cover | Self::Halving | Self::Ria | Self::Rda => true,
            Self::RdaFileOrder | Self::Gda => false,
        }
    }

    /// Checks, without tossing a coin, that the algorithm can publish a table.
    ///
    /// # Errors
    /// [`Error::Ineligible`] if no release satisfies the model;
    /// [`Error::ModelUnsupported`], [`Error::ExemptUnsupported`],
    /// [`Error::TooManyQuasiIdentifiers`].
    pub fn check(self, table: &Table, model: &Model) -> Result<(), Error> {
        let exempt = table.sensitive().exempt();
        let columns = table.quasi_identifiers().len();
        if self == Self::Cover && columns > MAX_QUASI_IDENTIFIERS {
            return Err(Error::TooManyQuasiIdentifiers {
                found: columns,
                limit: MAX_QUASI_IDENTIFIERS,
            });
        }
        if !matches!(self, Self::Cover | Self::Halving) && exempt.contains(&true) {
            return Err(Error::ExemptUnsupported {
                algorithm: self.name(),
            });
        }
        let is_optimal = self == Self::Cover && model.ratio().is_some();
        if matches!(self, Self::Cover | Self::Halving) && !is_optimal {
            let criteria = model.bind(table)?;
            criteria.check_convex(model)?;
            return criteria.check_whole(table);
        }
        let ratio = self.ratio(model)?;
        Ok(ratio.check_eligible(&table.histogram(), exempt)?)
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
        match self {
            Self::Cover => cover(table, model, coins),
            Self::Halving => halving(table, model, coins),
            Self::Ria => ria(table, self.ratio(model)?, coins),
            Self::Rda => rda(table, self.ratio(model)?, coins),
            Self::RdaFileOrder => rda_file_order(table, self.ratio(model)?),
            Self::Gda => gda(table, self.ratio(model)?),
        }
    }
}
