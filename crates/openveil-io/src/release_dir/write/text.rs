//! Released cells as text.

use openveil::release::{Cells, Content};
use openveil::table::{Column, Domain, View};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// The columns of one published table; its rows lie in groups.
pub(super) struct Columns<'a> {
    pub(super) names: Vec<String>,
    pub(super) contents: Vec<Shown<'a>>,
    /// Where each group's rows end.
    ends: Vec<u32>,
}

/// What a column shows.
pub(super) enum Shown<'a> {
    /// One cell per group.
    Cells(&'a Column, &'a Cells),
    /// The number of the group, counted from 1.
    Group,
    /// One code per row, with the text of each code.
    Coded(Cow<'a, [u32]>, Vec<&'a str>),
    /// One number per row.
    Numbers(Vec<u32>),
}

impl<'a> Columns<'a> {
    /// The published columns in the order of the file, then `group`.
    pub(super) fn of(table: &'a View, release: &'a Content, published: &[String]) -> Self {
        let exact = release
            .cells()
            .iter()
            .any(|cells| matches!(cells, Cells::Exact(_)));
        let (mut names, mut contents) = (Vec::new(), Vec::new());
        for name in published {
            let mut quasi = table.known().iter().zip(release.cells());
            let content = match quasi.find(|(column, _)| column.name() == name) {
                Some((column, Cells::Exact(codes) | Cells::Sliced(codes))) => {
                    Shown::Coded(Cow::Borrowed(codes), column.domain().labels().collect())
                }
                Some((column, cells)) => Shown::Cells(column, cells),
                // In the anatomy style the values stand in a table of their own.
                None if exact => continue,
                None => Shown::Coded(
                    Cow::Borrowed(release.row_values()),
                    value_labels(table, name),
                ),
            };
            names.push(name.clone());
            contents.push(content);
        }
        names.push("group".to_owned());
        contents.push(Shown::Group);
        let ends = cumulative(release.group_sizes());
        Self {
            names,
            contents,
            ends,
        }
    }

    /// A table published as it is; its rows lie in no groups, only in stretches of
    /// a length that is easy to write.
    pub(super) fn open(names: &[&str], columns: Vec<(Vec<u32>, &'a Domain)>) -> Self {
        const STRETCH: usize = 1 << 12;
        let rows = columns.first().map_or(0, |(codes, _)| codes.len());
        let ends = (0..rows).step_by(STRETCH);
        let ends = ends.map(|start| (start + STRETCH).min(rows) as u32);
        Self {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            ends: ends.collect(),
            contents: columns
                .into_iter()
                .map(|(codes, domain)| Shown::Coded(Cow::Owned(codes), domain.labels().collect()))
                .collect(),
        }
    }

    /// The second table of the anatomy style: group, values and their counts.
    pub(super) fn anatomy_values(table: &'a View, release: &'a Content) -> Self {
        let (mut values, mut counts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for group in 0..release.group_count() {
            for (value, count) in release.value_counts(group) {
                values.push(value);
                counts.push(count);
            }
            ends.push(values.len() as u32);
        }
        let mut names = vec!["group".to_owned()];
        let mut contents = vec![Shown::Group];
        for name in table.secret().columns() {
            names.push(name.clone());
            contents.push(Shown::Coded(
                Cow::Owned(values.clone()),
                value_labels(table, name),
            ));
        }
        names.push("count".to_owned());
        contents.push(Shown::Numbers(counts));
        Self {
            names,
            contents,
            ends,
        }
    }

    /// Ranges of whole groups with about `rows` rows each.
    pub(super) fn stretches(&self, rows: usize) -> Vec<Range<usize>> {
        let groups = self.ends.len();
        let all_rows = self.ends.last().map_or(1, |&end| end as usize).max(1);
        let step = (groups * rows / all_rows).max(1);
        (0..groups)
            .step_by(step)
            .map(|start| start..(start + step).min(groups))
            .collect()
    }

    /// The rows of a group.
    pub(super) fn group_rows(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start as usize..self.ends[group] as usize
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

/// The text of each sensitive value in one of the columns protected together.
fn value_labels<'a>(table: &'a View, column: &str) -> Vec<&'a str> {
    let sensitive = table.secret();
    let part = sensitive
        .columns()
        .iter()
        .position(|name| name == column)
        .unwrap_or(0);
    (0..sensitive.values() as u32)
        .map(|value| sensitive.part(value, part))
        .collect()
}

/// Appends a number in decimal digits.
pub(super) fn push_number(text: &mut String, number: u64) {
    write!(text, "{number}").expect("writing to a string does not fail");
}

/// Appends the cell that a group shows: `[17, 24]`, `{a|b}`, a label.
pub(super) fn push_cell(text: &mut String, column: &Column, cells: &Cells, group: usize) {
    let domain = column.domain();
    match cells {
        Cells::Intervals(bounds) => match bounds[group] {
            (low, high) if low == high => text.push_str(domain.label(low)),
            (low, high) => {
                text.push('[');
                text.push_str(domain.label(low));
                text.push_str(", ");
                text.push_str(domain.label(high));
                text.push(']');
            }
        },
        Cells::Nodes { .. } => {
            let tree = domain
                .hierarchy()
                .expect("nodes are cells of a column with a tree");
            let labels = cells.nodes(group).iter();
            push_set(text, labels.map(|&(_, node)| tree.label(node)));
        }
        Cells::Sets { .. } => {
            let members = cells.members(group).iter();
            push_set(text, members.map(|&member| domain.label(member)));
        }
        Cells::Exact(_) | Cells::Sliced(_) => {
            unreachable!("exact cells are written per row")
        }
    }
}

/// Appends labels as a set, `{a|b}`; a single one as it is.
fn push_set<'a>(text: &mut String, labels: impl ExactSizeIterator<Item = &'a str>) {
    let several = labels.len() > 1;
    for (position, label) in labels.enumerate() {
        if several {
            text.push(if position == 0 { '{' } else { '|' });
        }
        text.push_str(label);
    }
    if several {
        text.push('}');
    }
}
