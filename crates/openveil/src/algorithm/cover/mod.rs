#![doc = include_str!("proof.md")]

mod arrange;
mod deal;
mod decompose;
mod space;

pub use decompose::{Bucket, Decomposition, decompose, decompose_any};

use crate::Error;
use crate::algorithm::{Algorithm, Models, Profile, Replay, Settings};
use crate::coins::Coins;
use crate::model::Criteria;
use crate::table::Histogram;
use crate::table::{Groups, View};
use deal::Deal;
use rayon::prelude::*;
use space::Space;

/// Calls a function with the width of the keys that the table needs: they are carried
/// with the row number, padded to a few fixed widths.
macro_rules! with_keys {
    ($table:expr, $run:ident($($argument:expr),*)) => {
        match $table.known().len() {
            0..=2 => $run::<2>($($argument),*),
            3..=4 => $run::<4>($($argument),*),
            5..=8 => $run::<8>($($argument),*),
            _ => $run::<MAX_QUASI_IDENTIFIERS>($($argument),*),
        }
    };
}

/// The most quasi-identifiers that a table may have.
pub const MAX_QUASI_IDENTIFIERS: usize = 32;

/// The cover algorithm: [`cover`], for every convex model. The default.
#[derive(Debug, Clone, Copy)]
pub struct Cover;

impl Algorithm for Cover {
    fn profile(&self) -> Profile {
        const REASON: &str = "`cover` deals once, by the histogram alone, and arranges what was dealt: no attempt is refused by looking at values";
        Profile::safe("cover", REASON)
            .for_models(Models::Any)
            .replayed(Replay::Slots)
            .with_exempt()
            .with_effort()
    }

    fn check_limits(&self, view: &View, _criteria: &Criteria) -> Result<(), Error> {
        check_width(view)
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        cover(view, criteria, coins)
    }
}

/// Checks that there are no more quasi-identifiers than can be arranged.
pub(super) fn check_width(view: &View) -> Result<(), Error> {
    match view.known().len() {
        0..=MAX_QUASI_IDENTIFIERS => Ok(()),
        found => Err(Error::TooManyQuasiIdentifiers {
            found,
            limit: MAX_QUASI_IDENTIFIERS,
        }),
    }
}

/// Cuts the rows of a table into groups by the cover algorithm: decompose the
/// histogram, deal rows into slots, arrange the slots by quasi-identifiers.
///
/// O(n log n) time in the rows and O(values²) in the distinct sensitive values;
/// about 16 bytes of memory per row with up to four quasi-identifiers.
///
/// # Errors
/// [`Error::Ineligible`] or [`Error::Unsatisfiable`] if no release satisfies the
/// model, or not even the whole table does;
/// [`Error::TooManyQuasiIdentifiers`] beyond [`MAX_QUASI_IDENTIFIERS`].
pub fn cover(table: &View, criteria: &Criteria, coins: &mut dyn Coins) -> Result<Groups, Error> {
    let histogram = table.histogram();
    let decomposition = decomposition(table, &histogram, criteria)?;
    let counts = histogram.counts();
    match table.known().len() {
        0..=MAX_QUASI_IDENTIFIERS => Ok(with_keys!(
            table,
            deal_and_arrange(table, counts, &decomposition, coins)
        )),
        found => Err(Error::TooManyQuasiIdentifiers {
            found,
            limit: MAX_QUASI_IDENTIFIERS,
        }),
    }
}

/// Arranges one bucket anew: the groups that [`cover`] makes of these rows in its
/// slots, in the order of the slots. For readers who ask what another deal would
/// have led to.
///
/// # Panics
/// If the slots differ in length.
pub(crate) fn arranged(table: &View, slots: &[Vec<u32>]) -> Groups {
    with_keys!(table, arrange_slots(table, slots))
}

/// The order into which a bucket's slots are put before anything else is done with
/// them, each by its first row. [`arranged`] depends on nothing but the slots in this
/// order.
///
/// # Panics
/// If the slots differ in length, or are empty.
pub(crate) fn canonical(table: &View, slots: &[Vec<u32>]) -> Vec<u32> {
    with_keys!(table, order_slots(table, slots))
}

fn order_slots<const K: usize>(table: &View, slots: &[Vec<u32>]) -> Vec<u32> {
    let space = Space::<K>::of(table.known());
    let mut deal = Deal::of_slots(table, &space, slots);
    let mut bucket = deal.buckets().remove(0);
    arrange::canonical_order(&mut bucket);
    Deal::first_rows(&bucket)
}

fn arrange_slots<const K: usize>(table: &View, slots: &[Vec<u32>]) -> Groups {
    let space = Space::<K>::of(table.known());
    arrange_all(Deal::of_slots(table, &space, slots), &space)
}

/// What [`cover`] decomposes a table's histogram into, given with the table.
///
/// # Errors
/// As [`cover`].
pub(crate) fn decomposition(
    table: &View,
    histogram: &Histogram,
    criteria: &Criteria,
) -> Result<Decomposition, Error> {
    if let Some(ratio) = criteria.ratio() {
        return Ok(decompose(histogram, table.secret().exempt(), ratio)?);
    }
    criteria.check_whole(table)?;
    let found = decompose_any(histogram, criteria);
    Ok(found.expect("the whole table is a group that satisfies the model"))
}

fn deal_and_arrange<const K: usize>(
    table: &View,
    counts: &[u32],
    decomposition: &Decomposition,
    coins: &mut dyn Coins,
) -> Groups {
    let space = Space::<K>::of(table.known());
    let deal = Deal::new(table, counts, &space, decomposition, coins);
    arrange_all(deal, &space)
}

fn arrange_all<const K: usize>(mut deal: Deal<K>, space: &Space<'_, K>) -> Groups {
    deal.buckets()
        .into_par_iter()
        .for_each(|bucket| arrange::arrange(bucket, space));
    deal.into_groups()
}

#[cfg(test)]
mod tests;
