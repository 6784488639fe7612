//! Cover in chunks against a reader who knows it.

use super::*;
use crate::algorithm::cover::chunks::testing::cover_in_chunks;
use crate::coins::Coins;
use crate::exact::fraction;
use crate::table::View;

/// Every table of a multiset, in chunks of at most so many rows, in regions of a sample or of
/// everybody.
fn assert_safe(scenario: &Scenario, chunks: (u32, Option<usize>), l: u32) {
    let engine = |table: &View, model: &Model, coins: &mut dyn Coins| {
        cover_in_chunks(table, model, chunks, coins)
    };
    let found = verify(&engine, scenario).unwrap();
    assert_eq!(found.counterexample, None, "{scenario:?} {chunks:?}");
    assert!(found.max_posterior <= fraction(1, l.into()));
    assert!(found.releases > 0);
}

#[test]
fn safe_in_chunks_of_one_and_two_groups() {
    for (values, l) in [
        (&[1, 1, 2, 2][..], 2),
        (&[1, 1, 2, 2, 3, 3], 2),
        (&[1, 1, 1, 2, 2, 2], 2),
        (&[1, 1, 1, 2, 2, 3], 2),
        (&[1, 1, 2, 2, 3, 4], 2),
        (&[1, 1, 2, 3, 4], 2),
        (&[1, 1, 2, 2, 3, 3], 3),
        (&[1, 1, 2, 2, 3, 3, 4], 3),
    ] {
        let ranks: Vec<u32> = (0..values.len() as u32).map(|at| at * at % 5).collect();
        let halves: Vec<u32> = (0..values.len() as u32).map(|at| at * 3 % 2).collect();
        for codes in [&[&ranks[..], &halves][..], &[&halves]] {
            let scenario = scenario(values, l).with_codes(codes).unwrap();
            for groups in [1, 2] {
                assert_safe(&scenario, (groups * l, None), l);
            }
            if values.len() < 7 {
                assert_safe(&scenario, (l, Some(2)), l);
            }
        }
    }
}

#[test]
fn safe_on_eight_people_in_two_chunks() {
    for values in [&[1, 1, 1, 1, 2, 2, 2, 2][..], &[1, 1, 2, 2, 3, 3, 4, 4]] {
        assert_safe(&scenario(values, 2), (4, None), 2);
    }
}
