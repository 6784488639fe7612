//! Estimates how many people are unique in the population, if a table is a sample of it.
//!
//! There are three models of the sizes of classes in the population, and a rule that chooses
//! between them. Sources: Zayatz (1991), *Estimation of the percent of unique population elements
//! on a microdata file using the sample*; Chen and Keller-McNulty (1998), *Estimation of
//! identification disclosure risk in microdata* (SNB: slide negative binomial); Hoshino (2001),
//! *Applying Pitman's sampling formula to microdata disclosure risk assessment*; the rule: Dankar,
//! El Emam, Neisa and Roffey (2012), *Estimating the re-identification risk of clinical data sets*.
//! Rows are assumed to be a simple random sample.

use super::gamma::digamma;
use std::collections::BTreeMap;

/// A model of the sizes of classes in a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniquesModel {
    /// Pitman's sampling formula.
    Pitman,
    /// Classes in the population have the same sizes as in the sample.
    Zayatz,
    /// Sizes minus one have a negative binomial distribution.
    Snb,
}

impl UniquesModel {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pitman => "pitman",
            Self::Zayatz => "zayatz",
            Self::Snb => "snb",
        }
    }
}

/// For samples of at most this share, the rule of Dankar et al. chooses Pitman's model.
const SMALL_SAMPLE: f64 = 0.1;

/// The share of a population that is unique in it, estimated from a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationUniques {
    /// By Pitman's model; `None` if its equations have no solution.
    pub pitman: Option<f64>,
    /// By Zayatz's model.
    pub zayatz: f64,
    /// By the slide negative binomial model; `None` if its equations have no solution.
    pub snb: Option<f64>,
    /// The estimate that the rule of Dankar et al. chooses.
    pub chosen: f64,
    /// The model of the chosen estimate.
    pub by: UniquesModel,
}

impl PopulationUniques {
    /// Estimates uniqueness from the class sizes of a sample. `population` is the number of people,
    /// and at least the number of rows. O(classes) after sorting their sizes.
    pub fn new(sizes: &[u32], population: f64) -> Self {
        let sample = ClassSizes::new(sizes, population);
        if sample.of_size(1) == 0.0 {
            return Self {
                pitman: Some(0.0),
                zayatz: 0.0,
                snb: Some(0.0),
                chosen: 0.0,
                by: UniquesModel::Zayatz,
            };
        }
        let (pitman, zayatz, snb) = (sample.pitman(), sample.zayatz(), sample.snb());
        let is_small = sample.fraction <= SMALL_SAMPLE;
        let (chosen, by) = match (pitman, snb) {
            (Some(pitman), _) if is_small => (pitman, UniquesModel::Pitman),
            (_, Some(snb)) if !is_small && snb <= zayatz => (snb, UniquesModel::Snb),
            _ => (zayatz, UniquesModel::Zayatz),
        };
        Self { pitman, zayatz, snb, chosen, by }
    }
}

/// The classes of a sample by size.
struct ClassSizes {
    /// The number of classes of each size.
    counts: BTreeMap<u32, f64>,
    classes: f64,
    rows: f64,
    population: f64,
    fraction: f64,
}

impl ClassSizes {
    fn new(sizes: &[u32], population: f64) -> Self {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for &size in sizes.iter().filter(|size| **size > 0) {
            *counts.entry(size).or_default() += 1.0;
        }
        let rows: f64 = counts.iter().map(|(&size, count)| f64::from(size) * count).sum();
        Self {
            classes: counts.values().sum(),
            counts,
            rows,
            population,
            fraction: rows / population,
        }
    }

    fn of_size(&self, size: u32) -> f64 {
        self.counts.get(&size).copied().unwrap_or(0.0)
    }

    /// The sum of a function of class size over all classes.
    fn sum(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.counts.iter().map(|(&size, count)| count * of(f64::from(size))).sum()
    }

    /// The chance that a sample unique is a population unique, times the share of sample uniques.
    fn zayatz(&self) -> f64 {
        let (all, drawn) = (self.population, self.rows);
        // Multiplies chances size after size: one person of a class is drawn and the others are not
        // (hypergeometric).
        let (mut none, mut size) = (1.0, 0.0);
        let mut alone = 0.0;
        for (&own, count) in &self.counts {
            // After this loop, `none` is the chance that nobody is drawn from a class with one
            // person fewer.
            while size < f64::from(own) - 1.0 {
                none *= ((all - drawn - size) / (all - size)).max(0.0);
                size += 1.0;
            }
            alone += count * f64::from(own) * none * drawn / (all - size);
        }
        let uniques = self.of_size(1);
        let conditional = uniques * (drawn / all) / alone;
        uniques * conditional / drawn
    }

    /// Estimates the number of classes in the population by the modified estimator of Shlosser
    /// (Haas and Stokes 1998, Sh3).
    fn classes_in_population(&self) -> f64 {
        let q = self.fraction;
        let first = self.sum(|i| i * q * q * (1.0 - q * q).powf(i - 1.0));
        let second = self.sum(|i| (1.0 - q).powf(i) * ((1.0 + q).powf(i) - 1.0));
        let third = self.sum(|i| (1.0 - q).powf(i));
        let fourth = self.sum(|i| i * q * (1.0 - q).powf(i - 1.0));
        let unseen = self.of_size(1) * (first / second) * (third / fourth).powi(2);
        self.classes + if unseen.is_finite() { unseen } else { 0.0 }
    }

