//! The second stage of the Privacy Streamliner paper: the best partition of a family set.
//!
//! A family set consists of all partitions whose groups are unions of groups of a minimal
//! partition. The choice uses quasi-identifiers and the minimal partition only. If that partition
//! comes from a safe algorithm, the choice is safe: it is a function of a release that could have
//! been published, so what it discloses is a mixture of what that release discloses. Groups of an
//! unsafe algorithm stay unsafe.

use openveil_core::table::{Generalization, Groups, View};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::ops::RangeInclusive;

/// The number of rounds of merging, each over all quasi-identifiers.
const ROUNDS: usize = 4;

/// The share of rows that errors of smaller counts are divided by, instead of the count.
const FLOOR: f64 = 0.005;

/// Random counts on one, two or all quasi-identifiers by which partitions are compared. Their true
/// answers are public, like quasi-identifiers.
#[derive(Debug, Clone)]
pub struct RandomCounts {
    /// Per query, a range of codes for each of its columns.
    queries: Vec<Vec<(usize, RangeInclusive<u32>)>>,
    truth: Vec<f64>,
}

impl RandomCounts {
    /// Makes `each` queries on every set of columns. O(queries · rows).
    pub fn random(table: &View, sets: &[&[usize]], each: usize, seed: u64) -> Self {
        let mut generator = StdRng::seed_from_u64(seed);
        let mut queries = Vec::new();
        for set in sets {
            for _ in 0..each {
                let range = |&axis: &usize| {
                    let size = table.known()[axis].domain().len() as u32;
                    let (least, most) = (size.div_ceil(10), (size / 2).max(1));
                    let length = generator.random_range(least..=most.max(least));
                    let first = generator.random_range(0..=size - length);
                    (axis, first..=first + length - 1)
                };
                queries.push(set.iter().map(range).collect::<Vec<_>>());
            }
        }
        let answer = |query: &Vec<(usize, RangeInclusive<u32>)>| {
            let meets = |&row: &usize| {
                query
                    .iter()
                    .into_iter()
                    .all(|(axis, codes)| codes.contains(&table.known()[*axis].codes()[row]))
            };
            (0..table.rows()).filter(meets).count() as f64
        };
        let truth = queries.iter().map(answer).collect();
        Self { queries, truth }
    }

    /// Returns the number of rows that each query expects from a group, if its rows are spread
    /// evenly over its cell.
    fn expected(&self, cell: &FamilyCell) -> Vec<f64> {
        let share = |query: &Vec<(usize, RangeInclusive<u32>)>| {
            query.iter().map(|(axis, codes)| cell.share(*axis, codes)).product::<f64>()
        };
        self.queries.iter().map(|query| cell.rows * share(query)).collect()
    }

    fn error(&self, expected: impl Iterator<Item = f64>, rows: usize) -> f64 {
        let least = FLOOR * rows as f64;
        self.truth
            .iter()
            .zip(expected)
            .map(|(truth, expected)| (truth - expected).abs() / truth.max(least))
            .sum()
    }
}

/// The published quasi-identifiers of a group.
#[derive(Debug, Clone)]
struct FamilyCell {
    rows: f64,
    columns: Vec<Extent>,
}

#[derive(Debug, Clone)]
enum Extent {
    /// An interval of an ordered domain.
    Range(RangeInclusive<u32>),
    /// Members of an unordered domain, ascending.
    Set(Vec<u32>),
}

impl FamilyCell {
    fn new(table: &View, group: &[u32]) -> Self {
        let extent = |axis: usize| {
            let column = &table.known()[axis];
            let mut codes: Vec<u32> =
                group.iter().map(|&row| column.codes()[row as usize]).collect();
            codes.sort_unstable();
            codes.dedup();
            match column.domain().generalization() {
                Generalization::Interval => Extent::Range(codes[0]..=codes[codes.len() - 1]),
                _ => Extent::Set(codes),
            }
        };
        Self { rows: group.len() as f64, columns: (0..table.known().len()).map(extent).collect() }
    }

