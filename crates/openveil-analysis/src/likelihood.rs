//! The likelihood that knows which values share a column.
//!
//! A group with members x and values v, value v_j out of the column with the values S_j, has
//!
//! > log per p(v_j | x_i) − log per p(S_j | x_i),   p(S | x) = Σ_{v ∈ S} p(v | x)
//!
//! where per is the permanent. Its gradient is the posterior of the values less the posterior of the
//! columns times the chance within the column. Where no columns are known a column holds all
//! values, so the second term is 0. Source: ASSOCIATIONS.md, "The likelihood that knows the columns".

mod places;
mod space;

pub(crate) use places::Places;
pub(crate) use space::{Scores, Space};

use crate::evidence::Evidence;
use crate::model::Shape;
use rayon::prelude::*;
use std::ops::Range;

/// Pieces in which groups are looked at: a fixed number, so that sums come out the same on every
/// machine.
const PIECES: usize = 16;

/// People whose known codes are all given: by axis, the level of each row.
pub(crate) type Levels = Vec<Vec<u16>>;

/// The likelihood of a release.
pub(crate) struct Likelihood<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) shape: &'a Shape,
    pub(crate) places: &'a Places,
    /// Possible people, each as likely as the others: one set where rows are shown.
    pub(crate) people: &'a [Levels],
    /// Groups that are looked at.
    pub(crate) groups: Range<usize>,
    /// Every so many-th group of them.
    pub(crate) step: usize,
}

/// Sums over some groups.
struct Sums {
    log: f64,
    shared: Vec<f64>,
    tables: Vec<Vec<f64>>,
}

impl Likelihood<'_> {
    /// The log likelihood and its gradient. O(rows · (columns + 1) · classes + groups · m 2^m).
    pub(crate) fn at(&self, theta: &[f64]) -> (f64, Vec<f64>) {
        let scores = Scores::of(self.shape, theta);
        let chosen = self.groups.len().div_ceil(self.step);
        let pieces = PIECES * self.people.len();
        let sums = (0..pieces).into_par_iter().map(|piece| {
            let (set, piece) = (piece / PIECES, piece % PIECES);
            let groups = chosen * piece / PIECES..chosen * (piece + 1) / PIECES;
            self.piece(&scores, &self.people[set], groups)
        });
        let sums: Vec<Sums> = sums.collect();
        let mut sums = sums.into_iter();
        let mut all = sums.next().expect("there are pieces");
        for sums in sums {
            all.log += sums.log;
            add(&mut all.shared, &sums.shared);
            all.tables
                .iter_mut()
                .zip(&sums.tables)
                .for_each(|(all, own)| add(all, own));
        }
        let each = 1.0 / self.people.len() as f64;
        let mut gradient = self.shape.gradient(&all.shared, &all.tables);
        gradient.iter_mut().for_each(|own| *own *= each);
        (all.log * each, gradient)
    }

    fn piece(&self, scores: &Scores, levels: &Levels, groups: Range<usize>) -> Sums {
        let classes = self.shape.classes.len();
        let mut sums = Sums {
            log: 0.0,
            shared: vec![0.0; classes],
            tables: scores
                .tables
                .iter()
                .map(|table| vec![0.0; table.len()])
                .collect(),
        };
        let (mut space, mut gradient) = (Space::default(), Vec::new());
        for group in groups {
            let group = self.groups.start + group * self.step;
            let rows = self.evidence.rows_of(group);
            space.look(scores, levels, rows.clone());
            sums.log += space.group(self.places, rows.clone(), classes, &mut gradient);
            for (row, own) in rows.zip(gradient.chunks_exact(classes)) {
                add(&mut sums.shared, own);
                for (table, levels) in sums.tables.iter_mut().zip(levels) {
                    let start = levels[row] as usize * classes;
                    add(&mut table[start..start + classes], own);
                }
            }
        }
        sums
    }
}

#[inline]
fn add(all: &mut [f64], own: &[f64]) {
    all.iter_mut().zip(own).for_each(|(all, own)| *all += own);
}

#[cfg(test)]
mod tests;
