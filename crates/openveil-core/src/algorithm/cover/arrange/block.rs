//! A few groups, and what it costs to put a record of one column into each of them.

use super::super::deal::CoverRecord;
use super::super::space::{CellSizes, CoverSpace};
use super::marginals::Marginals;

/// Some groups, column by column: the g-th record of every column is group g.
pub(super) struct MatchedBlock<'a, const K: usize> {
    pub(super) columns: Vec<&'a mut [CoverRecord<K>]>,
}

/// Memory that is used again from matching to matching.
#[derive(Default)]
pub(super) struct MatchingMemory {
    by_key: ByKey,
    /// Per group, the other columns' least and greatest position.
    bounds: Vec<(u16, u16)>,
    /// Per group, the set of the other columns' positions, how many they are, and the
    /// sum of their prices.
    sets: Vec<(u128, u32, f32)>,
    /// The price of each position.
    prices: Vec<f32>,
    keys: Vec<u16>,
}

/// The cost of each group with a record of a position.
#[derive(Default)]
struct ByKey {
    /// Where the costs with a position start; [`UNSEEN`] outside of a matching.
    start: Vec<u32>,
    costs: Vec<f32>,
}

const UNSEEN: u32 = u32::MAX;

impl ByKey {
    /// Adds to every record's costs in some groups those of its position, which `fill`
    /// finds once.
    fn add(
        &mut self,
        keys: impl Iterator<Item = u16> + Clone,
        costs: &mut [f32],
        groups: usize,
        mut fill: impl FnMut(u16, &mut [f32]),
    ) {
        self.costs.clear();
        for (row, key) in costs.chunks_exact_mut(groups).zip(keys.clone()) {
            let key = usize::from(key);
            if self.start.len() <= key {
                self.start.resize(key + 1, UNSEEN);
            }
            if self.start[key] == UNSEEN {
                let start = self.costs.len();
                self.start[key] = start as u32;
                self.costs.resize(start + groups, 0.0);
                fill(key as u16, &mut self.costs[start..]);
            }
            let own = &self.costs[self.start[key] as usize..][..groups];
            row.iter_mut().zip(own).for_each(|(cost, add)| *cost += add);
        }
        keys.for_each(|key| self.start[usize::from(key)] = UNSEEN);
    }
}

impl<const K: usize> MatchedBlock<'_, K> {
    pub(super) fn groups(&self) -> usize {
        self.columns[0].len()
    }

    /// Sets `costs[record · groups + group]` to the cost of each group with each record of a column
    /// in the place of its own. Records with the same position cost the same, so that O(columns ·
    /// groups) and O(groups) for each different position are spent on every quasi-identifier,
    /// beside the sum.
    pub(super) fn costs(
        &self,
        column: usize,
        space: &CoverSpace<'_, K>,
        marginals: Option<&Marginals>,
        scratch: &mut MatchingMemory,
        costs: &mut Vec<f32>,
    ) {
        let groups = self.groups();
        costs.clear();
        costs.resize(groups * groups, 0.0);
        let terms = Terms {
            block: self,
            column,
            space,
            marginals,
        };
        for axis in 0..space.axes().len() {
            let of = &space.axes()[axis];
            match of.cells {
                CellSizes::Interval => terms.add_intervals(axis, scratch, costs),
                _ if of.is_set_of_bits() => terms.add_sets(axis, scratch, costs),
                _ => terms.add_looked_up(axis, scratch, costs),
            }
        }
    }
}

/// Works out what one column's records cost in the groups of a block.
struct Terms<'a, 'b, 'c, const K: usize> {
    block: &'a MatchedBlock<'b, K>,
    column: usize,
    space: &'a CoverSpace<'c, K>,
    marginals: Option<&'a Marginals>,
}

