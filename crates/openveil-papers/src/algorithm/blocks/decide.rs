//! Decides which function of a block is released. The decision depends on the block's pattern of
//! values, and is computed for all patterns of a multiset at once.

use super::candidates::BlockFunctions;
use super::rule::{Names, Numbered};
use super::{BlockDisclosure, CLASS_LIMIT};
use crate::disclosure::jump::{Evaluation, Evaluator, JumpPlan, Strategy};
use crate::disclosure::{ContingencyTables, TableSpace};
use openveil_core::Error;
use openveil_core::model::Criteria;
use openveil_core::table::Groups;

/// The largest number of jump vectors that are compared for one sequence.
const VECTOR_LIMIT: u64 = 1_000;

/// A block's multiset of values, up to renaming if the model does not distinguish values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct BlockShape {
    /// Positive.
    counts: Vec<u32>,
    /// The values with these counts, or values that stand for them, ascending.
    values: Vec<u32>,
}

impl BlockShape {
    /// Returns the shape of the values of a block, and the position in it of everybody's value.
    /// O(people · values of the block).
    pub(super) fn new(values: &[u32], names: &Names) -> (Self, Vec<u32>) {
        // A value, its count, and its name.
        let mut tally: Vec<(u32, u32, u32)> = Vec::with_capacity(values.len());
        for &value in values {
            match tally.iter_mut().find(|entry| entry.0 == value) {
                Some((_, count, _)) => *count += 1,
                None => tally.push((value, 1, value)),
            }
        }
        if let Names::Shared { protected, exempt } = names {
            tally.sort_unstable_by_key(|&(value, count, _)| (std::cmp::Reverse(count), value));
            let (mut protected, mut others) = (protected.iter(), exempt.iter());
            for (value, _, name) in &mut tally {
                let own = match exempt.binary_search(value) {
                    Ok(_) => others.next(),
                    Err(_) => protected.next(),
                };
                *name = *own.expect("there are as many names as values");
            }
        }
        tally.sort_unstable_by_key(|&(_, _, name)| name);
        let pattern = values
            .iter()
            .filter_map(|value| tally.iter().position(|(known, ..)| known == value))
            .map(|p| p as u32)
            .collect();
        let shape = Self {
            counts: tally.iter().map(|&(_, count, _)| count).collect(),
            values: tally.iter().map(|&(_, _, name)| name).collect(),
        };
        (shape, pattern)
    }

    fn people(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }
}

/// The function released for every pattern of a shape that may be published as one group.
#[derive(Debug)]
pub(super) struct BlockDecision {
    space: ContingencyTables,
    evaluation: Evaluation,
}

impl BlockDecision {
    /// Picks the plan with the least expected discernability among all plans that release something
    /// for *every* pattern of the shape; of equals, the first, with plans of more functions before
    /// others. The choice depends on the shape and on the functions alone.
    ///
    /// Such a plan always exists: the plan that releases the block as one group.
    pub(super) fn new(
        disclosure: &BlockDisclosure,
        candidates: &BlockFunctions,
        shape: &BlockShape,
        criteria: &Criteria,
    ) -> Result<Self, Error> {
        let functions = candidates.functions(shape.people())?;
        let space = ContingencyTables::new(&functions, &shape.counts, CLASS_LIMIT)?;
        let values = &shape.values;
        let predicate = Numbered { criteria, values };
        let mut best: Option<(u128, Evaluation)> = None;
        let mut evaluator = Evaluator::new(&space, &predicate);
        for plan in plans(disclosure, candidates)? {
            let evaluation = evaluator.follow(&plan)?;
            let cost = expected_discernability(&space, &evaluation);
            let Some(cost) = cost else { continue };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, evaluation));
            }
        }
        let (_, evaluation) = best.expect("the last plan releases one group, which is allowed");
        Ok(Self { space, evaluation })
    }

    /// Returns the function by which a pattern of the shape is released.
    pub(super) fn released(&self, pattern: &[u32]) -> Result<usize, Error> {
        let class = self.space.class_of(pattern)?;
        let function = self.evaluation.released_function(class);
        Ok(function.expect("the plan always releases something"))
    }
}

/// Returns the plans to choose from; all of them end with the last function, which makes the block
/// one group.
fn plans(
    disclosure: &BlockDisclosure,
    candidates: &BlockFunctions,
) -> Result<Vec<JumpPlan>, Error> {
    let functions = candidates.len();
    let all: Vec<usize> = (0..functions).collect();
    if *disclosure == BlockDisclosure::Naive {
        return Ok(vec![JumpPlan::new(all, Strategy::Naive)?]);
    }
    let mut plans = Vec::new();
    for left_out in 0..1u32 << (functions - 1) {
        let sequence: Vec<usize> =
            all.iter().copied().filter(|function| left_out >> function & 1 == 0).collect();
        match disclosure {
            BlockDisclosure::Naive => {}
            BlockDisclosure::Safe => plans.push(JumpPlan::new(sequence, Strategy::Safe)?),
            BlockDisclosure::Jump => plans.extend(JumpPlan::all_jumps(&sequence, VECTOR_LIMIT)?),
            BlockDisclosure::JumpBy(vector) => {
                let distances = sequence
                    .iter()
                    .map(|&function| {
                        let number = candidates.number(function);
                        vector.get(number).copied().unwrap_or(1)
                    })
                    .collect();
                plans.push(JumpPlan::new(sequence, Strategy::Jump(distances))?);
            }
        }
    }
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.sequence().len()));
    Ok(plans)
}

/// Returns the discernability of the releases, summed over all tables; `None` if nothing is
/// released for some of them.
fn expected_discernability(space: &ContingencyTables, evaluation: &Evaluation) -> Option<u128> {
    let cost = |groups: &Groups| -> u128 {
        groups.iter().map(|group| (group.len() * group.len()) as u128).sum()
    };
    let costs: Vec<u128> = space.functions().partitions().iter().map(cost).collect();
    (0..space.classes())
        .map(|class| {
            let function = evaluation.released_function(class)?;
            Some(space.multiplicity(class) * costs[function])
        })
        .sum()
}
