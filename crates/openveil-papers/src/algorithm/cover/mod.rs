#![doc = include_str!("proof.md")]

/// Calls a function with the width of the keys that the table needs. Keys are carried with the row
/// number, padded to one of a few fixed widths.
macro_rules! with_keys {
    ($table:expr, $run:ident($($argument:expr),*)) => {
        match $table.known().len() {
            0..=2 => $run::<2>($($argument),*),
            3..=4 => $run::<4>($($argument),*),
            5..=8 => $run::<8>($($argument),*),
            _ => $run::<{ $crate::algorithm::cover::MAX_QUASI_IDENTIFIERS }>($($argument),*),
        }
    };
}

mod arrange;
mod deal;
mod decompose;
mod space;

use decompose::decompose_sets;
pub use decompose::{Decomposition, Unit, decompose, decompose_any};

use deal::Deal;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Models, Profile, Replay, Settings};
use openveil_core::coins::{Coins, Distribution, Memory, distribution};
use openveil_core::model::Criteria;
use openveil_core::table::{Groups, View};
use rayon::prelude::*;
use space::CoverSpace;

/// The most quasi-identifiers that a table may have.
pub const MAX_QUASI_IDENTIFIERS: usize = 32;

/// The cover algorithm: [`cover`], for every convex model.
#[derive(Debug, Clone, Copy)]
pub struct Cover;

impl Algorithm for Cover {
    fn profile(&self) -> Profile {
        const REASON: &str = "`cover` draws once, from the histogram alone, and then arranges the result: it never rejects an attempt because of the values";
        Profile::safe("cover", REASON)
            .for_models(Models::Any)
            .replayed(Replay::Columns)
            .with_exempt()
            .with_inside()
    }

    fn check_limits(
        &self,
        view: &View,
        _criteria: &Criteria,
        _settings: &Settings,
    ) -> Result<(), Error> {
        check_width(view)
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        cover(view, criteria, settings, coins)
    }

    /// The histogram is the same for every outcome of coins, and in every table.
    fn distribution_of_groups(
        &self,
        view: &View,
        criteria: &Criteria,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        check_width(view)?;
        let decomposition = memory.of(view, || decomposition(view, criteria))?;
        let settings = Settings::default();
        distribution(path_limit, |coins| Ok(by(&decomposition, view, &settings, coins).sorted()))
    }
}

/// Checks that there are no more quasi-identifiers than can be arranged.
pub fn check_width(view: &View) -> Result<(), Error> {
    match view.known().len() {
        0..=MAX_QUASI_IDENTIFIERS => Ok(()),
        found => Err(Error::TooManyQuasiIdentifiers { found, limit: MAX_QUASI_IDENTIFIERS }),
    }
}

/// Cuts the rows of a table into groups by the cover algorithm: decomposes the histogram, deals
/// rows into columns, and arranges the columns by quasi-identifiers.
///
/// O(n log n) time in the rows, plus the time of [`decompose`] in the values; about 16 bytes of
/// memory per row with up to four quasi-identifiers.
///
/// # Errors
/// [`Error::Ineligible`] or [`Error::Unsatisfiable`] if no release satisfies the
/// model, or not even the whole table does;
/// [`Error::TooManyQuasiIdentifiers`] beyond [`MAX_QUASI_IDENTIFIERS`].
pub fn cover(
    table: &View,
    criteria: &Criteria,
    settings: &Settings,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    check_width(table)?;
    let decomposition = decomposition(table, criteria)?;
    Ok(by(&decomposition, table, settings, coins))
}

/// The groups of [`cover`], with its decomposition of the histogram, by the positions of this
/// table.
fn by(
    decomposition: &Decomposition,
    table: &View,
    settings: &Settings,
    coins: &mut dyn Coins,
) -> Groups {
    with_keys!(table, deal_and_arrange(table, decomposition, settings, coins))
}

