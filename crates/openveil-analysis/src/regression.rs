//! Regressions of the secret on known columns: coefficients, errors, intervals.
//!
//! The coefficients estimate those of the table, not of the release. Each row enters with its
//! chances of values, and bias is corrected by worlds. The error has two parts: the error of a
//! sample of people (as if the table were known), and the error of the release.

mod design;
mod matrix;
mod solve;

use crate::evidence::Evidence;
use crate::figure::Figure;
use crate::posterior::RowPosterior;
use crate::worlds::Analysis;
use design::{Data, Design};
use openveil_text::{Text, text};
use rayon::prelude::*;
use solve::{Solution, linear, logit};
use std::collections::BTreeSet;

/// The most coefficients of a regression, whose matrix has the square of their number of entries.
pub const MOST_COEFFICIENTS: usize = 2_000;

/// A term of a regression: a known column, or several columns whose effects are multiplied.
pub type Term = Vec<usize>;

/// The kind of response in a regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseKind {
    /// The value itself: a multinomial logit.
    Logit,
    /// The value as a number: least squares.
    Linear,
}

/// One coefficient.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// The value of the secret, for a logit.
    pub value: Option<u32>,
    /// Its columns and codes; the slope of a number has no code. Empty for the intercept.
    pub of: Vec<(usize, Option<u32>)>,
    /// The estimate.
    pub figure: Figure,
}

/// The reference levels of a regression: a code of each known column, and a value of the secret.
/// Rows must have them. Columns of numbers ignore theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct References {
    /// A code of each known column.
    pub known: Vec<u32>,
    /// A value of the secret.
    pub secret: u32,
}

/// The result of a regression.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionFit {
    /// The coefficients, value after value.
    pub coefficients: Vec<Coefficient>,
    /// Their covariances, row after row; the diagonal holds the squared standard errors.
    pub covariance: Vec<f64>,
    /// The columns of the terms that are not numbers, each with the codes that occur, beginning with
    /// the reference level.
    pub levels: Vec<(usize, Vec<u32>)>,
}

/// Why there is no regression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegressionError {
    /// More coefficients than groups.
    TooFewGroups {
        /// The requested number of coefficients.
        coefficients: usize,
        /// Groups of the release.
        groups: usize,
    },
    /// More than fit into memory.
    TooMany(usize),
    /// Columns that are collinear.
    Singular,
    /// A linear regression of a secret that is not a number.
    NoNumber,
}

impl RegressionError {
    /// The problem in words.
    pub fn in_words(&self) -> Text {
        match self {
            Self::TooFewGroups { coefficients, groups } => text!(
                "{coefficients} coefficients are more than the {groups} groups that could determine them"
            ),
            Self::TooMany(coefficients) => {
                text!("{coefficients} coefficients are more than {}", MOST_COEFFICIENTS)
            }
            Self::Singular => {
                text!("the columns cannot be told apart: some follow from others")
            }
            Self::NoNumber => text!("the secret is not a number"),
        }
    }
}

impl std::fmt::Display for RegressionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.in_words().fmt(f)
    }
}

impl std::error::Error for RegressionError {}

/// The weights of values for each kind of row, `values` weights for each kind.
type ValueWeights = Vec<f64>;

fn weights_of_beliefs(
    data: &Data,
    posterior: &RowPosterior,
    evidence: &Evidence,
    values: usize,
) -> ValueWeights {
    let mut weights = vec![0.0; data.features.len() * values];
    for group in 0..evidence.groups() {
        let own = posterior.values(group);
        for (row, chances) in evidence.rows_of(group).zip(posterior.chances(group)) {
            if let Some(kind) = data.of_row[row] {
                for (&value, &chance) in own.iter().zip(chances) {
                    weights[kind as usize * values + value as usize] +=
                        evidence.weight(group) * f64::from(chance);
                }
            }
        }
    }
    weights
}

fn weights_of_values(
    data: &Data,
    truth: &[u32],
    evidence: &Evidence,
    values: usize,
) -> ValueWeights {
    let mut weights = vec![0.0; data.features.len() * values];
    for group in 0..evidence.groups() {
        for row in evidence.rows_of(group) {
            if let Some(kind) = data.of_row[row] {
                weights[kind as usize * values + truth[row] as usize] += evidence.weight(group);
            }
        }
    }
    weights
}

impl Analysis {
    /// The values of the secret that rows have, ascending.
    pub fn values(&self) -> Vec<u32> {
        let counts = self.release.evidence.histogram(self.meaning.secret.values());
        (0..).zip(&counts).filter(|(_, count)| **count > 0.0).map(|(value, _)| value).collect()
    }

    /// The codes of a known column that rows have, ascending. O(rows · log).
    pub fn codes(&self, column: usize) -> Vec<u32> {
        self.release.people[0]
            .codes(column)
            .iter()
            .copied()
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .collect()
    }

    /// The first code of each column that rows have; one with the label `last` only if there is no
    /// other. O(rows · columns · log).
    pub fn references(&self, last: &str) -> References {
        let first = |codes: Vec<u32>, is_last: &dyn Fn(u32) -> bool| {
            codes.into_iter().min_by_key(|&code| (is_last(code), code)).unwrap_or(0)
        };
        let known =
            self.meaning.known.iter().enumerate().map(|(at, column)| {
                first(self.codes(at), &|code| column.domain().label(code) == last)
            });
        let secret = &self.meaning.secret;
        References {
            known: known.collect(),
            secret: first(self.values(), &|value| secret.label(value) == last),
        }
    }

