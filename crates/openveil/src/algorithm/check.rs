//! Which tables and models an algorithm can publish.

use super::{Adversary, Algorithm};
use crate::Error;
use crate::algorithm::baseline;
use crate::algorithm::blocks::{BLOCK_SIZE, Blocks, Disclosure};
use crate::algorithm::cover::MAX_QUASI_IDENTIFIERS;
use crate::model::{Model, RatioDiversity, Requirement};
use crate::table::View;

impl Algorithm {
    /// Checks, without tossing a coin, that the algorithm can publish a table.
    ///
    /// # Errors
    /// [`Error::Ineligible`] or [`Error::Unsatisfiable`] if no release satisfies the
    /// model; [`Error::ModelUnsupported`], [`Error::NotConvex`],
    /// [`Error::NotMonotone`], [`Error::ExemptUnsupported`],
    /// [`Error::TooManyQuasiIdentifiers`], [`Error::BlockTooLarge`].
    pub fn check(self, table: &View, model: &Model) -> Result<(), Error> {
        if !self.profile().takes_exempt && table.secret().exempt().contains(&true) {
            return Err(Error::ExemptUnsupported {
                algorithm: self.name(),
            });
        }
        match self {
            Self::Cover => self.check_cover(table, model),
            Self::Halving => self.check_whole(table, model),
            Self::Ria | Self::Rda | Self::RdaFileOrder | Self::Gda => {
                self.check_ratio(table, model)
            }
            Self::KJump => self.check_blocks(Disclosure::Jump, table, model),
            Self::Safe => self.check_blocks(Disclosure::Safe, table, model),
            Self::Naive => self.check_blocks(Disclosure::Naive, table, model),
            Self::TopDown | Self::Mondrian | Self::MondrianRelaxed => {
                self.check_baseline(table, model)
            }
            Self::Incognito => {
                self.check_monotone(table, model)?;
                self.check_baseline(table, model)
            }
            Self::Anatomy => {
                self.buckets(model)?;
                self.check_baseline(table, model)
            }
        }
    }

    fn check_cover(self, table: &View, model: &Model) -> Result<(), Error> {
        let columns = table.known().len();
        if columns > MAX_QUASI_IDENTIFIERS {
            return Err(Error::TooManyQuasiIdentifiers {
                found: columns,
                limit: MAX_QUASI_IDENTIFIERS,
            });
        }
        match model.ratio() {
            // The optimal decomposition takes every eligible histogram.
            Some(_) => self.check_ratio(table, model),
            None => self.check_whole(table, model),
        }
    }

    fn check_ratio(self, table: &View, model: &Model) -> Result<(), Error> {
        let ratio = self.ratio(model)?;
        Ok(ratio.check_eligible(&table.histogram(), table.secret().exempt())?)
    }

    fn check_blocks(
        self,
        disclosure: Disclosure,
        table: &View,
        model: &Model,
    ) -> Result<(), Error> {
        Blocks::new(BLOCK_SIZE, disclosure)?.check(table, self.ratio(model)?)
    }

    /// Checks that the table as one group satisfies the model, and that the
    /// algorithm's promise holds for it.
    fn check_whole(self, table: &View, model: &Model) -> Result<(), Error> {
        let criteria = model.bind(table)?;
        if self.adversary() == Adversary::KnowsAlgorithm {
            criteria.check_convex(model)?;
        }
        criteria.check_whole(table)
    }

    fn check_baseline(self, table: &View, model: &Model) -> Result<(), Error> {
        match model.ratio() {
            // The same condition, with more to say about what breaks it.
            Some(_) => self.check_ratio(table, model),
            None => baseline::check_whole(table, &model.bind(table)?),
        }
    }

    fn check_monotone(self, table: &View, model: &Model) -> Result<(), Error> {
        match model.bind(table)?.is_monotone() {
            true => Ok(()),
            false => Err(Error::NotMonotone {
                algorithm: self.name(),
                model: model.to_string(),
            }),
        }
    }

    /// The bound of a model that is ratio l-diversity.
    pub(crate) fn ratio(self, model: &Model) -> Result<RatioDiversity, Error> {
        model.ratio().ok_or_else(|| Error::ModelUnsupported {
            algorithm: self.name(),
            model: model.to_string(),
        })
    }

    /// From how many buckets Anatomize takes the rows of a group: l of ratio or
    /// distinct l-diversity.
    pub(super) fn buckets(self, model: &Model) -> Result<u32, Error> {
        match model.requirements() {
            [Requirement::Distinct { l }] => Ok(*l),
            _ => self.ratio(model).map(RatioDiversity::l),
        }
    }
}
