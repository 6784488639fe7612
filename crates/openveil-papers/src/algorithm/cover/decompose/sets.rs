//! Values that are sets: sets that share a protected member must not be in one group.

use super::signatures::{Signature, Signatures};
use openveil_core::table::{Histogram, Members};
use std::cmp::Reverse;

/// How often groups are taken apart to make more of them.
const REPAIRS: usize = 4_096;

/// Groups are taken apart only if at most this many kinds of sets are left over.
const REPAIRED_KINDS: usize = 256;

/// The largest size of groups that is tried, as a multiple of the largest l.
const LARGEST: u32 = 4;

/// With more different sets than this, their order is not recomputed for every group.
const MANY_SETS: usize = 1_024;

/// The number of groups for which an order of many sets is kept.
const ROUNDS: usize = 64;

/// Groups sets, one set per slot, so that no protected member is in more than 1/l of a group's
/// sets. Serves the most pressing member first, in groups of l sets or a few more. `None` if that
/// leaves somebody over.
///
/// l is the model's, or, if members have their own l, the largest one; a member with a smaller l
/// may then stand in several sets. If all have the same l, the sets of a group are disjoint. The
/// pressure of a set is the greatest, over its protected members, of the number of people left who
/// have the member, times its l.
///
/// 1. From the l most pressing sets that go together, groups are made: a quarter as many as the
///    least frequent of these sets has people, at least one. Then pressures are recomputed (with
///    more than 1,024 sets, after every 64th time).
/// 2. If people are left over, the groups of one signature after the other are taken apart and made
///    anew together with them, as long as that gives more groups.
/// 3. People still left over join groups of other sets.
/// 4. If that does not place everybody, or members of different l leave no room in groups of this
///    size, groups of one set more are tried.
///
/// The result depends on the histogram of sets only. The property is convex, so one set per slot is
/// safe like one value per slot.
///
/// No more than 4 · log₂ n rounds per set: O(sets² · log n), and up to 4,096 times that for the
/// sets that are left over. (READERS, C2, and our own repair step; without a proof of how many
/// groups it finds.)
pub(super) fn packed(histogram: &Histogram, members: &Members, l: u32) -> Option<Signatures> {
    let asked: Vec<u32> =
        (0..members.count() as u32).map(|member| members.l_of(member, l)).collect();
    let least = members.largest_l(l);
    let mut sizes = least..LARGEST * least;
    sizes.find_map(|size| of_size(histogram, members, &asked, size))
}

/// Like [`packed`], with groups of `size` sets or a few more.
fn of_size(
    histogram: &Histogram,
    members: &Members,
    asked: &[u32],
    size: u32,
) -> Option<Signatures> {
    let mut left = PeopleLeft::new(histogram.counts().to_vec(), members, asked);
    if !left.may_fit(size) {
        return None;
    }
    let mut found = left.packed(size);
    left.repair(&mut found, size);
    for set in 0..left.counts.len() as u32 {
        while left.counts[set as usize] > 0 {
            let joined = left.join(set, size, &mut found)?;
            left.take(set, joined);
        }
    }
    let found = Signatures::new(found);
    (found.groups() > 0).then_some(found)
}

/// The people who have no group yet.
struct PeopleLeft<'a> {
    counts: Vec<u32>,
    rows: u32,
    members: &'a Members,
    /// The l of each member.
    asked: &'a [u32],
    /// By member: how many of the people left have it, times its l.
    pressure: Vec<u64>,
}

impl<'a> PeopleLeft<'a> {
    fn new(counts: Vec<u32>, members: &'a Members, asked: &'a [u32]) -> Self {
        let mut left = Self {
            rows: counts.iter().sum(),
            counts,
            members,
            asked,
            pressure: vec![0; members.count()],
        };
        for set in 0..left.counts.len() as u32 {
            for member in protected(members, set) {
                left.pressure[member as usize] += left.pressing(member, left.counts[set as usize]);
            }
        }
        left
    }

    /// The pressure of this many people with a member.
    fn pressing(&self, member: u32, people: u32) -> u64 {
        u64::from(people) * u64::from(self.asked[member as usize])
    }

    /// Makes groups of l sets that go together as long as there are any.
    fn packed(&mut self, l: u32) -> Vec<Signature> {
        let mut found = Vec::new();
        let mut order = self.by_pressure();
        for round in 1.. {
            if self.rows < l {
                break;
            }
            let Some(sets) = self.most_pressing(&order, l as usize) else {
                break;
            };
            let counts = sets.iter().map(|&set| self.counts[set as usize]);
            let groups = (counts.min().unwrap_or(0) / 4).max(1);
            sets.iter().for_each(|&set| self.take(set, groups));
            found.push(Signature { values: sets, groups });
            if order.len() <= MANY_SETS || round % ROUNDS == 0 {
                order = self.by_pressure();
            }
        }
        found
    }

