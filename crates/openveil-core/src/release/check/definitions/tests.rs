//! Compares the fast sums with sums over all values, in fractions.

use super::distances::{Ranks, TableDistance};
use super::diversity::{DiversityUnit, recursive, weights};
use super::numbers::Share;
use super::{CheckedGroup, Definition, Whole};
use crate::exact::{Fraction, Rational, fraction};
use crate::model::{CategoryWeights, EntropyDiversity, GroundDistance, Requirement, TCloseness};
use crate::table::Secret;
use num_traits::{Signed, Zero};
use proptest::prelude::*;

fn column(values: usize) -> Secret {
    Secret::new("s", vec![], (0..values).map(|value| format!("v{value}")))
}

fn differences(counts: &[u64], group: &[u64]) -> Vec<Fraction> {
    let share = |counts: &[u64], value: usize| {
        fraction(counts[value].into(), counts.iter().sum::<u64>().into())
    };
    (0..counts.len())
        .filter(|&value| counts[value] > 0)
        .map(|value| share(group, value) - share(counts, value))
        .collect()
}

fn value(share: Share) -> Fraction {
    fraction(share.0, share.1)
}

proptest! {
    #[test]
    fn distances_are_the_sums_of_their_definitions(
        scene in prop::collection::vec((0u64..50, 0u64..50), 1..40)
            .prop_filter("rows", |scene| scene.iter().any(|&(count, part)| count.min(part) > 0)),
    ) {
        let counts: Vec<u64> = scene.iter().map(|pair| pair.0).collect();
        let group: Vec<u64> = scene.iter().map(|&(count, part)| part.min(count)).collect();
        let (protected, sensitive) = (vec![true; counts.len()], column(counts.len()));
        let whole = Whole { protected: &protected, counts: &counts, sensitive: &sensitive };
        let entries: Vec<(usize, u64)> =
            group.iter().copied().enumerate().filter(|entry| entry.1 > 0).collect();
        let entries = CheckedGroup::new(&entries);
        let differences = differences(&counts, &group);

        let sum: Fraction = differences.iter().map(Signed::abs).sum();
        let table = TableDistance::new(&whole);
        prop_assert_eq!(value(table.total_variation(&entries)), sum / fraction(2, 1));
        let greatest = differences.iter().map(Signed::abs).max().unwrap();
        prop_assert_eq!(value(table.maximum(&entries)), greatest);

        let (mut upto, mut sum) = (Fraction::zero(), Fraction::zero());
        for difference in &differences {
            upto += difference;
            sum += upto.abs();
        }
        let steps = (differences.len() - 1).max(1);
        prop_assert_eq!(
            value(Ranks::new(&whole).distance(&entries)),
            sum / fraction(steps as u128, 1)
        );
    }
}

/// Definition 4.4 by hand: the most frequent protected kind comes before the l-th, is it, or
/// comes after.
#[test]
fn tails_begin_where_the_definition_says() {
    let holds = |exempt: &[u64], protected: &[u64], c: (u64, u64), l| {
        let kind = |protected| move |&count| DiversityUnit { count, protected };
        let kinds: Vec<DiversityUnit> =
            exempt.iter().map(kind(false)).chain(protected.iter().map(kind(true))).collect();
        recursive(&kinds, Rational::new(c.0, c.1), l)
    };
    // y = 1 < l: 6 < c · (3 + 2).
    assert!(holds(&[4], &[6, 3, 2], (13, 10), 3));
    assert!(!holds(&[4], &[6, 3, 2], (6, 5), 3));
    // y = 2 = l: 4 < c · (5 + 3).
    assert!(holds(&[5], &[4, 3], (11, 20), 2));
    assert!(!holds(&[5], &[4, 3], (1, 2), 2));
    // y = 3 > l: 4 < c · (6 + 5).
    assert!(holds(&[6, 5], &[4], (1, 2), 2));
    assert!(!holds(&[6, 5], &[4], (3, 10), 2));
    assert!(holds(&[6, 5], &[], (3, 10), 2));
}

#[test]
fn weights_are_those_of_the_equation() {
    let of = |scheme| weights(scheme, 4);
    let parts = |denominator: u128, numerators: [u128; 4]| {
        numerators.map(|numerator| fraction(numerator, denominator)).to_vec()
    };
    assert_eq!(of(CategoryWeights::Uniform), parts(3, [0, 1, 2, 3]));
    assert_eq!(of(CategoryWeights::Sensitivity { beta: 1 }), parts(11, [0, 6, 9, 11]));
    assert_eq!(of(CategoryWeights::Sensitivity { beta: 2 }), parts(49, [0, 36, 45, 49]));
}

/// The time of the sums must not grow with the number of values that a group lacks.
#[test]
fn many_values_in_many_groups_are_checked_at_once() {
    let values = 20_000;
    let (protected, sensitive) = (vec![true; values], column(values));
    let counts = vec![5; values];
    let whole = Whole { protected: &protected, counts: &counts, sensitive: &sensitive };
    let t = Rational::new(2, 5);
    let ground = GroundDistance::Ordered;
    let requirement = Requirement::Closeness(TCloseness { t, ground });
    let definition = Definition::new(&requirement, None, &whole);
    let spread = |first: usize| [(first, 1), (first + values / 2, 1)];
    assert!((0..values / 2).all(|first| definition.is_satisfied(&spread(first))));
    assert!(!definition.is_satisfied(&[(0, 3)]));
}

/// Entropy of log l in groups of 100,000 rows, met exactly or missed by one row.
#[test]
fn entropy_is_decided_at_its_bound_in_large_groups() {
    let values = 400;
    let (protected, sensitive) = (vec![true; values], column(values));
    let counts = vec![1_000; values];
    let whole = Whole { protected: &protected, counts: &counts, sensitive: &sensitive };
    let is_satisfied = |group: &[(usize, u64)], l| {
        let requirement = Requirement::Entropy(EntropyDiversity { l });
        Definition::new(&requirement, None, &whole).is_satisfied(group)
    };
    let mut group: Vec<(usize, u64)> = (0..values).map(|value| (value, 250)).collect();
    assert!(is_satisfied(&group, Rational::from_integer(400)));
    group[7].1 += 1;
    assert!(!is_satisfied(&group, Rational::from_integer(400)));
    // Shares 1/2 and eight of 1/16 have the entropy of log (2^½ · 16^½).
    let mut halves: Vec<(usize, u64)> =
        [(0, 1 << 19)].into_iter().chain((1..9).map(|value| (value, 1 << 16))).collect();
    let two = Rational::from_integer(2);
    assert!(is_satisfied(&halves, two));
    // Squared: 32, between 5.656² and 5.657².
    assert!(is_satisfied(&halves, Rational::new(5_656, 1_000)));
    assert!(!is_satisfied(&halves, Rational::new(5_657, 1_000)));
    // 1/2 and four times 1/8 have exactly the entropy of log 4.
    halves = [(0, 1 << 18)].into_iter().chain((1..5).map(|value| (value, 1 << 16))).collect();
    let four = Rational::from_integer(4);
    assert!(is_satisfied(&halves, four));
    halves[0].1 += 1;
    assert!(!is_satisfied(&halves, four));
    // Different counts in a large group, with bounds close around 330.153611890835879313…
    let mixed: Vec<(usize, u64)> = (0..values).map(|value| (value, value as u64 + 1)).collect();
    let (below, above) = (330_153_611_890_835_879, 330_153_611_890_835_880);
    assert!(is_satisfied(&mixed, Rational::new(below, 10u64.pow(15))));
    assert!(!is_satisfied(&mixed, Rational::new(above, 10u64.pow(15))));
}
