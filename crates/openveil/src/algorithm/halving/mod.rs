#![doc = include_str!("proof.md")]

mod odd;
mod order;

use crate::Error;
use crate::algorithm::{Algorithm, Models, Profile, Settings};
use crate::coins::Coins;
use crate::model::{CountBuffer, Criteria};
use crate::table::{Groups, View};
use odd::OddNode;
use order::Order;

/// The halving algorithm: [`halving`], for every convex model.
#[derive(Debug, Clone, Copy)]
pub struct Halving;

impl Algorithm for Halving {
    fn profile(&self) -> Profile {
        const REASON: &str = "what a refused cut tells leaves everybody's posterior within the model, though it may rule values out; `openveil verify` computes it";
        Profile::safe("halving", REASON)
            .for_models(Models::Any)
            .with_exempt()
            .keeping_model()
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        halving(view, criteria, coins)
    }
}

/// Cuts the rows of a table into groups by halving: equal halves by
/// quasi-identifiers, kept where the model holds on both.
///
/// Works for every convex model and never looks at the whole histogram beyond
/// asking whether the table as one group satisfies the model. O(n log² n) time.
///
/// # Errors
/// [`Error::Unsatisfiable`] if the whole table does not satisfy the model.
pub fn halving(table: &View, criteria: &Criteria, coins: &mut dyn Coins) -> Result<Groups, Error> {
    criteria.check_whole(table)?;
    let mut engine = Engine {
        order: Order::of(table),
        values: table.secret().codes(),
        odd: OddNode::of(criteria),
        criteria,
        tally: CountBuffer::default(),
        coins,
        open: vec![(0..table.rows() as u32).collect()],
        leaves: Groups::with_capacity(table.rows(), table.rows() / 2),
    };
    while let Some(node) = engine.open.pop() {
        engine.visit(node);
    }
    Ok(engine.leaves)
}

struct Engine<'a> {
    order: Order<'a>,
    values: &'a [u32],
    criteria: &'a Criteria,
    odd: OddNode<'a>,
    tally: CountBuffer,
    coins: &'a mut dyn Coins,
    /// Nodes to be visited: their rows. The model holds on each.
    open: Vec<Vec<u32>>,
    leaves: Groups,
}

impl Engine<'_> {
    fn visit(&mut self, mut node: Vec<u32>) {
        let smallest = self.criteria.least_size() as usize;
        let axes = self.order.axes(&node);
        if node.len() < 2 * smallest.max(1) || node.len() < 2 {
            self.leaves.push(node);
            return;
        }
        let middle = node.len() / 2;
        if node.len() % 2 == 1 {
            self.visit_odd(node, &axes);
            return;
        }
        self.order
            .sort_around(&mut node, &axes, middle, 1, self.coins);
        let upper = node.split_off(middle);
        if self.both_hold(&node, &upper) {
            self.open.push(upper);
            self.open.push(node);
            return;
        }
        match axes.len() > 1 && middle.is_multiple_of(2) {
            true => self.second_attempt(node, upper, &axes),
            false => self.leaf(node, upper),
        }
    }

    /// A cut of 2m + 1 rows: a row near the middle joins either side by a coin.
    fn visit_odd(&mut self, mut node: Vec<u32>, axes: &[usize]) {
        let values = node.iter().map(|&row| self.values[row as usize]);
        let window = self.odd.window(&self.tally.of_codes(values));
        let middle = node.len() / 2;
        self.order
            .sort_around(&mut node, axes, middle, window, self.coins);
        let (before, joins_lower) = match window {
            1 => (middle, true),
            _ => {
                let first = middle - window / 2;
                let drawn = first + self.coins.below(window as u32) as usize;
                (drawn, self.coins.below(2) == 0)
            }
        };
        let apart = node.remove(before);
        let mut upper = node.split_off(middle);
        match joins_lower {
            true => node.push(apart),
            false => upper.push(apart),
        }
        match self.both_hold(&node, &upper) {
            true => {
                self.open.push(upper);
                self.open.push(node);
            }
            false => self.leaf(node, upper),
        }
    }

    /// Cuts both refused halves along another column; the lower quarters make one
    /// leaf, the upper ones the other.
    fn second_attempt(&mut self, mut lower: Vec<u32>, mut upper: Vec<u32>, axes: &[usize]) {
        let mut others = axes.to_vec();
        others.rotate_left(1);
        let middle = lower.len() / 2;
        self.order
            .sort_around(&mut lower, &others, middle, 1, self.coins);
        self.order
            .sort_around(&mut upper, &others, middle, 1, self.coins);
        let mut above = lower.split_off(middle);
        above.extend(upper.split_off(middle));
        lower.extend(upper);
        match self.both_hold(&lower, &above) {
            true => {
                self.leaves.push(lower);
                self.leaves.push(above);
            }
            false => self.leaf(lower, above),
        }
    }

    fn leaf(&mut self, lower: Vec<u32>, upper: Vec<u32>) {
        self.leaves.push(lower.into_iter().chain(upper));
    }

    fn both_hold(&mut self, lower: &[u32], upper: &[u32]) -> bool {
        [lower, upper].into_iter().all(|rows| {
            let values = rows.iter().map(|&row| self.values[row as usize]);
            self.criteria.hold_on_group(&self.tally.of_codes(values))
        })
    }
}

#[cfg(test)]
mod tests;