    /// Returns the share of the cell that lies in a range.
    fn share(&self, axis: usize, codes: &RangeInclusive<u32>) -> f64 {
        match &self.columns[axis] {
            Extent::Range(own) => {
                let (low, high) = (own.start().max(codes.start()), own.end().min(codes.end()));
                let inside = (f64::from(*high) - f64::from(*low) + 1.0).max(0.0);
                inside / f64::from(own.end() - own.start() + 1)
            }
            Extent::Set(members) => {
                let inside = members.iter().filter(|code| codes.contains(code)).count();
                inside as f64 / members.len() as f64
            }
        }
    }
}

/// A group under construction.
struct PendingGroup {
    rows: Vec<u32>,
    expected: Vec<f64>,
    centre: Vec<f64>,
}

impl PendingGroup {
    fn new(table: &View, counts: &RandomCounts, rows: Vec<u32>) -> Self {
        let mean = |axis: usize| {
            let codes = table.known()[axis].codes();
            rows.iter().map(|&row| f64::from(codes[row as usize])).sum::<f64>() / rows.len() as f64
        };
        Self {
            expected: counts.expected(&FamilyCell::new(table, &rows)),
            centre: (0..table.known().len()).map(mean).collect(),
            rows,
        }
    }
}

/// Returns a partition of a family set with a low error of the given counts, found by merging
/// neighbours. Two groups whose centres are consecutive along a column are merged if that lowers
/// the error. O(groups · queries) for each round and column, plus sorting.
pub fn merged(table: &View, minimal: &Groups, counts: &RandomCounts) -> Groups {
    let mut merging = Merging::new(table, minimal, counts);
    for _ in 0..ROUNDS {
        let before = merging.parts.len();
        (0..table.known().len()).for_each(|axis| merging.along(axis));
        if merging.parts.len() == before {
            break;
        }
    }
    merging.parts.into_iter().map(|part| part.rows).collect()
}

/// Groups that are being merged, and the results that queries expect from all of them together.
struct Merging<'a> {
    table: &'a View,
    counts: &'a RandomCounts,
    parts: Vec<PendingGroup>,
    expected: Vec<f64>,
    error: f64,
}

impl<'a> Merging<'a> {
    fn new(table: &'a View, minimal: &Groups, counts: &'a RandomCounts) -> Self {
        let parts: Vec<PendingGroup> =
            minimal.iter().map(|rows| PendingGroup::new(table, counts, rows.to_vec())).collect();
        let mut expected = vec![0.0; counts.queries.len()];
        for part in &parts {
            expected.iter_mut().zip(&part.expected).for_each(|(all, own)| *all += own);
        }
        Self {
            error: counts.error(expected.iter().copied(), table.rows()),
            table,
            counts,
            parts,
            expected,
        }
    }

    /// Tries to merge groups that are consecutive along a column.
    fn along(&mut self, axis: usize) {
        let mut parts = std::mem::take(&mut self.parts);
        // Ties are broken by first row: any public order works.
        parts.sort_by(|a, b| {
            let centres = a.centre[axis].total_cmp(&b.centre[axis]);
            centres.then(a.rows[0].cmp(&b.rows[0]))
        });
        let mut kept: Vec<PendingGroup> = Vec::with_capacity(parts.len());
        for part in parts {
            match kept.last().and_then(|last| self.together(last, &part)) {
                Some(together) => *kept.last_mut().expect("it was merged") = together,
                None => kept.push(part),
            }
        }
        self.parts = kept;
    }

