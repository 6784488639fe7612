use super::*;
use crate::attack::rerun::RerunPartition;
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::table::{Column, Domain, Secret};

const TOWNS: u32 = 4;

/// People of four towns: in the first all have the first illness, in the second half have the
/// second; in the others any illness occurs.
fn table(rows: usize, seed: u64) -> View {
    let mut coins = SecretCoins::from_test_seed(seed);
    let towns: Vec<u32> = (0..rows).map(|_| coins.below(TOWNS)).collect();
    let ages = (0..rows).map(|_| coins.below(3)).collect();
    let ills = towns
        .iter()
        .map(|&town| match (town, coins.below(2)) {
            (0, _) | (1, 0) => town,
            _ => coins.below(TOWNS),
        })
        .collect();
    let labels = (0..TOWNS).map(|town| town.to_string());
    let columns = vec![
        Column::new("town", towns, Domain::unordered(labels.clone())),
        Column::new("age", ages, Domain::integers(0..3)),
    ];
    View::new(columns, Secret::new("ill", ills, labels)).unwrap()
}

/// Groups with one person per illness, as far as possible, of people in any order.
fn mixed(table: &View) -> Groups {
    let mut by_value = vec![Vec::new(); TOWNS as usize];
    for (row, &value) in (0..).zip(table.secret().codes()) {
        by_value[value as usize].push(row);
    }
    let groups = by_value.iter().map(Vec::len).min().unwrap();
    let mut all = Groups::with_capacity(table.rows(), groups + 1);
    for group in 0..groups {
        all.push(by_value.iter().map(|rows| rows[group]));
    }
    let rest: Vec<u32> = by_value.iter().flat_map(|rows| rows[groups..].to_vec()).collect();
    if !rest.is_empty() {
        all.push(rest);
    }
    all
}

fn measured(partition: RerunPartition<'_>) -> CorrelationGuesses {
    let (public, released) = (table(2_000, 1), table(1_500, 2));
    let (known, groups) = (partition(&public).unwrap(), partition(&released).unwrap());
    of(&public, &known, &released, &groups)
}

fn of(public: &View, known: &Groups, released: &View, groups: &Groups) -> CorrelationGuesses {
    let public = PublicKnowledge { table: public, groups: Some(known) };
    let released = GuessedPeople { table: released, groups };
    correlations(public, released, 0.25, &|_| {}).unwrap()
}

#[test]
fn what_is_known_before_is_found() {
    let found = measured(&|table| Ok(mixed(table)));
    assert_eq!((found.public, found.people), (2_000, 1_500));
    // All people of one town, five eighths of another, and a fourth of the rest.
    assert!((found.prior.accuracy - 0.53).abs() < 0.03, "{found:?}");
    assert!((found.prior.mean - 0.53).abs() < 0.03, "{found:?}");
    assert!((found.most_frequent - 0.406).abs() < 0.03, "{found:?}");
}

/// Groups that are formed without using the quasi-identifiers disclose nothing by the way they are
/// formed. Both readers therefore have equal results, and are calibrated.
#[test]
fn groups_by_chance_are_worth_their_face_value() {
    let found = measured(&|table| Ok(mixed(table)));
    assert!(found.face.accuracy > found.prior.accuracy + 0.02, "{found:?}");
    assert!(found.one.accuracy < found.face.accuracy, "{found:?}");
    let simulating = found.simulating.as_ref().unwrap();
    let off = simulating.accuracy - found.face.accuracy;
    assert!(off.abs() < 0.02, "{found:?}");
    for reading in [&found.one, &found.face, simulating] {
        assert!((reading.mean - reading.accuracy).abs() < 0.03, "{found:?}");
        let people: u64 = reading.calibration.iter().map(|slice| slice.people).sum();
        assert_eq!(people, 1_500);
        assert!(reading.highest <= 1.0 && reading.highest > reading.mean);
    }
    // The last reader has no knowledge beforehand, and groups mix all towns: the only evidence is
    // how many of a group's people are from a town.
    assert!(found.learned.accuracy < found.face.accuracy);
}

/// If groups show who has which value, the simulating reader learns it, and the reader at face
/// value does not.
#[test]
fn the_order_of_a_group_is_found_by_who_simulates() {
    // Within a group, everybody's age follows from the illness, whatever the town.
    let aged = |rows: usize, seed: u64| {
        let table = table(rows, seed);
        let mut coins = SecretCoins::from_test_seed(seed + 10);
        let towns = (0..rows).map(|_| coins.below(TOWNS)).collect();
        let ages = (0..)
            .zip(table.secret().codes())
            .map(|(row, &value): (u32, &u32)| (20 * (row % 2) + 5 * value) % 40);
        let labels = (0..TOWNS).map(|town| town.to_string());
        let columns = vec![
            Column::new("town", towns, Domain::unordered(labels)),
            Column::new("age", ages.collect(), Domain::integers(0..40)),
        ];
        table.with_known(columns).unwrap()
    };
    let (public, released) = (aged(2_000, 1), aged(1_500, 2));
    let (known, groups) = (mixed(&public), mixed(&released));
    let found = of(&public, &known, &released, &groups);
    let simulating = found.simulating.unwrap();
    assert!(simulating.accuracy > 0.95, "{simulating:?}");
    assert!(simulating.nearly_certain > 0.8, "{simulating:?}");
}

#[test]
fn tables_with_other_domains_are_understood() {
    let (public, released) = (table(2_000, 1), table(1_500, 2));
    // These are equal people, with values numbered in reverse order and one unknown town.
    let towns = public.known()[0].codes().iter().map(|&town| TOWNS - 1 - town).collect();
    let names = ["3", "2", "1", "elsewhere"];
    let ills = public.secret().codes().iter().map(|&ill| TOWNS - 1 - ill).collect();
    let columns =
        vec![Column::new("town", towns, Domain::unordered(names)), public.known()[1].clone()];
    let other = View::new(columns, Secret::new("ill", ills, ["3", "2", "1", "0"])).unwrap();
    let (known, groups) = (mixed(&public), mixed(&released));
    let same = of(&public, &known, &released, &groups);
    let other = of(&other, &known, &released, &groups);
    assert!((same.prior.accuracy - other.prior.accuracy).abs() < 0.05);
    assert!(other.prior.accuracy > 0.5);
}
