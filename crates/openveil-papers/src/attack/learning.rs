//! Learning: uses what the release shows about everybody to guess the values of its own people
//! (Kifer's deFinetti attack).
//!
//! The groups show which values occur together with which quasi-identifiers. From that alone, a
//! reader can learn how values go with quasi-identifiers, and then tell the members of a group
//! apart. The guarantee of this program does not cover it: a reader who learns that nurses are
//! mostly women knows something about every nurse, in the table or not. The risk is therefore
//! measured, and not bounded.
//!
//! The reader is naive Bayes: quasi-identifiers are taken as independent given the value. It starts
//! from what the groups show about each person, learns P(quasi-identifier | value) from that,
//! updates its beliefs about each person, and so on for a fixed number of rounds. It never sees who
//! has which value; the owner's table only checks its predictions.

use super::beliefs::PersonBeliefs;
use openveil_core::table::{Groups, View};
use rayon::prelude::*;

/// The number of rounds of learning and updating.
pub const ROUNDS: usize = 20;

/// The number of pieces that people are divided into: fixed, so that sums are equal on every
/// machine.
const PIECES: usize = 16;

/// The largest number of pairs of a quasi-identifier's value and a sensitive value.
const MAX_CELLS: usize = 1 << 22;

/// How well the reader predicts. Ties count as a fraction of a correct prediction, as on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning {
    /// Number of people whose value is predicted.
    pub people: usize,
    /// Share of people whose value is predicted correctly, after learning.
    pub accuracy: f64,
    /// Share of people whose value is the most frequent one of their groups.
    pub majority: f64,
}

impl Learning {
    /// Returns the percentage points of accuracy gained over the majority.
    pub fn gain(&self) -> f64 {
        100.0 * (self.accuracy - self.majority)
    }
}

/// Learns from beliefs and predicts everybody's value. None if the quasi-identifiers and the
/// sensitive column have too many values for the table of probabilities.
///
/// O(rounds · people who differ · possible values · columns) time: people who are alike are
/// processed once.
///
/// # Panics
/// If the beliefs are about other people than the table's.
pub fn learning(table: &View, beliefs: &PersonBeliefs) -> Option<Learning> {
    assert_eq!(table.rows(), beliefs.people(), "beliefs about these people");
    let codes: usize = table.known().iter().map(|column| column.domain().len()).sum();
    if codes.saturating_mul(table.secret().values()) > MAX_CELLS {
        return None;
    }
    Some(learn(table, beliefs, &beliefs.alike(table)))
}

/// Learns with people who are alike grouped together.
fn learn(table: &View, beliefs: &PersonBeliefs, alike: &Groups) -> Learning {
    let mut knowledge = LearnedLogs::none(table);
    let majority = hits(table, beliefs, alike, &knowledge);
    for _ in 0..ROUNDS {
        knowledge = LearnedLogs::learned(table, beliefs, alike, &knowledge);
    }
    let people = table.rows();
    Learning {
        people,
        accuracy: hits(table, beliefs, alike, &knowledge) / people as f64,
        majority: majority / people as f64,
    }
}

/// ln P(quasi-identifier | value), for each column.
struct LearnedLogs {
    values: usize,
    /// Per column, by code and value.
    logs: Vec<Vec<f64>>,
}

impl LearnedLogs {
    /// Returns the state in which all values are equally likely.
    fn none(table: &View) -> Self {
        let values = table.secret().values();
        let logs = table.known().iter().map(|column| vec![0.0; column.domain().len() * values]);
        Self { values, logs: logs.collect() }
    }

    /// Updates the beliefs about everybody with earlier knowledge, and counts.
    fn learned(table: &View, beliefs: &PersonBeliefs, alike: &Groups, earlier: &Self) -> Self {
        let pieces: Vec<Self> = pieces(alike.len())
            .into_par_iter()
            .map(|piece| {
                let mut counts = Self::none(table);
                let mut posterior = Vec::new();
                for people in piece.map(|number| alike.get(number)) {
                    earlier.look(table, beliefs, people[0], &mut posterior);
                    counts.add(table, people, &posterior);
                }
                counts
            })
            .collect();
        let mut sum = Self::none(table);
        for piece in &pieces {
            for (sum, counts) in sum.logs.iter_mut().zip(&piece.logs) {
                sum.iter_mut().zip(counts).for_each(|(sum, c)| *sum += c);
            }
        }
        sum.into_logs()
    }

