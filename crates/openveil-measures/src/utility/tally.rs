//! Counts over groups, for public measures.

use super::{discernability, spanned_steps};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::release::{Cells, Content, LeafRange};
use openveil_core::table::{Groups, Secret, View};
use std::collections::BTreeSet;

/// Counts over the groups of a release, or of a part of one, computed from published content only.
/// The counts of parts add up to the counts of the whole, so a release made in parts is described
/// like any other.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Number of groups.
    pub groups: u64,
    /// Number of classes: as many as groups if groups are not divided.
    pub classes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Rows of the smallest group; 0 without groups.
    pub smallest: u32,
    /// Rows of the largest group.
    pub largest: u32,
    /// Discernability: the sum of squared group sizes.
    pub dm: u64,
    /// For each quasi-identifier, the steps of the domain that cells span, over all rows.
    pub steps: Vec<u64>,
    /// For each quasi-identifier with a tree, the nodes with several leaves that cells show.
    pub nodes: Vec<BTreeSet<LeafRange>>,
    /// Rows of the protected value with the highest share of a group, and rows of that group.
    highest: (u64, u64),
    /// Rows of groups above which no cut was refused.
    pub unrefused: u64,
}

impl Tally {
    /// The tally of no groups, for a table with `known` quasi-identifiers.
    pub fn empty(known: usize) -> Self {
        Self {
            groups: 0,
            classes: 0,
            rows: 0,
            smallest: 0,
            largest: 0,
            dm: 0,
            steps: vec![0; known],
            nodes: vec![BTreeSet::new(); known],
            highest: (0, 1),
            unrefused: 0,
        }
    }

    /// Counts the groups of a release. Only the domain of the table's secret is read. O(rows +
    /// groups · columns).
    pub fn new(release: &Content, table: &View) -> Self {
        let sizes = || release.group_sizes();
        Self {
            groups: release.group_count() as u64,
            classes: release.class_count() as u64,
            rows: release.rows() as u64,
            smallest: sizes().min().unwrap_or(0),
            largest: sizes().max().unwrap_or(0),
            dm: discernability(release),
            steps: spanned_steps(release),
            nodes: release.cells().iter().map(wide_nodes).collect(),
            highest: highest_share(release, table.secret()),
            unrefused: 0,
        }
    }

    /// Returns these counts with the rows of groups above which no cut was refused. A release does
    /// not show which these are.
    #[must_use]
    pub fn with_unrefused(self, groups: &Groups) -> Self {
        Self { unrefused: groups.unrefused().into(), ..self }
    }

    /// Adds the counts of other groups of the same release.
    ///
    /// # Panics
    /// If the other counts have another number of quasi-identifiers.
    pub fn add(&mut self, other: Self) {
        assert_eq!(self.steps.len(), other.steps.len(), "columns of one release");
        self.smallest = match self.groups {
            0 => other.smallest,
            _ if other.groups == 0 => self.smallest,
            _ => self.smallest.min(other.smallest),
        };
        self.largest = self.largest.max(other.largest);
        self.groups += other.groups;
        self.classes += other.classes;
        self.rows += other.rows;
        self.dm += other.dm;
        self.unrefused += other.unrefused;
        self.steps.iter_mut().zip(other.steps).for_each(|(own, other)| *own += other);
        self.nodes.iter_mut().zip(other.nodes).for_each(|(own, other)| own.extend(other));
        self.highest = higher(self.highest, other.highest);
    }

    /// The highest share of a protected value in a group; if values are sets, of a protected
    /// member.
    pub fn highest_share(&self) -> Fraction {
        fraction(self.highest.0.into(), self.highest.1.into())
    }
}

/// Nodes that represent several leaves.
fn wide_nodes(cells: &Cells) -> BTreeSet<LeafRange> {
    let Cells::Nodes { nodes, .. } = cells else {
        return BTreeSet::new();
    };
    nodes.iter().filter(|((low, high), _)| low < high).copied().collect()
}

/// The greater of two shares.
fn higher(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    let product = |x: u64, y: u64| u128::from(x) * u128::from(y);
    if product(b.0, a.1) > product(a.0, b.1) { b } else { a }
}

