//! Fits the model to a release.

use crate::curvature::Curvature;
use crate::descent::{Minimum, descend};
use crate::evidence::{Evidence, Meaning};
use crate::hidden::redraw;
use crate::kinship::Kinship;
use crate::likelihood::{Kinds, Likelihood, Scores};
use crate::model::KnownLevels;
use crate::model::ModelShape;
use crate::people::People;
use crate::posterior::{RowPosterior, completed};
use openveil_core::coins::Coins;
use openveil_core::table::{Groups, View};
use rayon::prelude::*;

/// The usual spread of coefficients. The penalty based on it shrinks rare categories towards 0.
const USUAL: f64 = 1.0;

/// The usual spread of intercepts, which the histogram nearly fixes.
const USUAL_INTERCEPT: f64 = 0.5;

/// How far a fit goes.
#[derive(Debug, Clone, Copy)]
struct Care {
    /// It ends if a further step gains less than this in log likelihood.
    tolerance: f64,
    /// If rows are hidden, the most evaluations before they are drawn by a fit.
    first: usize,
    /// If rows are hidden, the number of rounds of drawing and fitting.
    turns: usize,
}

impl Care {
    /// For figures: up to a hundredth of the effect of a coefficient's own error. More rounds do not
    /// change the result.
    const FIGURES: Self = Self { tolerance: 0.01, first: MOST, turns: 6 };
    /// For measures of the whole fit, which need less.
    const MEASURES: Self = Self { tolerance: 0.5, first: PASSES, turns: 2 };
    /// For deciding about the strength of a fit, in coarse steps.
    const TRIALS: Self = Self { tolerance: 2.0, ..Self::MEASURES };
}

/// The most evaluations of the likelihood.
const MOST: usize = 400;

/// The parts of the groups that are left out in turn, and the most evaluations without one of them.
const FOLDS: u32 = 16;
const MOST_AGAIN: usize = 60;

/// A fit is tried on this many parts of the groups, in these strengths.
const TRIED: u32 = 4;
const STRENGTHS: [f64; 8] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4];

/// A fit begins with this many groups, and continues with eight times as many.
const FIRST: usize = 4_096;

/// If rows are hidden: the draws per row and column in a round, and the passes of the fit in each
/// round.
const SWEEPS: usize = 2;
const PASSES: usize = 8;

/// A model fitted to a release.
#[derive(Debug)]
pub struct Fit {
    pub(crate) shape: ModelShape,
    pub(crate) theta: Vec<f64>,
    /// Possible people: one set if the release shows rows.
    pub(crate) people: Vec<People>,
    pub(crate) row_classes: Vec<u16>,
    /// Number of passes over the release.
    pub evaluations: usize,
    /// Whether the fit converged.
    pub converged: bool,
}

/// A fit that leaves out a part of the groups.
#[derive(Debug)]
pub(crate) struct PartFit {
    theta: Vec<f64>,
    /// Its beliefs about every row.
    pub(crate) posterior: RowPosterior,
}

impl Fit {
    /// Fits a model with the main effects of all known columns.
    pub fn new(evidence: &Evidence, meaning: &Meaning, coins: &mut dyn Coins) -> Self {
        Self::fresh(evidence, meaning, Care::FIGURES, coins)
    }

    /// Like [`Self::new`], but with less care, for measures of the whole fit.
    pub fn rough(evidence: &Evidence, meaning: &Meaning, coins: &mut dyn Coins) -> Self {
        Self::fresh(evidence, meaning, Care::MEASURES, coins)
    }

    fn fresh(evidence: &Evidence, meaning: &Meaning, care: Care, coins: &mut dyn Coins) -> Self {
        let shape = ModelShape::new(evidence, meaning);
        let start = vec![0.0; shape.width()];
        Self::from(evidence, shape, start, care, coins)
    }

    /// Fits this model to another release of the same columns.
    pub(crate) fn again(&self, evidence: &Evidence, coins: &mut dyn Coins) -> Self {
        Self::from(evidence, self.shape.clone(), self.theta.clone(), Care::FIGURES, coins)
    }

