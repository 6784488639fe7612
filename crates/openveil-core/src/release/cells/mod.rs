//! The published cells of a column.

mod nodes;

pub use nodes::LeafRange;

use crate::table::{Column, Form, Generalization};
use nodes::covering;
use std::cmp::Ordering;
use std::ops::Range;

/// The published cells of one column.
///
/// Cells are canonical: [`Cells::Sliced`] holds the values of each class in the order of their
/// codes. Coins shuffle them when files are written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cells {
    /// Per class: the least and the greatest code.
    Intervals(Vec<(u32, u32)>),
    /// Per class: disjoint nodes of the column's tree, ascending; at least one.
    Nodes {
        /// Where each class's nodes end.
        ends: Vec<u32>,
        /// The nodes of all classes.
        nodes: Vec<LeafRange>,
    },
    /// Per class: the codes that occur, ascending, without repetition.
    Sets {
        /// Where each class's members end.
        ends: Vec<u32>,
        /// The members of all classes.
        members: Vec<u32>,
    },
    /// Per row: the code itself, in one row with the person's other exact codes.
    Exact(Vec<u32>),
    /// Per row of a class: one of its codes, ascending. Rows of a class do not belong to particular
    /// people.
    Sliced(Vec<u32>),
}

/// How a column is published, given the release's style and the column's own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellForm {
    /// One cell per class.
    Range,
    /// Exact, in intact rows.
    Rows,
    /// Exact, by itself.
    Values,
}

impl Cells {
    /// Generalises a column's codes over classes, which end at these rows.
    pub(super) fn generalized(column: &Column, mut codes: Vec<u32>, class_ends: &[u32]) -> Self {
        let mut ends = Vec::with_capacity(class_ends.len());
        match column.domain().generalization() {
            Generalization::Interval => {
                let cells = places(class_ends).map(|place| bounds(&codes[place]));
                Self::Intervals(cells.collect())
            }
            Generalization::Tree(tree) => {
                let single = column.form() == Some(Form::Label);
                let mut nodes = Vec::new();
                each_set(&mut codes, class_ends, |set| {
                    covering(tree, set, single, &mut nodes);
                    ends.push(nodes.len() as u32);
                });
                Self::Nodes { ends, nodes }
            }
            Generalization::Set => {
                let mut members = Vec::new();
                each_set(&mut codes, class_ends, |set| {
                    members.extend_from_slice(set);
                    ends.push(members.len() as u32);
                });
                Self::Sets { ends, members }
            }
        }
    }

    /// The values of a column, separated from the other columns, ascending inside a class.
    pub(super) fn sliced(mut codes: Vec<u32>, class_ends: &[u32]) -> Self {
        places(class_ends).for_each(|place| codes[place].sort_unstable());
        Self::Sliced(codes)
    }

    /// The nodes of a class's cell; empty for other kinds of cells.
    pub fn nodes(&self, class: usize) -> &[LeafRange] {
        match self {
            Self::Nodes { ends, nodes } => &nodes[part(ends, class)],
            _ => &[],
        }
    }

    /// The members of a class's set; empty for other kinds of cells.
    pub fn members(&self, class: usize) -> &[u32] {
        match self {
            Self::Sets { ends, members } => &members[part(ends, class)],
            _ => &[],
        }
    }

