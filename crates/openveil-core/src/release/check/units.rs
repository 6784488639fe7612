//! Checks that the published columns of values are true of the groups.

use super::{Violation, each_block};
use crate::model::{Model, Requirement};
use crate::release::Content;
use crate::table::{Secret, UnitLayout};

/// Checks that every group of a unit with columns has one value from each of them. Values have
/// codes below `values`.
///
/// O(n) if no value lies in two columns of a unit, otherwise O(n · size of groups²).
///
/// # Errors
/// [`Violation::Columns`] for the first group that does not, [`Violation::Shape`] for units that do
/// not hold all groups or whose columns are not sets of codes.
pub fn layout(release: &Content, values: usize) -> Result<(), Violation> {
    let units = release.units();
    let groups: u64 = units.iter().map(|unit| u64::from(unit.groups())).sum();
    if !units.is_empty() && groups != release.group_count() as u64 {
        return Err(Violation::Shape);
    }
    let mut group = 0;
    for unit in units {
        if unit.groups() == 0 || !are_columns(unit, values) {
            return Err(Violation::Shape);
        }
        let groups = group..group + unit.groups() as usize;
        group = groups.end;
        if unit.columns().is_empty() {
            continue;
        }
        let columns_of = columns_of(unit, values);
        each_block(groups, |groups| {
            let mut matching = Matching::default();
            let mut fits = |values: &[u32]| {
                values.len() == unit.columns().len() && matching.takes_one_each(values, &columns_of)
            };
            for group in groups {
                if !fits(release.values(group)) {
                    return Err(Violation::Columns { group: group + 1 });
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Checks that units satisfy [`layout`] and are in the order of their columns, and that no
/// protected value lies in too many of a unit's columns.
pub(super) fn check_units(
    release: &Content,
    secret: &Secret,
    model: &Model,
) -> Result<(), Violation> {
    let units = release.units();
    let ascend = units
        .windows(2)
        .all(|pair| pair[0].columns() < pair[1].columns());
    let says_something = units.iter().any(|unit| !unit.columns().is_empty());
    if !(units.is_empty() || says_something && ascend) {
        return Err(Violation::Shape);
    }
    layout(release, secret.values())?;
    let mut group = 0;
    for unit in units {
        let columns_of = columns_of(unit, secret.values());
        let is_protected = |value: usize| !secret.exempt()[value];
        // By the ratio, a value in c columns may fill c places of a group.
        let ratios = model.requirements().iter().filter_map(|own| match own {
            Requirement::Ratio(ratio) => Some(ratio.l() as usize),
            _ => None,
        });
        let l = ratios.max().unwrap_or(0);
        let is_too_often = |value: usize| {
            is_protected(value) && columns_of[value].len() * l > unit.columns().len()
        };
        if secret.members().is_none() && (0..columns_of.len()).any(is_too_often) {
            return Err(Violation::Columns { group: group + 1 });
        }
        group += unit.groups() as usize;
    }
    Ok(())
}

/// The positions at which the groups of another unit begin, including the first unit.
pub(super) fn starts(release: &Content) -> Vec<usize> {
    let mut next = 0;
    let starts = release.units().iter().map(|unit| {
        let start = next;
        next += unit.groups() as usize;
        start
    });
    starts.collect()
}

/// Whether columns are ascending sets of codes, at least one of which has several codes.
fn are_columns(unit: &UnitLayout, domain: usize) -> bool {
    let columns = unit.columns();
    let is_column = |column: &Vec<u32>| {
        let ascends = column.windows(2).all(|pair| pair[0] < pair[1]);
        ascends && column.last().is_some_and(|&last| (last as usize) < domain)
    };
    columns.is_empty()
        || columns.iter().all(is_column)
            && columns.is_sorted()
            && columns.iter().any(|column| column.len() > 1)
}

/// The columns that each value lies in.
fn columns_of(unit: &UnitLayout, domain: usize) -> Vec<Vec<usize>> {
    let mut of = vec![Vec::new(); if unit.columns().is_empty() { 0 } else { domain }];
    for (number, column) in unit.columns().iter().enumerate() {
        for &value in column {
            of[value as usize].push(number);
        }
    }
    of
}

/// Finds a separate column for each value of a group.
#[derive(Default)]
struct Matching {
    /// The place of the value that was given each column.
    taken_by: Vec<Option<usize>>,
    /// The last search that reached each column, and the current search.
    tried: Vec<u32>,
    search: u32,
}

impl Matching {
    /// Whether values can be matched one to one with the columns, of which there are equally many:
    /// a perfect matching.
    fn takes_one_each(&mut self, values: &[u32], columns_of: &[Vec<usize>]) -> bool {
        self.taken_by.clear();
        self.taken_by.resize(values.len(), None);
        self.tried.clear();
        self.tried.resize(values.len(), 0);
        self.search = 0;
        (0..values.len()).all(|place| {
            self.search += 1;
            self.finds(place, values, columns_of)
        })
    }

    /// Gives a value a column, moving others if necessary.
    fn finds(&mut self, place: usize, values: &[u32], columns_of: &[Vec<usize>]) -> bool {
        for &column in &columns_of[values[place] as usize] {
            if self.tried[column] == self.search {
                continue;
            }
            self.tried[column] = self.search;
            let is_free = match self.taken_by[column] {
                None => true,
                Some(other) => self.finds(other, values, columns_of),
            };
            if is_free {
                self.taken_by[column] = Some(place);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_takes_one_value_of_every_column() {
        let unit = UnitLayout::new(1, vec![vec![0, 1], vec![1, 2], vec![3]]);
        let of = columns_of(&unit, 5);
        let mut matching = Matching::default();
        let mut takes = |values: &[u32], of: &[Vec<usize>]| matching.takes_one_each(values, of);
        assert!(takes(&[0, 1, 3], &of));
        assert!(takes(&[1, 1, 3], &of));
        assert!(takes(&[1, 2, 3], &of));
        assert!(!takes(&[0, 3, 3], &of));
        assert!(!takes(&[2, 2, 3], &of));
        assert!(!takes(&[0, 2, 4], &of));
    }
}
