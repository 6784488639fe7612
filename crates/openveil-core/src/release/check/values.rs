//! Checks that the published values are those of the people, and that they satisfy the model.

use super::definitions::{Definition, Whole};
use super::{Violation, each_block};
use crate::model::{Informed, Model, Requirement};
use crate::release::Content;
use crate::table::{Groups, Histogram, Members, Secret, View};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Sensitive values, identified by their published text.
pub(super) struct CheckedValues {
    /// For each code, the first code that is published with the same text.
    class: Vec<u32>,
    /// Whether some code with that text needs protection.
    protected: Vec<bool>,
}

/// Checks that in no group too many people have the same protected value in any of their rows: more
/// than 1 in l, or so many that an informed reader's chance exceeds 1/l.
fn check_members(
    release: &Content,
    groups: &[usize],
    l: u32,
    informed: Option<Informed>,
    members: &Members,
) -> Result<(), Violation> {
    let factor = informed.map(|informed| informed.factor());
    let (up, down) = factor.map_or((1, 1), |factor| (*factor.numer(), *factor.denom()));
    for &group in groups {
        let people = release.values(group);
        let mut having: HashMap<&str, (u64, u32)> = HashMap::new();
        for &set in people {
            for &member in members.members(set) {
                if !members.exempt()[member as usize] {
                    let l = members.l_of(member, l);
                    let own = having.entry(members.label(member)).or_insert((0, l));
                    *own = (own.0 + 1, own.1.max(l));
                }
            }
        }
        let is_too_likely = |&(count, l): &(u64, u32)| {
            let others = people.len() as u64 - count;
            // p ≤ 1/l if and only if p · (l − 1) ≤ 1 − p.
            let likelier = u128::from(count) * u128::from(up) * u128::from(l - 1);
            likelier > u128::from(others) * u128::from(down)
        };
        if let Some((count, l)) = having.into_values().filter(is_too_likely).max() {
            return Err(Violation::Model {
                group: group + 1,
                count: count as u32,
                size: people.len() as u32,
                l,
            });
        }
    }
    Ok(())
}

impl CheckedValues {
    pub(super) fn new(sensitive: &Secret) -> Self {
        let mut first: HashMap<Vec<&str>, u32> = HashMap::new();
        let codes = 0..sensitive.values() as u32;
        let class: Vec<u32> =
            codes.map(|code| *first.entry(sensitive.parts(code)).or_insert(code)).collect();
        let mut protected = vec![false; class.len()];
        for (&class, &exempt) in class.iter().zip(sensitive.exempt()) {
            protected[class as usize] |= !exempt;
        }
        Self { class, protected }
    }

    fn class(&self, code: u32) -> usize {
        self.class[code as usize] as usize
    }

    /// Checks that every group publishes the values of its people.
    pub(super) fn check_groups(
        &self,
        release: &Content,
        table: &View,
        membership: &Groups,
    ) -> Result<(), Violation> {
        each_block(0..membership.len(), |groups| {
            self.check_block(release, table, membership, groups)
        })
    }

    fn check_block(
        &self,
        release: &Content,
        table: &View,
        membership: &Groups,
        groups: Range<usize>,
    ) -> Result<(), Violation> {
        let codes = table.secret().codes();
        // Per value: rows of the input in the group minus released rows.
        let mut surplus = vec![0i64; self.class.len()];
        let fetched: Vec<u32> =
            membership.rows_of(groups.clone()).iter().map(|&row| codes[row as usize]).collect();
        let mut rest = &fetched[..];
        for group in groups {
            let (own, others) = rest.split_at(membership.get(group).len());
            rest = others;
            let values = || own.iter().map(|&code| self.class(code));
            values().for_each(|value| surplus[value] += 1);
            release
                .values(group)
                .iter()
                .map(|&code| self.class(code))
                .for_each(|value| surplus[value] -= 1);
            // Both lists have the group's length, so comparing one way is enough.
            if values().any(|value| surplus[value] != 0) {
                return Err(Violation::Values { group: group + 1 });
            }
        }
        Ok(())
    }

