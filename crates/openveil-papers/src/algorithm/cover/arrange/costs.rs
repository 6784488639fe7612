//! The costs of putting a record of one column into each group of a block.

use super::super::space::{CellSizes, CoverSpace};
use super::assign::{Costs, MOST};
use super::block::BlockAxis;
use super::marginals::{Marginals, PRICE};

/// Computes the costs of a column that was taken out, on one quasi-identifier.
pub(super) struct ColumnCosts<'a, 'b, const K: usize> {
    pub(super) axis: usize,
    pub(super) members: &'a BlockAxis<'b>,
    pub(super) column: usize,
    pub(super) groups: usize,
    pub(super) space: &'a CoverSpace<'b, K>,
    pub(super) marginals: Option<&'a Marginals>,
}

/// Memory that is reused from matching to matching.
#[derive(Default)]
pub(super) struct CostMemory {
    /// The row that has the costs of a position; [`NO_ROW`] outside of a matching.
    row_of: Vec<u8>,
    rows: Vec<[f32; MOST]>,
    /// Positions of a group and one more, ascending.
    with_key: Vec<u16>,
}

const NO_ROW: u8 = u8::MAX;

/// An upper bound on every cost in a block of this many columns.
pub(super) fn greatest<const K: usize>(space: &CoverSpace<'_, K>, columns: usize) -> f32 {
    space
        .axes()
        .iter()
        .enumerate()
        .map(|(number, axis)| {
            let whole = space.cost(number, axis.positions());
            whole + PRICE * axis.weight * columns as f32
        })
        .sum::<f32>()
        .max(f32::MIN_POSITIVE)
}

impl<const K: usize> ColumnCosts<'_, '_, K> {
    /// Adds to `costs[record][group]` the cost of each group with each record of the column.
    /// Records with the same position cost the same, so each different position takes O(groups), in
    /// addition to the sum.
    pub(super) fn add_to(&self, costs: &mut Costs, memory: &mut CostMemory) {
        match self.members.of.cells {
            CellSizes::Interval => {
                let inside = self.prices_inside();
                let fill = |record, row: &mut _| self.fill_interval(record, &inside, row);
                self.add_by_key(costs, memory, |record, _, row| fill(record, row));
            }
            CellSizes::Set => {
                let cells = self.sets();
                let fill = |record, row: &mut _| self.fill_set(record, &cells, row);
                self.add_by_key(costs, memory, |record, _, row| fill(record, row));
            }
            CellSizes::Nodes(_) => {
                let covers = self.covers();
                self.add_by_key(costs, memory, |record, with_key, row| {
                    self.fill_nodes(record, &covers, with_key, row);
                });
            }
        }
    }

    /// Adds to each record's costs the costs of its position, which `fill` computes once per
    /// position.
    fn add_by_key(
        &self,
        costs: &mut Costs,
        memory: &mut CostMemory,
        fill: impl Fn(usize, &mut Vec<u16>, &mut [f32; MOST]),
    ) {
        let CostMemory { row_of, rows, with_key } = memory;
        let keys = &self.members.keys[self.column][..self.groups];
        if row_of.len() < self.members.of.positions() {
            row_of.resize(self.members.of.positions(), NO_ROW);
        }
        rows.clear();
        for (record, (costs, &key)) in costs.iter_mut().zip(keys).enumerate() {
            let number = &mut row_of[usize::from(key)];
            if *number == NO_ROW {
                *number = rows.len() as u8;
                rows.push([0.0; MOST]);
                fill(record, with_key, &mut rows[usize::from(*number)]);
            }
            let row = &rows[usize::from(*number)];
            costs.iter_mut().zip(row).for_each(|(cost, add)| *cost += add);
        }
        for &key in keys {
            row_of[usize::from(key)] = NO_ROW;
        }
    }

    fn key(&self, record: usize) -> u16 {
        self.members.keys[self.column][record]
    }

    /// Rows of a group times weight: the factor of prices per value.
    fn mass(&self) -> f32 {
        self.members.keys.len() as f32 * self.members.of.weight
    }

    /// The sum of the prices of all positions below one.
    fn price_below(&self, key: u32) -> f32 {
        self.marginals.map_or(0.0, |marginals| marginals.price_below(self.axis, key))
    }

