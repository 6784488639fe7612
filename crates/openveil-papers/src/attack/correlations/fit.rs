//! Fits a reader's model: a score for each value, which is the sum of one score per class that a
//! person is in.

use super::features::FeaturePeople;
use super::posterior::{GroupValueCounts, PosteriorSums};
use crate::attack::Progress;
use openveil_core::table::Groups;
use rayon::prelude::*;

/// The largest number of steps of a fit.
pub const STEPS: u64 = 80;

/// The relative gain below which a fit ends.
const GAIN: f64 = 1e-6;

/// The strength with which scores are drawn to 0: that of one person in every class.
const RIDGE: f64 = 1.0;

/// The number of pieces that people are divided into: fixed, so that sums are equal on every
/// machine.
const PIECES: usize = 16;

/// The largest number of people that a model is fitted to: more would hardly change it.
const MOST_PEOPLE: usize = 200_000;

/// The largest number of steps of sums over the orders of groups' values, for one pass over all
/// groups.
const MOST_WORK: usize = 1 << 27;

/// A model P(value | person) ∝ exp(score).
#[derive(Debug, Clone)]
pub(super) struct ScoreModel {
    values: usize,
    /// By class and value; the scores that all people share come last.
    scores: Vec<f64>,
}

impl ScoreModel {
    /// Returns the model in which all values are equally likely.
    pub(super) fn none(people: &FeaturePeople) -> Self {
        Self { values: people.values, scores: vec![0.0; (people.classes + 1) * people.values] }
    }

    /// Computes a person's scores for all values.
    pub(super) fn scores(&self, people: &FeaturePeople, row: u32, scores: &mut Vec<f64>) {
        let shared = self.scores.len() - self.values;
        scores.clear();
        scores.extend_from_slice(&self.scores[shared..]);
        for class in people.classes_of(row) {
            let of_class = &self.scores[class * self.values..][..self.values];
            scores.iter_mut().zip(of_class).for_each(|(s, o)| *s += o);
        }
    }

    /// Returns a person's score for one value.
    fn score(&self, people: &FeaturePeople, row: u32, value: u32) -> f64 {
        let shared = self.scores.len() - self.values;
        let of_classes =
            people.classes_of(row).map(|class| self.scores[class * self.values + value as usize]);
        self.scores[shared + value as usize] + of_classes.sum::<f64>()
    }

    /// Computes the scores of a group's members for its values, one row per member.
    pub(super) fn of_group(
        &self,
        people: &FeaturePeople,
        group: &[u32],
        values: &GroupValueCounts,
        table: &mut Vec<f64>,
    ) {
        table.clear();
        for &row in group {
            let scores = values.which.iter();
            table.extend(scores.map(|&value| self.score(people, row, value)));
        }
    }
}

/// Turns scores into probabilities; returns the logarithm of the sum of their exponentials.
pub(super) fn softmax(scores: &mut [f64]) -> f64 {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    highest + sum.ln()
}

/// The evidence that a model is fitted to.
#[derive(Clone, Copy)]
pub(super) enum FitEvidence<'a> {
    /// Everybody's value (a logistic regression).
    Values(&'a FeaturePeople),
    /// Everybody's value and group: why the members of a group have its values in this order and no
    /// other (a conditional logit).
    Members(&'a FeaturePeople, &'a Groups),
    /// The groups and their values, but not who has which.
    Release(&'a FeaturePeople, &'a Groups),
}

/// A sum of log-likelihoods, and its derivative by each score.
struct Slope {
    log: f64,
    by_score: Vec<f64>,
}

/// The working memory of one thread.
#[derive(Default)]
struct FitMemory {
    sums: PosteriorSums,
    values: GroupValueCounts,
    table: Vec<f64>,
    scores: Vec<f64>,
}