    /// Whether groups of `size` sets have room for every member, judged for each member by itself.
    fn may_fit(&self, size: u32) -> bool {
        self.pressure.iter().zip(self.asked).into_iter().all(|(&pressure, &l)| {
            let (people, room) = (pressure / u64::from(l), u64::from(size / l));
            people * u64::from(size) <= room * u64::from(self.rows)
                || size == l && people * u64::from(l) <= u64::from(self.rows)
        })
    }

    /// Takes groups apart that can be made into more groups together with the people left over.
    fn repair(&mut self, found: &mut Vec<Signature>, l: u32) {
        let mut tries = 0;
        let mut at = 0;
        while at < found.len() && self.rows >= l && tries < REPAIRS {
            if self.kinds() > REPAIRED_KINDS {
                return;
            }
            tries += 1;
            let apart = found[at].groups.min(self.rows);
            let mut counts = self.counts.clone();
            found[at].values.iter().for_each(|&set| counts[set as usize] += apart);
            let mut pool = PeopleLeft::new(counts, self.members, self.asked);
            let anew = pool.packed(l);
            if anew.iter().map(|signature| signature.groups).sum::<u32>() <= apart {
                at += 1;
                continue;
            }
            found[at].groups -= apart;
            found.retain(|signature| signature.groups > 0);
            found.extend(anew);
            *self = pool;
            at = 0;
        }
    }

    /// The number of different sets that are left.
    fn kinds(&self) -> usize {
        self.counts.iter().filter(|&&count| count > 0).count()
    }

    fn take(&mut self, set: u32, groups: u32) {
        self.counts[set as usize] -= groups;
        self.rows -= groups;
        for member in protected(self.members, set) {
            self.pressure[member as usize] -= self.pressing(member, groups);
        }
    }

    /// The sets that are left, the most pressing first.
    fn by_pressure(&self) -> Vec<u32> {
        let mut sets: Vec<u32> =
            (0..self.counts.len() as u32).filter(|&set| self.counts[set as usize] > 0).collect();
        let pressing = |set: u32| {
            let members = protected(self.members, set);
            members.map(|member| self.pressure[member as usize]).max()
        };
        sets.sort_by_key(|&set| {
            let count = self.counts[set as usize];
            Reverse((pressing(set), count, Reverse(set)))
        });
        sets
    }

    /// The first sets of an order that go together, `number` of them; `None` if there are not that
    /// many.
    fn most_pressing(&self, order: &[u32], number: usize) -> Option<Vec<u32>> {
        let mut taken = vec![0; self.members.count()];
        let mut chosen = Vec::with_capacity(number);
        for &set in order.iter().filter(|&&set| self.counts[set as usize] > 0) {
            if protected(self.members, set)
                .any(|member| !self.allows(member, taken[member as usize] + 1, number))
            {
                continue;
            }
            for member in protected(self.members, set) {
                taken[member as usize] += 1;
            }
            chosen.push(set);
            if chosen.len() == number {
                return Some(chosen);
            }
        }
        None
    }

    /// Whether a member may be in this many of a group's sets.
    fn allows(&self, member: u32, sets: u32, size: usize) -> bool {
        self.pressing(member, sets) <= size as u64
    }

    /// Puts people of a set into groups of other sets, which grow by one. Returns how many people,
    /// at least one.
    fn join(&self, set: u32, l: u32, found: &mut Vec<Signature>) -> Option<u32> {
        let goes_with = |values: &[u32]| {
            protected(self.members, set).all(|member| {
                let sets = values
                    .iter()
                    .filter(|other| protected(self.members, **other).any(|own| own == member))
                    .count() as u32;
                self.allows(member, sets + 1, values.len() + 1)
            })
        };
        let joined = found
            .iter_mut()
            .filter(|signature| {
                signature.groups > 0
                    && signature.values.len() < 2 * l as usize
                    && goes_with(&signature.values)
            })
            .max_by_key(|signature| (Reverse(signature.values.len()), signature.groups))?;
        let groups = self.counts[set as usize].min(joined.groups);
        joined.groups -= groups;
        let values = [&joined.values[..], &[set]].concat();
        found.retain(|signature| signature.groups > 0);
        found.push(Signature { values, groups });
        Some(groups)
    }
}

