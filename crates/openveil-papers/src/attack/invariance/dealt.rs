//! The orders into which the first coins of a run put the rows of each value.

use openveil_core::table::Histogram;
use openveil_core::table::View;

/// The results of a run's coins: they begin with a shuffle of the rows of each value, value by
/// value, from the order of the table ([`openveil_core::coins::shuffle`]).
pub(super) struct Dealt {
    /// Rows by value; within a value in shuffled order.
    order: Vec<u32>,
    /// The position of each row in `order`.
    position: Vec<u32>,
    /// The start of each value in `order`, with the number of rows at the end.
    starts: Vec<usize>,
    /// All coins.
    tossed: Vec<u32>,
}

impl Dealt {
    /// Reads the orders from the coins. O(n).
    pub(super) fn new(table: &View, tossed: &[u32]) -> Self {
        let starts = starts(&table.histogram());
        let codes = table.secret().codes();
        let mut order: Vec<u32> = (0..codes.len() as u32).collect();
        order.sort_by_key(|&row| codes[row as usize]);
        let mut coins = tossed.iter();
        for value in starts.windows(2) {
            shuffle(&mut order[value[0]..value[1]], &mut coins);
        }
        let mut position = vec![0; order.len()];
        for (place, &row) in order.iter().enumerate() {
            position[row as usize] = place as u32;
        }
        Self { order, position, starts, tossed: tossed.to_vec() }
    }

    /// Returns the coins that put exchanged people into each other's places and are otherwise
    /// unchanged. O(rows of the exchanged values · log), plus a copy.
    pub(super) fn corresponding(&self, pairs: &[(u32, u32)]) -> Vec<u32> {
        let mut order = self.order.clone();
        let mut touched = Vec::new();
        for &(a, b) in pairs {
            for (row, other) in [(a, b), (b, a)] {
                let place = self.position[row as usize] as usize;
                order[place] = other;
                touched.push(self.starts.partition_point(|&start| start <= place) - 1);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let mut coins = self.tossed.clone();
        for value in touched {
            let rows = self.starts[value]..self.starts[value + 1];
            let script = shuffle_into(&order[rows]);
            let start = self.coins_before(value);
            coins[start..start + script.len()].copy_from_slice(&script);
        }
        coins
    }

    /// Returns the number of coins before a value: a value of k > 0 rows takes k − 1.
    fn coins_before(&self, value: usize) -> usize {
        self.starts[..=value].windows(2).map(|run| (run[1] - run[0]).saturating_sub(1)).sum()
    }
}

/// Shuffles as [`openveil_core::coins::shuffle`] does with these coins.
fn shuffle<'a, T>(items: &mut [T], coins: &mut impl Iterator<Item = &'a u32>) {
    for (place, &coin) in (1..items.len()).rev().zip(coins) {
        items.swap(place, coin as usize);
    }
}

/// Returns the coins with which a shuffle puts ascending rows into this order.
fn shuffle_into(wanted: &[u32]) -> Vec<u32> {
    let mut rows = wanted.to_vec();
    rows.sort_unstable();
    // Ranks stand for rows: `rank_of[place]` is the rank wanted there, and `place_of[rank]` is its
    // current place.
    let rank_of: Vec<usize> = wanted.iter().map(|row| rows.partition_point(|r| r < row)).collect();
    let mut now: Vec<usize> = (0..rows.len()).collect();
    let mut place_of = now.clone();
    let mut coins = Vec::with_capacity(rows.len().saturating_sub(1));
    for place in (1..rows.len()).rev() {
        let from = place_of[rank_of[place]];
        coins.push(from as u32);
        now.swap(place, from);
        place_of[now[place]] = place;
        place_of[now[from]] = from;
    }
    coins
}

fn starts(histogram: &Histogram) -> Vec<usize> {
    let mut rows = 0;
    let mut starts = vec![rows];
    for &count in histogram.counts() {
        rows += count as usize;
        starts.push(rows);
    }
    starts
}
