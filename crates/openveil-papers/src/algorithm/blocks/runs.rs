//! The generalisation functions of a block: runs along its order.

use std::ops::Range;

/// Divides positions `0..people` into `runs` runs whose sizes differ by at most one, longer ones
/// first.
pub(super) fn runs(people: usize, runs: usize) -> impl Iterator<Item = Range<usize>> {
    let (size, longer) = (people / runs, people % runs);
    (0..runs).map(move |run| {
        let start = run * size + run.min(longer);
        start..start + size + usize::from(run < longer)
    })
}

/// Returns the number of runs of each function, in non-increasing order of utility: as many as
/// possible with `least` people in each, then one less, … one.
pub(super) fn run_counts(people: usize, least: usize) -> impl Iterator<Item = usize> {
    (1..=(people / least).max(1)).rev()
}

/// Returns the positions at which some function cuts, ascending.
pub(super) fn borders(people: usize, least: usize) -> Vec<usize> {
    let mut borders: Vec<usize> = run_counts(people, least)
        .flat_map(|count| runs(people, count).skip(1))
        .map(|run| run.start)
        .collect();
    borders.sort_unstable();
    borders.dedup();
    borders
}
