#![doc = include_str!("proof.md")]

mod bound;
mod disclosure_set;
mod maximal;
mod partitions;

pub use bound::HighestRatio;
pub use disclosure_set::{DisclosureSet, TABLE_LIMIT};
pub use maximal::{SUBSET_LIMIT, Strength, maximal_safe_sets};
pub use partitions::{PARTITIONED_PEOPLE, partitions};

use crate::Error;
use crate::table::Groups;

/// Whether a partition is safe for a table: in no group has a value a greater
/// share than allowed. `values[person]` is the table. O(n log n).
///
/// # Panics
/// If the partition names a person beyond the table.
pub fn is_safe(values: &[u32], partition: &Groups, bound: HighestRatio) -> bool {
    let mut found = Vec::with_capacity(values.len());
    partition.iter().all(|group| {
        found.clear();
        found.extend(group.iter().map(|&person| values[person as usize]));
        found.sort_unstable();
        let mut runs = found.chunk_by(|a, b| a == b);
        runs.all(|run| bound.allows(run.len() as u64, group.len() as u64))
    })
}

/// The locally safe set of a table: every partition that is safe for it
/// (L-Cover paper, Definition 4), in the order of [`partitions`].
///
/// # Errors
/// [`Error::BeyondLimit`] beyond [`PARTITIONED_PEOPLE`].
pub fn locally_safe_set(values: &[u32], bound: HighestRatio) -> Result<Vec<Groups>, Error> {
    let all = partitions(values.len())?;
    Ok(all
        .filter(|partition| is_safe(values, partition, bound))
        .collect())
}

/// Whether a set of partitions is a globally safe set for a table (L-Cover
/// paper, Definition 6): all of them are safe, and to know so exceeds the bound
/// for nobody.
///
/// # Errors
/// As [`DisclosureSet::of`].
pub fn is_globally_safe(
    values: &[u32],
    set: &[Groups],
    bound: HighestRatio,
) -> Result<bool, Error> {
    let known = DisclosureSet::of(values, set, bound)?;
    Ok(is_part_of_lss(values, set, bound) && known.is_within(bound))
}

/// Whether a set of partitions is a strongly globally safe set for a table
/// (Privacy Streamliner, section 1): globally safe, and the bound still holds
/// once any one of the partitions is released.
///
/// # Errors
/// As [`DisclosureSet::of`].
pub fn is_strongly_globally_safe(
    values: &[u32],
    set: &[Groups],
    bound: HighestRatio,
) -> Result<bool, Error> {
    let known = DisclosureSet::of(values, set, bound)?;
    let stays_within = |partition| known.after_release(values, partition).is_within(bound);
    Ok(
        is_part_of_lss(values, set, bound)
            && known.is_within(bound)
            && set.iter().all(stays_within),
    )
}

fn is_part_of_lss(values: &[u32], set: &[Groups], bound: HighestRatio) -> bool {
    set.iter()
        .all(|partition| is_safe(values, partition, bound))
}