    /// Sets `posterior` to the beliefs about a person, given their quasi-identifiers.
    fn look(
        &self,
        table: &View,
        beliefs: &PersonBeliefs,
        row: u32,
        posterior: &mut Vec<(u32, f64)>,
    ) {
        posterior.clear();
        posterior.extend(beliefs.chances(row).map(|(value, share)| (value, share.ln())));
        for (column, logs) in table.known().iter().zip(&self.logs) {
            let start = column.codes()[row as usize] as usize * self.values;
            for (value, log) in posterior.iter_mut() {
                *log += logs[start + *value as usize];
            }
        }
        let highest = posterior.iter().map(|&(_, log)| log).fold(f64::NEG_INFINITY, f64::max);
        for (_, log) in posterior.iter_mut() {
            *log = (*log - highest).exp();
        }
        let total: f64 = posterior.iter().map(|&(_, weight)| weight).sum();
        posterior.iter_mut().for_each(|(_, weight)| *weight /= total);
    }

    /// Counts people who are alike.
    fn add(&mut self, table: &View, people: &[u32], posterior: &[(u32, f64)]) {
        let number = people.len() as f64;
        for (column, counts) in table.known().iter().zip(&mut self.logs) {
            let start = column.codes()[people[0] as usize] as usize * self.values;
            for &(value, weight) in posterior {
                counts[start + value as usize] += weight * number;
            }
        }
    }

    /// Turns counts into logarithms of shares, after adding one to every count: pairs that were
    /// never seen together are unlikely, not impossible.
    fn into_logs(mut self) -> Self {
        for counts in &mut self.logs {
            let mut totals = vec![0.0; self.values];
            for by_value in counts.chunks(self.values) {
                totals.iter_mut().zip(by_value).for_each(|(t, c)| *t += c + 1.0);
            }
            for by_value in counts.chunks_mut(self.values) {
                for (count, total) in by_value.iter_mut().zip(&totals) {
                    *count = ((*count + 1.0) / total).ln();
                }
            }
        }
        self
    }
}

/// Counts people whose value is the most likely one; if k values are equally likely, a correct one
/// counts as 1/k.
fn hits(table: &View, beliefs: &PersonBeliefs, alike: &Groups, knowledge: &LearnedLogs) -> f64 {
    let truth = table.secret().codes();
    let of_piece = |piece: std::ops::Range<usize>| -> f64 {
        let (mut posterior, mut values) = (Vec::new(), Vec::new());
        piece
            .map(|number| alike.get(number))
            .map(|people| {
                knowledge.look(table, beliefs, people[0], &mut posterior);
                let highest = posterior.iter().map(|&(_, p)| p).fold(0.0, f64::max);
                // The last digits of equal probabilities may differ.
                let likeliest = posterior.iter().filter(|&&(_, p)| p >= highest * (1.0 - 1e-9));
                values.clear();
                values.extend(likeliest.map(|&(value, _)| value));
                people.iter().filter(|&&row| values.contains(&truth[row as usize])).count() as f64
                    / values.len() as f64
            })
            .sum()
    };
    let pieces: Vec<f64> = pieces(alike.len()).into_par_iter().map(of_piece).collect();
    pieces.iter().sum()
}

fn pieces(number: usize) -> Vec<std::ops::Range<usize>> {
    let border = |piece: usize| number * piece / PIECES;
    (0..PIECES).map(|piece| border(piece)..border(piece + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::beliefs::Uncovered;
    use openveil_core::coins::{Coins, SecretCoins};
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Column, Domain, Secret};

    #[test]
    fn people_alike_are_looked_at_once_with_the_same_result() {
        let mut coins = SecretCoins::from_test_seed(5);
        let rows = 300;
        let mut codes = |below: u32| (0..rows).map(|_| coins.below(below)).collect::<Vec<u32>>();
        let columns = vec![
            Column::new("age", codes(6), Domain::integers(0..6)),
            Column::new("town", codes(3), Domain::unordered(["a", "b", "c"])),
        ];
        let ills = Secret::new("ill", codes(5), ["1", "2", "3", "4", "5"]);
        let table = View::new(columns, ills).unwrap();
        let groups = Groups::from_labels(&codes(40), 40);
        let (release, _) = publish(&table, &groups, Style::Generalize);
        let beliefs = PersonBeliefs::by_cells(&release, &table, Uncovered::Refused).unwrap();
        let one_by_one: Groups = (0..rows).map(|row| [row]).collect();
        assert!(beliefs.alike(&table).len() < one_by_one.len());
        let apart = learn(&table, &beliefs, &one_by_one);
        let together = learn(&table, &beliefs, &beliefs.alike(&table));
        let is_near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(is_near(apart.accuracy, together.accuracy));
        assert!(is_near(apart.majority, together.majority));
    }
}
