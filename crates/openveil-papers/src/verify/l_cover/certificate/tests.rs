use super::*;
use crate::algorithm;
use crate::algorithm::Cover;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::table::{Column, Domain, Secret};
use proptest::prelude::*;

fn model(l: u32) -> RatioDiversity {
    RatioDiversity::new(l).unwrap()
}

/// Returns a table of values below `values`; the flagged values need no protection.
fn table(codes: Vec<u32>, exempt: &[bool]) -> View {
    let ranks = (0..codes.len() as u32).map(|row| row * 7 % 10).collect();
    let column = Column::new("q", ranks, Domain::integers(0..10));
    let labels = (0..exempt.len()).map(|value| value.to_string());
    let sensitive = Secret::new("s", codes, labels).with_exempt(exempt.to_vec());
    View::new(vec![column], sensitive).unwrap()
}

fn one_group(rows: u32) -> Groups {
    std::iter::once(0..rows).collect()
}

/// Returns whether every group has each protected value in at most one of l rows.
fn is_diverse(table: &View, groups: &Groups, l: usize) -> bool {
    let (codes, exempt) = (table.secret().codes(), table.secret().exempt());
    groups.iter().all(|group| {
        group.iter().all(|&row| {
            let own = codes[row as usize];
            let same = group.iter().filter(|&&other| codes[other as usize] == own);
            exempt[own as usize] || same.count() * l <= group.len()
        })
    })
}

proptest! {
    #[test]
    fn every_release_has_a_certificate(
        codes in prop::collection::vec(0u32..6, 2..40), l in 2u32..5, exempt: bool, seed: u64,
    ) {
        let mut flags = vec![false; 6];
        flags[0] = exempt;
        let table = table(codes, &flags);
        prop_assume!(model(l).check_eligible(&table.histogram(), &flags).is_ok());
        for algorithm in algorithm::all() {
            if exempt && algorithm.name() != Cover.name() {
                continue;
            }
            let mut coins = SecretCoins::from_test_seed(seed);
            let groups = algorithm.partition(&table, &model(l).into(), &mut coins).unwrap();
            let found = Certificate::new(&table, &groups, model(l)).unwrap();
            prop_assert_eq!(found.covers(), l as usize - 1);
            prop_assert_eq!(check(&found, &table, &groups, model(l)), Ok(()));
        }
    }

    /// For groups of any kind, there is a certificate if and only if they satisfy the model.
    #[test]
    fn diverse_groups_and_no_others_have_certificates(
        rows in prop::collection::vec((0u32..7, 0u32..3), 1..40), l in 2u32..5, exempt: bool,
    ) {
        let (codes, labels): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
        let mut flags = vec![false; 7];
        flags[0] = exempt;
        let table = table(codes, &flags);
        let groups = Groups::from_labels(&labels, 3);
        match Certificate::new(&table, &groups, model(l)) {
            Ok(found) => {
                prop_assert!(is_diverse(&table, &groups, l as usize));
                prop_assert_eq!(check(&found, &table, &groups, model(l)), Ok(()));
            }
            Err(error) => {
                prop_assert!(!is_diverse(&table, &groups, l as usize), "{}", error);
            }
        }
    }

    /// If the check passes, the groups satisfy the model, whatever the certificate contains.
    #[test]
    fn what_passes_the_check_satisfies_the_model(
        codes in prop::collection::vec(0u32..4, 4..7), split in 0u32..7, seed: u64,
    ) {
        let table = table(codes, &[false; 4]);
        let rows = table.rows() as u32;
        let labels: Vec<u32> = (0..rows).map(|row| u32::from(row < split)).collect();
        let groups = Groups::from_labels(&labels, 2);
        let mut coins = SecretCoins::from_test_seed(seed);
        for _ in 0..200 {
            let images = (0..rows).map(|_| coins.below(rows)).collect();
            let guessed = Certificate { covers: 1, images };
            if check(&guessed, &table, &groups, model(2)).is_ok() {
                prop_assert!(is_diverse(&table, &groups, 2));
            }
        }
    }
}

#[test]
fn a_ring_is_turned_by_its_longest_run() {
    let table = table(vec![0, 1, 0, 2, 1, 3], &[false; 4]);
    let found = Certificate::new(&table, &one_group(6), model(3)).unwrap();
    // Rows by value: 0, 2 | 1, 4 | 3 | 5.
    assert_eq!(found.images(0), [1, 3]);
    assert_eq!(found.images(2), [4, 5]);
    assert_eq!(found.images(5), [2, 4]);
}

#[test]
fn exempt_rows_cover_and_are_not_covered() {
    let table = table(vec![0, 0, 0, 1], &[true, false]);
    let groups = one_group(4);
    let found = Certificate::new(&table, &groups, model(4)).unwrap();
    assert!((0..3).all(|row| found.images(row).is_empty()));
    assert_eq!(found.images(3), [0, 1, 2]);
    assert_eq!(check(&found, &table, &groups, model(4)), Ok(()));
}

/// Violates every condition of the check on purpose.
#[test]
fn tampering_is_noticed() {
    use CertificateError as Wrong;
    let table = table(vec![0, 0, 1, 1, 2, 2, 0, 1, 2], &[false; 3]);
    let groups: Groups = [vec![0, 1, 2, 3, 4, 5], vec![6, 7, 8]].into_iter().collect();
    let found = Certificate::new(&table, &groups, model(3)).unwrap();
    assert_eq!(check(&found, &table, &groups, model(3)), Ok(()));
    assert_eq!([0, 1].map(|row| found.images(row)), [[2, 4], [3, 5]]);
    let with = |changes: &[(usize, u32)]| {
        let mut changed = found.clone();
        changes.iter().for_each(|&(place, image)| changed.images[place] = image);
        check(&changed, &table, &groups, model(3)).unwrap_err()
    };
    assert_eq!(with(&[(0, NOBODY)]), Wrong::Uncovered { row: 0 });
    assert_eq!(with(&[(0, 7)]), Wrong::OtherGroup { row: 0, image: 7 });
    assert_eq!(with(&[(1, 99)]), Wrong::OtherGroup { row: 0, image: 99 });
    assert_eq!(with(&[(0, 1)]), Wrong::OwnValue { row: 0, image: 1 });
    assert_eq!(with(&[(0, 0)]), Wrong::OwnValue { row: 0, image: 0 });
    assert_eq!(with(&[(0, 5)]), Wrong::SharedValue { row: 0 });
    assert_eq!(with(&[(2, 2)]), Wrong::Twice { row: 1, image: 2 });
    let shape = Wrong::Shape { rows: 9, covers: 1 };
    assert_eq!(check(&found, &table, &groups, model(2)), Err(shape));
    let lacking = one_group(8);
    assert!(matches!(check(&found, &table, &lacking, model(3)), Err(Wrong::NotAPartition(_))));
}

#[test]
fn groups_that_break_the_model_are_named() {
    let table = table(vec![0, 1, 0, 0, 1], &[false; 2]);
    let groups: Groups = [vec![0, 1], vec![2, 3, 4]].into_iter().collect();
    let violation = Violation::Model { group: 2, count: 2, size: 3, l: 2 };
    let refused = Certificate::new(&table, &groups, model(2));
    assert_eq!(refused, Err(Error::Violation(violation)));
    let refused = Certificate::new(&table, &one_group(4), model(2));
    assert!(matches!(refused, Err(Error::Violation(Violation::NotAPartition(_)))));
}
