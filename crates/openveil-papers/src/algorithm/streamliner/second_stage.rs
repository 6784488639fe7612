//! The second stage (Privacy Streamliner, section 5): a better partition of a family set.
//!
//! A family set consists of the partitions whose groups are unions of groups of the minimal
//! partition. The choice uses known columns and the minimal partition, nothing else: this module never
//! gets the secret, and no choice depends on the numbers of rows or groups. See the [proof](super).

use openveil_core::coins::{Coins, SecretCoins, shuffle};
use openveil_core::table::{Column, Generalization, Groups};
use std::ops::RangeInclusive;

/// The number of rounds of merging, each over all columns.
const ROUNDS: usize = 4;

/// The share of rows that errors of smaller counts are divided by, instead of the count.
const FLOOR: f64 = 0.005;

/// The number of counts on each column and on all of them together, and of all counts. Every merge
/// is tried against every count.
const EACH: usize = 100;
const MOST: usize = 1_000;

/// The counts are the same in every run: they are part of the algorithm, which readers know.
const SEED: u64 = 5;

/// A range of codes for each column of a count.
type CountRanges = Vec<(usize, RangeInclusive<u32>)>;

/// Counts on known columns, by which partitions are compared. Their true answers are as public as
/// the columns.
#[derive(Debug, Clone)]
pub struct Family<'a> {
    known: &'a [Column],
    rows: usize,
    counts: Vec<CountRanges>,
    truth: Vec<f64>,
}

impl<'a> Family<'a> {
    /// Draws random ranges of a tenth to a half of a domain, on each column by itself and on all
    /// columns. Columns with the weight 0 are left out. O(counts · rows).
    pub fn new(known: &'a [Column], rows: usize) -> Self {
        let axes: Vec<usize> = (0..known.len()).filter(|&axis| known[axis].weight() > 0).collect();
        let mut sets: Vec<Vec<usize>> = axes.iter().map(|&axis| vec![axis]).collect();
        if axes.len() > 1 {
            sets.push(axes);
        }
        let each = (MOST / sets.len().max(1)).clamp(1, EACH);
        let mut draws = SecretCoins::from_test_seed(SEED);
        let mut counts: Vec<CountRanges> = Vec::new();
        for set in sets {
            for _ in 0..each {
                let mut range = |&axis: &usize| {
                    let size = known[axis].domain().len() as u32;
                    let (least, most) = (size.div_ceil(10), (size / 2).max(1));
                    let length = least + draws.below(most.max(least) - least + 1);
                    let first = draws.below(size - length + 1);
                    (axis, first..=first + length - 1)
                };
                counts.push(set.iter().map(&mut range).collect());
            }
        }
        let meets = |ranges: &CountRanges, row: usize| {
            ranges.iter().all(|(axis, codes)| codes.contains(&known[*axis].codes()[row]))
        };
        let answer =
            |ranges: &CountRanges| (0..rows).filter(|&row| meets(ranges, row)).count() as f64;
        let truth = counts.iter().map(answer).collect();
        Self { known, rows, counts, truth }
    }

    /// Returns a partition of the family set with a low error of the counts. Two groups whose
    /// centres are consecutive along a column are merged if that lowers the error. Coins decide the
    /// order of groups whose people are alike. O(groups · counts) for each round and column.
    pub fn best(&self, minimal: &Groups, coins: &mut dyn Coins) -> Groups {
        let mut merging = Merging::new(self, self.in_order(minimal, coins));
        for _ in 0..ROUNDS {
            let before = merging.parts.len();
            (0..self.known.len()).for_each(|axis| merging.along(axis));
            if merging.parts.len() == before {
                break;
            }
        }
        merging.parts.into_iter().map(|part| part.rows).collect()
    }

    /// Orders groups by the known columns of their people. An order by numbers of rows or groups
    /// could depend on who has which value.
    fn in_order(&self, groups: &Groups, coins: &mut dyn Coins) -> Vec<Vec<u32>> {
        let row = |&row: &u32| -> Vec<u32> {
            self.known.iter().map(|column| column.codes()[row as usize]).collect()
        };
        let people = |rows: &[u32]| {
            let mut people: Vec<Vec<u32>> = rows.iter().map(row).collect();
            people.sort_unstable();
            people
        };
        let mut all: Vec<(Vec<Vec<u32>>, Vec<u32>)> =
            groups.iter().map(|rows| (people(rows), rows.to_vec())).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        for alike in all.chunk_by_mut(|a, b| a.0 == b.0) {
            shuffle(alike, coins);
        }
        all.into_iter().map(|(_, rows)| rows).collect()
    }

    /// Returns the sum of errors of counts, if groups let a reader expect these.
    fn error(&self, expected: impl Iterator<Item = f64>) -> f64 {
        let least = FLOOR * self.rows as f64;
        let off = |(truth, expected): (&f64, f64)| (truth - expected).abs() / truth.max(least);
        self.truth.iter().zip(expected).map(off).sum()
    }
}

