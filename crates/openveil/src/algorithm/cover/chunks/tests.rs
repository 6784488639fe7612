use super::testing::cover_in_chunks;
use super::*;
use crate::algorithm::cover::cover;
use crate::coins::SecretCoins;
use crate::model::{Model, RatioDiversity};
use crate::table::{Column, Domain, Histogram, Secret};
use proptest::prelude::*;

/// A table of two quasi-identifiers; eligible for l = 2 whatever `values` are.
fn table(keys: &[(u32, u32)], values: &[u32]) -> View {
    let rows = keys.len() as u32;
    let known = vec![
        Column::new(
            "a",
            keys.iter().map(|key| key.0).collect(),
            Domain::integers(0..30),
        ),
        Column::new(
            "b",
            keys.iter().map(|key| key.1).collect(),
            Domain::unordered(["x", "y", "z"]),
        ),
    ];
    let codes = (0..rows).map(|row| match values[row as usize] {
        common if common < 3 => common,
        _ => 3 + row,
    });
    let labels = (0..rows + 3).map(|value| value.to_string());
    View::new(known, Secret::new("s", codes.collect(), labels)).unwrap()
}

fn model(l: u32) -> Model {
    RatioDiversity::new(l).unwrap().into()
}

proptest! {
    #[test]
    fn groups_are_those_of_the_layout(
        people in prop::collection::vec(((0u32..30, 0u32..3), 0u32..8), 30..300),
        most_rows in 1u32..80,
        seed: u64,
    ) {
        let (keys, values): (Vec<_>, Vec<u32>) = people.into_iter().unzip();
        let (table, model) = (table(&keys, &values), model(2));
        let Ok(criteria) = model.bind_strata(&table) else { return Ok(()) };
        let coins = &mut SecretCoins::from_test_seed(seed);
        let Ok(local) = cover(&table, &criteria[0], &Settings::default(), coins) else {
            return Ok(());
        };
        let groups = cover_in_chunks(&table, &model, most_rows, coins).unwrap();
        prop_assert!(groups.check_partition(table.rows()).is_ok());
        let sizes = |groups: &Groups| {
            let mut sizes: Vec<usize> = groups.iter().map(<[u32]>::len).collect();
            sizes.sort_unstable();
            sizes
        };
        prop_assert_eq!(sizes(&groups), sizes(&local));
        for group in groups.iter() {
            let mut values: Vec<u32> =
                group.iter().map(|&row| table.secret().codes()[row as usize]).collect();
            values.sort_unstable();
            let most = values.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap();
            prop_assert!(2 * most <= group.len());
        }
    }

    #[test]
    fn regions_part_people_by_their_positions(
        people in prop::collection::vec((0u32..30, 0u32..3), 2..200),
        most in 1usize..20,
    ) {
        let values = vec![9; people.len()];
        let table = table(&people, &values);
        let regions = Regions::of(&table, most).unwrap();
        let region = |&(a, b): &(u32, u32)| regions.region(|axis| [a, b][axis]);
        let of: Vec<u32> = people.iter().map(region).collect();
        let mut tuples = people.clone();
        tuples.sort_unstable();
        tuples.dedup();
        for number in 0..regions.count() {
            let inside = of.iter().filter(|&&own| own == number).count();
            let tuples = tuples.iter().filter(|tuple| region(tuple) == number).count();
            prop_assert!(inside > 0, "a region without people");
            prop_assert!(inside <= most || tuples == 1);
        }
    }
}

#[test]
fn a_layout_needs_counts_only() {
    let keys: Vec<(u32, u32)> = (0..60).map(|n| (n % 30, n % 3)).collect();
    let values: Vec<u32> = (0..60).map(|n| n % 7).collect();
    let table = table(&keys, &values).with_strata(["b"]).unwrap();
    let counts = table
        .strata()
        .into_iter()
        .map(|own| (own.codes().to_vec(), own.view(&table).histogram()));
    let counts: Vec<(Vec<u32>, Histogram)> = counts.collect();
    let known = table
        .known()
        .iter()
        .map(|column| column.clone().with_codes(Vec::new()));
    let secret = table.secret().clone().with_codes(Vec::new());
    let elsewhere = View::new(known.collect(), secret);
    assert!(elsewhere.is_err(), "a table without rows is none");
    let empty = crate::table::Table::elsewhere(
        table
            .known()
            .iter()
            .cloned()
            .chain([Column::new(
                "s",
                Vec::new(),
                Domain::unordered(table.secret().labels()),
            )])
            .map(|c| c.with_codes(Vec::new()))
            .collect(),
        60,
    )
    .unwrap();
    use crate::table::ColumnSet;
    let view = empty
        .view(ColumnSet::first(2), ColumnSet::one(2))
        .counted(["b"], counts)
        .unwrap();
    let layout = |view: &View| Layout::of(view, &model(2).bind_strata(view).unwrap()).unwrap();
    assert_eq!(layout(&view), layout(&table));
}

#[test]
fn chunks_have_equally_many_rows_of_every_column() {
    let keys: Vec<(u32, u32)> = (0..90).map(|n| (n % 30, 0)).collect();
    let values: Vec<u32> = (0..90).map(|n| n % 3).collect();
    let table = table(&keys, &values);
    let layout = Layout::of(&table, &model(3).bind_strata(&table).unwrap()).unwrap();
    assert_eq!(layout.units().len(), 1);
    let grid = Grid::new(&layout, 21, 4);
    assert_eq!((grid.chunks(), grid.lots()), (5, 12));
    let sizes: Vec<(u32, u32)> = (0..5).map(|chunk| grid.chunk(chunk)).collect();
    assert_eq!(sizes, [(0, 6); 5]);
    let allotment = grid.allotment(&[30, 0, 0, 0, 1, 2, 3, 24, 0, 0, 7, 23]);
    let mut rows = [[0; 3]; 5];
    for lot in 0..12 {
        for share in allotment.shares(lot) {
            rows[share.to as usize][lot / 4] += share.rows;
        }
    }
    assert_eq!(rows, [[6; 3]; 5]);
}
