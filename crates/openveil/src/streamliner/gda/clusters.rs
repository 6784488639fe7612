//! Groups that grow and merge.

use super::average::Average;
use crate::table::Groups;

const NOBODY: u32 = u32::MAX;

/// Groups as chains of rows, in the order in which they were formed.
pub(super) struct Clusters<'a> {
    ranks: &'a [u64],
    list: Vec<Cluster>,
    /// The row behind each row in its group's chain.
    behind: Vec<u32>,
    /// The group that each row came into first.
    first_home: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Cluster {
    first: u32,
    last: u32,
    size: u32,
    /// Sum of weighted ranks.
    sum: u128,
    /// The group it merged into; itself if it stands.
    merged_into: u32,
}

impl<'a> Clusters<'a> {
    /// No groups yet.
    pub(super) fn new(ranks: &'a [u64]) -> Self {
        Self {
            ranks,
            list: Vec::new(),
            behind: vec![NOBODY; ranks.len()],
            first_home: vec![NOBODY; ranks.len()],
        }
    }

    /// Forms a group of at least one row.
    pub(super) fn push(&mut self, people: &[(u64, u32)]) {
        let group = self.list.len() as u32;
        for pair in people.windows(2) {
            self.behind[pair[0].1 as usize] = pair[1].1;
        }
        for &(_, row) in people {
            self.first_home[row as usize] = group;
        }
        self.list.push(Cluster {
            first: people[0].1,
            last: people[people.len() - 1].1,
            size: people.len() as u32,
            sum: people.iter().map(|&(rank, _)| u128::from(rank)).sum(),
            merged_into: group,
        });
    }

    /// Appends a row to a group.
    pub(super) fn append(&mut self, group: u32, row: u32) {
        let cluster = &mut self.list[group as usize];
        self.behind[cluster.last as usize] = row;
        self.first_home[row as usize] = group;
        cluster.last = row;
        cluster.size += 1;
        cluster.sum += u128::from(self.ranks[row as usize]);
    }

    /// Merges two groups into the one formed first, which is returned.
    pub(super) fn merge(&mut self, a: u32, b: u32) -> u32 {
        let (older, younger) = (a.min(b), a.max(b));
        let gone = &mut self.list[younger as usize];
        gone.merged_into = older;
        let gone = *gone;
        let kept = &mut self.list[older as usize];
        self.behind[kept.last as usize] = gone.first;
        kept.last = gone.last;
        kept.size += gone.size;
        kept.sum += gone.sum;
        older
    }

    /// The groups that stand, in the order in which they were formed.
    pub(super) fn standing(&self) -> impl Iterator<Item = u32> {
        (0..self.list.len() as u32).filter(|&g| self.list[g as usize].merged_into == g)
    }

    /// Whether each group stands: it has not merged into another.
    pub(super) fn are_standing(&self) -> Vec<bool> {
        let groups = (0u32..).zip(&self.list);
        groups
            .map(|(g, cluster)| cluster.merged_into == g)
            .collect()
    }

    /// The group of a row that has one.
    pub(super) fn home(&self, row: u32) -> Option<u32> {
        let mut group = self.first_home[row as usize];
        if group == NOBODY {
            return None;
        }
        while self.list[group as usize].merged_into != group {
            group = self.list[group as usize].merged_into;
        }
        Some(group)
    }

    /// The rows of a group.
    pub(super) fn rows(&self, group: u32) -> impl Iterator<Item = u32> {
        let cluster = &self.list[group as usize];
        let chain = std::iter::successors(Some(cluster.first), |&row| {
            Some(self.behind[row as usize]).filter(|&row| row != NOBODY)
        });
        chain.take(cluster.size as usize)
    }

    /// The average weighted rank of a group.
    pub(super) fn mean(&self, group: u32) -> Average {
        let cluster = &self.list[group as usize];
        Average {
            sum: cluster.sum,
            count: cluster.size,
        }
    }

    /// The average QI-distance of a weighted rank to a group (section 3.3).
    pub(super) fn distance(&self, group: u32, rank: u64) -> Average {
        let distances = self
            .rows(group)
            .map(|row| u128::from(rank.abs_diff(self.ranks[row as usize])));
        Average {
            sum: distances.sum(),
            count: self.list[group as usize].size,
        }
    }

    /// The least average distance that any weighted rank has to a group: that
    /// of its median.
    pub(super) fn spread(&self, group: u32) -> Average {
        let rows = self.rows(group);
        let mut ranks: Vec<u64> = rows.map(|row| self.ranks[row as usize]).collect();
        ranks.sort_unstable();
        let half = ranks.len() / 2;
        let total = |ranks: &[u64]| ranks.iter().map(|&rank| u128::from(rank)).sum::<u128>();
        Average {
            sum: total(&ranks[ranks.len() - half..]) - total(&ranks[..half]),
            count: ranks.len() as u32,
        }
    }

    /// The groups that stand.
    pub(super) fn into_groups(self) -> Groups {
        let mut groups = Groups::with_capacity(self.ranks.len(), self.list.len());
        for group in self.standing() {
            groups.push(self.rows(group));
        }
        groups
    }
}
