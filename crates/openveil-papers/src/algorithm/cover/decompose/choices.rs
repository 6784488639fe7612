//! Whether every choice of one value per column satisfies a model.

use super::{Decomposition, Unit};
use openveil_core::model::{CountBuffer, Criteria};
use std::collections::BTreeSet;

/// Units with more choices are assumed not to satisfy the model, unless one choice represents all.
const CHOICES: u64 = 20_000;

/// Whether, in every unit, every choice of one value per column satisfies the model. Then all
/// groups that take one row from each column satisfy it.
///
/// If no value lies in two columns and the model treats all values alike, one choice represents
/// all. Otherwise all choices are tried, up to 20,000 in a unit.
pub(super) fn every_choice_holds(found: &Decomposition, criteria: &Criteria) -> bool {
    found.units().iter().all(|unit| holds_in(found, unit, criteria))
}

fn holds_in(found: &Decomposition, unit: &Unit, criteria: &Criteria) -> bool {
    let codes = |column: Vec<(u32, u32)>| column.into_iter().map(|(value, _)| value).collect();
    let columns: Vec<Vec<u32>> = found.all_values(unit).into_iter().map(codes).collect();
    let mut tally = CountBuffer::default();
    if criteria.treats_values_alike() && are_disjoint(&columns) {
        let first = columns.iter().map(|values| values[0]);
        return criteria.hold_on_group(&tally.of_codes(first));
    }
    let choices = columns.iter().map(|values| values.len() as u64).fold(1u64, u64::saturating_mul);
    if choices > CHOICES {
        return false;
    }
    (0..choices).all(|choice| {
        let mut left = choice;
        let chosen = columns.iter().map(|values| {
            let value = values[(left % values.len() as u64) as usize];
            left /= values.len() as u64;
            value
        });
        criteria.hold_on_group(&tally.of_codes(chosen))
    })
}

/// How many groups certainly mix values of several classes, summed over all classifications that
/// the model knows. A group certainly does if its unit has two columns that share no class.
pub(super) fn are_mixed(found: &Decomposition, criteria: &Criteria) -> u64 {
    let in_classes = |classes: &[u32]| -> u64 {
        let of_column = |unit: &Unit, column: usize| -> BTreeSet<u32> {
            found
                .values(unit, column)
                .into_iter()
                .map(|(value, _)| classes[value as usize])
                .collect()
        };
        found
            .units()
            .iter()
            .filter(|unit| {
                let columns = 0..unit.columns.len();
                let columns: Vec<_> = columns.map(|column| of_column(unit, column)).collect();
                columns
                    .iter()
                    .enumerate()
                    .any(|(at, one)| columns[at + 1..].iter().any(|other| one.is_disjoint(other)))
            })
            .map(|unit| u64::from(unit.groups))
            .sum()
    };
    criteria.classes().map(in_classes).sum()
}

fn are_disjoint(columns: &[Vec<u32>]) -> bool {
    let mut all = columns.concat();
    all.sort_unstable();
    all.windows(2).all(|pair| pair[0] != pair[1])
}
