//! The likelihood of a release.
//!
//! For a group with members x and values v it is
//!
//! > log per p(v_j | x_i)
//!
//! where per is the permanent: groups are made without looking at values, so every order of a
//! group's values is possible. Its gradient is the posterior of the values minus their chances.
//! Source: EXCHANGE.md, design 5.

mod changing;
mod kinds;
mod scores;
mod space;

pub(crate) use changing::ChangingGroup;
pub(crate) use kinds::Kinds;
pub(crate) use scores::Scores;
pub(crate) use space::GroupMemory;
use space::ManyGroups;

use crate::evidence::Evidence;
use crate::model::ModelShape;
use crate::orders::LANES;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The number of pieces in which groups are processed. It is fixed, so that sums are equal on every
/// machine.
const PIECES: usize = 16;

/// The likelihood of a release.
pub(crate) struct Likelihood<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) shape: &'a ModelShape,
    /// The class of each row's value.
    pub(crate) row_classes: &'a [u16],
    /// The people.
    pub(crate) kinds: &'a Kinds,
    /// The groups that are used, ascending.
    pub(crate) groups: &'a [u32],
    /// Unused buffers for gradients by kinds: large ones cost more to allocate than to fill.
    pub(crate) spare: Mutex<Vec<Vec<f64>>>,
}

/// If a gradient by kinds has more entries than this, fewer pieces hold one each.
const ENTRIES: usize = 1 << 18;

/// The log likelihood of some groups, and its gradient by the chances of kinds.
struct Sums {
    log: f64,
    gradient: Vec<f64>,
}

impl Likelihood<'_> {
    /// Returns the log likelihood and its gradient. O(kinds · axes · classes + rows · classes +
    /// groups · m 2^m).
    pub(crate) fn at(&self, theta: &[f64]) -> (f64, Vec<f64>) {
        let scores = Scores::new(self.shape, theta);
        let chances = self.kinds.chances(&scores, self.spare());
        let pieces = if chances.chances.len() > ENTRIES { PIECES / 4 } else { PIECES };
        let sums: Vec<Sums> = (0..pieces)
            .into_par_iter()
            .map(|piece| {
                let groups = self.groups.len();
                self.piece(
                    &chances,
                    &self.groups[groups * piece / pieces..groups * (piece + 1) / pieces],
                )
            })
            .collect();
        let mut sums = sums.into_iter();
        let mut all = sums.next().expect("there are pieces");
        for sums in sums {
            all.log += sums.log;
            add(&mut all.gradient, &sums.gradient);
            self.keep(sums.gradient);
        }
        let gradient = self.by_coefficients(&scores, &all.gradient);
        self.keep(all.gradient);
        self.keep(chances.chances);
        (all.log, gradient)
    }

    fn spare(&self) -> Vec<f64> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.pop().unwrap_or_default()
    }

    fn keep(&self, unused: Vec<f64>) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push(unused);
    }

    fn piece(&self, chances: &kinds::Chances, mut groups: &[u32]) -> Sums {
        let classes = self.shape.classes.len();
        let mut sums = Sums { log: 0.0, gradient: self.spare() };
        sums.gradient.clear();
        sums.gradient.resize(chances.chances.len(), 0.0);
        let mut many = ManyGroups::default();
        let mut spaces: Vec<GroupMemory> = Vec::new();
        spaces.resize_with(LANES, GroupMemory::default);
        let mut gradient = Vec::new();
        let rows_of = |group: &u32| self.evidence.rows_of(*group as usize);
        while let Some(first) = groups.first() {
            // As many consecutive groups of the same size as there are.
            let m = rows_of(first).len();
            let some =
                groups.iter().take(LANES).take_while(|group| rows_of(group).len() == m).count();
            let (some, rest) = groups.split_at(some);
            groups = rest;
            let spaces = &mut spaces[..some.len()];
            for (group, space) in some.iter().zip(spaces.iter_mut()) {
                let rows = rows_of(group);
                space.look_at(chances, &self.kinds.of_row[rows.clone()], classes);
                space.weigh(&self.row_classes[rows], classes);
            }
            let logs = many.sum_orders(m, spaces);
            for ((group, space), log) in some.iter().zip(spaces.iter()).zip(logs) {
                let kinds = &self.kinds.of_row[rows_of(group)];
                sums.log += space.gradient(m, classes, log, &mut gradient);
                for (&kind, own) in kinds.iter().zip(gradient.chunks_exact(classes)) {
                    let start = kind as usize * classes;
                    add(&mut sums.gradient[start..start + classes], own);
                }
            }
        }
        sums
    }

    /// Converts a gradient by kinds to a gradient by coefficients.
    fn by_coefficients(&self, scores: &Scores, gradient: &[f64]) -> Vec<f64> {
        let classes = self.shape.classes.len();
        let mut shared = vec![0.0; classes];
        let mut tables: Vec<Vec<f64>> =
            scores.tables.iter().map(|table| vec![0.0; table.len()]).collect();
        for (kind, own) in gradient.chunks_exact(classes).enumerate() {
            add(&mut shared, own);
            for (table, levels) in tables.iter_mut().zip(&self.kinds.levels) {
                let start = levels[kind] as usize * classes;
                add(&mut table[start..start + classes], own);
            }
        }
        self.shape.gradient(&shared, &tables)
    }
}

#[inline]
fn add(all: &mut [f64], own: &[f64]) {
    all.iter_mut().zip(own).for_each(|(all, own)| *all += own);
}

#[cfg(test)]
mod tests;
