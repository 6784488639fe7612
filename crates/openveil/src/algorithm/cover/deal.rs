//! *deal*: put the rows of each value uniformly at random into the slots of
//! that value.
//!
//! This file alone knows which row and which value stand behind a slot; what it
//! hands on ([`Record`], [`Slot`]) shows positions on quasi-identifiers only.

use super::Decomposition;
use super::space::{Keys, Space};
use crate::coins::{Coins, shuffle};
use crate::table::{Groups, View};

/// A row's number, which only this file can read.
#[derive(Clone, Copy)]
struct RowTag(u32);

/// A person as *arrange* sees it: positions on quasi-identifiers.
#[derive(Clone, Copy)]
pub(super) struct Record<const K: usize> {
    tag: RowTag,
    pub(super) keys: Keys<K>,
}

/// The people dealt into one slot of a bucket: one for each of its groups.
pub(super) type Slot<'a, const K: usize> = &'a mut [Record<K>];

/// All rows, dealt into slots once.
pub(super) struct Deal<const K: usize> {
    /// Rows by value; inside a value in an order set by coins.
    records: Vec<Record<K>>,
    /// Per bucket: its number of groups and where its slots start in `records`,
    /// in an order set by coins.
    buckets: Vec<(usize, Vec<usize>)>,
}

impl<const K: usize> Deal<K> {
    /// Deals the rows of a table, `counts` of each value. O(n · quasi-identifiers).
    pub(super) fn new(
        table: &View,
        counts: &[u32],
        space: &Space<'_, K>,
        decomposition: &Decomposition,
        coins: &mut dyn Coins,
    ) -> Self {
        let mut starts = starts(counts);
        let mut records = by_value(table, space, &starts);
        for value in starts.windows(2) {
            shuffle(&mut records[value[0]..value[1]], coins);
        }
        // The rows of a value lie in random order, so the next ones in line are
        // a uniform choice.
        let mut buckets = Vec::with_capacity(decomposition.buckets().len());
        for bucket in decomposition.buckets() {
            let groups = bucket.groups as usize;
            let mut slots: Vec<usize> = Vec::with_capacity(bucket.signature.len());
            for &value in &bucket.signature {
                slots.push(starts[value as usize]);
                starts[value as usize] += groups;
            }
            if groups > 1 {
                shuffle(&mut slots, coins);
            }
            buckets.push((groups, slots));
        }
        Self { records, buckets }
    }

    /// One bucket with these rows in its slots, in this order.
    pub(super) fn of_slots(table: &View, space: &Space<'_, K>, slots: &[Vec<u32>]) -> Self {
        let groups = slots.first().map_or(0, Vec::len);
        let columns: Vec<&[u32]> = table.known().iter().map(|c| c.codes()).collect();
        let records = slots.iter().flatten();
        Self {
            records: records.map(|&row| record(row, &columns, space)).collect(),
            buckets: vec![(groups, (0..slots.len()).map(|slot| slot * groups).collect())],
        }
    }

    /// The slots of each bucket, for *arrange* to reorder.
    pub(super) fn buckets(&mut self) -> Vec<Vec<Slot<'_, K>>> {
        let mut order: Vec<(usize, usize, usize)> = Vec::new();
        for (bucket, (_, slots)) in self.buckets.iter().enumerate() {
            order.extend(
                slots
                    .iter()
                    .enumerate()
                    .map(|(slot, &start)| (start, bucket, slot)),
            );
        }
        order.sort_unstable();
        // Slots lie end to end in `records`; hand them out from the front.
        let mut dealt: Vec<Vec<Slot<'_, K>>> = self
            .buckets
            .iter()
            .map(|(_, slots)| slots.iter().map(|_| Default::default()).collect())
            .collect();
        let mut rest = &mut self.records[..];
        for (_, bucket, slot) in order {
            let (records, behind) = rest.split_at_mut(self.buckets[bucket].0);
            dealt[bucket][slot] = records;
            rest = behind;
        }
        dealt
    }

    /// The first row of each slot: enough to tell in which order slots stand.
    pub(super) fn first_rows(slots: &[Slot<'_, K>]) -> Vec<u32> {
        slots.iter().map(|slot| slot[0].tag.0).collect()
    }

    /// Group g of a bucket takes the g-th row of each of its slots.
    pub(super) fn into_groups(self) -> Groups {
        let groups_total = self.buckets.iter().map(|(groups, _)| groups).sum();
        let mut all = Groups::with_capacity(self.records.len(), groups_total);
        for (groups, slots) in &self.buckets {
            for group in 0..*groups {
                all.push(slots.iter().map(|start| self.records[start + group].tag.0));
            }
        }
        all
    }
}

/// Where the rows of each value start, with the number of rows at the end.
fn starts(counts: &[u32]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(counts.len() + 1);
    let mut rows = 0;
    starts.push(rows);
    for &count in counts {
        rows += count as usize;
        starts.push(rows);
    }
    starts
}

/// Records sorted by value (counting sort), carrying their keys along so that
/// nothing later has to look a row up.
fn by_value<const K: usize>(
    table: &View,
    space: &Space<'_, K>,
    starts: &[usize],
) -> Vec<Record<K>> {
    let columns: Vec<&[u32]> = table.known().iter().map(|c| c.codes()).collect();
    let blank = Record {
        tag: RowTag(0),
        keys: [0; K],
    };
    let mut records = vec![blank; table.rows()];
    let mut next = starts.to_vec();
    for (row, &value) in (0..).zip(table.secret().codes()) {
        let position = &mut next[value as usize];
        records[*position] = record(row, &columns, space);
        *position += 1;
    }
    records
}

#[inline]
fn record<const K: usize>(row: u32, columns: &[&[u32]], space: &Space<'_, K>) -> Record<K> {
    let mut keys = [0; K];
    for (axis, codes) in columns.iter().enumerate() {
        keys[axis] = space.key(axis, codes[row as usize]);
    }
    Record {
        tag: RowTag(row),
        keys,
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// A record with a number of its own, for tests of *arrange*.
    pub(crate) fn record<const K: usize>(number: u32, keys: Keys<K>) -> Record<K> {
        Record {
            tag: RowTag(number),
            keys,
        }
    }

    /// The number given to a record.
    pub(crate) fn number<const K: usize>(record: &Record<K>) -> u32 {
        record.tag.0
    }
}
