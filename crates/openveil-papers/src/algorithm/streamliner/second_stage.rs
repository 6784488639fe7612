//! The second stage (Privacy Streamliner, section 5): a better partition of a family set.
//!
//! A family set consists of the partitions whose groups are unions of groups of the minimal
//! partition. The choice uses known columns and the minimal partition, nothing else: this module never
//! gets the secret, and no choice depends on the numbers of rows or groups. See the [proof](super).

use openveil_core::coins::{Coins, SecretCoins, shuffle};
use openveil_core::table::{Column, Generalization, Groups};

/// The number of pairs of groups that are tried for each group of the minimal partition. On the
/// census of the laboratory the error hardly falls after that.
const TRIALS: usize = 40;

/// The share of rows that errors of smaller counts are divided by, instead of the count.
const FLOOR: f64 = 0.005;

/// The number of counts on each column and on all of them together, and of all counts. Every change
/// is tried against every count.
const EACH: usize = 100;
const MOST: usize = 1_000;

/// Counts and tried pairs are the same in every run: they are part of the algorithm, which readers
/// know.
const SEED: u64 = 5;

/// A column of a count, with the first and the last code of a range.
type CodeRange = (usize, [u32; 2]);

/// A range of codes for each column of a count.
type CountRanges = Vec<CodeRange>;

/// Counts on known columns, by which partitions are compared. Their true answers are as public as
/// the columns.
#[derive(Debug, Clone)]
pub struct Family<'a> {
    known: &'a [Column],
    counts: Vec<CountRanges>,
    truth: Vec<f64>,
    /// How much a row too many or too few weighs.
    weights: Vec<f64>,
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
                let mut range = |&axis: &usize| -> CodeRange {
                    let size = known[axis].domain().len() as u32;
                    let (least, most) = (size.div_ceil(10), (size / 2).max(1));
                    let length = least + draws.below(most.max(least) - least + 1);
                    let first = draws.below(size - length + 1);
                    (axis, [first, first + length - 1])
                };
                counts.push(set.iter().map(&mut range).collect());
            }
        }
        // A small domain has few ranges, which are drawn many times.
        counts.sort_unstable();
        let drawn: Vec<f64> =
            counts.chunk_by(|a, b| a == b).map(|alike| alike.len() as f64).collect();
        counts.dedup();
        let meets = |ranges: &CountRanges, row: usize| {
            ranges
                .iter()
                .all(|&(axis, [first, last])| (first..=last).contains(&known[axis].codes()[row]))
        };
        let answer =
            |ranges: &CountRanges| (0..rows).filter(|&row| meets(ranges, row)).count() as f64;
        let truth: Vec<f64> = counts.iter().map(answer).collect();
        let least = FLOOR * rows as f64;
        let weight = |(times, truth): (&f64, &f64)| times / truth.max(least);
        let weights = drawn.iter().zip(&truth).map(weight).collect();
        Self { known, counts, truth, weights }
    }

    /// Returns a partition of the family set with a low error of the counts: a local search, which
    /// joins two groups, or moves a minimal group to another group or out of it, if that lowers the
    /// error. Coins decide the order of groups whose people are alike.
    /// O(`TRIALS` · groups · counts).
    pub fn best(&self, minimal: &Groups, coins: &mut dyn Coins) -> Groups {
        let mut search = Search::new(self, self.in_order(minimal, coins));
        let mut draws = SecretCoins::from_test_seed(SEED);
        for _ in 0..TRIALS * search.minimal.len() {
            search.try_pair(&mut draws);
        }
        search.groups().collect()
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
    fn error(&self, expected: &[f64]) -> f64 {
        let off =
            |((truth, weight), expected): ((&f64, &f64), &f64)| weight * (truth - expected).abs();
        self.truth.iter().zip(&self.weights).zip(expected).map(off).sum()
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
    fn share(&self, [first, last]: [u32; 2]) -> f64 {
        match self {
            Self::Range(low, high) => {
                let (from, to) = (first.max(*low), last.min(*high));
                f64::from((to + 1).saturating_sub(from)) / f64::from(high - low + 1)
            }
            Self::Set(members) => {
                let before = |end: u32| members.partition_point(|&code| code < end);
                let inside = before(last + 1) - before(first);
                inside as f64 / members.len() as f64
            }
        }
    }
}

/// A union of minimal groups.
#[derive(Debug, Clone)]
struct GroupUnion {
    /// The numbers of its minimal groups.
    minimal: Vec<u32>,
    rows: usize,
    extents: Vec<Extent>,
}

impl GroupUnion {
    fn with(&self, other: &Self) -> Self {
        Self {
            minimal: [&self.minimal[..], &other.minimal].concat(),
            rows: self.rows + other.rows,
            extents: self.extents.iter().zip(&other.extents).map(|(a, b)| a.union(b)).collect(),
        }
    }

    /// Returns the rows that each count expects from it.
    fn expected(&self, counts: &[CountRanges]) -> Vec<f64> {
        let share = |ranges: &CountRanges| -> f64 {
            ranges.iter().map(|&(axis, codes)| self.extents[axis].share(codes)).product()
        };
        counts.iter().map(|ranges| self.rows as f64 * share(ranges)).collect()
    }
}

/// A partition of the family set that is being improved, and the rows that counts expect from it.
struct Search<'a> {
    family: &'a Family<'a>,
    minimal: Vec<(Vec<u32>, GroupUnion)>,
    unions: Vec<GroupUnion>,
    expected: Vec<f64>,
    error: f64,
}

