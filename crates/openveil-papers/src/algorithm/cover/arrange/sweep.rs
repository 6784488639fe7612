//! Matching sweeps: in neighbourhoods of groups, reassigns the members of one column after the
//! other to the groups.

use super::super::deal::{CoverRecord, DealtColumn};
use super::super::space::CoverSpace;
use super::assign::{Assignment, Costs, MOST};
use super::block::{BlockAxis, MatchedBlock};
use super::costs::{self, ColumnCosts, CostMemory};
use super::marginals::Marginals;
use super::neighbours;
use openveil_core::coins::Coins;
use rayon::prelude::*;

/// The fewest groups that share their marginals: parts are worked on in parallel, and the blocks of
/// a part one after the other.
const PART: usize = 2_048;

/// The most parts. Each part preserves marginals by itself; the larger it is, the less that
/// constrains it.
const PARTS: usize = 16;

/// Reassigns the members of every column to the groups of blocks of `size`, if that costs less,
/// with prices on marginals if these are to be preserved. O(n · size²).
pub(super) fn sweep<const K: usize>(
    columns: &mut [DealtColumn<'_, K>],
    space: &CoverSpace<'_, K>,
    size: usize,
    keeps_marginals: bool,
    coins: &mut dyn Coins,
) {
    if columns.len() < 2 {
        return;
    }
    neighbours::gather(columns, space, size, coins);
    let part = ((columns[0].len() / PARTS).max(PART) / size).max(1);
    let greatest = costs::greatest(space, columns.len());
    let work = |blocks: &mut [MatchedBlock<'_, K>]| {
        let mut axes: Vec<BlockAxis<'_>> =
            space.axes().iter().copied().map(BlockAxis::new).collect();
        let mut sweep = Sweep {
            space,
            greatest,
            solver: Assignment::default(),
            marginals: keeps_marginals.then(|| Marginals::new(blocks, space, &mut axes)),
            axes,
            memory: CostMemory::default(),
            costs: [[0.0; MOST]; MOST],
            records: Vec::new(),
            scratch: Vec::new(),
        };
        blocks.iter_mut().for_each(|block| sweep.rematch_all(block));
    };
    let mut blocks = blocks(columns, size);
    if blocks.len() <= part {
        work(&mut blocks);
    } else {
        blocks.par_chunks_mut(part).for_each(work);
    }
}

/// Consecutive groups, `size` at a time.
pub(super) fn blocks<'a, const K: usize>(
    columns: &'a mut [DealtColumn<'_, K>],
    size: usize,
) -> Vec<MatchedBlock<'a, K>> {
    let blocks = columns[0].len().div_ceil(size);
    let mut found: Vec<MatchedBlock<'a, K>> =
        (0..blocks).map(|_| MatchedBlock { columns: Vec::with_capacity(columns.len()) }).collect();
    for column in columns {
        for (block, part) in found.iter_mut().zip(column.chunks_mut(size)) {
            block.columns.push(part);
        }
    }
    found
}

/// A sweep over one part.
struct Sweep<'a, 'b, const K: usize> {
    space: &'a CoverSpace<'b, K>,
    /// An upper bound on every cost.
    greatest: f32,
    solver: Assignment,
    marginals: Option<Marginals>,
    axes: Vec<BlockAxis<'b>>,
    memory: CostMemory,
    costs: Costs,
    records: Vec<CoverRecord<K>>,
    scratch: Vec<u16>,
}

impl<const K: usize> Sweep<'_, '_, K> {
    /// Matches the columns of a block anew, one after the other.
    fn rematch_all(&mut self, block: &mut MatchedBlock<'_, K>) {
        for (number, axis) in self.axes.iter_mut().enumerate() {
            axis.read(block, number);
        }
        (0..block.columns.len()).for_each(|column| self.rematch(block, column));
    }

    fn rematch(&mut self, block: &mut MatchedBlock<'_, K>, column: usize) {
        let groups = block.groups();
        self.set_costs(column, groups);
        let mut members = std::array::from_fn(|group| group as u8);
        if let Some(group_of) = self.solver.solve(&self.costs, self.greatest, groups) {
            for (member, &group) in (0..).zip(group_of) {
                members[usize::from(group)] = member;
            }
            let moved = &members[..groups];
            if let Some(marginals) = &mut self.marginals {
                for axis in self.axes.iter().enumerate() {
                    marginals.move_members(axis, column, moved, &mut self.scratch);
                }
                marginals.set_prices();
            }
            let records = &mut *block.columns[column];
            self.records.clear();
            self.records.extend_from_slice(records);
            for (record, &member) in records.iter_mut().zip(moved) {
                *record = self.records[usize::from(member)];
            }
        }
        for axis in &mut self.axes {
            axis.put_back(column, &members);
        }
    }

    /// Takes a column out, and sets the costs of its records in each group.
    fn set_costs(&mut self, column: usize, groups: usize) {
        for costs in &mut self.costs[..groups] {
            costs.fill(0.0);
        }
        for (number, axis) in self.axes.iter_mut().enumerate() {
            axis.take_out(column);
            let of_column = ColumnCosts {
                axis: number,
                members: axis,
                column,
                groups,
                space: self.space,
                marginals: self.marginals.as_ref(),
            };
            of_column.add_to(&mut self.costs, &mut self.memory);
        }
    }
}
