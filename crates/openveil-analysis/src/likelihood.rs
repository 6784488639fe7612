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
use crate::orders::{EXACT, LANES};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The number of pieces in which groups are processed. It is fixed, so that sums are equal on every
/// machine.
const PIECES: usize = 16;

/// The likelihood of a release.
pub(crate) struct Likelihood<'a> {
    evidence: &'a Evidence,
    shape: &'a ModelShape,
    /// The class of each row's value.
    row_classes: &'a [u16],
    /// The people.
    kinds: &'a Kinds,
    /// The number of rows of each kind in the groups that are used.
    members: Vec<u32>,
    /// Consecutive groups that are used, ascending.
    pieces: Vec<Mutex<Piece>>,
}

/// If a gradient by kinds has more entries than this, or than rows fill, fewer pieces hold one each.
const ENTRIES: usize = 1 << 18;

/// The fewest rows, or kinds of people, of a piece: less work is not worth a thread.
const FEWEST: usize = 512;

/// The number of parts in which a gradient by kinds is converted.
const PARTS: usize = 4;

/// Some groups, and memory that is used again by the next evaluation.
#[derive(Default)]
struct Piece {
    groups: Vec<u32>,
    /// The gradient by the chances of kinds, except for terms of single kinds; empty if it was not
    /// asked for.
    gradient: Vec<f64>,
    many: ManyGroups,
    spaces: Vec<GroupMemory>,
    /// The factors of large groups' slots: they differ little from one evaluation to the next.
    factors: Vec<f64>,
}

impl<'a> Likelihood<'a> {
    /// The likelihood of some groups, ascending. O(rows).
    pub(crate) fn new(
        evidence: &'a Evidence,
        shape: &'a ModelShape,
        row_classes: &'a [u16],
        kinds: &'a Kinds,
        groups: &[u32],
    ) -> Self {
        let mut members = vec![0u32; kinds.len()];
        for group in groups {
            let rows = evidence.rows_of(*group as usize);
            kinds.of_row[rows].iter().for_each(|&kind| members[kind as usize] += 1);
        }
        let entries = kinds.len() * shape.classes.len();
        let is_sparse = entries > ENTRIES.min(4 * kinds.of_row.len());
        let pieces = if is_sparse { PIECES / 4 } else { PIECES };
        let rows = members.iter().sum::<u32>() as usize;
        let pieces = pieces.min(rows.div_ceil(FEWEST)).max(1);
        let piece = |piece: usize| {
            let own = groups.len() * piece / pieces..groups.len() * (piece + 1) / pieces;
            Mutex::new(Piece { groups: groups[own].to_vec(), ..Piece::default() })
        };
        let pieces = (0..pieces).map(piece).collect();
        Self { evidence, shape, row_classes, kinds, members, pieces }
    }

    /// Returns the log likelihood. O(kinds · axes · classes + groups · m 2^m).
    pub(crate) fn log(&self, theta: &[f64]) -> f64 {
        let chances = self.kinds.chances(&Scores::new(self.shape, theta), &self.members);
        self.sum_groups(&chances, false) - self.of_kinds(&chances)
    }

    /// Returns the log likelihood and its gradient. O(kinds · axes · classes + groups · m 2^m).
    pub(crate) fn at(&self, theta: &[f64]) -> (f64, Vec<f64>) {
        let scores = Scores::new(self.shape, theta);
        let chances = self.kinds.chances(&scores, &self.members);
        let log = self.sum_groups(&chances, true) - self.of_kinds(&chances);
        (log, self.by_coefficients(&scores, &chances))
    }

    /// The sum of the terms of single kinds.
    fn of_kinds(&self, chances: &kinds::Chances) -> f64 {
        let kinds = self.members.iter().zip(&chances.sums).filter(|(members, _)| **members > 0);
        kinds.map(|(&members, sum)| f64::from(members) * sum.ln()).sum()
    }

