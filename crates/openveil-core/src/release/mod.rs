//! The published content of a release.
//!
//! A [`Content`] holds only data that may be published. Groups are sorted by their released content
//! before they are numbered, and so are the rows inside a group. So neither order discloses
//! anything about the deal. If columns of values are published, groups of the same columns are
//! adjacent.

mod cells;
pub mod check;
mod classes;
mod draft;
mod packed;

pub use cells::{Cells, LeafRange, Spans};
pub use classes::CLASS_SIZE;

use crate::table::{Column, Form, Groups, View};
use cells::CellForm;
use classes::Division;
use draft::Draft;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::num::NonZeroU32;
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

    /// Whether every cell of a table is shown with the row that it belongs to, so that classes have
    /// no use.
    fn shows_rows(self, table: &View) -> bool {
        let mut known = table.known().iter();
        table.other().is_empty() && known.all(|column| self.way(column) == CellForm::Rows)
    }

    /// Whether a release in this style needs numbers to tell classes apart: some column shows a
    /// value per row, and not every column shows its own row's.
    pub fn numbers_classes(self, table: &View) -> bool {
        let has_values = table.known().iter().any(|column| self.way(column) != CellForm::Range);
        (has_values || !table.other().is_empty()) && !self.shows_rows(table)
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
    /// Where each class's rows end, if some group has several classes.
    division: Option<Division>,
    /// One sensitive value per row, ascending inside a group.
    values: Vec<u32>,
    /// One entry per quasi-identifier.
    cells: Vec<Cells>,
    /// One entry per column for analysis: sliced, whatever the style.
    others: Vec<Cells>,
}

/// Publishes the groups of a table: the release, and the groups in the order in which the release
/// numbers them. The owner must keep the latter secret.
///
/// O(n log n) time.
pub fn publish(table: &View, groups: &Groups, style: Style) -> (Content, Groups) {
    publish_in_classes(table, groups, style, None)
}

/// Like [`publish`], but with cells by *class*: rows of a group, at least `least` of them, that are
/// alike on known columns. Groups are not divided if every cell is a row's own, or without `least`.
///
/// O(n · columns · log² size of groups + n log n) time.
pub fn publish_in_classes(
    table: &View,
    groups: &Groups,
    style: Style,
    least: Option<NonZeroU32>,
) -> (Content, Groups) {
    let least = least.filter(|_| !style.shows_rows(table));
    let (draft, members) = Draft::new(table, least, style).of_groups(groups);
    ordered(draft, &members)
}

