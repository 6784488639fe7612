//! A published table in the form that the reader sees.

use crate::{RulesError, check_columns};
use openveil_core::table::{ColumnSet, Groups, PeopleTable};
use std::collections::BTreeMap;

/// How often each combination of values occurs.
pub(super) type Multiset = BTreeMap<Vec<u32>, u32>;

/// A published table: groups of rows, each with the multiset of its rows' known parts and the
/// multiset of their protected parts. It does not show which parts belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedTable {
    pub(super) known: ColumnSet,
    pub(super) secret: ColumnSet,
    pub(super) groups: Vec<(Multiset, Multiset)>,
}

impl PublishedTable {
    /// A table that is published unchanged, in an order that discloses nothing.
    ///
    /// # Errors
    /// [`RulesError::UnequalColumns`] if there is no such column.
    pub fn open(records: &PeopleTable, columns: ColumnSet) -> Result<Self, RulesError> {
        let all = Groups::from_labels(&vec![0; records.rows()], 1);
        Self::bucketised(records, columns, ColumnSet::EMPTY, &all)
    }

    /// A table of groups, with known parts and protected parts separated.
    ///
    /// # Errors
    /// [`RulesError::UnequalColumns`] if there is no such column, [`RulesError::BadGroups`] if the
    /// groups are not a partition of the rows.
    pub fn bucketised(
        records: &PeopleTable,
        known: ColumnSet,
        secret: ColumnSet,
        groups: &Groups,
    ) -> Result<Self, RulesError> {
        check_columns(records, known | secret)?;
        groups.check_partition(records.rows()).map_err(|_| RulesError::BadGroups)?;
        let count = |group: &[u32], columns| {
            let mut counts = Multiset::new();
            for &row in group {
                *counts.entry(records.tuple(row as usize, columns)).or_default() += 1;
            }
            counts
        };
        let groups = groups.iter();
        Ok(Self {
            known,
            secret,
            groups: groups.map(|g| (count(g, known), count(g, secret))).collect(),
        })
    }

    /// A table read from a release: per group the known parts of its rows, and the protected values
    /// with their counts. In a table that is published unchanged, all rows are one group and no
    /// column is protected.
    ///
    /// # Errors
    /// [`RulesError::BadGroups`] if a group's counts do not add up to its rows, or a part
    /// does not have one code per column.
    pub fn from_groups(
        known: ColumnSet,
        secret: ColumnSet,
        groups: impl IntoIterator<Item = (Vec<Vec<u32>>, Vec<(Vec<u32>, u32)>)>,
    ) -> Result<Self, RulesError> {
        let mut read = Vec::new();
        for (rows, values) in groups {
            let counted: u64 = values.iter().map(|(_, count)| u64::from(*count)).sum();
            let fits = rows.iter().all(|row| row.len() == known.len())
                && values.iter().all(|(value, _)| value.len() == secret.len())
                && (secret.is_empty() || counted == rows.len() as u64);
            if !fits {
                return Err(RulesError::BadGroups);
            }
            let (mut own, mut listed) = (Multiset::new(), Multiset::new());
            let count = rows.len() as u32;
            rows.into_iter().for_each(|row| *own.entry(row).or_default() += 1);
            if secret.is_empty() {
                listed.insert(Vec::new(), count);
            }
            for (value, count) in values {
                *listed.entry(value).or_default() += count;
            }
            read.push((own, listed));
        }
        Ok(Self { known, secret, groups: read })
    }

    /// The columns of the table.
    pub fn columns(&self) -> ColumnSet {
        self.known | self.secret
    }

    /// The table with only some of its columns.
    pub(super) fn projected(&self, columns: ColumnSet) -> Self {
        let project = |counts: &Multiset, from: ColumnSet| {
            let kept: Vec<bool> = from.iter().map(|column| columns.contains(column)).collect();
            let mut projected = Multiset::new();
            for (combination, count) in counts {
                let codes =
                    combination.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(code, _)| *code);
                *projected.entry(codes.collect()).or_default() += count;
            }
            projected
        };
        let groups = self.groups.iter();
        Self {
            known: self.known & columns,
            secret: self.secret & columns,
            groups: groups
                .map(|(known, secret)| (project(known, self.known), project(secret, self.secret)))
                .collect(),
        }
    }

    /// The number of ways to assign rows to the groups so that all multisets result. Counting stops
    /// at `enough`. `code(column, row)` is a row's code.
    pub(super) fn ways(
        &self,
        rows: usize,
        code: impl Fn(usize, usize) -> u32,
        enough: u128,
    ) -> u128 {
        let part = |row: usize, columns: ColumnSet| -> Vec<u32> {
            columns.iter().map(|column| code(column, row)).collect()
        };
        let parts: Vec<(Vec<u32>, Vec<u32>)> =
            (0..rows).map(|row| (part(row, self.known), part(row, self.secret))).collect();
        count_ways(&parts, &mut self.groups.clone(), enough)
    }
}

fn count_ways(
    rows: &[(Vec<u32>, Vec<u32>)],
    groups: &mut [(Multiset, Multiset)],
    enough: u128,
) -> u128 {
    let Some(((known, secret), rest)) = rows.split_first() else {
        return 1;
    };
    let mut ways = 0;
    for group in 0..groups.len() {
        let left = |counts: &Multiset, part: &[u32]| counts.get(part).is_some_and(|&left| left > 0);
        if !left(&groups[group].0, known) || !left(&groups[group].1, secret) {
            continue;
        }
        change(&mut groups[group], known, secret, -1);
        ways += count_ways(rest, groups, enough);
        change(&mut groups[group], known, secret, 1);
        if ways >= enough {
            break;
        }
    }
    ways
}

fn change(group: &mut (Multiset, Multiset), known: &[u32], secret: &[u32], by: i32) {
    for (counts, part) in [(&mut group.0, known), (&mut group.1, secret)] {
        if let Some(left) = counts.get_mut(part) {
            *left = left.wrapping_add_signed(by);
        }
    }
}
