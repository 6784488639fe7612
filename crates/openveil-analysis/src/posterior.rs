//! A reader's beliefs about each row, after a fit.

use crate::evidence::Evidence;
use crate::likelihood::{GroupMemory, Scores};
use crate::model::KnownLevels;
use crate::model::ModelShape;
use openveil_core::coins::{Coins, SecretCoins};
use rayon::prelude::*;

/// Number of pieces in which groups are processed.
const PIECES: usize = 16;

/// For each row, the chance of each value of its group.
#[derive(Debug, Clone)]
pub struct RowPosterior {
    /// The different values of all groups, ascending inside each group.
    values: Vec<u32>,
    /// Where each group's values end.
    ends: Vec<u32>,
    /// Where each group's chances start.
    starts: Vec<usize>,
    /// For each row in turn, the chances of the group's values.
    chances: Vec<f32>,
}

/// Readers' beliefs on average. They are functions of the release alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beliefs {
    /// The mean of the highest chance. A calibrated reader guesses right this often.
    pub mean: f64,
    /// The share of people for whom some value has a chance above the bound.
    pub above_bound: f64,
    /// The share of people for whom some value has a chance above 0.9.
    pub nearly_certain: f64,
}

impl RowPosterior {
    /// Computes the chances by a model. O(rows · (columns + 1) · classes + groups · m 2^m).
    pub(crate) fn new(
        evidence: &Evidence,
        shape: &ModelShape,
        row_classes: &[u16],
        scores: &Scores,
        levels: &KnownLevels,
    ) -> Self {
        let (mut values, mut ends, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for group in 0..evidence.groups() {
            let own = &evidence.values()[evidence.rows_of(group)];
            let before = values.len();
            values.extend(own.chunk_by(|a, b| a == b).map(|run| run[0]));
            ends.push(values.len() as u32);
            starts.push(start);
            start += own.len() * (values.len() - before);
        }
        let groups = evidence.groups();
        let piece = |piece: usize| -> Vec<f32> {
            let (mut space, mut chances) = (GroupMemory::default(), Vec::new());
            for group in groups * piece / PIECES..groups * (piece + 1) / PIECES {
                let rows = evidence.rows_of(group);
                space.look(scores, levels, rows.clone());
                space.posterior(&row_classes[rows.clone()], shape.classes.len());
                let own = &evidence.values()[rows.clone()];
                spread(&space, own, shape, rows.len(), &mut chances);
            }
            chances
        };
        let pieces: Vec<Vec<f32>> = (0..PIECES).into_par_iter().map(piece).collect();
        Self { values, ends, starts, chances: pieces.concat() }
    }

    /// The different values of a group, ascending.
    pub fn values(&self, group: usize) -> &[u32] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.values[start as usize..self.ends[group] as usize]
    }

    /// The chances of these values, for each row of the group.
    pub fn chances(&self, group: usize) -> impl Iterator<Item = &[f32]> {
        let values = self.values(group).len();
        let end = self.starts.get(group + 1).copied().unwrap_or(self.chances.len());
        self.chances[self.starts[group]..end].chunks_exact(values)
    }

    /// A reader's beliefs on average. `is_protected[value]` states which values count, and their
    /// chances are compared with `bound`. O(chances).
    pub fn beliefs(&self, is_protected: &[bool], bound: f64) -> Beliefs {
        let (mut rows, mut mean, mut above, mut certain) = (0usize, 0.0, 0usize, 0usize);
        for group in 0..self.ends.len() {
            let values = self.values(group);
            for chances in self.chances(group) {
                let all = chances.iter().copied().fold(0.0f32, f32::max);
                let highest = values
                    .iter()
                    .zip(chances)
                    .filter(|(value, _)| is_protected[**value as usize])
                    .map(|(_, &chance)| chance)
                    .fold(0.0f32, f32::max);
                rows += 1;
                mean += f64::from(all);
                // Equal chances may differ in their last digits.
                above += usize::from(f64::from(highest) > bound * (1.0 + 1e-4));
                certain += usize::from(highest > 0.9);
            }
        }
        let share = |count: usize| count as f64 / rows as f64;
        Beliefs {
            mean: mean / rows as f64,
            above_bound: share(above),
            nearly_certain: share(certain),
        }
    }
}

/// Converts chances of slots to chances of a group's different values. Slots of the same class
/// divide the class's chances by the counts of its values.
fn spread(space: &GroupMemory, own: &[u32], shape: &ModelShape, m: usize, chances: &mut Vec<f32>) {
    let slots = space.slot_classes();
    let class = |value: u32| shape.classes.of_value[value as usize];
    let runs: Vec<(u16, f64)> =
        own.chunk_by(|a, b| a == b).map(|run| (class(run[0]), run.len() as f64)).collect();
    let of_class =
        |class: u16| own.iter().filter(|&&value| self::class(shape, value) == class).count() as f64;
    let share: Vec<f64> = runs.iter().map(|&(class, count)| count / of_class(class)).collect();
    for shares in space.shares.chunks_exact(slots.len()).take(m) {
        for (&(class, _), share) in runs.iter().zip(&share) {
            let sum = slots.iter().zip(shares).filter(|(slot, _)| **slot == class);
            chances.push((share * sum.map(|(_, chance)| chance).sum::<f64>()) as f32);
        }
    }
}

fn class(shape: &ModelShape, value: u32) -> u16 {
    shape.classes.of_value[value as usize]
}

/// Draws a value for each row. In every group each order has a chance in proportion to its weight.
pub(crate) fn completed(
    evidence: &Evidence,
    shape: &ModelShape,
    row_classes: &[u16],
    scores: &Scores,
    levels: &KnownLevels,
    coins: &mut dyn Coins,
) -> Vec<u32> {
    let groups = evidence.groups();
    let own: Vec<SecretCoins> = (0..PIECES).map(|_| SecretCoins::keyed_by(coins)).collect();
    let pieces: Vec<(usize, SecretCoins)> = own.into_iter().enumerate().collect();
    let piece = |(piece, mut coins): (usize, SecretCoins)| -> Vec<u32> {
        let (mut space, mut drawn) = (GroupMemory::default(), Vec::new());
        let mut values = Vec::new();
        for group in groups * piece / PIECES..groups * (piece + 1) / PIECES {
            let rows = evidence.rows_of(group);
            space.look(scores, levels, rows.clone());
            space.posterior(&row_classes[rows.clone()], shape.classes.len());
            space.draw(rows.len(), &mut coins, &mut drawn);
            take(&space, &evidence.values()[rows], shape, &drawn, &mut coins, &mut values);
        }
        values
    };
    let pieces: Vec<Vec<u32>> = pieces.into_par_iter().map(piece).collect();
    pieces.concat()
}

/// The values in drawn slots. If a slot represents a class, its values are taken in random order.
fn take(
    space: &GroupMemory,
    own: &[u32],
    shape: &ModelShape,
    drawn: &[usize],
    coins: &mut dyn Coins,
    values: &mut Vec<u32>,
) {
    let slots = space.slot_classes();
    if slots.len() == own.len() {
        values.extend(drawn.iter().map(|&slot| own[slot]));
        return;
    }
    let mut left: Vec<Vec<u32>> = vec![Vec::new(); slots.len()];
    for &value in own {
        let slot = slots.iter().position(|&slot| slot == class(shape, value));
        left[slot.expect("every class has a slot")].push(value);
    }
    for &slot in drawn {
        let own = &mut left[slot];
        let chosen = coins.below(own.len() as u32) as usize;
        values.push(own.swap_remove(chosen));
    }
}

#[cfg(test)]
mod tests;
