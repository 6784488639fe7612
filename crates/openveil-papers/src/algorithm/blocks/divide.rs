//! Divides the whole table into blocks: a cut is kept if both parts may be published as they are,
//! whatever happens to them later.

use super::Blocks;
use super::candidates::FunctionSource;
use super::decide::BlockShape;
use super::order::{CuttingOrder, OrderedPerson};
use super::rule::BlockRule;
use openveil_core::Error;
use openveil_core::coins::Coins;
use openveil_core::table::{Groups, View};

/// A division in progress.
pub(super) struct BlockDivision<'a> {
    blocks: &'a Blocks<'a>,
    order: CuttingOrder<'a>,
    source: FunctionSource<'a>,
    rule: BlockRule<'a>,
    coins: &'a mut dyn Coins,
    groups: Groups,
}

/// A cut of a set of people into two: a public fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockCut {
    /// Number of people in the first part, at most half of all.
    pub(super) at: usize,
    /// Whether the other part has equally many.
    pub(super) even: bool,
}

impl BlockCut {
    /// Returns the cut of `people` people, who are more than `block`. The first part has `block` ·
    /// 2ʲ people, with the largest j for which they are at most half, so that later cuts of that
    /// part are even. Fewer than two blocks are halved.
    pub(super) fn new(people: usize, block: usize) -> Self {
        let at = match people / block {
            0..=1 => people / 2,
            blocks => block << (blocks / 2).ilog2(),
        };
        Self { at, even: 2 * at == people }
    }
}

impl<'a> BlockDivision<'a> {
    /// Divides a table with at most `K` quasi-identifiers into groups.
    pub(super) fn of<const K: usize>(
        table: &'a View,
        blocks: &'a Blocks<'a>,
        coins: &'a mut dyn Coins,
    ) -> Result<Groups, Error> {
        let rule = BlockRule::new(blocks.criteria, table.secret());
        let mut division = Self {
            blocks,
            order: CuttingOrder::new(table.known()),
            source: FunctionSource::new(&blocks.trials.functions, table.known())?,
            coins,
            groups: Groups::with_capacity(table.rows(), table.rows() / rule.least()),
            rule,
        };
        let mut people = division.order.people::<K>(table.rows());
        division.divide(&mut people)?;
        Ok(division.groups)
    }

    /// Divides people who may be published as one group.
    fn divide<const K: usize>(&mut self, people: &mut [OrderedPerson<K>]) -> Result<(), Error> {
        let least = self.rule.least();
        let block = self.blocks.trials.block.max(least);
        if people.len() <= block {
            return self.decide(people);
        }
        let cut = BlockCut::new(people.len(), block);
        // No coins are used for a cut that cannot be kept whatever the values are.
        if cut.at >= least {
            if cut.even {
                self.order.cut(people, cut.at, self.coins)
            } else {
                self.order.cut_anywhere(people, cut.at, self.coins)
            }
            let (first, second) = people.split_at_mut(cut.at);
            if self.rule.allows(rows(first)) && self.rule.allows(rows(second)) {
                self.divide(first)?;
                return self.divide(second);
            }
        }
        self.groups.push(rows(people));
        Ok(())
    }

    /// Divides a block into groups, which the pattern of its values decides.
    fn decide<const K: usize>(&mut self, people: &mut [OrderedPerson<K>]) -> Result<(), Error> {
        let least = self.rule.least();
        if people.len() < 2 * least {
            self.groups.push(rows(people));
            return Ok(());
        }
        let candidates = self.source.of_block(people, least, &self.order, self.coins);
        let (shape, pattern) = BlockShape::new(&self.rule.values(rows(people)), &self.rule.names);
        let decision = self.blocks.decision(&candidates, shape)?;
        for group in candidates.partition(decision.released(&pattern)?).iter() {
            self.groups.push(group.iter().map(|&place| people[place as usize].row));
        }
        Ok(())
    }
}

fn rows<const K: usize>(people: &[OrderedPerson<K>]) -> impl ExactSizeIterator<Item = u32> + Clone {
    people.iter().map(|person| person.row)
}
