//! Any model for which the values of a group decide.

use super::choices::{Budget, are_mixed, every_choice_holds};
use super::in_turn::{mixed, most_in_turn, satisfies};
use super::lots::{Lot, peel};
use super::pack::{pack, pack_at_random};
use super::ratio::runs;
use super::signatures::Signatures;
use super::{Decomposition, ValueRun, program};
use crate::coins::Coins;
use crate::model::Criteria;
use crate::table::Histogram;
use std::collections::BTreeMap;

/// Beyond this excess of the mean group size over its lower bound, in percent, the
/// linear program is tried as well.
const EXCESS: u64 = 5;

/// How many sizes of groups are tried with several values per column.
const SIZES: u32 = 16;

/// How many random compositions of a lot are tried.
const COMPOSITIONS: usize = 8;

/// How many choices are tried in all lots together before fewer lots are made.
const CHOICES_OF_LOTS: u64 = 400_000;

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
    let (found, _) = whole(histogram, criteria, order)?;
    Some(found)
}

/// Like [`decompose_any`], but in several lots, where several values share a column: `lots` says
/// how many there should be of so many groups. Each lot gets its part of every value, and a
/// composition of its own by coins. Where no composition of a lot is found that satisfies the
/// model, half as many lots are tried, down to one: [`decompose_any`], which tosses no coin.
///
/// Trials and coins depend on the histogram, the model and the declared order only. `None` as
/// [`decompose_any`]. As many groups as there.
pub fn decompose_any_in_lots(
    histogram: &Histogram,
    criteria: &Criteria,
    order: Option<&[u32]>,
    lots: &dyn Fn(u32) -> u32,
    coins: &mut dyn Coins,
) -> Option<Decomposition> {
    let (found, alike) = whole(histogram, criteria, order)?;
    let Some(alike) = alike else {
        return Some(found);
    };
    let groups = found.groups();
    let mut lots = lots(groups).min(groups);
    while lots > 1 {
        let mut budget = Budget::of(CHOICES_OF_LOTS);
        let mut composed = Vec::with_capacity(lots as usize);
        for lot in peel(histogram, groups, lots, coins) {
            match compose(&lot, criteria, (alike, order), &mut budget, coins) {
                Some(found) => composed.push(found),
                None => break,
            }
        }
        if composed.len() == lots as usize {
            return Some(Decomposition::of_lots(composed));
        }
        lots /= 2;
    }
    Some(found)
}

/// A random composition of a lot that satisfies the model: of a few, the first one that mixes
/// classes in all groups, else the one that does in most.
fn compose(
    lot: &Lot,
    criteria: &Criteria,
    (alike, order): (KeptTogether, Option<&[u32]>),
    budget: &mut Budget,
    coins: &mut dyn Coins,
) -> Option<Decomposition> {
    let runs = runs(&lot.histogram);
    let may_meet = |run: &ValueRun| run.count > lot.groups;
    let most = u64::from(lot.groups) * criteria.classes().count() as u64;
    let mut best: Option<(u64, Decomposition)> = None;
    for _ in 0..COMPOSITIONS {
        let line = match alike {
            KeptTogether::Values => pack_at_random(&runs, lot.groups, order, coins),
            KeptTogether::Classes(number) => {
                let classes = criteria.classes().nth(number)?;
                by_class(&runs, classes, |classes| {
                    pack_at_random(classes, lot.groups, None, coins)
                })
            }
        };
        let found = Decomposition::of_line(line, lot.groups, &may_meet);
        if !budget.every_choice_holds(&found, criteria) {
            continue;
        }
        let mixed = are_mixed(&found, criteria);
        if best.as_ref().is_none_or(|(before, _)| mixed > *before) {
            best = Some((mixed, found));
        }
        if mixed == most {
            break;
        }
    }
    best.map(|(_, found)| found)
}

/// The values that were kept together when values were put into columns.
#[derive(Debug, Clone, Copy)]
enum KeptTogether {
    /// Nothing.
    Values,
    /// Values of a class, of one of the model's classifications.
    Classes(usize),
}

/// The decomposition in one lot, and how values were put together where several share a
/// column.
fn whole(
    histogram: &Histogram,
    criteria: &Criteria,
    order: Option<&[u32]>,
) -> Option<(Decomposition, Option<KeptTogether>)> {
    let most_groups = histogram.rows() / criteria.least_size();
    let columns = in_columns(histogram, criteria, order);
    let is_best = |found: &Decomposition| {
        found.groups() == most_groups && criteria.classes().next().is_none()
    };
    if let Some((found, alike)) = columns.as_ref().filter(|(found, _)| is_best(found)) {
        return Some((found.clone(), Some(*alike)));
    }
    let slots = in_slots(histogram, criteria)?;
    let worth = |found: &Decomposition| (found.groups(), are_mixed(found, criteria));
    let of_slots = (slots.groups(), mixed(&slots, criteria));
    match columns {
        Some((found, alike)) if worth(&found) >= of_slots => Some((found, Some(alike))),
        _ => {
            let found = Decomposition::of_signatures(&slots, histogram.counts());
            Some((found, None))
        }
    }
}

/// Several values per column, in the most groups found.
fn in_columns(
    histogram: &Histogram,
    criteria: &Criteria,
    order: Option<&[u32]>,
) -> Option<(Decomposition, KeptTogether)> {
    let runs = runs(histogram);
    let least = criteria.least_size();
    let sizes = (least..=least + SIZES).take_while(|&size| size <= histogram.rows());
    let of_size = |size: u32| {
        let groups = histogram.rows() / size;
        let may_meet = |run: &ValueRun| run.count > groups;
        let lines = std::iter::once((pack(&runs, groups, order), KeptTogether::Values));
        let classes = criteria.classes().enumerate();
        let lines = lines.chain(classes.map(|(number, classes)| {
            let line = by_class(&runs, classes, |classes| pack(classes, groups, None));
            (line, KeptTogether::Classes(number))
        }));
        let found =
            lines.map(|(line, alike)| (Decomposition::of_line(line, groups, &may_meet), alike));
        let found = found.filter(|(found, _)| every_choice_holds(found, criteria));
        found.max_by_key(|(found, _)| are_mixed(found, criteria))
    };
    sizes.into_iter().find_map(of_size)
}

/// Puts whole classes into columns, so that values of one class do not meet.
fn by_class(
    runs: &[ValueRun],
    classes: &[u32],
    pack: impl FnOnce(&[ValueRun]) -> Vec<ValueRun>,
) -> Vec<ValueRun> {
    let mut members: BTreeMap<u32, Vec<ValueRun>> = BTreeMap::new();
    for run in runs {
        members
            .entry(classes[run.value as usize])
            .or_default()
            .push(*run);
    }
    let total = |(&value, runs): (&u32, &Vec<ValueRun>)| ValueRun {
        value,
        count: runs.iter().map(|run| run.count).sum(),
    };
    let of_classes: Vec<ValueRun> = members.iter().map(total).collect();
    let packed = pack(&of_classes).into_iter();
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
