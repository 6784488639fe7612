//! The publishing algorithms by name, behind one interface.

use crate::Error;
use crate::baseline::{Cut, Score, anatomy, check_whole, incognito, mondrian, top_down};
use crate::coins::Coins;
use crate::cover::{MAX_QUASI_IDENTIFIERS, cover};
use crate::halving::halving;
use crate::privacy::{Model, RatioDiversity, Requirement};
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
    /// Top-down local recoding, for any model: see [`crate::baseline`].
    TopDown,
    /// Mondrian whose boxes do not overlap, for any model: see [`crate::baseline`].
    Mondrian,
    /// Mondrian that shares out rows with the median value.
    MondrianRelaxed,
    /// Incognito, for monotone models: see [`crate::baseline`].
    Incognito,
    /// Anatomize, for ratio and distinct l-diversity: see [`crate::baseline`].
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
    /// All algorithms, the default first.
    pub const ALL: [Self; 11] = [
        Self::Cover,
        Self::Halving,
        Self::Ria,
        Self::Rda,
        Self::RdaFileOrder,
        Self::Gda,
        Self::TopDown,
        Self::Mondrian,
        Self::MondrianRelaxed,
        Self::Incognito,
        Self::Anatomy,
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
            Self::TopDown => "top-down",
            Self::Mondrian => "mondrian",
            Self::MondrianRelaxed => "mondrian-relaxed",
            Self::Incognito => "incognito",
            Self::Anatomy => "anatomy",
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
            Self::TopDown
            | Self::Mondrian
            | Self::MondrianRelaxed
            | Self::Incognito
            | Self::Anatomy => Adversary::SeesRelease,
        }
    }

    /// Whether the algorithm tosses coins; if not, the same table always leads
    /// to the same release.
    pub fn is_randomized(self) -> bool {
        match self {
            Self::Cover | Self::Halving | Self::Ria | Self::Rda | Self::Anatomy => true,
            Self::RdaFileOrder
            | Self::Gda
            | Self::TopDown
            | Self::Mondrian
            | Self::MondrianRelaxed
            | Self::Incognito => false,
        }
    }

    /// Checks, without tossing a coin, that the algorithm can publish a table.
    ///
    /// # Errors
    /// [`Error::Ineligible`] or [`Error::Unsatisfiable`] if no release satisfies the
    /// model; [`Error::ModelUnsupported`], [`Error::NotMonotone`],
    /// [`Error::ExemptUnsupported`], [`Error::TooManyQuasiIdentifiers`].
    pub fn check(self, table: &Table, model: &Model) -> Result<(), Error> {
        match self {
            Self::Cover => {
                let columns = table.quasi_identifiers().len();
                if columns > MAX_QUASI_IDENTIFIERS {
                    return Err(Error::TooManyQuasiIdentifiers {
                        found: columns,
                        limit: MAX_QUASI_IDENTIFIERS,
                    });
                }
                match model.ratio() {
                    // The optimal decomposition takes every eligible histogram.
                    Some(_) => self.check_ratio(table, model),
                    None => check_convex(table, model),
                }
            }
            Self::Halving => check_convex(table, model),
            Self::Ria | Self::Rda | Self::RdaFileOrder | Self::Gda => {
                self.check_exempt(table)?;
                self.check_ratio(table, model)
            }
            Self::TopDown | Self::Mondrian | Self::MondrianRelaxed => {
                self.check_baseline(table, model)
            }
            Self::Incognito => {
                self.check_monotone(table, model)?;
                self.check_baseline(table, model)
            }
            Self::Anatomy => {
                self.check_exempt(table)?;
                self.buckets(model)?;
                self.check_baseline(table, model)
            }
        }
    }

    fn check_exempt(self, table: &Table) -> Result<(), Error> {
        match table.sensitive().exempt().contains(&true) {
            true => Err(Error::ExemptUnsupported {
                algorithm: self.name(),
            }),
            false => Ok(()),
        }
    }

    fn check_ratio(self, table: &Table, model: &Model) -> Result<(), Error> {
        let ratio = self.ratio(model)?;
        Ok(ratio.check_eligible(&table.histogram(), table.sensitive().exempt())?)
    }

    fn check_baseline(self, table: &Table, model: &Model) -> Result<(), Error> {
        match model.ratio() {
            // The same condition, with more to say about what breaks it.
            Some(_) => self.check_ratio(table, model),
            None => check_whole(table, &model.bind(table)?),
        }
    }

    fn check_monotone(self, table: &Table, model: &Model) -> Result<(), Error> {
        match model.bind(table)?.is_monotone() {
            true => Ok(()),
            false => Err(Error::NotMonotone {
                algorithm: self.name(),
                model: model.to_string(),
            }),
        }
    }

    /// From how many buckets a group takes its rows: l of ratio or distinct
    /// l-diversity.
    fn buckets(self, model: &Model) -> Result<u32, Error> {
        match model.requirements() {
            [Requirement::Distinct { l }] => Ok(*l),
            _ => self.ratio(model).map(RatioDiversity::l),
        }
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
            Self::TopDown => top_down(table, &model.bind(table)?),
            Self::Mondrian => mondrian(table, &model.bind(table)?, Cut::Strict),
            Self::MondrianRelaxed => mondrian(table, &model.bind(table)?, Cut::Relaxed),
            Self::Incognito => incognito(table, &model.bind(table)?, Score::default()),
            Self::Anatomy => Ok(anatomy(table, self.buckets(model)?, coins)),
        }
    }
}

/// What the safe engines ask of a model that is not ratio l-diversity.
fn check_convex(table: &Table, model: &Model) -> Result<(), Error> {
    let criteria = model.bind(table)?;
    criteria.check_convex(model)?;
    criteria.check_whole(table)
}
