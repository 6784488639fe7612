use super::{is_globally_safe, is_strongly_globally_safe, locally_safe_set};
use crate::disclosure::Predicate;
use openveil_core::Error;
use openveil_core::table::Groups;

/// The largest number of locally safe partitions whose subsets are all tried.
pub const SUBSET_LIMIT: usize = 12;

/// The knowledge that a set of partitions has to withstand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// The reader knows the set: a GSS.
    Global,
    /// The reader also sees the release of any one of its partitions: an SGSS.
    StronglyGlobal,
}

/// Returns the globally, or strongly globally, safe sets of a table that are part of no other such
/// set. Each is a part of the LSS, in its order.
///
/// Time: 2ᵏ · tables · k · people for k locally safe partitions.
///
/// # Errors
/// [`Error::BeyondLimit`] beyond [`SUBSET_LIMIT`] locally safe partitions, or as
/// [`locally_safe_set`].
pub fn maximal_safe_sets(
    values: &[u32],
    property: &dyn Predicate,
    strength: Strength,
) -> Result<Vec<Vec<Groups>>, Error> {
    let local = locally_safe_set(values, property)?;
    if local.len() > SUBSET_LIMIT {
        return Err(Error::BeyondLimit {
            what: "locally safe partitions whose subsets are tried",
            needed: local.len().to_string(),
            limit: SUBSET_LIMIT as u64,
        });
    }
    let choose = |subset: u32| -> Vec<Groups> {
        (0..local.len())
            .filter(|index| subset >> index & 1 == 1)
            .map(|index| local[index].clone())
            .collect()
    };
    let mut subsets: Vec<u32> = (1..1 << local.len()).collect();
    // Larger subsets come first: a part of a set that was found is not maximal.
    subsets.sort_by_key(|subset| std::cmp::Reverse(subset.count_ones()));
    let mut maximal: Vec<u32> = Vec::new();
    for subset in subsets {
        if maximal.iter().any(|found| found & subset == subset) {
            continue;
        }
        let set = choose(subset);
        let is_safe = match strength {
            Strength::Global => is_globally_safe(values, &set, property)?,
            Strength::StronglyGlobal => is_strongly_globally_safe(values, &set, property)?,
        };
        if is_safe {
            maximal.push(subset);
        }
    }
    Ok(maximal.into_iter().map(choose).collect())
}
