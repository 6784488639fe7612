//! One node, specialised one level down along one column.

use crate::algorithm::baseline::holds;
use openveil_core::model::{Counts, Criteria};

/// The split of a node's rows: branches that satisfy the model, and the rows that stay in the node,
/// which satisfy it too. It is reused for its memory.
#[derive(Default)]
pub(super) struct NodeSplit {
    /// The branch of each class, valid if its mark is the current one.
    branch_of_class: Vec<(u32, u32)>,
    mark: u32,
    /// The branch of each of the node's rows.
    branch_of_row: Vec<u32>,
    branches: Vec<Branch>,
    /// The values of each branch with their counts, ascending; branch by branch, with room for as
    /// many entries as the branch has rows.
    entries: Vec<BranchValue>,
    /// The values of the node.
    values: Vec<NodeValue>,
    /// Number of rows that stay.
    kept: u32,
    counts: Vec<(u32, u128)>,
    sizes: Vec<u32>,
}

/// Rows of one class.
#[derive(Clone, Copy)]
struct Branch {
    /// The start of its entries.
    start: u32,
    entries: u32,
    /// Number of rows that still go down; 0 once the branch is given up.
    size: u32,
}

/// A value in a branch.
#[derive(Clone, Copy, Default)]
struct BranchValue {
    value: u32,
    /// Number of rows that still go down.
    count: u32,
    /// Whether the branch violates the model without one of them.
    indispensable: bool,
}

/// A value in the node.
#[derive(Clone, Copy)]
struct NodeValue {
    value: u32,
    /// Number of rows of the node.
    count: u32,
    /// Number of these rows that stay.
    kept: u32,
    /// Whether no branch can spare one.
    exhausted: bool,
}

impl NodeSplit {
    /// Step 7: makes one branch per class. `rows` are ascending by value. O(rows).
    pub(super) fn divide(&mut self, rows: &[u32], values: &[u32], class_of: impl Fn(u32) -> u32) {
        self.mark += 1;
        self.kept = 0;
        self.branches.clear();
        self.branch_of_row.clear();
        for &row in rows {
            let branch = self.branch(class_of(row));
            self.branches[branch as usize].size += 1;
            self.branch_of_row.push(branch);
        }
        let mut start = 0;
        for branch in &mut self.branches {
            branch.start = start;
            start += branch.size;
        }
        self.entries.resize(rows.len(), BranchValue::default());
        self.values.clear();
        for (&row, &branch) in rows.iter().zip(&self.branch_of_row) {
            let value = values[row as usize];
            self.branches[branch as usize].count(value, &mut self.entries);
            match self.values.last_mut() {
                Some(last) if last.value == value => last.count += 1,
                _ => self.values.push(NodeValue::first(value)),
            }
        }
    }

    /// Returns the branch of a class; makes it if there is none yet.
    fn branch(&mut self, class: u32) -> u32 {
        let class = class as usize;
        if class >= self.branch_of_class.len() {
            self.branch_of_class.resize(class + 1, (0, 0));
        }
        let (mark, branch) = &mut self.branch_of_class[class];
        if *mark != self.mark {
            (*mark, *branch) = (self.mark, self.branches.len() as u32);
            self.branches.push(Branch { start: 0, entries: 0, size: 0 });
        }
        *branch
    }

    /// Steps 8–10: gives up the branches that violate the model, then takes back more rows until
    /// the rows that stay satisfy it.
    pub(super) fn settle(&mut self, criteria: &Criteria) {
        let least = criteria.least_size();
        for branch in 0..self.branches.len() {
            let size = self.branches[branch].size;
            if size < least || !self.branch_holds(branch, None, criteria) {
                self.give_up(branch);
            }
        }
        while self.kept > 0 && !self.kept_hold(criteria) {
            if self.take_one(criteria) {
                continue;
            }
            let open = (0..self.branches.len()).filter(|&b| self.branches[b].size > 0);
            match open.min_by_key(|&branch| self.branches[branch].size) {
                Some(smallest) => self.give_up(smallest),
                // All rows are back in the node, which satisfied the model.
                None => return,
            }
        }
    }

    /// Returns how many rows go down, and into how many branches.
    pub(super) fn outcome(&self) -> (u32, u32) {
        let open = self.branches.iter().filter(|branch| branch.size > 0);
        let rows = self.branches.iter().map(|branch| branch.size);
        (rows.sum(), open.count() as u32)
    }

    /// Returns whether a branch satisfies the model, without one row of value `less` if given.
    fn branch_holds(&mut self, branch: usize, less: Option<u32>, criteria: &Criteria) -> bool {
        let branch = self.branches[branch];
        self.counts.clear();
        for entry in &self.entries[branch.range()] {
            let count = entry.count - u32::from(less == Some(entry.value));
            if count > 0 {
                self.counts.push((entry.value, count.into()));
            }
        }
        holds(criteria, &Counts::new(&self.counts))
    }

    fn kept_hold(&mut self, criteria: &Criteria) -> bool {
        self.counts.clear();
        let kept = self.values.iter().filter(|value| value.kept > 0);
        self.counts.extend(kept.map(|value| (value.value, value.kept.into())));
        holds(criteria, &Counts::new(&self.counts))
    }