/// The highest share of a protected value in a group; if values are sets, of a protected member.
fn highest_share(release: &Content, secret: &Secret) -> (u64, u64) {
    let exempt = secret.exempt();
    let highest = |group: usize| {
        if let Some(members) = secret.members() {
            let mut people = vec![0u32; members.count()];
            for (value, count) in release.value_counts(group) {
                members.members(value).iter().for_each(|&own| people[own as usize] += count);
            }
            let most = people
                .iter()
                .zip(members.exempt())
                .filter(|(_, exempt)| !**exempt)
                .map(|(&count, _)| count)
                .max()
                .unwrap_or(0);
            return (u64::from(most), release.group_rows(group).len() as u64);
        }
        let protected = release.value_counts(group).filter(|&(value, _)| !exempt[value as usize]);
        let size = release.group_rows(group).len() as u64;
        (u64::from(protected.map(|(_, count)| count).max().unwrap_or(0)), size)
    };
    (0..release.group_count()).map(highest).fold((0, 1), higher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;
    use openveil_core::hierarchy::{Hierarchy, intervals};
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Column, Domain};

    fn table(rows: u32) -> View {
        let ages = Domain::integers(0..40);
        let tree = Hierarchy::from_paths(intervals(&(0..40).collect::<Vec<_>>(), &[10])).unwrap();
        let codes = |step: u32| (0..rows).map(|row| row * step % 40).collect::<Vec<_>>();
        let known = vec![
            Column::new("age", codes(7), ages),
            Column::new("decade", codes(3), Domain::tree(tree)),
        ];
        let ills = (0..rows).map(|row| row % 5).collect();
        View::new(known, Secret::new("ill", ills, ["a", "b", "c", "d", "e"])).unwrap()
    }

    #[test]
    fn tallies_of_parts_add_up() {
        let table = table(60);
        let groups: Groups = (0..12).map(|group| (group..60).step_by(12)).collect();
        let parts = [0..5, 5..12]
            .map(|part| part.map(|group| groups.get(group).to_vec()).collect::<Groups>());
        for style in Style::ALL {
            let tally = |groups: &Groups| Tally::new(&publish(&table, groups, style).0, &table);
            let mut sum = Tally::empty(2);
            sum.add(Tally::empty(2));
            for part in &parts {
                sum.add(tally(part));
                sum.add(Tally::empty(2));
            }
            assert_eq!(sum, tally(&groups));
            assert_eq!(
                (sum.groups, sum.rows, sum.smallest, sum.largest, sum.dm),
                (12, 60, 5, 5, 300)
            );
            assert_eq!(sum.highest_share(), fraction(1, 5));
        }
    }

    /// The highest share is found in whichever part it is.
    #[test]
    fn the_smallest_group_is_that_of_all_parts() {
        let table = table(12);
        let tally = |groups: &[&[u32]]| {
            let groups: Groups = groups.iter().map(|group| group.to_vec()).collect();
            Tally::new(&publish(&table, &groups, Style::Generalize).0, &table)
        };
        let parts = [tally(&[&[0, 1, 2]]), tally(&[&[3], &[4, 5, 6, 7]]), tally(&[&[8, 9]])];
        for first in 0..3 {
            let mut sum = Tally::empty(2);
            (0..3).for_each(|part| sum.add(parts[(first + part) % 3].clone()));
            assert_eq!((sum.smallest, sum.largest, sum.groups), (1, 4, 4));
            assert_eq!(sum.highest_share(), Fraction::one());
        }
    }

    /// A leaf that is published unchanged represents itself.
    #[test]
    fn nodes_of_several_leaves_are_noted() {
        let table = table(40);
        // A leaf; two of a decade; three of a decade, and a leaf of another.
        let groups = [vec![0], vec![1, 2], vec![3, 14, 27, 4], vec![8, 7, 11, 12]];
        let found = Tally::new(
            &publish(&table, &groups.into_iter().collect(), Style::Generalize).0,
            &table,
        );
        let leaves: Vec<(u32, u32)> = found.nodes[1].iter().map(|(leaves, _)| *leaves).collect();
        assert!(found.nodes[0].is_empty());
        assert_eq!(leaves, [(0, 9), (20, 29), (30, 39)]);
        assert_eq!((found.groups, found.smallest, found.largest), (4, 1, 4));
        let mut sum = Tally::empty(2);
        sum.add(found.clone());
        assert_eq!(sum, found);
    }
}
