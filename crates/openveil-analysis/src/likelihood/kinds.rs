//! Kinds of people that the model cannot tell apart, so that they are evaluated together.

use super::scores::Scores;
use super::{FEWEST, PIECES};
use crate::model::KnownLevels;
use rayon::prelude::*;
use std::collections::HashMap;

/// The kinds of people: rows of one kind have equal levels on all axes.
pub(crate) struct Kinds {
    /// The kind of each row.
    pub(crate) of_row: Vec<u32>,
    /// The level of each kind, by axis.
    pub(crate) levels: KnownLevels,
}

/// The chances of the classes for each kind, each up to a factor, and their sums.
pub(crate) struct Chances {
    pub(crate) chances: Vec<f64>,
    pub(crate) sums: Vec<f64>,
}

impl Kinds {
    /// Finds the kinds of rows with these levels. O(rows · axes).
    pub(crate) fn new(levels: &KnownLevels) -> Self {
        let rows = levels.first().map_or(0, Vec::len);
        let mut known: HashMap<Vec<u16>, u32> = HashMap::new();
        let mut kinds: KnownLevels = vec![Vec::new(); levels.len()];
        let mut of_row = Vec::with_capacity(rows);
        let mut key: Vec<u16> = Vec::with_capacity(levels.len());
        for row in 0..rows {
            key.clear();
            key.extend(levels.iter().map(|levels| levels[row]));
            let kind = match known.get(&key) {
                Some(&kind) => kind,
                None => {
                    let kind = known.len() as u32;
                    known.insert(key.clone(), kind);
                    kinds.iter_mut().zip(&key).for_each(|(levels, &level)| levels.push(level));
                    kind
                }
            };
            of_row.push(kind);
        }
        Self { of_row, levels: kinds }
    }

    /// Number of kinds.
    pub(crate) fn len(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// The chances of all kinds that have members; 0 for the others. O(kinds · axes · classes).
    pub(crate) fn chances(&self, scores: &Scores, members: &[u32]) -> Chances {
        let classes = scores.shared.len();
        let mut found =
            Chances { chances: vec![0.0; self.len() * classes], sums: vec![0.0; self.len()] };
        let at_once = self.len().div_ceil(PIECES).max(FEWEST);
        let chances = found.chances.par_chunks_mut(at_once * classes);
        chances.zip(found.sums.par_chunks_mut(at_once)).enumerate().for_each(
            |(piece, (chances, sums))| {
                let kinds = piece * at_once..;
                let places = chances.chunks_exact_mut(classes).zip(sums);
                for (kind, (chances, sum)) in kinds.zip(places).filter(|(own, _)| members[*own] > 0)
                {
                    *sum = scores.chances(self.levels.iter().map(|levels| levels[kind]), chances);
                }
            },
        );
        found
    }
}
