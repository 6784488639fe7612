//! Turns released cells into text.

use super::lists::{Slices, Within};
use crate::load::{CLASS_COLUMN, MISSING_LABEL};
use crate::policy::Shape;
use crate::policy::ValueType;
use openveil_core::release::{Cells, Content, Style};
use openveil_core::table::{Column, Domain, View};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// The columns of one published table, with its rows in groups of classes.
pub(super) struct TextColumns<'a> {
    pub(super) names: Vec<String>,
    pub(super) contents: Vec<ColumnContents<'a>>,
    /// Lists of codes that are shuffled when they are written.
    pub(super) slices: Slices<'a>,
    /// The end of each class's rows.
    ends: Vec<u32>,
    /// The end of each group's classes; none if every group is one class.
    groups: Option<Vec<u32>>,
    /// The number of groups of the release before these.
    before: u64,
}

/// Contents of a column.
pub(super) enum ColumnContents<'a> {
    /// One cell per class.
    Cells(&'a Column, &'a Cells),
    /// The least or the greatest value of each class, as a code.
    Bound(Vec<u32>, CodeTexts<'a>),
    /// The number of the group, counted from 1.
    Group,
    /// The number of the class in its group, counted from 1.
    Class,
    /// One value per row.
    Rows(Codes<'a>, CodeTexts<'a>),
    /// One number per row.
    Numbers(Vec<u32>),
}

/// The code of each row.
pub(super) enum Codes<'a> {
    /// The order of the rows.
    InOrder(Cow<'a, [u32]>),
    /// The order of one of the slices.
    Slice(usize),
}

/// The texts that codes stand for.
#[derive(Clone)]
pub(super) struct CodeTexts<'a> {
    pub(super) labels: Vec<&'a str>,
    pub(super) value_type: ValueType,
}

impl CodeTexts<'_> {
    /// Returns whether a value that does not have the column's type stands for a missing one.
    pub(super) fn has_missing(&self) -> bool {
        self.labels.contains(&MISSING_LABEL)
    }
}

impl<'a> TextColumns<'a> {
    /// Returns the published columns in the order of the file, then `group`, then the number of the
    /// class if `numbers_classes`. `before` is the number of groups of the release before these.
    pub(super) fn new(
        table: &'a View,
        release: &'a Content,
        (style, numbers_classes): (Style, bool),
        published: &[Shape],
        before: u64,
    ) -> Self {
        let classes = 0..release.class_count();
        let groups = 0..release.group_count();
        let mut columns = Self {
            before,
            names: Vec::new(),
            contents: Vec::new(),
            slices: Slices::default(),
            ends: classes.map(|class| release.class_rows(class).end as u32).collect(),
            groups: release
                .is_divided()
                .then(|| groups.map(|group| release.classes(group).end as u32).collect()),
        };
        let is_sliced = |cells: &Cells| matches!(cells, Cells::Sliced(_));
        let known = table.known().iter().zip(release.cells());
        let others = table.other().iter().zip(release.others());
        let with_cells: Vec<(&Column, &Cells)> = known.chain(others).collect();
        // If all rows of a group show the same cells, ascending sensitive values disclose nothing
        // about rows, and seem to say nothing.
        let mut secret = None;
        let is_apart = table.secret().is_apart();
        let differ = release.is_divided() || with_cells.iter().any(|(_, cells)| is_sliced(cells));
        if style != Style::Anatomy && !is_apart && differ {
            secret = Some(columns.slices.add(release.row_values(), Within::Groups));
        }
        for shape in published {
            match with_cells.iter().find(|(column, _)| column.name() == shape.name) {
                Some(&(column, cells)) => columns.push_known(shape, column, cells),
                // In the anatomy style, the sensitive values are in a second table.
                None if style == Style::Anatomy => {}
                None => {
                    let codes = match secret {
                        _ if is_apart => {
                            Codes::Slice(columns.slices.add(release.row_values(), Within::Groups))
                        }
                        Some(slice) => Codes::Slice(slice),
                        None => Codes::InOrder(Cow::Borrowed(release.row_values())),
                    };
                    let values = secret_values(table, shape);
                    columns.push(&shape.name, ColumnContents::Rows(codes, values));
                }
            }
        }
        columns.push("group", ColumnContents::Group);
        if numbers_classes {
            columns.push(CLASS_COLUMN, ColumnContents::Class);
        }
        columns
    }

    /// Adds the sensitive values, ascending within each group.
    pub(super) fn push_values(
        &mut self,
        table: &'a View,
        release: &'a Content,
        published: &[Shape],
    ) {
        for shape in published.iter().filter(|shape| table.secret().columns().contains(&shape.name))
        {
            let codes = match table.secret().is_apart() {
                true => Codes::Slice(self.slices.add(release.row_values(), Within::Groups)),
                false => Codes::InOrder(Cow::Borrowed(release.row_values())),
            };
            self.push(&shape.name, ColumnContents::Rows(codes, secret_values(table, shape)));
        }
    }

