//! Turns released cells into text.

use super::slices::Slices;
use crate::load::MISSING_LABEL;
use crate::policy::Shape;
use crate::policy::ValueType;
use openveil_core::release::{Cells, Content, Style};
use openveil_core::table::{Column, Domain, View};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// The columns of one published table, with its rows in groups.
pub(super) struct TextColumns<'a> {
    pub(super) names: Vec<String>,
    pub(super) contents: Vec<ColumnContents<'a>>,
    /// Lists of codes that are shuffled within each group when they are written.
    pub(super) slices: Slices<'a>,
    /// The end of each group's rows.
    ends: Vec<u32>,
    /// The number of groups of the release before these.
    before: u64,
}

/// Contents of a column.
pub(super) enum ColumnContents<'a> {
    /// One cell per group.
    Cells(&'a Column, &'a Cells),
    /// The least or the greatest value of each group, as a code.
    Bound(Vec<u32>, CodeTexts<'a>),
    /// The number of the group, counted from 1.
    Group,
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
    /// Returns the published columns in the order of the file, then `group`. `before` is the number
    /// of groups of the release before these.
    pub(super) fn of(
        table: &'a View,
        release: &'a Content,
        style: Style,
        published: &[Shape],
        before: u64,
    ) -> Self {
        let mut columns = Self {
            before,
            names: Vec::new(),
            contents: Vec::new(),
            slices: Slices::default(),
            ends: cumulative(release.group_sizes()),
        };
        let is_sliced = |cells: &Cells| matches!(cells, Cells::Sliced(_));
        let known = table.known().iter().zip(release.cells());
        let others = table.other().iter().zip(release.others());
        let with_cells: Vec<(&Column, &Cells)> = known.chain(others).collect();
        // If no other column is shuffled, ascending sensitive values disclose nothing about rows.
        let mut secret = None;
        let is_apart = table.secret().is_apart();
        let are_others_sliced = with_cells.iter().any(|(_, cells)| is_sliced(cells));
        if style != Style::Anatomy && !is_apart && are_others_sliced {
            secret = Some(columns.slices.add(release.row_values()));
        }
        for shape in published {
            let of_name = |(column, _): &&(&Column, &Cells)| column.name() == shape.name;
            match with_cells.iter().find(of_name) {
                Some(&(column, cells)) => columns.push_known(shape, column, cells),
                // In the anatomy style, the sensitive values are in a second table.
                None if style == Style::Anatomy => {}
                None => {
                    let codes = match secret {
                        _ if is_apart => Codes::Slice(columns.slices.add(release.row_values())),
                        Some(slice) => Codes::Slice(slice),
                        None => Codes::InOrder(Cow::Borrowed(release.row_values())),
                    };
                    let values = secret_values(table, shape);
                    columns.push(&shape.name, ColumnContents::Rows(codes, values));
                }
            }
        }
        columns.push("group", ColumnContents::Group);
        columns
    }

    /// Adds the sensitive values, ascending within each group.
    pub(super) fn push_values(
        &mut self,
        table: &'a View,
        release: &'a Content,
        published: &[Shape],
    ) {
        let secret = |shape: &&Shape| table.secret().columns().contains(&shape.name);
        for shape in published.iter().filter(secret) {
            let codes = match table.secret().is_apart() {
                true => Codes::Slice(self.slices.add(release.row_values())),
                false => Codes::InOrder(Cow::Borrowed(release.row_values())),
            };
            self.push(
                &shape.name,
                ColumnContents::Rows(codes, secret_values(table, shape)),
            );
        }
    }

    fn push_known(&mut self, shape: &Shape, column: &'a Column, cells: &'a Cells) {
        let values = || shape.values(column.domain());
        let content = match cells {
            Cells::Exact(codes) => {
                ColumnContents::Rows(Codes::InOrder(Cow::Borrowed(codes)), values())
            }
            Cells::Sliced(codes) => {
                ColumnContents::Rows(Codes::Slice(self.slices.add(codes)), values())
            }
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
        let ends = (0..rows).step_by(STRETCH);
        let ends = ends.map(|start| (start + STRETCH).min(rows) as u32);
        let contents = columns
            .into_iter()
            .zip(shapes)
            .map(|((codes, domain), shape)| {
                ColumnContents::Rows(Codes::InOrder(Cow::Owned(codes)), shape.values(domain))
            });
        Self {
            names: shapes.iter().map(|shape| shape.name.clone()).collect(),
            contents: contents.collect(),
            slices: Slices::default(),
            ends: ends.collect(),
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
                before,
            };
            columns.push("group", ColumnContents::Group);
            for shape in published.iter().filter(secret) {
                let slice = Codes::Slice(columns.slices.add(rows));
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
            before,
        };
        columns.push("group", ColumnContents::Group);
        for shape in published.iter().filter(secret) {
            let codes = Codes::InOrder(Cow::Owned(values.clone()));
            columns.push(
                &shape.name,
                ColumnContents::Rows(codes, secret_values(table, shape)),
            );
        }
        columns.push("count", ColumnContents::Numbers(counts));
        columns
    }

    /// Returns ranges of whole groups with about `rows` rows each.
    pub(super) fn stretches(&self, rows: usize) -> Vec<Range<usize>> {
        let groups = self.ends.len();
        let all_rows = self.ends.last().map_or(1, |&end| end as usize).max(1);
        let step = (groups * rows / all_rows).max(1);
        (0..groups)
            .step_by(step)
            .map(|start| start..(start + step).min(groups))
            .collect()
    }

    /// Returns the number of a group in the release, counted from 1.
    pub fn number(&self, group: usize) -> u64 {
        self.before + group as u64 + 1
    }

    /// Returns the rows of a group.
    pub(super) fn group_rows(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start as usize..self.ends[group] as usize
    }

    /// Returns the rows of several groups.
    pub(super) fn rows_of(&self, groups: &Range<usize>) -> Range<usize> {
        self.group_rows(groups.start).start..self.group_rows(groups.end - 1).end
    }
}

impl Shape {
    fn values<'a>(&self, domain: &'a Domain) -> CodeTexts<'a> {
        CodeTexts {
            labels: domain.labels().collect(),
            value_type: self.value_type,
        }
    }
}

