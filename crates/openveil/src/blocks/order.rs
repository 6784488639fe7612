//! People in the order of their quasi-identifiers; never of their row numbers.

use crate::coins::Coins;
use crate::table::QuasiIdentifier;
use rayon::slice::ParallelSliceMut;
use std::cmp::Ordering;

/// Cuts sets of people along quasi-identifiers. It sees no sensitive value.
pub(super) struct Order<'a> {
    columns: &'a [QuasiIdentifier],
    /// By row: the rank of the row's quasi-identifiers among all that occur.
    rank: Vec<u32>,
}

impl<'a> Order<'a> {
    /// O(n log n · columns).
    pub(super) fn new(columns: &'a [QuasiIdentifier], rows: usize) -> Self {
        let compare = |&a: &u32, &b: &u32| {
            let codes = columns.iter().map(QuasiIdentifier::codes);
            codes
                .map(|codes| codes[a as usize].cmp(&codes[b as usize]))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        };
        let mut sorted: Vec<u32> = (0..rows as u32).collect();
        sorted.par_sort_unstable_by(compare);
        let mut rank = vec![0; rows];
        let mut next = 0;
        for pair in sorted.windows(2) {
            next += u32::from(compare(&pair[0], &pair[1]).is_ne());
            rank[pair[1] as usize] = next;
        }
        Self { columns, rank }
    }

    /// The first `at` people along the widest quasi-identifier come to the front.
    /// O(people · columns).
    pub(super) fn cut(&self, people: &mut [u32], at: usize, coins: &mut dyn Coins) {
        self.select(people, at, self.widest(people), coins);
    }

    /// A run of `at` people along the widest quasi-identifier, which begins
    /// anywhere with the same chance and goes on from the last person to the
    /// first, comes to the front. So everybody is in it with the same chance.
    pub(super) fn cut_anywhere(&self, people: &mut [u32], at: usize, coins: &mut dyn Coins) {
        let axis = self.widest(people);
        let start = coins.below(people.len() as u32) as usize;
        let wraps = start + at > people.len();
        let (low, high) = match wraps {
            false => (start, start + at),
            true => (start + at - people.len(), start),
        };
        self.select(people, low, axis, coins);
        self.select(&mut people[low..], high - low, axis, coins);
        match wraps {
            false => people[..high].rotate_left(low),
            true => people[low..].rotate_left(high - low),
        }
    }

    /// Brings people into an order that is fixed as far as `borders` (ascending,
    /// counted from `start`) can tell: cuts at the middle one, then both parts.
    pub(super) fn arrange(
        &self,
        people: &mut [u32],
        start: usize,
        borders: &[usize],
        coins: &mut dyn Coins,
    ) {
        if borders.is_empty() {
            return;
        }
        let (before, after) = borders.split_at(borders.len() / 2);
        let at = after[0] - start;
        self.cut(people, at, coins);
        let (left, right) = people.split_at_mut(at);
        self.arrange(left, start, before, coins);
        self.arrange(right, start + at, &after[1..], coins);
    }

    /// The quasi-identifier over which people spread most; the first among equals.
    fn widest(&self, people: &[u32]) -> usize {
        let mut widest = (0, -1.0);
        for (axis, column) in self.columns.iter().enumerate() {
            let codes = column.codes();
            let (mut low, mut high) = (u32::MAX, 0);
            for &row in people {
                let code = codes[row as usize];
                (low, high) = (low.min(code), high.max(code));
            }
            let extent = column.domain().extent(low.min(high), high);
            let full = column.domain().full_extent().max(1);
            let spread = column.weight() as f32 * extent as f32 / full as f32;
            if spread > widest.1 {
                widest = (axis, spread);
            }
        }
        widest.0
    }

    /// Brings the first `at` people along an axis to the front. Where people with
    /// the same quasi-identifiers come to stand on both sides, coins say who.
    fn select(&self, people: &mut [u32], at: usize, axis: usize, coins: &mut dyn Coins) {
        if at == 0 || at == people.len() {
            return;
        }
        let codes = self.columns.get(axis).map(QuasiIdentifier::codes);
        let key = |&row: &u32| {
            let code = codes.map_or(0, |codes| codes[row as usize]);
            (code, self.rank[row as usize])
        };
        let (_, &mut pivot, _) = people.select_nth_unstable_by_key(at, key);
        let rank = self.rank[pivot as usize];
        let (left, right) = people.split_at_mut(at);
        let first = gather(left, |row| self.rank[row as usize] != rank);
        let last = at + gather(right, |row| self.rank[row as usize] == rank);
        for place in first..at {
            let other = place + coins.below((last - place) as u32) as usize;
            people.swap(place, other);
        }
    }
}

/// Brings those that belong to the front, and says how many they are.
fn gather(people: &mut [u32], belongs: impl Fn(u32) -> bool) -> usize {
    let mut count = 0;
    for place in 0..people.len() {
        if belongs(people[place]) {
            people.swap(place, count);
            count += 1;
        }
    }
    count
}
