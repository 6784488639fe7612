//! The interface between the model checker and an algorithm.

use openveil_core::Error;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{Coins, Distribution, Memory, distribution};
use openveil_core::model::Model;
use openveil_core::table::{Groups, View};

/// A way of dividing tables into groups whose coins can be enumerated.
///
/// Every closure that partitions a table with coins is a mechanism.
pub trait Mechanism: Sync {
    /// Returns the exact distribution of the groups of a table over all coins, rows and groups
    /// ascending, following at most `path_limit` paths of coins. Results for a histogram may be
    /// cached for further tables.
    ///
    /// # Errors
    /// Errors of the algorithm; [`Error::BeyondLimit`] if its coins cannot be enumerated within the
    /// limit.
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
        memory: &Memory,
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
        _memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        distribution(path_limit, |coins| Ok(self(table, model, coins)?.sorted()))
    }
}

/// Every algorithm is a mechanism.
impl Mechanism for dyn Algorithm + '_ {
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        Algorithm::distribution(self, table, model, path_limit, memory)
    }
}

/// A reference to a mechanism of any type, as a mechanism of one type.
pub(super) struct Borrowed<'a, M: ?Sized>(pub(super) &'a M);

impl<M: Mechanism + ?Sized> Mechanism for Borrowed<'_, M> {
    fn distribution(
        &self,
        table: &View,
        model: &Model,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        self.0.distribution(table, model, path_limit, memory)
    }
}
