//! Histograms in several lots.

use super::super::lots::peel;
use super::*;
use crate::coins::SecretCoins;
use std::collections::BTreeSet;

/// Asserts that every lot has, by the definition, rounded shares of the whole.
fn assert_is_parted(counts: &[u32], groups: u32, lots: u32, seed: u64) {
    let coins = &mut SecretCoins::from_test_seed(seed);
    let histogram = Histogram::from_counts(counts.to_vec());
    let parted = peel(&histogram, groups, lots, coins);
    assert_eq!(parted.len(), lots as usize);
    let rows = histogram.rows();
    let mut sums = vec![0; counts.len()];
    let mut all_groups = 0;
    for lot in &parted {
        assert!(lot.groups == groups / lots || lot.groups == groups.div_ceil(lots));
        all_groups += lot.groups;
        let own = lot.histogram.rows();
        // Groups of a lot are no larger and no smaller than groups of the whole table.
        assert!(own >= rows / groups * lot.groups && own <= rows.div_ceil(groups) * lot.groups);
        for (value, &count) in lot.histogram.counts().iter().enumerate() {
            sums[value] += count;
            let is_short = counts[value] <= groups;
            assert!(!is_short || count <= lot.groups, "{counts:?} {lot:?}");
        }
    }
    assert_eq!((sums, all_groups), (counts.to_vec(), groups));
}

fn in_lots(
    counts: &[u32],
    exempt: &[bool],
    order: Option<&[u32]>,
    (l, lots, seed): (u32, u32, u64),
) -> Decomposition {
    let histogram = Histogram::from_counts(counts.to_vec());
    let ratio = RatioDiversity::new(l).unwrap();
    let coins = &mut SecretCoins::from_test_seed(seed);
    decompose_in_lots(&histogram, exempt, order, ratio, lots, coins).unwrap()
}

/// Asserts the guarantee of the ratio layout, lot by lot.
fn assert_keeps_ratio_in_lots(
    found: &Decomposition,
    counts: &[u32],
    exempt: &[bool],
    (l, lots): (u32, u32),
) {
    assert_is_a_line(found, counts);
    let n: u32 = counts.iter().sum();
    let q = n / l;
    assert_eq!((found.groups(), found.lots()), (q, lots.min(q)));
    assert!(found.units().len() as u32 <= lots * (n / q + 2));
    let mut long = 0;
    for unit in found.units() {
        let size = unit.columns.len() as u32;
        assert!(size == n / q || size == n.div_ceil(q));
        if size != n / q {
            long += unit.groups;
        }
        let columns = found.all_values(unit);
        let mut seen = BTreeSet::new();
        for (value, rows) in columns.iter().flatten() {
            assert!(*rows > 0);
            assert!(seen.insert(value) || exempt[*value as usize]);
        }
        for column in columns {
            let values: BTreeSet<u32> = column.iter().map(|&(value, _)| value).collect();
            assert_eq!(values.len(), column.len(), "no value twice in a column");
        }
    }
    assert_eq!(long, n % q);
}

