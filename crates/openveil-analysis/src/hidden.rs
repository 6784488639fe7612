//! Which row of a group has which known code, where a release does not say.
//!
//! Rows as they stand in a file, or draws from cells, dilute whatever known columns have to do
//! with the secret. So what is hidden is drawn again and again with the chance that the fit gives
//! it: two rows exchange a code, or a row takes another code of its cell, and the change is kept by
//! the ratio of likelihoods (Metropolis). Fit and draws take turns (a stochastic version of
//! expectation and maximisation, Celeux and Diebolt 1985).

use crate::evidence::{Evidence, ShownCodes};
use crate::kinship::Kinship;
use crate::likelihood::{ChangingGroup, Places, Scores};
use crate::model::ModelShape;
use crate::orders::uniform;
use crate::people::{People, drawn};
use openveil_core::coins::{Coins, SecretCoins};
use rayon::prelude::*;
use std::ops::Range;

/// Pieces of groups, each with random draws of its own.
const PIECES: usize = 16;

/// Draws what a release hides anew, `sweeps` changes a row and hidden column.
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
            kinship,
            coins,
            codes,
            first,
            likelihood: ChangingGroup::new(scores, places),
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
    kinship: &'a Kinship,
    coins: SecretCoins,
    /// Codes by column, of the piece's rows.
    codes: Vec<Vec<u32>>,
    /// The first row of the piece.
    first: usize,
    likelihood: ChangingGroup<'a>,
}

impl HiddenWalk<'_> {
    fn group(&mut self, group: usize, hidden: &[usize], sweeps: usize) {
        let rows = self.evidence.rows_of(group);
        let (start, m) = (rows.start - self.first, rows.len());
        let levels = |member| levels(self.shape, &self.codes, start + member);
        self.likelihood.enter(rows, levels);
        let known = self.evidence.known();
        let is_exchanged = |&column: &usize| matches!(known[column], ShownCodes::Shuffled(_));
        let is_exchanged = hidden.iter().any(is_exchanged);
        for _ in 0..sweeps {
            for member in 0..m {
                let other = match is_exchanged {
                    true => self.coins.below(m as u32) as usize,
                    false => member,
                };
                let both = [member, other];
                let members = &both[..1 + usize::from(other != member)];
                self.likelihood.choose(members);
                let mut log = self.likelihood.log();
                for &column in hidden {
                    log = self.change(group, column, start, members, log);
                }
            }
        }
    }

    /// Changes a code of the first of some members of a group, or has it exchanged with the
    /// second, where that is likely enough. Returns the log likelihood after it, which was `log`
    /// before. The group's rows begin at `start`.
    fn change(
        &mut self,
        group: usize,
        column: usize,
        start: usize,
        members: &[usize],
        log: f64,
    ) -> f64 {
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
                let first = if group == 0 { 0 } else { ends[group - 1] };
                let cell = &ranges[first as usize..ends[group] as usize];
                (None, drawn(cell, &mut self.coins))
            }
        };
        if code == own {
            return log;
        }
        // The change makes known columns go together in another way.
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

    /// Sets codes of a column in rows of the piece.
    fn set(&mut self, column: usize, one: (usize, u32), other: Option<(usize, u32)>) {
        for (at, code) in std::iter::once(one).chain(other) {
            self.codes[column][at] = code;
        }
    }

    /// Looks at members of a group anew.
    fn see(&mut self, start: usize, members: &[usize]) {
        for &member in members {
            let levels = levels(self.shape, &self.codes, start + member);
            self.likelihood.see(levels, member);
        }
    }

    /// The log chance that a code adds to a row of the piece.
    fn kin(&self, column: usize, at: usize, code: u32) -> f64 {
        self.kinship
            .log(column, code, |other| self.codes[other][at])
    }
}

/// The levels of a row, by axis.
fn levels<'a>(
    shape: &'a ModelShape,
    codes: &'a [Vec<u32>],
    row: usize,
) -> impl Iterator<Item = u16> + 'a {
    let axes = shape.axes.iter().zip(codes);
    axes.map(move |(axis, codes)| axis.level_of[codes[row] as usize])
}

#[cfg(test)]
pub(crate) mod tests;
