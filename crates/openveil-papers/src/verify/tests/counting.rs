//! Tests the checker's own arithmetic, on algorithms whose posteriors are known.

use super::*;
use crate::algorithm::Cover;
use openveil_core::Error;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::Coins;
use openveil_core::exact::fraction;
use openveil_core::release::check::Violation;
use openveil_core::table::{Groups, NotAPartition, View};

fn one_group(table: &View, _: &Model, _: &mut dyn Coins) -> Result<Groups, Error> {
    Ok(Groups::from_labels(&vec![0; table.rows()], 1))
}

fn singletons(table: &View, _: &Model, _: &mut dyn Coins) -> Result<Groups, Error> {
    Ok((0..table.rows() as u32).map(|row| [row]).collect())
}

#[test]
fn one_group_tells_the_histogram_and_no_more() {
    for (style, seen) in VIEWS {
        let scenario = scenario(&[1, 1, 2, 3, 3, 4], 3);
        let found = verify(&one_group, &scenario.with_style(style).with_seen(seen)).unwrap();
        assert_eq!(found.tables, 180);
        assert_eq!(found.releases, 1);
        assert_eq!(found.max_posterior, fraction(1, 3));
        assert!(found.is_safe() && found.counterexample.is_none());
    }
}

#[test]
fn the_bound_is_exact() {
    // 3 of 7 lies between 1/3 and 1/2.
    let values = [1, 1, 1, 2, 2, 2, 3];
    assert!(verify(&one_group, &scenario(&values, 2)).unwrap().is_safe());
    let strict = verify(&one_group, &scenario(&values, 3)).unwrap();
    assert_eq!(strict.unsafe_releases, 1);
    assert_eq!((strict.unsafe_tables, strict.certain_tables), (140, 0));
    let found = strict.counterexample.unwrap();
    assert_eq!(found.posterior, fraction(3, 7));
    assert_eq!((found.person, found.value), (0, 0));
    assert_eq!(found.survivor_count, 140);
    assert_eq!(found.survivors.len(), Limits::default().survivors);
    assert_eq!(found.survivors[0].posterior, fraction(1, 140));
    assert_eq!(found.table, [0, 0, 0, 1, 1, 1, 2]);
}

#[test]
fn singletons_are_certain_everywhere() {
    let found = verify(&singletons, &scenario(&[1, 1, 2, 2], 2)).unwrap();
    assert_eq!((found.tables, found.releases), (6, 6));
    assert_eq!((found.unsafe_releases, found.unsafe_tables), (6, 6));
    assert_eq!(found.certain_tables, 6);
    assert_eq!(found.max_posterior, fraction(1, 1));
    let first = found.counterexample.unwrap();
    assert_eq!(first.table, [0, 0, 1, 1]);
    assert_eq!((first.person, first.value, first.survivor_count), (0, 0, 1));
    let groups = [0, 0, 1, 1]
        .into_iter()
        .enumerate()
        .map(|(person, value)| SeenGroup { people: vec![person as u32], values: vec![value] });
    assert_eq!(first.release, Observation::Membership(groups.collect(), 0));
}

#[test]
fn coinciding_cells_hide_membership_from_the_reader_of_the_release() {
    // Everybody looks alike: singletons show the histogram only.
    for style in [Style::Generalize, Style::Anatomy] {
        let alike =
            scenario(&[1, 1, 2, 2], 2).with_numbers(&[&[0, 0, 0, 0]]).unwrap().with_style(style);
        let released = verify(&singletons, &alike.clone().with_seen(Visibility::Release)).unwrap();
        assert_eq!((released.releases, released.unsafe_releases), (1, 0));
        assert_eq!(released.max_posterior, fraction(1, 2));
        assert!(!verify(&singletons, &alike).unwrap().is_safe());
    }
}

/// Makes one group of everybody with probability 3/4 if person 0 has value 0, and with 1/3
/// otherwise; else two groups of two.
fn leaning(table: &View, _: &Model, coins: &mut dyn Coins) -> Result<Groups, Error> {
    let together = match table.secret().codes()[0] {
        0 => coins.below(4) > 0,
        _ => coins.below(3) == 0,
    };
    Ok(if together {
        Groups::from_labels(&[0; 4], 1)
    } else {
        Groups::from_labels(&[0, 0, 1, 1], 2)
    })
}

