//! Decides which rows of a lot go to which place, if rows are spread over several machines: the
//! rows with the least numbers go to its first place, and so on.

use super::AnswerMismatch;
use openveil_core::algorithm::chunks::Allotment;
use openveil_io::Error;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The number of bits of a row's number.
const BITS: u32 = 63;

/// The approximate number of counts that are requested at a time.
const MOST_COUNTS: u32 = 1 << 20;

/// If at most so many rows are left, their numbers are requested.
const FEW: u64 = 32;

/// Finds, for every border between two places of a lot, the number of the first row behind it. It
/// works in rounds. Each round counts the rows that start with the known bits of a border, by their
/// next bits. The number and size of rounds depend on counts only.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BorderFinder {
    /// The places of every lot, and its rows for each; used at the end, and not sent to machines.
    #[serde(skip)]
    lots: Vec<Vec<(u32, u32)>>,
    borders: Vec<Border>,
    /// The number of bits known of borders that are still counted.
    known: u32,
    /// The number of bits that the next round adds.
    bits: u32,
}

/// A border between two places of a lot.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Border {
    lot: u32,
    /// The known first bits of its number; `known` is how many.
    prefix: u64,
    known: u32,
    /// The number of rows before it among those with the same first bits.
    rank: u64,
    is_found: bool,
}

impl Border {
    fn begins(&self, key: u64) -> bool {
        key >> (BITS - self.known) == self.prefix
    }
}

impl BorderFinder {
    /// Returns the borders of an allotment.
    pub(super) fn new(allotment: &Allotment) -> Self {
        let (mut lots, mut borders) = (Vec::new(), Vec::new());
        for lot in 0..allotment.lots() {
            let shares = allotment.shares(lot);
            let between = shares
                .iter()
                .scan(0, |rows, share| {
                    *rows += u64::from(share.rows);
                    Some(*rows)
                })
                .take(shares.len().saturating_sub(1));
            borders.extend(between.map(|rank| Border {
                lot: lot as u32,
                prefix: 0,
                known: 0,
                rank,
                is_found: false,
            }));
            lots.push(shares.iter().map(|share| (share.to, share.rows)).collect());
        }
        let mut cutter = Self { lots, borders, known: 0, bits: 0 };
        cutter.bits = cutter.next_bits();
        cutter
    }

    /// Returns whether there is something left to count.
    pub fn counts_on(&self) -> bool {
        self.borders.iter().any(|border| !border.is_found)
    }

    /// Returns whether there are any borders.
    pub fn has_borders(&self) -> bool {
        !self.borders.is_empty()
    }

    fn next_bits(&self) -> u32 {
        let open: HashSet<(u32, u64)> = self.open().map(|own| (own.lot, own.prefix)).collect();
        let each = MOST_COUNTS / (open.len() as u32).max(1);
        each.max(1 << 4).ilog2().min(16).min(BITS - self.known)
    }

    fn open(&self) -> impl Iterator<Item = &Border> {
        self.borders.iter().filter(|border| !border.is_found)
    }

    /// Counts rows, given by lot and number, by their first bits: the answer of some rows to one
    /// round's question.
    pub(super) fn count(
        &self,
        rows: impl Iterator<Item = (u32, u64)>,
    ) -> BTreeMap<(u32, u64), u64> {
        let open: HashSet<(u32, u64)> = self.open().map(|own| (own.lot, own.prefix)).collect();
        let mut counts = HashMap::new();
        for (lot, key) in rows {
            if open.contains(&(lot, key >> (BITS - self.known))) {
                let longer = key >> (BITS - self.known - self.bits);
                *counts.entry((lot, longer)).or_insert(0) += 1;
            }
        }
        counts.into_iter().collect()
    }

    /// Continues with the sum of the counts of all machines.
    ///
    /// # Errors
    /// Counts that do not fit the lots.
    pub fn absorb(&mut self, counts: &BTreeMap<(u32, u64), u64>) -> Result<(), Error> {
        let (known, bits) = (self.known + self.bits, self.bits);
        for border in self.borders.iter_mut().filter(|border| !border.is_found) {
            let first = border.prefix << bits;
            let last = first + ((1 << bits) - 1);
            let mut found = None;
            for (&(_, prefix), &rows) in counts.range((border.lot, first)..=(border.lot, last)) {
                if border.rank < rows {
                    found = Some((prefix, rows));
                    break;
                }
                border.rank -= rows;
            }
            let (prefix, rows) = found.ok_or(AnswerMismatch::Changed)?;
            (border.prefix, border.known) = (prefix, known);
            border.is_found = rows <= FEW || known == BITS;
        }
        self.known = known;
        self.bits = self.next_bits();
        Ok(())
    }