    /// Solves for K classes whose sizes minus one are negative binomial with α and β, so that the
    /// classes of one and of two rows are as many as expected.
    fn snb(&self) -> Option<f64> {
        let classes = self.classes_in_population();
        let q = self.fraction;
        let off = |log_alpha: f64, logit_beta: f64| {
            let (alpha, beta) = (log_alpha.exp(), 1.0 / (1.0 + (-logit_beta).exp()));
            let left = (1.0 - q) * (1.0 - beta);
            let base = (beta / (1.0 - left)).powf(alpha);
            let one = classes * q * base * (1.0 + alpha * left / (1.0 - left));
            let two = classes * q * q / 2.0 * base * alpha * (1.0 - beta) / (1.0 - left).powi(2)
                * (2.0 - (1.0 - alpha) * left);
            [(one / self.of_size(1)).ln(), (two / self.of_size(2)).ln()]
        };
        if self.of_size(2) == 0.0 {
            return None;
        }
        let mut found = [-2.0, 0.0, 2.0, -4.0, 4.0]
            .into_iter()
            .flat_map(|a| [0.0, -3.0, 3.0, -6.0].map(|b| (a, b)))
            .filter_map(|start| root(&off, start));
        let (log_alpha, logit_beta) = found.next()?;
        let beta = 1.0 / (1.0 + (-logit_beta).exp());
        let share = classes * beta.powf(log_alpha.exp()) / self.population;
        (share.is_finite() && share <= 1.0).then_some(share)
    }

    /// The maximum-likelihood parameters of Pitman's sampling formula, as roots of the derivatives
    /// of its likelihood.
    fn pitman(&self) -> Option<f64> {
        let (classes, rows) = (self.classes, self.rows);
        if classes < 2.0 || classes >= rows {
            return None;
        }
        // Σ 1/(θ + iα) over all classes but the first.
        let by_classes = |theta: f64, alpha: f64| {
            (digamma(theta / alpha + classes) - digamma(theta / alpha + 1.0)) / alpha
        };
        // For each α, the θ at which the likelihood is level, computed in terms of ln(θ + α).
        let theta_of = |alpha: f64| {
            let level = |log: f64| {
                let theta = log.exp() - alpha;
                by_classes(theta, alpha) - (digamma(theta + rows) - digamma(theta + 1.0))
            };
            let log = falling_root(level, -30.0, 60.0)?;
            Some(log.exp() - alpha)
        };
        let level = |alpha: f64| {
            let theta = theta_of(alpha)?;
            let grown = ((classes - 1.0) - theta * by_classes(theta, alpha)) / alpha;
            let single = digamma(1.0 - alpha);
            Some(grown - self.sum(|size| digamma(size - alpha) - single))
        };
        const EDGE: f64 = 1e-6;
        if level(EDGE)? <= 0.0 || level(1.0 - EDGE)? >= 0.0 {
            return None;
        }
        let alpha = falling_root(|alpha| level(alpha).unwrap_or(f64::NAN), EDGE, 1.0 - EDGE)?;
        let theta = theta_of(alpha)?;
        let log = libm::lgamma(theta + 1.0) - libm::lgamma(theta + alpha)
            + (alpha - 1.0) * self.population.ln();
        let share = log.exp();
        (share.is_finite() && share <= 1.0).then_some(share)
    }
}

/// A root of a function that is positive at `low` and negative at `high`.
fn falling_root(function: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> Option<f64> {
    if function(low) < 0.0 || function(high) > 0.0 {
        return None;
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        let value = function(middle);
        if value.is_nan() {
            return None;
        }
        if value > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some((low + high) / 2.0)
}

/// A common root of two functions of two numbers, by Newton's method. Steps are shortened as long
/// as they do not come nearer.
fn root(off: &impl Fn(f64, f64) -> [f64; 2], start: (f64, f64)) -> Option<(f64, f64)> {
    const NEAR: f64 = 1e-10;
    const STEP: f64 = 1e-6;
    let size = |[a, b]: [f64; 2]| a * a + b * b;
    let (mut x, mut y) = start;
    for _ in 0..200 {
        let here = off(x, y);
        if size(here) < NEAR * NEAR {
            return Some((x, y));
        }
        let (right, above) = (off(x + STEP, y), off(x, y + STEP));
        let by = |moved: [f64; 2], at: usize| (moved[at] - here[at]) / STEP;
        let (a, b, c, d) = (by(right, 0), by(above, 0), by(right, 1), by(above, 1));
        let determinant = a * d - b * c;
        let step =
            ((d * here[0] - b * here[1]) / determinant, (a * here[1] - c * here[0]) / determinant);
        let mut length = 1.0;
        loop {
            let next = (x - length * step.0, y - length * step.1);
            if size(off(next.0, next.1)) < size(here) {
                (x, y) = next;
                break;
            }
            length /= 2.0;
            if length < 1e-6 || !step.0.is_finite() || !step.1.is_finite() {
                return None;
            }
        }
    }
    None
}
