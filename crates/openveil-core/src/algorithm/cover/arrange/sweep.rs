//! Matching sweeps: in neighbourhoods of groups, the records of one column after the
//! other are assigned to the groups anew.

use super::super::deal::{CoverRecord, DealtColumn};
use super::super::space::CoverSpace;
use super::assign::Assignment;
use super::block::{MatchedBlock, MatchingMemory};
use super::marginals::Marginals;
use super::neighbours;
use crate::coins::Coins;
use rayon::prelude::*;

/// A new assignment has to be cheaper by this much, in nats: float sums that differ in
/// their last bits are the same.
const LEAST_GAIN: f32 = 1e-4;

/// Groups that share their marginals, at least: parts are worked on side by side, and
/// in a part one block after the other.
const PART: usize = 2_048;

/// The most parts: the larger they are, the less has to be right in each of them.
const PARTS: usize = 16;

/// Assigns the records of every column to the groups of blocks of `size` anew, where that
/// costs less, with prices on marginals where these are to be kept. O(n · size²).
pub(super) fn sweep<const K: usize>(
    columns: &mut [DealtColumn<'_, K>],
    space: &CoverSpace<'_, K>,
    size: usize,
    keeps_marginals: bool,
    coins: &mut dyn Coins,
) {
    neighbours::gather(columns, space, size, coins);
    let part = ((columns[0].len() / PARTS).max(PART) / size).max(1);
    let work = |blocks: &mut [MatchedBlock<'_, K>]| {
        let marginals = keeps_marginals.then(|| Marginals::of(blocks, space));
        let mut sweep = Sweep {
            space,
            marginals,
            solver: Assignment::default(),
            scratch: MatchingMemory::default(),
            costs: Vec::new(),
            records: Vec::new(),
            keys: Vec::new(),
        };
        for block in blocks {
            (0..block.columns.len()).for_each(|column| sweep.rematch(block, column));
        }
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
    let empty = || MatchedBlock {
        columns: Vec::with_capacity(columns.len()),
    };
    let mut found: Vec<MatchedBlock<'a, K>> = (0..blocks).map(|_| empty()).collect();
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
    marginals: Option<Marginals>,
    solver: Assignment,
    scratch: MatchingMemory,
    costs: Vec<f32>,
    records: Vec<CoverRecord<K>>,
    keys: Vec<u16>,
}

impl<const K: usize> Sweep<'_, '_, K> {
    fn rematch(&mut self, block: &mut MatchedBlock<'_, K>, column: usize) {
        let groups = block.groups();
        let marginals = self.marginals.as_ref();
        let scratch = &mut self.scratch;
        block.costs(column, self.space, marginals, scratch, &mut self.costs);
        let group_of = self.solver.solve(&self.costs, groups);
        let gain = |record: usize| {
            let row = record * groups;
            self.costs[row + record] - self.costs[row + group_of[record] as usize]
        };
        if (0..groups).map(gain).sum::<f32>() <= LEAST_GAIN {
            return;
        }
        self.records.clear();
        self.records.extend_from_slice(block.columns[column]);
        let records = &self.records;
        let moves = records.iter().zip(group_of);
        let moves = moves.map(|(record, &group)| (record, group as usize));
        let is_new =
            |(record, group): &(&CoverRecord<K>, usize)| record.keys != records[*group].keys;
        let changed = moves.clone().filter(is_new).map(|(_, group)| group);
        if let Some(marginals) = &mut self.marginals {
            for group in changed.clone() {
                marginals.add_group(block, group, self.space, -1.0, &mut self.keys);
            }
        }
        for (&record, group) in moves {
            block.columns[column][group] = record;
        }
        if let Some(marginals) = &mut self.marginals {
            for group in changed {
                marginals.add_group(block, group, self.space, 1.0, &mut self.keys);
            }
            marginals.set_prices();
        }
    }
}
