//! The text of a cell becomes what it covers again.

use super::codes::OWNERS;
use crate::Error;
use crate::source::{RawColumn, RawTable};
use openveil::hierarchy::Hierarchy;
use openveil::release::Cells;
use openveil::table::{Column, Domain, Generalization, Groups};
use std::collections::{HashMap, HashSet};

/// The cells of a column that shows one per group.
pub(super) fn generalized(
    raw: &RawTable,
    column: &RawColumn,
    quasi: &Column,
    groups: &Groups,
) -> Result<Cells, Error> {
    let reader = Reader::of(quasi.domain());
    // One text per group; each different one is read once.
    let mut texts = Vec::with_capacity(groups.len());
    for (group, rows) in groups.iter().enumerate() {
        let mut codes = rows.iter().map(|&row| column.codes[row as usize]);
        let first = codes.next().unwrap_or(0);
        if let Some(other) = codes.find(|&code| code != first) {
            let problem = format!("the rows of group {} show different cells", group + 1);
            return Err(Error::new(raw.place_of(column, other), problem));
        }
        texts.push(first);
    }
    let read = |code: u32| {
        let text = column.values.get(code);
        reader.read(text).ok_or_else(|| unknown(raw, column, code))
    };
    let codes = 0..column.values.len() as u32;
    let read: Vec<Covered> = codes.map(read).collect::<Result<_, Error>>()?;
    let covered = texts.iter().map(|&code| &read[code as usize]);
    Ok(match quasi.domain().generalization() {
        Generalization::Interval => Cells::Intervals(covered.map(Covered::range).collect()),
        Generalization::Tree(tree) => {
            let node = |covered: &Covered| {
                let (low, high) = covered.range();
                ((low, high), tree.common_ancestor(low, high))
            };
            Cells::Nodes(covered.map(node).collect())
        }
        Generalization::Set => {
            let (mut ends, mut members) = (Vec::with_capacity(groups.len()), Vec::new());
            for covered in covered {
                members.extend_from_slice(&covered.0);
                ends.push(members.len() as u32);
            }
            Cells::Sets { ends, members }
        }
    })
}

/// The cells of a column that shows every row's own value.
pub(super) fn exact(
    raw: &RawTable,
    column: &RawColumn,
    quasi: &Column,
    groups: &Groups,
) -> Result<Cells, Error> {
    let code_of = codes_of(quasi.domain());
    let known = |code: u32| {
        let found = code_of.get(column.values.get(code)).copied();
        found.ok_or_else(|| unknown(raw, column, code))
    };
    let codes = 0..column.values.len() as u32;
    let known: Vec<u32> = codes.map(known).collect::<Result<_, Error>>()?;
    let rows = groups.iter().flatten();
    let code = |&row: &u32| known[column.codes[row as usize] as usize];
    Ok(Cells::Exact(rows.map(code).collect()))
}

fn unknown(raw: &RawTable, column: &RawColumn, code: u32) -> Error {
    let problem = format!(
        "`{}` does not describe values of the table",
        column.values.get(code)
    );
    Error::new(raw.place_of(column, code), problem).help(OWNERS)
}

fn codes_of(domain: &Domain) -> HashMap<&str, u32> {
    domain.labels().zip(0..).collect()
}

/// What a cell covers: the first and the last code, or the members of a set.
struct Covered(Vec<u32>);

impl Covered {
    fn range(&self) -> (u32, u32) {
        (self.0[0], self.0[self.0.len() - 1])
    }
}

/// Reads the cells of one column.
struct Reader<'a> {
    domain: &'a Domain,
    code_of: HashMap<&'a str, u32>,
    /// Of a tree: the leaves under each label.
    leaves_of: HashMap<&'a str, (u32, u32)>,
    /// The most parts that bars divide a label into.
    most_parts: usize,
}

/// Parts of a set whose labels contain bars: putting them together goes as deep.
const MOST_BARRED_PARTS: usize = 4_096;

impl<'a> Reader<'a> {
    fn of(domain: &'a Domain) -> Self {
        let leaves = |tree: &'a Hierarchy| {
            (0..tree.node_count() as u32).map(|node| (tree.label(node), tree.leaf_range(node)))
        };
        Self {
            domain,
            code_of: codes_of(domain),
            leaves_of: domain.hierarchy().into_iter().flat_map(leaves).collect(),
            most_parts: domain
                .labels()
                .map(|l| l.split('|').count())
                .max()
                .unwrap_or(1),
        }
    }

    fn read(&self, text: &str) -> Option<Covered> {
        match self.domain.generalization() {
            Generalization::Tree(_) => {
                let &(low, high) = self.leaves_of.get(text)?;
                Some(Covered(vec![low, high]))
            }
            Generalization::Interval => self.value(text).or_else(|| self.interval(text)),
            Generalization::Set => self.value(text).or_else(|| self.set(text)),
        }
    }

    fn value(&self, text: &str) -> Option<Covered> {
        self.code_of.get(text).map(|&code| Covered(vec![code]))
    }

    /// `[low, high]`; where labels contain `, `, the comma between two labels.
    fn interval(&self, text: &str) -> Option<Covered> {
        let inside = text.strip_prefix('[')?.strip_suffix(']')?;
        let split = |(at, comma): (usize, &str)| {
            let low = *self.code_of.get(&inside[..at])?;
            let high = *self.code_of.get(&inside[at + comma.len()..])?;
            (low < high).then(|| Covered(vec![low, high]))
        };
        inside.match_indices(", ").find_map(split)
    }

    /// `{a|b|c}` in ascending order. Where labels contain `|`, the parts may be put
    /// together in several ways; the first that ascends is taken.
    fn set(&self, text: &str) -> Option<Covered> {
        let inside = text.strip_prefix('{')?.strip_suffix('}')?;
        let parts: Vec<&str> = inside.split('|').collect();
        if self.most_parts == 1 {
            let members = parts.iter().map(|label| self.code_of.get(label).copied());
            let members: Vec<u32> = members.collect::<Option<_>>()?;
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

    /// Completes the members of a set from a part on. `dead_ends` are parts that
    /// nothing fits from on after some member.
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