    /// Returns the rows whose numbers are needed at the end.
    pub(super) fn pick(&self, rows: impl Iterator<Item = (u32, u64)>) -> Vec<(u32, u64)> {
        let lengths: BTreeSet<u32> = self.borders.iter().map(|border| border.known).collect();
        let wanted: HashSet<(u32, u32, u64)> =
            self.borders.iter().map(|border| (border.lot, border.known, border.prefix)).collect();
        rows.filter(|&(lot, key)| {
            lengths.iter().any(|&known| wanted.contains(&(lot, known, key >> (BITS - known))))
        })
        .collect()
    }

    /// Returns the places, from all numbers that were requested.
    ///
    /// # Errors
    /// Rows that differ from the counted ones, or two rows with the same number on both sides of a
    /// border.
    pub fn finish(self, rows: Vec<(u32, u64)>) -> Result<LotPlaces, Error> {
        let mut keys_of: HashMap<u32, Vec<u64>> = HashMap::new();
        for (lot, key) in rows {
            keys_of.entry(lot).or_default().push(key);
        }
        keys_of.values_mut().for_each(|keys| keys.sort_unstable());
        let mut borders = self.borders.iter();
        let mut cut = |(lot, places): (usize, &Vec<(u32, u32)>)| {
            let last = places.len().saturating_sub(1);
            let end =
                |(number, &(to, _)): (usize, &(u32, u32))| -> Result<(u64, u32), AnswerMismatch> {
                    if number == last {
                        return Ok((u64::MAX, to));
                    }
                    let border = borders.next().ok_or(AnswerMismatch::Changed)?;
                    let keys = keys_of.get(&(lot as u32)).ok_or(AnswerMismatch::Changed)?;
                    let first =
                        keys.partition_point(|&key| key >> (BITS - border.known) < border.prefix);
                    let at = first + border.rank as usize;
                    let key = *keys.get(at).ok_or(AnswerMismatch::Changed)?;
                    match border.begins(key) && (at == 0 || keys[at - 1] < key) {
                        true => Ok((key, to)),
                        false if border.begins(key) => Err(AnswerMismatch::Tie),
                        false => Err(AnswerMismatch::Changed),
                    }
                };
            places.iter().enumerate().map(end).collect::<Result<Vec<_>, AnswerMismatch>>()
        };
        let lots = self.lots.iter().enumerate().map(&mut cut);
        Ok(LotPlaces { lots: lots.collect::<Result<_, AnswerMismatch>>()? })
    }
}

/// The places of every lot, each with the number from which on rows go to the next place.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LotPlaces {
    lots: Vec<Vec<(u64, u32)>>,
}

impl LotPlaces {
    /// Returns the place of a row of a lot.
    #[inline]
    pub(super) fn place(&self, lot: u32, key: u64) -> Option<u32> {
        let places = self.lots.get(lot as usize)?;
        let place = places.partition_point(|&(below, _)| below <= key);
        places.get(place).map(|&(_, to)| to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::algorithm::chunks::LotShare;
    use proptest::prelude::*;

    /// Asks all rows at once.
    fn cut(allotment: &Allotment, rows: &[(u32, u64)]) -> Result<LotPlaces, Error> {
        let mut cutter = BorderFinder::new(allotment);
        while cutter.counts_on() {
            let counts = cutter.count(rows.iter().copied());
            cutter.absorb(&counts)?;
        }
        let picked = cutter.pick(rows.iter().copied());
        cutter.finish(picked)
    }

    fn allotment(lots: &[Vec<u32>]) -> Allotment {
        Allotment::new(lots.iter().map(|lot| {
            (0..).zip(lot).map(|(to, &rows)| LotShare { to: 3 * to + 1, rows }).collect()
        }))
    }

    proptest! {
        #[test]
        fn places_are_those_of_sorted_numbers(
            lots in prop::collection::vec(prop::collection::vec(1u32..90, 1..5), 1..5),
            seed: u64,
            span in 40u32..63,
        ) {
            let mut state = seed;
            let mut number = || {
                // splitmix64
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (z ^ (z >> 31)) & ((1 << span) - 1)
            };
            let mut rows = Vec::new();
            for (lot, shares) in (0..).zip(&lots) {
                rows.extend((0..shares.iter().sum()).map(|_| (lot, number())));
            }
            let allotment = allotment(&lots);
            let cuts = cut(&allotment, &rows).unwrap();
            let mut sorted = rows.clone();
            sorted.sort_unstable();
            let mut rest = &sorted[..];
            for lot in 0..lots.len() {
                for share in allotment.shares(lot) {
                    let (own, behind) = rest.split_at(share.rows as usize);
                    rest = behind;
                    for &(lot, key) in own {
                        prop_assert_eq!(cuts.place(lot, key), Some(share.to));
                    }
                }
            }
        }
    }

    #[test]
    fn a_tie_across_a_border_and_a_changed_table_are_told() {
        let allotment = allotment(&[vec![1, 1]]);
        let found = |rows| cut(&allotment, rows).map(|_| ()).unwrap_err().to_string();
        assert!(found(&[(0, 5), (0, 5)]).starts_with("two rows drew"));
        assert!(found(&[(0, 5)]).starts_with("the table changed between two reads"));
    }
}
