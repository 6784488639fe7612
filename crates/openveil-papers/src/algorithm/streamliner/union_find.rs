//! Disjoint sets of rows, to merge groups that share people.

use openveil_core::table::Groups;

/// A partition of rows that can only be made coarser.
pub(super) struct UnionFind {
    /// The parent of each row in its set's tree; a root is its own parent.
    parent: Vec<u32>,
    /// Rows in the set of a root.
    size: Vec<u32>,
}

impl UnionFind {
    /// Puts every one of `rows` rows into its own set.
    pub(super) fn new(rows: usize) -> Self {
        Self { parent: (0..rows as u32).collect(), size: vec![1; rows] }
    }

    /// Merges the sets of two rows, in nearly constant amortised time.
    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) =
            if self.size[a as usize] < self.size[b as usize] { (a, b) } else { (b, a) };
        self.parent[small as usize] = large;
        self.size[large as usize] += self.size[small as usize];
    }

    fn root(&mut self, mut row: u32) -> u32 {
        while self.parent[row as usize] != row {
            let grandparent = self.parent[self.parent[row as usize] as usize];
            self.parent[row as usize] = grandparent;
            row = grandparent;
        }
        row
    }

    /// Returns the sets, by their first row; rows ascending. O(n).
    pub(super) fn into_groups(mut self) -> Groups {
        const UNSEEN: u32 = u32::MAX;
        let rows = self.parent.len();
        let mut label_of_root = vec![UNSEEN; rows];
        let mut group_of = Vec::with_capacity(rows);
        let mut groups = 0;
        for row in 0..rows as u32 {
            let label = &mut label_of_root[self.root(row) as usize];
            if *label == UNSEEN {
                *label = groups;
                groups += 1;
            }
            group_of.push(*label);
        }
        Groups::from_labels(&group_of, groups as usize)
    }
}
