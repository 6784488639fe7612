//! Checks a release of ties by its groups and values alone.

use super::Ties;
use crate::table::Groups;
use std::collections::HashMap;

/// A fault in a release of ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TieViolation {
    /// Two rows of a tie are in one group.
    #[error("two rows of a tie are in group {}", group + 1)]
    Together {
        /// The group, from 0.
        group: usize,
    },
    /// The rows of a tie are in groups with different values.
    #[error("rows of a tie are in groups {} and {}, which have different values", first + 1, second + 1)]
    Apart {
        /// A group, from 0.
        first: usize,
        /// Another group, from 0.
        second: usize,
    },
    /// A group has a value twice.
    #[error("group {} has a value twice", group + 1)]
    Twice {
        /// The group, from 0.
        group: usize,
    },
}

/// Checks that every group has different values, and that the rows of every tie stand in different
/// groups of the same values. `codes` holds the rows' values. O(n log n).
///
/// # Errors
/// The first [`TieViolation`] found.
pub fn groups(groups: &Groups, codes: &[u32], ties: &Ties) -> Result<(), TieViolation> {
    let mut values_of = Vec::with_capacity(groups.len());
    let mut first_of: HashMap<u32, usize> = HashMap::new();
    let mut last_of: HashMap<u32, usize> = HashMap::new();
    for (group, rows) in groups.iter().enumerate() {
        let mut values: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
        values.sort_unstable();
        if values.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(TieViolation::Twice { group });
        }
        values_of.push(values);
        for &row in rows {
            let tie = ties.of_row()[row as usize];
            if last_of.insert(tie, group) == Some(group) {
                return Err(TieViolation::Together { group });
            }
            let first = *first_of.entry(tie).or_insert(group);
            if values_of[first] != values_of[group] {
                return Err(TieViolation::Apart {
                    first,
                    second: group,
                });
            }
        }
    }
    Ok(())
}