/// The published form of a column in a group.
#[derive(Debug, Clone)]
enum Extent {
    /// An interval of an ordered domain.
    Range(u32, u32),
    /// Members of an unordered domain, ascending.
    Set(Vec<u32>),
}

impl Extent {
    fn new(column: &Column, rows: &[u32]) -> Self {
        let mut codes: Vec<u32> = rows.iter().map(|&row| column.codes()[row as usize]).collect();
        codes.sort_unstable();
        codes.dedup();
        match column.domain().generalization() {
            Generalization::Interval => Self::Range(codes[0], codes[codes.len() - 1]),
            _ => Self::Set(codes),
        }
    }

    fn union(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Range(a, b), Self::Range(c, d)) => Self::Range(*a.min(c), *b.max(d)),
            (Self::Set(own), Self::Set(others)) => {
                let mut codes = [&own[..], others].concat();
                codes.sort_unstable();
                codes.dedup();
                Self::Set(codes)
            }
            _ => unreachable!("a column has one form"),
        }
    }

    /// Returns the share of it that lies in a range.
    fn share(&self, codes: &RangeInclusive<u32>) -> f64 {
        match self {
            Self::Range(low, high) => {
                let (from, to) = (*low.max(codes.start()), *high.min(codes.end()));
                f64::from((to + 1).saturating_sub(from)) / f64::from(high - low + 1)
            }
            Self::Set(members) => {
                let inside = members.iter().filter(|code| codes.contains(code)).count();
                inside as f64 / members.len() as f64
            }
        }
    }
}

/// A group under construction.
struct PendingGroup {
    rows: Vec<u32>,
    /// The place of its first part in the order of groups, which settles ties.
    place: usize,
    extents: Vec<Extent>,
    centre: Vec<f64>,
    /// The rows that each count expects from it.
    expected: Vec<f64>,
}

impl PendingGroup {
    fn new(family: &Family<'_>, place: usize, rows: Vec<u32>) -> Self {
        let extents = family.known.iter().map(|column| Extent::new(column, &rows));
        let mean = |column: &Column| {
            let codes = rows.iter().map(|&row| u64::from(column.codes()[row as usize]));
            codes.sum::<u64>() as f64 / rows.len() as f64
        };
        let centre = family.known.iter().map(mean).collect();
        Self::counted(
            family,
            Self { extents: extents.collect(), centre, place, rows, expected: Vec::new() },
        )
    }

    fn union(family: &Family<'_>, one: &Self, other: &Self) -> Self {
        let [own, others] = [one, other].map(|part| part.rows.len() as f64);
        let both = |of: fn(&Self) -> &[f64]| of(one).iter().zip(of(other));
        let centre = both(|part| &part.centre)
            .map(|(a, b)| (a * own + b * others) / (own + others))
            .collect();
        let extents = one.extents.iter().zip(&other.extents).map(|(a, b)| a.union(b)).collect();
        let rows = [&one.rows[..], &other.rows].concat();
        let place = one.place.min(other.place);
        Self::counted(family, Self { extents, centre, place, rows, expected: Vec::new() })
    }

    fn counted(family: &Family<'_>, mut group: Self) -> Self {
        let share = |ranges: &CountRanges| -> f64 {
            ranges.iter().map(|(axis, codes)| group.extents[*axis].share(codes)).product()
        };
        let rows = group.rows.len() as f64;
        group.expected = family.counts.iter().map(|ranges| rows * share(ranges)).collect();
        group
    }
}

/// Groups that are being merged, and the rows that counts expect from all of them together.
struct Merging<'a> {
    family: &'a Family<'a>,
    parts: Vec<PendingGroup>,
    expected: Vec<f64>,
    error: f64,
}

impl<'a> Merging<'a> {
    fn new(family: &'a Family<'a>, groups: Vec<Vec<u32>>) -> Self {
        let numbered = groups.into_iter().enumerate();
        let parts: Vec<PendingGroup> =
            numbered.map(|(place, rows)| PendingGroup::new(family, place, rows)).collect();
        let mut expected = vec![0.0; family.counts.len()];
        for part in &parts {
            expected.iter_mut().zip(&part.expected).for_each(|(all, own)| *all += own);
        }
        let error = family.error(expected.iter().copied());
        Self { family, parts, expected, error }
    }

