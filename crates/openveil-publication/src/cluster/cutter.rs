//! Decides which rows of a lot go to which part, if rows are spread over several machines: the
//! rows with the least numbers go to its first part, and so on.

use super::AnswerMismatch;
use openveil_core::algorithm::chunks::Allotment;
use openveil_io::Error;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The number of bits of a row's number.
const BITS: u32 = 63;

/// The approximate number of counts that are requested at a time.
const MOST_COUNTS: u32 = 1 << 20;

/// If at most so many rows are left, their numbers are requested.
const FEW: u64 = 32;

/// Finds, for every border between two parts of a lot, the number of the first row behind it. It
/// works in rounds. Each round counts the rows that start with the known bits of a border, by their
/// next bits. The number and size of rounds depend on counts only.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BorderFinder {
    /// The part of every lot's first rows, if it has rows; used at the end, and not sent to machines.
    #[serde(skip)]
    first: Vec<Option<u32>>,
    /// In the order of lots, and in a lot of the numbers.
    borders: Vec<Border>,
    /// The number of bits known of borders that are still counted.
    known: u32,
    /// The number of bits that the next round adds.
    bits: u32,
}

/// A border between two parts of a lot.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Border {
    lot: u32,
    /// The part behind it; used at the end, and not sent to machines.
    #[serde(skip)]
    to: u32,
    /// The known first bits of its number; `known` is how many.
    prefix: u64,
    known: u32,
    /// The number of rows with the same first bits, and of those among them before the border.
    rows: u64,
    rank: u64,
}

impl Border {
    fn is_found(&self) -> bool {
        self.rows <= FEW || self.known == BITS
    }

    fn begins(&self, key: u64) -> bool {
        key >> (BITS - self.known) == self.prefix
    }

    /// The lot, and the least number with the same first bits.
    fn least(&self) -> (u32, u64) {
        (self.lot, self.prefix << (BITS - self.known))
    }
}

impl BorderFinder {
    /// Returns the borders of an allotment whose places lie in these parts.
    pub(super) fn new(allotment: &Allotment, part_of: impl Fn(u32) -> u32) -> Self {
        let (mut first, mut borders) = (Vec::new(), Vec::new());
        for lot in 0..allotment.lots() {
            let shares = allotment.shares(lot);
            let rows = shares.iter().map(|share| u64::from(share.rows)).sum();
            first.push(shares.first().map(|share| part_of(share.to)));
            let mut rank = 0;
            for pair in shares.windows(2) {
                rank += u64::from(pair[0].rows);
                let [before, to] = [part_of(pair[0].to), part_of(pair[1].to)];
                if before != to {
                    borders.push(Border { lot: lot as u32, to, prefix: 0, known: 0, rows, rank });
                }
            }
        }
        let mut cutter = Self { first, borders, known: 0, bits: 0 };
        cutter.bits = cutter.next_bits();
        cutter
    }

    /// Returns whether there is something left to count.
    pub fn counts_on(&self) -> bool {
        self.open().next().is_some()
    }

    /// Returns whether there are any borders.
    pub fn has_borders(&self) -> bool {
        !self.borders.is_empty()
    }

    /// Enough bits to find most borders in one round, but not too many counts.
    fn next_bits(&self) -> u32 {
        let open: HashSet<(u32, u64)> = self.open().map(Border::least).collect();
        let each = MOST_COUNTS / (open.len() as u32).max(1);
        let most = self.open().map(|border| border.rows).max().unwrap_or(0);
        let enough = (most / FEW).max(1).ilog2() + 2;
        each.max(1 << 4).ilog2().min(16).min(enough).min(BITS - self.known)
    }

    fn open(&self) -> impl Iterator<Item = &Border> {
        self.borders.iter().filter(|border| !border.is_found())
    }

    /// Returns a border that starts with the same bits as a row's number. Borders of a lot know the
    /// same bits or differ in them, so one suffices.
    fn around(&self, lot: u32, key: u64) -> Option<&Border> {
        let before = self.borders.partition_point(|border| border.least() <= (lot, key));
        let border = self.borders[..before].last()?;
        (border.lot == lot && border.begins(key)).then_some(border)
    }

