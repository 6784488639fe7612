//! The exchange of whole slots in `cover`, replayed in the bucket that it changes.
//!
//! With the corresponding coins all other buckets hold the same people in the same
//! places, so what is made of them is the same. And an exchange depends on the two
//! slots, not on who of them is attacked: it is tried once for all of them. Where the
//! slots even come to be arranged in the same order, nothing has to be run again:
//! whole slots exchange, so the groups have the same people and the same values.

use super::dealt::{Bucket, Dealt};
use super::{MAX_PARTNERS, Progress, exchanged};
use crate::Error;
use crate::algorithm::cover::{arranged, canonical, decomposition};
use crate::model::Model;
use crate::release::{Content, Style, publish};
use crate::table::{Groups, View};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// For each person of a sample: the exchanges tried, and whether all of them lead to
/// the same release.
pub(super) fn exchanges(
    (table, style): (&View, Style),
    model: &Model,
    dealt: &Dealt,
    sample: &[u32],
    progress: Progress<'_>,
) -> Result<Vec<(u64, bool)>, Error> {
    let decomposition = decomposition(table, &table.histogram(), &model.bind(table)?)?;
    let buckets = Bucket::all(&decomposition, dealt);
    let places = Places::of(&buckets);
    // Per bucket: who is attacked, by place in the sample, and the own slot.
    let mut people: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (index, &row) in sample.iter().enumerate() {
        let (bucket, slot) = places.find(dealt.position(row));
        people.entry(bucket).or_default().push((index, slot));
    }
    let attack = |(&number, people): (&usize, &Vec<(usize, usize)>)| -> Result<Vec<Tried>, Error> {
        let bucket = &buckets[number];
        let slots = people.iter().map(|&(_, slot)| slot);
        let verdicts = Replay::of(table, style, dealt, bucket)?.verdicts(slots)?;
        progress(people.len() as u64);
        let found = people.iter().map(|&(index, own)| {
            let mut pairs = partners(bucket, own).map(|other| pair(own, other));
            let exchanges = pairs.clone().count() as u64;
            let holds = pairs.all(|pair| verdicts[&pair]);
            (index, (exchanges, holds))
        });
        Ok(found.collect())
    };
    let found: Result<Vec<Vec<Tried>>, Error> = people.par_iter().map(attack).collect();
    let mut of_sample = vec![(0, true); sample.len()];
    for (index, tried) in found?.into_iter().flatten() {
        of_sample[index] = tried;
    }
    Ok(of_sample)
}

/// A place in the sample, the number of exchanges, and whether all of them hold.
type Tried = (usize, (u64, bool));

/// Which slot holds each place in the orders of the values.
struct Places(Vec<(usize, usize, usize)>);

impl Places {
    fn of(buckets: &[Bucket]) -> Self {
        let slots = buckets.iter().enumerate().flat_map(|(number, bucket)| {
            let slots = bucket.slots.iter().enumerate();
            slots.map(move |(slot, &(_, start))| (start, number, slot))
        });
        let mut places: Vec<_> = slots.collect();
        places.sort_unstable();
        Self(places)
    }

    /// The bucket and the slot.
    fn find(&self, place: usize) -> (usize, usize) {
        let after = self.0.partition_point(|&(start, _, _)| start <= place);
        let (_, bucket, slot) = self.0[after - 1];
        (bucket, slot)
    }
}

/// The slots that a person of slot `own` may be exchanged with, in the order of
/// their values.
fn partners(bucket: &Bucket, own: usize) -> impl Iterator<Item = usize> + Clone {
    let value = |slot: usize| bucket.slots[slot].0;
    let others = (0..bucket.slots.len()).filter(|&slot| value(slot) != value(own));
    let mut others: Vec<usize> = others.collect();
    others.sort_unstable_by_key(|&slot| bucket.slots[slot].1);
    others.truncate(MAX_PARTNERS);
    others.into_iter()
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// A bucket as a table of its own.
pub(super) struct Replay<'a> {
    bucket: &'a Bucket,
    style: Style,
    table: View,
    /// Its rows, slot by slot.
    slots: Vec<Vec<u32>>,
    /// The order in which they are arranged.
    order: Vec<u32>,
    groups: Groups,
    release: Content,
}

impl<'a> Replay<'a> {
    pub(super) fn of(
        whole: &View,
        style: Style,
        dealt: &Dealt,
        bucket: &'a Bucket,
    ) -> Result<Self, Error> {
        let slots = 0..bucket.slots.len();
        let rows = slots.clone().flat_map(|slot| bucket.rows(dealt, slot));
        let rows: Vec<u32> = rows.copied().collect();
        let table = whole.of_rows(&rows)?;
        let groups = bucket.groups as u32;
        let local = |slot: usize| (slot as u32 * groups..(slot as u32 + 1) * groups).collect();
        let slots: Vec<Vec<u32>> = slots.map(local).collect();
        let groups = arranged(&table, &slots);
        let (release, _) = publish(&table, &groups, style);
        Ok(Self {
            bucket,
            style,
            order: canonical(&table, &slots),
            table,
            slots,
            groups,
            release,
        })
    }

    /// Tries every exchange of one of these slots.
    fn verdicts(
        &self,
        slots: impl Iterator<Item = usize>,
    ) -> Result<BTreeMap<(usize, usize), bool>, Error> {
        let pairs = |own| partners(self.bucket, own).map(move |other| pair(own, other));
        let mut all: Vec<(usize, usize)> = slots.flat_map(pairs).collect();
        all.sort_unstable();
        all.dedup();
        let verdict = |pair| Ok((pair, self.reproduces(pair)?));
        all.into_par_iter().map(verdict).collect()
    }

    /// Whether the same is released if two slots have each other's people.
    pub(super) fn reproduces(&self, (a, b): (usize, usize)) -> Result<bool, Error> {
        let mut slots = self.slots.clone();
        slots.swap(a, b);
        // The same rows in the same order are arranged as before.
        if canonical(&self.table, &slots) == self.order {
            return Ok(true);
        }
        let groups = arranged(&self.table, &slots);
        // The same people together: whole slots exchange, so each group has the same
        // values as before.
        if are_alike(&groups, &self.groups) {
            return Ok(true);
        }
        let pairs = self.slots[a]
            .iter()
            .copied()
            .zip(self.slots[b].iter().copied());
        let table = exchanged(&self.table, pairs)?;
        Ok(publish(&table, &groups, self.style).0 == self.release)
    }
}

fn are_alike(one: &Groups, other: &Groups) -> bool {
    let sorted = |people: &[u32]| {
        let mut people = people.to_vec();
        people.sort_unstable();
        people
    };
    let mut groups = one.iter().zip(other.iter());
    one.len() == other.len() && groups.all(|(one, other)| sorted(one) == sorted(other))
}
