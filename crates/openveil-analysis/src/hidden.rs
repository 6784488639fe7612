//! Which row of a group has which known code, where a release does not say.
//!
//! Rows as they stand in a file, or draws from cells, dilute whatever known columns have to do
//! with the secret. So what is hidden is drawn again and again with the chance that the fit gives
//! it: two rows exchange a code, or a row takes another code of its cell, and the change is kept by
//! the ratio of likelihoods (Metropolis). Fit and draws take turns (a stochastic version of
//! expectation and maximisation, Celeux and Diebolt 1985).

use crate::evidence::{Evidence, ShownCodes};
use crate::kinship::Kinship;
use crate::likelihood::{GroupMemory, Places, Scores};
use crate::model::ModelShape;
use crate::orders::uniform;
use crate::people::{People, drawn};
use openveil_core::coins::{Coins, SecretCoins};
use rayon::prelude::*;
use std::ops::Range;

/// Pieces of groups, each with random draws of its own.
const PIECES: usize = 16;

/// Draws what a release hides anew, `sweeps` changes a row and hidden column on average.
pub(crate) fn redraw(
    people: &mut People,
    evidence: &Evidence,
    (shape, places, scores, kinship): (&ModelShape, &Places, &Scores, &Kinship),
    sweeps: usize,
    coins: &mut dyn Coins,
) {
    let hidden: Vec<usize> = (0..people.columns())
        .filter(|&column| !matches!(evidence.known()[column], ShownCodes::Rows(_)))
        .collect();
    if hidden.is_empty() {
        return;
    }
    let groups = evidence.groups();
    let own: Vec<SecretCoins> = (0..PIECES).map(|_| SecretCoins::keyed_by(coins)).collect();
    let piece = |(piece, coins): (usize, SecretCoins)| {
        let groups = groups * piece / PIECES..groups * (piece + 1) / PIECES;
        let first = evidence_rows(evidence, &groups).start;
        let rows = evidence_rows(evidence, &groups);
        let codes: Vec<Vec<u32>> = (0..people.columns())
            .map(|column| people.codes(column)[rows.clone()].to_vec())
            .collect();
        let mut walk = HiddenWalk {
            evidence,
            shape,
            places,
            scores,
            kinship,
            coins,
            codes,
            first,
            space: GroupMemory::default(),
        };
        for group in groups {
            walk.group(group, &hidden, sweeps);
        }
        (rows, walk.codes)
    };
    let pieces: Vec<(usize, SecretCoins)> = own.into_iter().enumerate().collect();
    let done: Vec<(Range<usize>, Vec<Vec<u32>>)> = pieces.into_par_iter().map(piece).collect();
    for (rows, codes) in done {
        for &column in &hidden {
            people.code_mut(column)[rows.clone()].copy_from_slice(&codes[column]);
        }
    }
}

fn evidence_rows(evidence: &Evidence, groups: &Range<usize>) -> Range<usize> {
    if groups.is_empty() {
        0..0
    } else {
        evidence.rows_of(groups.start).start..evidence.rows_of(groups.end - 1).end
    }
}

struct HiddenWalk<'a> {
    evidence: &'a Evidence,
    shape: &'a ModelShape,
    places: &'a Places,
    scores: &'a Scores,
    kinship: &'a Kinship,
    coins: SecretCoins,
    /// Codes by column, of the piece's rows.
    codes: Vec<Vec<u32>>,
    /// The first row of the piece.
    first: usize,
    space: GroupMemory,
}

impl HiddenWalk<'_> {
    fn group(&mut self, group: usize, hidden: &[usize], sweeps: usize) {
        let rows = self.evidence.rows_of(group);
        let m = rows.len();
        for member in 0..m {
            self.see(&rows, member);
        }
        self.space
            .enter(self.places, rows.clone(), self.shape.classes.len());
        let mut log = self.space.log(self.places, rows.clone());
        for _ in 0..sweeps * m * hidden.len() {
            let column = hidden[self.coins.below(hidden.len() as u32) as usize];
            let member = self.coins.below(m as u32) as usize;
            let at = rows.start - self.first;
            let own = self.codes[column][at + member];
            let (other, code) = match &self.evidence.known()[column] {
                ShownCodes::Rows(_) => continue,
                ShownCodes::Shuffled(_) => {
                    let other = self.coins.below(m as u32) as usize;
                    (Some(other), self.codes[column][at + other])
                }
                ShownCodes::Cells { ends, ranges } => {
                    let start = if group == 0 { 0 } else { ends[group - 1] };
                    let cell = &ranges[start as usize..ends[group] as usize];
                    (None, drawn(cell, &mut self.coins))
                }
            };
            if code == own {
                continue;
            }
            let level_of = &self.shape.axes[column].level_of;
            let is_same = level_of[code as usize] == level_of[own as usize];
            // What the change does to how known columns go together.
            let mut kin = self.kin(column, at + member, code) - self.kin(column, at + member, own);
            if let Some(other) = other {
                kin += self.kin(column, at + other, own) - self.kin(column, at + other, code);
            }
            self.codes[column][at + member] = code;
            if let Some(other) = other {
                self.codes[column][at + other] = own;
            }
            if is_same {
                continue;
            }
            self.see(&rows, member);
            other.into_iter().for_each(|other| self.see(&rows, other));
            let next = self.space.log(self.places, rows.clone());
            let gain = next - log + kin;
            if gain >= 0.0 || uniform(&mut self.coins) < gain.exp() {
                log = next;
                continue;
            }
            self.codes[column][at + member] = own;
            self.see(&rows, member);
            if let Some(other) = other {
                self.codes[column][at + other] = code;
                self.see(&rows, other);
            }
        }
    }

    /// The log chance that a code adds to a row of the piece.
    fn kin(&self, column: usize, at: usize, code: u32) -> f64 {
        self.kinship
            .log(column, code, |other| self.codes[other][at])
    }

    /// Looks at a member anew.
    fn see(&mut self, rows: &Range<usize>, member: usize) {
        let at = rows.start - self.first + member;
        let levels = self.shape.axes.iter().zip(&self.codes);
        let levels = levels.map(|(axis, codes)| axis.level_of[codes[at] as usize]);
        self.space.see(self.scores, levels, member, rows.len());
    }
}

#[cfg(test)]
pub(crate) mod tests;
