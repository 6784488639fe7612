//! Deals values out in turn, to as many groups as a model allows.

use super::runs::{ValueRun, round_robin};
use super::signatures::Signatures;
use openveil_core::model::{CountBuffer, Criteria};
use openveil_core::table::Histogram;

/// Group sizes are tried one by one up to this size, then in growing steps.
const EVERY_SIZE: u32 = 64;

/// Returns the most groups found by dealing in turn.
pub(super) fn most_in_turn(histogram: &Histogram, criteria: &Criteria) -> Option<Signatures> {
    let limit = (histogram.rows() / criteria.least_size()).max(1);
    orders(histogram, criteria)
        .into_iter()
        .filter_map(|runs| Some(round_robin(&runs, most(&runs, limit, criteria)?)))
        .max_by_key(|found| (found.groups(), mixed(found, criteria), found.freedom()))
}

/// Groups whose values are of several classes, summed over all classifications that the model
/// knows. If there are equally many groups, the ones that mix more disclose less. Like everything
/// here, a function of the histogram and the model.
pub(super) fn mixed(signatures: &Signatures, criteria: &Criteria) -> u64 {
    criteria
        .classes()
        .map(|classes: &[u32]| -> u64 {
            signatures
                .iter()
                .filter(|signature| {
                    let mut of = signature.values.iter().map(|&value| classes[value as usize]);
                    let first = of.next();
                    of.any(|class| Some(class) != first)
                })
                .map(|signature| u64::from(signature.groups))
                .sum()
        })
        .sum()
}

/// Orders in which values may be laid end to end. A value's neighbours are similar, so that a
/// group, which takes every q-th row, gets dissimilar values.
fn orders(histogram: &Histogram, criteria: &Criteria) -> Vec<Vec<ValueRun>> {
    let by_count = histogram.by_count();
    let mut orders = vec![by_count.clone()];
    let mut by_code = by_count.clone();
    by_code.sort_unstable();
    orders.push(by_code);
    for classes in criteria.classes() {
        orders.push(by_class(histogram, &by_count, classes));
    }
    orders.dedup();
    orders
        .iter()
        .map(|order| {
            order
                .iter()
                .map(|&value: &u32| ValueRun { value, count: histogram.counts()[value as usize] })
                .collect()
        })
        .collect()
}

/// Classes by their number of rows, the largest first; inside a class values by
/// count.
fn by_class(histogram: &Histogram, by_count: &[u32], classes: &[u32]) -> Vec<u32> {
    let mut rows = vec![0u64; classes.iter().max().map_or(0, |&last| last as usize + 1)];
    for &value in by_count {
        let class = classes[value as usize] as usize;
        rows[class] += u64::from(histogram.counts()[value as usize]);
    }
    let mut order = by_count.to_vec();
    order.sort_by_key(|&value| {
        let class = classes[value as usize];
        (std::cmp::Reverse(rows[class as usize]), class)
    });
    order
}

/// The greatest number of groups found, up to `limit`, for which dealing in turn satisfies the
/// model; `None` if even one group does not.
fn most(runs: &[ValueRun], limit: u32, criteria: &Criteria) -> Option<u32> {
    let rows: u64 = runs.iter().map(|run| u64::from(run.count)).sum();
    let works = |groups: u32| satisfies(&round_robin(runs, groups), criteria);
    let mut above = limit + 1;
    let mut size = (rows / u64::from(limit)) as u32;
    loop {
        // The numbers of groups from `fewest` to below `above` have not been tried.
        size += 1 + size / EVERY_SIZE;
        let fewest = ((rows / u64::from(size)) as u32).max(1);
        if works(above - 1) {
            return Some(above - 1);
        }
        if fewest < above && works(fewest) {
            return Some(last_that_works(fewest, above - 1, works));
        }
        if fewest == 1 {
            return None;
        }
        above = above.min(fewest);
    }
}

/// The last number that works, by bisection: `works` is true of `low` and false of `high`.
fn last_that_works(mut low: u32, mut high: u32, works: impl Fn(u32) -> bool) -> u32 {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if works(middle) { low = middle } else { high = middle }
    }
    low
}

/// Whether every signature satisfies the model.
pub(super) fn satisfies(signatures: &Signatures, criteria: &Criteria) -> bool {
    let mut tally = CountBuffer::default();
    signatures.iter().all(|signature| {
        let counts = tally.of_codes(signature.values.iter().copied());
        criteria.hold_on_group(&counts)
    })
}
