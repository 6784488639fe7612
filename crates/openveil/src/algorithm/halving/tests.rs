use super::*;
use crate::coins::SecretCoins;
use crate::model::{DistinctDiversity, Model, RatioDiversity, Requirement};
use crate::table::{Column, Domain, Secret};
use proptest::prelude::*;

fn table(values: &[u32], columns: u32) -> View {
    let n = values.len() as u32;
    let column = |index: u32| {
        let codes = (0..n).map(|row| (row * (7 + 4 * index) + index) % 31);
        Column::new(
            format!("q{index}"),
            codes.collect(),
            Domain::integers(0..31),
        )
    };
    let domain = values.iter().max().map_or(0, |&value| value + 1);
    let labels = (0..domain).map(|value| value.to_string());
    let sensitive = Secret::new("s", values.to_vec(), labels);
    View::new((0..columns).map(column).collect(), sensitive).unwrap()
}

proptest! {
    /// Every row in one group, every group in bounds, whenever the whole table is.
    #[test]
    fn leaves_are_a_partition_that_satisfies_the_model(
        values in prop::collection::vec(0u32..9, 1..400), l in 2u32..6, columns in 0u32..5,
        distinct: bool, seed: u64,
    ) {
        let table = table(&values, columns);
        let model = match distinct {
            true => Requirement::Distinct(DistinctDiversity { l }).into(),
            false => Model::from(RatioDiversity::new(l).unwrap()),
        };
        let criteria = model.bind(&table).unwrap();
        let found = Halving.partition(&table, &model, &mut SecretCoins::from_test_seed(seed));
        match found {
            Err(_) => prop_assert!(criteria.check_whole(&table).is_err()),
            Ok(groups) => {
                prop_assert_eq!(groups.check_partition(values.len()), Ok(()));
                for rows in groups.iter() {
                    let codes = rows.iter().map(|&row| values[row as usize]);
                    prop_assert!(criteria.hold_on_group(&CountBuffer::default().of_codes(codes)));
                }
            }
        }
    }
}

/// Four values that keep each other company everywhere: groups shrink to their least
/// size, whatever the number of rows.
#[test]
fn nodes_are_cut_down_to_small_leaves() {
    for rows in [1_000, 1_023, 1_025] {
        let values: Vec<u32> = (0..rows).map(|row| row * row * 7 % 11).collect();
        let table = table(&values, 2);
        let model = RatioDiversity::new(3).unwrap().into();
        let groups = Halving
            .partition(&table, &model, &mut SecretCoins::from_test_seed(1))
            .unwrap();
        assert!(groups.len() as u32 > rows / 16, "{} groups", groups.len());
    }
}