    /// The ranges of codes that a class shows, ascending. Exact and sliced cells have one range for
    /// each row. `rows` are the positions of the class's rows.
    ///
    /// For a reader, a member's code is equally likely to be any of the codes `low..=high` of all
    /// spans together.
    pub fn spans(&self, class: usize, rows: Range<usize>) -> Spans<'_> {
        match self {
            Self::Intervals(bounds) => Spans::One(Some(bounds[class])),
            Self::Nodes { .. } => Spans::Nodes(self.nodes(class).iter()),
            Self::Sets { .. } => Spans::Codes(self.members(class).iter()),
            Self::Exact(codes) | Self::Sliced(codes) => Spans::Codes(codes[rows].iter()),
        }
    }

    /// Whether there is one cell per class rather than one code per row.
    pub fn is_shared(&self) -> bool {
        !matches!(self, Self::Exact(_) | Self::Sliced(_))
    }

    /// Whether the number of cells fits classes that end at these rows.
    pub(super) fn fits(&self, ends: &[u32]) -> bool {
        let rows = ends.last().map_or(0, |&end| end as usize);
        let parts = |of: &[u32], all: usize| {
            of.len() == ends.len()
                && of.is_sorted()
                && of.last().map_or(0, |&end| end as usize) == all
        };
        match self {
            Self::Intervals(bounds) => bounds.len() == ends.len(),
            Self::Nodes { ends, nodes } => parts(ends, nodes.len()),
            Self::Sets { ends, members } => parts(ends, members.len()),
            Self::Exact(codes) | Self::Sliced(codes) => codes.len() == rows,
        }
    }

    /// Sorts the sliced codes of classes that end at these rows.
    pub(super) fn sort_slices(&mut self, ends: &[u32]) {
        if let Self::Sliced(codes) = self {
            let mut start = 0;
            for &end in ends {
                codes[start..end as usize].sort_unstable();
                start = end as usize;
            }
        }
    }

    /// Orders two classes, given with their rows, by their published cells.
    pub(super) fn compare(
        &self,
        (a, rows_a): (usize, Range<usize>),
        (b, rows_b): (usize, Range<usize>),
    ) -> Ordering {
        match self {
            Self::Intervals(bounds) => bounds[a].cmp(&bounds[b]),
            Self::Nodes { .. } => self.nodes(a).cmp(self.nodes(b)),
            Self::Sets { .. } => self.members(a).cmp(self.members(b)),
            Self::Exact(codes) | Self::Sliced(codes) => codes[rows_a].cmp(&codes[rows_b]),
        }
    }

    /// The beginning of a class's cell, given with its rows, as a number whose order agrees with
    /// [`Self::compare`].
    pub(super) fn first_of(&self, class: usize, rows: Range<usize>) -> u64 {
        let both = |first: u32, second: u32| u64::from(first) << u32::BITS | u64::from(second);
        // A list that is a prefix of another one comes before it.
        let of_codes = |codes: &[u32]| match codes {
            [] => 0,
            [only] => both(*only, 0),
            [first, second, ..] => both(*first, *second),
        };
        match self {
            Self::Intervals(bounds) => both(bounds[class].0, bounds[class].1),
            Self::Nodes { .. } => {
                self.nodes(class).first().map_or(0, |&((low, high), _)| both(low, high))
            }
            Self::Sets { .. } => of_codes(self.members(class)),
            Self::Exact(codes) | Self::Sliced(codes) => of_codes(&codes[rows]),
        }
    }

    /// Appends the cells of other classes, which must be of the same kind.
    pub(super) fn append(&mut self, others: Self) {
        fn join<T>((ends, all): (&mut Vec<u32>, &mut Vec<T>), others: (Vec<u32>, Vec<T>)) {
            let before = all.len() as u32;
            ends.extend(others.0.into_iter().map(|end| before + end));
            all.extend(others.1);
        }
        match (self, others) {
            (Self::Intervals(bounds), Self::Intervals(others)) => bounds.extend(others),
            (Self::Nodes { ends, nodes }, Self::Nodes { ends: other_ends, nodes: others }) => {
                join((ends, nodes), (other_ends, others))
            }
            (Self::Sets { ends, members }, Self::Sets { ends: other_ends, members: others }) => {
                join((ends, members), (other_ends, others))
            }
            (Self::Exact(codes), Self::Exact(others))
            | (Self::Sliced(codes), Self::Sliced(others)) => codes.extend(others),
            _ => unreachable!("cells of one column are of one kind"),
        }
    }

    /// These cells with the classes in another order.
    pub(super) fn reordered(&self, order: &[u32], rows_of: impl Fn(u32) -> Range<usize>) -> Self {
        let of_rows = |codes: &[u32]| -> Vec<u32> {
            let mut new = Vec::with_capacity(codes.len());
            order.iter().for_each(|&class| new.extend_from_slice(&codes[rows_of(class)]));
            new
        };
        match self {
            Self::Intervals(bounds) => {
                Self::Intervals(order.iter().map(|&class| bounds[class as usize]).collect())
            }
            Self::Nodes { nodes, .. } => {
                let lists = order.iter().map(|&class| self.nodes(class as usize));
                let (ends, nodes) = joined(lists, nodes.len());
                Self::Nodes { ends, nodes }
            }
            Self::Sets { members, .. } => {
                let sets = order.iter().map(|&class| self.members(class as usize));
                let (ends, members) = joined(sets, members.len());
                Self::Sets { ends, members }
            }
            Self::Exact(codes) => Self::Exact(of_rows(codes)),
            Self::Sliced(codes) => Self::Sliced(of_rows(codes)),
        }
    }
}

