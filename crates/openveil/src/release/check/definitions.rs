//! What the requirements of a model mean, word by word.
//!
//! The check's own reading of the definitions: it shares no code with
//! [`crate::privacy`], computes in fractions of any size, and spares no effort.

use crate::privacy::Requirement;

/// What is known of the whole table.
pub(super) struct Whole<'a> {
    /// Whether a value needs protection.
    pub(super) protected: &'a [bool],
}

/// Whether a group satisfies a requirement; `group` lists values with their
/// positive counts.
pub(super) fn is_satisfied(
    requirement: &Requirement,
    group: &[(usize, u64)],
    whole: &Whole<'_>,
) -> bool {
    let size: u64 = group.iter().map(|&(_, count)| count).sum();
    let mut protected = group.iter().filter(|&&(value, _)| whole.protected[value]);
    match requirement {
        Requirement::KAnonymity { k } => size >= u64::from(*k),
        Requirement::Ratio(ratio) => {
            protected.all(|&(_, count)| count * u64::from(ratio.l()) <= size)
        }
        Requirement::Distinct { l } => protected.next().is_none() || group.len() >= *l as usize,
    }
}
