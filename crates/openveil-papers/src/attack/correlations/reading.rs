//! How well a reader guesses, and how sure it is.

use super::features::FeaturePeople;
use super::fit::{ScoreModel, softmax};
use super::posterior::{GroupValueCounts, PosteriorSums};
use openveil_core::table::Groups;
use rayon::prelude::*;

/// Slices of certainty in which beliefs are compared with what is true.
const SLICES: usize = 10;

/// A belief above this counts as nearly certain.
const NEARLY: f64 = 0.9;

/// People looked at by a thread at a time.
const AT_ONCE: usize = 1_024;

/// How a reader fares who believes something of everybody.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Share of people whose value is the one that the reader thinks likeliest.
    pub accuracy: f64,
    /// Mean of how likely the reader thinks the likeliest value: as high as the accuracy if the reader
    /// is calibrated.
    pub mean: f64,
    /// The highest belief in a protected value of anybody.
    pub highest: f64,
    /// Share of people of whom a protected value is believed beyond the bound.
    pub above_bound: f64,
    /// Share of people of whom a value is believed beyond 0.9.
    pub nearly_certain: f64,
    /// By how sure the reader is, in tenths; only those with people.
    pub calibration: Vec<Slice>,
}

/// People of whom a reader is about equally sure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Number of people.
    pub people: u64,
    /// Mean belief in the likeliest value.
    pub believed: f64,
    /// Share of people who have it.
    pub right: f64,
}

/// Those of whom something is believed, and the bound that it is compared with.
pub(super) struct BeliefBound<'a> {
    pub(super) people: &'a FeaturePeople,
    pub(super) groups: &'a Groups,
    pub(super) exempt: &'a [bool],
    pub(super) bound: f64,
}

impl BeliefBound<'_> {
    /// The reader who has seen no release.
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

    /// The reader who is informed about each person as if about nobody else, of whom the
    /// public table's shares are believed: the group's counts, weighed by how much more is
    /// believed about the one.
    pub(super) fn of_one(&self, model: &ScoreModel, public: &FeaturePeople) -> Reading {
        let histogram = public.histogram();
        // A value that nobody of the public table has is rare.
        let shares: Vec<f64> = histogram
            .iter()
            .map(|&count| f64::from(count).max(0.5))
            .collect();
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

    /// The reader who weighs the orders of each group's values.
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

    /// Looks at all groups.
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

/// Memory that one thread works with.
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
        let protected = pairs().filter(|&(&value, _)| !of.exempt[value as usize]);
        let protected = protected.map(|(_, &chance)| chance).fold(0.0, f64::max);
        // The last digits of equal chances may differ; of k equal ones a k-th is a hit.
        let likeliest = pairs().filter(|&(_, &chance)| chance >= highest * (1.0 - 1e-9));
        let (mut ties, mut hits) = (0u32, 0u32);
        for (&value, _) in likeliest {
            ties += 1;
            hits += u32::from(of.people.truth(row) == Some(value));
        }
        self.highest = self.highest.max(protected);
        // A float that only rounds above the bound is not above it.
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
