//! The independent check: recounts a release before it is written.
//!
//! It shares no code with the algorithms or with the code that makes the release. It reads the
//! released content, the owner's table and the groups in the order of the release, and refuses the
//! release on any difference. Its inputs from the release are plain arrays; it compares sensitive
//! values by their text, not their codes.

mod cells;
pub(crate) mod definitions;
mod strata;
mod values;

use super::{Cells, Content, Style};
use crate::model::Model;
use crate::table::{Column, Form, Groups, NotAPartition, View};
use cells::{check_cells, check_people};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use values::CheckedValues;

/// A fault in a release. Groups are counted from 1, as published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A row is missing or is in two groups.
    #[error(transparent)]
    NotAPartition(#[from] NotAPartition),
    /// The release has the wrong number of groups or rows, or the wrong style.
    #[error("the release does not have the shape of its groups")]
    Shape,
    /// A group's published values differ from the values of its people.
    #[error("group {group} does not contain the sensitive values of its rows")]
    Values {
        /// The group.
        group: usize,
    },
    /// A published cell does not cover its people, or covers more than it should.
    #[error("the cell of column `{column}` in group {group} does not describe its rows")]
    Cell {
        /// The group.
        group: usize,
        /// The column.
        column: String,
    },
    /// A group has people of several strata.
    #[error("group {group} has people who differ in `{column}`, which fixes strata")]
    Strata {
        /// The group.
        group: usize,
        /// The column.
        column: String,
    },
    /// Groups, or rows inside a group, are not in the order of their content.
    #[error(
        "group {group} is not at the place, or not in the order, that follows from its content"
    )]
    Order {
        /// The group.
        group: usize,
    },
    /// A class has fewer rows than it must.
    #[error("a class of group {group} has {rows} rows, fewer than {least}")]
    Class {
        /// The group.
        group: usize,
        /// Rows of the class.
        rows: usize,
        /// The fewest rows that a class may have.
        least: u32,
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
    /// A group breaks a requirement of the privacy model.
    #[error("group {group} does not satisfy {requirement}")]
    Requirement {
        /// The group.
        group: usize,
        /// The requirement with its parameters.
        requirement: String,
    },
    /// The values of the whole release differ from the values of the input.
    #[error("a value stands in {released} released rows, but in {input} rows of the input")]
    Multiset {
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
    release: &Content,
    table: &View,
    membership: &Groups,
    model: &Model,
    style: Style,
) -> Result<(), Violation> {
    let values = CheckedValues::new(table.secret());
    check_content(release, table, membership, style, &values)?;
    for groups in strata::groups(table, membership)? {
        let held = groups.iter().flat_map(|&group| release.values(group));
        let held = values.count(held);
        values.check_model(release, table.secret(), &groups, model, &held)?;
    }
    Ok(())
}

/// Recounts one part of a release: the model is compared with all values of each stratum, whose
/// counts are in `whole` ([`View::counted`]). The caller must verify that the parts together are
/// the table. O(n · columns + strata · values) time.
///
/// # Errors
/// The first [`Violation`] found.
pub fn part(
    release: &Content,
    table: &View,
    membership: &Groups,
    model: &Model,
    style: Style,
    whole: &View,
) -> Result<(), Violation> {
    let values = CheckedValues::new(table.secret());
    check_content(release, table, membership, style, &values)?;
    for groups in strata::groups(table, membership)? {
        let held =
            strata::histogram(whole, table, membership.get(groups[0])).ok_or(Violation::Shape)?;
        values.check_model(release, table.secret(), &groups, model, &values.held(&held))?;
    }
    Ok(())
}

/// Checks that every class has at least `least` rows, or is a whole group. O(classes).
///
/// # Errors
/// [`Violation::Class`] for the first class that has fewer.
pub fn classes(release: &Content, least: u32) -> Result<(), Violation> {
    for group in 0..release.group_count() {
        let classes = release.classes(group);
        if classes.len() == 1 {
            continue;
        }
        let sizes = classes.map(|class| release.class_rows(class).len());
        if let Some(rows) = sizes.min().filter(|&rows| rows < least as usize) {
            return Err(Violation::Class { group: group + 1, rows, least });
        }
    }
    Ok(())
}

/// The fewest groups that one thread checks before it takes others.
const BLOCK: usize = 4_096;

/// The most blocks: counts by value start anew in each block.
const BLOCKS: usize = 64;

/// Checks all groups, with blocks in parallel.
///
/// # Errors
/// The [`Violation`] of the first block with one.
fn each_block(
    groups: Range<usize>,
    check: impl Fn(Range<usize>) -> Result<(), Violation> + Sync,
) -> Result<(), Violation> {
    let size = groups.len().div_ceil(BLOCKS).max(BLOCK);
    (0..groups.len().div_ceil(size))
        .into_par_iter()
        .map(|number: usize| {
            let start = groups.start + number * size;
            check(start..(start + size).min(groups.end))
        })
        .find_first(Result::is_err)
        .unwrap_or(Ok(()))
}

/// Checks that a release publishes of a table's groups exactly what its style asks for.
fn check_content(
    release: &Content,
    table: &View,
    membership: &Groups,
    style: Style,
    values: &CheckedValues,
) -> Result<(), Violation> {
    membership.check_partition(table.rows())?;
    check_shape(release, table, membership, style)?;
    values.check_groups(release, table, membership)?;
    values.check_multiset(release, table)?;
    let known = table.known().par_iter().zip(release.cells());
    let others = table.other().par_iter().zip(release.others());
    known
        .chain(others)
        .try_for_each(|(column, cells)| check_cells(release, column, cells, membership))?;
    check_people(release, table, membership)?;
    check_order(release)
}

fn check_shape(
    release: &Content,
    table: &View,
    membership: &Groups,
    style: Style,
) -> Result<(), Violation> {
    let groups = release.class_count();
    let ends_of = |count: usize, rows: &dyn Fn(usize) -> Range<usize>| -> Vec<usize> {
        (0..count).map(|number| rows(number).end).collect()
    };
    let class_ends = ends_of(groups, &|class| release.class_rows(class));
    let group_ends = ends_of(release.group_count(), &|group| release.group_rows(group));
    // Classes follow each other, and every group is some of them.
    let are_divided = (class_ends.windows(2).all(|pair| pair[0] < pair[1]))
        && class_ends.first() != Some(&0)
        && group_ends.last() == class_ends.last()
        && group_ends.iter().enumerate().all(|(group, end)| {
            let classes = release.classes(group);
            !classes.is_empty() && class_ends.get(classes.end - 1) == Some(end)
        });
    let fits = |column: &Column, cells: &Cells| match cells {
        Cells::Intervals(bounds) => is_range(column, style) && bounds.len() == groups,
        Cells::Nodes { ends, nodes } => is_range(column, style) && cuts(ends, groups, nodes.len()),
        Cells::Sets { ends, members } => {
            is_range(column, style) && cuts(ends, groups, members.len())
        }
        Cells::Exact(codes) => {
            !is_range(column, style) && style == Style::Anatomy && are_codes(table, column, codes)
        }
        Cells::Sliced(codes) => {
            !is_range(column, style) && style != Style::Anatomy && are_codes(table, column, codes)
        }
    };
    let all_fit = |columns: &[Column], cells: &[Cells], fits: &dyn Fn(&Column, &Cells) -> bool| {
        let mut pairs = columns.iter().zip(cells);
        columns.len() == cells.len() && pairs.all(|(column, cells)| fits(column, cells))
    };
    let known = table.secret().values() as u32;
    let sizes = membership.iter().map(|rows| rows.len() as u32);
    let right = are_divided
        && release.rows() == table.rows()
        && release.group_sizes().eq(sizes)
        && release.row_values().iter().all(|&value| value < known)
        && all_fit(table.known(), release.cells(), &fits)
        && all_fit(table.other(), release.others(), &|column, cells| match cells {
            Cells::Sliced(codes) => are_codes(table, column, codes),
            _ => false,
        });
    if right { Ok(()) } else { Err(Violation::Shape) }
}

/// Whether a known column must show one cell per group.
fn is_range(column: &Column, style: Style) -> bool {
    match column.form() {
        Some(form) => form != Form::Values,
        None => style == Style::Generalize,
    }
}

/// Whether a list of lists has one list for each group and its last list ends at the number of
/// parts.
fn cuts(ends: &[u32], groups: usize, parts: usize) -> bool {
    let ascends = ends.windows(2).all(|pair| pair[0] < pair[1]);
    ends.len() == groups
        && ascends
        && ends.first() != Some(&0)
        && ends.last() == Some(&(parts as u32))
}

/// Whether there is one code of a column per row.
fn are_codes(table: &View, column: &Column, codes: &[u32]) -> bool {
    let values = column.domain().len() as u32;
    codes.len() == table.rows() && codes.iter().all(|&code| code < values)
}

/// Checks that values ascend inside a group, and that groups are sorted by their
/// released content, so that no order discloses more than the content.
fn check_order(release: &Content) -> Result<(), Violation> {
    each_block(0..release.group_count(), |groups| {
        for group in groups {
            let classes = release.classes(group);
            let pairs = classes.clone().skip(1);
            let in_order =
                |class: usize| compare_classes(release, class - 1, class) != Ordering::Greater;
            let ascending = release.values(group).is_sorted() && pairs.into_iter().all(in_order);
            let placed = group == 0 || compare(release, group - 1, group) != Ordering::Greater;
            if !ascending || !placed {
                return Err(Violation::Order { group: group + 1 });
            }
        }
        Ok(())
    })
}

fn compare(release: &Content, a: usize, b: usize) -> Ordering {
    let (own, others) = (release.classes(a), release.classes(b));
    let mut pairs = own.clone().zip(others.clone());
    let first =
        pairs.find_map(|(a, b)| Some(compare_classes(release, a, b)).filter(|order| order.is_ne()));
    first
        .unwrap_or_else(|| own.len().cmp(&others.len()))
        .then_with(|| release.values(a).cmp(release.values(b)))
}

fn compare_classes(release: &Content, a: usize, b: usize) -> Ordering {
    release
        .cells()
        .iter()
        .chain(release.others())
        .map(|cells| match cells {
            Cells::Intervals(bounds) => bounds[a].cmp(&bounds[b]),
            Cells::Nodes { .. } => cells.nodes(a).cmp(cells.nodes(b)),
            Cells::Sets { .. } => cells.members(a).cmp(cells.members(b)),
            Cells::Exact(codes) | Cells::Sliced(codes) => {
                codes[release.class_rows(a)].cmp(&codes[release.class_rows(b)])
            }
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
