//! *deal*: puts the rows of each value uniformly at random into the places of that value.
//!
//! This file alone knows which row and which value are behind a place. The types that it hands on
//! ([`CoverRecord`], [`DealtColumn`]) show positions on quasi-identifiers only.

use super::Decomposition;
use super::space::{CoverSpace, Keys};
use openveil_core::coins::{Coins, SecretCoins, shuffle};
use openveil_core::table::{Groups, View};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// Units of more groups than this are worked on by several threads, each part with its own coins.
const SHARED_WORK: usize = 64;

/// Tables of at least this many rows are dealt by several threads.
const LARGE_TABLE: usize = 1 << 16;

/// A row's number, which only this file can read.
#[derive(Clone, Copy)]
struct RowTag(u32);

/// A person as *arrange* sees it: positions on quasi-identifiers.
#[derive(Clone, Copy)]
pub(super) struct CoverRecord<const K: usize> {
    tag: RowTag,
    pub(super) keys: Keys<K>,
}

impl<const K: usize> CoverRecord<K> {
    /// A record of no table, which stands for people at this place.
    pub(super) fn at(keys: Keys<K>) -> Self {
        Self { tag: RowTag(0), keys }
    }
}

/// The people dealt into one column of a unit, one for each of its groups.
pub(super) type DealtColumn<'a, const K: usize> = &'a mut [CoverRecord<K>];

/// A unit to be arranged: its columns, and its own coins if it has any.
pub(super) struct DealtUnit<'a, const K: usize> {
    pub(super) columns: Vec<DealtColumn<'a, K>>,
    pub(super) coins: Option<SecretCoins>,
}

/// All rows, dealt into columns once.
pub(super) struct Deal<const K: usize> {
    /// The line of the decomposition: the rows of a value together, and inside a column in an order
    /// that depends on their positions and on coins.
    records: Vec<CoverRecord<K>>,
    /// Per unit: its number of groups, and where each of its columns starts in `records`.
    units: Vec<(usize, Vec<usize>)>,
}

impl<const K: usize> Deal<K> {
    /// Deals the rows of a table. O(n log n).
    ///
    /// The order of rows in a column and of columns in a unit depends on their content and, between
    /// equals, on coins. So neither order tells values apart, and nothing depends on the order of
    /// the table.
    pub(super) fn new(
        table: &View,
        space: &CoverSpace<'_, K>,
        decomposition: &Decomposition,
        coins: &mut dyn Coins,
    ) -> Self {
        let places = ValuePlaces::new(decomposition, table.secret().values());
        let mut records = by_value(table, space, &places);
        places.divide_all(&mut records, coins);
        let units = decomposition.units().iter();
        let mut deal = Self {
            records,
            units: units
                .map(|unit| {
                    let starts = unit.columns.iter().map(|&start| start as usize);
                    (unit.groups as usize, starts.collect())
                })
                .collect(),
        };
        deal.settle(coins);
        deal
    }

