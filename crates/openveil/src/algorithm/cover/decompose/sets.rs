//! Values that are sets: sets that share a protected member must not meet.

use super::signatures::{Signature, Signatures};
use crate::table::{Histogram, Members};

/// Groups of disjoint sets, one set per slot, of l sets or one more: by the most pressing
/// member first. `None` where that leaves somebody over.
///
/// A set is as pressing as the most frequent of its protected members among those who are left.
/// Of l sets that are disjoint and most pressing, as many groups are made as a quarter of
/// the least frequent of them allows, at least one; then pressures are looked at anew. Who
/// is left over joins groups of other sets. Depends on the histogram of sets only. The
/// property is convex, so one set per slot is safe like one value per slot.
///
/// No more than 4 · log₂ n rounds per set: O(sets² · log n). (READERS, C2; greedy, without a
/// proof of how many groups it finds.)
pub(super) fn disjoint(histogram: &Histogram, members: &Members, l: u32) -> Option<Signatures> {
    let mut left = Left::of(histogram, members);
    let mut found: Vec<Signature> = Vec::new();
    while left.rows >= l {
        let Some(sets) = left.most_pressing(l as usize) else {
            break;
        };
        let least = sets.iter().map(|&set| left.counts[set as usize]).min()?;
        let groups = (least / 4).max(1);
        sets.iter().for_each(|&set| left.take(set, groups));
        found.push(Signature {
            values: sets,
            groups,
        });
    }
    for set in 0..left.counts.len() as u32 {
        while left.counts[set as usize] > 0 {
            let joined = left.join(set, l, &mut found)?;
            left.take(set, joined);
        }
    }
    let found = Signatures::new(found);
    (found.groups() > 0).then_some(found)
}

/// Who has no group yet.
struct Left<'a> {
    counts: Vec<u32>,
    rows: u32,
    members: &'a Members,
    /// By member: how many of those who are left have it.
    pressure: Vec<u32>,
}

impl<'a> Left<'a> {
    fn of(histogram: &Histogram, members: &'a Members) -> Self {
        let mut left = Self {
            counts: histogram.counts().to_vec(),
            rows: histogram.rows(),
            members,
            pressure: vec![0; members.count()],
        };
        for set in 0..left.counts.len() as u32 {
            for member in protected(members, set) {
                left.pressure[member as usize] += left.counts[set as usize];
            }
        }
        left
    }

    fn take(&mut self, set: u32, groups: u32) {
        self.counts[set as usize] -= groups;
        self.rows -= groups;
        for member in protected(self.members, set) {
            self.pressure[member as usize] -= groups;
        }
    }

    /// Disjoint sets, the most pressing first; none if there are not so many.
    fn most_pressing(&self, number: usize) -> Option<Vec<u32>> {
        let sets = (0..self.counts.len() as u32).filter(|&set| self.counts[set as usize] > 0);
        let mut sets: Vec<u32> = sets.collect();
        let pressing = |set: u32| {
            let members = protected(self.members, set);
            members.map(|member| self.pressure[member as usize]).max()
        };
        sets.sort_by_key(|&set| {
            let count = self.counts[set as usize];
            std::cmp::Reverse((pressing(set), count, std::cmp::Reverse(set)))
        });
        let mut taken = vec![false; self.members.count()];
        let mut chosen = Vec::with_capacity(number);
        for set in sets {
            if protected(self.members, set).any(|member| taken[member as usize]) {
                continue;
            }
            for member in protected(self.members, set) {
                taken[member as usize] = true;
            }
            chosen.push(set);
            if chosen.len() == number {
                return Some(chosen);
            }
        }
        None
    }

    /// Puts people of a set into groups of other sets, which become larger by one: how many,
    /// at least one.
    fn join(&self, set: u32, l: u32, found: &mut Vec<Signature>) -> Option<u32> {
        let meets = |other: &u32| {
            let mut own = protected(self.members, set);
            own.any(|member| protected(self.members, *other).any(|theirs| theirs == member))
        };
        let fits = |signature: &&mut Signature| {
            signature.groups > 0
                && signature.values.len() == l as usize
                && !signature.values.iter().any(meets)
        };
        let joined = found
            .iter_mut()
            .filter(fits)
            .max_by_key(|signature| signature.groups)?;
        let groups = self.counts[set as usize].min(joined.groups);
        joined.groups -= groups;
        let values = [&joined.values[..], &[set]].concat();
        found.retain(|signature| signature.groups > 0);
        found.push(Signature { values, groups });
        Some(groups)
    }
}

fn protected(members: &Members, set: u32) -> impl Iterator<Item = u32> {
    let own = members.of(set).iter().copied();
    own.filter(|&member| !members.exempt()[member as usize])
}
