use super::*;
use openveil_core::coins::SecretCoins;
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::table::{Column, Domain, Secret};
use proptest::prelude::*;

fn table(values: &[u32], columns: usize) -> View {
    let n = values.len() as u32;
    let column = |index: u32| {
        let codes = (0..n).map(|row| (row * (7 + 4 * index) + index) % 31).collect();
        Column::new(format!("q{index}"), codes, Domain::integers(0..31))
    };
    let domain = values.iter().max().map_or(0, |&value| value + 1);
    let labels = (0..domain).map(|value| value.to_string());
    let sensitive = Secret::new("s", values.to_vec(), labels);
    View::new((0..columns as u32).map(column).collect(), sensitive).unwrap()
}

fn run(table: &View, l: u32) -> Result<Groups, Error> {
    let model = RatioDiversity::new(l).unwrap();
    Cover.partition(table, &model.into(), &mut SecretCoins::from_test_seed(3))
}

proptest! {
    /// On every eligible table, every row is in one group, every group is l-diverse and
    /// discernability is optimal. Every other table is refused.
    #[test]
    fn groups_are_diverse_and_optimal(
        values in prop::collection::vec(0u32..12, 1..300), l in 2u32..6, columns in 0usize..6,
    ) {
        let table = table(&values, columns);
        let n = values.len() as u32;
        let counts = table.histogram();
        let eligible = n >= l && counts.counts().iter().all(|&count| count <= n / l);
        match run(&table, l) {
            Err(error) => prop_assert!(!eligible, "{error}"),
            Ok(groups) => {
                prop_assert!(eligible);
                prop_assert_eq!(groups.check_partition(values.len()), Ok(()));
                let mut dm = 0;
                for group in groups.iter() {
                    let mut inside: Vec<u32> = group.iter().map(|&row| values[row as usize]).collect();
                    inside.sort_unstable();
                    inside.dedup();
                    prop_assert_eq!(inside.len(), group.len(), "values are distinct");
                    prop_assert!(group.len() >= l as usize);
                    dm += (group.len() as u64).pow(2);
                }
                // As even as groups of at least l people can be.
                let (n, groups) = (u64::from(n), u64::from(n / l));
                let (size, longer) = (n / groups, n % groups);
                let least = (groups - longer) * size.pow(2) + longer * (size + 1).pow(2);
                prop_assert_eq!(dm, least);
            }
        }
    }

    /// Keys are wide enough for any number of quasi-identifiers.
    #[test]
    fn many_quasi_identifiers_are_arranged(columns in 5usize..=MAX_QUASI_IDENTIFIERS) {
        let values: Vec<u32> = (0..60).map(|row| row % 6).collect();
        let groups = run(&table(&values, columns), 3).unwrap();
        prop_assert_eq!(groups.check_partition(60), Ok(()));
    }
}

#[test]
fn too_many_quasi_identifiers_are_refused() {
    let values: Vec<u32> = (0..60).map(|row| row % 6).collect();
    assert_eq!(
        run(&table(&values, 33), 3).unwrap_err(),
        Error::TooManyQuasiIdentifiers { found: 33, limit: 32 }
    );
}

/// Refuses before a coin is tossed, so that a run of many tables is refused as a whole.
#[test]
fn the_width_is_checked_before_the_run() {
    let values: Vec<u32> = (0..60).map(|row| row % 6).collect();
    let model = RatioDiversity::new(3).unwrap().into();
    assert_eq!(Cover.check(&table(&values, 32), &model), Ok(()));
    let refused = Cover.check(&table(&values, 33), &model);
    assert!(matches!(refused, Err(Error::TooManyQuasiIdentifiers { .. })));
}

#[test]
fn domains_beyond_sixteen_bits_are_arranged() {
    let n = 70_000u32;
    let values: Vec<u32> = (0..n).map(|row| row % 4).collect();
    let sensitive = Secret::new("s", values, ["a", "b", "c", "d"]);
    let codes: Vec<u32> = (0..n).map(|row| (row * 7919) % n).collect();
    let column = Column::new("q", codes.clone(), Domain::integers(0..i64::from(n)));
    let table = View::new(vec![column], sensitive).unwrap();
    let groups = run(&table, 4).unwrap();
    assert_eq!(groups.check_partition(n as usize), Ok(()));
    let extent = |group: &[u32]| {
        let of = |row: &u32| codes[*row as usize];
        group.iter().map(of).max().unwrap() - group.iter().map(of).min().unwrap()
    };
    let mean =
        groups.iter().map(|group| f64::from(extent(group))).sum::<f64>() / groups.len() as f64;
    assert!(mean < 100.0, "groups span {mean} of 70,000 positions on average");
}

/// Every deal of the rows of each value to its places is equally likely.
#[test]
fn rows_are_dealt_uniformly() {
    use openveil_core::exact::fraction;
    let view = table(&[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3], 1);
    let criteria = Model::from(RatioDiversity::new(3).unwrap()).bind(&view).unwrap();
    let found = decomposition(&view, &criteria).unwrap();
    let dealt = distribution(100_000, |coins| {
        let space = CoverSpace::<2>::new(view.known());
        let deal = Deal::new(&view, &space, &found, coins);
        // The place of a row: its unit, and its column, identified by the values in it.
        let mut places = vec![(0, Vec::new()); view.rows()];
        for (number, unit) in deal.rows().into_iter().enumerate() {
            for column in unit {
                let of = |&row: &u32| view.secret().codes()[row as usize];
                let mut values: Vec<u32> = column.iter().map(of).collect();
                values.sort_unstable();
                for row in column {
                    places[row as usize] = (number, values.clone());
                }
            }
        }
        Ok(places)
    })
    .unwrap();
    // Ways to choose the rows of each place, value by value.
    let mut ways = 1u128;
    let factorial = |n: u32| (1..=u128::from(n)).product::<u128>();
    for (value, count) in (0u32..).zip(view.histogram().counts()) {
        ways *= factorial(*count);
        for unit in found.units() {
            for column in found.all_values(unit) {
                let own = column.iter().find(|(other, _)| *other == value);
                ways /= own.map_or(1, |(_, rows)| factorial(*rows));
            }
        }
    }
    assert_eq!(dealt.outcomes().len() as u128, ways);
    for (places, _) in dealt.outcomes() {
        assert_eq!(dealt.probability(places), fraction(1, ways));
    }
}
