#![doc = include_str!("proof.md")]

use openveil_core::coins::{Coins, shuffle};
use openveil_core::table::{Groups, View};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Divides a table into groups of `l` different values by Anatomize. Every choice that the paper
/// calls random is made by coins; residues join groups without their value.
///
/// As long as `l` buckets (a bucket is the rows of one value) are not empty, the `l` largest each
/// give a random row to a new group; ties by value code. Then every remaining row joins a random
/// group that has no row of its value, or, if there is none, any random group. The table must have
/// at least `l` different values.
///
/// If no value has more than ⌊n/l⌋ rows, at most l−1 rows remain, of different values, and each
/// finds a group without its value: then all shares are at most 1/l.
///
/// O(n log values + n + l · groups) time on such tables, O(values · groups) instead of the last
/// term on others.
pub fn anatomy(table: &View, l: u32, coins: &mut dyn Coins) -> Groups {
    Buckets::new(table, coins).anatomize(l as usize, coins)
}

/// The rows of each value, and the group of each row that has one.
struct Buckets {
    /// In random order.
    rows: Vec<Vec<u32>>,
    /// The number of rows of each bucket, its first ones, that have no group yet.
    left: Vec<usize>,
    group_of: Vec<u32>,
    groups: u32,
}

impl Buckets {
    fn new(table: &View, coins: &mut dyn Coins) -> Self {
        let mut rows = vec![Vec::new(); table.secret().values()];
        for (row, &value) in (0..).zip(table.secret().codes()) {
            rows[value as usize].push(row);
        }
        for bucket in &mut rows {
            shuffle(bucket, coins);
        }
        Self {
            left: rows.iter().map(Vec::len).collect(),
            rows,
            group_of: vec![0; table.rows()],
            groups: 0,
        }
    }

    fn anatomize(mut self, l: usize, coins: &mut dyn Coins) -> Groups {
        self.form_groups(l);
        for value in 0..self.rows.len() {
            self.assign_residue(value, coins);
        }
        Groups::from_labels(&self.group_of, self.groups as usize)
    }

    /// Forms groups of one row from each of the `l` largest buckets, as long as there are `l`.
    fn form_groups(&mut self, l: usize) {
        let sizes = self.left.iter().copied().zip((0..).map(Reverse));
        let mut largest: BinaryHeap<(usize, Reverse<usize>)> =
            sizes.filter(|&(size, _)| size > 0).collect();
        let mut chosen = Vec::with_capacity(l);
        while largest.len() >= l {
            chosen.extend((0..l).filter_map(|_| largest.pop()));
            for (size, Reverse(value)) in chosen.drain(..) {
                self.left[value] = size - 1;
                self.group_of[self.rows[value][size - 1] as usize] = self.groups;
                if size > 1 {
                    largest.push((size - 1, Reverse(value)));
                }
            }
            self.groups += 1;
        }
    }

    /// Puts the remaining rows of a bucket into groups without their value. Drawing groups without
    /// replacement equals choosing among the groups that still lack the value.
    fn assign_residue(&mut self, value: usize, coins: &mut dyn Coins) {
        if self.left[value] == 0 {
            return;
        }
        let mut free = self.groups_without(value);
        for &row in &self.rows[value][..self.left[value]] {
            let group = match free.len() as u32 {
                0 => coins.below(self.groups),
                groups => free.swap_remove(coins.below(groups) as usize),
            };
            self.group_of[row as usize] = group;
        }
    }

    fn groups_without(&self, value: usize) -> Vec<u32> {
        let mut holds = vec![false; self.groups as usize];
        for &row in &self.rows[value][self.left[value]..] {
            holds[self.group_of[row as usize] as usize] = true;
        }
        (0..self.groups).filter(|&group| !holds[group as usize]).collect()
    }
}

#[cfg(test)]
mod tests;
