//! Any model for which the values of a group decide.

use super::choices::{are_mixed, every_choice_holds};
use super::in_turn::{mixed, most_in_turn, satisfies};
use super::pack::pack;
use super::ratio::runs;
use super::signatures::Signatures;
use super::{Decomposition, Run, program};
use crate::model::Criteria;
use crate::table::Histogram;
use std::collections::BTreeMap;

/// Beyond this excess of the mean group size over its lower bound, in percent, the
/// linear program is tried as well.
const EXCESS: u64 = 5;

/// How many sizes of groups are tried with several values per column.
const SIZES: u32 = 16;

/// Decomposes a histogram into groups that satisfy a model, as many as are found.
///
/// Several values share a column wherever every choice of one value per column
/// satisfies the model and no more groups are found with one value per slot. For
/// distinct diversity the number of groups is optimal. All of it depends on the
/// histogram, the model and the declared order of values only.
///
/// `None` if not even the whole table as one group satisfies the model. Time:
/// O(values · size) tests of the model per group size tried, and up to 20,000 tests
/// for each of 16 sizes with several values per column.
pub fn decompose_any(
    histogram: &Histogram,
    criteria: &Criteria,
    order: Option<&[u32]>,
) -> Option<Decomposition> {
    let most_groups = histogram.rows() / criteria.least_size();
    let columns = in_columns(histogram, criteria, order);
    let is_best = |found: &&Decomposition| {
        found.groups() == most_groups && criteria.classes().next().is_none()
    };
    if let Some(found) = columns.as_ref().filter(is_best) {
        return Some(found.clone());
    }
    let slots = in_slots(histogram, criteria)?;
    let worth = |found: &Decomposition| (found.groups(), are_mixed(found, criteria));
    let of_slots = (slots.groups(), mixed(&slots, criteria));
    match columns {
        Some(found) if worth(&found) >= of_slots => Some(found),
        _ => Some(Decomposition::of_signatures(&slots, histogram.counts())),
    }
}

/// Several values per column, in the most groups found.
fn in_columns(
    histogram: &Histogram,
    criteria: &Criteria,
    order: Option<&[u32]>,
) -> Option<Decomposition> {
    let runs = runs(histogram);
    let least = criteria.least_size();
    let sizes = (least..=least + SIZES).take_while(|&size| size <= histogram.rows());
    let of_size = |size: u32| {
        let groups = histogram.rows() / size;
        let may_meet = |run: &Run| run.count > groups;
        let lines = std::iter::once(pack(&runs, groups, order));
        let lines = lines.chain(
            criteria
                .classes()
                .map(|classes| by_class(&runs, groups, classes)),
        );
        let found = lines.map(|line| Decomposition::of_line(line, groups, &may_meet));
        let found = found.filter(|found| every_choice_holds(found, criteria));
        found.max_by_key(|found| are_mixed(found, criteria))
    };
    sizes.into_iter().find_map(of_size)
}

/// Whole classes share a column, so that values of one class do not meet.
fn by_class(runs: &[Run], groups: u32, classes: &[u32]) -> Vec<Run> {
    let mut members: BTreeMap<u32, Vec<Run>> = BTreeMap::new();
    for run in runs {
        members
            .entry(classes[run.value as usize])
            .or_default()
            .push(*run);
    }
    let total = |(&value, runs): (&u32, &Vec<Run>)| Run {
        value,
        count: runs.iter().map(|run| run.count).sum(),
    };
    let of_classes: Vec<Run> = members.iter().map(total).collect();
    let packed = pack(&of_classes, groups, None).into_iter();
    packed
        .flat_map(|class| members[&class.value].clone())
        .collect()
}

/// One value per slot. Values are laid end to end in an order that keeps alike ones
/// together, and dealt out in turn to as many groups as the model allows: every group
/// is a small copy of the histogram, so large enough groups satisfy whatever the
/// histogram satisfies. Where groups stay more than 5 % larger than the model's lower
/// bound, a linear program looks for a better mixture of signatures.
fn in_slots(histogram: &Histogram, criteria: &Criteria) -> Option<Signatures> {
    let in_turn = most_in_turn(histogram, criteria)?;
    let most_groups = histogram.rows() / criteria.least_size();
    let reached = u64::from(in_turn.groups()) * (100 + EXCESS);
    if reached >= u64::from(most_groups) * 100 {
        return Some(in_turn);
    }
    let worth = |found: &Signatures| (found.groups(), mixed(found, criteria));
    let better = program::solve(histogram, criteria, &in_turn)
        .filter(|found| worth(found) > worth(&in_turn) && satisfies(found, criteria));
    Some(better.unwrap_or(in_turn))
}