    /// One unit with these rows in its columns, in this order inside each column. The columns are
    /// sorted by their content.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub(super) fn of_columns(
        table: &View,
        space: &CoverSpace<'_, K>,
        columns: &[Vec<u32>],
    ) -> Self {
        let groups = columns.first().map_or(0, Vec::len);
        assert!(columns.iter().all(|column| column.len() == groups));
        let codes: Vec<&[u32]> = table.known().iter().map(|c| c.codes()).collect();
        let records: Vec<CoverRecord<K>> =
            columns.iter().flatten().map(|&row| record(row, &codes, space)).collect();
        let mut starts: Vec<usize> = (0..columns.len()).map(|column| column * groups).collect();
        starts.sort_by(|&a, &b| compare(&records[a..a + groups], &records[b..b + groups]));
        Self { records, units: vec![(groups, starts)] }
    }

    /// The rows of each column of each unit, in the order in which they are arranged.
    pub(super) fn rows(&self) -> Vec<Vec<Vec<u32>>> {
        self.units
            .iter()
            .map(|(groups, starts)| {
                starts
                    .iter()
                    .map(|&start| {
                        self.records[start..start + groups]
                            .iter()
                            .map(|record| record.tag.0)
                            .collect()
                    })
                    .collect()
            })
            .collect()
    }

    /// Sorts every column, and the columns of every unit, by content; coins decide the order of
    /// equal ones.
    pub(super) fn settle(&mut self, coins: &mut dyn Coins) {
        let mut shared = Vec::new();
        for unit in self.units(coins) {
            match unit.coins {
                Some(own) => shared.push((unit.columns, own)),
                None => unit.columns.into_iter().for_each(|column| sort(column, coins)),
            }
        }
        let mut columns = Vec::new();
        for (unit, mut own) in shared {
            columns
                .extend(unit.into_iter().map(|column| (column, SecretCoins::keyed_by(&mut own))));
        }
        columns.into_par_iter().for_each(|(column, mut own)| sort(column, &mut own));
        for (groups, starts) in &mut self.units {
            let content = |start: usize| &self.records[start..start + *groups];
            starts.sort_by(|&a, &b| compare(content(a), content(b)));
            for equal in starts.chunk_by_mut(|&a, &b| compare(content(a), content(b)).is_eq()) {
                shuffle(equal, coins);
            }
        }
    }

    /// Returns the units, for *arrange* to reorder their columns. Large units get their own coins,
    /// seeded from `coins` in the order of the units, so that threads do not affect the draws.
    pub(super) fn units(&mut self, coins: &mut dyn Coins) -> Vec<DealtUnit<'_, K>> {
        let mut order: Vec<(usize, usize, usize)> = Vec::new();
        let mut units: Vec<DealtUnit<'_, K>> = Vec::with_capacity(self.units.len());
        for (number, (groups, starts)) in self.units.iter().enumerate() {
            let places = starts.iter().enumerate();
            order.extend(places.map(|(column, &start)| (start, number, column)));
            units.push(DealtUnit {
                columns: starts.iter().map(|_| Default::default()).collect(),
                coins: (*groups > SHARED_WORK).then(|| SecretCoins::keyed_by(coins)),
            });
        }
        // Columns are contiguous in `records`, so they are handed out from the front.
        order.sort_unstable();
        let mut rest = &mut self.records[..];
        for (_, number, column) in order {
            let (records, behind) = rest.split_at_mut(self.units[number].0);
            units[number].columns[column] = records;
            rest = behind;
        }
        units
    }

    /// Group g of a unit takes the g-th row of each of its columns.
    pub(super) fn into_groups(self) -> Groups {
        let groups = self.units.iter().map(|(groups, _)| groups).sum();
        let mut all = Groups::with_capacity(self.records.len(), groups);
        for (groups, columns) in &self.units {
            for group in 0..*groups {
                all.push(columns.iter().map(|start| self.records[start + group].tag.0));
            }
        }
        all
    }
}

/// Where the rows of each value go: the stretches of the line that hold these rows.
struct ValuePlaces {
    /// In the order of the line, in which each value is once.
    of_values: Vec<OfValue>,
}

struct OfValue {
    value: u32,
    /// Where its places begin among the rows of values, followed by the end of the last place.
    cuts: Vec<usize>,
}

impl ValuePlaces {
    /// The places of a decomposition, for a domain of this many values.
    fn new(decomposition: &Decomposition, domain: usize) -> Self {
        let mut borders: Vec<usize> = decomposition
            .units()
            .iter()
            .flat_map(|unit| unit.columns.iter().map(|&start| start as usize))
            .collect();
        borders.sort_unstable();
        // Stretches of one value in one column, in the order of the line.
        let mut stretches: Vec<(u32, Range<usize>)> = Vec::new();
        let mut order = vec![usize::MAX; domain];
        let mut of_values: Vec<OfValue> = Vec::new();
        let mut start = 0;
        for (value, count) in decomposition.line() {
            let end = start + count as usize;
            if order[value as usize] == usize::MAX {
                order[value as usize] = of_values.len();
                let cuts = Vec::new();
                of_values.push(OfValue { value, cuts });
            }
            let first = borders.partition_point(|&border| border <= start);
            for &border in borders[first..].iter().take_while(|&&border| border < end) {
                stretches.push((value, start..border));
                start = border;
            }
            stretches.push((value, start..end));
            start = end;
        }
        for (value, stretch) in &stretches {
            of_values[order[*value as usize]].cuts.push(stretch.len());
        }
        // Turn lengths into borders.
        let mut next = 0;
        for own in &mut of_values {
            for cut in &mut own.cuts {
                (*cut, next) = (next, next + *cut);
            }
            own.cuts.push(next);
        }
        Self { of_values }
    }

    /// Draws which rows of each value go to which of its places. In large tables values are drawn
    /// in parallel, each with its own coins.
    fn divide_all<T: Send>(&self, mut rows: &mut [T], coins: &mut dyn Coins) {
        if rows.len() < LARGE_TABLE {
            for own in &self.of_values {
                divide(rows, &own.cuts, coins);
            }
            return;
        }
        let mut parts = Vec::with_capacity(self.of_values.len());
        for own in &self.of_values {
            let start = own.cuts.first().copied().unwrap_or(0);
            let cuts: Vec<usize> = own.cuts.iter().map(|cut| cut - start).collect();
            let (part, rest) = rows.split_at_mut(cuts.last().copied().unwrap_or(0));
            rows = rest;
            if cuts.len() > 2 {
                parts.push((part, cuts, SecretCoins::keyed_by(coins)));
            }
        }
        parts.into_par_iter().for_each(|(rows, cuts, mut own)| divide(rows, &cuts, &mut own));
    }
}