impl<'a> FitEvidence<'a> {
    /// Returns the model of maximal likelihood with a ridge penalty, starting from another model.
    /// At most [`STEPS`] steps of O(people · (classes + values)) and the sums of
    /// [`PosteriorSums::posterior`]; uses a part of the people if they are many.
    ///
    /// Every score moves by its derivative over a bound of the curvature (Böhning 1992: half the
    /// number of people, times the number of classes that each is in), with Nesterov's momentum. If
    /// the likelihood decreases, the momentum restarts, with smaller steps if necessary: the bound
    /// is valid for the logistic regression only.
    pub(super) fn fit(self, start: ScoreModel, progress: Progress<'_>) -> ScoreModel {
        let part = self.part();
        let curvature = self.curvature(&part);
        let (values, none) = (start.values, vec![0.0; start.scores.len()]);
        let (mut settled, mut probe) = (start.clone(), start.clone());
        let mut best = (start, Slope::new(f64::NEG_INFINITY, none));
        let (mut inertia, mut carry, mut caution) = (1.0f64, 0.0, 1.0);
        let mut took = 0;
        while took < STEPS {
            let slope = self.slope(&probe, &part);
            progress(1);
            took += 1;
            let gain = slope.log - best.1.log;
            if gain < 0.0 {
                // Too far: because of the momentum, or because of the step itself.
                caution *= if carry == 0.0 { 2.0 } else { 1.0 };
                inertia = 1.0;
                settled.clone_from(&best.0);
                probe.clone_from(&best.0);
            } else {
                let is_done = gain < GAIN * slope.log.abs();
                best = (probe.clone(), slope);
                if is_done {
                    break;
                }
            }
            let next = (1.0 + (1.0 + 4.0 * inertia * inertia).sqrt()) / 2.0;
            carry = (inertia - 1.0) / next;
            inertia = next;
            for (cell, (settled, probe)) in
                settled.scores.iter_mut().zip(&mut probe.scores).enumerate()
            {
                let bound = caution * curvature[cell / values];
                let moved = *probe + best.1.by_score[cell] / bound;
                *probe = moved + carry * (moved - *settled);
                *settled = moved;
            }
        }
        progress(STEPS - took);
        best.0
    }

    fn people(self) -> &'a FeaturePeople {
        match self {
            Self::Values(people) | Self::Members(people, _) | Self::Release(people, _) => people,
        }
    }

    /// Returns the people or groups that are used: all, or every n-th.
    fn part(self) -> Vec<u32> {
        let (number, most) = match self {
            Self::Values(people) => (people.len(), MOST_PEOPLE),
            Self::Members(people, groups) | Self::Release(people, groups) => {
                let mut values = GroupValueCounts::default();
                let mut work = 0;
                for group in groups.iter() {
                    values.count(group.iter().filter_map(|&row| people.truth(row)));
                    work += values.work();
                }
                let by_people = groups.len() * MOST_PEOPLE / people.len().max(1);
                let by_work = groups.len() * MOST_WORK / work.max(1);
                (groups.len(), by_people.min(by_work).max(1))
            }
        };
        let stride = number.div_ceil(most).max(1);
        (0..number as u32).step_by(stride).collect()
    }

    /// Returns a bound of the second derivative by the scores of each class, shared ones last.
    fn curvature(self, part: &[u32]) -> Vec<f64> {
        let people = self.people();
        let mut counts = vec![0.0; people.classes + 1];
        let mut count = |row: u32| {
            let classes = people.classes_of(row);
            classes.for_each(|class| counts[class] += 1.0);
            counts[people.classes] += 1.0;
        };
        match self {
            Self::Values(_) => part.iter().for_each(|&row| count(row)),
            Self::Members(_, groups) | Self::Release(_, groups) => part
                .iter()
                .flat_map(|&group| groups.get(group as usize))
                .for_each(|&row| count(row)),
        }
        let looks = (people.width + 1) as f64;
        counts.into_iter().map(|count: f64| 0.5 * looks * count + RIDGE).collect()
    }

    /// Returns the likelihood of the evidence under a model, and its derivative.
    fn slope(self, model: &ScoreModel, part: &[u32]) -> Slope {
        let border = |piece: usize| part.len() * piece / PIECES;
        let pieces: Vec<Slope> = (0..PIECES)
            .into_par_iter()
            .map(|piece| self.slope_of(model, &part[border(piece)..border(piece + 1)]))
            .collect();
        let mut all = Slope::new(0.0, vec![0.0; model.scores.len()]);
        for piece in pieces {
            all.log += piece.log;
            all.by_score.iter_mut().zip(&piece.by_score).for_each(|(all, piece)| *all += piece);
        }
        for (slope, score) in all.by_score.iter_mut().zip(&model.scores) {
            all.log -= 0.5 * RIDGE * score * score;
            *slope -= RIDGE * score;
        }
        all
    }

    fn slope_of(self, model: &ScoreModel, part: &[u32]) -> Slope {
        let mut slope = Slope::new(0.0, vec![0.0; model.scores.len()]);
        let mut desk = FitMemory::default();
        for &item in part {
            match self {
                Self::Values(people) => slope.of_value(model, people, item, &mut desk),
                Self::Members(people, groups) => {
                    let group = groups.get(item as usize);
                    // Values that the model does not know are no evidence for it.
                    if group.iter().all(|&row| people.truth(row).is_some()) {
                        slope.of_members(model, people, group, &mut desk);
                    }
                }
                Self::Release(people, groups) => {
                    slope.of_released(model, people, groups.get(item as usize), &mut desk);
                }
            }
        }
        slope
    }
}