    /// Sums up over all groups; returns the sum of the logarithms, except for terms of single kinds.
    fn sum_groups(&self, chances: &kinds::Chances, with_gradient: bool) -> f64 {
        let logs: Vec<f64> = self
            .pieces
            .par_iter()
            .map(|piece| {
                let piece = &mut *piece.lock().unwrap_or_else(PoisonError::into_inner);
                self.sum_piece(piece, chances, with_gradient)
            })
            .collect();
        logs.into_iter().sum()
    }

    fn sum_piece(&self, piece: &mut Piece, chances: &kinds::Chances, with_gradient: bool) -> f64 {
        let classes = self.shape.classes.len();
        let mut log = 0.0;
        piece.gradient.clear();
        if with_gradient {
            piece.gradient.resize(chances.chances.len(), 0.0);
        }
        piece.spaces.resize_with(LANES, GroupMemory::default);
        let rows_of = |group: &u32| self.evidence.rows_of(*group as usize);
        let (mut groups, mut at) = (&piece.groups[..], 0);
        while let Some(first) = groups.first() {
            // As many consecutive groups of the same size as there are.
            let m = rows_of(first).len();
            let some =
                groups.iter().take(LANES).take_while(|group| rows_of(group).len() == m).count();
            let (some, rest) = groups.split_at(some);
            groups = rest;
            let spaces = &mut piece.spaces[..some.len()];
            for (group, space) in some.iter().zip(spaces.iter_mut()) {
                let rows = rows_of(group);
                let of_kind = |kind: &u32| &chances.chances[*kind as usize * classes..][..classes];
                let members = self.kinds.of_row[rows.clone()].iter().map(of_kind);
                space.weigh(&self.row_classes[rows], members);
            }
            log += if m > EXACT {
                let factors = &mut piece.factors;
                spaces.iter_mut().map(|own| own.sum_orders_from(factors, &mut at)).sum()
            } else {
                piece.many.sum_orders(m, spaces).iter().sum::<f64>()
            };
            if !with_gradient {
                continue;
            }
            for (group, space) in some.iter().zip(spaces.iter()) {
                for (&kind, shares) in self.kinds.of_row[rows_of(group)].iter().zip(space.shares())
                {
                    let own = &mut piece.gradient[kind as usize * classes..][..classes];
                    for (&class, share) in space.slot_classes().iter().zip(shares) {
                        own[class as usize] += share;
                    }
                }
            }
        }
        log
    }

    /// The gradient by coefficients, from what the pieces' last sums say by kinds.
    fn by_coefficients(&self, scores: &Scores, chances: &kinds::Chances) -> Vec<f64> {
        let classes = self.shape.classes.len();
        let pieces: Vec<_> = self
            .pieces
            .iter()
            .map(|piece| piece.lock().unwrap_or_else(PoisonError::into_inner))
            .collect();
        let part = |kinds: Range<usize>| {
            let mut shared = vec![0.0; classes];
            let mut tables: Vec<Vec<f64>> =
                scores.tables.iter().map(|table| vec![0.0; table.len()]).collect();
            let mut own = vec![0.0; classes];
            for kind in kinds.filter(|&kind| self.members[kind] > 0) {
                let entries = kind * classes..(kind + 1) * classes;
                let scale = f64::from(self.members[kind]) / chances.sums[kind];
                let expected = &chances.chances[entries.clone()];
                own.iter_mut().zip(expected).for_each(|(own, chance)| *own = -scale * chance);
                pieces.iter().for_each(|piece| add(&mut own, &piece.gradient[entries.clone()]));
                add(&mut shared, &own);
                for (table, levels) in tables.iter_mut().zip(&self.kinds.levels) {
                    let start = levels[kind] as usize * classes;
                    add(&mut table[start..start + classes], &own);
                }
            }
            (shared, tables)
        };
        let kinds = self.kinds.len();
        let number = PARTS.min(kinds.div_ceil(FEWEST)).max(1);
        let mut parts: Vec<_> = (0..number)
            .into_par_iter()
            .map(|own| part(kinds * own / number..kinds * (own + 1) / number))
            .collect();
        let (mut shared, mut tables) = parts.swap_remove(0);
        for (own_shared, own_tables) in &parts {
            add(&mut shared, own_shared);
            tables.iter_mut().zip(own_tables).for_each(|(table, own)| add(table, own));
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
