//! The published content of a release.
//!
//! A [`Content`] holds only data that may be published. Groups are sorted by their released content
//! before they are numbered, and so are the rows inside a group. So neither order discloses
//! anything about the deal. If columns of values are published, groups of the same columns are
//! adjacent.

mod cells;
pub mod check;

pub use cells::{Cells, LeafRange, Spans};

use crate::table::{Column, Form, Groups, GroupsPart, UnitLayout, View};
use cells::CellForm;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// How known columns are published, unless a column has its own [`Form`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Every group shows an interval, labels of a hierarchy, or a set of values.
    Generalize,
    /// Exact values, with every column shuffled by itself inside the group (Li, Li, Zhang, Molloy
    /// 2012). Questions about one column are answered exactly, and no person's row stays intact.
    Slice,
    /// Exact quasi-identifiers with a group number; sensitive values in a
    /// second table, per group (the *anatomy* style).
    Anatomy,
}

impl Style {
    /// All styles, the default first.
    pub const ALL: [Self; 3] = [Self::Generalize, Self::Slice, Self::Anatomy];

    /// The name in policies and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generalize => "generalize",
            Self::Slice => "slice",
            Self::Anatomy => "anatomy",
        }
    }

    /// Whether a known column with this form, or without one, shows one cell per group.
    pub fn is_range(self, form: Option<Form>) -> bool {
        match form {
            Some(Form::Range | Form::Label) => true,
            Some(Form::Values) => false,
            None => self == Self::Generalize,
        }
    }

    /// How a known column is published.
    fn way(self, column: &Column) -> CellForm {
        if self.is_range(column.form()) {
            CellForm::Range
        } else if self == Self::Anatomy {
            CellForm::Rows
        } else {
            CellForm::Values
        }
    }
}

/// The published content of a table, by group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Content {
    /// Where each group's rows end.
    ends: Vec<u32>,
    /// One sensitive value per row, ascending inside a group.
    values: Vec<u32>,
    /// One entry per quasi-identifier.
    cells: Vec<Cells>,
    /// One entry per column for analysis: sliced, whatever the style.
    others: Vec<Cells>,
    /// The columns of values of groups, unit by unit; empty if none are published.
    units: Vec<UnitLayout>,
}

/// Publishes the groups of a table: the release, and the groups in the order in which the release
/// numbers them. The owner must keep the latter secret.
///
/// O(n log n) time.
pub fn publish(table: &View, groups: &Groups, style: Style) -> (Content, Groups) {
    let draft = Content::of_groups(table, groups, style);
    let first = |group: u32| draft.first_of(group as usize);
    let compare = |a, b| draft.compare_groups(a as usize, b as usize);
    let (order, units) = groups.order_by(first, compare);
    let order = &order;
    let (mut content, sorted) =
        rayon::join(move || draft.reordered(order), || groups.reordered(order));
    content.units.clone_from(&units);
    (content, sorted.with_units(units))
}

/// The number of groups whose content one thread makes before it takes others.
const BLOCK: usize = 1 << 14;

/// The number of blocks whose content is made before it is appended.
const BLOCKS: usize = 64;

impl Content {
    /// Builds a release that was read back from its parts: where each group's rows end, the
    /// sensitive value of every row, and one entry of cells per quasi-identifier. O(n log n).
    ///
    /// # Errors
    /// [`Violation::Shape`](check::Violation::Shape) if there is a group without
    /// rows, or one part is longer than another.
    pub fn from_parts(
        ends: Vec<u32>,
        mut values: Vec<u32>,
        mut cells: Vec<Cells>,
    ) -> Result<Self, check::Violation> {
        let ascending = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first() != Some(&0);
        let rows = ends.last().map_or(0, |&end| end as usize);
        let fits = |cells: &Cells| cells.fits(&ends);
        if !ascending || rows != values.len() || !cells.iter().all(fits) {
            return Err(check::Violation::Shape);
        }
        let mut start = 0;
        for &end in &ends {
            values[start..end as usize].sort_unstable();
            start = end as usize;
        }
        cells.iter_mut().for_each(|cells| cells.sort_slices(&ends));
        Ok(Self {
            ends,
            values,
            cells,
            others: Vec::new(),
            units: Vec::new(),
        })
    }

    /// Adds the columns of values that a release read back states for its groups: units in the
    /// order of groups.
    ///
    /// # Errors
    /// [`Violation::Shape`](check::Violation::Shape) if units do not hold all groups.
    pub fn with_units(mut self, units: Vec<UnitLayout>) -> Result<Self, check::Violation> {
        let groups: u64 = units.iter().map(|unit| u64::from(unit.groups())).sum();
        if !units.is_empty() && groups != self.group_count() as u64 {
            return Err(check::Violation::Shape);
        }
        self.units = units;
        Ok(self)
    }

    /// Adds the cells of columns for analysis that were read back.
    ///
    /// # Errors
    /// [`Violation::Shape`](check::Violation::Shape) if a column is not sliced, or has
    /// another number of rows.
    pub fn with_others(mut self, mut others: Vec<Cells>) -> Result<Self, check::Violation> {
        for cells in &mut others {
            if !matches!(cells, Cells::Sliced(_)) || !cells.fits(&self.ends) {
                return Err(check::Violation::Shape);
            }
            cells.sort_slices(&self.ends);
        }
        self.others = others;
        Ok(self)
    }

