//! What the model checker wants to know of an algorithm.

use super::coin_tree::distribution;
use super::distribution::Distribution;
use super::links::join_links;
use crate::Error;
use crate::algorithm::Algorithm;
use crate::algorithm::streamliner::RiaColours;
use crate::coins::Coins;
use crate::model::Model;
use crate::table::{Groups, View};

/// A way of cutting tables into groups whose coins can be enumerated.
///
/// Every closure that partitions a table with coins is one.
pub trait Mechanism: Sync {
    /// The exact distribution of the groups of a table over all coins, rows and
    /// groups ascending, following at most `path_limit` paths of coins.
    ///
    /// # Errors
    /// What the algorithm returns; [`Error::BeyondLimit`] if its coins cannot be
    /// enumerated within the limit.
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
    ) -> Result<Distribution<Groups>, Error>;
}

impl<F> Mechanism for F
where
    F: Fn(&View, &Model, &mut dyn Coins) -> Result<Groups, Error> + Sync,
{
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
    ) -> Result<Distribution<Groups>, Error> {
        distribution(path_limit, |coins| Ok(self(table, model, coins)?.sorted()))
    }
}

impl Mechanism for Algorithm {
    /// Follows every path of coins through [`Algorithm::partition`]; for RIA,
    /// whose colours choose independently, colour by colour.
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
    ) -> Result<Distribution<Groups>, Error> {
        match self {
            Self::Ria => {
                self.check(table, model)?;
                let colours = RiaColours::of(table, self.ratio(model)?);
                let links = |colour| distribution(path_limit, |coins| colours.links(colour, coins));
                join_links(table.rows(), (0..colours.len()).map(links))
            }
            _ => distribution(path_limit, |coins| {
                Ok(self.partition(table, model, coins)?.sorted())
            }),
        }
    }
}