proptest! {
    /// Any histogram, including values with as many rows as there are groups.
    #[test]
    fn lots_are_parts_in_proportion(
        counts in prop::collection::vec(0u32..60, 2..30),
        full in 0usize..3,
        size in 2u32..6,
        lots in 1u32..40,
        seed in 0u64..4,
    ) {
        let mut counts = counts;
        let rows: u32 = counts.iter().sum();
        prop_assume!(rows >= size);
        // Values with exactly as many rows as groups: the limit.
        counts.extend(vec![rows / size; full]);
        let rows: u32 = counts.iter().sum();
        let groups = rows / (size + full as u32).min(rows);
        assert_is_parted(&counts, groups, lots.min(groups), seed);
    }

    #[test]
    fn every_eligible_histogram_is_used_up_optimally_in_lots(
        counts in prop::collection::vec(0u32..60, 2..30),
        l in 2u32..8,
        lots in 2u32..30,
        seed in 0u64..4,
        ordered in any::<bool>(),
    ) {
        let n: u32 = counts.iter().sum();
        prop_assume!(n >= l && counts.iter().all(|&count| count <= n / l));
        let none = vec![false; counts.len()];
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.rotate_left(seed as usize % counts.len());
        let order = ordered.then_some(&order[..]);
        let found = in_lots(&counts, &none, order, (l, lots, seed));
        assert_keeps_ratio_in_lots(&found, &counts, &none, (l, lots));
    }

    /// At the limit: values with exactly as many rows as groups, and nothing else or little else.
    #[test]
    fn lots_are_eligible_at_the_limit(
        q in 2u32..50, l in 2u32..6, lots in 2u32..60, rest in 0u32..6, seed in 0u64..3,
    ) {
        let mut counts = vec![q; l as usize];
        counts.extend(vec![1; rest.min(l - 1) as usize]);
        let none = vec![false; counts.len()];
        let found = in_lots(&counts, &none, None, (l, lots, seed));
        assert_keeps_ratio_in_lots(&found, &counts, &none, (l, lots));
    }

    #[test]
    fn exempt_values_may_be_longer_than_the_columns_of_a_lot(
        common in 1u32..400,
        counts in prop::collection::vec(0u32..20, 1..8),
        l in 2u32..12,
        lots in 2u32..9,
        seed in 0u64..3,
    ) {
        let mut all = counts.clone();
        all.push(common);
        let n: u32 = all.iter().sum();
        prop_assume!(n >= l && counts.iter().all(|&count| count <= n / l));
        let mut exempt = vec![false; all.len()];
        *exempt.last_mut().unwrap() = true;
        let found = in_lots(&all, &exempt, None, (l, lots, seed));
        assert_keeps_ratio_in_lots(&found, &all, &exempt, (l, lots));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Other models: equally many groups as in one lot, and every choice satisfies the model.
    #[test]
    fn every_model_decomposes_in_lots(
        counts in prop::collection::vec(1u32..200, 8),
        number in 0usize..10,
        lots in 2u32..12,
        seed in 0u64..3,
    ) {
        let (criteria, table) = criteria(&models()[number], &counts);
        let coins = &mut SecretCoins::from_test_seed(seed);
        let histogram = table.histogram();
        let whole = decompose_any(&histogram, &criteria, None);
        let found = decompose_any_in_lots(&histogram, &criteria, None, &|_| lots, coins);
        prop_assert_eq!(found.is_some(), whole.is_some());
        if let (Some(found), Some(whole)) = (found, whole) {
            assert_decomposes(&found, &counts, &criteria);
            prop_assert_eq!(found.groups(), whole.groups());
            prop_assert!(found.lots() <= lots);
            if found.lots() == 1 {
                prop_assert_eq!(found, whole);
            }
        }
    }
}

/// With one lot no coin is tossed, and the result is the same.
#[test]
fn one_lot_is_the_layout_without_lots() {
    let counts = [40, 21, 17, 11, 7, 5, 3, 2];
    let found = in_lots(&counts, &[false; 8], None, (2, 1, 5));
    assert_eq!(found, plain(&counts, 2).unwrap());
    assert_eq!(found.lots(), 1);
}

/// Compositions differ from lot to lot: any two values share a column in some lot, and are in two
/// columns in another.
#[test]
fn every_two_values_are_told_apart_in_some_lot() {
    let counts = [
        5540, 14, 6020, 5984, 1480, 2046, 2970, 4808, 232, 6008, 976, 5408, 1420, 2316,
    ];
    let order: Vec<u32> = (0..14).collect();
    for order in [None, Some(&order[..])] {
        let found = in_lots(&counts, &[false; 14], order, (4, 90, 1));
        let (mut together, mut apart) = (BTreeSet::new(), BTreeSet::new());
        let mut largest = 0;
        for unit in found.units() {
            let columns = found.all_values(unit);
            largest += if unit.groups > 60 { unit.groups } else { 0 };
            let of = |wanted: u32| {
                let mut columns = columns.iter();
                columns.position(|column| column.iter().any(|&(value, _)| value == wanted))
            };
            for one in 0..14 {
                for other in 0..one {
                    match (of(one), of(other)) {
                        (Some(a), Some(b)) if a == b => together.insert((one, other)),
                        (Some(_), Some(_)) => apart.insert((one, other)),
                        _ => false,
                    };
                }
            }
        }
        let pairs = 14 * 13 / 2;
        // Values with a fifth of the rows each fill most of a column, so some pairs do not fit.
        println!(
            "{} together, {} apart; {largest} of {} groups in units of more than 60",
            together.len(),
            apart.len(),
            found.groups()
        );
        assert_eq!(apart.len(), pairs);
        assert!(together.len() > pairs / 2, "{}", together.len());
    }
}
