//! Turns the text of a cell back into the values that it covers.

use super::loose::{self, Covered};
use super::sets::members;
use crate::Error;
use crate::source::{RawColumn, RawTable};
use openveil_core::hierarchy::Hierarchy;
use openveil_core::release::Cells;
use openveil_core::table::{Column, Domain, Generalization, Groups};
use openveil_text::{Text, text};
use std::collections::{HashMap, HashSet};

/// Help for a release of another table than the owner's.
pub fn needs_owners() -> Text {
    text!(
        "name the policy and the table that the release was made from (`--input`, if it is not the policy's)"
    )
}

/// Reads the cells of a column that shows one cell per group.
pub(super) fn generalized(
    raw: &RawTable,
    column: &RawColumn,
    quasi: &Column,
    groups: &Groups,
) -> Result<Cells, Error> {
    let reader = CellReader::new(quasi.domain());
    read_by(raw, column, quasi, groups, &|text| reader.read(text))
}

/// Like [`generalized`], but for a table that another tool made.
pub fn foreign(
    raw: &RawTable,
    column: &RawColumn,
    quasi: &Column,
    groups: &Groups,
) -> Result<Cells, Error> {
    let reader = CellReader::new(quasi.domain());
    let read = |text: &str| reader.read(text).or_else(|| loose::read(quasi.domain(), text));
    read_by(raw, column, quasi, groups, &read)
}

/// Reads one cell per group; each text is read once.
fn read_by(
    raw: &RawTable,
    column: &RawColumn,
    quasi: &Column,
    groups: &Groups,
    read: &dyn Fn(&str) -> Option<Covered>,
) -> Result<Cells, Error> {
    // One text per group; each distinct text is read once.
    let mut texts = Vec::with_capacity(groups.len());
    for (group, rows) in groups.iter().enumerate() {
        let mut codes = rows.iter().map(|&row| column.codes[row as usize]);
        let first = codes.next().unwrap_or(0);
        if let Some(other) = codes.find(|&code| code != first) {
            let problem = text!("the rows of group {} show different cells", group + 1);
            return Err(Error::new(raw.place_of(column, other), problem));
        }
        texts.push(first);
    }
    let covered =
        |code: u32| read(column.values.get(code)).ok_or_else(|| unknown(raw, column, code));
    let codes = 0..column.values.len() as u32;
    let read: Vec<Covered> = codes.map(covered).collect::<Result<_, Error>>()?;
    let covered = texts.iter().map(|&code| &read[code as usize]);
    Ok(match quasi.domain().generalization() {
        Generalization::Interval => Cells::Intervals(
            covered.map(|covered| (covered.0[0], covered.0[covered.0.len() - 1])).collect(),
        ),
        Generalization::Tree(tree) => {
            let (ends, nodes) = lists(
                covered.map(|covered| covered.0.iter().map(|&node| (tree.leaf_range(node), node))),
            );
            Cells::Nodes { ends, nodes }
        }
        Generalization::Set => {
            let (ends, members) = lists(covered.map(|covered| covered.0.iter().copied()));
            Cells::Sets { ends, members }
        }
    })
}

/// Concatenates lists; also returns where each ends.
fn lists<T>(lists: impl Iterator<Item = impl Iterator<Item = T>>) -> (Vec<u32>, Vec<T>) {
    let (mut ends, mut all) = (Vec::new(), Vec::new());
    for list in lists {
        all.extend(list);
        ends.push(all.len() as u32);
    }
    (ends, all)
}

/// Reads the codes of a column that shows a value in every row, group by group.
pub(super) fn exact(
    raw: &RawTable,
    column: &RawColumn,
    quasi: &Column,
    groups: &Groups,
) -> Result<Vec<u32>, Error> {
    let code_of = codes_of(quasi.domain());
    let known = |code: u32| {
        code_of.get(column.values.get(code)).copied().ok_or_else(|| unknown(raw, column, code))
    };
    let codes = 0..column.values.len() as u32;
    let known: Vec<u32> = codes.map(known).collect::<Result<_, Error>>()?;
    Ok(groups.iter().flatten().map(|&row| known[column.codes[row as usize] as usize]).collect())
}

fn unknown(raw: &RawTable, column: &RawColumn, code: u32) -> Error {
    let problem = text!("`{}` does not describe values of the table", column.values.get(code));
    Error::new(raw.place_of(column, code), problem).help(needs_owners())
}