    fn from(
        evidence: &Evidence,
        shape: ModelShape,
        start: Vec<f64>,
        care: Care,
        coins: &mut dyn Coins,
    ) -> Self {
        let row_classes = shape.row_classes(evidence);
        let mut people = People::possible(evidence, coins);
        let kinds = Kinds::new(&people.levels(&shape));
        let is_fresh = start.iter().all(|own| *own == 0.0);
        let mut theta = start;
        let mut evaluations = 0;
        let mut converged;
        let mut step = if is_fresh { (evidence.groups() / FIRST).max(1) } else { 1 };
        loop {
            let groups: Vec<u32> = (0..evidence.groups() as u32).step_by(step).collect();
            let most = if evidence.hides_rows() { care.first } else { MOST };
            let found =
                maximise(evidence, &shape, &row_classes, &kinds, theta, &groups, (care, most));
            evaluations += found.evaluations.div_ceil(step);
            (theta, converged) = (found.at, found.converged);
            // Hidden rows are redrawn before all groups are used.
            if step == 1 || evidence.hides_rows() {
                break;
            }
            step = (step / 8).max(1);
        }
        if evidence.hides_rows() {
            for turn in 0..=care.turns {
                let scores = Scores::new(&shape, &theta);
                let kinship = Kinship::new(&people, shape.columns());
                redraw(
                    &mut people,
                    evidence,
                    (&shape, &row_classes, &scores, &kinship),
                    SWEEPS,
                    coins,
                );
                let kinds = Kinds::new(&people.levels(&shape));
                let most = if turn < care.turns { PASSES } else { MOST };
                let all: Vec<u32> = (0..evidence.groups() as u32).collect();
                let found =
                    maximise(evidence, &shape, &row_classes, &kinds, theta, &all, (care, most));
                evaluations += found.evaluations;
                (theta, converged) = (found.at, found.converged);
            }
        }
        let people = vec![people];
        Self { shape, theta, people, row_classes, evaluations, converged }
    }

    /// This fit as strong as it predicts groups that it was not fitted to: a fit to few groups takes
    /// chance for association.
    #[must_use]
    pub fn calibrated(mut self, evidence: &Evidence) -> Self {
        let groups = evidence.groups() as u32;
        if groups < TRIED {
            return self;
        }
        let kinds = Kinds::new(&self.people[0].levels(&self.shape));
        let (shape, row_classes) = (&self.shape, &self.row_classes);
        let strengthened =
            |theta: &[f64], by: f64| shape.strengthened(theta, &vec![by; shape.axes.len()]);
        let of = |part: u32| {
            // From nothing: coefficients of the whole fit would have seen the groups left out.
            let start = vec![0.0; shape.width()];
            let is_own = |group: u32| group % TRIED == part;
            let (own, theta) = self.without(evidence, &kinds, is_own, start, Care::TRIALS);
            let likelihood = Likelihood::new(evidence, shape, row_classes, &kinds, &own);
            STRENGTHS.map(|by| likelihood.log(&strengthened(&theta, by)))
        };
        let parts: Vec<[f64; STRENGTHS.len()]> = (0..TRIED).into_par_iter().map(of).collect();
        let sum = |at: usize| parts.iter().map(|own| own[at]).sum::<f64>();
        let best = (0..STRENGTHS.len()).max_by(|&a, &b| sum(a).total_cmp(&sum(b)));
        self.theta = strengthened(&self.theta, STRENGTHS[best.expect("there are strengths")]);
        self
    }

    /// The share of people like those of the release, but not in it, whose value a reader guesses
    /// who believes this fit. O(rows · (columns + classes)).
    pub(crate) fn hits_outside(&self, evidence: &Evidence) -> f64 {
        let scores = self.scores();
        let classes = &self.shape.classes;
        // The most frequent value of each class.
        let mut most = vec![0.0f64; classes.len()];
        for (&class, &share) in classes.of_value.iter().zip(&classes.share) {
            most[class as usize] = most[class as usize].max(share);
        }
        let levels = self.people[0].levels(&self.shape);
        let mut chances = vec![0.0; classes.len()];
        let mut of_row = |row: usize| {
            let own = levels.iter().map(|levels| levels[row]);
            let sum = scores.chances(own, &mut chances);
            chances.iter().zip(&most).map(|(chance, most)| chance * most).fold(0.0, f64::max) / sum
        };
        (0..evidence.rows()).map(&mut of_row).sum::<f64>() / evidence.rows() as f64
    }

