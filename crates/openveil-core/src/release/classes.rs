//! Classes: the rows of a group that are shown alike.
//!
//! A group is divided by its known columns alone, without a coin and without a look at a value, so
//! classes are a function of groups that are published anyway and disclose nothing that groups
//! with exact known columns would not. Rows that agree on all known columns stay together.

use crate::table::{Column, Groups, View};
use rayon::prelude::*;
use std::ops::Range;

/// The fewest rows of a class by default.
pub const CLASS_SIZE: u32 = 4;

/// Where classes end. Every group consists of whole classes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Division {
    /// The rows up to the end of each class.
    pub(super) ends: Vec<u32>,
    /// The classes up to the end of each group.
    pub(super) of_groups: Vec<u32>,
}

impl Division {
    /// The classes that end at these rows, in groups that end at these rows; `None` if a group does
    /// not consist of whole classes. O(classes).
    pub(super) fn new(ends: Vec<u32>, groups: &[u32]) -> Option<Self> {
        let ascending = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first() != Some(&0);
        let class_of = |end: &u32| ends.binary_search(end).ok().map(|class| class as u32 + 1);
        let of_groups: Vec<u32> = groups.iter().map(class_of).collect::<Option<_>>()?;
        let is_all = of_groups.last().map_or(0, |&last| last as usize) == ends.len();
        (ascending && is_all).then_some(Self { ends, of_groups })
    }
}

/// Divides groups into classes of at least `least` rows, as many as possible by cuts at boundaries
/// between values. Returns the classes in the order of the groups. A group of fewer rows is one
/// class. O(n · columns · log² size of groups).
pub(super) fn divided(table: &View, groups: &Groups, least: usize) -> Groups {
    let axes: Vec<ClassAxis<'_>> = table.known().par_iter().map(ClassAxis::new).collect();
    let blocks = groups.len().div_ceil(super::BLOCK);
    let block = |number: usize| {
        let start = number * super::BLOCK;
        let part = groups.part(start..(start + super::BLOCK).min(groups.len()));
        let mut divider = Divider {
            axes: &axes,
            least: least.max(1),
            codes: axes.iter().map(|axis| part.codes(axis.column.codes())).collect(),
            order: Vec::new(),
            spare: Vec::new(),
            classes: Groups::with_capacity(part.rows().len(), part.len()),
        };
        for place in part.places() {
            divider.divide(place, part.rows());
        }
        divider.classes
    };
    let parts: Vec<Groups> = (0..blocks).into_par_iter().map(block).collect();
    let mut all = Groups::with_capacity(0, 0);
    parts.into_iter().for_each(|part| all.append(part));
    all
}

/// A known column, and where its codes lie among all rows.
struct ClassAxis<'a> {
    column: &'a Column,
    /// The position of each code: the mean rank of its rows as a share of all, times the column's
    /// weight.
    positions: Vec<f32>,
}

impl<'a> ClassAxis<'a> {
    fn new(column: &'a Column) -> Self {
        let mut counts = vec![0u32; column.domain().len()];
        column.codes().iter().for_each(|&code| counts[code as usize] += 1);
        let (mut before, rows) = (0u64, column.codes().len().max(1) as f64);
        Self {
            column,
            positions: counts
                .iter()
                .map(|&count| {
                    let middle = before as f64 + f64::from(count) / 2.0;
                    before += u64::from(count);
                    (f64::from(column.weight()) * middle / rows) as f32
                })
                .collect(),
        }
    }
}

/// Divides one group after the other.
struct Divider<'a> {
    axes: &'a [ClassAxis<'a>],
    least: usize,
    /// The codes of the block's rows, by column.
    codes: Vec<Vec<u32>>,
    /// The group's rows, by their number in the block.
    order: Vec<u32>,
    spare: Vec<(f32, usize)>,
    classes: Groups,
}

impl Divider<'_> {
    /// Divides the group at this place among the block's rows.
    fn divide(&mut self, place: Range<usize>, rows: &[u32]) {
        if place.len() < 2 * self.least || self.axes.is_empty() {
            self.classes.push(rows[place].iter().copied());
            return;
        }
        let size = place.len();
        self.order.clear();
        self.order.extend(place.start as u32..place.end as u32);
        self.cut(0..size, rows);
    }

    fn cut(&mut self, part: Range<usize>, rows: &[u32]) {
        match self.place(&part) {
            Some(at) => {
                self.cut(part.start..at, rows);
                self.cut(at..part.end, rows);
            }
            None => {
                let own = self.order[part].iter();
                self.classes.push(own.map(|&number| rows[number as usize]));
            }
        }
    }

    /// Puts the rows of a part into the order of the widest column that can be cut, and returns
    /// the boundary nearest to the middle that leaves enough rows on both sides.
    fn place(&mut self, part: &Range<usize>) -> Option<usize> {
        if part.len() < 2 * self.least {
            return None;
        }
        let codes = &self.codes;
        let own = &mut self.order[part.clone()];
        let code = |row: u32, axis: usize| codes[axis][row as usize];
        self.spare.clear();
        for axis in 0..self.axes.len() {
            let own = own.iter().map(|&row| code(row, axis));
            let (low, high) =
                own.fold((u32::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
            let at = |code: u32| self.axes[axis].positions[code as usize];
            if low < high {
                self.spare.push((at(high) - at(low), axis));
            }
        }
        self.spare.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.spare.iter().find_map(|&(_, axis)| {
            own.sort_by_key(|&row| code(row, axis));
            let middle = own.len() / 2;
            let is_boundary = |&at: &usize| code(own[at - 1], axis) != code(own[at], axis);
            let steps = 0..=middle - self.least.min(middle);
            let places = steps.flat_map(|steps| [middle - steps, middle + steps]);
            let allowed = self.least..=own.len() - self.least;
            places.filter(|at| allowed.contains(at)).find(is_boundary).map(|at| part.start + at)
        })
    }
}