impl<'a> Search<'a> {
    fn new(family: &'a Family<'a>, groups: Vec<Vec<u32>>) -> Self {
        let alone = |(number, rows): (u32, Vec<u32>)| {
            let extents = family.known.iter().map(|column| Extent::new(column, &rows)).collect();
            let union = GroupUnion { minimal: vec![number], rows: rows.len(), extents };
            (rows, union)
        };
        let minimal: Vec<(Vec<u32>, GroupUnion)> = (0..).zip(groups).map(alone).collect();
        let unions: Vec<GroupUnion> = minimal.iter().map(|(_, union)| union.clone()).collect();
        let mut expected = vec![0.0; family.counts.len()];
        for union in &unions {
            let own = union.expected(&family.counts);
            expected.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        }
        let error = family.error(&expected);
        Self { family, minimal, unions, expected, error }
    }

    /// Draws two unions and a minimal group of the first, and makes the first change that lowers the
    /// error.
    fn try_pair(&mut self, draws: &mut SecretCoins) {
        let mut draw = |among: usize| draws.below(among as u32) as usize;
        let places = [draw(self.unions.len()), draw(self.unions.len())];
        let [one, other] = places.map(|place| &self.unions[place]);
        let taken = draw(one.minimal.len());
        if places[0] == places[1] {
            return;
        }
        let before = [one, other].map(|union| union.expected(&self.family.counts));
        let joined = one.with(other);
        let mut others = one.minimal.clone();
        let (_, taken) = &self.minimal[others.swap_remove(taken) as usize];
        let alone = |number: &u32| self.minimal[*number as usize].1.clone();
        let left = others.iter().map(alone).reduce(|all, own| all.with(&own));
        let mut changes = vec![vec![joined]];
        if let Some(left) = left {
            changes.push(vec![left.clone(), other.with(taken)]);
            changes.push(vec![left, other.clone(), taken.clone()]);
        }
        for change in changes {
            if self.make(places, &before, change) {
                return;
            }
        }
    }

    /// Puts other unions into the place of two, if that lowers the error.
    fn make(&mut self, places: [usize; 2], before: &[Vec<f64>; 2], after: Vec<GroupUnion>) -> bool {
        let mut expected = self.expected.clone();
        for own in before {
            expected.iter_mut().zip(own).for_each(|(all, own)| *all -= own);
        }
        for own in after.iter().map(|union| union.expected(&self.family.counts)) {
            expected.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        }
        let error = self.family.error(&expected);
        if error >= self.error {
            return false;
        }
        (self.expected, self.error) = (expected, error);
        let mut after = after.into_iter();
        self.unions[places[0]] = after.next().expect("a change leaves a union");
        match after.next() {
            Some(union) => self.unions[places[1]] = union,
            None => drop(self.unions.swap_remove(places[1])),
        }
        self.unions.extend(after);
        true
    }

    /// Returns the rows of each union.
    fn groups(&self) -> impl Iterator<Item = Vec<u32>> {
        self.unions.iter().map(|union| {
            let rows = |number: &u32| self.minimal[*number as usize].0.iter().copied();
            union.minimal.iter().flat_map(rows).collect()
        })
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
        let share = |column: &Column, rows: &[u32], [first, last]: [u32; 2]| {
            let own: Vec<u32> = rows.iter().map(|&row| column.codes()[row as usize]).collect();
            let (low, high) = (*own.iter().min().unwrap(), *own.iter().max().unwrap());
            let cell: Vec<u32> = (low..=high)
                .filter(|code| column.domain().is_ordered() || own.contains(code))
                .collect();
            cell.iter().filter(|code| (first..=last).contains(*code)).count() as f64
                / cell.len() as f64
        };
        let expected = |ranges: &CountRanges| -> f64 {
            let of_group = |rows: &[u32]| {
                let shares =
                    ranges.iter().map(|&(axis, codes)| share(&family.known[axis], rows, codes));
                rows.len() as f64 * shares.product::<f64>()
            };
            groups.iter().map(of_group).sum()
        };
        family.error(&family.counts.iter().map(expected).collect::<Vec<_>>())
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
            let found = Search::new(&family, chosen.iter().map(<[u32]>::to_vec).collect());
            assert!((found.error - error(&family, &chosen)).abs() < 1e-6);
        }
    }

    /// Returns all partitions of some minimal groups, as lists of their numbers.
    fn partitions(groups: u32) -> Vec<Vec<Vec<u32>>> {
        let Some(last) = groups.checked_sub(1) else {
            return vec![Vec::new()];
        };
        let with_last = |before: Vec<Vec<u32>>| {
            (0..=before.len()).map(move |place| {
                let mut unions = before.clone();
                match unions.get_mut(place) {
                    Some(union) => union.push(last),
                    None => unions.push(vec![last]),
                }
                unions
            })
        };
        partitions(last).into_iter().flat_map(with_last).collect()
    }

    /// The search against every partition of the family set.
    #[test]
    fn little_is_lost_against_the_best_partition() {
        let (mut best, mut found, mut hits) = (0.0, 0.0, 0);
        for seed in 0..20 {
            let known = people(36, seed);
            let family = Family::new(&known, 36);
            let minimal = in_sixes(36);
            let union = |numbers: &Vec<u32>| -> Vec<u32> {
                numbers.iter().flat_map(|&group| group * 6..group * 6 + 6).collect()
            };
            let least = partitions(6)
                .iter()
                .map(|unions| error(&family, &unions.iter().map(union).collect()))
                .fold(f64::INFINITY, f64::min);
            let mut coins = SecretCoins::from_test_seed(seed);
            let own = error(&family, &family.best(&minimal, &mut coins));
            assert!(own > least - 1e-9);
            hits += u32::from(own < least + 1e-9);
            (best, found) = (best + least, found + own);
        }
        assert!(hits > 10 && found < 1.01 * best, "{hits}, {found} against {best}");
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