impl<const K: usize> Terms<'_, '_, '_, K> {
    fn others(&self) -> impl Iterator<Item = &[CoverRecord<K>]> {
        let columns = self.block.columns.iter().enumerate();
        let others = columns.filter(|(number, _)| *number != self.column);
        others.map(|(_, records)| &**records)
    }

    /// Rows of a group times weight: what prices per value are multiplied with.
    fn mass(&self, axis: usize) -> f32 {
        self.block.columns.len() as f32 * self.space.axes()[axis].weight
    }

    fn price(&self, axis: usize, low: u16, high: u16) -> f32 {
        self.marginals
            .map_or(0.0, |marginals| marginals.price(axis, low, high))
    }

    /// The positions of the records.
    fn keys(&self, axis: usize) -> impl Iterator<Item = u16> + Clone {
        let records = self.block.columns[self.column].iter();
        records.map(move |record| record.keys[axis])
    }

    fn add_intervals(&self, axis: usize, scratch: &mut MatchingMemory, costs: &mut [f32]) {
        let bounds = &mut scratch.bounds;
        bounds.clear();
        bounds.resize(self.block.groups(), (u16::MAX, 0));
        for records in self.others() {
            for (bounds, record) in bounds.iter_mut().zip(records) {
                let key = record.keys[axis];
                *bounds = (bounds.0.min(key), bounds.1.max(key));
            }
        }
        let mass = self.mass(axis);
        let (positions, groups) = (self.keys(axis), self.block.groups());
        let by_key = &mut scratch.by_key;
        by_key.add(positions, costs, groups, |key, of_key| {
            for (cost, &(low, high)) in of_key.iter_mut().zip(&*bounds) {
                let (low, high) = (low.min(key), high.max(key));
                let width = usize::from(high - low) + 1;
                let price = mass * self.price(axis, low, high) / width as f32;
                *cost = self.space.cost(axis, width) + price;
            }
        });
    }

    /// Sets of positions that are bits: what the other members make up is summed once for
    /// each group, so that a record adds at most one member to it.
    fn add_sets(&self, axis: usize, scratch: &mut MatchingMemory, costs: &mut [f32]) {
        let (sets, prices) = (&mut scratch.sets, &mut scratch.prices);
        let last = self.space.axes()[axis].last_key();
        prices.clear();
        prices.extend((0..=last).map(|key| self.price(axis, key, key)));
        sets.clear();
        sets.resize(self.block.groups(), (0, 0, 0.0));
        for records in self.others() {
            for ((bits, count, sum), record) in sets.iter_mut().zip(records) {
                let key = record.keys[axis];
                if *bits >> key & 1 == 0 {
                    *bits |= 1 << key;
                    *count += 1;
                    *sum += prices[usize::from(key)];
                }
            }
        }
        let mass = self.mass(axis);
        let (positions, groups) = (self.keys(axis), self.block.groups());
        let by_key = &mut scratch.by_key;
        by_key.add(positions, costs, groups, |key, of_key| {
            let own = prices[usize::from(key)];
            for (cost, &(bits, count, sum)) in of_key.iter_mut().zip(&*sets) {
                let is_new = bits >> key & 1 == 0;
                let values = count + u32::from(is_new);
                let price = if is_new { sum + own } else { sum };
                let price = mass * price / values as f32;
                *cost = self.space.cost(axis, values as usize) + price;
            }
        });
    }

    /// Cells for which nothing can be summed up beforehand.
    fn add_looked_up(&self, axis: usize, scratch: &mut MatchingMemory, costs: &mut [f32]) {
        let of = &self.space.axes()[axis];
        let mass = self.mass(axis);
        let keys = &mut scratch.keys;
        let (positions, groups) = (self.keys(axis), self.block.groups());
        let by_key = &mut scratch.by_key;
        by_key.add(positions, costs, groups, |key, of_key| {
            for (group, cost) in of_key.iter_mut().enumerate() {
                keys.clear();
                keys.push(key);
                keys.extend(self.others().map(|records| records[group].keys[axis]));
                keys.sort_unstable();
                let mut price = 0.0;
                if let Some(marginals) = self.marginals {
                    of.spans(keys, |low, high| price += marginals.price(axis, low, high));
                }
                let values = of.values(keys);
                *cost = self.space.cost(axis, values) + mass * price / values as f32;
            }
        });
    }
}