/// Sorts records by value (counting sort). Keys are carried along, so that no later step has to
/// look a row up.
fn by_value<const K: usize>(
    table: &View,
    space: &CoverSpace<'_, K>,
    places: &ValuePlaces,
) -> Vec<CoverRecord<K>> {
    let codes: Vec<&[u32]> = table.known().iter().map(|c| c.codes()).collect();
    let mut places_of = vec![usize::MAX; table.secret().values()];
    for own in &places.of_values {
        places_of[own.value as usize] = own.cuts[0];
    }
    let mut records = blank(table.rows());
    // Every thread takes the rows of some values, at any position in the table.
    let parts = if table.rows() < LARGE_TABLE { 1 } else { rayon::current_num_threads() };
    let mut stretches = Vec::with_capacity(parts);
    let mut rest = &mut records[..];
    let mut start = 0;
    for part in 1..=parts {
        let own = places.of_values.iter().map(|own| own.cuts[0]);
        let border = table.rows() * part / parts;
        let end = own
            .chain([table.rows()])
            .filter(|&start| start >= border)
            .min()
            .unwrap_or(table.rows());
        let (stretch, others) = rest.split_at_mut(end - start);
        stretches.push((start, stretch));
        (start, rest) = (end, others);
    }
    stretches.into_par_iter().for_each(|(start, stretch)| {
        let mut next = places_of.clone();
        for (row, &value) in (0..).zip(table.secret().codes()) {
            let place = &mut next[value as usize];
            // Places of other values lie before the stretch or behind it.
            if let Some(own) = stretch.get_mut(place.wrapping_sub(start)) {
                *own = record(row, &codes, space);
                *place += 1;
            }
        }
    });
    records
}

/// Placeholder records, in memory that several threads touch first.
fn blank<const K: usize>(rows: usize) -> Vec<CoverRecord<K>> {
    (0..rows).into_par_iter().with_min_len(LARGE_TABLE).map(|_| CoverRecord::at([0; K])).collect()
}

/// Draws which rows of a value go to which of its places, whose borders are `cuts`. Nothing is
/// drawn for the largest of these places, which takes the rows left over, nor for a value in a
/// single column. The order inside a place does not matter.
fn divide<T>(rows: &mut [T], cuts: &[usize], coins: &mut dyn Coins) {
    let largest = cuts.windows(2).max_by_key(|place| place[1] - place[0]);
    let (Some(&[from, to]), Some(&start), Some(&end)) = (largest, cuts.first(), cuts.last()) else {
        return;
    };
    for place in start..from {
        let drawn = place + coins.below((end - place) as u32) as usize;
        rows.swap(place, drawn);
    }
    for place in (to..end).rev() {
        let drawn = from + coins.below((place + 1 - from) as u32) as usize;
        rows.swap(place, drawn);
    }
}

/// Sorts a column by positions. Coins set the order of rows that share all positions.
fn sort<const K: usize>(column: DealtColumn<'_, K>, coins: &mut (impl Coins + ?Sized)) {
    // Positions packed into one number are compared faster.
    match K {
        0..=4 => column.sort_unstable_by_key(|record| {
            record.keys.iter().fold(0u64, |all, &key| all << u16::BITS | u64::from(key))
        }),
        _ => column.sort_unstable_by_key(|record| record.keys),
    }
    for alike in column.chunk_by_mut(|a, b| a.keys == b.keys) {
        shuffle(alike, coins);
    }
}

/// Compares columns by their content.
fn compare<const K: usize>(a: &[CoverRecord<K>], b: &[CoverRecord<K>]) -> Ordering {
    let other = b.iter().map(|record| record.keys);
    a.iter().map(|record| record.keys).cmp(other)
}

#[inline]
fn record<const K: usize>(row: u32, codes: &[&[u32]], space: &CoverSpace<'_, K>) -> CoverRecord<K> {
    let mut keys = [0; K];
    for (axis, codes) in codes.iter().enumerate() {
        keys[axis] = space.key(axis, codes[row as usize]);
    }
    CoverRecord { tag: RowTag(row), keys }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// A record with its own number, for tests of *arrange*.
    pub(crate) fn record<const K: usize>(number: u32, keys: Keys<K>) -> CoverRecord<K> {
        CoverRecord { tag: RowTag(number), keys }
    }

    /// The number given to a record.
    pub(crate) fn number<const K: usize>(record: &CoverRecord<K>) -> u32 {
        record.tag.0
    }
}
