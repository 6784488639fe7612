//! How well a reader guesses, and how certain the reader is.

use super::features::FeaturePeople;
use super::fit::{ScoreModel, softmax};
use super::posterior::{GroupValueCounts, PosteriorSums};
use openveil_core::table::Groups;
use rayon::prelude::*;

/// The number of slices of certainty in which beliefs are compared with the truth.
const SLICES: usize = 10;

/// The belief above which a value counts as nearly certain.
const NEARLY: f64 = 0.9;

/// The number of people that a thread processes at a time.
const AT_ONCE: usize = 1_024;

/// The success of a reader who has a belief about everybody.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Share of people whose value is the one that the reader considers most likely.
    pub accuracy: f64,
    /// Mean belief in the most likely value: equal to the accuracy if the reader is calibrated.
    pub mean: f64,
    /// The highest belief in any person's protected value.
    pub highest: f64,
    /// Share of people for whom a protected value is believed with more than the bound.
    pub above_bound: f64,
    /// Share of people for whom a value is believed with more than 0.9.
    pub nearly_certain: f64,
    /// By the reader's certainty, in tenths; only tenths with people.
    pub calibration: Vec<Slice>,
}

/// People whose values a reader believes with about equal certainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Number of people.
    pub people: u64,
    /// Mean belief in the most likely value.
    pub believed: f64,
    /// Share of people who have it.
    pub right: f64,
}

/// The people about whom there are beliefs, and the bound to compare with.
pub(super) struct BeliefBound<'a> {
    pub(super) people: &'a FeaturePeople,
    pub(super) groups: &'a Groups,
    pub(super) exempt: &'a [bool],
    pub(super) bound: f64,
}

impl BeliefBound<'_> {
    /// Returns the result of the reader who has seen no release.
    pub(super) fn before(&self, model: &ScoreModel) -> Reading {
        let every: Vec<u32> = (0..self.people.values as u32).collect();
        self.read(|group, _, tally, scores| {
            for &row in group {
                model.scores(self.people, row, scores);
                softmax(scores);
                tally.add(self, row, &every, scores);
            }
        })
    }

    /// Returns the result of the reader who is informed about each person, taken one at a time, and
    /// believes the public table's shares about everybody else. The beliefs are the group's counts,
    /// weighted by the ratio of the belief about the person to these shares.
    pub(super) fn of_one(&self, model: &ScoreModel, public: &FeaturePeople) -> Reading {
        let histogram = public.histogram();
        // A value that does not occur in the public table is rare.
        let shares: Vec<f64> = histogram.iter().map(|&count| f64::from(count).max(0.5)).collect();
        self.read(|group, desk, tally, scores| {
            desk.values(self.people, group);
            let values = &desk.values;
            for &row in group {
                model.of_group(self.people, &[row], values, scores);
                let counts = values.counts.iter().zip(&values.which);
                for (score, (&count, &value)) in scores.iter_mut().zip(counts) {
                    *score += (f64::from(count) / shares[value as usize]).ln();
                }
                softmax(scores);
                tally.add(self, row, &values.which, scores);
            }
        })
    }

    /// Returns the result of the reader who weights the orders of each group's values.
    pub(super) fn of_members(&self, model: &ScoreModel) -> Reading {
        self.read(|group, desk, tally, scores| {
            desk.values(self.people, group);
            model.of_group(self.people, group, &desk.values, scores);
            desk.sums.posterior(&desk.values, scores);
            let chances = scores.chunks(desk.values.len());
            for (&row, chances) in group.iter().zip(chances) {
                tally.add(self, row, &desk.values.which, chances);
            }
        })
    }

    /// Computes a reader's result from all groups.
    fn read(
        &self,
        look: impl Fn(&[u32], &mut ReadingMemory, &mut ReadingSums, &mut Vec<f64>) + Sync,
    ) -> Reading {
        let numbers: Vec<usize> = (0..self.groups.len()).collect();
        let pieces: Vec<ReadingSums> = numbers
            .par_chunks(AT_ONCE)
            .map(|piece| {
                let (mut desk, mut tally) = (ReadingMemory::default(), ReadingSums::default());
                let mut scores = Vec::new();
                for &number in piece {
                    look(self.groups.get(number), &mut desk, &mut tally, &mut scores);
                }
                tally
            })
            .collect();
        let mut all = ReadingSums::default();
        pieces.iter().for_each(|piece| all.join(piece));
        all.reading()
    }
}

/// The working memory of one thread.
#[derive(Default)]
struct ReadingMemory {
    sums: PosteriorSums,
    values: GroupValueCounts,
}

impl ReadingMemory {
    fn values(&mut self, people: &FeaturePeople, group: &[u32]) {
        let truths = group.iter().filter_map(|&row| people.truth(row));
        self.values.count(truths);
    }
}

/// Sums over people.
#[derive(Default)]
struct ReadingSums {
    highest: f64,
    above_bound: u64,
    nearly_certain: u64,
    /// People, beliefs and hits by how sure the reader is.
    slices: [(u64, f64, f64); SLICES],
}

impl ReadingSums {
    fn add(&mut self, of: &BeliefBound<'_>, row: u32, values: &[u32], chances: &[f64]) {
        let highest = chances.iter().copied().fold(0.0, f64::max);
        let pairs = || values.iter().zip(chances);
        let protected = pairs()
            .filter(|&(&value, _)| !of.exempt[value as usize])
            .map(|(_, &chance)| chance)
            .fold(0.0, f64::max);
        // Equal probabilities may differ in the last digits. If k values are equally likely, a
        // correct one counts as 1/k.
        let likeliest = pairs().filter(|&(_, &chance)| chance >= highest * (1.0 - 1e-9));
        let (mut ties, mut hits) = (0u32, 0u32);
        for (&value, _) in likeliest {
            ties += 1;
            hits += u32::from(of.people.truth(row) == Some(value));
        }
        self.highest = self.highest.max(protected);
        // A float above the bound only by rounding does not count as above.
        self.above_bound += u64::from(protected > of.bound * (1.0 + 1e-9));
        self.nearly_certain += u64::from(highest > NEARLY);
        let slice = ((highest * SLICES as f64) as usize).min(SLICES - 1);
        let (people, believed, right) = &mut self.slices[slice];
        *people += 1;
        *believed += highest;
        *right += f64::from(hits) / f64::from(ties);
    }

    fn join(&mut self, other: &Self) {
        self.highest = self.highest.max(other.highest);
        self.above_bound += other.above_bound;
        self.nearly_certain += other.nearly_certain;
        for (all, other) in self.slices.iter_mut().zip(&other.slices) {
            *all = (all.0 + other.0, all.1 + other.1, all.2 + other.2);
        }
    }

    fn reading(&self) -> Reading {
        let people: u64 = self.slices.iter().map(|slice| slice.0).sum();
        let share = |number: f64| number / people as f64;
        let slices = self.slices.iter().filter(|slice| slice.0 > 0);
        Reading {
            accuracy: share(self.slices.iter().map(|slice| slice.2).sum()),
            mean: share(self.slices.iter().map(|slice| slice.1).sum()),
            highest: self.highest,
            above_bound: share(self.above_bound as f64),
            nearly_certain: share(self.nearly_certain as f64),
            calibration: slices
                .map(|&(people, believed, right)| Slice {
                    people,
                    believed: believed / people as f64,
                    right: right / people as f64,
                })
                .collect(),
        }
    }
}