    /// Returns the union of two groups, if it lowers the error.
    fn together(&mut self, one: &PendingGroup, other: &PendingGroup) -> Option<PendingGroup> {
        let rows = [&one.rows[..], &other.rows].concat();
        let together = PendingGroup::new(self.table, self.counts, rows);
        let apart = one.expected.iter().zip(&other.expected);
        let change = together.expected.iter().zip(apart);
        let trial = self.expected.iter().zip(change);
        let trial: Vec<f64> =
            trial.map(|(all, (together, (one, other)))| all + together - one - other).collect();
        let error = self.counts.error(trial.iter().copied(), self.table.rows());
        (error < self.error).then(|| {
            (self.expected, self.error) = (trial, error);
            together
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::algorithm::Algorithm;
    use openveil_core::coins::Coins;
    use openveil_core::exact::{Fraction, fraction};
    use openveil_core::model::{Model, RatioDiversity};
    use openveil_papers::algorithm::Rda;
    use openveil_papers::verify::{Scenario, verify};

    type Mechanism<'a> = &'a (dyn Fn(&View, &Groups) -> Groups + Sync);

    /// Returns the greatest chance of a value if `choose` follows `rda`.
    fn greatest(values: &[u32], choose: Mechanism<'_>) -> Fraction {
        let model = RatioDiversity::new(2).unwrap();
        let scenario = Scenario::of_values(values.to_vec(), model).unwrap();
        let mechanism = |view: &View, model: &Model, coins: &mut dyn Coins| {
            Ok(choose(view, &Rda.partition(view, model, coins)?))
        };
        verify(&mechanism, &scenario).unwrap().max_posterior
    }

    #[test]
    fn a_choice_by_quasi_identifiers_is_safe() {
        for values in [&[1, 1, 2, 2, 3, 3][..], &[1, 1, 1, 2, 2, 3], &[1, 1, 2, 2, 3, 4, 5]] {
            let table = Scenario::of_values(values.to_vec(), RatioDiversity::new(2).unwrap());
            let table = table.unwrap().table().clone();
            let counts = RandomCounts::random(&table, &[&[0]], 12, 5);
            let by_ranks = |view: &View, groups: &Groups| merged(view, groups, &counts);
            assert_eq!(greatest(values, &by_ranks), fraction(1, 2));
        }
    }

    /// A choice by an error that depends on who has which value is not safe.
    #[test]
    fn a_choice_by_true_values_is_not() {
        let by_values = |view: &View, groups: &Groups| {
            let codes = view.secret().codes();
            let has = |row: &u32| codes[*row as usize] == 0;
            // The number of the first three rows with the first value: the true one, and the one
            // that groups suggest.
            let truth = (0..3).filter(has).count() as f64;
            let expected: f64 = groups
                .iter()
                .map(|group| {
                    let [first, with] = [&|row: &u32| *row < 3, &has as &dyn Fn(&u32) -> bool]
                        .map(|is| group.iter().filter(|row| is(row)).count() as f64);
                    first * with / group.len() as f64
                })
                .sum();
            let everybody: Groups = std::iter::once(0..view.rows() as u32).collect();
            if (truth - expected).abs() < (truth - 1.0).abs() { groups.clone() } else { everybody }
        };
        assert!(greatest(&[1, 1, 2, 2, 3, 3], &by_values) > fraction(1, 2));
    }

    #[test]
    fn groups_are_unions_of_minimal_ones_and_err_less() {
        let table = crate::census::skewed(600, 3);
        let minimal: Groups = (0..100u32).map(|first| first * 6..first * 6 + 6).collect();
        let counts = RandomCounts::random(&table, &[&[0], &[1]], 40, 1);
        let chosen = merged(&table, &minimal, &counts);
        assert!(chosen.check_partition(600).is_ok());
        let error = |groups: &Groups| {
            let sum = groups
                .iter()
                .map(|rows| counts.expected(&FamilyCell::new(&table, rows)))
                .reduce(|a, b| a.iter().zip(b).map(|(a, b)| a + b).collect());
            counts.error(sum.unwrap().into_iter(), 600)
        };
        assert!(error(&chosen) < error(&minimal));
        let of_six = |rows: &[u32]| rows.len().is_multiple_of(6);
        assert!(chosen.iter().all(of_six));
    }
}