/// The cells of columns that are published in intact rows: the rows of a class are sorted by their
/// content.
pub(super) fn exact(columns: &[Vec<u32>], class_ends: &[u32]) -> Vec<Cells> {
    let mut order: Vec<u32> = (0..class_ends.last().copied().unwrap_or(0)).collect();
    let codes_of = |row: u32| columns.iter().map(move |codes| codes[row as usize]);
    for place in places(class_ends) {
        order[place].sort_unstable_by(|&a, &b| codes_of(a).cmp(codes_of(b)));
    }
    let sorted = |codes: &Vec<u32>| order.iter().map(|&row| codes[row as usize]).collect();
    columns.iter().map(|codes| Cells::Exact(sorted(codes))).collect()
}

/// Ranges of codes, see [`Cells::spans`].
#[derive(Debug, Clone)]
pub enum Spans<'a> {
    /// At most one.
    One(Option<(u32, u32)>),
    /// The leaves of nodes.
    Nodes(std::slice::Iter<'a, LeafRange>),
    /// Single codes.
    Codes(std::slice::Iter<'a, u32>),
}

impl Iterator for Spans<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        match self {
            Self::One(span) => span.take(),
            Self::Nodes(nodes) => nodes.next().map(|&(leaves, _)| leaves),
            Self::Codes(codes) => codes.next().map(|&code| (code, code)),
        }
    }
}

/// The range of a list of lists that belongs to a class.
pub(super) fn part(ends: &[u32], class: usize) -> Range<usize> {
    let start = if class == 0 { 0 } else { ends[class - 1] };
    start as usize..ends[class] as usize
}

/// The ranges of lists that end at these places, one after the other.
pub(super) fn places(ends: &[u32]) -> impl Iterator<Item = Range<usize>> + '_ {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| start as usize..end as usize)
}

/// Joins lists one after the other; returns where each ends. `total` is the sum of their lengths.
pub(super) fn joined<'a, T: Copy + 'a>(
    lists: impl Iterator<Item = &'a [T]>,
    total: usize,
) -> (Vec<u32>, Vec<T>) {
    let mut ends = Vec::with_capacity(lists.size_hint().0);
    let mut all = Vec::with_capacity(total);
    for list in lists {
        all.extend_from_slice(list);
        ends.push(all.len() as u32);
    }
    (ends, all)
}

/// Calls `call` with the codes of each class, ascending, without repetition.
fn each_set(codes: &mut [u32], class_ends: &[u32], mut call: impl FnMut(&[u32])) {
    for place in places(class_ends) {
        let codes = &mut codes[place];
        codes.sort_unstable();
        let mut distinct = 1;
        for at in 1..codes.len() {
            if codes[at] != codes[distinct - 1] {
                codes[distinct] = codes[at];
                distinct += 1;
            }
        }
        call(&codes[..distinct]);
    }
}

/// The least and the greatest of some codes.
fn bounds(codes: &[u32]) -> (u32, u32) {
    codes.iter().fold((u32::MAX, 0), |(low, high), &code| (low.min(code), high.max(code)))
}