    fn push_known(&mut self, shape: &Shape, column: &'a Column, cells: &'a Cells) {
        let values = || shape.values(column.domain());
        let content = match cells {
            Cells::Exact(codes) => {
                ColumnContents::Rows(Codes::InOrder(Cow::Borrowed(codes)), values())
            }
            Cells::Sliced(codes) => ColumnContents::Rows(
                Codes::Slice(self.slices.add(codes, Within::Classes)),
                values(),
            ),
            Cells::Intervals(bounds) if shape.bounds => {
                let [least, greatest] = shape.bound_names();
                let codes = bounds.iter().map(|&(low, _)| low).collect();
                self.push(&least, ColumnContents::Bound(codes, values()));
                let codes = bounds.iter().map(|&(_, high)| high).collect();
                self.push(&greatest, ColumnContents::Bound(codes, values()));
                return;
            }
            cells => ColumnContents::Cells(column, cells),
        };
        self.push(&shape.name, content);
    }

    fn push(&mut self, name: &str, content: ColumnContents<'a>) {
        self.names.push(name.to_owned());
        self.contents.push(content);
    }

    /// Returns the columns of a table that is published unchanged. Its rows form no groups, only
    /// stretches of a length that is easy to write.
    pub(super) fn open(shapes: &[Shape], columns: Vec<(Vec<u32>, &'a Domain)>) -> Self {
        const STRETCH: usize = 1 << 12;
        let rows = columns.first().map_or(0, |(codes, _)| codes.len());
        let ends = (0..rows).step_by(STRETCH).map(|start| (start + STRETCH).min(rows) as u32);
        let contents = columns.into_iter().zip(shapes).map(|((codes, domain), shape)| {
            ColumnContents::Rows(Codes::InOrder(Cow::Owned(codes)), shape.values(domain))
        });
        Self {
            names: shapes.iter().map(|shape| shape.name.clone()).collect(),
            contents: contents.collect(),
            slices: Slices::default(),
            ends: ends.collect(),
            groups: None,
            before: 0,
        }
    }

    /// Returns the second table of the anatomy style: group, values and their counts. If columns
    /// are published separately, it has a line for each row of the group, and each column is
    /// shuffled within the group by itself.
    pub(super) fn anatomy_values(
        table: &'a View,
        release: &'a Content,
        published: &[Shape],
        before: u64,
    ) -> Self {
        let secret = |shape: &&Shape| table.secret().columns().contains(&shape.name);
        if table.secret().is_apart() {
            let rows = release.row_values();
            let mut columns = Self {
                names: Vec::new(),
                contents: Vec::new(),
                slices: Slices::default(),
                ends: cumulative(release.group_sizes()),
                groups: None,
                before,
            };
            columns.push("group", ColumnContents::Group);
            for shape in published.iter().filter(secret) {
                let slice = Codes::Slice(columns.slices.add(rows, Within::Groups));
                let values = secret_values(table, shape);
                columns.push(&shape.name, ColumnContents::Rows(slice, values));
            }
            columns.push("count", ColumnContents::Numbers(vec![1; rows.len()]));
            return columns;
        }
        let (mut values, mut counts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for group in 0..release.group_count() {
            for (value, count) in release.value_counts(group) {
                values.push(value);
                counts.push(count);
            }
            ends.push(values.len() as u32);
        }
        let mut columns = Self {
            names: Vec::new(),
            contents: Vec::new(),
            slices: Slices::default(),
            ends,
            groups: None,
            before,
        };
        columns.push("group", ColumnContents::Group);
        for shape in published.iter().filter(secret) {
            let codes = Codes::InOrder(Cow::Owned(values.clone()));
            columns.push(&shape.name, ColumnContents::Rows(codes, secret_values(table, shape)));
        }
        columns.push("count", ColumnContents::Numbers(counts));
        columns
    }

    /// Returns ranges of classes that make whole groups, with about `rows` rows each.
    pub(super) fn stretches(&self, rows: usize) -> Vec<Range<usize>> {
        let groups = self.groups.as_ref().map_or(self.ends.len(), Vec::len);
        let all_rows = self.ends.last().map_or(1, |&end| end as usize).max(1);
        let step = (groups * rows / all_rows).max(1);
        let stretches = (0..groups).step_by(step);
        stretches
            .map(|start| {
                let last = (start + step).min(groups) - 1;
                self.classes(start).start..self.classes(last).end
            })
            .collect()
    }

    /// Returns the classes of a group.
    fn classes(&self, group: usize) -> Range<usize> {
        match &self.groups {
            None => group..group + 1,
            Some(ends) => part(ends, group),
        }
    }

    /// Returns the group of a class, from 0. O(log groups).
    fn group_of(&self, class: usize) -> usize {
        match &self.groups {
            None => class,
            Some(ends) => ends.partition_point(|&end| end as usize <= class),
        }
    }

    /// Returns the number of a class's group in the release, counted from 1.
    pub(super) fn group_number(&self, class: usize) -> u64 {
        self.before + self.group_of(class) as u64 + 1
    }

    /// Returns the number of a class in its group, counted from 1.
    pub(super) fn class_number(&self, class: usize) -> u64 {
        (class - self.classes(self.group_of(class)).start) as u64 + 1
    }

    /// Returns the rows of a class.
    pub(super) fn class_rows(&self, class: usize) -> Range<usize> {
        part(&self.ends, class)
    }

    /// Returns the rows of several classes.
    pub(super) fn rows_of(&self, classes: &Range<usize>) -> Range<usize> {
        self.class_rows(classes.start).start..self.class_rows(classes.end - 1).end
    }

    /// Returns, for some classes that make whole groups, the rows inside which a list is shuffled.
    pub(super) fn parts(&self, within: Within, classes: &Range<usize>) -> Vec<Range<usize>> {
        match within {
            Within::Classes => classes.clone().map(|class| self.class_rows(class)).collect(),
            Within::Groups => {
                let groups = self.group_of(classes.start)..self.group_of(classes.end - 1) + 1;
                groups.map(|group| self.rows_of(&self.classes(group))).collect()
            }
        }
    }
}

/// The range of a list of lists that belongs to one of them.
fn part(ends: &[u32], number: usize) -> Range<usize> {
    let start = if number == 0 { 0 } else { ends[number - 1] };
    start as usize..ends[number] as usize
}

impl Shape {
    fn values<'a>(&self, domain: &'a Domain) -> CodeTexts<'a> {
        CodeTexts { labels: domain.labels().collect(), value_type: self.value_type }
    }
}

