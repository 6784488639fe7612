//! Checks a release of ties by its groups and values alone.

use super::Ties;
use crate::table::Groups;
use std::collections::HashMap;

/// A fault in a release of ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TieViolation {
    /// The rows of a tie are in two groups.
    #[error("rows of a tie are in groups {} and {}", first + 1, second + 1)]
    Apart {
        /// A group, from 0.
        first: usize,
        /// Another group, from 0.
        second: usize,
    },
    /// A group has ties of several sizes.
    #[error("group {} has ties of several sizes", group + 1)]
    Sizes {
        /// The group, from 0.
        group: usize,
    },
    /// The rows of a tie have several values.
    #[error("a tie in group {} has several values", group + 1)]
    Values {
        /// The group, from 0.
        group: usize,
    },
}

/// Checks that the rows of every tie are in one group and have one value, and that the ties of a
/// group have one size. `codes` holds the rows' values. O(n).
///
/// # Errors
/// The first [`TieViolation`] found.
pub fn groups(groups: &Groups, codes: &[u32], ties: &Ties) -> Result<(), TieViolation> {
    let mut seen: HashMap<u32, (usize, u32)> = HashMap::new();
    let mut rows_of: HashMap<u32, usize> = HashMap::new();
    for (group, rows) in groups.iter().enumerate() {
        rows_of.clear();
        for &row in rows {
            let tie = ties.of_row()[row as usize];
            let (first, value) = *seen.entry(tie).or_insert((group, codes[row as usize]));
            if first != group {
                let second = group;
                return Err(TieViolation::Apart { first, second });
            }
            if value != codes[row as usize] {
                return Err(TieViolation::Values { group });
            }
            *rows_of.entry(tie).or_default() += 1;
        }
        let mut sizes = rows_of.values();
        let first = sizes.next();
        if sizes.any(|size| Some(size) != first) {
            return Err(TieViolation::Sizes { group });
        }
    }
    Ok(())
}
