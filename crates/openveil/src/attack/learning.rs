//! Learning: what the release teaches about everybody, turned on its own people
//! (Kifer's deFinetti attack).
//!
//! The groups say which values occur where. From that alone a reader can learn
//! which values go with which quasi-identifiers, and then tell the members of a
//! group apart. The promise of this program does not cover it: a reader who
//! learns that nurses are mostly women knows something about every nurse, in the
//! table or not. So the risk is measured and not bounded.
//!
//! The reader is naive Bayes: quasi-identifiers are taken as independent given the
//! value. It starts from what the groups say of each person, learns
//! P(quasi-identifier | value) from that, looks at each person again, and so on, a
//! fixed number of rounds. It never sees who has which value; the owner's table
//! only marks its predictions.

use super::beliefs::Beliefs;
use crate::table::View;
use rayon::prelude::*;

/// Rounds of learning and looking again.
pub const ROUNDS: usize = 20;

/// Pieces in which people are looked at: a fixed number, so that sums come out
/// the same on every machine.
const PIECES: usize = 16;

/// The most pairs of a quasi-identifier's value and a sensitive value.
const MAX_CELLS: usize = 1 << 22;

/// How well the reader predicts. Ties count as a share of a hit, as they would on
/// average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning {
    /// People predicted.
    pub people: usize,
    /// Share of people whose value was predicted, after learning.
    pub accuracy: f64,
    /// Share of people whose value is the most frequent one of their groups.
    pub majority: f64,
}

impl Learning {
    /// Hits per hundred people beyond the majority's.
    pub fn gain(&self) -> f64 {
        100.0 * (self.accuracy - self.majority)
    }
}

/// Learns from beliefs and predicts everybody. None if the quasi-identifiers and
/// the sensitive column have too many values for the table of probabilities.
///
/// O(rounds · rows · possible values · columns) time.
///
/// # Panics
/// If the beliefs are about other people than the table's.
pub fn learning(table: &View, beliefs: &Beliefs) -> Option<Learning> {
    assert_eq!(table.rows(), beliefs.people(), "beliefs about these people");
    let columns = table.known().iter();
    let codes: usize = columns.map(|column| column.domain().len()).sum();
    if codes.saturating_mul(table.secret().values()) > MAX_CELLS {
        return None;
    }
    let mut knowledge = Knowledge::none(table);
    let majority = hits(table, beliefs, &knowledge);
    for _ in 0..ROUNDS {
        knowledge = Knowledge::learned(table, beliefs, &knowledge);
    }
    let people = table.rows();
    Some(Learning {
        people,
        accuracy: hits(table, beliefs, &knowledge) / people as f64,
        majority: majority / people as f64,
    })
}

/// ln P(quasi-identifier | value), for each column.
struct Knowledge {
    values: usize,
    /// Per column, by code and value.
    logs: Vec<Vec<f64>>,
}

impl Knowledge {
    /// Everything is as likely as everything else.
    fn none(table: &View) -> Self {
        let values = table.secret().values();
        let columns = table.known().iter();
        let logs = columns.map(|column| vec![0.0; column.domain().len() * values]);
        Self {
            values,
            logs: logs.collect(),
        }
    }

    /// Looks at everybody with earlier knowledge and counts.
    fn learned(table: &View, beliefs: &Beliefs, earlier: &Self) -> Self {
        let pieces: Vec<Self> = pieces(table.rows())
            .into_par_iter()
            .map(|rows| {
                let mut counts = Self::none(table);
                let mut posterior = Vec::new();
                for row in rows {
                    earlier.look(table, beliefs, row, &mut posterior);
                    counts.add(table, row, &posterior);
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

    /// What is believed of a person in view of the own quasi-identifiers.
    fn look(&self, table: &View, beliefs: &Beliefs, row: u32, posterior: &mut Vec<(u32, f64)>) {
        posterior.clear();
        posterior.extend(beliefs.of(row).map(|(value, share)| (value, share.ln())));
        for (column, logs) in table.known().iter().zip(&self.logs) {
            let start = column.codes()[row as usize] as usize * self.values;
            for (value, log) in posterior.iter_mut() {
                *log += logs[start + *value as usize];
            }
        }
        let highest = posterior.iter().map(|&(_, log)| log);
        let highest = highest.fold(f64::NEG_INFINITY, f64::max);
        for (_, log) in posterior.iter_mut() {
            *log = (*log - highest).exp();
        }
        let total: f64 = posterior.iter().map(|&(_, weight)| weight).sum();
        posterior
            .iter_mut()
            .for_each(|(_, weight)| *weight /= total);
    }

    fn add(&mut self, table: &View, row: u32, posterior: &[(u32, f64)]) {
        for (column, counts) in table.known().iter().zip(&mut self.logs) {
            let start = column.codes()[row as usize] as usize * self.values;
            for &(value, weight) in posterior {
                counts[start + value as usize] += weight;
            }
        }
    }

    /// Counts to logarithms of shares, one added to every count: what was never
    /// seen together is unlikely, not impossible.
    fn into_logs(mut self) -> Self {
        for counts in &mut self.logs {
            let mut totals = vec![0.0; self.values];
            for by_value in counts.chunks(self.values) {
                totals
                    .iter_mut()
                    .zip(by_value)
                    .for_each(|(t, c)| *t += c + 1.0);
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

/// People whose value is the likeliest; of k equally likely ones, a k-th.
fn hits(table: &View, beliefs: &Beliefs, knowledge: &Knowledge) -> f64 {
    let truth = table.secret().codes();
    let of_piece = |rows: std::ops::Range<u32>| -> f64 {
        let mut posterior = Vec::new();
        let hit = |row: u32| {
            knowledge.look(table, beliefs, row, &mut posterior);
            let highest = posterior.iter().map(|&(_, p)| p).fold(0.0, f64::max);
            // The last digits of equal chances may differ.
            let likeliest = posterior
                .iter()
                .filter(|&&(_, p)| p >= highest * (1.0 - 1e-9));
            let values: Vec<u32> = likeliest.map(|&(value, _)| value).collect();
            match values.contains(&truth[row as usize]) {
                true => 1.0 / values.len() as f64,
                false => 0.0,
            }
        };
        rows.map(hit).sum()
    };
    let pieces: Vec<f64> = pieces(table.rows()).into_par_iter().map(of_piece).collect();
    pieces.iter().sum()
}

fn pieces(rows: usize) -> Vec<std::ops::Range<u32>> {
    let border = |piece: usize| (rows * piece / PIECES) as u32;
    (0..PIECES)
        .map(|piece| border(piece)..border(piece + 1))
        .collect()
}