    /// Computes a regression of the secret on terms of known columns.
    ///
    /// # Errors
    /// [`RegressionError`].
    pub fn regression(
        &self,
        kind: ResponseKind,
        terms: &[Term],
        references: &References,
    ) -> Result<RegressionFit, RegressionError> {
        let design = Design::new(self, terms, &references.known);
        let values = self.meaning.secret.values();
        let mut occurring = self.values();
        occurring.sort_by_key(|&value| (value != references.secret, value));
        let width = design.names.len();
        let coefficients = match kind {
            ResponseKind::Logit => width * (occurring.len().saturating_sub(1)),
            ResponseKind::Linear => width,
        };
        let groups = self.release.evidence.groups();
        // A group shows how often each value occurs, which are as many figures as values but one.
        let shown = match kind {
            ResponseKind::Logit => groups * occurring.len().saturating_sub(1),
            ResponseKind::Linear => groups,
        };
        if coefficients >= shown {
            return Err(RegressionError::TooFewGroups { coefficients, groups });
        }
        if coefficients > MOST_COEFFICIENTS {
            return Err(RegressionError::TooMany(coefficients));
        }
        let numbers = self.meaning.secret_numbers.as_deref();
        if kind == ResponseKind::Linear && numbers.is_none() {
            return Err(RegressionError::NoNumber);
        }
        let fit = |data: &Data, weights: &ValueWeights, start: Option<&Solution>| match kind {
            ResponseKind::Logit => logit(data, weights, (width, values, &occurring), start),
            ResponseKind::Linear => {
                let numbers = numbers.unwrap_or_default();
                linear(data, weights, (width, values), numbers, start.is_some())
            }
        };
        let evidence = &self.release.evidence;
        let data = design.data(&self.release.people[0], evidence.rows());
        let weights = weights_of_beliefs(&data, &self.release.posteriors[0], evidence, values);
        let own = fit(&data, &weights, None)?;
        let in_worlds = self.worlds.par_iter().map(|world| {
            let there = &world.estimated;
            let data = design.data(&there.people[0], there.evidence.rows());
            let weights = weights_of_beliefs(&data, &there.posteriors[0], &there.evidence, values);
            let estimated = fit(&data, &weights, Some(&own)).ok()?;
            let data = design.data(&world.people, evidence.rows());
            let weights = weights_of_values(&data, &world.values, evidence, values);
            let truth = fit(&data, &weights, Some(&own)).ok()?;
            Some((estimated.at, truth.at))
        });
        let without_some: Vec<Vec<f64>> = self
            .without_some
            .par_iter()
            .map(|part| {
                let weights = weights_of_beliefs(&data, &part.posterior, evidence, values);
                Some(fit(&data, &weights, Some(&own)).ok()?.at)
            })
            .flatten()
            .collect();
        let of_parts = |at: usize| -> Vec<f64> { without_some.iter().map(|own| own[at]).collect() };
        // A world with collinear columns is skipped.
        let in_worlds: Vec<(Vec<f64>, Vec<f64>)> = in_worlds.flatten().collect();
        let trust = self.trust(terms.iter().flatten().copied());
        let coefficients: Vec<Coefficient> = own
            .at
            .iter()
            .enumerate()
            .map(|(at, &estimate)| {
                let worlds: Vec<(f64, f64)> =
                    in_worlds.iter().map(|(e, t)| (e[at], t[at])).collect();
                let error = own.covariance[at * own.at.len() + at].sqrt();
                Coefficient {
                    value: (kind == ResponseKind::Logit).then(|| occurring[1 + at / width]),
                    of: design.names[at % width].clone(),
                    figure: Figure::new(estimate, &worlds, &of_parts(at), 0.0, error, trust),
                }
            })
            .collect();
        let mut covariance = own.covariance;
        add_jackknife(&mut covariance, &without_some);
        scale_to_errors(&mut covariance, &coefficients);
        Ok(RegressionFit { coefficients, covariance, levels: design.levels(self) })
    }
}

/// Adds the covariance of the estimates by the jackknife. O(parts · coefficients²).
fn add_jackknife(covariance: &mut [f64], parts: &[Vec<f64>]) {
    if parts.len() < 2 {
        return;
    }
    let number = parts.len() as f64;
    let size = parts[0].len();
    let mean = |at: usize| parts.iter().map(|own| own[at]).sum::<f64>() / number;
    let means: Vec<f64> = (0..size).map(mean).collect();
    let scale = (number - 1.0) / number;
    for own in parts {
        let off: Vec<f64> = own.iter().zip(&means).map(|(own, mean)| own - mean).collect();
        for (row, a) in covariance.chunks_exact_mut(size).zip(&off) {
            row.iter_mut().zip(&off).for_each(|(entry, b)| *entry += scale * a * b);
        }
    }
}

/// Scales a covariance matrix to the standard errors of figures, which include bias. Correlations
/// stay the same. O(coefficients²).
fn scale_to_errors(covariance: &mut [f64], coefficients: &[Coefficient]) {
    let size = coefficients.len();
    let factors: Vec<f64> = coefficients
        .iter()
        .enumerate()
        .map(|(at, own)| match covariance[at * size + at] {
            variance if variance > 0.0 => own.figure.error / variance.sqrt(),
            _ => 0.0,
        })
        .collect();
    for (row, a) in factors.iter().enumerate() {
        for (entry, b) in covariance[row * size..][..size].iter_mut().zip(&factors) {
            *entry *= a * b;
        }
    }
}

#[cfg(test)]
mod tests;