    fn price(&self, low: u16, high: u16) -> f32 {
        self.price_below(u32::from(high) + 1) - self.price_below(low.into())
    }

    /// For each group, the prices below its least position and up to its greatest.
    fn prices_inside(&self) -> [[f32; MOST]; 2] {
        let mut prices = [[0.0; MOST]; 2];
        let [below, up_to] = &mut prices;
        let bounds = self.members.low.iter().zip(&self.members.high);
        for ((below, up_to), (&low, &high)) in
            below.iter_mut().zip(up_to).zip(bounds).take(self.groups)
        {
            *below = self.price_below(low.into());
            *up_to = self.price_below(u32::from(high) + 1);
        }
        prices
    }

    fn fill_interval(&self, record: usize, inside: &[[f32; MOST]; 2], row: &mut [f32; MOST]) {
        let (key, mass) = (self.key(record), self.mass());
        let own = [0, 1].map(|above| self.price_below(u32::from(key) + above));
        for group in 0..self.groups {
            let (low, high) = (self.members.low[group], self.members.high[group]);
            let below = if key < low { own[0] } else { inside[0][group] };
            let up_to = if key > high { own[1] } else { inside[1][group] };
            let width = usize::from(high.max(key) - low.min(key)) + 1;
            let price = (up_to - below) * self.space.share(width);
            row[group] = self.space.cost(self.axis, width) + mass * price;
        }
    }

    /// For each group: the cost of its cell as it is; the cost with another position in it, without
    /// that position's price; and the share of this price.
    fn sets(&self) -> [[f32; MOST]; 3] {
        let mut sums = [0.0; MOST];
        for (&key, holders) in self.members.present.iter().zip(&self.members.holders) {
            let price = self.price(key, key);
            for (sum, &holders) in sums.iter_mut().zip(holders) {
                *sum += if holders > 0.0 { price } else { 0.0 };
            }
        }
        let mass = self.mass();
        let mut cells = [[0.0; MOST]; 3];
        for group in 0..self.groups {
            let count = self.members.counts[group] as usize;
            let cost = |count: usize| {
                let share = mass * self.space.share(count);
                (self.space.cost(self.axis, count) + sums[group] * share, share)
            };
            cells[0][group] = cost(count).0;
            // A set of all positions cannot get another.
            (cells[1][group], cells[2][group]) = cost((count + 1).min(self.members.of.positions()));
        }
        cells
    }

    fn fill_set(&self, record: usize, cells: &[[f32; MOST]; 3], row: &mut [f32; MOST]) {
        let key = self.key(record);
        let number = self.members.numbers[self.column][record];
        let holders = &self.members.holders[usize::from(number)];
        let price = self.price(key, key);
        for group in 0..MOST {
            let with_other = cells[1][group] + cells[2][group] * price;
            let is_there = holders[group] > 0.0;
            row[group] = if is_there { cells[0][group] } else { with_other };
        }
    }

    /// For each group, the stretches that its cell covers, and the cost of the cell.
    fn covers(&self) -> Vec<(Vec<(u16, u16)>, f32)> {
        (0..self.groups)
            .map(|group| {
                let mut spans = Vec::new();
                let keys = self.members.members(group);
                self.members.of.spans(keys, |low, high| spans.push((low, high)));
                (spans, self.cost_of_nodes(keys))
            })
            .collect()
    }

    /// A position under the nodes of a cell does not change the cell.
    fn fill_nodes(
        &self,
        record: usize,
        covers: &[(Vec<(u16, u16)>, f32)],
        with_key: &mut Vec<u16>,
        row: &mut [f32; MOST],
    ) {
        let key = self.key(record);
        for (group, ((spans, cost), found)) in covers.iter().zip(row).enumerate() {
            *found = if spans.iter().any(|&(low, high)| low <= key && key <= high) {
                *cost
            } else {
                self.members.with(group, key, with_key);
                self.cost_of_nodes(with_key)
            };
        }
    }

    fn cost_of_nodes(&self, keys: &[u16]) -> f32 {
        let (mut values, mut price) = (0, 0.0);
        self.members.of.spans(keys, |low, high| {
            values += usize::from(high - low) + 1;
            price += self.price(low, high);
        });
        self.space.cost(self.axis, values) + self.mass() * price * self.space.share(values)
    }
}