fn protected(members: &Members, set: u32) -> impl Iterator<Item = u32> {
    members.members(set).iter().copied().filter(|&member| !members.exempt()[member as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::{Coins, SecretCoins};

    /// The most groups of at least l pairwise disjoint sets that hold everybody, by trying all;
    /// `None` if there are no such groups.
    fn most_groups(people: &[u32], of: &[Vec<u32>], l: usize) -> Option<u32> {
        fn place(
            people: &[u32],
            of: &[Vec<u32>],
            l: usize,
            groups: &mut Vec<Vec<u32>>,
        ) -> Option<u32> {
            let Some((&set, rest)) = people.split_first() else {
                return groups.iter().all(|group| group.len() >= l).then_some(groups.len() as u32);
            };
            let mut best = None;
            for at in 0..=groups.len() {
                if at == groups.len() {
                    groups.push(Vec::new());
                }
                let meets =
                    |other: &u32| of[*other as usize].iter().any(|m| of[set as usize].contains(m));
                if !groups[at].iter().any(meets) {
                    groups[at].push(set);
                    best = best.max(place(rest, of, l, groups));
                    groups[at].pop();
                }
                if groups[at].is_empty() {
                    groups.remove(at);
                    break;
                }
            }
            best
        }
        place(people, of, l, &mut Vec::new())
    }

    /// How far the packing stays from the most groups, on small random tables.
    #[test]
    fn packings_are_nearly_as_many_as_there_can_be() {
        let mut coins = SecretCoins::from_test_seed(9);
        let (mut packable, mut packed, mut reached, mut possible) = (0, 0, 0, 0);
        for _ in 0..300 {
            let of: Vec<Vec<u32>> = (0..8)
                .map(|_| {
                    let mut set: Vec<u32> =
                        (0..1 + coins.below(2)).map(|_| coins.below(7)).collect();
                    set.sort_unstable();
                    set.dedup();
                    set
                })
                .collect();
            let people: Vec<u32> = (0..8).collect();
            let Some(most) = most_groups(&people, &of, 2) else {
                continue;
            };
            packable += 1;
            let labels = (0..7).map(|value| value.to_string()).collect();
            let members = Members::new(labels, vec![false; 7], of.clone());
            let histogram = Histogram::from_counts(vec![1; 8]);
            let Some(found) = super::packed(&histogram, &members, 2) else {
                continue;
            };
            assert!(found.groups() <= most);
            packed += 1;
            reached += found.groups();
            possible += most;
        }
        println!("{packed} of {packable} packed, {reached} of {possible} groups");
        assert!(packable > 200);
        assert!(100 * packed >= 95 * packable, "{packed} of {packable}");
        assert!(100 * reached >= 98 * possible, "{reached} of {possible}");
    }

    /// Taking groups apart makes more groups on some tables and fewer on none; the people left over
    /// are always counted correctly.
    #[test]
    fn what_is_left_over_is_put_together_anew() {
        let mut coins = SecretCoins::from_test_seed(5);
        let (mut mended, mut more) = (0, 0);
        for case in 0..600u32 {
            let (values, l) = (5 + case % 6, 2 + case % 3);
            let of: Vec<Vec<u32>> = (0..3 + coins.below(9))
                .map(|_| {
                    let mut set: Vec<u32> =
                        (0..1 + coins.below(2)).map(|_| coins.below(values)).collect();
                    set.sort_unstable();
                    set.dedup();
                    set
                })
                .collect();
            let counts: Vec<u32> = of.iter().map(|_| 1 + coins.below(9)).collect();
            let labels = (0..values).map(|value| value.to_string()).collect();
            let members = Members::new(labels, vec![false; values as usize], of);
            let asked = vec![l; values as usize];
            let mut left = PeopleLeft::new(counts.clone(), &members, &asked);
            let mut found = left.packed(l);
            let groups = |found: &[Signature]| found.iter().map(|own| own.groups).sum::<u32>();
            let before = groups(&found);
            left.repair(&mut found, l);
            assert!(groups(&found) >= before);
            mended += u32::from(groups(&found) > before);
            more += groups(&found) - before;
            let anew = PeopleLeft::new(left.counts.clone(), &members, &asked);
            assert_eq!((left.rows, &left.pressure), (anew.rows, &anew.pressure));
            let mut all = left.counts.clone();
            for signature in &found {
                signature.values.iter().for_each(|&set| all[set as usize] += signature.groups);
            }
            assert_eq!(all, counts);
        }
        println!("{more} groups more, in {mended} of 600 tables");
        assert!(mended > 0);
    }
}