/// Decomposes a table's histogram as [`cover`] does.
///
/// # Errors
/// The errors of [`cover`].
pub(crate) fn decomposition(table: &View, criteria: &Criteria) -> Result<Decomposition, Error> {
    let (histogram, secret) = (table.histogram(), table.secret());
    let order = secret.declared_order();
    if let Some(ratio) = criteria.ratio() {
        return Ok(decompose(&histogram, secret.exempt(), order.as_deref(), ratio)?);
    }
    criteria.check_whole(table)?;
    if let (Some(ratio), Some(members)) = (criteria.ratio_of_members(), secret.members())
        && let Some(found) = decompose_sets(&histogram, members, ratio.l())
    {
        return Ok(found);
    }
    let found = decompose_any(&histogram, criteria, order.as_deref());
    Ok(found.expect("the whole table is a group that satisfies the model"))
}

/// The rows that a deal puts into each column of each unit, in the order in which they are
/// arranged. Used to ask what another deal would have led to.
///
/// # Errors
/// The errors of [`cover`].
pub fn dealt(
    table: &View,
    criteria: &Criteria,
    coins: &mut dyn Coins,
) -> Result<Vec<Vec<Vec<u32>>>, Error> {
    check_width(table)?;
    let decomposition = decomposition(table, criteria)?;
    Ok(with_keys!(table, deal_only(table, &decomposition, coins)))
}

/// The groups that [`cover`] makes of these rows in the columns of one unit, and the order in which
/// the columns were arranged, each given by its first row. The groups depend only on the columns in
/// this order and on the coins.
///
/// # Panics
/// If the columns differ in length, or are empty.
pub fn arranged(
    table: &View,
    columns: &[Vec<u32>],
    settings: &Settings,
    coins: &mut dyn Coins,
) -> (Vec<u32>, Groups) {
    with_keys!(table, arrange_columns(table, columns, settings, coins))
}

fn arrange_columns<const K: usize>(
    table: &View,
    columns: &[Vec<u32>],
    settings: &Settings,
    coins: &mut dyn Coins,
) -> (Vec<u32>, Groups) {
    let space = CoverSpace::<K>::new(table.known());
    let deal = Deal::of_columns(table, &space, columns);
    let order = deal.rows()[0].iter().map(|column| column[0]).collect();
    (order, arrange_all(deal, &space, settings, arrange::BLOCK, coins))
}

fn deal_only<const K: usize>(
    table: &View,
    decomposition: &Decomposition,
    coins: &mut dyn Coins,
) -> Vec<Vec<Vec<u32>>> {
    Deal::new(table, &CoverSpace::<K>::new(table.known()), decomposition, coins).rows()
}

fn deal_and_arrange<const K: usize>(
    table: &View,
    decomposition: &Decomposition,
    settings: &Settings,
    coins: &mut dyn Coins,
) -> Groups {
    let space = CoverSpace::<K>::new(table.known());
    let deal = Deal::new(table, &space, decomposition, coins);
    arrange_all(deal, &space, settings, arrange::BLOCK, coins)
}

/// Large units are arranged in parallel, each with its own coins.
fn arrange_all<const K: usize>(
    mut deal: Deal<K>,
    space: &CoverSpace<'_, K>,
    settings: &Settings,
    block: usize,
    coins: &mut dyn Coins,
) -> Groups {
    let mut large = Vec::new();
    for unit in deal.units(coins) {
        match unit.coins {
            Some(own) => large.push((unit.columns, own)),
            None => arrange::arrange(unit.columns, space, settings, block, coins),
        }
    }
    large.into_par_iter().for_each(|(columns, mut own)| {
        arrange::arrange(columns, space, settings, block, &mut own);
    });
    deal.into_groups()
}

/// The steps of [`cover`] one by one, for tests.
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    use super::*;

    /// Decomposes a histogram as [`cover`] does.
    pub fn composed(table: &View, criteria: &Criteria) -> Result<Decomposition, Error> {
        decomposition(table, criteria)
    }

    /// [`cover`] with neighbourhoods of another size.
    pub fn cover_in_blocks(
        table: &View,
        criteria: &Criteria,
        settings: &Settings,
        block: usize,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        let decomposition = decomposition(table, criteria)?;
        let space = CoverSpace::<4>::new(table.known());
        let deal = Deal::new(table, &space, &decomposition, coins);
        Ok(arrange_all(deal, &space, settings, block, coins))
    }
}

#[cfg(test)]
mod tests;