    /// Counts rows, given by lot and number, by their first bits: the answer of some rows to one
    /// round's question.
    pub(super) fn count(
        &self,
        rows: impl Iterator<Item = (u32, u64)>,
    ) -> BTreeMap<(u32, u64), u64> {
        let mut counts = HashMap::new();
        for (lot, key) in rows {
            if self.around(lot, key).is_some_and(|border| !border.is_found()) {
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
    pub(super) fn absorb(&mut self, counts: &BTreeMap<(u32, u64), u64>) -> Result<(), Error> {
        let (known, bits) = (self.known + self.bits, self.bits);
        for border in self.borders.iter_mut().filter(|border| !border.is_found()) {
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
            (border.prefix, border.rows) = found.ok_or(AnswerMismatch::Changed)?;
            border.known = known;
        }
        self.known = known;
        self.bits = self.next_bits();
        Ok(())
    }

    /// Returns the rows whose numbers are needed at the end.
    pub(super) fn pick(&self, rows: impl Iterator<Item = (u32, u64)>) -> Vec<(u32, u64)> {
        rows.filter(|&(lot, key)| self.around(lot, key).is_some()).collect()
    }

    /// Returns the parts of all lots, from all numbers that were requested.
    ///
    /// # Errors
    /// Rows that differ from the counted ones, or two rows with the same number on both sides of a
    /// border.
    pub(super) fn finish(self, mut rows: Vec<(u32, u64)>) -> Result<LotParts, Error> {
        rows.sort_unstable();
        let border = |border: &Border| {
            let first = rows.partition_point(|&row| row < border.least());
            let at = first + border.rank as usize;
            match rows.get(at) {
                Some(&(lot, key)) if lot == border.lot && border.begins(key) => {
                    let is_tie = at > 0 && rows[at - 1] == rows[at];
                    if is_tie { Err(AnswerMismatch::Tie) } else { Ok((lot, key, border.to)) }
                }
                _ => Err(AnswerMismatch::Changed),
            }
        };
        let borders = self.borders.iter().map(border).collect::<Result<_, AnswerMismatch>>()?;
        Ok(LotParts { first: self.first, borders })
    }
}

/// The parts of every lot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LotParts {
    /// The part of each lot's first rows, if it has rows.
    first: Vec<Option<u32>>,
    /// Borders: a lot, and the number from which on its rows go to another part.
    borders: Vec<(u32, u64, u32)>,
}

impl LotParts {
    /// Returns the part of a row of a lot.
    #[inline]
    pub(super) fn part(&self, lot: u32, key: u64) -> Option<u32> {
        let first = *self.first.get(lot as usize)?;
        let before = self.borders.partition_point(|&(own, from, _)| (own, from) <= (lot, key));
        match self.borders[..before].last() {
            Some(&(own, _, part)) if own == lot => Some(part),
            _ => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::algorithm::chunks::LotShare;
    use proptest::prelude::*;

    /// Asks all rows at once.
    fn cut(allotment: &Allotment, rows: &[(u32, u64)]) -> Result<LotParts, Error> {
        let mut cutter = BorderFinder::new(allotment, part_of);
        while cutter.counts_on() {
            let counts = cutter.count(rows.iter().copied());
            cutter.absorb(&counts)?;
        }
        let picked = cutter.pick(rows.iter().copied());
        cutter.finish(picked)
    }

    /// Some neighbouring places lie in one part.
    fn part_of(place: u32) -> u32 {
        place / 5
    }

    fn allotment(lots: &[Vec<u32>]) -> Allotment {
        Allotment::new(lots.iter().map(|lot| {
            (0..).zip(lot).map(|(to, &rows)| LotShare { to: 3 * to + 1, rows }).collect()
        }))
    }

    proptest! {
        #[test]
        fn parts_are_those_of_sorted_numbers(
            lots in prop::collection::vec(prop::collection::vec(1u32..90, 1..6), 1..5),
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
                        prop_assert_eq!(cuts.part(lot, key), Some(part_of(share.to)));
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
