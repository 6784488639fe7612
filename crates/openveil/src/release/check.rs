//! The independent check: recounts a release before it is written.
//!
//! It shares no code with the algorithms or with the making of the release. It
//! reads the released content, the owner's table and the groups in the order of
//! the release, and refuses on any difference.

use super::{Cells, Release};
use crate::privacy::RatioDiversity;
use crate::table::{Groups, NotAPartition, QuasiIdentifier, Table};

/// What is wrong with a release. Groups are counted from 1, as published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// Some row is missing or stands in two groups.
    #[error(transparent)]
    NotAPartition(#[from] NotAPartition),
    /// The release has another number of groups or rows than it should.
    #[error("the release does not have the shape of its groups")]
    Shape,
    /// A group's published values are not those of its people.
    #[error("group {group} does not hold the sensitive values of its rows")]
    Values {
        /// The group.
        group: usize,
    },
    /// A published cell does not cover its people, or says more than it should.
    #[error("the cell of column `{column}` in group {group} does not describe its rows")]
    Cell {
        /// The group.
        group: usize,
        /// The column.
        column: String,
    },
    /// A group breaks the privacy model.
    #[error(
        "group {group} has {count} rows of one protected value among {size}, more than 1/{l} of them"
    )]
    Model {
        /// The group.
        group: usize,
        /// Rows of the value.
        count: u32,
        /// Rows of the group.
        size: u32,
        /// The bound.
        l: u32,
    },
    /// The whole table's values are not those of the input.
    #[error(
        "value number {value} stands in {released} released rows, but in {input} rows of the input"
    )]
    Multiset {
        /// Code of the value.
        value: u32,
        /// Rows released.
        released: u64,
        /// Rows of the input.
        input: u64,
    },
}

/// Recounts a release against the owner's table.
///
/// `membership` lists the input rows of each released group, in the release's
/// order. O(n · columns) time.
///
/// # Errors
/// The first [`Violation`] found.
pub fn release(
    release: &Release,
    table: &Table,
    membership: &Groups,
    model: RatioDiversity,
) -> Result<(), Violation> {
    membership.check_partition(table.rows())?;
    let sizes_agree = membership.len() == release.group_count()
        && membership
            .iter()
            .zip(release.group_sizes())
            .all(|(rows, size)| rows.len() == size as usize);
    if !sizes_agree
        || release.rows() != table.rows()
        || release.cells().len() != table.quasi_identifiers().len()
    {
        return Err(Violation::Shape);
    }
    check_values(release, table, membership, model)?;
    check_multiset(release, table)?;
    for (column, cells) in table.quasi_identifiers().iter().zip(release.cells()) {
        check_cells(release, column, cells, membership)?;
    }
    check_exact_rows(release, table, membership)
}

fn check_values(
    release: &Release,
    table: &Table,
    membership: &Groups,
    model: RatioDiversity,
) -> Result<(), Violation> {
    let exempt = table.sensitive().exempt();
    // Per value: rows of the input in the group, less rows released.
    let mut balance = vec![0i64; table.sensitive().values()];
    let mut count = vec![0u32; table.sensitive().values()];
    for (index, rows) in membership.iter().enumerate() {
        let (group, size) = (index + 1, rows.len() as u32);
        for &row in rows {
            balance[table.sensitive().codes()[row as usize] as usize] += 1;
        }
        for &value in release.values(index) {
            balance[value as usize] -= 1;
            count[value as usize] += 1;
        }
        let mut worst = 0;
        for &row in rows {
            let value = table.sensitive().codes()[row as usize] as usize;
            if balance[value] != 0 {
                return Err(Violation::Values { group });
            }
            if !exempt[value] {
                worst = worst.max(count[value]);
            }
        }
        for &value in release.values(index) {
            if balance[value as usize] != 0 {
                return Err(Violation::Values { group });
            }
            count[value as usize] = 0;
        }
        let l = model.l();
        if u64::from(worst.max(1)) * u64::from(l) > u64::from(size) {
            return Err(Violation::Model {
                group,
                count: worst,
                size,
                l,
            });
        }
    }
    Ok(())
}

fn check_multiset(release: &Release, table: &Table) -> Result<(), Violation> {
    let mut released = vec![0u64; table.sensitive().values()];
    let mut input = released.clone();
    for group in 0..release.group_count() {
        release
            .values(group)
            .iter()
            .for_each(|&value| released[value as usize] += 1);
    }
    table
        .sensitive()
        .codes()
        .iter()
        .for_each(|&value| input[value as usize] += 1);
    match (0..input.len()).find(|&value| released[value] != input[value]) {
        Some(value) => Err(Violation::Multiset {
            value: value as u32,
            released: released[value],
            input: input[value],
        }),
        None => Ok(()),
    }
}

/// Every generalised cell covers exactly what its rows need.
fn check_cells(
    release: &Release,
    column: &QuasiIdentifier,
    cells: &Cells,
    membership: &Groups,
) -> Result<(), Violation> {
    for (group, rows) in membership.iter().enumerate() {
        let mut codes: Vec<u32> = rows
            .iter()
            .map(|&row| column.codes()[row as usize])
            .collect();
        codes.sort_unstable();
        let (least, greatest) = (codes[0], codes[codes.len() - 1]);
        let describes = match cells {
            Cells::Intervals(bounds) => bounds[group] == (least, greatest),
            Cells::Nodes(nodes) => {
                let ((first, last), node) = nodes[group];
                let tree = column.domain().hierarchy();
                first <= least
                    && greatest <= last
                    && tree.is_some_and(|tree| tree.leaf_range(node) == (first, last))
            }
            Cells::Sets { .. } => {
                codes.dedup();
                cells.members(group) == codes
            }
            Cells::Exact(exact) => {
                let mut published = exact[release.group_rows(group)].to_vec();
                published.sort_unstable();
                published == codes
            }
        };
        if !describes {
            return Err(Violation::Cell {
                group: group + 1,
                column: column.name().to_owned(),
            });
        }
    }
    Ok(())
}

/// Exact rows must be people as a whole, not a mixture of their cells.
fn check_exact_rows(
    release: &Release,
    table: &Table,
    membership: &Groups,
) -> Result<(), Violation> {
    let exact: Vec<&[u32]> = release
        .cells()
        .iter()
        .filter_map(|cells| match cells {
            Cells::Exact(codes) => Some(&codes[..]),
            _ => None,
        })
        .collect();
    if exact.is_empty() || exact.len() != table.quasi_identifiers().len() {
        return Ok(());
    }
    for (group, rows) in membership.iter().enumerate() {
        let person = |row: &u32| -> Vec<u32> {
            table
                .quasi_identifiers()
                .iter()
                .map(|c| c.codes()[*row as usize])
                .collect()
        };
        let mut people: Vec<Vec<u32>> = rows.iter().map(person).collect();
        let published = release.group_rows(group);
        let mut released: Vec<Vec<u32>> = published
            .map(|row| exact.iter().map(|codes| codes[row]).collect())
            .collect();
        people.sort_unstable();
        released.sort_unstable();
        if people != released {
            let column = table.quasi_identifiers()[0].name().to_owned();
            return Err(Violation::Cell {
                group: group + 1,
                column,
            });
        }
    }
    Ok(())
}
