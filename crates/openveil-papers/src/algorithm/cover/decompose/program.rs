//! A linear program over signatures: finds the mixture that uses the histogram up in the most
//! groups.

use super::in_turn::most_in_turn;
use super::signatures::{Signature, Signatures};
use microlp::{ComparisonOp, OptimizationDirection, Problem};
use openveil_core::model::{CountBuffer, Criteria};
use openveil_core::table::Histogram;

/// The most multisets that are considered as signatures.
const SIGNATURES: usize = 20_000;

/// Looks for more groups than `start` has.
///
/// The candidates are all multisets of the histogram's rows, no larger than the largest group of
/// `start`, that satisfy the model, and the signatures of `start`, so that the program has a
/// solution. Its fractions are rounded down, and the rows left over are dealt out in turn. `None`
/// if there are more than 20,000 multisets, if rounding leaves rows that no group can hold, or if
/// the solver gives up.
///
/// The solver computes in floats. They affect utility only: the caller checks the result.
pub(super) fn solve(
    histogram: &Histogram,
    criteria: &Criteria,
    start: &Signatures,
) -> Option<Signatures> {
    let values = histogram.by_count();
    let sizes = start.iter().map(|signature| signature.values.len());
    let mut signatures = signatures(histogram, &values, sizes.max()?, criteria)?;
    signatures.extend(start.iter().map(|signature| signature.values.clone()));
    signatures.sort_unstable();
    signatures.dedup();
    let fractions = maximize_groups(histogram, &values, &signatures)?;
    let rounded = signatures.into_iter().zip(fractions).filter_map(|(signature, groups)| {
        // A number slightly below an integer counts as that integer.
        let groups = (groups + 1e-6).floor() as u32;
        (groups > 0).then_some(Signature { values: signature, groups })
    });
    complete(histogram, criteria, rounded.collect())
}

/// All multisets of up to `size` rows of the histogram that satisfy the model; `None` if there are
/// too many multisets to try.
fn signatures(
    histogram: &Histogram,
    values: &[u32],
    size: usize,
    criteria: &Criteria,
) -> Option<Vec<Vec<u32>>> {
    let mut found = Vec::new();
    let mut tally = CountBuffer::default();
    // Multisets as ascending positions in `values`, extended at the end.
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(multiset) = open.pop() {
        let next = multiset.last().copied().unwrap_or(0);
        for position in next..values.len() {
            let same = multiset.iter().rev().take_while(|&&own| own == position);
            if same.count() as u32 == histogram.counts()[values[position] as usize] {
                continue;
            }
            seen += 1;
            if seen > SIGNATURES {
                return None;
            }
            let mut longer = multiset.clone();
            longer.push(position);
            let signature: Vec<u32> = longer.iter().map(|&position| values[position]).collect();
            if criteria.hold_on_group(&tally.of_codes(signature.iter().copied())) {
                let mut signature = signature;
                signature.sort_unstable();
                found.push(signature);
            }
            if longer.len() < size {
                open.push(longer);
            }
        }
    }
    Some(found)
}

/// How many groups of each signature, in fractions, use up every value in the largest number of
/// groups.
fn maximize_groups(
    histogram: &Histogram,
    values: &[u32],
    signatures: &[Vec<u32>],
) -> Option<Vec<f64>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let groups: Vec<_> =
        signatures.iter().map(|_| problem.add_var(1.0, (0.0, f64::INFINITY))).collect();
    for &value in values {
        let slots = |signature: &Vec<u32>| signature.iter().filter(|&&slot| slot == value).count();
        let terms: Vec<_> = signatures
            .iter()
            .zip(&groups)
            .filter_map(|(signature, &group)| {
                let slots = slots(signature);
                (slots > 0).then_some((group, slots as f64))
            })
            .collect();
        let count = f64::from(histogram.counts()[value as usize]);
        problem.add_constraint(&terms[..], ComparisonOp::Eq, count);
    }
    let solution = problem.solve().ok()?.into_solution().ok()?;
    Some(groups.iter().map(|&group| solution.var_value(group)).collect())
}

/// Deals out the rows that the signatures leave over. If that is impossible, dissolves groups of
/// the signatures until it is possible.
fn complete(
    histogram: &Histogram,
    criteria: &Criteria,
    mut found: Vec<Signature>,
) -> Option<Signatures> {
    let mut back = 1;
    loop {
        let mut left = histogram.counts().to_vec();
        for signature in &found {
            for &value in &signature.values {
                let count = &mut left[value as usize];
                *count = count.checked_sub(signature.groups)?;
            }
        }
        let left = Histogram::from_counts(left);
        if left.rows() == 0 {
            return Some(Signatures::new(found));
        }
        if let Some(rest) = most_in_turn(&left, criteria) {
            found.extend(rest.iter().cloned());
            return Some(Signatures::new(found));
        }
        if found.is_empty() {
            return None;
        }
        for signature in &mut found {
            signature.groups = signature.groups.saturating_sub(back);
        }
        found.retain(|signature| signature.groups > 0);
        back *= 2;
    }
}
