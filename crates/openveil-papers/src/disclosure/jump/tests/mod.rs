//! Strategies on known examples, on found counter-examples, and against their
//! definitions.

mod checked;
mod definitions;
mod example;
mod family;
mod fixtures;
mod groups;
mod scale;

use super::*;
use crate::disclosure::{ContingencyTables, Functions, Predicate, RatioBound, TableSpace};
use openveil_core::table::Groups;
use std::cmp::Ordering;

const LIMIT: u64 = 100_000;

fn half() -> RatioBound {
    RatioBound::new(1, 2).unwrap()
}

fn functions(people: usize, partitions: &[&[&[u32]]]) -> Functions {
    let groups =
        partitions.iter().map(|groups| groups.iter().map(|group| group.iter().copied()).collect());
    Functions::new(people, groups).unwrap()
}

/// Returns the plan with every function once, in order.
fn plan(functions: &Functions, strategy: Strategy) -> JumpPlan {
    JumpPlan::new((0..functions.partitions().len()).collect(), strategy).unwrap()
}

fn jump(functions: &Functions, distances: &[u32]) -> JumpPlan {
    plan(functions, Strategy::Jump(distances.to_vec()))
}

/// Returns a path in the paper's notation, with steps counted from 1.
fn path(outcome: &PlanOutcome) -> String {
    outcome
        .path
        .iter()
        .map(|step| {
            let stage = match step.stage {
                EvaluatedSet::Permutations => 0,
                EvaluatedSet::Disclosures => 1,
            };
            format!("{}/{stage}", step.step + 1)
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the numbers of tables for which the first, the second, and neither of two plans releases
/// an earlier step than the other; releasing nothing comes last.
fn compare(
    space: &ContingencyTables,
    predicate: &dyn Predicate,
    plans: [&JumpPlan; 2],
) -> [u128; 3] {
    let [left, right] = plans.map(|plan| evaluate(space, predicate, plan).unwrap());
    let rank = |found: &Evaluation, class| found.released(class).unwrap_or(usize::MAX);
    let mut tables = [0; 3];
    for class in 0..space.classes() {
        let better = match rank(&left, class).cmp(&rank(&right, class)) {
            Ordering::Less => 0,
            Ordering::Greater => 1,
            Ordering::Equal => 2,
        };
        tables[better] += space.multiplicity(class);
    }
    tables
}
