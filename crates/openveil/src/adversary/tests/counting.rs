//! The checker's own arithmetic, on algorithms whose posteriors are known.

use super::*;
use crate::Error;
use crate::algorithm::Algorithm;
use crate::coins::Coins;
use crate::exact::fraction;
use crate::release::check::Violation;
use crate::table::{Groups, NotAPartition, Table};

fn one_group(table: &Table, _: RatioDiversity, _: &mut dyn Coins) -> Result<Groups, Error> {
    Ok([0..table.rows() as u32].into_iter().collect())
}

fn singletons(table: &Table, _: RatioDiversity, _: &mut dyn Coins) -> Result<Groups, Error> {
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
    let groups = [0, 0, 1, 1].into_iter().enumerate();
    let groups = groups.map(|(person, value)| SeenGroup {
        people: vec![person as u32],
        values: vec![value],
    });
    assert_eq!(first.release, Observation::Membership(groups.collect()));
}

#[test]
fn coinciding_cells_hide_membership_from_the_reader_of_the_release() {
    // Everybody looks alike: singletons show the histogram only.
    for style in [Style::Generalize, Style::Anatomy] {
        let alike = scenario(&[1, 1, 2, 2], 2)
            .with_codes(&[&[0, 0, 0, 0]])
            .unwrap()
            .with_style(style);
        let released = verify(&singletons, &alike.clone().with_seen(Seen::Release)).unwrap();
        assert_eq!((released.releases, released.unsafe_releases), (1, 0));
        assert_eq!(released.max_posterior, fraction(1, 2));
        assert!(!verify(&singletons, &alike).unwrap().is_safe());
    }
}

#[test]
fn coins_weigh_the_tables_of_a_disclosure_set() {
    // With a chance of 1/3 everybody's value is published, and of the rest only
    // tables in which person 0 has value 0 hide in one group with 3/4.
    let leaning = |table: &Table, _: RatioDiversity, coins: &mut dyn Coins| {
        let open = match table.sensitive().codes()[0] {
            0 => coins.below(4) == 0,
            _ => coins.below(4) != 0,
        };
        Ok(match open {
            true => (0..table.rows() as u32).map(|row| [row]).collect(),
            false => [0..table.rows() as u32].into_iter().collect::<Groups>(),
        })
    };
    let scenario = scenario(&[1, 2], 2);
    let found = verify(&leaning, &scenario).unwrap();
    assert_eq!((found.tables, found.releases), (2, 3));
    assert_eq!((found.unsafe_releases, found.unsafe_tables), (3, 2));
    let hidden = |table: &Table, model: RatioDiversity, coins: &mut dyn Coins| {
        let groups = leaning(table, model, coins)?;
        if groups.len() > 1 {
            coins.retry()?;
        }
        Ok(groups)
    };
    // Renormalised, both tables lead to the one group for sure.
    let found = verify(&hidden, &scenario).unwrap();
    assert_eq!((found.releases, found.is_safe()), (1, true));
    let shown = |table: &Table, model: RatioDiversity, coins: &mut dyn Coins| {
        let groups = leaning(table, model, coins)?;
        Ok(match groups.len() {
            1 => groups,
            _ => [[1, 0]].into_iter().collect::<Groups>(),
        })
    };
    assert_eq!(verify(&shown, &scenario).unwrap().releases, 1);
}

#[test]
fn unequal_weights_become_unequal_posteriors() {
    // Only the row with value 0 may hide, more often if it is the first one.
    let leaning = |table: &Table, _: RatioDiversity, coins: &mut dyn Coins| {
        let row = table.sensitive().codes().iter().position(|&v| v == 0);
        let apart = match row {
            Some(0) => coins.below(4) == 0,
            _ => coins.below(3) != 0,
        };
        let others = |kept: u32| (0..3).filter(move |&row| row != kept).collect::<Vec<u32>>();
        Ok(match apart {
            true => [vec![2], others(2)].into_iter().collect::<Groups>(),
            false => [vec![0, 1, 2]].into_iter().collect(),
        })
    };
    let found = verify(&leaning, &scenario(&[1, 2, 3], 2)).unwrap();
    // All in one group: 3/4 twice against 1/3 four times.
    let one_group = found.counterexample.unwrap();
    assert_eq!(one_group.posterior, fraction(1, 1));
    let strict = scenario(&[1, 1, 2], 2);
    let found = verify(&leaning, &strict).unwrap();
    assert_eq!(found.tables, 3);
    assert_eq!(found.certain_tables, 3);
}

#[test]
fn exempt_values_may_be_concluded() {
    let values = scenario(&[1, 1, 2, 2], 2);
    let both = values.clone().with_exempt(vec![true, true]).unwrap();
    let found = verify(&singletons, &both).unwrap();
    assert!(found.is_safe());
    assert_eq!(
        (found.certain_tables, found.max_posterior),
        (0, fraction(0, 1))
    );
    let one = values.with_exempt(vec![true, false]).unwrap();
    let found = verify(&singletons, &one).unwrap();
    let worst = found.counterexample.unwrap();
    assert_eq!((worst.person, worst.value), (2, 1));
}

#[test]
fn limits_are_kept_and_errors_passed_on() {
    let wide = || scenario(&[1, 1, 2, 2, 3, 3], 2);
    let limited = |limits| verify(&Algorithm::Cover, &wide().with_limits(limits));
    let free = Limits::default();
    assert!(limited(free).is_ok());
    for limits in [
        Limits { tables: 89, ..free },
        Limits { paths: 7, ..free },
        Limits { pairs: 90, ..free },
    ] {
        assert!(matches!(limited(limits), Err(Error::BeyondLimit { .. })));
    }
    let none = |_: &Table, _: RatioDiversity, _: &mut dyn Coins| Ok([[0]].into_iter().collect());
    assert_eq!(
        verify(&none, &wide()),
        Err(Violation::NotAPartition(NotAPartition { row: 1 }).into())
    );
    let ineligible = verify(&Algorithm::Cover, &scenario(&[1, 1, 1, 2], 2));
    assert!(matches!(ineligible, Err(Error::Ineligible(_))));
}
