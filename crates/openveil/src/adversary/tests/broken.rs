//! Algorithms that give people away: the checker has to notice.

use super::*;
use crate::Error;
use crate::algorithm::Algorithm;
use crate::coins::{Coins, shuffle};
use crate::exact::fraction;
use crate::histogram::Histogram;
use crate::table::{Groups, Table};

fn allows(table: &Table, rows: &[u32], model: RatioDiversity) -> bool {
    let codes: Vec<u32> = rows
        .iter()
        .map(|&row| table.sensitive().codes()[row as usize])
        .collect();
    let histogram = Histogram::of(&codes, table.sensitive().values());
    let size = u64::from(histogram.rows());
    let mut counts = histogram.counts().iter();
    counts.all(|&count| model.allows(count.into(), size))
}

/// Rows in the order of their first quasi-identifier; every group ends as soon
/// as it is diverse, what is left over joins the last one.
fn first_diverse_prefix(
    table: &Table,
    model: RatioDiversity,
    _: &mut dyn Coins,
) -> Result<Groups, Error> {
    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
    rows.sort_by_key(|&row| table.quasi_identifiers()[0].codes()[row as usize]);
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut open = Vec::new();
    for row in rows {
        open.push(row);
        if allows(table, &open, model) {
            groups.push(std::mem::take(&mut open));
        }
    }
    while !open.is_empty() {
        open.extend(groups.pop().unwrap_or_default());
        if allows(table, &open, model) || groups.is_empty() {
            groups.push(std::mem::take(&mut open));
        }
    }
    Ok(groups.into_iter().collect())
}

#[test]
fn stopping_at_the_first_diverse_prefix_leaks() {
    let found = verify(&first_diverse_prefix, &scenario(&[1, 1, 2, 2], 2)).unwrap();
    // 1122 and 2211 alone lead to one group of four: no harm yet.
    assert_eq!((found.tables, found.releases), (6, 2));
    assert_eq!((found.unsafe_releases, found.unsafe_tables), (0, 0));
    let found = verify(&first_diverse_prefix, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    // A first group {1,1,2,3} can only have begun with both 1s.
    assert_eq!((found.releases, found.unsafe_releases), (13, 3));
    assert_eq!((found.unsafe_tables, found.certain_tables), (12, 12));
    let worst = found.counterexample.unwrap();
    assert_eq!(worst.table, [0, 0, 1, 2, 1, 2]);
    assert_eq!((worst.person, worst.value), (0, 0));
    assert_eq!((worst.posterior, worst.survivor_count), (fraction(1, 1), 4));
}

/// The sum of the groups' extents on the first quasi-identifier.
fn extents(table: &Table, groups: &Groups) -> u32 {
    let codes = table.quasi_identifiers()[0].codes();
    let extent = |rows: &[u32]| {
        let codes = || rows.iter().map(|&row| codes[row as usize]);
        codes().max().unwrap() - codes().min().unwrap()
    };
    groups.iter().map(extent).sum()
}

fn better_of_two_deals(
    table: &Table,
    model: RatioDiversity,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let one = Algorithm::Cover.partition(table, model, coins)?;
    let other = Algorithm::Cover.partition(table, model, coins)?;
    let better = extents(table, &other) < extents(table, &one);
    Ok(if better { other } else { one })
}

#[test]
fn dealing_again_because_of_the_cost_leaks() {
    let found = verify(&better_of_two_deals, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    let worst = found.counterexample.unwrap();
    assert_eq!(worst.posterior, found.max_posterior);
    assert!(worst.posterior > fraction(1, 2));
    let exposing = worst
        .survivors
        .iter()
        .filter(|survivor| survivor.table[worst.person as usize] == worst.value);
    let posteriors = exposing.map(|survivor| survivor.posterior.clone());
    assert_eq!(worst.posterior, posteriors.sum());
}

/// A safe shuffle of equal halves, except that the first row always comes first.
fn file_order_tie(
    table: &Table,
    _: RatioDiversity,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let rows_of = |value: u32| {
        let codes = table.sensitive().codes().iter().zip(0..);
        codes
            .filter(move |&(&code, _)| code == value)
            .map(|(_, row)| row)
            .collect::<Vec<u32>>()
    };
    let (ones, mut twos, threes) = (rows_of(0), rows_of(1), rows_of(2));
    shuffle(&mut twos, coins);
    // 1 and 2 share a group, 2 and 3 another; the first 1 in the file goes with
    // the first 3 instead of a row chosen by coins.
    Ok([
        vec![ones[0], threes[0]],
        vec![ones[1], twos[0]],
        vec![twos[1], threes[1]],
    ]
    .into_iter()
    .collect())
}

#[test]
fn taking_rows_in_file_order_leaks() {
    let found = verify(&file_order_tie, &scenario(&[1, 1, 2, 2, 3, 3], 2)).unwrap();
    assert!(!found.is_safe());
    let worst = found.counterexample.unwrap();
    // Persons 0 and 4 share 1 and 3: whatever else they have, 0 is the first 1.
    assert_eq!(worst.posterior, fraction(1, 1));
}