    /// Tries to merge groups that are consecutive along a column.
    fn along(&mut self, axis: usize) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.sort_by(|a, b| a.centre[axis].total_cmp(&b.centre[axis]).then(a.place.cmp(&b.place)));
        let mut kept: Vec<PendingGroup> = Vec::with_capacity(parts.len());
        for part in parts {
            let merged = kept.last().and_then(|last| self.together(last, &part));
            match merged {
                Some(together) => *kept.last_mut().expect("it was merged") = together,
                None => kept.push(part),
            }
        }
        self.parts = kept;
    }

    /// Returns the union of two groups, if it lowers the error.
    fn together(&mut self, one: &PendingGroup, other: &PendingGroup) -> Option<PendingGroup> {
        let union = PendingGroup::union(self.family, one, other);
        let expected: Vec<f64> = (0..self.expected.len())
            .map(|i| self.expected[i] - one.expected[i] - other.expected[i] + union.expected[i])
            .collect();
        let error = self.family.error(expected.iter().copied());
        if error >= self.error {
            return None;
        }
        (self.expected, self.error) = (expected, error);
        Some(union)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::table::Domain;
    use rand::{RngExt, SeedableRng};

    /// Ages with ties, and sexes.
    fn people(rows: usize, seed: u64) -> Vec<Column> {
        let mut draws = rand::rngs::StdRng::seed_from_u64(seed);
        let mut column = |most: u32| (0..rows).map(|_| draws.random_range(0..most)).collect();
        vec![
            Column::new("age", column(60), Domain::integers(0..60)),
            Column::new("sex", column(2), Domain::unordered(["f", "m"])),
        ]
    }

    fn in_sixes(rows: u32) -> Groups {
        (0..rows / 6).map(|group| group * 6..group * 6 + 6).collect()
    }

    /// The error by definition: each group's rows are spread evenly over its cell.
    fn error(family: &Family<'_>, groups: &Groups) -> f64 {
        let share = |column: &Column, rows: &[u32], codes: &RangeInclusive<u32>| {
            let own: Vec<u32> = rows.iter().map(|&row| column.codes()[row as usize]).collect();
            let (low, high) = (*own.iter().min().unwrap(), *own.iter().max().unwrap());
            let cell: Vec<u32> = (low..=high)
                .filter(|code| column.domain().is_ordered() || own.contains(code))
                .collect();
            cell.iter().filter(|code| codes.contains(code)).count() as f64 / cell.len() as f64
        };
        let expected = |ranges: &CountRanges| -> f64 {
            let of_group = |rows: &[u32]| {
                let shares =
                    ranges.iter().map(|(axis, codes)| share(&family.known[*axis], rows, codes));
                rows.len() as f64 * shares.product::<f64>()
            };
            groups.iter().map(of_group).sum()
        };
        family.error(family.counts.iter().map(expected))
    }

    #[test]
    fn groups_are_unions_of_minimal_ones_and_err_less() {
        for seed in 0..5 {
            let known = people(240, seed);
            let family = Family::new(&known, 240);
            let mut coins = SecretCoins::from_test_seed(seed);
            let (minimal, chosen) = (in_sixes(240), family.best(&in_sixes(240), &mut coins));
            assert!(chosen.check_partition(240).is_ok() && chosen.len() < minimal.len());
            let is_union = |rows: &[u32]| {
                minimal.iter().all(|own| {
                    let inside = own.iter().filter(|row| rows.contains(row)).count();
                    [0, own.len()].contains(&inside)
                })
            };
            assert!(chosen.iter().all(is_union));
            assert!(error(&family, &chosen) < error(&family, &minimal));
            let merging = Merging::new(&family, chosen.iter().map(<[u32]>::to_vec).collect());
            assert!((merging.error - error(&family, &chosen)).abs() < 1e-6);
        }
    }

    /// The same people in other rows, and groups in another order, lead to the same groups.
    #[test]
    fn numbers_of_rows_and_groups_do_not_matter() {
        let mut draws = SecretCoins::from_test_seed(3);
        // Ages all differ, so no groups are alike and no coins are tossed.
        let ages: Vec<u32> = (0..60).collect();
        let known = |ages: Vec<u32>| [Column::new("age", ages, Domain::integers(0..60))];
        for _ in 0..20 {
            let mut seats = ages.clone();
            shuffle(&mut seats, &mut draws);
            let before = known(ages.clone());
            let mut moved = vec![0; 60];
            seats.iter().zip(&ages).for_each(|(&seat, &age)| moved[seat as usize] = age);
            let after = known(moved);
            let mut minimal: Vec<Vec<u32>> =
                (0..10).map(|group| (0..6).map(|i| group + 10 * i).collect()).collect();
            let chosen = |known: &[Column; 1], groups: Vec<Vec<u32>>| {
                let groups: Groups = groups.into_iter().collect();
                let mut none = SecretCoins::from_test_seed(0);
                Family::new(known, 60).best(&groups, &mut none)
            };
            let own = chosen(&before, minimal.clone());
            minimal.reverse();
            minimal.iter_mut().for_each(|rows| {
                rows.iter_mut().for_each(|row| *row = seats[*row as usize]);
                rows.reverse();
            });
            let other = chosen(&after, minimal);
            assert_eq!(own.renumbered(|row| seats[row as usize]).sorted(), other.sorted());
        }
    }
}
