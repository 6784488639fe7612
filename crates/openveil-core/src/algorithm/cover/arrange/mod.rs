//! *arrange*: inside a unit, bring people with close quasi-identifiers into
//! one group.
//!
//! Group g consists of the g-th record of every column, so arranging means
//! ordering each column. The code sees columns as an unordered set: they come in an
//! order that their content and coins make, and "first" and "last" are minimum and
//! maximum over all columns.

mod assign;
mod block;
mod costs;
mod cut;
mod divide_space;
mod exact;
mod marginals;
mod members;
mod neighbours;
mod sweep;

pub(super) use cut::{ArrangeCut, ArrangedNode, CutMemory, best};
pub(in crate::algorithm) use divide_space::Division;
pub(super) use divide_space::divide_space;

use super::deal::DealtColumn;
use super::space::CoverSpace;
use crate::algorithm::{Inside, Settings};
use crate::coins::{Coins, shuffle};

/// Above this many groups both parts of a cut are arranged in parallel.
const PARALLEL_GROUPS: usize = 2_048;

/// Groups that are matched anew together.
pub(super) const BLOCK: usize = assign::MOST;

/// Orders the columns of one unit so that the g-th records are close.
///
/// People who are alike on every quasi-identifier come together first. The rest is cut
/// where cells become smaller, again and again; then neighbourhoods are matched anew,
/// `effort` times, `block` groups at a time.
///
/// If groups are to come about by coins, every column is shuffled, and that is all.
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
        // The order of the first column numbers the groups and says nothing.
        columns
            .iter_mut()
            .skip(1)
            .for_each(|column| shuffle(column, coins));
        return;
    }
    let alike = exact::match_alike(&mut columns);
    let mut rest: Vec<DealtColumn<'_, K>> = columns
        .iter_mut()
        .map(|column| &mut column[alike..])
        .collect();
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
    let node = ArrangedNode {
        columns,
        groups: 0..groups,
    };
    let Some(cut) = cut::best(&node, space, scratch) else {
        return;
    };
    select(columns, cut);
    let (mut left, mut right): (Vec<_>, Vec<_>) = columns
        .iter_mut()
        .map(|column| column.split_at_mut(cut.at))
        .unzip();
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

/// Brings the records that belong left of the cut to the left, in every column.
fn select<const K: usize>(columns: &mut [DealtColumn<'_, K>], cut: ArrangeCut) {
    for column in columns {
        column.select_nth_unstable_by_key(cut.at, |record| record.keys[cut.axis]);
    }
}

#[cfg(test)]
mod tests;