impl Slope {
    fn new(log: f64, by_score: Vec<f64>) -> Self {
        Self { log, by_score }
    }

    /// Adds to the derivatives of all classes of a person.
    fn add(&mut self, people: &FeaturePeople, row: u32, value: u32, by: f64) {
        let cell = |class: usize| class * people.values + value as usize;
        for class in people.classes_of(row) {
            self.by_score[cell(class)] += by;
        }
        self.by_score[cell(people.classes)] += by;
    }

    /// Adds a person's value, among all values.
    fn of_value(
        &mut self,
        model: &ScoreModel,
        people: &FeaturePeople,
        row: u32,
        desk: &mut FitMemory,
    ) {
        let Some(value) = people.truth(row) else {
            return;
        };
        model.scores(people, row, &mut desk.scores);
        self.log += desk.scores[value as usize];
        self.expect(people, row, &mut desk.scores);
        self.add(people, row, value, 1.0);
    }

    /// Subtracts the expectation without evidence; leaves the probabilities in `scores`.
    fn expect(&mut self, people: &FeaturePeople, row: u32, scores: &mut [f64]) {
        self.log -= softmax(scores);
        for (value, chance) in (0..).zip(scores.iter()) {
            self.add(people, row, value, -chance);
        }
    }

    /// Computes the sum over the orders of a group's values, and the members' chances in `desk`.
    fn order(
        &mut self,
        model: &ScoreModel,
        people: &FeaturePeople,
        group: &[u32],
        desk: &mut FitMemory,
    ) -> f64 {
        desk.values.count(group.iter().filter_map(|&row| people.truth(row)));
        model.of_group(people, group, &desk.values, &mut desk.table);
        desk.sums.posterior(&desk.values, &mut desk.table)
    }

    /// Adds which member of a group has which of its values.
    fn of_members(
        &mut self,
        model: &ScoreModel,
        people: &FeaturePeople,
        group: &[u32],
        desk: &mut FitMemory,
    ) {
        self.log -= self.order(model, people, group, desk);
        let kinds = desk.values.len();
        for (&row, chances) in group.iter().zip(desk.table.chunks(kinds)) {
            let value = people.truth(row).expect("groups are looked at whole");
            self.log += model.score(people, row, value);
            self.add(people, row, value, 1.0);
            for (&value, chance) in desk.values.which.iter().zip(chances) {
                self.add(people, row, value, -chance);
            }
        }
    }

    /// Adds which values a group has.
    fn of_released(
        &mut self,
        model: &ScoreModel,
        people: &FeaturePeople,
        group: &[u32],
        desk: &mut FitMemory,
    ) {
        self.log += self.order(model, people, group, desk);
        let kinds = desk.values.len();
        for (&row, chances) in group.iter().zip(desk.table.chunks(kinds)) {
            for (&value, chance) in desk.values.which.iter().zip(chances) {
                self.add(people, row, value, *chance);
            }
            model.scores(people, row, &mut desk.scores);
            self.expect(people, row, &mut desk.scores);
        }
    }
}
