use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// A partition of the rows of a table into groups, in flat arrays.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Groups {
    rows: Vec<u32>,
    ends: Vec<u32>,
    /// Public facts about the columns that groups took their rows from, in the order of groups: for
    /// no groups, or for all.
    units: Vec<UnitLayout>,
    /// Rows of groups above which no cut was refused.
    unrefused: u32,
}

/// A run of consecutive groups that share the same columns: each group took one row from each
/// column. Holds the columns' values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitLayout {
    /// The codes of each column's values, ascending; columns ascending. Empty if no column has
    /// several values, or columns are not published.
    columns: Vec<Vec<u32>>,
    groups: u32,
}

impl UnitLayout {
    /// Groups that each took one row from each of these columns of values. If every column has a
    /// single value, the columns are left out, since groups show these values anyway.
    pub fn new(groups: u32, mut columns: Vec<Vec<u32>>) -> Self {
        for column in &mut columns {
            column.sort_unstable();
            column.dedup();
        }
        columns.sort_unstable();
        if columns.iter().all(|column| column.len() <= 1) {
            columns.clear();
        }
        Self { columns, groups }
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// The codes of each column's values.
    pub fn columns(&self) -> &[Vec<u32>] {
        &self.columns
    }

    /// Appends this unit to others, or merges it with the last one if both have the same columns.
    pub fn add_to(self, units: &mut Vec<Self>) {
        match units.last_mut() {
            Some(last) if last.columns == self.columns => last.groups += self.groups,
            _ => units.extend((self.groups > 0).then_some(self)),
        }
    }
}

/// The columns of values of groups that have no rows yet: for each column its values, each once,
/// with their numbers of rows. Every group takes one row of each column, so columns have equally
/// many rows.
pub type UnitColumns = Vec<Vec<(u32, u32)>>;

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
        Self {
            rows: Vec::with_capacity(rows),
            ends: Vec::with_capacity(groups),
            units: Vec::new(),
            unrefused: 0,
        }
    }

    /// Groups of these sizes, none of which is 0, whose rows are filled in later.
    pub(crate) fn of_sizes(sizes: impl Iterator<Item = usize>) -> Self {
        let end = |end: &mut u32, size: usize| {
            *end += size as u32;
            Some(*end)
        };
        let ends: Vec<u32> = sizes.scan(0, end).collect();
        Self {
            rows: vec![0; ends.last().map_or(0, |&end| end as usize)],
            ends,
            units: Vec::new(),
            unrefused: 0,
        }
    }

    /// Adds a group; an empty one is left out.
    pub fn push(&mut self, group: impl IntoIterator<Item = u32>) {
        let start = self.rows.len();
        self.rows.extend(group);
        if self.rows.len() > start {
            self.ends.push(self.rows.len() as u32);
            if !self.units.is_empty() {
                UnitLayout::new(1, Vec::new()).add_to(&mut self.units);
            }
        }
    }

    /// Adds all groups of another list.
    pub fn append(&mut self, other: Self) {
        if self.rows.is_empty() {
            *self = other;
            return;
        }
        if !self.units.is_empty() || !other.units.is_empty() {
            let mut units = self.all_units();
            let others = other.all_units();
            others.into_iter().for_each(|unit| unit.add_to(&mut units));
            self.units = units;
        }
        self.unrefused += other.unrefused;
        let start = self.rows.len() as u32;
        self.rows.extend(other.rows);
        self.ends
            .extend(other.ends.into_iter().map(|end| start + end));
    }

    /// Returns these groups with renumbered rows. O(n).
    #[must_use]
    pub fn renumbered(mut self, number: impl Fn(u32) -> u32) -> Self {
        self.rows.iter_mut().for_each(|row| *row = number(*row));
        self
    }

    /// Returns these groups with several rows for each of theirs, equally many for each, and without
    /// units. O(n).
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
        Self {
            rows,
            ends,
            units: Vec::new(),
            unrefused: 0,
        }
    }

    /// Returns these groups with these units, in their order. If no unit has columns, the units are
    /// left out.
    ///
    /// # Panics
    /// If the units do not have as many groups as there are.
    #[must_use]
    pub fn with_units(mut self, units: impl IntoIterator<Item = UnitLayout>) -> Self {
        self.units.clear();
        for unit in units {
            unit.add_to(&mut self.units);
        }
        let groups: usize = self.units.iter().map(|unit| unit.groups as usize).sum();
        assert!(
            self.units.is_empty() || groups == self.len(),
            "units hold all groups"
        );
        if self.units.iter().all(|unit| unit.columns.is_empty()) {
            self.units.clear();
        }
        self
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

    /// The units of the groups, in the order of groups. They are public, unlike the members of
    /// groups. Empty if columns are not published.
    pub fn units(&self) -> &[UnitLayout] {
        &self.units
    }

    /// For each group, the columns of values from which it took one row each; empty if they are not
    /// published.
    pub fn columns(&self) -> impl Iterator<Item = &[Vec<u32>]> {
        let units = self.units.iter();
        let of_units = units.flat_map(|unit| {
            let columns = std::iter::repeat_n(unit.columns(), unit.groups as usize);
            columns.take(self.len())
        });
        of_units.chain(std::iter::repeat(&[][..])).take(self.len())
    }

    fn all_units(&self) -> Vec<UnitLayout> {
        if self.units.is_empty() {
            vec![UnitLayout::new(self.len() as u32, Vec::new())]
        } else {
            self.units.clone()
        }
    }

    /// The order of groups by their units, and inside equal units by `compare`, which is an order
    /// that a release may show. Also returns the units in that order.
    ///
    /// `first` gives a number for each group that is in the order of `compare`, or equal; it is
    /// compared first.
    pub(crate) fn order_by(
        &self,
        first: impl Fn(u32) -> u64 + Sync,
        compare: impl Fn(u32, u32) -> Ordering + Sync,
    ) -> (Vec<u32>, Vec<UnitLayout>) {
        let sorted = |kind_of: &(dyn Fn(u32) -> u32 + Sync)| {
            let groups = (0..self.len() as u32).into_par_iter();
            let keys = groups.map(|group| (kind_of(group), first(group), group));
            let mut keys: Vec<(u32, u64, u32)> = keys.collect();
            keys.par_sort_unstable_by(|a, b| {
                let firsts = (a.0, a.1).cmp(&(b.0, b.1));
                firsts.then_with(|| compare(a.2, b.2))
            });
            keys.into_par_iter().map(|(_, _, group)| group).collect()
        };
        if self.units.is_empty() {
            return (sorted(&|_| 0), Vec::new());
        }
        let mut kinds: Vec<&[Vec<u32>]> = self.units.iter().map(|unit| &*unit.columns).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut kind_of = Vec::with_capacity(self.len());
        let mut groups = vec![0; kinds.len()];
        for unit in &self.units {
            let kind = kinds.partition_point(|&kind| kind < &*unit.columns);
            groups[kind] += unit.groups;
            kind_of.resize(kind_of.len() + unit.groups as usize, kind as u32);
        }
        let order = sorted(&|group| kind_of[group as usize]);
        let units = kinds.iter().zip(groups);
        let units = units.map(|(columns, groups)| UnitLayout {
            columns: columns.to_vec(),
            groups,
        });
        (order, units.collect())
    }

    /// These groups in another order, without units.
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

    /// Consecutive groups.
    pub(crate) fn part(&self, groups: Range<usize>) -> GroupsPart<'_> {
        GroupsPart { of: self, groups }
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

    /// Returns this partition with rows and groups in ascending order. If there are units, groups
    /// are ordered by unit first.
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
        if self.units.is_empty() {
            groups.sort_unstable();
            let groups = groups.into_iter().map(|group| group.iter().copied());
            return groups.collect::<Self>().with_unrefused(self.unrefused);
        }
        let compare = |a: u32, b: u32| groups[a as usize].cmp(groups[b as usize]);
        let (order, units) = self.order_by(|_| 0, compare);
        let groups = order.iter().map(|&at| groups[at as usize].iter().copied());
        let sorted = groups.collect::<Self>().with_units(units);
        sorted.with_unrefused(self.unrefused)
    }
}

