//! What releases tell readers who tell the people of a group apart.

use super::halving::{Forced, values_of};
use super::*;
use crate::algorithm::Cover;
use crate::algorithm::named;
use openveil_core::algorithm::Algorithm;
use openveil_core::model::{CountBuffer, suite};
use openveil_core::table::{Groups, View};

/// What releases of a multiset tell readers to whom some values are likelier by these odds, the
/// more the higher a person's number.
fn of(mechanism: &(impl Mechanism + ?Sized), values: &[u32], l: u32, odds: f64) -> Exchanges {
    exchanges(mechanism, &scenario(values, l), odds).unwrap()
}

fn cover() -> &'static dyn Algorithm {
    &Cover
}

/// So many people with two values, each equally often.
fn two_values(people: u32) -> Vec<u32> {
    (0..people).map(|person| person % 2).collect()
}

/// Where `halving` refused nothing, exchanges change nothing and the gap is 0, under models of every
/// kind. Half of the runs contain a cut, and a tenth a refusal.
#[test]
fn halving_without_refusals_keeps_beliefs() {
    let (mut runs, mut cut, mut refused) = (0.0, 0.0, 0.0);
    for counts in [4, 5].into_iter().flat_map(histograms) {
        let values = values_of(&counts);
        for model in suite::models(counts.len() as u32) {
            let scenario = Scenario::of_values(values.iter().copied(), model.clone()).unwrap();
            let Ok(criteria) = model.bind(scenario.table()) else {
                continue;
            };
            if criteria.check_whole(scenario.table()).is_err() {
                continue;
            }
            let found = exchanges(&Forced, &scenario, 2.0).unwrap();
            let [pairs, unchanged] = found.unrefused;
            assert_eq!(pairs, unchanged, "{model} on {counts:?}");
            assert!(found.unrefused_gap < 1e-9, "{model} on {counts:?}: {found:?}");
            runs += 1.0;
            cut += found.cut;
            refused += found.refused;
        }
    }
    assert!(runs > 100.0 && cut > runs / 2.0 && refused > runs / 10.0, "{runs} {cut} {refused}");
}

/// Algorithms whose coins seat people leave every belief as it was: also the paper's `anatomy`.
#[test]
fn groups_by_coins_keep_beliefs() {
    for algorithm in ["anatomy", "ria", "rda"] {
        for (values, l) in [
            (&[0, 0, 1, 1, 2, 2][..], 2),
            (&[0, 0, 1, 1, 1, 2, 3], 2),
            (&[0, 0, 1, 1, 2, 2, 3, 3], 3),
        ] {
            let found = of(named(algorithm).unwrap(), values, l, 4.0);
            assert!(found.pairs > 0 && found.pairs == found.unchanged, "{algorithm}: {found:?}");
            assert!(found.greatest_gap < 1e-9, "{algorithm}: {found:?}");
        }
    }
}

/// The counter-example to `cover`: it matches people who are alike, so what a reader concludes from
/// a direction grows with the table.
#[test]
fn what_cover_tells_grows_with_the_table() {
    let gaps = [4, 6, 8, 10].map(|people| of(cover(), &two_values(people), 2, 1.5).greatest_gap);
    assert!(gaps.windows(2).all(|pair| pair[1] > pair[0] + 0.03), "{gaps:?}");
}

/// After refusals, `halving` tells less than a tenth, and less than `cover`, of which the mean grows.
#[test]
fn refusals_tell_little() {
    for people in [4, 6, 8] {
        let values = two_values(people);
        let [own, cover] = [of(&Forced, &values, 2, 1.5), of(cover(), &values, 2, 1.5)];
        assert!(own.refused > 0.3 && own.greatest_gap < 0.1, "{own:?}");
        assert!(own.mean_gap < cover.mean_gap.max(0.03), "{own:?} {cover:?}");
    }
}

/// Two and two people, values 1, 1, 2, 2: a refusal makes odds of γ for the outermost people odds of
/// γ^(m − 1), here for m = 2.
#[test]
fn tiny_groups_tell_most() {
    let gap = |odds: f64| of(&Forced, &[1, 1, 2, 2], 2, odds).greatest_gap;
    assert!(gap(4.0) > gap(1.5) && gap(1.5) > 0.0);
}

/// Classes made first, whose middle one parts the table: sides then take more rows of one class
/// than of another, and a refusal makes somebody certain. Classes inside groups do not.
#[test]
fn halving_unequal_classes_leaks() {
    let by_classes = |table: &View, model: &Model, _: &mut dyn Coins| {
        let criteria = model.bind(table)?;
        let holds = |rows: &[u32]| {
            let values = rows.iter().map(|&row| table.secret().codes()[row as usize]);
            criteria.hold_on_group(&CountBuffer::default().of_codes(values))
        };
        let classes = [&[0, 1][..], &[2, 3], &[4, 5], &[6, 7, 8]];
        let side = |own: [usize; 2]| own.map(|class| classes[class]).concat();
        let mut groups = vec![(0..9).collect()];
        // The middle class, and then the middle one of both strands.
        for sides in [[[0, 1], [2, 3]], [[0, 2], [1, 3]]] {
            let sides = sides.map(side);
            if sides.iter().all(|own| holds(own)) {
                groups = sides.to_vec();
                break;
            }
        }
        Ok(groups.into_iter().collect::<Groups>())
    };
    let found = verify(&by_classes, &scenario(&[0, 0, 0, 1, 1, 2, 2, 3, 3], 2)).unwrap();
    assert!(found.unsafe_releases > 0 && found.certain_tables > 0, "{found:?}");
}
