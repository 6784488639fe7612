//! Decomposition for any model that depends only on the values of a group.

use super::choices::{are_mixed, every_choice_holds};
use super::in_turn::{mixed, most_in_turn, satisfies};
use super::pack::pack;
use super::ratio::runs;
use super::signatures::Signatures;
use super::{Decomposition, ValueRun, program};
use openveil_core::model::Criteria;
use openveil_core::table::Histogram;
use std::collections::BTreeMap;

/// If the mean group size exceeds its lower bound by more than this, in percent, the linear program
/// is tried as well.
const EXCESS: u64 = 5;

/// The number of group sizes that are tried with several values per column.
const SIZES: u32 = 16;

/// Decomposes a histogram into as many groups that satisfy a model as the search finds.
///
/// Several values share a column if every choice of one value per column satisfies the model and
/// one value per slot does not give more groups. For distinct diversity the number of groups is
/// optimal. The result depends on the histogram, the model and the declared order of values only.
///
/// Returns `None` if even the whole table as one group does not satisfy the model. Time: O(values ·
/// size) tests of the model per group size tried, and up to 20,000 tests for each of 16 sizes with
/// several values per column.
pub fn decompose_any(
    histogram: &Histogram,
    criteria: &Criteria,
    order: Option<&[u32]>,
) -> Option<Decomposition> {
    let most_groups = histogram.rows() / criteria.least_size();
    let columns = in_columns(histogram, criteria, order);
    if let Some(found) = columns
        .as_ref()
        .filter(|found| found.groups() == most_groups && criteria.classes().next().is_none())
    {
        return Some(found.clone());
    }
    let slots = in_slots(histogram, criteria)?;
    let worth = |found: &Decomposition| (found.groups(), are_mixed(found, criteria));
    let of_slots = (slots.groups(), mixed(&slots, criteria));
    Some(
        columns
            .filter(|found| worth(found) >= of_slots)
            .unwrap_or_else(|| Decomposition::of_signatures(&slots, histogram.counts())),
    )
}

/// Several values per column, in the largest number of groups found.
fn in_columns(
    histogram: &Histogram,
    criteria: &Criteria,
    order: Option<&[u32]>,
) -> Option<Decomposition> {
    let runs = runs(histogram);
    let least = criteria.least_size();
    let sizes = (least..=least + SIZES).take_while(|&size| size <= histogram.rows());
    sizes.into_iter().find_map(|size| {
        let groups = histogram.rows() / size;
        let lines = std::iter::once(pack(&runs, groups, order));
        let found = lines
            .chain(
                criteria
                    .classes()
                    .map(|classes| by_class(&runs, classes, |classes| pack(classes, groups, None))),
            )
            .map(|line| Decomposition::of_line(line, groups, &|run: &ValueRun| run.count > groups))
            .filter(|found| every_choice_holds(found, criteria));
        found.max_by_key(|found| are_mixed(found, criteria))
    })
}

/// Puts whole classes into columns, so that a group never has two values of one class.
fn by_class(
    runs: &[ValueRun],
    classes: &[u32],
    pack: impl FnOnce(&[ValueRun]) -> Vec<ValueRun>,
) -> Vec<ValueRun> {
    let mut members: BTreeMap<u32, Vec<ValueRun>> = BTreeMap::new();
    for run in runs {
        members.entry(classes[run.value as usize]).or_default().push(*run);
    }
    let of_classes: Vec<ValueRun> = members
        .iter()
        .map(|(&value, runs)| ValueRun { value, count: runs.iter().map(|run| run.count).sum() })
        .collect();
    pack(&of_classes).into_iter().flat_map(|class| members[&class.value].clone()).collect()
}

/// One value per slot. Values are laid end to end with similar ones together, and dealt out in turn
/// to as many groups as the model allows. Every group is a small copy of the histogram, so large
/// enough groups satisfy whatever the histogram satisfies. If groups are still more than 5 % larger
/// than the model's lower bound, a linear program looks for a better mixture of signatures.
fn in_slots(histogram: &Histogram, criteria: &Criteria) -> Option<Signatures> {
    let in_turn = most_in_turn(histogram, criteria)?;
    let most_groups = histogram.rows() / criteria.least_size();
    let reached = u64::from(in_turn.groups()) * (100 + EXCESS);
    if reached >= u64::from(most_groups) * 100 {
        return Some(in_turn);
    }
    let worth = |found: &Signatures| (found.groups(), mixed(found, criteria));
    Some(
        program::solve(histogram, criteria, &in_turn)
            .filter(|found| worth(found) > worth(&in_turn) && satisfies(found, criteria))
            .unwrap_or(in_turn),
    )
}