fn codes_of(domain: &Domain) -> HashMap<&str, u32> {
    domain.labels().zip(0..).collect()
}

/// Returns the node of each label; of nodes with the same label, which cover the same values, the
/// lowest.
fn nodes_of(tree: &Hierarchy) -> HashMap<&str, u32> {
    let nodes = 0..tree.node_count() as u32;
    nodes.map(|node| (tree.label(node), node)).collect()
}

/// Reads the cells of one column.
struct CellReader<'a> {
    generalization: &'a Generalization,
    /// The code, or node of a tree, that each label stands for.
    code_of: HashMap<&'a str, u32>,
    /// The largest number of parts that bars divide a label into.
    most_parts: usize,
}

/// The largest number of parts of a set whose labels contain bars, since recursion goes as deep.
const MOST_BARRED_PARTS: usize = 4_096;

impl<'a> CellReader<'a> {
    fn new(domain: &'a Domain) -> Self {
        let code_of = match domain.hierarchy() {
            None => codes_of(domain),
            Some(tree) => nodes_of(tree),
        };
        Self {
            generalization: domain.generalization(),
            most_parts: code_of.keys().map(|label| label.split('|').count()).max().unwrap_or(1),
            code_of,
        }
    }

    fn read(&self, text: &str) -> Option<Covered> {
        let value = self.value(text);
        value.or_else(|| match self.generalization {
            Generalization::Interval => self.interval(text),
            Generalization::Set => self.set(text),
            // The nodes must not overlap, and must stand in the order of their leaves.
            Generalization::Tree(tree) => self.set(text).filter(|covered| {
                let leaves = |&node: &u32| tree.leaf_range(node);
                covered
                    .0
                    .iter()
                    .map(leaves)
                    .zip(covered.0[1..].iter().map(leaves))
                    .all(|((_, end), (start, _))| end < start)
            }),
        })
    }

    fn value(&self, text: &str) -> Option<Covered> {
        self.code_of.get(text).map(|&code| Covered(vec![code]))
    }

    /// Reads `[low, high]`. If labels contain `, `, finds the comma between the two labels.
    fn interval(&self, text: &str) -> Option<Covered> {
        let inside = text.strip_prefix('[')?.strip_suffix(']')?;
        inside.match_indices(", ").find_map(|(at, comma)| {
            let low = *self.code_of.get(&inside[..at])?;
            let high = *self.code_of.get(&inside[at + comma.len()..])?;
            (low < high).then(|| Covered(vec![low, high]))
        })
    }

    /// Reads `{a|b|c}` in ascending order. If labels contain `|`, the parts can be joined in
    /// several ways; takes the first that ascends.
    fn set(&self, text: &str) -> Option<Covered> {
        let parts: Vec<&str> = members(text)?.collect();
        if self.most_parts == 1 {
            let members: Vec<u32> = parts
                .iter()
                .map(|label| self.code_of.get(label).copied())
                .collect::<Option<_>>()?;
            let ascend = members.len() > 1 && members.is_sorted_by(|a, b| a < b);
            return ascend.then_some(Covered(members));
        }
        if parts.len() > MOST_BARRED_PARTS {
            return None;
        }
        let mut members = Vec::new();
        let mut dead_ends = HashSet::new();
        let found = self.members(&parts, 0, &mut members, &mut dead_ends);
        (found && members.len() > 1).then_some(Covered(members))
    }

    /// Completes the members of a set from `start` on. `dead_ends` are starts that, after some last
    /// member, cannot be completed.
    fn members(
        &self,
        parts: &[&str],
        start: usize,
        members: &mut Vec<u32>,
        dead_ends: &mut HashSet<(usize, Option<u32>)>,
    ) -> bool {
        let last = members.last().copied();
        if start == parts.len() || dead_ends.contains(&(start, last)) {
            return start == parts.len();
        }
        for end in start + 1..=parts.len().min(start + self.most_parts) {
            let label = parts[start..end].join("|");
            match self.code_of.get(label.as_str()) {
                Some(&code) if last.is_none_or(|last| last < code) => members.push(code),
                _ => continue,
            }
            if self.members(parts, end, members, dead_ends) {
                return true;
            }
            members.pop();
        }
        dead_ends.insert((start, last));
        false
    }
}