/// Puts groups into the order of their content.
fn ordered(draft: Content, groups: &Groups) -> (Content, Groups) {
    let order = &groups.order_by(
        |group: u32| draft.first_of(group as usize),
        |a, b| draft.compare_groups(a as usize, b as usize),
    );
    rayon::join(move || draft.reordered(order), || groups.reordered(order))
}

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
        if !ascending || rows != values.len() || !cells.iter().all(|cells| cells.fits(&ends)) {
            return Err(check::Violation::Shape);
        }
        let mut start = 0;
        for &end in &ends {
            values[start..end as usize].sort_unstable();
            start = end as usize;
        }
        cells.iter_mut().for_each(|cells| cells.sort_slices(&ends));
        Ok(Self { ends, division: None, values, cells, others: Vec::new() })
    }

    /// Builds a release that was read back, with cells by class: `classes` says where each class's
    /// rows end. O(n log n).
    ///
    /// # Errors
    /// As for [`Self::from_parts`]; groups that do not consist of whole classes.
    pub fn from_classes(
        ends: Vec<u32>,
        classes: Vec<u32>,
        values: Vec<u32>,
        mut cells: Vec<Cells>,
    ) -> Result<Self, check::Violation> {
        let content = Self::from_parts(ends, values, Vec::new())?;
        if classes == content.ends {
            return Self::from_parts(content.ends, content.values, cells);
        }
        let division = Division::new(classes, &content.ends).ok_or(check::Violation::Shape)?;
        if !cells.iter().all(|cells| cells.fits(&division.ends)) {
            return Err(check::Violation::Shape);
        }
        cells.iter_mut().for_each(|cells| cells.sort_slices(&division.ends));
        Ok(Self { division: Some(division), cells, ..content })
    }

    /// Adds the cells of columns for analysis that were read back.
    ///
    /// # Errors
    /// [`Violation::Shape`](check::Violation::Shape) if a column is not sliced, or has
    /// another number of rows.
    pub fn with_others(mut self, mut others: Vec<Cells>) -> Result<Self, check::Violation> {
        let ends = self.class_ends();
        for cells in &mut others {
            if !matches!(cells, Cells::Sliced(_)) || !cells.fits(ends) {
                return Err(check::Violation::Shape);
            }
            cells.sort_slices(ends);
        }
        self.others = others;
        Ok(self)
    }

    /// Returns the release with only a part of every value: `part_of[value]`. O(n log n).
    ///
    /// # Panics
    /// If a value has no part.
    #[must_use]
    pub fn of_part(&self, part_of: &[u32]) -> Self {
        let mut values: Vec<u32> =
            self.values.iter().map(|&value| part_of[value as usize]).collect();
        for group in 0..self.group_count() {
            values[self.group_rows(group)].sort_unstable();
        }
        Self { values, ..self.clone() }
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

    /// Number of classes: as many as groups if groups are not divided.
    pub fn class_count(&self) -> usize {
        self.class_ends().len()
    }

    /// The classes of a group.
    pub fn classes(&self, group: usize) -> Range<usize> {
        match &self.division {
            None => group..group + 1,
            Some(division) => cells::part(&division.of_groups, group),
        }
    }

    /// The positions of a class's rows in the release.
    pub fn class_rows(&self, class: usize) -> Range<usize> {
        cells::part(self.class_ends(), class)
    }

    /// Every class with its group, in their order.
    pub fn all_classes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let groups = 0..self.group_count();
        groups.flat_map(|group| self.classes(group).map(move |class| (group, class)))
    }

    /// The share of a group's rows that are in one of its classes: 1 if it is the only one.
    pub fn class_share(&self, group: usize, class: usize) -> f64 {
        self.class_rows(class).len() as f64 / self.group_rows(group).len() as f64
    }

    /// Whether some group has several classes.
    pub fn is_divided(&self) -> bool {
        self.division.is_some()
    }

    /// Whether classes are told apart by something else than the cells that their rows share: some
    /// column shows a code per row.
    pub fn numbers_classes(&self) -> bool {
        let mut columns = self.cells.iter().chain(&self.others);
        self.is_divided() && columns.any(|cells| !cells.is_shared())
    }

    fn class_ends(&self) -> &[u32] {
        match &self.division {
            None => &self.ends,
            Some(division) => &division.ends,
        }
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
        self.values(group).chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32))
    }

    /// The published cells of each quasi-identifier, by class.
    pub fn cells(&self) -> &[Cells] {
        &self.cells
    }

    /// The published cells of each column for analysis, by class.
    pub fn others(&self) -> &[Cells] {
        &self.others
    }

    /// Sizes of all groups.
    pub fn group_sizes(&self) -> impl Iterator<Item = u32> {
        (0..self.group_count()).map(|group| self.group_rows(group).len() as u32)
    }

    /// The beginning of the content by which groups are compared, as a number: it is in the order
    /// of groups, or equal.
    fn first_of(&self, group: usize) -> u64 {
        let class = self.classes(group).start;
        match self.cells.iter().chain(&self.others).next() {
            Some(cells) => cells.first_of(class, self.class_rows(class)),
            None => 0,
        }
    }

    fn compare_classes(&self, a: usize, b: usize) -> Ordering {
        let (rows_a, rows_b) = (self.class_rows(a), self.class_rows(b));
        self.cells
            .iter()
            .chain(&self.others)
            .map(|cells| cells.compare((a, rows_a.clone()), (b, rows_b.clone())))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    fn compare_groups(&self, a: usize, b: usize) -> Ordering {
        let (classes_a, classes_b) = (self.classes(a), self.classes(b));
        classes_a
            .clone()
            .zip(classes_b.clone())
            .map(|(a, b)| self.compare_classes(a, b))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| classes_a.len().cmp(&classes_b.len()))
            .then_with(|| self.values(a).cmp(self.values(b)))
    }

    fn reordered(self, order: &[u32]) -> Self {
        let lists = order.iter().map(|&group| self.values(group as usize));
        let (ends, values) = cells::joined(lists, self.values.len());
        let classes: Option<Vec<u32>> = self.division.as_ref().map(|_| {
            order
                .iter()
                .flat_map(|&group| self.classes(group as usize))
                .map(|class| class as u32)
                .collect()
        });
        let shown = classes.as_deref().unwrap_or(order);
        let class_ends = self.class_ends().to_vec();
        let rows_of = |class: u32| cells::part(&class_ends, class as usize);
        let division = self.division.as_ref().and_then(|_| {
            let mut end = 0;
            let own = shown.iter().map(|&class| {
                end += rows_of(class).len() as u32;
                end
            });
            Division::new(own.collect(), &ends)
        });
        // Each old column is freed as soon as its new order exists.
        let reordered = |columns: Vec<Cells>| -> Vec<Cells> {
            columns.into_par_iter().map(|cells| cells.reordered(shown, rows_of)).collect()
        };
        Self {
            cells: reordered(self.cells),
            others: reordered(self.others),
            ends,
            division,
            values,
        }
    }
}

#[cfg(test)]
mod tests;
