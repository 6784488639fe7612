use super::check::{TieViolation, groups as recount};
use super::*;
use crate::coins::SecretCoins;
use crate::table::{Column, Domain, Secret};
use proptest::prelude::*;

/// A table of ties, given by their sizes and values.
fn table(ties: &[(u32, u32)]) -> (View, Ties) {
    let rows = |(tie, &(size, value)): (u32, &(u32, u32))| {
        std::iter::repeat_n((tie, value), size as usize)
    };
    let rows: Vec<(u32, u32)> = (0..).zip(ties).flat_map(rows).collect();
    let n = rows.len() as u32;
    let codes: Vec<u32> = (0..n).map(|row| row * 7 % n).collect();
    let known = Column::new("q", codes, Domain::integers(0..i64::from(n)));
    let labels = ["a", "b", "c", "d", "e"];
    let secret = Secret::new("s", rows.iter().map(|row| row.1).collect(), labels);
    let view = View::new(vec![known], secret).unwrap();
    (view, Ties::new(rows.iter().map(|row| row.0).collect()))
}

fn ratio(l: u32) -> RatioDiversity {
    RatioDiversity::new(l).unwrap()
}

#[test]
fn classes_are_counted_and_differences_found() {
    let (view, ties) = table(&[(2, 0), (1, 1), (2, 2), (3, 1)]);
    assert_eq!(ties.classes(), [(1, 1), (2, 2), (3, 1)]);
    assert_eq!(ties.differing(view.secret().codes()), None);
    assert_eq!(ties.differing(&[0, 0, 1, 2, 3, 1, 1, 1]), Some((3, 4)));
}

/// Every size is checked by itself, and the error names all that cannot be published.
#[test]
fn sizes_that_cannot_be_published_are_named() {
    let (view, ties) = table(&[(1, 0), (1, 1), (2, 0), (2, 0), (3, 0), (3, 1), (4, 2)]);
    let Err(Error::Ties { refused, sizes }) = ties.check(&view, ratio(2)) else {
        panic!("two sizes cannot be published");
    };
    let named: Vec<&str> = refused.iter().map(|own| &*own.stratum).collect();
    assert_eq!(
        (named, sizes),
        (vec!["ties of 2 rows", "ties of 4 rows"], 4)
    );
    let coins = &mut SecretCoins::from_test_seed(0);
    assert!(
        ties.groups(&view, ratio(2), &Settings::default(), coins)
            .is_err()
    );
}

#[test]
fn the_recount_finds_what_is_wrong() {
    let (view, ties) = table(&[(2, 0), (2, 1), (1, 0), (1, 2)]);
    let codes = view.secret().codes();
    let found = |groups: &[&[u32]]| {
        let groups: Groups = groups.iter().map(|group| group.to_vec()).collect();
        recount(&groups, codes, &ties)
    };
    assert_eq!(found(&[&[0, 2], &[1, 3], &[4, 5]]), Ok(()));
    assert_eq!(
        found(&[&[0, 1], &[2, 3], &[4, 5]]),
        Err(TieViolation::Twice { group: 0 })
    );
    let apart = TieViolation::Apart {
        first: 0,
        second: 1,
    };
    assert_eq!(found(&[&[0, 2], &[1, 5], &[4, 3]]), Err(apart));
}

proptest! {
    /// Whatever the ties, all rows are in a group, and the guarantee about ties holds.
    #[test]
    fn ties_stand_in_groups_of_one_signature(
        ties in prop::collection::vec((1u32..4, 0u32..5), 2..60),
        l in 2u32..4,
        seed: u64,
    ) {
        let (view, ties) = table(&ties);
        let settings = Settings { effort: 0, ..Settings::default() };
        let coins = &mut SecretCoins::from_test_seed(seed);
        let made = ties.groups(&view, ratio(l), &settings, coins);
        prop_assert_eq!(made.is_ok(), ties.check(&view, ratio(l)).is_ok());
        if let Ok(groups) = made {
            prop_assert_eq!(groups.check_partition(view.rows()), Ok(()));
            prop_assert_eq!(recount(&groups, view.secret().codes(), &ties), Ok(()));
            prop_assert!(groups.iter().all(|group| group.len() >= l as usize));
        }
    }
}
