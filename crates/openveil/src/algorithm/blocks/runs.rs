//! The generalisation functions of a block: runs along its order.

use crate::Error;
use crate::table::Groups;
use crate::verify::disclosure::Functions;
use std::ops::Range;

/// Positions `0..people` in `runs` runs whose sizes differ by at most one, longer
/// ones first.
pub(super) fn runs(people: usize, runs: usize) -> impl Iterator<Item = Range<usize>> {
    let (size, longer) = (people / runs, people % runs);
    (0..runs).map(move |run| {
        let start = run * size + run.min(longer);
        start..start + size + usize::from(run < longer)
    })
}

/// Numbers of runs by function, in non-increasing order of utility: as many as
/// there may be with `least` people in each, one less, … one.
pub(super) fn run_counts(people: usize, least: usize) -> impl Iterator<Item = usize> {
    (1..=(people / least).max(1)).rev()
}

/// The functions of a block of `people` people.
pub(super) fn functions(people: usize, least: usize) -> Result<Functions, Error> {
    let partitions = run_counts(people, least).map(|count| {
        let groups = runs(people, count).map(|run| run.map(|person| person as u32));
        groups.collect::<Groups>()
    });
    Functions::new(people, partitions)
}

/// The positions at which some function cuts, ascending.
pub(super) fn borders(people: usize, least: usize) -> Vec<usize> {
    let starts = run_counts(people, least).flat_map(|count| runs(people, count).skip(1));
    let mut borders: Vec<usize> = starts.map(|run| run.start).collect();
    borders.sort_unstable();
    borders.dedup();
    borders
}

/// The most contingency tables that a block can have, over all multisets: that of
/// people with different values. `None` beyond 128 bits.
pub(super) fn most_classes(people: usize, least: usize) -> Option<u128> {
    let mut borders = borders(people, least);
    borders.push(people);
    let mut start = 0;
    let mut classes = 1u128;
    for end in borders {
        for person in start..end {
            classes = classes.checked_mul(person as u128 + 1)? / (person - start + 1) as u128;
        }
        start = end;
    }
    Some(classes)
}
