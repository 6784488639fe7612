//! *arrange*: inside a unit, brings people with close quasi-identifiers into one group.
//!
//! Group g consists of the g-th record of every column, so arranging means ordering each column.
//! The code treats columns as an unordered set: they come in an order that depends on their content
//! and on coins only, and "first" and "last" mean the minimum and maximum over all columns.

mod assign;
mod block;
mod costs;
mod cut;
mod exact;
mod marginals;
mod members;
mod neighbours;
mod sweep;

pub(super) use cut::{ArrangeCut, ArrangedNode, CutMemory};

use super::deal::DealtColumn;
use super::space::CoverSpace;
use openveil_core::algorithm::{Inside, Settings};
use openveil_core::coins::{Coins, shuffle};

/// Above this many groups both parts of a cut are arranged in parallel.
const PARALLEL_GROUPS: usize = 2_048;

/// The most groups that are matched anew together.
pub(super) const BLOCK: usize = assign::MOST;

/// Orders the columns of one unit so that the g-th records are close.
///
/// People who are alike on every quasi-identifier are grouped first. The rest is cut again and
/// again where cells become smaller. Then neighbourhoods are matched anew, `effort` times, `block`
/// groups at a time.
///
/// If groups are to be random, every column is shuffled and nothing else is done.
///
/// O(n log d) for d groups in n rows: each level of cuts selects, never sorts.
pub(super) fn arrange<const K: usize>(
    mut columns: Vec<DealtColumn<'_, K>>,
    space: &CoverSpace<'_, K>,
    settings: &Settings,
    block: usize,
    coins: &mut dyn Coins,
) {
    if settings.inside == Inside::Random {
        // The first column stays as it is: its order only numbers the groups and carries no
        // information.
        columns.iter_mut().skip(1).for_each(|column| shuffle(column, coins));
        return;
    }
    let alike = exact::match_alike(&mut columns);
    let mut rest: Vec<DealtColumn<'_, K>> =
        columns.iter_mut().map(|column| &mut column[alike..]).collect();
    if rest[0].is_empty() {
        return;
    }
    divide(&mut rest, space, &mut CutMemory::default());
    for _ in 0..settings.effort {
        sweep::sweep(&mut rest, space, block, settings.keeps_marginals, coins);
    }
}

fn divide<const K: usize>(
    columns: &mut [DealtColumn<'_, K>],
    space: &CoverSpace<'_, K>,
    scratch: &mut CutMemory,
) {
    let groups = columns[0].len();
    if groups < 2 {
        return;
    }
    let node = ArrangedNode { columns, groups: 0..groups };
    let Some(cut) = cut::best(&node, space, scratch) else {
        return;
    };
    select(columns, cut);
    let (mut left, mut right): (Vec<_>, Vec<_>) =
        columns.iter_mut().map(|column| column.split_at_mut(cut.at)).unzip();
    if groups > PARALLEL_GROUPS {
        rayon::join(
            || divide(&mut left, space, &mut CutMemory::default()),
            || divide(&mut right, space, &mut CutMemory::default()),
        );
    } else {
        divide(&mut left, space, scratch);
        divide(&mut right, space, scratch);
    }
}

/// Moves the records that belong left of the cut to the left, in every column.
fn select<const K: usize>(columns: &mut [DealtColumn<'_, K>], cut: ArrangeCut) {
    for column in columns {
        column.select_nth_unstable_by_key(cut.at, |record| record.keys[cut.axis]);
    }
}

#[cfg(test)]
mod tests;