#[test]
fn coins_weigh_the_tables_of_a_disclosure_set() {
    let found = verify(&leaning, &scenario(&[1, 2, 3, 4], 2)).unwrap();
    assert_eq!((found.tables, found.releases), (24, 1 + 6));
    // Two groups, 0 and x in the first: person 0 has x, and person 1 has 0, with
    // 2/3 to 1/4, that is 8/11.
    // One group: person 0 has it with 6 · 3/4 to 18 · 1/3, that is 3/7.
    assert_eq!((found.unsafe_releases, found.unsafe_tables), (3, 12));
    assert_eq!(found.max_posterior, fraction(8, 11));
    let worst = found.counterexample.unwrap();
    assert_eq!((worst.person, worst.value), (0, 1));
    assert_eq!(worst.table, [1, 0, 2, 3]);
    let survivors = [([0, 1, 2, 3], 3), ([0, 1, 3, 2], 3), ([1, 0, 2, 3], 8), ([1, 0, 3, 2], 8)];
    let survivors = survivors
        .map(|(table, weight)| Survivor { table: table.to_vec(), posterior: fraction(weight, 22) });
    assert_eq!(worst.survivors, survivors);
}

#[test]
fn repeated_attempts_weigh_like_first_ones() {
    // If only one group is allowed, all tables lead to it alike.
    let insisting = |table: &View, model: &Model, coins: &mut dyn Coins| {
        let groups = leaning(table, model, coins)?;
        if groups.len() > 1 {
            coins.retry()?;
        }
        Ok(groups)
    };
    let found = verify(&insisting, &scenario(&[1, 2, 3, 4], 2)).unwrap();
    assert_eq!(found.releases, 1);
    assert_eq!(found.max_posterior, fraction(1, 4));
}

#[test]
fn outcomes_that_look_alike_are_one_release() {
    let scenario = scenario(&[1, 2, 3, 4], 2)
        .with_numbers(&[&[0, 0, 0, 0]])
        .unwrap()
        .with_seen(Visibility::Release);
    // Which two people form a group is not visible, but the pairs of values are.
    let pairs = |_: &View, _: &Model, coins: &mut dyn Coins| {
        let mut labels = [0, 0, 1, 1];
        labels.swap(1, 1 + coins.below(3) as usize);
        Ok(Groups::from_labels(&labels, 2))
    };
    let found = verify(&pairs, &scenario).unwrap();
    assert_eq!((found.tables, found.releases), (24, 3));
    assert_eq!(found.max_posterior, fraction(1, 4));
}

#[test]
fn exempt_values_may_be_concluded() {
    let values = scenario(&[1, 1, 2, 2], 2);
    let both = values.clone().with_exempt(vec![true, true]);
    let found = verify(&singletons, &both).unwrap();
    assert!(found.is_safe());
    assert_eq!((found.certain_tables, found.max_posterior), (0, fraction(0, 1)));
    let one = values.with_exempt(vec![true, false]);
    let found = verify(&singletons, &one).unwrap();
    let worst = found.counterexample.unwrap();
    assert_eq!((worst.person, worst.value), (2, 1));
}

#[test]
fn limits_are_kept_and_errors_passed_on() {
    let wide = || scenario(&[1, 1, 2, 2, 3, 3], 2);
    let limited = |limits| verify(&Cover as &dyn Algorithm, &wide().with_limits(limits));
    let free = Limits::default();
    assert!(limited(free).is_ok());
    for limits in
        [Limits { tables: 89, ..free }, Limits { paths: 1, ..free }, Limits { pairs: 90, ..free }]
    {
        assert!(matches!(limited(limits), Err(Error::BeyondLimit { .. })));
    }
    let none = |_: &View, _: &Model, _: &mut dyn Coins| Ok([[0]].into_iter().collect());
    assert_eq!(
        verify(&none, &wide()),
        Err(Violation::NotAPartition(NotAPartition { row: 1 }).into())
    );
    let ineligible = verify(&Cover as &dyn Algorithm, &scenario(&[1, 1, 1, 2], 2));
    assert!(matches!(ineligible, Err(Error::Ineligible(_))));
}
