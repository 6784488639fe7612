//! The algorithms that others use, behind the same interface: for comparison.
//!
//! They take sensitive values into account where they choose groups, so a reader
//! who runs them on the possible tables may learn more than the groups show. Each
//! is marked [`SeesRelease`](crate::algorithm::Adversary::SeesRelease): what a group
//! shows satisfies the model, and no more is promised.

mod anatomy;
mod incognito;
mod mondrian;
mod taxonomy;
#[cfg(test)]
mod testing;
mod top_down;

pub use anatomy::anatomy;
pub use incognito::{Generalization, Score, incognito, minimal_generalizations};
pub use mondrian::{Cut, mondrian};
pub use top_down::top_down;

use crate::Error;
use crate::model::{Counts, Criteria, Ineligible};
use crate::table::View;

/// Whether a group may be published: the model holds on it, and it is not smaller than
/// what the model promises of groups, be all of its values exempt.
fn holds(criteria: &Criteria, counts: &Counts<'_>) -> bool {
    counts.total() >= criteria.least_size().into() && criteria.hold_on_group(counts)
}

/// Checks that the table as one group may be published: where every baseline starts
/// or, for a monotone model, ends.
pub(crate) fn check_whole(table: &View, criteria: &Criteria) -> Result<(), Error> {
    criteria.check_whole(table)?;
    let (l, rows) = (criteria.least_size(), table.rows() as u32);
    match rows < l {
        true => Err(Ineligible::TooFewRows { l, rows }.into()),
        false => Ok(()),
    }
}
