//! How much slack a model leaves, judged by the histogram alone.

use crate::model::{CountBuffer, Criteria};
use crate::table::Histogram;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Number of random groups that are tried.
const GROUPS: usize = 400;

/// Random groups that may break the model: one in a hundred.
const FAILURES: usize = GROUPS / 100;

/// A fixed seed: the same groups for the same histogram. It need not be secret.
const SEED: u64 = 0x6f70_656e_7665_696c;

/// Whether the model holds on nearly all groups of `size` values drawn at random, with replacement,
/// from a histogram. Always false if the table has fewer than twice as many rows. O(size · log
/// values) and one test of the model, for each of a few hundred groups.
pub(super) fn holds_on_random_groups(
    histogram: &Histogram,
    criteria: &Criteria,
    size: usize,
) -> bool {
    let mut rows = 0u32;
    let ends = histogram.counts().iter().map(|&count| {
        rows += count;
        rows
    });
    let ends: Vec<u32> = ends.collect();
    if size > rows as usize / 2 {
        return false;
    }
    let mut generator = StdRng::seed_from_u64(SEED);
    let mut tally = CountBuffer::default();
    let breaks = |_: &usize| {
        let mut value = || {
            let row = generator.random_range(0..rows);
            ends.partition_point(|&end| end <= row) as u32
        };
        let group: Vec<u32> = (0..size).map(|_| value()).collect();
        !criteria.hold_on_group(&tally.of_codes(group))
    };
    (0..GROUPS).filter(breaks).nth(FAILURES).is_none()
}
