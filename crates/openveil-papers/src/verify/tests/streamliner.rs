//! The Privacy Streamliner algorithms against a reader who knows them.

use super::*;
use crate::algorithm::{Gda, Rda, RdaFileOrder, Ria};
use openveil_core::algorithm::Algorithm;
use openveil_core::exact::fraction;
use openveil_core::table::View;

/// The multisets on which every algorithm is checked, with l.
const MULTISETS: [(&[u32], u32); 7] = [
    (&[1, 1, 2, 2], 2),
    (&[1, 1, 2, 2, 3, 3], 2),
    (&[1, 1, 2, 2, 3, 4], 2),
    (&[1, 1, 1, 2, 2, 3], 2),
    (&[1, 1, 2, 2, 3, 3], 3),
    (&[1, 1, 2, 2, 3, 4], 3),
    (&[1, 1, 2, 2, 3, 3, 4], 3),
];

#[test]
fn ria_and_rda_keep_their_promise() {
    for algorithm in [&Ria as &dyn Algorithm, &Rda] {
        for (values, l) in MULTISETS {
            for (style, seen) in VIEWS {
                let scenario = scenario(values, l).with_style(style).with_seen(seen);
                let found = verify(algorithm, &scenario).unwrap();
                assert_eq!(found.counterexample, None, "{} on {values:?}", algorithm.name());
                assert!(found.max_posterior <= fraction(1, l.into()));
            }
        }
    }
}

/// Colour by colour, and seated as places were in another table, or path by path in each table: the
/// same distribution.
#[test]
fn integrating_ria_and_rda_over_places_is_exact() {
    for algorithm in [&Ria as &dyn Algorithm, &Rda] {
        for (values, l) in [
            (&[1, 1, 2, 2][..], 2),
            (&[1, 1, 2, 2, 3], 2),
            (&[1, 2, 3, 4], 2),
            (&[1, 1, 2, 2, 3, 3], 3),
            (&[1, 2, 3, 4, 5], 3),
        ] {
            let scenario = scenario(values, l);
            let model = scenario.model();
            let memory = Memory::default();
            let worlds = listing::all_worlds(&scenario).unwrap();
            let worlds: Vec<&[u32]> = worlds.chunks(values.len()).collect();
            for world in worlds.iter().step_by(worlds.len().div_ceil(4)) {
                let table = scenario.world(world).unwrap();
                let over_places = algorithm.distribution(&table, model, PATH_LIMIT, &memory);
                let by_path = distribution(PATH_LIMIT, |coins| {
                    Ok(algorithm.partition(&table, model, coins)?.sorted())
                });
                let (over_places, by_path) = (over_places.unwrap(), by_path.unwrap());
                assert_eq!(over_places, by_path, "{} on {world:?}", algorithm.name());
            }
        }
    }
}

/// Every table is enumerated path by path, as it is published: nothing is taken from places, or
/// from another table. Numbers of left-over people: none, and one.
#[test]
fn what_ria_and_rda_publish_is_what_is_checked() {
    for algorithm in [&Ria as &dyn Algorithm, &Rda] {
        let by_path = |table: &View, model: &Model, coins: &mut dyn Coins| {
            algorithm.partition(table, model, coins)
        };
        for (values, l) in [(&[1, 1, 2, 2][..], 2), (&[1, 1, 2, 2, 3], 2), (&[1, 1, 1, 2, 2, 3], 2)]
        {
            let scenario = scenario(values, l);
            let (found, published) = (verify(algorithm, &scenario), verify(&by_path, &scenario));
            let (found, published) = (found.unwrap(), published.unwrap());
            assert!(published.is_safe(), "{} on {values:?}", algorithm.name());
            assert_eq!(published.max_posterior, found.max_posterior);
            assert_eq!((published.tables, published.releases), (found.tables, found.releases));
        }
    }
}

/// The figures of the design: in 48 of 90 and 1,272 of 2,520 tables GDA makes somebody's value
/// certain.
#[test]
fn gda_gives_people_away() {
    let found = verify(&Gda as &dyn Algorithm, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    assert_eq!((found.tables, found.certain_tables), (90, 48));
    assert_eq!(found.max_posterior, fraction(1, 1));
    let found = verify(&Gda as &dyn Algorithm, &scenario(&[1, 1, 2, 2, 3, 3, 4, 4], 2)).unwrap();
    assert_eq!((found.tables, found.certain_tables), (2_520, 1_272));
}

#[test]
fn a_worked_example_of_gda_holds_up() {
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2);
    let found = verify(&Gda as &dyn Algorithm, &scenario).unwrap();
    let example = found.counterexample.unwrap();
    assert_eq!(example.survivors.len() as u64, example.survivor_count);
    let mut coins = CoinTree::new();
    for survivor in &example.survivors {
        assert_eq!(survivor.table[example.person as usize], example.value);
        let world = scenario.world(&survivor.table).unwrap();
        let groups = Gda.partition(&world, scenario.model(), &mut coins).unwrap();
        assert_eq!(scenario.observe(&world, &groups), example.release);
    }
}

#[test]
fn rda_in_file_order_gives_people_away() {
    let found = verify(&RdaFileOrder as &dyn Algorithm, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    assert!(!found.is_safe(), "{found:?}");
    assert_eq!(found.max_posterior, fraction(1, 1));
}
