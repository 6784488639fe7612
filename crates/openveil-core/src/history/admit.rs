//! Decides from a cohort's histogram alone which groups it makes up.

use super::Book;
use crate::algorithm::cover::one_value_per_slot;
use crate::model::{Ineligible, RatioDiversity};
use crate::table::Histogram;
use microlp::{ComparisonOp, OptimizationDirection, Problem};

/// The most signatures in use that are considered. More are not needed to place nearly everybody.
const LOOKED_AT: usize = 2_000;

/// How much more a row counts on the largest signature than on one that is hardly used.
const PREFERENCE: f64 = 0.1;

/// Pairs of values are exchanged only if there are at most this many values.
const EXCHANGED_VALUES: usize = 40;

/// How many groups of each signature a cohort makes up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission(Vec<(Vec<u32>, u32)>);

impl Admission {
    /// Signatures, each with a positive number of groups.
    pub fn groups(&self) -> impl Iterator<Item = (&Vec<u32>, u32)> {
        self.0
            .iter()
            .map(|(signature, groups)| (signature, *groups))
    }
}

impl Book {
    /// Decides which groups a cohort with this histogram makes up: as many rows as possible on
    /// signatures in use, the rest on new ones. Every signature has at least l different values.
    /// Depends on the histogram and the book only.
    ///
    /// Time: a linear program with one variable per signature.
    ///
    /// # Errors
    /// [`Ineligible`] if the cohort by itself allows no release; then nothing may be published.
    pub fn admit(
        &self,
        histogram: &Histogram,
        ratio: RatioDiversity,
    ) -> Result<Admission, Ineligible> {
        ratio.check_eligible(histogram, &vec![false; histogram.counts().len()])?;
        let used = self.on_known(histogram, ratio).unwrap_or_default();
        let left = left_over(histogram, &used).expect("no more rows are used than there are");
        let mut groups = used;
        if left.rows() > 0 {
            groups.extend(few_large(&left, left.rows() / ratio.l()));
        }
        Ok(Admission(groups))
    }

    /// Places as many rows as possible on signatures in use, so that the rest is eligible. Solved
    /// in floats and rounded down; the result is checked in integers.
    fn on_known(
        &self,
        histogram: &Histogram,
        ratio: RatioDiversity,
    ) -> Option<Vec<(Vec<u32>, u32)>> {
        let count = |value: u32| histogram.counts().get(value as usize).copied().unwrap_or(0);
        let l = f64::from(ratio.l());
        let used = self.signatures.iter().zip(&self.groups);
        let possible = used.filter(|(signature, _)| {
            signature.len() >= ratio.l() as usize && signature.iter().all(|&value| count(value) > 0)
        });
        let mut possible: Vec<(&Vec<u32>, u32)> = possible
            .map(|(signature, &groups)| (signature, groups))
            .collect();
        // Largest first: when people leave, the number of filler rows grows with the square root of
        // the number of a signature's groups.
        possible.sort_by_key(|&(_, groups)| std::cmp::Reverse(groups));
        possible.truncate(LOOKED_AT);
        let largest = f64::from(possible.first().map_or(1, |&(_, groups)| groups.max(1)));
        if possible.is_empty() {
            return None;
        }
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<_> = possible
            .iter()
            .map(|(signature, groups)| {
                let preferred = 1.0 + PREFERENCE * f64::from(*groups) / largest;
                problem.add_var(signature.len() as f64 * preferred, (0.0, f64::INFINITY))
            })
            .collect();
        let rows = f64::from(histogram.rows());
        for value in histogram.by_count() {
            let slots = |signature: &Vec<u32>| f64::from(u8::from(signature.contains(&value)));
            let own = possible.iter().zip(&variables);
            let taken: Vec<_> = own
                .clone()
                .filter(|((signature, _), _)| signature.contains(&value))
                .map(|(_, &variable)| (variable, 1.0))
                .collect();
            problem.add_constraint(&taken[..], ComparisonOp::Le, f64::from(count(value)));
            // In the rest, each value may have at most one row in l.
            let rest: Vec<_> = own
                .map(|((signature, _), &variable)| {
                    (variable, signature.len() as f64 - l * slots(signature))
                })
                .collect();
            let slack = rows - l * f64::from(count(value));
            problem.add_constraint(&rest[..], ComparisonOp::Le, slack);
        }
        let solution = problem.solve().ok()?.into_solution().ok()?;
        let rounded = possible
            .iter()
            .zip(&variables)
            .map(|(&(signature, _), &variable)| {
                // A number slightly below an integer counts as that integer.
                let groups = (solution.var_value(variable) + 1e-6).floor() as u32;
                (signature.clone(), groups)
            });
        let mut rounded: Vec<(Vec<u32>, u32)> = rounded.collect();
        if !is_possible(histogram, &rounded, ratio) {
            return None;
        }
        // Adds the groups that rounding left over, as long as the rest stays eligible.
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            for number in 0..rounded.len() {
                rounded[number].1 += 1;
                if is_possible(histogram, &rounded, ratio) {
                    has_grown = true
                } else {
                    rounded[number].1 -= 1
                }
            }
        }
        rounded.retain(|(_, groups)| *groups > 0);
        Some(rounded)
    }
}

/// Signatures that use a histogram up, some of them in as many groups as possible: when people
/// leave, the number of filler rows grows with the square root of a signature's groups.
///
/// Values are laid end to end, and pairs of them are exchanged as long as that helps.
fn few_large(histogram: &Histogram, groups: u32) -> Vec<(Vec<u32>, u32)> {
    let by_value = |value: u32| (value, histogram.counts()[value as usize]);
    let mut order: Vec<(u32, u32)> = histogram.by_count().into_iter().map(by_value).collect();
    let fakes = |order: &[(u32, u32)]| -> f64 {
        let signatures = one_value_per_slot(order, groups).into_iter();
        signatures.map(|(_, groups)| f64::from(groups).sqrt()).sum()
    };
    let mut least = fakes(&order);
    let mut has_changed = order.len() <= EXCHANGED_VALUES;
    while std::mem::take(&mut has_changed) {
        for one in 0..order.len() {
            for other in one + 1..order.len() {
                order.swap(one, other);
                let now = fakes(&order);
                if now < least - 1e-9 {
                    (least, has_changed) = (now, true);
                } else {
                    order.swap(one, other);
                }
            }
        }
    }
    one_value_per_slot(&order, groups)
}

/// Whether there are enough rows, and the rest is eligible.
fn is_possible(histogram: &Histogram, groups: &[(Vec<u32>, u32)], ratio: RatioDiversity) -> bool {
    left_over(histogram, groups).is_some_and(|left| {
        let none = vec![false; left.counts().len()];
        left.rows() == 0 || ratio.check_eligible(&left, &none).is_ok()
    })
}

/// The histogram without the rows of groups; `None` if it has too few rows for them.
fn left_over(histogram: &Histogram, groups: &[(Vec<u32>, u32)]) -> Option<Histogram> {
    let mut left = histogram.counts().to_vec();
    for (signature, groups) in groups {
        for &value in signature {
            let count = &mut left[value as usize];
            *count = count.checked_sub(*groups)?;
        }
    }
    Some(Histogram::from_counts(left))
}