    /// Returns the release with only a part of every value: `part_of[value]`. It has no columns of
    /// values, because these consist of whole values. O(n log n).
    ///
    /// # Panics
    /// If a value has no part.
    #[must_use]
    pub fn of_part(&self, part_of: &[u32]) -> Self {
        let parts = self.values.iter().map(|&value| part_of[value as usize]);
        let mut values: Vec<u32> = parts.collect();
        for group in 0..self.group_count() {
            values[self.group_rows(group)].sort_unstable();
        }
        Self {
            values,
            units: Vec::new(),
            ..self.clone()
        }
    }

    /// Number of groups.
    pub fn group_count(&self) -> usize {
        self.ends.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len()
    }

    /// The positions of a group's rows in the release.
    pub fn group_rows(&self, group: usize) -> Range<usize> {
        cells::part(&self.ends, group)
    }

    /// The sensitive value of every row, in the release's order.
    pub fn row_values(&self) -> &[u32] {
        &self.values
    }

    /// The sensitive values of a group, ascending by code.
    pub fn values(&self, group: usize) -> &[u32] {
        &self.values[self.group_rows(group)]
    }

    /// The sensitive values of a group with their counts.
    pub fn value_counts(&self, group: usize) -> impl Iterator<Item = (u32, u32)> {
        let runs = self.values(group).chunk_by(|a, b| a == b);
        runs.map(|run| (run[0], run.len() as u32))
    }

    /// The published cells of each quasi-identifier.
    pub fn cells(&self) -> &[Cells] {
        &self.cells
    }

    /// The published cells of each column for analysis.
    pub fn others(&self) -> &[Cells] {
        &self.others
    }

    /// The columns of values that groups took their values from: units of consecutive groups, which
    /// together are all groups, in an order set by their columns. Empty if no column of any unit
    /// has several values, or groups were not made of columns.
    pub fn units(&self) -> &[UnitLayout] {
        &self.units
    }

    /// Sizes of all groups.
    pub fn group_sizes(&self) -> impl Iterator<Item = u32> {
        (0..self.group_count()).map(|group| self.group_rows(group).len() as u32)
    }

    fn of_groups(table: &View, groups: &Groups, style: Style) -> Self {
        let starts: Vec<usize> = (0..groups.len()).step_by(BLOCK).collect();
        let block = |&start: &usize| {
            let groups = groups.part(start..(start + BLOCK).min(groups.len()));
            Self::of_block(table, &groups, style)
        };
        let mut whole = Self::of_block(table, &groups.part(0..0), style);
        for some in starts.chunks(BLOCKS) {
            let blocks: Vec<Self> = some.par_iter().map(block).collect();
            blocks.into_iter().for_each(|block| whole.append(block));
        }
        whole
    }

    fn of_block(table: &View, groups: &GroupsPart<'_>, style: Style) -> Self {
        let mut values = groups.codes(table.secret().codes());
        let sort = |place: Range<usize>| {
            values[place.clone()].sort_unstable();
            place.end as u32
        };
        let ends = groups.places().map(sort).collect();
        let others = table.other().iter();
        Self {
            ends,
            values,
            cells: known_cells(table.known(), groups, style),
            others: others.map(|column| Cells::sliced(column, groups)).collect(),
            units: Vec::new(),
        }
    }

    /// Appends the groups of a block.
    fn append(&mut self, block: Self) {
        let rows = self.values.len() as u32;
        self.ends.extend(block.ends.iter().map(|end| rows + end));
        self.values.extend(block.values);
        let columns = self.cells.iter_mut().chain(&mut self.others);
        columns
            .zip(block.cells.into_iter().chain(block.others))
            .for_each(|(cells, others)| cells.append(others));
    }

    /// The beginning of the content by which groups are compared, as a number: it is in the order
    /// of groups, or equal.
    fn first_of(&self, group: usize) -> u64 {
        match self.cells.iter().chain(&self.others).next() {
            Some(cells) => cells.first_of(group, self.group_rows(group)),
            None => 0,
        }
    }

    fn compare_groups(&self, a: usize, b: usize) -> Ordering {
        let (rows_a, rows_b) = (self.group_rows(a), self.group_rows(b));
        let columns = self.cells.iter().chain(&self.others);
        columns
            .map(|cells| cells.compare((a, rows_a.clone()), (b, rows_b.clone())))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.values(a).cmp(self.values(b)))
    }

    fn reordered(self, order: &[u32]) -> Self {
        let rows_of = |group: u32| cells::part(&self.ends, group as usize);
        // Each old column is freed as soon as its new order exists.
        let reordered = |columns: Vec<Cells>| -> Vec<Cells> {
            let columns = columns.into_par_iter();
            columns
                .map(|cells| cells.reordered(order, rows_of))
                .collect()
        };
        let lists = order.iter().map(|&group| &self.values[rows_of(group)]);
        let ((ends, values), (cells, others)) = rayon::join(
            || cells::joined(lists, self.values.len()),
            || (reordered(self.cells), reordered(self.others)),
        );
        Self {
            cells,
            others,
            ends,
            values,
            units: Vec::new(),
        }
    }
}

/// The cells of each known column.
fn known_cells(columns: &[Column], groups: &GroupsPart<'_>, style: Style) -> Vec<Cells> {
    let in_rows = |column: &&Column| style.way(column) == CellForm::Rows;
    let in_rows: Vec<&Column> = columns.iter().filter(in_rows).collect();
    let mut exact = cells::exact(&in_rows, groups).into_iter();
    let cells = columns.iter().map(|column| match style.way(column) {
        CellForm::Range => Some(Cells::generalized(column, groups)),
        CellForm::Values => Some(Cells::sliced(column, groups)),
        CellForm::Rows => None,
    });
    cells
        .filter_map(|cells| cells.or_else(|| exact.next()))
        .collect()
}

#[cfg(test)]
mod tests;
