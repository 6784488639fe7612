//! What is released of a block: a function of its pattern of values, worked out
//! for all patterns of a multiset at once.

use super::rule::Protected;
use super::runs::{functions, run_counts, runs};
use super::{CLASS_LIMIT, Disclosure};
use crate::Error;
use crate::verify::disclosure::{Classes, Space};
use crate::verify::jump::{Evaluation, Plan, Strategy, evaluate};

/// The most jump vectors that are compared for one sequence.
const VECTOR_LIMIT: u64 = 1_000;

/// A block's multiset of values up to renaming, which the model does not notice:
/// counts of protected values, then of others, each in descending order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    counts: Vec<u32>,
    protected: usize,
}

impl Shape {
    /// The shape of the values of a block, and the values by their place in it.
    /// O(people · values of the block).
    pub(super) fn of(values: &[u32], exempt: &[bool]) -> (Self, Vec<u32>) {
        let mut tally: Vec<(bool, u32, u32)> = Vec::with_capacity(values.len());
        for &value in values {
            match tally.iter_mut().find(|(_, _, known)| *known == value) {
                Some((_, count, _)) => *count += 1,
                None => tally.push((exempt[value as usize], 1, value)),
            }
        }
        tally.sort_unstable_by_key(|&(exempt, count, value)| {
            (exempt, std::cmp::Reverse(count), value)
        });
        let place = |value: &u32| tally.iter().position(|(_, _, known)| known == value);
        let pattern = values.iter().filter_map(place).map(|p| p as u32).collect();
        let shape = Self {
            counts: tally.iter().map(|&(_, count, _)| count).collect(),
            protected: tally.iter().filter(|(exempt, _, _)| !exempt).count(),
        };
        (shape, pattern)
    }

    fn people(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }
}

/// What is released for every pattern of a shape that may be published as one
/// group.
#[derive(Debug)]
pub(super) struct Decision {
    space: Classes,
    evaluation: Evaluation,
    run_counts: Vec<usize>,
}

impl Decision {
    /// Of all plans that release something for *every* pattern of the shape, the
    /// one with the least expected discernability; the first among equals, and
    /// plans with more functions come first. It depends on the shape alone.
    ///
    /// There is always one: the plan that releases the block as one group.
    pub(super) fn new(disclosure: &Disclosure, shape: &Shape, l: u32) -> Result<Self, Error> {
        let (people, least) = (shape.people(), l as usize);
        let space = Classes::new(&functions(people, least)?, &shape.counts, CLASS_LIMIT)?;
        let run_counts: Vec<usize> = run_counts(people, least).collect();
        let predicate = Protected {
            l,
            values: shape.protected,
        };
        let mut best: Option<(u128, Evaluation)> = None;
        for plan in plans(disclosure, run_counts.len())? {
            let evaluation = evaluate(&space, &predicate, &plan)?;
            let cost = expected_discernability(&space, &evaluation, &run_counts);
            let Some(cost) = cost else { continue };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, evaluation));
            }
        }
        let (_, evaluation) = best.expect("the last plan releases one group, which is allowed");
        Ok(Self {
            space,
            evaluation,
            run_counts,
        })
    }

    /// The number of runs that are released for a pattern of the shape.
    pub(super) fn runs(&self, pattern: &[u32]) -> Result<usize, Error> {
        let class = self.space.class_of(pattern)?;
        let function = self.evaluation.released_function(class);
        Ok(self.run_counts[function.expect("the plan always releases something")])
    }
}

/// The plans to choose from, over `functions` functions; all of them end with
/// the last function, by which the block is one group.
fn plans(disclosure: &Disclosure, functions: usize) -> Result<Vec<Plan>, Error> {
    let all: Vec<usize> = (0..functions).collect();
    if *disclosure == Disclosure::Naive {
        return Ok(vec![Plan::new(all, Strategy::Naive)?]);
    }
    let mut plans = Vec::new();
    for left_out in 0..1u32 << (functions - 1) {
        let kept = |function: &usize| left_out >> function & 1 == 0;
        let sequence: Vec<usize> = all.iter().copied().filter(kept).collect();
        match disclosure {
            Disclosure::Naive => {}
            Disclosure::Safe => plans.push(Plan::new(sequence, Strategy::Safe)?),
            Disclosure::Jump => plans.extend(Plan::all_jumps(&sequence, VECTOR_LIMIT)?),
            Disclosure::JumpBy(vector) => {
                let distance = |&step: &usize| vector.get(step).copied().unwrap_or(1);
                let distances = sequence.iter().map(distance).collect();
                plans.push(Plan::new(sequence, Strategy::Jump(distances))?);
            }
        }
    }
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.sequence().len()));
    Ok(plans)
}

/// The discernability of what is released, summed over all tables; `None` if
/// nothing is released for some of them.
fn expected_discernability(
    space: &Classes,
    evaluation: &Evaluation,
    run_counts: &[usize],
) -> Option<u128> {
    let people = space.functions().people();
    let cost = |count: &usize| -> u128 {
        let squares = runs(people, *count).map(|run| (run.len() * run.len()) as u128);
        squares.sum()
    };
    let costs: Vec<u128> = run_counts.iter().map(cost).collect();
    (0..space.classes())
        .map(|class| {
            let function = evaluation.released_function(class)?;
            Some(space.multiplicity(class) * costs[function])
        })
        .sum()
}
