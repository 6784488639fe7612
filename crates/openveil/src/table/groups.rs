/// A partition of the rows of a table into groups, in flat arrays.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Groups {
    rows: Vec<u32>,
    ends: Vec<u32>,
}

/// Groups before they have rows, of one layout: for each of their columns the values in it, each
/// once with its rows. Every group takes one row of each column, so columns have equally many rows.
pub type UnitColumns = Vec<Vec<(u32, u32)>>;

/// What keeps a list of groups from being a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("row {row} does not stand in exactly one group")]
pub struct NotAPartition {
    /// The first such row, counted from 0.
    pub row: u32,
}

impl Groups {
    /// No groups yet, with room for `rows` rows in `groups` groups.
    pub fn with_capacity(rows: usize, groups: usize) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
            ends: Vec::with_capacity(groups),
        }
    }

    /// Adds a group; an empty one is left out.
    pub fn push(&mut self, group: impl IntoIterator<Item = u32>) {
        let start = self.rows.len();
        self.rows.extend(group);
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
        let start = self.rows.len() as u32;
        self.rows.extend(other.rows);
        self.ends
            .extend(other.ends.into_iter().map(|end| start + end));
    }

    /// The same groups of rows that are numbered otherwise. O(n).
    #[must_use]
    pub fn renumbered(mut self, number: impl Fn(u32) -> u32) -> Self {
        self.rows.iter_mut().for_each(|row| *row = number(*row));
        self
    }

    /// Groups of which each row knows its own: `group_of[row]`, below `groups`; numbers that no
    /// row has are left out. O(n + groups).
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
        // With the 0 before the first group: that one may be empty, too.
        ends.dedup();
        ends.remove(0);
        Self { rows, ends }
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
        let start = match group {
            0 => 0,
            _ => self.ends[group - 1] as usize,
        };
        &self.rows[start..self.ends[group] as usize]
    }

    /// The rows of each group.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|group| self.get(group))
    }

    /// Checks that every row of a table stands in exactly one group. O(n).
    ///
    /// # Errors
    /// [`NotAPartition`] names the first row that does not.
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

    /// The same partition with rows and groups in ascending order.
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
        let groups = groups.into_iter().map(|group| group.iter().copied());
        groups.collect()
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
        // Numbers without rows, the first, the last and those between.
        assert_eq!(Groups::from_labels(&[1, 4, 1, 4], 6), lists);
        assert!(Groups::from_labels(&[], 2).is_empty());
    }
}