/// Consecutive groups of a list.
#[derive(Debug, Clone)]
pub(crate) struct GroupsPart<'a> {
    of: &'a Groups,
    groups: Range<usize>,
}

impl<'a> GroupsPart<'a> {
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The rows of all groups together.
    pub(crate) fn rows(&self) -> &'a [u32] {
        self.of.rows_of(self.groups.clone())
    }

    /// The codes of all rows, group by group. They are scattered over the column; fetching them in
    /// one pass lets memory accesses overlap.
    pub(crate) fn codes(&self, column: &[u32]) -> Vec<u32> {
        let rows = self.rows().iter();
        rows.map(|&row| column[row as usize]).collect()
    }

    /// The range of each group's rows among the rows of all groups.
    pub(crate) fn places(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let of = self.of;
        let mut next = 0;
        self.groups.clone().map(move |group| {
            let start = next;
            next += of.get(group).len();
            start..next
        })
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

    fn lists(lists: &[&[u32]]) -> Groups {
        lists.iter().map(|list| list.iter().copied()).collect()
    }

    fn unit(groups: u32, columns: &[&[u32]]) -> UnitLayout {
        UnitLayout::new(groups, columns.iter().map(|own| own.to_vec()).collect())
    }

    #[test]
    fn units_follow_their_groups() {
        let (mixed, other) = ([&[2, 0][..], &[1, 3]], [&[0, 1][..], &[2, 3]]);
        let mut all = lists(&[&[0, 1]]);
        all.append(lists(&[&[2, 3], &[4, 5]]).with_units([unit(1, &mixed), unit(1, &other)]));
        all.append(lists(&[&[6, 7]]).with_units([unit(1, &other)]));
        all.push([9, 8]);
        assert_eq!(
            all.units(),
            [unit(1, &[]), unit(1, &mixed), unit(2, &other), unit(1, &[])]
        );
        let columns: Vec<usize> = all.columns().map(<[_]>::len).collect();
        assert_eq!(columns, [0, 2, 2, 2, 0]);
        let sorted = all.renumbered(|row| 9 - row).sorted();
        assert_eq!(
            sorted.units(),
            [unit(2, &[]), unit(2, &other), unit(1, &mixed)]
        );
        let expected: [&[u32]; 5] = [&[0, 1], &[8, 9], &[2, 3], &[4, 5], &[6, 7]];
        assert!(sorted.iter().eq(expected));
    }

    /// Columns with a single value each show nothing that groups do not show.
    #[test]
    fn units_of_single_values_say_nothing() {
        let single = unit(2, &[&[0], &[1]]);
        assert!(single.columns().is_empty());
        let groups = lists(&[&[0, 1], &[2, 3]]);
        assert_eq!(groups.clone().with_units([single]), groups);
        assert_eq!(groups.columns().count(), 2);
    }
}
