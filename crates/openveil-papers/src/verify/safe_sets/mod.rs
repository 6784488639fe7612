#![doc = include_str!("proof.md")]

mod disclosure_set;
mod maximal;
mod partitions;

pub use disclosure_set::{DisclosureSet, TABLE_LIMIT};
pub use maximal::{SUBSET_LIMIT, Strength, maximal_safe_sets};
pub use partitions::{PARTITIONED_PEOPLE, partitions};

use crate::disclosure::Predicate;
use openveil_core::Error;
use openveil_core::table::Groups;

/// Returns whether a partition is safe for a table: every group satisfies the property and may be
/// published. `values[person]` is the table. O(n · values).
///
/// # Panics
/// If the partition names a person beyond the table.
pub fn is_safe(values: &[u32], partition: &Groups, property: &dyn Predicate) -> bool {
    let mut counts = vec![0; width(values)];
    partition.iter().all(|group| {
        counts.fill(0);
        for &person in group {
            counts[values[person as usize] as usize] += 1;
        }
        property.admits_group(&counts) && property.holds(&counts)
    })
}

/// Returns the number of counts that codes of values need.
fn width(values: &[u32]) -> usize {
    values.iter().max().map_or(0, |&code| code as usize + 1)
}

/// Returns the locally safe set of a table: every partition that is safe for it (L-Cover paper,
/// Definition 4), in the order of [`partitions`].
///
/// # Errors
/// [`Error::BeyondLimit`] beyond [`PARTITIONED_PEOPLE`].
pub fn locally_safe_set(values: &[u32], property: &dyn Predicate) -> Result<Vec<Groups>, Error> {
    let all = partitions(values.len())?;
    Ok(all.filter(|partition| is_safe(values, partition, property)).collect())
}

/// Returns whether a set of partitions is a globally safe set for a table (L-Cover paper,
/// Definition 6): all of them are safe, and the property holds for everybody even if the set is
/// known.
///
/// # Errors
/// As for [`DisclosureSet::new`].
pub fn is_globally_safe(
    values: &[u32],
    set: &[Groups],
    property: &dyn Predicate,
) -> Result<bool, Error> {
    let known = DisclosureSet::new(values, set, property)?;
    Ok(is_part_of_lss(values, set, property) && known.satisfies(property))
}

/// Returns whether a set of partitions is a strongly globally safe set for a table (Privacy
/// Streamliner, section 1): it is globally safe, and the property still holds once any one of the
/// partitions is released.
///
/// # Errors
/// As for [`DisclosureSet::new`].
pub fn is_strongly_globally_safe(
    values: &[u32],
    set: &[Groups],
    property: &dyn Predicate,
) -> Result<bool, Error> {
    let known = DisclosureSet::new(values, set, property)?;
    Ok(is_part_of_lss(values, set, property)
        && known.satisfies(property)
        && set.iter().all(|partition| known.after_release(values, partition).satisfies(property)))
}

fn is_part_of_lss(values: &[u32], set: &[Groups], property: &dyn Predicate) -> bool {
    set.iter().all(|partition| is_safe(values, partition, property))
}
