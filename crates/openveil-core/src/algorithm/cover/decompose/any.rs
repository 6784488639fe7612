//! Decomposition for any model that depends only on the values of a group.

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

/// If the mean group size exceeds its lower bound by more than this, in percent, the linear program
/// is tried as well.
const EXCESS: u64 = 5;

/// The number of group sizes that are tried with several values per column.
const SIZES: u32 = 16;

/// The number of random compositions of a lot that are tried.
const COMPOSITIONS: usize = 8;

/// The number of choices tried in all lots together before fewer lots are made.
const CHOICES_OF_LOTS: u64 = 400_000;

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
    let (found, _) = whole(histogram, criteria, order)?;
    Some(found)
}

/// Like [`decompose_any`], but in several lots if several values share a column: `lots` returns the
/// wanted number of lots for a number of groups. Each lot gets its part of every value, and its own
/// composition by coins. If no composition of a lot is found that satisfies the model, half as many
/// lots are tried, and so on down to one lot, which is [`decompose_any`] and tosses no coin.
///
/// The trials and the coins tossed depend on the histogram, the model and the declared order only.
/// `None` as for [`decompose_any`], and equally many groups.
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

/// Draws random compositions of a lot and returns one that satisfies the model: the first that
/// mixes classes in all groups, or else the one that does so in most.
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

/// Which values were kept together when values were put into columns.
#[derive(Debug, Clone, Copy)]
enum KeptTogether {
    /// None: each value by itself.
    Values,
    /// Values of a class, in this one of the model's classifications.
    Classes(usize),
}

/// The decomposition in one lot, and how values were kept together if several share a column.
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

/// Several values per column, in the largest number of groups found.
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

/// Puts whole classes into columns, so that a group never has two values of one class.
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
    let better = program::solve(histogram, criteria, &in_turn)
        .filter(|found| worth(found) > worth(&in_turn) && satisfies(found, criteria));
    Some(better.unwrap_or(in_turn))
}