    /// Fits that leave out each part of the groups in turn, sixteen parts (fewer if there are fewer
    /// groups). Their spread shows the error of the coefficients. A part is a run of groups: these
    /// come from the same cuts and are alike, also in what main effects miss.
    pub(crate) fn without_some(&self, evidence: &Evidence) -> Vec<PartFit> {
        let people = &self.people[0];
        let levels = people.levels(&self.shape);
        let kinds = Kinds::new(&levels);
        let groups = evidence.groups() as u64;
        let parts = u64::from(FOLDS).min(groups);
        (0..parts)
            .into_par_iter()
            .map(|part: u64| {
                let (_, theta) = self.without(
                    evidence,
                    &kinds,
                    |group: u32| u64::from(group) * parts / groups == part,
                    self.theta.clone(),
                    Care::FIGURES,
                );
                let (shape, row_classes) = (&self.shape, &self.row_classes);
                let scores = Scores::new(shape, &theta);
                PartFit {
                    posterior: RowPosterior::new(evidence, shape, row_classes, &scores, &levels),
                    theta,
                }
            })
            .collect()
    }

    /// The groups of a part, and the coefficients of a fit to all others, which begins at `start`.
    fn without(
        &self,
        evidence: &Evidence,
        kinds: &Kinds,
        of_part: impl Fn(u32) -> bool,
        start: Vec<f64>,
        care: Care,
    ) -> (Vec<u32>, Vec<f64>) {
        let groups = 0..evidence.groups() as u32;
        let (own, rest): (Vec<u32>, Vec<u32>) = groups.partition(|group| of_part(*group));
        let (shape, row_classes) = (&self.shape, &self.row_classes);
        let most = (care, MOST_AGAIN);
        let found = maximise(evidence, shape, row_classes, kinds, start, &rest, most);
        (own, found.at)
    }

    fn scores(&self) -> Scores {
        Scores::new(&self.shape, &self.theta)
    }

    /// A reader's beliefs about every row, for each set of possible people.
    pub fn posteriors(&self, evidence: &Evidence) -> Vec<RowPosterior> {
        let scores = self.scores();
        self.people
            .iter()
            .map(|people| {
                let levels = people.levels(&self.shape);
                RowPosterior::new(evidence, &self.shape, &self.row_classes, &scores, &levels)
            })
            .collect()
    }

    /// The chances of all values for people with these codes (by column, then by person), person
    /// after person. They follow from the model alone, without the groups. O(people · (columns +
    /// values)).
    pub fn chances(&self, codes: &[&[u32]], values: usize) -> Vec<f64> {
        let scores = self.scores();
        let people = codes.first().map_or(0, |codes| codes.len());
        let levels = self.shape.levels(codes.iter().copied());
        let mut chances = vec![0.0; self.shape.classes.len()];
        let mut all = Vec::with_capacity(people * values);
        for person in 0..people {
            let own = levels.iter().map(|levels| levels[person]);
            let sum = scores.chances(own, &mut chances);
            let classes = self.shape.classes.of_value.iter().zip(&self.shape.classes.share);
            all.extend(classes.map(|(&class, share)| share * chances[class as usize] / sum));
        }
        all
    }

    /// The beliefs of a reader who knows who is in which group. `groups` lists the people of each
    /// group of the release, and `codes` has their codes by column.
    fn chances_in(&self, evidence: &Evidence, groups: &Groups, codes: &[&[u32]]) -> RowPosterior {
        let all = self.shape.levels(codes.iter().copied()).into_iter();
        let of_groups =
            |levels: Vec<u16>| groups.iter().flatten().map(|&row| levels[row as usize]).collect();
        let levels: KnownLevels = all.map(of_groups).collect();
        RowPosterior::new(evidence, &self.shape, &self.row_classes, &self.scores(), &levels)
    }

