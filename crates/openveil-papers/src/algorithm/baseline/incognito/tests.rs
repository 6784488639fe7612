use super::*;
use crate::algorithm::baseline::testing::{hold, is_sound, models, tables};
use openveil_core::model::{DistinctDiversity, KAnonymity, Model, Requirement};
use openveil_core::table::{Column, Domain, Secret};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Returns every generalisation; the first column's level changes fastest.
fn all(taxonomies: &[Taxonomy]) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new()];
    for taxonomy in taxonomies {
        let extended = found.iter().flat_map(|levels: &Vec<u32>| {
            (0..taxonomy.len() as u32).map(|level| [&levels[..], &[level]].concat())
        });
        found = extended.collect();
    }
    found
}

fn naive_groups(table: &View, taxonomies: &[Taxonomy], levels: &[u32]) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for row in 0..table.rows() {
        let classes = (0..levels.len()).map(|column| {
            let code = table.known()[column].codes()[row];
            taxonomies[column].classes(levels[column] as usize)[code as usize]
        });
        groups.entry(classes.collect()).or_default().push(row as u32);
    }
    groups.into_values().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_minimal_generalizations_are_those_of_a_walk_over_the_lattice(
        table in tables(), model in models(),
    ) {
        let criteria = model.bind(&table).unwrap();
        let Ok(found) = minimal_generalizations(&table, &criteria) else {
            prop_assert!(check_whole(&table, &criteria).is_err());
            return Ok(());
        };
        let taxonomies = taxonomies(&table);
        let holding: Vec<Vec<u32>> = all(&taxonomies)
            .into_iter()
            .filter(|levels| {
                let groups = naive_groups(&table, &taxonomies, levels);
                groups.iter().all(|rows| hold(&table, &criteria, rows))
            })
            .collect();
        let is_below = |a: &[u32], b: &[u32]| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
        let mut expected: Vec<Vec<u32>> = holding
            .iter()
            .filter(|levels| !holding.iter().any(|other| is_below(other, levels)))
            .cloned()
            .collect();
        expected.sort();
        let found: Vec<Vec<u32>> = found.into_iter().map(|found| found.levels).collect();
        prop_assert_eq!(&found, &expected);

        for score in [IncognitoScore::Discernability, IncognitoScore::AverageSize] {
            let groups = incognito(&table, &criteria, score).unwrap();
            prop_assert!(is_sound(&table, &criteria, &groups));
            let least = expected.iter().map(|levels| {
                let groups = naive_groups(&table, &taxonomies, levels);
                match score {
                    IncognitoScore::AverageSize => table.rows() as f64 / groups.len() as f64,
                    _ => groups.iter().map(|rows| rows.len().pow(2) as f64).sum(),
                }
            });
            let least = least.fold(f64::INFINITY, f64::min);
            prop_assert_eq!(cost(&table, &groups, score), least);
        }
    }
}

/// One of two columns has to be generalised: the scores disagree on which.
#[test]
fn the_score_decides_among_minimal_generalizations() {
    let place = Column::new(
        "place",
        vec![0, 0, 0, 0, 0, 1, 1, 1, 2, 2],
        Domain::unordered(["a", "b", "c"]),
    );
    let sex = Column::new("sex", vec![0, 0, 0, 0, 1, 0, 1, 1, 1, 1], Domain::unordered(["f", "m"]));
    let value = Secret::new("value", vec![0; 10], ["any"]);
    let table = View::new(vec![place, sex], value).unwrap();
    let model = Model::from(Requirement::KAnonymity(KAnonymity { k: 2 }));
    let criteria = model.bind(&table).unwrap();
    let minimal = minimal_generalizations(&table, &criteria).unwrap();
    let levels: Vec<&[u32]> = minimal.iter().map(|found| &found.levels[..]).collect();
    assert_eq!(levels, [[0, 1], [1, 0]]);
    let sizes = |score| -> Vec<usize> {
        let groups = incognito(&table, &criteria, score).unwrap();
        groups.iter().map(<[u32]>::len).collect()
    };
    // 25 + 9 + 4 against 25 + 25; three groups against two.
    assert_eq!(sizes(IncognitoScore::Discernability), [5, 3, 2]);
    assert_eq!(sizes(IncognitoScore::AverageSize), [5, 3, 2]);
    // The sex is generalised fully, but the place stays `m` for `c`: 8 of 10. For the place, five
    // rows span two of three places and the others all three: 7.5 of 10.
    assert_eq!(sizes(IncognitoScore::Loss), [5, 5]);
}

#[test]
fn a_lattice_beyond_the_limit_is_refused() {
    let column = || Column::new("q", vec![0, 1], Domain::integers(0..2));
    let value = Secret::new("value", vec![0, 1], ["1", "2"]);
    let table = View::new((0..17).map(|_| column()).collect(), value).unwrap();
    let criteria =
        Model::from(Requirement::Distinct(DistinctDiversity { l: 2 })).bind(&table).unwrap();
    let refused = minimal_generalizations(&table, &criteria).unwrap_err();
    assert!(matches!(refused, Error::BeyondLimit { .. }), "{refused}");
}
