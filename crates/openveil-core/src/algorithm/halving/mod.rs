#![doc = include_str!("proof.md")]

mod chunks;
mod node;
mod odd;
mod record;
mod space;

use crate::Error;
use crate::algorithm::{Algorithm, Models, Profile, Settings};
use crate::coins::{Coins, Distribution, Memory, distribution};
use crate::model::Criteria;
use crate::table::{Groups, View};
pub use node::Attempts;

use node::{Engine, Leaves, Room};
use space::HalvingSpace;

/// With at least this many people, threads share the work: both sides of a cut are then worked on
/// in parallel, with their own coins.
const PARALLEL: usize = 1 << 14;

/// The halving algorithm: [`halving`], for every convex model.
#[derive(Debug, Clone, Copy)]
pub struct Halving;

impl Algorithm for Halving {
    fn profile(&self) -> Profile {
        const REASON: &str = "a refused cut can rule values out, but everybody's posterior stays within the model; `openveil verify` computes it";
        Profile::safe("halving", REASON)
            .for_models(Models::Any)
            .with_exempt()
            .with_smallest_group()
            .in_chunks()
            .keeping_model()
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        criteria.check_whole(view)?;
        let attempts = Attempts::new(settings, view);
        Ok(tossed(view, criteria, attempts, |halve| halve(coins)))
    }

    fn distribution_of_groups(
        &self,
        view: &View,
        criteria: &Criteria,
        path_limit: u64,
        _memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        let attempts = Attempts::new(&Settings::default(), view);
        distribution_with(view, criteria, attempts, path_limit)
    }
}

/// Cuts the rows of a table into groups by halving: cuts into equal halves by quasi-identifiers,
/// and keeps a cut if the model holds on both halves.
///
/// Works for every convex model. Uses the whole histogram only to test whether the table as one
/// group satisfies the model. O(n log n) time; 16 bytes of memory per row with up to four
/// quasi-identifiers. If there are more than 32 quasi-identifiers, the 32 with the greatest weight
/// decide about cuts.
///
/// # Errors
/// [`Error::Unsatisfiable`] if the whole table does not satisfy the model.
pub fn halving(table: &View, criteria: &Criteria, coins: &mut dyn Coins) -> Result<Groups, Error> {
    Algorithm::groups(&Halving, table, criteria, &Settings::default(), coins)
}

/// Returns the distribution of the groups of [`halving`] over all its coins, with these attempts at
/// cuts. People, and decisions on nodes, are the same for every outcome of coins.
pub fn distribution_with(
    table: &View,
    criteria: &Criteria,
    attempts: Attempts,
    path_limit: u64,
) -> Result<Distribution<Groups>, Error> {
    criteria.check_whole(table)?;
    tossed(table, criteria, attempts, |halve| {
        distribution(path_limit, |coins| Ok(halve(coins).sorted()))
    })
}

/// Gives `work` a function that cuts the table by some coins and can be called repeatedly.
fn tossed<T>(
    table: &View,
    criteria: &Criteria,
    attempts: Attempts,
    work: impl FnOnce(&mut dyn FnMut(&mut dyn Coins) -> Groups) -> T,
) -> T {
    // Positions are carried with the rows, padded to one of a few fixed widths.
    match table.known().len() {
        0..=4 => tossed_at::<4, T>(table, criteria, attempts, work),
        5..=8 => tossed_at::<8, T>(table, criteria, attempts, work),
        _ => tossed_at::<{ space::AXES }, T>(table, criteria, attempts, work),
    }
}

fn tossed_at<const K: usize, T>(
    table: &View,
    criteria: &Criteria,
    attempts: Attempts,
    work: impl FnOnce(&mut dyn FnMut(&mut dyn Coins) -> Groups) -> T,
) -> T {
    let space = HalvingSpace::<K>::new(table);
    let engine = Engine::new(&space, criteria, attempts, table.secret().values());
    let mut room = Room::new(criteria);
    work(&mut |coins| {
        let mut records = space.records(table);
        let mut leaves = Leaves::default();
        engine.visit_table(&mut records, &mut room, coins, &mut leaves);
        leaves.groups(&records)
    })
}

#[cfg(test)]
mod tests;
