//! Cuts into sides of different size: how much the sizes may differ.

use crate::model::{Counts, Criteria};

/// Whether the model survives the refusal of a cut into sides that differ by `surplus` people. A
/// node has the values H; after the refusal, posteriors are mixtures of H − B on the smaller side
/// and of H + B on the greater one, over sub-multisets B of `surplus` values. If values are
/// interchangeable, the least even mixtures decide: the B that takes the rarest values away, and
/// the B that adds to the most frequent ones.
///
/// `sorted` holds the counts of the values of H, greatest first.
pub fn survives_refusal(criteria: &Criteria, sorted: &[u128], surplus: u128) -> bool {
    let holds = |counts: &[(u32, u128)]| criteria.hold_on_posterior(&Counts::new(counts));
    let mut left = surplus;
    let more = (0..).zip(sorted).map(|(rank, &count)| {
        let added = count.min(left);
        left -= added;
        (rank, count + added)
    });
    if !holds(&more.collect::<Vec<_>>()) {
        return false;
    }
    let mut left = sorted.iter().sum::<u128>() - surplus;
    let fewer = (0..).zip(sorted).map(|(rank, &count)| {
        let kept = count.min(left);
        left -= kept;
        (rank, kept)
    });
    holds(&fewer.filter(|&(_, kept)| kept > 0).collect::<Vec<_>>())
}
