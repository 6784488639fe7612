//! Groups that grow and merge.

use super::average::Average;
use super::summary::RankSummary;
use openveil_core::table::Groups;
use std::collections::HashMap;

const NOBODY: u32 = u32::MAX;

/// The size from which on groups are summarised.
const LARGE: u32 = 64;

/// Groups as chains of people, in the order in which they were formed.
pub(super) struct Clusters<'a> {
    ranks: &'a [u64],
    list: Vec<PeopleCluster>,
    /// People in the order in which they were added, so that a group's first people are adjacent.
    people: Vec<ClusterPerson>,
    /// Summaries of the large groups.
    summaries: HashMap<u32, RankSummary>,
    /// The group that each row was first added to.
    first_home: Vec<u32>,
}

#[derive(Clone, Copy)]
struct ClusterPerson {
    rank: u64,
    row: u32,
    /// The next person in the group's chain.
    behind: u32,
}

#[derive(Clone, Copy)]
struct PeopleCluster {
    /// The start and the end of the chain in `people`.
    first: u32,
    last: u32,
    size: u32,
    /// Sum of weighted ranks.
    sum: u128,
    /// The group that it merged into; itself if it has not merged.
    merged_into: u32,
}

impl<'a> Clusters<'a> {
    /// Starts without groups.
    pub(super) fn new(ranks: &'a [u64]) -> Self {
        Self {
            ranks,
            list: Vec::new(),
            people: Vec::with_capacity(ranks.len()),
            summaries: HashMap::new(),
            first_home: vec![NOBODY; ranks.len()],
        }
    }

    /// Forms a group of at least one row.
    pub(super) fn push(&mut self, people: &[(u64, u32)]) {
        let group = self.list.len() as u32;
        let (first, size) = (self.people.len() as u32, people.len() as u32);
        for (place, &(rank, row)) in (first + 1..).zip(people) {
            self.first_home[row as usize] = group;
            self.people.push(ClusterPerson {
                rank,
                row,
                behind: if place < first + size { place } else { NOBODY },
            });
        }
        self.list.push(PeopleCluster {
            first,
            last: first + size - 1,
            size,
            sum: people.iter().map(|&(rank, _)| u128::from(rank)).sum(),
            merged_into: group,
        });
        self.summarize(group);
    }

    /// Appends a row to a group.
    pub(super) fn append(&mut self, group: u32, row: u32) {
        let (place, rank) = (self.people.len() as u32, self.ranks[row as usize]);
        self.people.push(ClusterPerson { rank, row, behind: NOBODY });
        let cluster = &mut self.list[group as usize];
        self.people[cluster.last as usize].behind = place;
        self.first_home[row as usize] = group;
        cluster.last = place;
        cluster.size += 1;
        cluster.sum += u128::from(rank);
        self.summarize(group);
    }

    /// Merges two groups into the one that was formed first; returns that group.
    pub(super) fn merge(&mut self, a: u32, b: u32) -> u32 {
        let (older, younger) = (a.min(b), a.max(b));
        let size = |group: u32| self.list[group as usize].size;
        // The larger group's chain comes first, so that its summary stays valid.
        let (front, back) =
            if size(older) < size(younger) { (younger, older) } else { (older, younger) };
        let (front_summary, _) = (self.summaries.remove(&front), self.summaries.remove(&back));
        let (front, back) = (self.list[front as usize], self.list[back as usize]);
        self.people[front.last as usize].behind = back.first;
        self.list[younger as usize].merged_into = older;
        self.list[older as usize] = PeopleCluster {
            first: front.first,
            last: back.last,
            size: front.size + back.size,
            sum: front.sum + back.sum,
            merged_into: older,
        };
        if let Some(summary) = front_summary {
            self.summaries.insert(older, summary);
        }
        self.summarize(older);
        older
    }

    /// Keeps the summary of a large group approximately up to date.
    fn summarize(&mut self, group: u32) {
        let cluster = self.list[group as usize];
        if cluster.size < LARGE {
            return;
        }
        let summary = self.summaries.entry(group).or_insert_with(RankSummary::new);
        if summary.is_outgrown_by(cluster.size as usize - summary.covered()) {
            let first = match summary.covered() {
                0 => cluster.first,
                _ => self.people[summary.last as usize].behind,
            };
            let more = chain(&self.people, first).map(|person| person.rank);
            summary.cover(more, cluster.last);
        }
    }

    /// Returns the remaining groups, in the order in which they were formed.
    pub(super) fn standing(&self) -> impl Iterator<Item = u32> {
        (0..self.list.len() as u32).filter(|&g| self.list[g as usize].merged_into == g)
    }

    /// Returns for each group whether it remains: it has not merged into another.
    pub(super) fn are_standing(&self) -> Vec<bool> {
        (0u32..).zip(&self.list).map(|(g, cluster)| cluster.merged_into == g).collect()
    }

    /// Returns the group of a row, if it has one.
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

    /// Returns the rows of a group.
    pub(super) fn rows(&self, group: u32) -> impl Iterator<Item = u32> {
        self.members(group).map(|person| person.row)
    }

    fn members(&self, group: u32) -> impl Iterator<Item = &ClusterPerson> {
        chain(&self.people, self.list[group as usize].first)
    }

    /// Returns the number of rows of a group.
    pub(super) fn size(&self, group: u32) -> u32 {
        self.list[group as usize].size
    }

    /// Returns the average weighted rank of a group.
    pub(super) fn mean(&self, group: u32) -> Average {
        let cluster = &self.list[group as usize];
        Average { sum: cluster.sum, count: cluster.size }
    }

    /// Returns the average QI-distance of a weighted rank to a group (section 3.3).
    pub(super) fn distance(&self, group: u32, rank: u64) -> Average {
        let cluster = &self.list[group as usize];
        let (mut sum, mut first) = (0, cluster.first);
        if let Some(summary) = self.summaries.get(&group) {
            sum = summary.distances(rank);
            first = self.people[summary.last as usize].behind;
        }
        let distances =
            chain(&self.people, first).map(|person| u128::from(rank.abs_diff(person.rank)));
        Average { sum: sum + distances.sum::<u128>(), count: cluster.size }
    }

    /// Returns the least average distance of any weighted rank to a group, which its median has.
    /// Returns 0 for a large group.
    pub(super) fn spread(&self, group: u32) -> Average {
        if self.list[group as usize].size >= LARGE {
            return Average::ZERO;
        }
        let mut ranks: Vec<u64> = self.members(group).map(|person| person.rank).collect();
        ranks.sort_unstable();
        let half = ranks.len() / 2;
        let total = |ranks: &[u64]| ranks.iter().map(|&rank| u128::from(rank)).sum::<u128>();
        Average {
            sum: total(&ranks[ranks.len() - half..]) - total(&ranks[..half]),
            count: ranks.len() as u32,
        }
    }

    /// Returns the remaining groups.
    pub(super) fn into_groups(self) -> Groups {
        let mut groups = Groups::with_capacity(self.ranks.len(), self.list.len());
        for group in self.standing() {
            groups.push(self.rows(group));
        }
        groups
    }
}

/// Returns the people from one person on to the end of a chain.
fn chain(people: &[ClusterPerson], first: u32) -> impl Iterator<Item = &ClusterPerson> {
    std::iter::successors(people.get(first as usize), |person| people.get(person.behind as usize))
}
