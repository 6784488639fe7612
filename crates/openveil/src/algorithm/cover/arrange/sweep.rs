//! Matching sweeps: in neighbourhoods of groups, the records of one column after the
//! other are assigned to the groups anew.

use super::super::deal::Column;
use super::super::space::Space;
use super::assign::Assignment;
use super::block::Block;
use super::neighbours;
use crate::coins::Coins;
use rayon::prelude::*;

/// A new assignment has to be cheaper by this much, in nats: float sums that differ in
/// their last bits are the same.
const LEAST_GAIN: f32 = 1e-4;

/// Assigns the records of every column to the groups of blocks of `size` anew, where that
/// costs less. Blocks are worked on side by side. O(n · size²).
pub(super) fn sweep<const K: usize>(
    columns: &mut [Column<'_, K>],
    space: &Space<'_, K>,
    size: usize,
    coins: &mut dyn Coins,
) {
    neighbours::gather(columns, space, size, coins);
    let scratch = || (Assignment::default(), Vec::new());
    blocks(columns, size)
        .into_par_iter()
        .for_each_init(scratch, |(solver, costs), mut block| {
            (0..block.columns.len()).for_each(|column| {
                rematch(&mut block, column, space, solver, costs);
            });
        });
}

/// Consecutive groups, `size` at a time.
pub(super) fn blocks<'a, const K: usize>(
    columns: &'a mut [Column<'_, K>],
    size: usize,
) -> Vec<Block<'a, K>> {
    let blocks = columns[0].len().div_ceil(size);
    let empty = || Block {
        columns: Vec::with_capacity(columns.len()),
    };
    let mut found: Vec<Block<'a, K>> = (0..blocks).map(|_| empty()).collect();
    for column in columns {
        for (block, part) in found.iter_mut().zip(column.chunks_mut(size)) {
            block.columns.push(part);
        }
    }
    found
}

fn rematch<const K: usize>(
    block: &mut Block<'_, K>,
    column: usize,
    space: &Space<'_, K>,
    solver: &mut Assignment,
    costs: &mut Vec<f32>,
) {
    let groups = block.groups();
    let others = block.without(column);
    block.costs(&others, space, costs);
    let group_of = solver.solve(costs, groups);
    let sum = |group_of: &dyn Fn(usize) -> usize| -> f32 {
        (0..groups)
            .map(|record| costs[record * groups + group_of(record)])
            .sum()
    };
    if sum(&|record| group_of[record]) < sum(&|record| record) - LEAST_GAIN {
        let records = block.columns[column].to_vec();
        for (record, &group) in records.into_iter().zip(group_of) {
            block.columns[column][group] = record;
        }
    }
}
