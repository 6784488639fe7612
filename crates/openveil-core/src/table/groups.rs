use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// A partition of the rows of a table into groups, in flat arrays.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Groups {
    rows: Vec<u32>,
    ends: Vec<u32>,
    /// Rows of groups above which no cut was refused.
    unrefused: u32,
}

/// Why a list of groups is not a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("row {row} is not in exactly one group")]
pub struct NotAPartition {
    /// The first row that is not in exactly one group, counted from 0.
    pub row: u32,
}

impl Groups {
    /// An empty list with room for `rows` rows in `groups` groups.
    pub fn with_capacity(rows: usize, groups: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), ends: Vec::with_capacity(groups), unrefused: 0 }
    }

    /// Groups of these sizes, none of which is 0, whose rows are filled in later.
    pub(crate) fn of_sizes(sizes: impl Iterator<Item = usize>) -> Self {
        let end = |end: &mut u32, size: usize| {
            *end += size as u32;
            Some(*end)
        };
        let ends: Vec<u32> = sizes.scan(0, end).collect();
        Self { rows: vec![0; ends.last().map_or(0, |&end| end as usize)], ends, unrefused: 0 }
    }

    /// Groups that end at these rows, ascending.
    pub(crate) fn of_ends(rows: Vec<u32>, ends: Vec<u32>) -> Self {
        Self { rows, ends, unrefused: 0 }
    }

    /// Adds a group; an empty one is left out.
    pub fn push(&mut self, group: impl IntoIterator<Item = u32>) {
        let start = self.rows.len();
        self.rows.extend(group);
        if self.rows.len() > start {
            self.ends.push(self.rows.len() as u32);
        }
    }

    /// Adds a group of parts, one behind the other; an empty one is left out.
    pub(crate) fn push_joined<'a>(&mut self, parts: impl Iterator<Item = &'a [u32]>) {
        let start = self.rows.len();
        parts.for_each(|part| self.rows.extend_from_slice(part));
        if self.rows.len() > start {
            self.ends.push(self.rows.len() as u32);
        }
    }

    /// Adds all groups of another list.
    pub fn append(&mut self, other: Self) {
        if self.rows.is_empty() {
            *self = other;
            return;
        }
        self.unrefused += other.unrefused;
        let start = self.rows.len() as u32;
        self.rows.extend(other.rows);
        self.ends.extend(other.ends.into_iter().map(|end| start + end));
    }

    /// Returns these groups with renumbered rows. O(n).
    #[must_use]
    pub fn renumbered(mut self, number: impl Fn(u32) -> u32) -> Self {
        self.rows.iter_mut().for_each(|row| *row = number(*row));
        self
    }

    /// Returns these groups with several rows for each of theirs, equally many for each.
    /// O(n).
    #[must_use]
    pub(crate) fn multiplied<'a>(&self, rows_of: impl Fn(u32) -> &'a [u32]) -> Self {
        let mut groups = Self::with_capacity(self.rows.len(), self.len());
        for group in self.iter() {
            groups.push(group.iter().flat_map(|&row| rows_of(row)).copied());
        }
        let each = groups.rows.len() / self.rows.len().max(1);
        groups.with_unrefused(self.unrefused * each as u32)
    }

    /// Builds groups from the group number of each row: `group_of[row]`, below `groups`. Numbers
    /// without rows are left out. O(n + groups).
    pub fn from_labels(group_of: &[u32], groups: usize) -> Self {
        let mut ends = vec![0u32; groups + 1];
        for &group in group_of {
            ends[group as usize + 1] += 1;
        }
        for group in 0..groups {
            ends[group + 1] += ends[group];
        }
        let mut next = ends.clone();
        let mut rows = vec![0; group_of.len()];
        for (row, &group) in group_of.iter().enumerate() {
            let slot = &mut next[group as usize];
            rows[*slot as usize] = row as u32;
            *slot += 1;
        }
        // Includes the 0 before the first group, which may be empty too.
        ends.dedup();
        ends.remove(0);
        Self { rows, ends, unrefused: 0 }
    }

    /// Returns these groups with the number of rows in groups above which no cut was refused.
    #[must_use]
    pub fn with_unrefused(mut self, rows: u32) -> Self {
        self.unrefused = rows;
        self
    }

    /// Number of rows in groups above which no cut was refused: there a release leaves the odds of
    /// exchanging two people as they were. 0 if the algorithm does not say it.
    pub fn unrefused(&self) -> u32 {
        self.unrefused
    }

    /// The order of groups by `compare`, which is an order that a release may show.
    ///
    /// `first` gives a number for each group that is in the order of `compare`, or equal; it is
    /// compared first.
    pub(crate) fn order_by(
        &self,
        first: impl Fn(u32) -> u64 + Sync,
        compare: impl Fn(u32, u32) -> Ordering + Sync,
    ) -> Vec<u32> {
        let mut keys: Vec<(u64, u32)> =
            (0..self.len() as u32).into_par_iter().map(|group| (first(group), group)).collect();
        keys.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(a.1, b.1)));
        keys.into_par_iter().map(|(_, group)| group).collect()
    }

    /// These groups in another order.
    pub(crate) fn reordered(&self, order: &[u32]) -> Self {
        let sizes = order.iter().map(|&group| self.get(group as usize).len());
        let mut sorted = Self::of_sizes(sizes);
        let mut rest = &mut sorted.rows[..];
        for &group in order {
            let rows = self.get(group as usize);
            let (place, behind) = rest.split_at_mut(rows.len());
            place.copy_from_slice(rows);
            rest = behind;
        }
        sorted.with_unrefused(self.unrefused)
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of rows in all groups together.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The rows of one group.
    pub fn get(&self, group: usize) -> &[u32] {
        self.rows_of(group..group + 1)
    }

    /// The rows of consecutive groups, one behind the other.
    pub fn rows_of(&self, groups: Range<usize>) -> &[u32] {
        let up_to = |group: usize| match group {
            0 => 0,
            _ => self.ends[group - 1] as usize,
        };
        &self.rows[up_to(groups.start)..up_to(groups.end)]
    }

    /// The rows of each group.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|group| self.get(group))
    }

    /// Checks that every row of a table is in exactly one group. O(n).
    ///
    /// # Errors
    /// [`NotAPartition`] names the first row that is not.
    pub fn check_partition(&self, rows: usize) -> Result<(), NotAPartition> {
        let mut seen = vec![false; rows];
        for &row in &self.rows {
            match seen.get_mut(row as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(NotAPartition { row }),
            }
        }
        match seen.iter().position(|&seen| !seen) {
            Some(row) => Err(NotAPartition { row: row as u32 }),
            None => Ok(()),
        }
    }

    /// Returns this partition with rows and groups in ascending order.
    #[must_use]
    pub fn sorted(&self) -> Self {
        let mut rows = self.rows.clone();
        let mut rest = &mut rows[..];
        let mut groups = Vec::with_capacity(self.len());
        for group in self.iter() {
            let (own, others) = rest.split_at_mut(group.len());
            own.sort_unstable();
            groups.push(&*own);
            rest = others;
        }
        groups.sort_unstable();
        groups
            .into_iter()
            .map(|group| group.iter().copied())
            .collect::<Self>()
            .with_unrefused(self.unrefused)
    }
}

impl<G: IntoIterator<Item = u32>> FromIterator<G> for Groups {
    fn from_iter<I: IntoIterator<Item = G>>(groups: I) -> Self {
        let mut all = Self::with_capacity(0, 0);
        groups.into_iter().for_each(|group| all.push(group));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_lists_agree() {
        let lists: Groups = [vec![0, 2], vec![1, 3]].into_iter().collect();
        assert_eq!(Groups::from_labels(&[0, 1, 0, 1], 2), lists);
        assert_eq!(lists.check_partition(4), Ok(()));
        assert_eq!(lists.check_partition(5), Err(NotAPartition { row: 4 }));
        let twice: Groups = [vec![0, 1], vec![1]].into_iter().collect();
        assert_eq!(twice.check_partition(2), Err(NotAPartition { row: 1 }));
        // Numbers without rows: the first, the last and some between.
        assert_eq!(Groups::from_labels(&[1, 4, 1, 4], 6), lists);
        assert!(Groups::from_labels(&[], 2).is_empty());
    }
}