fn cumulative(sizes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows = 0;
    sizes
        .map(|size| {
            rows += size;
            rows
        })
        .collect()
}

/// Returns the text of each sensitive value in one of the columns that are protected together.
fn secret_values<'a>(table: &'a View, shape: &Shape) -> CodeTexts<'a> {
    let sensitive = table.secret();
    let part = sensitive.columns().iter().position(|name| *name == shape.name).unwrap_or(0);
    let values = 0..sensitive.values() as u32;
    CodeTexts {
        labels: values.map(|value| sensitive.part(value, part)).collect(),
        value_type: shape.value_type,
    }
}

/// Appends a number in decimal digits.
pub(super) fn push_number(text: &mut String, number: u64) {
    write!(text, "{number}").expect("writing to a string does not fail");
}

/// Appends a bound: nothing if it is a missing value.
pub(super) fn push_bound(text: &mut String, label: &str) {
    if label != MISSING_LABEL {
        text.push_str(label);
    }
}

/// Appends the cell of a class: `[17, 24]`, `{a|b}`, a label.
pub(super) fn push_cell(text: &mut String, column: &Column, cells: &Cells, class: usize) {
    if let Cells::Intervals(bounds) = cells {
        let (low, high) = bounds[class];
        let (least, greatest) = (column.domain().label(low), column.domain().label(high));
        return if low == high {
            text.push_str(least)
        } else {
            write!(text, "[{least}, {greatest}]").expect("writing to a string does not fail")
        };
    }
    let parts = parts(column, cells, class);
    let several = parts.len() > 1;
    for (position, label) in parts.into_iter().enumerate() {
        if several {
            text.push(if position == 0 { '{' } else { '|' });
        }
        text.push_str(label);
    }
    if several {
        text.push('}');
    }
}

/// Returns the labels in a class's cell, for cells that are sets of values or nodes.
pub(super) fn parts<'a>(column: &'a Column, cells: &Cells, class: usize) -> Vec<&'a str> {
    let domain = column.domain();
    match cells {
        Cells::Nodes { .. } => {
            let tree = domain.hierarchy().expect("nodes are cells of a column with a tree");
            cells.nodes(class).iter().map(|&(_, node)| tree.label(node)).collect()
        }
        Cells::Sets { .. } => {
            cells.members(class).iter().map(|&member| domain.label(member)).collect()
        }
        Cells::Intervals(_) | Cells::Exact(_) | Cells::Sliced(_) => {
            unreachable!("neither intervals nor rows have parts")
        }
    }
}