fn cumulative(sizes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows = 0;
    let end = |size| {
        rows += size;
        rows
    };
    sizes.map(end).collect()
}

/// Returns the text of each sensitive value in one of the columns that are protected together.
fn secret_values<'a>(table: &'a View, shape: &Shape) -> CodeTexts<'a> {
    let sensitive = table.secret();
    let mut columns = sensitive.columns().iter();
    let part = columns.position(|name| *name == shape.name).unwrap_or(0);
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

/// Appends the cell of a group: `[17, 24]`, `{a|b}`, a label.
pub(super) fn push_cell(text: &mut String, column: &Column, cells: &Cells, group: usize) {
    if let Cells::Intervals(bounds) = cells {
        let (low, high) = bounds[group];
        let (least, greatest) = (column.domain().label(low), column.domain().label(high));
        return if low == high {
            text.push_str(least)
        } else {
            write!(text, "[{least}, {greatest}]").expect("writing to a string does not fail")
        };
    }
    let parts = parts(column, cells, group);
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

/// Returns the labels in a group's cell, for cells that are sets of values or nodes.
pub(super) fn parts<'a>(column: &'a Column, cells: &Cells, group: usize) -> Vec<&'a str> {
    let domain = column.domain();
    match cells {
        Cells::Nodes { .. } => {
            let tree = domain
                .hierarchy()
                .expect("nodes are cells of a column with a tree");
            let nodes = cells.nodes(group).iter();
            nodes.map(|&(_, node)| tree.label(node)).collect()
        }
        Cells::Sets { .. } => {
            let members = cells.members(group).iter();
            members.map(|&member| domain.label(member)).collect()
        }
        Cells::Intervals(_) | Cells::Exact(_) | Cells::Sliced(_) => {
            unreachable!("neither intervals nor rows have parts")
        }
    }
}