    /// The share of a table's people whose value a reader guesses correctly, if the reader knows
    /// who is in which group. `groups` lists the rows of each group of the release.
    pub fn guessed(&self, evidence: &Evidence, table: &View, groups: &Groups) -> f64 {
        let codes: Vec<&[u32]> = table.known().iter().map(|column| column.codes()).collect();
        let chances = self.chances_in(evidence, groups, &codes);
        let truth = table.secret().codes();
        let mut hits = 0;
        for (group, rows) in groups.iter().enumerate() {
            let values = chances.values(group);
            for (&row, own) in rows.iter().zip(chances.chances(group)) {
                let likeliest = (0..values.len()).max_by(|&a, &b| own[a].total_cmp(&own[b]));
                hits += usize::from(likeliest.is_some_and(|at| values[at] == truth[row as usize]));
            }
        }
        hits as f64 / table.rows() as f64
    }

    /// The possible people, in the order of [`Fit::posteriors`].
    pub fn people(&self) -> &[People] {
        &self.people
    }

    /// Draws a table that the release may come from: people, and a value for each row, by these
    /// coefficients, strengthened by a factor for each axis.
    pub(crate) fn complete(
        &self,
        evidence: &Evidence,
        theta: &[f64],
        factors: &[f64],
        coins: &mut dyn Coins,
    ) -> (People, Vec<u32>) {
        let scores = Scores::new(&self.shape, &self.shape.strengthened(theta, factors));
        let people = self.people[coins.below(self.people.len() as u32) as usize].clone();
        let levels = people.levels(&self.shape);
        let values = completed(evidence, &self.shape, &self.row_classes, &scores, &levels, coins);
        (people, values)
    }

    /// The coefficients with a random error of the covariance that the jackknife finds: the sum of
    /// what each part of the groups changes, each with a random sign.
    pub(crate) fn disturbed(&self, parts: &[PartFit], coins: &mut dyn Coins) -> Vec<f64> {
        let mut theta = self.theta.clone();
        let number = parts.len() as f64;
        let scale = ((number - 1.0) / number).max(0.0).sqrt();
        let mut mean = vec![0.0; theta.len()];
        for part in parts {
            let own = mean.iter_mut().zip(&part.theta);
            own.for_each(|(mean, own)| *mean += own / number);
        }
        for part in parts {
            let sign = if coins.below(2) == 0 { scale } else { -scale };
            let own = theta.iter_mut().zip(part.theta.iter().zip(&mean));
            own.for_each(|(theta, (own, mean))| *theta += sign * (own - mean));
        }
        theta
    }
}

/// Maximises the likelihood of some groups minus the penalty on unusual coefficients.
fn maximise(
    evidence: &Evidence,
    shape: &ModelShape,
    row_classes: &[u16],
    kinds: &Kinds,
    start: Vec<f64>,
    groups: &[u32],
    (care, most): (Care, usize),
) -> Minimum {
    let likelihood = Likelihood::new(evidence, shape, row_classes, kinds, groups);
    let share = groups.len() as f64 / evidence.groups() as f64;
    let mut counts: Vec<Vec<f64>> =
        shape.axes.iter().map(|axis| vec![0.0; axis.features.len()]).collect();
    for &kind in &kinds.of_row {
        for (counts, levels) in counts.iter_mut().zip(&kinds.levels) {
            counts[levels[kind as usize] as usize] += share;
        }
    }
    let ridges = (USUAL_INTERCEPT.powi(-2), USUAL.powi(-2));
    let curvature = Curvature::new(shape, &counts, share * evidence.rows() as f64, ridges);
    let ridge = |number: usize| {
        if number < shape.classes.len() { ridges.0 } else { ridges.1 }
    };
    descend(
        start,
        |gradient| curvature.solve(gradient),
        care.tolerance,
        most,
        |theta| {
            let (log, gradient) = likelihood.at(theta);
            let mut loss = -log;
            let gradient = gradient
                .into_iter()
                .zip(theta)
                .enumerate()
                .map(|(at, (own, theta))| {
                    loss += ridge(at) * theta * theta / 2.0;
                    ridge(at) * theta - own
                })
                .collect();
            (loss, gradient)
        },
    )
}
