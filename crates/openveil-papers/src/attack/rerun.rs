//! Re-run: would the algorithm have made this release if two people of a group had exchanged their
//! values?
//!
//! For an algorithm without coins, the question has one answer per exchange. Suppose that no
//! exchange of a person's value with another member's reproduces the release. Then none of the
//! alternatives that the group suggests is possible by itself: a reader who runs the algorithm
//! rules them out. (Exchanges among more than two people at once are not tried; [`crate::verify`]
//! tries all, on small tables.)

use super::{Progress, exchanged};
use openveil_core::Error;
use openveil_core::release::{Content, Style, publish};
use openveil_core::table::{Groups, View};
use rayon::prelude::*;

/// The largest number of exchanges tried for one person. Groups of the usual size need far fewer;
/// in a giant one a person may remain undecided.
pub const MAX_EXCHANGES: usize = 64;

/// An algorithm without coins, as the attack runs it.
pub type RerunPartition<'a> = &'a (dyn Fn(&View) -> Result<Groups, Error> + Sync);

/// A release, and the way it was made.
pub struct RerunTarget<'a> {
    /// The owner's table.
    pub table: &'a View,
    /// The release.
    pub release: &'a Content,
    /// The rows of each group, in the release's order.
    pub membership: &'a Groups,
    /// The algorithm that made it, which must depend on its table only.
    pub partition: RerunPartition<'a>,
    /// How quasi-identifiers are published.
    pub style: Style,
}

/// The result of re-running for one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RerunFinding {
    /// The row, counted from 0.
    pub row: u32,
    /// Number of different values in the person's group.
    pub values: u32,
    /// Number of these values that the person may have: their own, and each value that an exchange
    /// with another member gives while reproducing the release.
    pub possible: u32,
    /// Whether all exchanges that could make a value possible were tried.
    pub is_decided: bool,
}

impl RerunFinding {
    /// Returns whether no exchange reproduces the release.
    pub fn is_exposed(&self) -> bool {
        self.is_decided && self.possible == 1
    }
}

/// Tries, for each person of a sample, exchanges with the members of the person's group, at most
/// [`MAX_EXCHANGES`].
///
/// One run of the algorithm per exchange; people are attacked in parallel.
///
/// # Errors
/// Errors of the algorithm on a table with exchanged values.
///
/// # Panics
/// If a person of the sample is in no group.
pub fn rerun(
    target: &RerunTarget<'_>,
    sample: &[u32],
    progress: Progress<'_>,
) -> Result<Vec<RerunFinding>, Error> {
    let mut group_of = vec![u32::MAX; target.table.rows()];
    for (number, rows) in target.membership.iter().enumerate() {
        rows.iter().for_each(|&row| group_of[row as usize] = number as u32);
    }
    // One person per task: neighbours in the sample may take very different times.
    sample
        .par_iter()
        .with_max_len(1)
        .map(|&row| {
            let group = target.membership.get(group_of[row as usize] as usize);
            let person = target.attack(row, group);
            progress(1);
            person
        })
        .collect()
}

impl RerunTarget<'_> {
    fn attack(&self, row: u32, group: &[u32]) -> Result<RerunFinding, Error> {
        let codes = self.table.secret().codes();
        let value = |row: u32| codes[row as usize];
        let mut values: Vec<u32> = group.iter().map(|&member| value(member)).collect();
        values.sort_unstable();
        values.dedup();
        let mut possible = vec![value(row)];
        let (mut tried, mut is_decided) = (0, true);
        for &member in group {
            if possible.contains(&value(member)) {
                continue;
            }
            if tried == MAX_EXCHANGES {
                is_decided = false;
                break;
            }
            tried += 1;
            if self.reproduces(row, member)? {
                possible.push(value(member));
            }
        }
        Ok(RerunFinding {
            row,
            values: values.len() as u32,
            possible: possible.len() as u32,
            is_decided,
        })
    }

    /// Returns whether the algorithm makes the same release from the table in which two people have
    /// exchanged their values.
    fn reproduces(&self, a: u32, b: u32) -> Result<bool, Error> {
        let table = exchanged(self.table, [(a, b)])?;
        let groups = (self.partition)(&table)?;
        // Publishing is the more expensive part; a different number of groups settles the question
        // without it.
        if groups.len() != self.release.group_count() {
            return Ok(false);
        }
        let (release, _) = publish(&table, &groups, self.style);
        Ok(release == *self.release)
    }
}