    /// Moves all rows of a branch back into the node.
    fn give_up(&mut self, branch: usize) {
        let range = self.branches[branch].range();
        self.kept += std::mem::take(&mut self.branches[branch].size);
        let mut value = 0;
        for entry in &mut self.entries[range] {
            while self.values[value].value != entry.value {
                value += 1;
            }
            self.values[value].kept += std::mem::take(&mut entry.count);
        }
    }

    /// Step 10: moves one row back from a branch that can spare it. The value is the one that the
    /// staying rows lack most, compared with the node, on which the model holds; never one of which
    /// they already have more than their share.
    fn take_one(&mut self, criteria: &Criteria) -> bool {
        while let Some(wanted) = self.most_wanted() {
            if self.take(wanted, criteria) {
                return true;
            }
            self.values[wanted].exhausted = true;
        }
        false
    }

    fn most_wanted(&self) -> Option<usize> {
        let rows = self.branch_of_row.len() as u64;
        let wanted = (0..self.values.len()).filter(|&at| {
            let value = self.values[at];
            // kept / count ≤ all kept / rows
            !value.exhausted
                && u64::from(value.kept) * rows <= u64::from(self.kept) * u64::from(value.count)
        });
        wanted.min_by(|&a, &b| {
            let (a, b) = (self.values[a], self.values[b]);
            let left = u64::from(a.kept) * u64::from(b.count);
            let right = u64::from(b.kept) * u64::from(a.count);
            left.cmp(&right).then(b.count.cmp(&a.count))
        })
    }

    /// Takes a row of a value from the largest branch that can spare it.
    fn take(&mut self, wanted: usize, criteria: &Criteria) -> bool {
        let value = self.values[wanted].value;
        let mut from: Option<(usize, usize)> = None;
        loop {
            for (at, branch) in self.branches.iter().enumerate() {
                let larger = from.is_none_or(|(other, _)| branch.size > self.branches[other].size);
                if branch.size > criteria.least_size() && larger {
                    from = branch.spare(value, &self.entries).map_or(from, |e| Some((at, e)));
                }
            }
            let Some((branch, entry)) = from.take() else {
                return false;
            };
            if self.branch_holds(branch, Some(value), criteria) {
                self.entries[entry].count -= 1;
                self.branches[branch].size -= 1;
                self.values[wanted].kept += 1;
                self.kept += 1;
                return true;
            }
            self.entries[entry].indispensable = true;
        }
    }

    /// Orders the node's rows: branch by branch, then the rows that stay, each ascending by value.
    /// Among the rows of a value in a branch, the last ones stay.
    pub(super) fn arrange(&mut self, rows: &mut [u32], values: &[u32], scratch: &mut Vec<u32>) {
        scratch.extend_from_slice(rows);
        // The position of the next row of each branch, and the entry that it counts for.
        let mut next: Vec<u32> = Vec::with_capacity(self.branches.len() + 1);
        let mut end = 0;
        for branch in &self.branches {
            next.push(end);
            end += branch.size;
        }
        let mut stays = end as usize;
        let mut entry_of: Vec<u32> = self.branches.iter().map(|branch| branch.start).collect();
        for (&row, &branch) in scratch.iter().zip(&self.branch_of_row) {
            let entry = &mut entry_of[branch as usize];
            if self.entries[*entry as usize].value != values[row as usize] {
                *entry += 1;
            }
            let entry = &mut self.entries[*entry as usize];
            if entry.count > 0 {
                entry.count -= 1;
                rows[next[branch as usize] as usize] = row;
                next[branch as usize] += 1;
            } else {
                rows[stays] = row;
                stays += 1;
            }
        }
        self.sizes.clear();
        let open = self.branches.iter().filter(|branch| branch.size > 0);
        self.sizes.extend(open.map(|branch| branch.size));
    }

    /// Returns the sizes of the branches, as [`NodeSplit::arrange`] left them.
    pub(super) fn branch_sizes(&self) -> &[u32] {
        &self.sizes
    }
}

impl Branch {
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.entries) as usize
    }

    /// Counts a row; values are ascending.
    fn count(&mut self, value: u32, entries: &mut [BranchValue]) {
        let range = self.range();
        match entries[range.clone()].last_mut() {
            Some(last) if last.value == value => last.count += 1,
            _ => {
                entries[range.end] = BranchValue { value, count: 1, indispensable: false };
                self.entries += 1;
            }
        }
    }

    /// Returns the entry of a value of which the branch might spare a row.
    fn spare(&self, value: u32, entries: &[BranchValue]) -> Option<usize> {
        let range = self.range();
        let found = entries[range.clone()].binary_search_by_key(&value, |entry| entry.value);
        let at = range.start + found.ok()?;
        let entry = entries[at];
        (entry.count > 0 && !entry.indispensable).then_some(at)
    }
}

impl NodeValue {
    fn first(value: u32) -> Self {
        Self { value, count: 1, kept: 0, exhausted: false }
    }
}
