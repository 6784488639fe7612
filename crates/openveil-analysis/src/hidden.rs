//! Draws which row of a group has which known code, if a release does not show it.
//!
//! Using rows in file order, or single draws from cells, would weaken the association of known
//! columns with the secret. So hidden codes are redrawn again and again with the chances that the
//! fit gives them. In each step two rows exchange a code, or a row takes another code of its cell,
//! and the change is accepted by the ratio of likelihoods (Metropolis). Fits and draws alternate (a
//! stochastic version of expectation and maximisation, Celeux and Diebolt 1985).

use crate::evidence::{Evidence, ShownCodes};
use crate::kinship::Kinship;
use crate::likelihood::{ChangingGroup, Scores};
use crate::model::ModelShape;
use crate::orders::uniform;
use crate::people::{People, drawn};
use openveil_core::coins::{Coins, SecretCoins};
use rayon::prelude::*;
use std::ops::Range;

/// Number of pieces of groups, each with its own random draws.
const PIECES: usize = 16;

/// Redraws the codes that a release hides, with `sweeps` changes for each row and hidden column.
pub(crate) fn redraw(
    people: &mut People,
    evidence: &Evidence,
    (shape, row_classes, scores, kinship): (&ModelShape, &[u16], &Scores, &Kinship),
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
            row_classes,
            kinship,
            coins,
            codes,
            first,
            likelihood: ChangingGroup::new(scores),
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
    row_classes: &'a [u16],
    kinship: &'a Kinship,
    coins: SecretCoins,
    /// The codes of the piece's rows, by column.
    codes: Vec<Vec<u32>>,
    /// The first row of the piece.
    first: usize,
    likelihood: ChangingGroup<'a>,
}

impl HiddenWalk<'_> {
    fn group(&mut self, group: usize, hidden: &[usize], sweeps: usize) {
        let rows = self.evidence.rows_of(group);
        let (start, m) = (rows.start - self.first, rows.len());
        self.likelihood.enter(&self.row_classes[rows], |member| {
            levels(self.shape, &self.codes, start + member)
        });
        let known = self.evidence.known();
        let is_exchanged = |&column: &usize| matches!(known[column], ShownCodes::Shuffled(_));
        let is_exchanged = hidden.iter().any(is_exchanged);
        for _ in 0..sweeps {
            for member in 0..m {
                let other = match is_exchanged {
                    true => self.alike(start, member),
                    false => member,
                };
                let both = [member, other];
                let members = &both[..1 + usize::from(other != member)];
                self.likelihood.choose(members);
                let mut log = self.likelihood.log();
                for &column in hidden {
                    log = self.change(column, start, members, log);
                }
            }
        }
    }

    /// Draws a member of the class of a member of the group whose rows begin at `start`.
    fn alike(&mut self, start: usize, member: usize) -> usize {
        let group = self.first + start;
        let class = self.evidence.class_of(group + member);
        let rows = &self.evidence.classes()[class];
        let drawn = self.coins.below(rows.len() as u32) as usize;
        rows.start + drawn - group
    }

    /// Proposes another code for the first of some members of a group, or an exchange of codes with
    /// the second, and keeps the change if it is accepted. `log` is the log likelihood before;
    /// returns the log likelihood after. The group's rows begin at `start`.
    fn change(&mut self, column: usize, start: usize, members: &[usize], log: f64) -> f64 {
        let at = start + members[0];
        let own = self.codes[column][at];
        let (other, code) = match &self.evidence.known()[column] {
            ShownCodes::Rows(_) => return log,
            ShownCodes::Shuffled(_) => {
                let Some(&other) = members.get(1) else {
                    return log;
                };
                (Some(start + other), self.codes[column][start + other])
            }
            ShownCodes::Cells { ends, ranges } => {
                let class = self.evidence.class_of(self.first + at);
                let first = if class == 0 { 0 } else { ends[class - 1] };
                let cell = &ranges[first as usize..ends[class] as usize];
                (None, drawn(cell, &mut self.coins))
            }
        };
        if code == own {
            return log;
        }
        // The change affects the association between known columns.
        let mut kin = self.kin(column, at, code) - self.kin(column, at, own);
        if let Some(other) = other {
            kin += self.kin(column, other, own) - self.kin(column, other, code);
        }
        self.set(column, (at, code), other.map(|other| (other, own)));
        let level_of = &self.shape.axes[column].level_of;
        if level_of[code as usize] == level_of[own as usize] {
            return log;
        }
        self.see(start, members);
        let next = self.likelihood.log();
        let gain = next - log + kin;
        if gain >= 0.0 || uniform(&mut self.coins) < gain.exp() {
            return next;
        }
        self.set(column, (at, own), other.map(|other| (other, code)));
        self.see(start, members);
        log
    }

    /// Sets the codes of a column in rows of the piece.
    fn set(&mut self, column: usize, one: (usize, u32), other: Option<(usize, u32)>) {
        for (at, code) in std::iter::once(one).chain(other) {
            self.codes[column][at] = code;
        }
    }

    /// Recomputes members of a group.
    fn see(&mut self, start: usize, members: &[usize]) {
        for &member in members {
            let levels = levels(self.shape, &self.codes, start + member);
            self.likelihood.see(levels, member);
        }
    }

    /// The logarithm of the factor by which a code changes the chance of a row of the piece.
    fn kin(&self, column: usize, at: usize, code: u32) -> f64 {
        self.kinship.log(column, code, |other| self.codes[other][at])
    }
}

/// The levels of a row, by axis.
fn levels<'a>(
    shape: &'a ModelShape,
    codes: &'a [Vec<u32>],
    row: usize,
) -> impl Iterator<Item = u16> + 'a {
    let level = move |column: usize| shape.axes[column].level_of[codes[column][row] as usize];
    let pairs = shape
        .pairs
        .iter()
        .map(move |&pair| shape.level_of_pair(pair, level(pair.0), level(pair.1)));
    (0..codes.len()).map(level).chain(pairs)
}

#[cfg(test)]
pub(crate) mod tests;