    /// Checks that the release as a whole publishes the values of the table.
    pub(super) fn check_multiset(&self, release: &Content, table: &View) -> Result<(), Violation> {
        let released = self.count(release.row_values().iter());
        let input = self.count(table.secret().codes().iter());
        match released.into_iter().zip(input).find(|&(released, input)| released != input) {
            Some((released, input)) => Err(Violation::Multiset { released, input }),
            None => Ok(()),
        }
    }

    /// The number of rows of each value among some codes.
    pub(super) fn count<'a>(&self, codes: impl Iterator<Item = &'a u32>) -> Vec<u64> {
        let mut counts = vec![0u64; self.class.len()];
        codes.map(|&code| self.class(code)).for_each(|value| counts[value] += 1);
        counts
    }

    /// Like [`Self::count`], but from counts of codes.
    pub(super) fn held(&self, histogram: &Histogram) -> Vec<u64> {
        let mut counts = vec![0u64; self.class.len()];
        for (code, &rows) in (0..).zip(histogram.counts()) {
            counts[self.class(code)] += u64::from(rows);
        }
        counts
    }

    /// Checks that every group of a stratum satisfies every requirement, by its definition. `held`
    /// has the counts of the stratum's values.
    pub(super) fn check_model(
        &self,
        release: &Content,
        secret: &Secret,
        groups: &[usize],
        model: &Model,
        held: &[u64],
    ) -> Result<(), Violation> {
        let whole = Whole { protected: &self.protected, counts: held, sensitive: secret };
        for requirement in model.requirements() {
            if let (Requirement::Ratio(ratio), Some(members)) = (requirement, secret.members()) {
                check_members(release, groups, ratio.l(), model.informed(), members)?;
                continue;
            }
            match (requirement, model.informed()) {
                (Requirement::Ratio(ratio), None) => {
                    self.check_ratio(release, groups, ratio.l())?;
                }
                (other, informed) => {
                    let definition = Definition::new(other, informed, &whole);
                    self.check_definition(release, groups, &definition, &|| model.to_string())?;
                }
            }
        }
        Ok(())
    }

    /// Checks the ratio, the usual case, in integers and without repeated look-ups.
    fn check_ratio(&self, release: &Content, groups: &[usize], l: u32) -> Result<(), Violation> {
        each_block(0..groups.len(), |places| self.check_ratio_of(release, &groups[places], l))
    }

    fn check_ratio_of(&self, release: &Content, groups: &[usize], l: u32) -> Result<(), Violation> {
        let mut counts = vec![0u32; self.class.len()];
        for &group in groups {
            let values = || release.values(group).iter().map(|&code| self.class(code));
            values().for_each(|value| counts[value] += 1);
            let count = values()
                .filter(|&value| self.protected[value])
                .map(|value| counts[value])
                .max()
                .unwrap_or(0);
            let size = release.values(group).len() as u32;
            if u64::from(count) * u64::from(l) > u64::from(size) {
                let group = group + 1;
                return Err(Violation::Model { group, count, size, l });
            }
            values().for_each(|value| counts[value] = 0);
        }
        Ok(())
    }

    /// Checks groups with the same values only once.
    fn check_definition(
        &self,
        release: &Content,
        groups: &[usize],
        definition: &Definition<'_>,
        name: &(dyn Fn() -> String + Sync),
    ) -> Result<(), Violation> {
        each_block(0..groups.len(), |places| {
            self.check_definition_of(release, &groups[places], definition, name)
        })
    }

    fn check_definition_of(
        &self,
        release: &Content,
        groups: &[usize],
        definition: &Definition<'_>,
        name: &(dyn Fn() -> String + Sync),
    ) -> Result<(), Violation> {
        let mut satisfied: HashSet<Vec<(usize, u64)>> = HashSet::new();
        let (mut values, mut counts) = (Vec::new(), Vec::new());
        for &group in groups {
            let codes = release.values(group).iter();
            values.clear();
            values.extend(codes.map(|&code| self.class(code)));
            values.sort_unstable();
            counts.clear();
            let runs = values.chunk_by(|a, b| a == b);
            counts.extend(runs.map(|run| (run[0], run.len() as u64)));
            if satisfied.contains(&counts) {
                continue;
            }
            if !definition.is_satisfied(&counts) {
                return Err(Violation::Requirement { group: group + 1, requirement: name() });
            }
            satisfied.insert(counts.clone());
        }
        Ok(())
    }
}
