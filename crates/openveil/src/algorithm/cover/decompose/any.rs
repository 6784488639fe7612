//! Any model for which the values of a group decide.

use super::Decomposition;
use super::in_turn::{mixed, most_in_turn, satisfies};
use super::program;
use crate::model::Criteria;
use crate::table::Histogram;

/// Beyond this excess of the mean group size over its lower bound, in percent, the
/// linear program is tried as well.
const EXCESS: u64 = 5;

/// Decomposes a histogram into groups that satisfy a model, as many as are found.
///
/// Values are laid end to end in an order that keeps alike ones together, and
/// dealt out in turn to as many groups as the model allows: every group is a small
/// copy of the histogram, so large enough groups satisfy whatever the histogram
/// satisfies. For distinct diversity that is optimal. Where groups stay more than
/// 5 % larger than the model's lower bound, a linear program looks for a better
/// mixture of signatures. All of it depends on the histogram and the model only.
///
/// `None` if not even the whole table as one group satisfies the model. Time:
/// O(values · size) tests of the model per group size tried.
pub fn decompose_any(histogram: &Histogram, criteria: &Criteria) -> Option<Decomposition> {
    let in_turn = most_in_turn(histogram, criteria)?;
    let most_groups = histogram.rows() / criteria.least_size();
    let reached = u64::from(in_turn.groups()) * (100 + EXCESS);
    if reached >= u64::from(most_groups) * 100 {
        return Some(in_turn);
    }
    let worth = |found: &Decomposition| (found.groups(), mixed(found, criteria));
    let better = program::solve(histogram, criteria, &in_turn)
        .filter(|found| worth(found) > worth(&in_turn) && satisfies(found, criteria));
    Some(better.unwrap_or(in_turn))
}
