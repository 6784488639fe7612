use openveil_core::exact::{Fraction, fraction};
use openveil_core::release::Content;

/// Groups that disclose the value of everybody who is found in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Homogeneity {
    /// Number of groups in which everybody has the same protected value.
    pub groups: usize,
    /// Number of rows of these groups.
    pub rows: usize,
    /// The greatest share of a protected value in any group.
    pub highest_share: Fraction,
}

/// Counts the groups of one value. `exempt[value]` states which values need no protection: they do
/// not count. O(rows).
///
/// # Panics
/// If the release holds a value for which `exempt` has no entry.
pub fn homogeneity(release: &Content, exempt: &[bool]) -> Homogeneity {
    let (mut groups, mut rows) = (0, 0);
    let (mut worst_count, mut worst_size) = (0u64, 1u64);
    for group in 0..release.group_count() {
        let size = release.group_rows(group).len();
        let protected = release.value_counts(group).filter(|&(value, _)| !exempt[value as usize]);
        let Some(count) = protected.map(|(_, count)| u64::from(count)).max() else {
            continue;
        };
        if count == size as u64 {
            groups += 1;
            rows += size;
        }
        if count * worst_size > worst_count * size as u64 {
            (worst_count, worst_size) = (count, size as u64);
        }
    }
    Homogeneity {
        groups,
        rows,
        highest_share: fraction(u128::from(worst_count), u128::from(worst_size)),
    }
}
