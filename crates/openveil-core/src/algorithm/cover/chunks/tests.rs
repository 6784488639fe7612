use super::*;
use crate::algorithm::chunks::testing::in_chunks;
use crate::algorithm::chunks::{By, Grid, Regions};
use crate::algorithm::cover::cover;
use crate::coins::SecretCoins;
use crate::model::{Model, RatioDiversity};
use crate::table::{Column, Domain, Histogram, Secret};
use proptest::prelude::*;

/// A table of two quasi-identifiers that is eligible for l = 2 whatever `values` are.
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
        let chunks = (most_rows, Some(20));
        let groups = in_chunks(&Cover, (&table, &model), chunks, coins).unwrap();
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
    let empty = crate::table::PeopleTable::elsewhere(
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
    let layout = |view: &View| layout(view, 2);
    assert_eq!(layout(&view), layout(&table));
}

fn layout(table: &View, l: u32) -> ChunkLayout {
    let criteria = model(l).bind_strata(table).unwrap();
    let coins = &mut SecretCoins::from_test_seed(1);
    Cover
        .layout(table, &criteria, &Settings::default(), coins)
        .unwrap()
}

fn cut(
    table: &View,
    layout: &ChunkLayout,
    (regions, grid): (&Regions, &Grid),
    counts: &[u32],
) -> Chunks {
    let counted = Counted {
        table,
        criteria: &[],
        layout,
        regions,
        grid,
    };
    let coins = &mut SecretCoins::from_test_seed(1);
    Cover.cut(&counted, counts, coins).unwrap()
}

/// Groups of each chunk.
fn groups(cut: &Chunks) -> Vec<u32> {
    cut.chunks().iter().map(|chunk| chunk.rows_each).collect()
}

proptest! {
    /// Exchanging columns exchanges their results, and nothing else.
    #[test]
    fn columns_are_treated_alike(
        places in prop::collection::vec(prop::collection::vec(0usize..4, 30), 3),
        first in 0usize..3,
        second in 0usize..3,
    ) {
        let (table, layout, regions, grid) = thirds();
        let both = |places: &[Vec<usize>]| {
            let mut counts = vec![0; 12];
            for (column, places) in places.iter().enumerate() {
                places.iter().for_each(|region| counts[4 * column + region] += 1);
            }
            let cut = cut(&table, &layout, (&regions, &grid), &counts);
            let shares = (0..12).map(|lot| cut.allotment().shares(lot).to_vec());
            let shares: Vec<Vec<LotShare>> = shares.collect();
            (cut.chunks().to_vec(), shares)
        };
        let (chunks, mut shares) = both(&places);
        let mut exchanged = places.clone();
        exchanged.swap(first, second);
        let (others, found) = both(&exchanged);
        prop_assert_eq!(chunks, others);
        for region in 0..4 {
            shares.swap(4 * first + region, 4 * second + region);
        }
        prop_assert_eq!(shares, found);
    }
}

/// Ninety people at 30 places, in three columns; a grid of four regions, chunks of 21 rows.
fn thirds() -> (View, ChunkLayout, Regions, Grid) {
    let keys: Vec<(u32, u32)> = (0..90).map(|n| (n % 30, 0)).collect();
    let values: Vec<u32> = (0..90).map(|n| n % 3).collect();
    let table = table(&keys, &values);
    let layout = layout(&table, 3);
    assert_eq!(layout.units().len(), 1);
    let regions = Regions::of(&table, 24).unwrap();
    assert_eq!(regions.count(), 4);
    let grid = Grid::new(&layout, 21, &regions);
    (table, layout, regions, grid)
}

#[test]
fn chunks_have_equally_many_rows_of_every_column() {
    let (table, layout, regions, grid) = thirds();
    assert_eq!(grid.lots(), 12);
    let counts = [30, 0, 0, 0, 1, 2, 3, 24, 0, 0, 7, 23];
    let cut = cut(&table, &layout, (&regions, &grid), &counts);
    assert!(
        cut.chunks()
            .iter()
            .all(|chunk| (1..=7).contains(&chunk.rows_each))
    );
    let mut rows = vec![[0; 3]; cut.chunks().len()];
    for (lot, count) in (0..12).zip(counts) {
        let shares = cut.allotment().shares(lot);
        assert_eq!(shares.iter().map(|share| share.rows).sum::<u32>(), count);
        for share in shares {
            rows[share.to as usize][lot / 4] += share.rows;
        }
    }
    for (rows, chunk) in rows.iter().zip(cut.chunks()) {
        assert_eq!(*rows, [chunk.rows_each; 3]);
    }
    assert!(!grid.fits(&[30, 0, 0, 0, 1, 2, 3, 24, 0, 0, 7, 22]));
    assert!(!grid.fits(&counts[1..]));
}

/// People at one place that every column has are grouped together, whatever the other columns do.
#[test]
fn people_who_are_alike_meet_in_one_chunk() {
    let keys: Vec<(u32, u32)> = (0..90).map(|n| (n % 4, 0)).collect();
    let values: Vec<u32> = (0..90).map(|n| n % 3).collect();
    let table = table(&keys, &values);
    let layout = layout(&table, 3);
    let regions = Regions::of(&table, 1).unwrap();
    assert_eq!(regions.count(), 4);
    let grid = Grid::new(&layout, 45, &regions);
    let counts = [20, 0, 0, 10, 16, 0, 0, 14, 15, 3, 2, 10];
    let cut = cut(&table, &layout, (&regions, &grid), &counts);
    let with = |lot: usize, chunk: u32| {
        let shares = cut.allotment().shares(lot).iter();
        let own = shares
            .filter(|share| share.to == chunk)
            .map(|share| share.rows);
        own.sum::<u32>()
    };
    // Fifteen of each column are at the first place, and ten at the last one; five are left.
    assert_eq!(groups(&cut), [12, 13, 5]);
    assert_eq!([0, 4, 8].map(|lot| with(lot, 0)), [12; 3]);
    assert_eq!([0, 4, 8].map(|lot| with(lot, 1)), [3; 3]);
    assert_eq!([3, 7, 11].map(|lot| with(lot, 1)), [10; 3]);
}

/// One region does not make one chunk.
#[test]
fn people_who_are_all_alike_are_cut_up_too() {
    let values: Vec<u32> = (0..90).map(|n| n % 3).collect();
    let table = table(&[(0, 0); 90], &values);
    let layout = layout(&table, 3);
    let regions = Regions::of(&table, 1).unwrap();
    assert_eq!(regions.count(), 1);
    let grid = Grid::new(&layout, 21, &regions);
    let cut = cut(&table, &layout, (&regions, &grid), &[30; 3]);
    assert_eq!(groups(&cut), [6; 5]);
    assert!(cut.chunks().iter().all(|chunk| chunk.by == By::Column(0)));
}
