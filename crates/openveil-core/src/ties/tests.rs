use super::check::{TieViolation, groups as recount};
use super::*;
use crate::algorithm::Halving;
use crate::coins::SecretCoins;
use crate::model::{CountBuffer, DistinctDiversity, Requirement};
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

fn ratio(l: u32) -> Model {
    RatioDiversity::new(l).unwrap().into()
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
    let settings = Settings::default();
    let checked = ties.tables(&view).check(&ratio(2), &Halving, &settings);
    let Err(Error::Ties { refused, sizes }) = checked else {
        panic!("two sizes cannot be published");
    };
    let named: Vec<&str> = refused.iter().map(|own| &*own.stratum).collect();
    assert_eq!((named, sizes), (vec!["ties of 2 rows", "ties of 4 rows"], 4));
    let coins = &mut SecretCoins::from_test_seed(0);
    let made = ties.tables(&view).groups(&ratio(2), &Halving, &settings, coins);
    assert!(made.is_err());
}

#[test]
fn the_recount_finds_what_is_wrong() {
    let (view, ties) = table(&[(2, 0), (2, 1), (1, 0), (1, 2)]);
    let codes = view.secret().codes();
    let found = |groups: &[&[u32]]| {
        let groups: Groups = groups.iter().map(|group| group.to_vec()).collect();
        recount(&groups, codes, &ties)
    };
    assert_eq!(found(&[&[0, 1, 2, 3], &[4, 5]]), Ok(()));
    assert_eq!(found(&[&[0, 1], &[3, 2], &[5, 4]]), Ok(()));
    let (first, second) = (0, 1);
    assert_eq!(found(&[&[0, 2], &[1, 3], &[4, 5]]), Err(TieViolation::Apart { first, second }));
    assert_eq!(found(&[&[0, 1, 4], &[2, 3], &[5]]), Err(TieViolation::Sizes { group: 0 }));
    let groups: Groups = [vec![0, 1, 2, 3], vec![4, 5]].into_iter().collect();
    assert_eq!(
        recount(&groups, &[0, 1, 1, 1, 0, 2], &ties),
        Err(TieViolation::Values { group: 0 })
    );
}

proptest! {
    /// Whatever the ties and the model, all rows are in a group, with their ties, and the model holds
    /// on the ties of every group.
    #[test]
    fn ties_are_together_in_groups_of_one_size(
        ties in prop::collection::vec((1u32..4, 0u32..5), 2..60),
        l in 2u32..4,
        seed: u64,
    ) {
        let (view, ties) = table(&ties);
        let settings = Settings::default();
        let coins = &mut SecretCoins::from_test_seed(seed);
        for model in [ratio(l), Requirement::Distinct(DistinctDiversity { l }).into()] {
            let checked = ties.tables(&view).check(&model, &Halving, &settings);
            let made = ties.tables(&view).groups(&model, &Halving, &settings, coins);
            prop_assert_eq!(made.is_ok(), checked.is_ok());
            let Ok(groups) = made else { continue };
            prop_assert_eq!(groups.check_partition(view.rows()), Ok(()));
            prop_assert_eq!(recount(&groups, view.secret().codes(), &ties), Ok(()));
            let criteria = model.bind(&view).unwrap();
            for group in groups.iter() {
                let values = group.iter().map(|&row| view.secret().codes()[row as usize]);
                prop_assert!(criteria.hold_on_group(&CountBuffer::default().of_codes(values)));
            }
        }
    }
}
