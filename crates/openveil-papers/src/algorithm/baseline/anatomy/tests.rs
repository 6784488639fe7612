use super::*;
use crate::algorithm::Anatomy;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::SecretCoins;
use openveil_core::model::{
    CountBuffer, DistinctDiversity, KAnonymity, Model, RatioDiversity, Requirement,
};
use openveil_core::table::{Secret, histograms};

fn table(counts: &[u32]) -> View {
    let codes =
        (0u32..).zip(counts).flat_map(|(value, &count)| std::iter::repeat_n(value, count as usize));
    let labels = (0..counts.len()).map(|value| value.to_string());
    View::new(Vec::new(), Secret::new("value", codes.collect(), labels)).unwrap()
}

fn groups(table: &View, model: &Model, seed: u64) -> Result<Groups, openveil_core::Error> {
    Anatomy.partition(table, model, &mut SecretCoins::from_test_seed(seed))
}

/// Returns the number of different values of a group.
fn distinct(table: &View, rows: &[u32]) -> usize {
    let values = table.secret().codes();
    let codes = rows.iter().map(|&row| values[row as usize]);
    CountBuffer::default().of_codes(codes).distinct()
}

/// Properties 1 and 2 of the paper: ⌊n/l⌋ groups, and no value occurs twice in one.
#[test]
fn eligible_tables_end_in_groups_of_different_values() {
    for rows in 2..=10 {
        for counts in histograms(rows) {
            let table = table(&counts);
            for l in 2..=4 {
                let ratio = RatioDiversity::new(l).unwrap();
                let flags = vec![false; counts.len()];
                let eligible = ratio.check_eligible(&table.histogram(), &flags).is_ok();
                let found = groups(&table, &ratio.into(), u64::from(l));
                assert_eq!(found.is_ok(), eligible, "{counts:?}, l = {l}");
                let Ok(found) = found else { continue };
                assert_eq!(found.check_partition(rows as usize), Ok(()));
                assert_eq!(found.len() as u32, rows / l, "{counts:?}, l = {l}");
                for rows in found.iter() {
                    assert!(rows.len() as u32 >= l);
                    assert_eq!(distinct(&table, rows), rows.len(), "{counts:?}, l = {l}");
                }
            }
        }
    }
}

#[test]
fn distinct_diversity_takes_tables_that_the_ratio_does_not() {
    for rows in 2..=9 {
        for counts in histograms(rows) {
            let table = table(&counts);
            for l in 2..=4 {
                let found =
                    groups(&table, &Requirement::Distinct(DistinctDiversity { l }).into(), 1);
                assert_eq!(found.is_ok(), counts.len() as u32 >= l);
                let Ok(found) = found else { continue };
                assert_eq!(found.check_partition(rows as usize), Ok(()));
                let is_diverse = |rows| distinct(&table, rows) as u32 >= l;
                assert!(found.iter().all(is_diverse), "{counts:?}, l = {l}");
            }
        }
    }
}

/// The rows of a bucket and the groups of residues are drawn by coins.
#[test]
fn coins_decide_who_stands_with_whom() {
    let table = table(&[3, 3, 1]);
    let model = RatioDiversity::new(2).unwrap().into();
    let of_seed = |seed| groups(&table, &model, seed).unwrap().sorted();
    assert_eq!(of_seed(1), of_seed(1));
    let different: std::collections::HashSet<Groups> = (0..200).map(of_seed).collect();
    // A partner for each of three rows, and a group for the remaining one.
    assert!(different.len() > 9, "{}", different.len());
}

#[test]
fn other_models_are_refused() {
    let table = table(&[2, 2]);
    let model = Requirement::KAnonymity(KAnonymity { k: 2 }).into();
    let refused = groups(&table, &model, 1).unwrap_err();
    assert!(matches!(refused, openveil_core::Error::ModelUnsupported { .. }));
}
