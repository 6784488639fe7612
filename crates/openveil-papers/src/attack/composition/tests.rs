use super::*;
use crate::algorithm::Cover;
use crate::attack::beliefs::PersonBeliefs;
use openveil_core::algorithm::{Algorithm, Inside, Settings};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::exact::fraction;
use openveil_core::model::l_diversity;
use openveil_core::release::{Style, publish};
use openveil_core::table::{Column, Domain, Groups, Secret, View, Worlds};

/// Returns people with distinct ranks, or with `per_rank` people to a rank.
fn people(values: &[u32], per_rank: u32) -> View {
    let ranks = (0..values.len() as u32).map(|row| row / per_rank);
    let last = (values.len() as u32 - 1) / per_rank;
    let column = Column::new("rank", ranks.collect(), Domain::integers(0..=i64::from(last)));
    let most = values.iter().max().unwrap() + 1;
    let labels = (0..most).map(|value| value.to_string());
    View::new(vec![column], Secret::new("ill", values.to_vec(), labels)).unwrap()
}

/// Returns every table in which each group of each release has the same values, by trying all.
fn fitting(table: &View, releases: &[Groups]) -> Vec<Vec<u32>> {
    let values = |codes: &[u32], group: &[u32]| {
        let mut values: Vec<u32> = group.iter().map(|&row| codes[row as usize]).collect();
        values.sort_unstable();
        values
    };
    let truth = table.secret().codes();
    let mut worlds = Worlds::new(truth);
    let mut fitting = Vec::new();
    while let Some(world) = worlds.next_world() {
        let mut groups = releases.iter().flat_map(Groups::iter);
        if groups.all(|group| values(world, group) == values(truth, group)) {
            fitting.push(world.to_vec());
        }
    }
    fitting
}

/// On random small tables and groups, values that were ruled out are impossible, and people with an
/// exchange have another possible value.
#[test]
fn bounds_hold_what_all_tables_say() {
    let mut coins = SecretCoins::from_test_seed(11);
    let (mut certain_seen, mut free_seen) = (0, 0);
    for round in 0..300 {
        let rows = 6 + coins.below(3);
        let values: Vec<u32> = (0..rows).map(|_| coins.below(3)).collect();
        let table = people(&values, 1);
        let releases: Vec<Groups> = (0..1 + round % 3)
            .map(|_| {
                let labels: Vec<u32> = (0..rows).map(|_| coins.below(3)).collect();
                let groups = Groups::from_labels(&labels, 3);
                groups.iter().filter(|rows| !rows.is_empty()).map(<[u32]>::to_vec).collect()
            })
            .collect();
        let worlds = fitting(&table, &releases);
        let is_certain = |row: usize| worlds.iter().all(|world| world[row] == values[row]);
        let mut exchanges = Exchanges::new(&table).unwrap();
        let beliefs: Vec<PersonBeliefs> = releases
            .iter()
            .map(|groups| {
                exchanges.add(groups);
                let (release, membership) = publish(&table, groups, Style::Generalize);
                PersonBeliefs::of_members(&release, &membership)
            })
            .collect();
        let found = intersection(&beliefs, table.secret(), 1.0);
        let stuck = exchanges.stuck();
        for row in 0..rows {
            let (certain, is_stuck) = (found.certain.contains(&row), stuck.contains(&row));
            assert!(!certain || is_certain(row as usize), "{values:?} {releases:?}");
            assert!(is_stuck || !is_certain(row as usize), "{values:?} {releases:?}");
            certain_seen += u32::from(certain);
            free_seen += u32::from(!is_stuck);
        }
    }
    assert!(certain_seen > 100 && free_seen > 100, "{certain_seen} {free_seen}");
}

/// READERS, B1: {a, a, b, c} as ab | ac. Two releases make some person certain with probability
/// 1/2, three with 3/4.
#[test]
fn independent_releases_make_people_certain() {
    let table = people(&[0, 0, 1, 2], 1);
    let model = l_diversity(2).unwrap();
    let settings = Settings { inside: Inside::Random, ..Settings::default() };
    // The two groupings of the two people with `a`.
    let mut coins = SecretCoins::from_test_seed(0);
    let mut releases = Vec::new();
    for _ in 0..100 {
        let groups = Cover.partition_with(&table, &model, &settings, &mut coins);
        let groups = groups.unwrap();
        let (release, _) = publish(&table, &groups, Style::Anatomy);
        if !releases.contains(&release) {
            releases.push(release);
        }
    }
    let made = |release| ReleaseRun {
        release,
        algorithm: &Cover,
        model: &model,
        settings: settings.clone(),
        style: Style::Anatomy,
    };
    assert_eq!(releases.len(), 2);
    let bound = fraction(1, 2);
    for release in &releases {
        let one = exact(&table, &[made(release)], &bound).unwrap().unwrap();
        assert_eq!((one.max_posterior, one.above_bound), (bound.clone(), 0));
        let twice = exact(&table, &[made(release), made(release)], &bound);
        assert_eq!(twice.unwrap().unwrap().max_posterior, bound);
    }
    let both = [made(&releases[0]), made(&releases[1])];
    let found = exact(&table, &both, &bound).unwrap().unwrap();
    assert_eq!(found.max_posterior, fraction(1, 1));
    assert!(!found.certain.is_empty());
}

#[test]
fn people_who_cannot_be_told_apart_are_never_certain() {
    // Two people per rank: the first two differ, the last two do not.
    assert_eq!(twins(&people(&[0, 1, 2, 2, 1], 2)), [2, 3, 4]);
}

#[test]
fn larger_tables_are_not_enumerated() {
    let values: Vec<u32> = (0..20).map(|row| row % 4).collect();
    let found = exact(&people(&values, 1), &[], &fraction(1, 4)).unwrap();
    assert_eq!(found, None);
}
