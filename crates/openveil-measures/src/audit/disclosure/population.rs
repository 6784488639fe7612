//! How many people are unique in the population of which a table is a sample.
//!
//! Three models of how large classes are in the population, and a rule which to believe. Sources:
//! Zayatz (1991), *Estimation of the percent of unique population elements on a microdata file using
//! the sample*; Chen and Keller-McNulty (1998), *Estimation of identification disclosure risk in
//! microdata* (SNB: slide negative binomial); Hoshino (2001), *Applying Pitman's sampling formula to
//! microdata disclosure risk assessment*; the rule: Dankar, El Emam, Neisa and Roffey (2012),
//! *Estimating the re-identification risk of clinical data sets*. Rows are taken for a simple random
//! sample.

use super::gamma::digamma;
use std::collections::BTreeMap;

/// A model of the sizes of classes in a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniquesModel {
    /// Pitman's sampling formula.
    Pitman,
    /// Classes in the population have the sizes of those in the sample.
    Zayatz,
    /// Sizes less one have a negative binomial distribution.
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

/// Samples of at most this share are left to Pitman's model, by the rule of Dankar et al.
const SMALL_SAMPLE: f64 = 0.1;

/// The share of a population that is unique in it, estimated from a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationUniques {
    /// By Pitman's model; none where its equations have no solution.
    pub pitman: Option<f64>,
    /// By Zayatz's model.
    pub zayatz: f64,
    /// By the slide negative binomial model; none where its equations have no solution.
    pub snb: Option<f64>,
    /// The estimate that the rule of Dankar et al. chooses.
    pub chosen: f64,
    /// The model that it is of.
    pub by: UniquesModel,
}

impl PopulationUniques {
    /// Estimates from the classes of a sample, out of `population` people, at least as many as rows.
    /// O(classes) after sorting their sizes.
    pub fn of(sizes: &[u32], population: f64) -> Self {
        let sample = ClassSizes::of(sizes, population);
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
        Self {
            pitman,
            zayatz,
            snb,
            chosen,
            by,
        }
    }
}

/// The classes of a sample by size.
struct ClassSizes {
    /// How many classes have each size.
    counts: BTreeMap<u32, f64>,
    classes: f64,
    rows: f64,
    population: f64,
    fraction: f64,
}

impl ClassSizes {
    fn of(sizes: &[u32], population: f64) -> Self {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for &size in sizes.iter().filter(|size| **size > 0) {
            *counts.entry(size).or_default() += 1.0;
        }
        let rows: f64 = counts
            .iter()
            .map(|(&size, count)| f64::from(size) * count)
            .sum();
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

    /// A sum over all classes of a function of their size.
    fn sum(&self, of: impl Fn(f64) -> f64) -> f64 {
        let classes = self.counts.iter();
        classes
            .map(|(&size, count)| count * of(f64::from(size)))
            .sum()
    }

    /// The chance that a sample unique is a population unique, times the share of sample uniques.
    fn zayatz(&self) -> f64 {
        let (all, drawn) = (self.population, self.rows);
        // One of a class is drawn and the others are not (hypergeometric), size after size.
        let (mut none, mut size) = (1.0, 0.0);
        let mut alone = 0.0;
        for (&own, count) in &self.counts {
            // After this, `none` is the chance that none is drawn of one person fewer.
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

    /// The number of classes in the population by the modified estimator of Shlosser (Haas and Stokes
    /// 1998, Sh3).
    fn classes_in_population(&self) -> f64 {
        let q = self.fraction;
        let first = self.sum(|i| i * q * q * (1.0 - q * q).powf(i - 1.0));
        let second = self.sum(|i| (1.0 - q).powf(i) * ((1.0 + q).powf(i) - 1.0));
        let third = self.sum(|i| (1.0 - q).powf(i));
        let fourth = self.sum(|i| i * q * (1.0 - q).powf(i - 1.0));
        let unseen = self.of_size(1) * (first / second) * (third / fourth).powi(2);
        self.classes + if unseen.is_finite() { unseen } else { 0.0 }
    }

    /// The classes of one and of two rows are as many as expected, of K classes whose sizes less one
    /// are negative binomial with α and β.
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
        let starts = [-2.0, 0.0, 2.0, -4.0, 4.0].into_iter();
        let starts = starts.flat_map(|a| [0.0, -3.0, 3.0, -6.0].map(|b| (a, b)));
        let mut found = starts.filter_map(|start| root(&off, start));
        let (log_alpha, logit_beta) = found.next()?;
        let beta = 1.0 / (1.0 + (-logit_beta).exp());
        let share = classes * beta.powf(log_alpha.exp()) / self.population;
        (share.is_finite() && share <= 1.0).then_some(share)
    }

    /// The likeliest parameters of Pitman's sampling formula, by the roots of the derivatives of its
    /// likelihood.
    fn pitman(&self) -> Option<f64> {
        let (classes, rows) = (self.classes, self.rows);
        if classes < 2.0 || classes >= rows {
            return None;
        }
        // Σ 1/(θ + iα) over classes but the first.
        let by_classes = |theta: f64, alpha: f64| {
            (digamma(theta / alpha + classes) - digamma(theta / alpha + 1.0)) / alpha
        };
        // For each α the θ at which the likelihood is level; in terms of ln(θ + α).
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

/// Where a function that is positive at `low` and negative at `high` is 0.
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

/// Where two functions of two numbers are 0, by Newton's method with shorter steps where they
/// do not come nearer.
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
        let step = (
            (d * here[0] - b * here[1]) / determinant,
            (a * here[1] - c * here[0]) / determinant,
        );
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
