//! Ratio l-diversity: optimal for every eligible histogram.

use super::runs::{Run, round_robin};
use super::{Bucket, Decomposition};
use crate::model::{Ineligible, RatioDiversity};
use crate::table::Histogram;

/// Beyond this many values the greedy attempt, which takes quadratic time in
/// them, is left out.
const GREEDY_VALUES: usize = 4_096;

/// Decomposes a histogram into q = ⌊n/l⌋ groups of ⌊n/q⌋ or ⌈n/q⌉ slots: the
/// optimal discernability for every eligible histogram, with protected values
/// at most once per group.
///
/// Two constructions reach it; the one with the larger buckets is taken. The
/// choice looks at nothing but the histogram. `exempt[v]` says that the value
/// `v` needs no protection and may fill several slots of a group.
///
/// O(values²) time up to 4,096 values, O(values · l · log values) beyond,
/// whatever the number of rows.
///
/// # Errors
/// [`Ineligible`] if a protected value is more frequent than one row in l.
pub fn decompose(
    histogram: &Histogram,
    exempt: &[bool],
    model: RatioDiversity,
) -> Result<Decomposition, Ineligible> {
    model.check_eligible(histogram, exempt)?;
    let groups = histogram.rows() / model.l();
    let runs = runs(histogram, groups);
    let even = round_robin(&runs, groups);
    if runs.len() > GREEDY_VALUES {
        return Ok(even);
    }
    let greedy = largest_first(runs, groups);
    Ok(if greedy.freedom() > even.freedom() {
        greedy
    } else {
        even
    })
}

/// Values by count, longest first. An exempt value with more rows than there
/// are groups becomes several runs: its slots stay apart.
fn runs(histogram: &Histogram, groups: u32) -> Vec<Run> {
    let mut runs = Vec::new();
    for value in histogram.by_count() {
        let mut left = histogram.counts()[value as usize];
        while left > 0 {
            let count = left.min(groups);
            runs.push(Run { value, count });
            left -= count;
        }
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.count));
    runs
}

/// Takes the largest possible bucket again and again: the most frequent values
/// left, for as many groups as leave the rest decomposable.
///
/// The rest stays decomposable as long as no count exceeds the number of groups
/// left and the counts add up to their slots: round-robin would finish it. Every
/// step uses up a value, a group size, or makes one more value as frequent as
/// there are groups (which it then stays), so there are O(values) steps.
fn largest_first(mut runs: Vec<Run>, groups: u32) -> Decomposition {
    let rows: u64 = runs.iter().map(|run| u64::from(run.count)).sum();
    let size = (rows / u64::from(groups)) as usize;
    let longer = (rows % u64::from(groups)) as u32;
    let mut left = [(size, groups - longer), (size + 1, longer)];
    let mut buckets = Vec::new();
    while left[0].1 + left[1].1 > 0 {
        let total = left[0].1 + left[1].1;
        let (choice, count) = [0, 1]
            .map(|choice| (choice, largest_bucket(&runs, left[choice], total)))
            .into_iter()
            .max_by_key(|&(choice, count)| (count, std::cmp::Reverse(choice)))
            .expect("there are two sizes");
        let slots = left[choice].0;
        buckets.push(Bucket {
            signature: runs[..slots].iter().map(|run| run.value).collect(),
            groups: count,
        });
        left[choice].1 -= count;
        runs[..slots].iter_mut().for_each(|run| run.count -= count);
        runs.retain(|run| run.count > 0);
        runs.sort_by_key(|run| std::cmp::Reverse(run.count));
    }
    Decomposition::new(buckets)
}

/// For how many groups the first `slots` runs can be a signature, if `groups`
/// groups of that size and `total` of any size are left.
fn largest_bucket(runs: &[Run], (slots, groups): (usize, u32), total: u32) -> u32 {
    let Some(least) = slots.checked_sub(1).and_then(|last| runs.get(last)) else {
        return 0;
    };
    let waiting = runs.get(slots).map_or(0, |run| run.count);
    groups.min(least.count).min(total - waiting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(counts: &[u32], l: u32) -> Result<Decomposition, Ineligible> {
        let histogram = Histogram::from_counts(counts.to_vec());
        decompose(
            &histogram,
            &vec![false; counts.len()],
            RatioDiversity::new(l).unwrap(),
        )
    }

    fn check(decomposition: &Decomposition, counts: &[u32], exempt: &[bool], l: u32) {
        let n: u32 = counts.iter().sum();
        let q = n / l;
        let mut used = vec![0; counts.len()];
        let mut long = 0;
        for bucket in decomposition.buckets() {
            let size = bucket.signature.len() as u32;
            assert!(
                size == n / q || size == n.div_ceil(q),
                "size {size} of n = {n}, q = {q}"
            );
            if size != n / q {
                long += bucket.groups;
            }
            for &value in &bucket.signature {
                used[value as usize] += bucket.groups;
            }
            for pair in bucket.signature.windows(2) {
                assert!(
                    pair[0] != pair[1] || exempt[pair[0] as usize],
                    "a value twice"
                );
            }
        }
        assert_eq!(used, counts);
        assert_eq!(decomposition.groups(), q);
        assert_eq!(long, n % q);
    }

    #[test]
    fn equal_counts_make_few_large_buckets() {
        let decomposition = plain(&[10, 10, 10, 10], 2).unwrap();
        let sizes: Vec<u32> = decomposition.buckets().iter().map(|b| b.groups).collect();
        assert_eq!(sizes, [10, 10]);
    }

    #[test]
    fn the_histogram_on_which_rda_misses_the_optimum() {
        check(
            &plain(&[2, 2, 2, 1, 1], 3).unwrap(),
            &[2, 2, 2, 1, 1],
            &[false; 5],
            3,
        );
    }

    proptest! {
        #[test]
        fn every_eligible_histogram_is_used_up_optimally(
            counts in prop::collection::vec(0u32..60, 2..30), l in 2u32..8,
        ) {
            let n: u32 = counts.iter().sum();
            let eligible = n >= l && counts.iter().all(|&count| count <= n / l);
            match plain(&counts, l) {
                Ok(decomposition) => {
                    prop_assert!(eligible);
                    check(&decomposition, &counts, &vec![false; counts.len()], l);
                }
                Err(_) => prop_assert!(!eligible),
            }
        }

        #[test]
        fn both_constructions_are_complete(
            counts in prop::collection::vec(1u32..60, 8..30), l in 2u32..8,
        ) {
            let histogram = Histogram::from_counts(counts.clone());
            let q = histogram.rows() / l;
            prop_assume!(counts.iter().all(|&count| count <= q));
            let runs = runs(&histogram, q);
            let none = vec![false; counts.len()];
            let even = round_robin(&runs, q);
            prop_assert!(even.buckets().len() <= runs.len() + 1);
            check(&even, &counts, &none, l);
            check(&largest_first(runs, q), &counts, &none, l);
        }

        #[test]
        fn exempt_values_fill_slots(
            common in 1u32..400, counts in prop::collection::vec(0u32..20, 1..8), l in 2u32..12,
        ) {
            let mut all = counts.clone();
            all.push(common);
            let n: u32 = all.iter().sum();
            prop_assume!(n >= l && counts.iter().all(|&count| count <= n / l));
            let mut exempt = vec![false; all.len()];
            *exempt.last_mut().unwrap() = true;
            let histogram = Histogram::from_counts(all.clone());
            let found = decompose(&histogram, &exempt, RatioDiversity::new(l).unwrap()).unwrap();
            check(&found, &all, &exempt, l);
        }
    }
}
