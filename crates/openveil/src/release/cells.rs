use crate::table::{Column, Generalization, Groups};
use std::cmp::Ordering;
use std::ops::Range;

/// What is published of one quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cells {
    /// Per group: the least and the greatest code.
    Intervals(Vec<(u32, u32)>),
    /// Per group: a node of the column's tree, with the leaves it covers.
    Nodes(Vec<((u32, u32), u32)>),
    /// Per group: the codes that occur, ascending, without repetition.
    Sets {
        /// Where each group's members end.
        ends: Vec<u32>,
        /// The members of all groups.
        members: Vec<u32>,
    },
    /// Per row: the code itself.
    Exact(Vec<u32>),
}

impl Cells {
    /// Generalises a column over groups.
    pub(super) fn generalized(column: &Column, groups: &Groups) -> Self {
        let codes = column.codes();
        match column.domain().generalization() {
            Generalization::Interval => {
                Self::Intervals(groups.iter().map(|rows| bounds(codes, rows)).collect())
            }
            Generalization::Tree(tree) => {
                let node = |rows: &[u32]| {
                    let (low, high) = bounds(codes, rows);
                    let node = tree.common_ancestor(low, high);
                    (tree.leaf_range(node), node)
                };
                Self::Nodes(groups.iter().map(node).collect())
            }
            Generalization::Set => {
                let mut ends = Vec::with_capacity(groups.len());
                let mut members: Vec<u32> = Vec::new();
                let mut group_codes: Vec<u32> = Vec::new();
                for rows in groups.iter() {
                    group_codes.clear();
                    group_codes.extend(rows.iter().map(|&row| codes[row as usize]));
                    group_codes.sort_unstable();
                    group_codes.dedup();
                    members.extend_from_slice(&group_codes);
                    ends.push(members.len() as u32);
                }
                Self::Sets { ends, members }
            }
        }
    }

    /// All columns exactly; the rows of a group are sorted by their content.
    pub(super) fn exact(columns: &[Column], groups: &Groups) -> Vec<Self> {
        let mut order: Vec<u32> = Vec::with_capacity(groups.row_count());
        for rows in groups.iter() {
            let start = order.len();
            order.extend_from_slice(rows);
            let codes_of = |row: u32| {
                columns
                    .iter()
                    .map(move |column| column.codes()[row as usize])
            };
            order[start..].sort_unstable_by(|&a, &b| codes_of(a).cmp(codes_of(b)));
        }
        columns
            .iter()
            .map(|column| {
                Self::Exact(
                    order
                        .iter()
                        .map(|&row| column.codes()[row as usize])
                        .collect(),
                )
            })
            .collect()
    }

    /// The members of a group's set; empty for other kinds of cells.
    pub fn members(&self, group: usize) -> &[u32] {
        match self {
            Self::Sets { ends, members } => {
                let start = if group == 0 {
                    0
                } else {
                    ends[group - 1] as usize
                };
                &members[start..ends[group] as usize]
            }
            _ => &[],
        }
    }

    /// Orders two groups, given with their rows, by what is published of them.
    pub(super) fn compare(
        &self,
        (a, rows_a): (usize, Range<usize>),
        (b, rows_b): (usize, Range<usize>),
    ) -> Ordering {
        match self {
            Self::Intervals(bounds) => bounds[a].cmp(&bounds[b]),
            Self::Nodes(nodes) => nodes[a].cmp(&nodes[b]),
            Self::Sets { .. } => self.members(a).cmp(self.members(b)),
            Self::Exact(codes) => codes[rows_a].cmp(&codes[rows_b]),
        }
    }

    /// The same cells with the groups in another order.
    pub(super) fn reordered(&self, order: &[u32], rows_of: impl Fn(u32) -> Range<usize>) -> Self {
        match self {
            Self::Intervals(bounds) => {
                Self::Intervals(order.iter().map(|&group| bounds[group as usize]).collect())
            }
            Self::Nodes(nodes) => {
                Self::Nodes(order.iter().map(|&group| nodes[group as usize]).collect())
            }
            Self::Sets { ends, members } => {
                let mut new_ends = Vec::with_capacity(ends.len());
                let mut new_members = Vec::with_capacity(members.len());
                for &group in order {
                    new_members.extend_from_slice(self.members(group as usize));
                    new_ends.push(new_members.len() as u32);
                }
                Self::Sets {
                    ends: new_ends,
                    members: new_members,
                }
            }
            Self::Exact(codes) => {
                let mut new = Vec::with_capacity(codes.len());
                order
                    .iter()
                    .for_each(|&group| new.extend_from_slice(&codes[rows_of(group)]));
                Self::Exact(new)
            }
        }
    }
}

/// The least and the greatest code of some rows.
fn bounds(codes: &[u32], rows: &[u32]) -> (u32, u32) {
    rows.iter().fold((u32::MAX, 0), |(low, high), &row| {
        let code = codes[row as usize];
        (low.min(code), high.max(code))
    })
}
