//! Makes the content of groups, block by block: rows are fetched once, divided into classes, and
//! shown as cells while they are near.

use super::cells::{self, Cells};
use super::classes::{ClassAxis, Division, divided};
use super::packed::PackedRows;
use super::{CellForm, Content, Style};
use crate::table::{Groups, View};
use rayon::prelude::*;
use std::num::NonZeroU32;
use std::ops::Range;

/// The number of groups whose content one thread makes before it takes others.
const BLOCK: usize = 1 << 14;

/// The number of blocks whose content is made before it is appended.
const BLOCKS: usize = 64;

/// Data that all blocks share.
pub(super) struct Draft<'a> {
    table: &'a View,
    style: Style,
    /// The fewest rows of a class, and the axes by which groups are divided; none if they are not.
    classes: Option<(usize, Vec<ClassAxis>)>,
    /// The known columns, the columns for analysis, and the secret.
    rows: PackedRows<'a>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(table: &'a View, least: Option<NonZeroU32>, style: Style) -> Self {
        let secret = table.secret();
        let columns = table.known().iter().chain(table.other());
        let columns = columns.map(|column| (column.codes(), column.domain().len()));
        let axes = || table.known().par_iter().map(ClassAxis::new).collect();
        Self {
            table,
            style,
            classes: least.map(|least| (least.get() as usize, axes())),
            rows: PackedRows::new(columns.chain([(secret.codes(), secret.values())])),
        }
    }

    /// The content of groups, in their order, and the groups with their rows in the order of
    /// classes.
    pub(super) fn of_groups(&self, groups: &Groups) -> (Content, Groups) {
        let starts: Vec<usize> = (0..groups.len()).step_by(BLOCK).collect();
        let (mut content, mut members) = self.of_block(groups, 0..0);
        for starts in starts.chunks(BLOCKS) {
            let block =
                |&start: &usize| self.of_block(groups, start..(start + BLOCK).min(groups.len()));
            let blocks: Vec<(Content, Groups)> = starts.par_iter().map(block).collect();
            for (own, own_members) in blocks {
                content.append(own);
                members.append(own_members);
            }
        }
        (content, members.with_unrefused(groups.unrefused()))
    }

    fn of_block(&self, groups: &Groups, block: Range<usize>) -> (Content, Groups) {
        let rows = groups.rows_of(block.clone());
        let end = |end: &mut u32, group: usize| {
            *end += groups.get(group).len() as u32;
            Some(*end)
        };
        let ends: Vec<u32> = block.scan(0, end).collect();
        let mut codes = self.rows.codes(rows);
        let mut values = codes.pop().expect("the secret is a column");
        cells::places(&ends).for_each(|place| values[place].sort_unstable());
        let Some((least, axes)) = &self.classes else {
            let (cells, others) = self.cells(codes, &ends);
            let members = Groups::of_ends(rows.to_vec(), ends.clone());
            return (Content { ends, division: None, values, cells, others }, members);
        };
        let known = &codes[..axes.len()];
        let (order, class_ends) = divided(axes, *least, known, cells::places(&ends));
        for codes in &mut codes {
            *codes = order.iter().map(|&row| codes[row as usize]).collect();
        }
        let (cells, others) = self.cells(codes, &class_ends);
        let in_order = order.iter().map(|&row| rows[row as usize]).collect();
        let classes = Groups::of_ends(in_order, class_ends.clone());
        let division = Division::new(class_ends, &ends);
        Content { ends, division, values, cells, others }.with_settled_classes(&classes)
    }

    /// The cells of each known column and of each column for analysis, from the codes of all rows by
    /// column.
    fn cells(&self, mut codes: Vec<Vec<u32>>, class_ends: &[u32]) -> (Vec<Cells>, Vec<Cells>) {
        let others = codes.split_off(self.table.known().len());
        let known = || self.table.known().iter().map(|column| self.style.way(column));
        let (mut intact, mut separate) = (Vec::new(), Vec::new());
        for (way, codes) in known().zip(codes) {
            if way == CellForm::Rows { intact.push(codes) } else { separate.push(codes) }
        }
        let mut exact = cells::exact(&intact, class_ends).into_iter();
        let mut separate = separate.into_iter();
        let mut cells = |(column, way): (_, CellForm)| match way {
            CellForm::Rows => exact.next(),
            CellForm::Range => Some(Cells::generalized(column, separate.next()?, class_ends)),
            CellForm::Values => Some(Cells::sliced(separate.next()?, class_ends)),
        };
        (
            self.table.known().iter().zip(known()).filter_map(&mut cells).collect(),
            others.into_iter().map(|codes| Cells::sliced(codes, class_ends)).collect(),
        )
    }
}

impl Content {
    /// Adds the content of other groups.
    fn append(&mut self, other: Self) {
        if self.division.is_some() || other.division.is_some() {
            let whole = Division::of_whole_groups;
            let own = self.division.get_or_insert_with(|| whole(&self.ends));
            own.append(other.division.unwrap_or_else(|| whole(&other.ends)));
        }
        let rows = self.values.len() as u32;
        self.ends.extend(other.ends.into_iter().map(|end| rows + end));
        self.values.extend(other.values);
        let cells = self.cells.iter_mut().chain(&mut self.others);
        let others = other.cells.into_iter().chain(other.others);
        cells.zip(others).for_each(|(cells, others)| cells.append(others));
    }

    /// Puts the classes of each group into the order of their content, and joins classes of a group
    /// whose rows nobody could tell apart. Also returns the groups with their rows in that order.
    fn with_settled_classes(self, classes: &Groups) -> (Self, Groups) {
        let compare = |&a: &u32, &b: &u32| self.compare_classes(a as usize, b as usize);
        let joins = !self.numbers_classes();
        let (mut rows, mut shown) = (0, Vec::with_capacity(classes.len()));
        let mut ends = Vec::with_capacity(classes.len());
        let mut members = Groups::with_capacity(self.rows(), self.group_count());
        let mut own: Vec<u32> = Vec::new();
        for group in 0..self.group_count() {
            own.clear();
            own.extend(self.classes(group).map(|class| class as u32));
            own.sort_by(compare);
            for (place, class) in own.iter().enumerate() {
                rows += classes.get(*class as usize).len() as u32;
                let is_joined = place > 0
                    && joins
                    && shown.last().is_some_and(|last| compare(last, class).is_eq());
                if is_joined {
                    ends.pop();
                } else {
                    shown.push(*class);
                }
                ends.push(rows);
            }
            members.push_joined(own.iter().map(|&class| classes.get(class as usize)));
        }
        let reordered =
            |cells: &Cells| cells.reordered(&shown, |class: u32| self.class_rows(class as usize));
        let cells = self.cells.iter().map(reordered).collect();
        let others = self.others.iter().map(reordered).collect();
        let division = (ends != self.ends).then(|| Division::new(ends, &self.ends)).flatten();
        (Self { cells, others, division, ..self }, members)
    }
}
