//! Regressions of the secret on known columns: coefficients, errors, intervals.
//!
//! The coefficients are those of the table, not of the release: each row enters with its chances
//! of values, bias is taken off by worlds, and the error has two parts, that of a sample of people
//! (as if the table were known) and that of the release.

use crate::evidence::Evidence;
use crate::figure::Figure;
use crate::people::People;
use crate::posterior::Posterior;
use crate::worlds::Analysis;
use rayon::prelude::*;
use std::collections::HashMap;

/// Coefficients that a regression may have at most: its matrix has their square.
pub const MOST_COEFFICIENTS: usize = 2_000;

/// How strongly coefficients are drawn to 0, so that none is infinite: as a normal prior with a
/// standard deviation of 10.
const RIDGE: f64 = 0.01;

/// Steps of Newton's method at most.
const STEPS: usize = 40;

/// A term of a regression: a known column, or several whose effects are multiplied.
pub type Term = Vec<usize>;

/// What a regression explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Which value: a multinomial logit beside the first value.
    Logit,
    /// How large a number: least squares.
    Linear,
}

/// One coefficient.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// The value of the secret, in a logit.
    pub value: Option<u32>,
    /// The columns and codes that it is of: a number's slope has no code. None is the intercept.
    pub of: Vec<(usize, Option<u32>)>,
    /// What is estimated.
    pub figure: Figure,
}

/// Why there is no regression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegressionError {
    /// More coefficients than groups.
    #[error("{coefficients} coefficients are more than the {groups} groups that could tell them")]
    TooFewGroups {
        /// What was asked for.
        coefficients: usize,
        /// Groups of the release.
        groups: usize,
    },
    /// More than fit into memory.
    #[error("{0} coefficients are more than {MOST_COEFFICIENTS}")]
    TooMany(usize),
    /// Columns that say the same.
    #[error("the columns cannot be told apart: some follow from others")]
    Singular,
    /// A mean of texts.
    #[error("the secret is no number")]
    NoNumber,
}

/// Rows that are alike, as features, with weights of values.
struct Data {
    /// Features of each kind of row.
    features: Vec<Vec<(u32, f64)>>,
    /// The kind of each row; none where a number is missing.
    of_row: Vec<Option<u32>>,
}

/// The columns of a regression's matrix.
struct Design {
    /// What each column of the matrix is of.
    names: Vec<Vec<(usize, Option<u32>)>>,
    /// Per term, its columns: by codes.
    terms: Vec<(Term, HashMap<Vec<u32>, u32>)>,
    numbers: Vec<Option<Vec<f64>>>,
    /// Per known column, its first code that occurs: nominal columns are measured beside it.
    first: Vec<u32>,
}

impl Design {
    fn of(analysis: &Analysis, terms: &[Term]) -> Self {
        let people = &analysis.release.people[0];
        let numbers = analysis.meaning.numbers.clone();
        let first = (0..people.columns())
            .map(|column| people.codes(column).iter().copied().min().unwrap_or(0));
        let mut design = Self {
            names: vec![Vec::new()],
            terms: Vec::new(),
            numbers,
            first: first.collect(),
        };
        for term in terms {
            let mut keys: Vec<Vec<u32>> = Vec::new();
            let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
            for row in 0..analysis.release.evidence.rows() {
                if let Some(key) = design.key(people, term, row)
                    && known.insert(key.clone(), 0).is_none()
                {
                    keys.push(key);
                }
            }
            keys.sort_unstable();
            for key in &keys {
                known.insert(key.clone(), design.names.len() as u32);
                let name = term.iter().zip(key).map(|(&column, &code)| {
                    (column, design.numbers[column].is_none().then_some(code))
                });
                let name = name.collect();
                design.names.push(name);
            }
            design.terms.push((term.clone(), known));
        }
        design
    }

    /// The codes by which a row falls into a column of a term: numbers have one. None for the
    /// first codes, which others are measured beside.
    fn key(&self, people: &People, term: &Term, row: usize) -> Option<Vec<u32>> {
        let codes = term.iter().map(|&column| match self.numbers[column] {
            Some(_) => Some(0),
            None => {
                let code = people.codes(column)[row];
                (code != self.first[column]).then_some(code)
            }
        });
        codes.collect()
    }

    fn data(&self, people: &People, rows: usize) -> Data {
        let mut kinds: HashMap<Vec<u32>, Option<u32>> = HashMap::new();
        let mut data = Data {
            features: Vec::new(),
            of_row: Vec::with_capacity(rows),
        };
        let mut columns: Vec<usize> = self
            .terms
            .iter()
            .flat_map(|(term, _)| term.iter().copied())
            .collect();
        columns.sort_unstable();
        columns.dedup();
        for row in 0..rows {
            let codes: Vec<u32> = columns
                .iter()
                .map(|&column| people.codes(column)[row])
                .collect();
            let kind = match kinds.get(&codes) {
                Some(&kind) => kind,
                None => {
                    let kind = self.features(people, row).map(|features| {
                        data.features.push(features);
                        data.features.len() as u32 - 1
                    });
                    kinds.insert(codes, kind);
                    kind
                }
            };
            data.of_row.push(kind);
        }
        data
    }

    fn features(&self, people: &People, row: usize) -> Option<Vec<(u32, f64)>> {
        let mut features = vec![(0, 1.0)];
        for (term, known) in &self.terms {
            let numbers = term.iter().filter_map(|&column| {
                let numbers = self.numbers[column].as_ref()?;
                Some(numbers[people.codes(column)[row] as usize])
            });
            let value: f64 = numbers.product();
            if value.is_nan() {
                return None;
            }
            if let Some(&column) = self.key(people, term, row).and_then(|key| known.get(&key)) {
                features.push((column, value));
            }
        }
        Some(features)
    }
}

/// Weights of values by kind of row, `values` of them each.
type Weights = Vec<f64>;

fn weights_of_beliefs(
    data: &Data,
    posterior: &Posterior,
    evidence: &Evidence,
    values: usize,
) -> Weights {
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

fn weights_of_values(data: &Data, truth: &[u32], evidence: &Evidence, values: usize) -> Weights {
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
    /// A regression of the secret on terms of known columns.
    ///
    /// # Errors
    /// [`RegressionError`].
    pub fn regression(
        &self,
        kind: Kind,
        terms: &[Term],
    ) -> Result<Vec<Coefficient>, RegressionError> {
        let design = Design::of(self, terms);
        let values = self.meaning.secret.values();
        let occurring: Vec<u32> = {
            let counts = self.release.evidence.histogram(values);
            (0..values as u32)
                .filter(|&value| counts[value as usize] > 0.0)
                .collect()
        };
        let width = design.names.len();
        let coefficients = match kind {
            Kind::Logit => width * (occurring.len().saturating_sub(1)),
            Kind::Linear => width,
        };
        let groups = self.release.evidence.groups();
        if coefficients >= groups {
            return Err(RegressionError::TooFewGroups {
                coefficients,
                groups,
            });
        }
        if coefficients > MOST_COEFFICIENTS {
            return Err(RegressionError::TooMany(coefficients));
        }
        let numbers = self.meaning.secret_numbers.as_deref();
        if kind == Kind::Linear && numbers.is_none() {
            return Err(RegressionError::NoNumber);
        }
        let fit = |data: &Data, weights: &Weights, start: Option<&Solution>| match kind {
            Kind::Logit => logit(data, weights, (width, values, &occurring), start),
            Kind::Linear => linear(data, weights, (width, values), numbers.unwrap_or_default()),
        };
        let evidence = &self.release.evidence;
        let data = design.data(&self.release.people[0], evidence.rows());
        let weights = weights_of_beliefs(&data, &self.release.posteriors[0], evidence, values);
        let own = fit(&data, &weights, None)?;
        let in_worlds = self.worlds.par_iter().map(|world| {
            let there = &world.estimated;
            let data = design.data(&there.people[0], there.evidence.rows());
            let weights = weights_of_beliefs(&data, &there.posteriors[0], &there.evidence, values);
            let estimated = fit(&data, &weights, Some(&own))?;
            let data = design.data(&world.people, evidence.rows());
            let weights = weights_of_values(&data, &world.values, evidence, values);
            let truth = fit(&data, &weights, Some(&own))?;
            Ok((estimated.at, truth.at))
        });
        let in_worlds: Vec<(Vec<f64>, Vec<f64>)> =
            in_worlds.collect::<Result<_, RegressionError>>()?;
        let coefficient = |(at, &estimate): (usize, &f64)| {
            let worlds: Vec<(f64, f64)> = in_worlds.iter().map(|(e, t)| (e[at], t[at])).collect();
            Coefficient {
                value: (kind == Kind::Logit).then(|| occurring[1 + at / width]),
                of: design.names[at % width].clone(),
                figure: Figure::of(estimate, &worlds, 0.0, own.errors[at]),
            }
        };
        Ok(own.at.iter().enumerate().map(coefficient).collect())
    }
}

/// Coefficients, and their errors if the table were known.
struct Solution {
    at: Vec<f64>,
    errors: Vec<f64>,
    factor: Matrix,
}

/// Multinomial logit by Newton's method; from a start, with its matrix.
fn logit(
    data: &Data,
    weights: &Weights,
    (width, values, occurring): (usize, usize, &[u32]),
    start: Option<&Solution>,
) -> Result<Solution, RegressionError> {
    let size = width * (occurring.len() - 1);
    let mut at = start.map_or_else(|| vec![0.0; size], |start| start.at.clone());
    let mut before = f64::INFINITY;
    let mut last: Option<(Vec<f64>, Vec<f64>)> = None;
    let mut matrix = start.map(|start| start.factor.clone());
    for _ in 0..STEPS {
        let (loss, gradient, hessian) = logit_at(
            data,
            weights,
            (width, values, occurring),
            &at,
            start.is_none(),
        );
        if loss > before + 1e-9
            && let Some((from, step)) = &mut last
        {
            // Too far: half of the step.
            step.iter_mut().for_each(|step| *step /= 2.0);
            at = from
                .iter()
                .zip(&*step)
                .map(|(from, step)| from - step)
                .collect();
            if step.iter().all(|step| step.abs() < 1e-9) {
                break;
            }
            continue;
        }
        before = loss;
        if let Some(hessian) = hessian {
            matrix = Some(hessian.cholesky().ok_or(RegressionError::Singular)?);
        }
        let factor = matrix.as_ref().ok_or(RegressionError::Singular)?;
        let step = factor.solve(&gradient);
        let gain: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        let next = at.iter().zip(&step).map(|(at, step)| at - step).collect();
        last = Some((at, step));
        at = next;
        if gain < 1e-6 {
            break;
        }
    }
    let factor = matrix.ok_or(RegressionError::Singular)?;
    let errors = match start {
        Some(_) => Vec::new(),
        None => factor
            .inverse_diagonal()
            .into_iter()
            .map(f64::sqrt)
            .collect(),
    };
    Ok(Solution { at, errors, factor })
}

type Looked = (f64, Vec<f64>, Option<Matrix>);

/// Negative log likelihood with its gradient and, if asked for, second derivatives.
fn logit_at(
    data: &Data,
    weights: &Weights,
    (width, values, occurring): (usize, usize, &[u32]),
    at: &[f64],
    with_second: bool,
) -> Looked {
    let others = occurring.len() - 1;
    let size = width * others;
    const PIECES: usize = 8;
    let kinds = data.features.len();
    let piece = |piece: usize| {
        let mut loss = 0.0;
        let mut gradient = vec![0.0; size];
        let mut second = with_second.then(|| Matrix::zero(size));
        let mut chances = vec![0.0; others + 1];
        for kind in kinds * piece / PIECES..kinds * (piece + 1) / PIECES {
            let features = &data.features[kind];
            let own = &weights[kind * values..(kind + 1) * values];
            let total: f64 = own.iter().sum();
            chances[0] = 0.0;
            for other in 0..others {
                let scores = &at[other * width..(other + 1) * width];
                chances[other + 1] = features.iter().map(|&(f, x)| scores[f as usize] * x).sum();
            }
            let highest = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = chances.iter().map(|score| (score - highest).exp()).sum();
            for (score, &value) in chances.iter_mut().zip(occurring) {
                loss -= own[value as usize] * (*score - highest - sum.ln());
                *score = (*score - highest).exp() / sum;
            }
            for other in 0..others {
                let residual = total * chances[other + 1] - own[occurring[other + 1] as usize];
                for &(feature, x) in features {
                    gradient[other * width + feature as usize] += residual * x;
                }
            }
            let Some(second) = &mut second else { continue };
            for a in 0..others {
                for b in 0..=a {
                    let same = if a == b { chances[a + 1] } else { 0.0 };
                    let scale = total * (same - chances[a + 1] * chances[b + 1]);
                    for &(f, x) in features {
                        for &(g, y) in features {
                            second.add(
                                a * width + f as usize,
                                b * width + g as usize,
                                scale * x * y,
                            );
                        }
                    }
                }
            }
        }
        (loss, gradient, second)
    };
    let pieces: Vec<Looked> = (0..PIECES).into_par_iter().map(piece).collect();
    let mut pieces = pieces.into_iter();
    let (mut loss, mut gradient, mut second) = pieces.next().expect("there are pieces");
    for (own, own_gradient, own_second) in pieces {
        loss += own;
        gradient
            .iter_mut()
            .zip(own_gradient)
            .for_each(|(all, own)| *all += own);
        if let (Some(all), Some(own)) = (&mut second, own_second) {
            all.entries
                .iter_mut()
                .zip(own.entries)
                .for_each(|(all, own)| *all += own);
        }
    }
    for (number, coefficient) in at.iter().enumerate() {
        loss += RIDGE * coefficient * coefficient / 2.0;
        gradient[number] += RIDGE * coefficient;
        if let Some(second) = &mut second {
            second.add(number, number, RIDGE);
        }
    }
    (loss, gradient, second)
}

/// Least squares.
fn linear(
    data: &Data,
    weights: &Weights,
    (width, values): (usize, usize),
    numbers: &[f64],
) -> Result<Solution, RegressionError> {
    let mut matrix = Matrix::zero(width);
    let mut right = vec![0.0; width];
    let (mut squares, mut rows) = (0.0, 0.0);
    for (kind, features) in data.features.iter().enumerate() {
        let own = weights[kind * values..(kind + 1) * values]
            .iter()
            .zip(numbers);
        let own = own.filter(|(_, number)| !number.is_nan());
        let (total, sum, square) = own.fold((0.0, 0.0, 0.0), |(n, s, q), (w, y)| {
            (n + w, s + w * y, q + w * y * y)
        });
        rows += total;
        squares += square;
        for &(f, x) in features {
            right[f as usize] += x * sum;
            for &(g, y) in features {
                matrix.add(f as usize, g as usize, total * x * y);
            }
        }
    }
    let scale = (0..width).map(|at| matrix.get(at, at)).fold(0.0, f64::max);
    (0..width).for_each(|at| matrix.add(at, at, 1e-10 * scale));
    let factor = matrix.cholesky().ok_or(RegressionError::Singular)?;
    let at = factor.solve(&right);
    let explained: f64 = at.iter().zip(&right).map(|(a, r)| a * r).sum();
    let variance = ((squares - explained) / (rows - width as f64).max(1.0)).max(0.0);
    let errors = factor
        .inverse_diagonal()
        .into_iter()
        .map(|own| (own * variance).sqrt())
        .collect();
    Ok(Solution { at, errors, factor })
}

/// A symmetric matrix, or its Cholesky factor: the lower triangle, row after row.
#[derive(Debug, Clone)]
struct Matrix {
    size: usize,
    entries: Vec<f64>,
}

impl Matrix {
    fn zero(size: usize) -> Self {
        Self {
            size,
            entries: vec![0.0; size * (size + 1) / 2],
        }
    }

    fn place(row: usize, column: usize) -> usize {
        row * (row + 1) / 2 + column
    }

    fn get(&self, row: usize, column: usize) -> f64 {
        self.entries[Self::place(row, column)]
    }

    /// Adds to an entry; above the diagonal nothing is kept.
    fn add(&mut self, row: usize, column: usize, by: f64) {
        if column <= row {
            self.entries[Self::place(row, column)] += by;
        }
    }

    /// The factor L of L Lᵀ; none if the matrix is not positive. O(size³).
    fn cholesky(&self) -> Option<Self> {
        let mut factor = self.clone();
        for row in 0..self.size {
            let (above, own) = factor.entries.split_at_mut(Self::place(row, 0));
            for column in 0..row {
                let other = &above[Self::place(column, 0)..=Self::place(column, column)];
                let sum: f64 = own[..column].iter().zip(other).map(|(a, b)| a * b).sum();
                own[column] = (own[column] - sum) / other[column];
            }
            let rest = own[row] - own[..row].iter().map(|own| own * own).sum::<f64>();
            if rest <= 1e-12 * own[row].abs() || !rest.is_finite() {
                return None;
            }
            own[row] = rest.sqrt();
        }
        Some(factor)
    }

    /// Solves L Lᵀ x = right.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for row in 0..self.size {
            let own = &self.entries[Self::place(row, 0)..=Self::place(row, row)];
            let sum: f64 = own[..row].iter().zip(&x).map(|(a, b)| a * b).sum();
            x[row] = (x[row] - sum) / own[row];
        }
        for row in (0..self.size).rev() {
            let own = &self.entries[Self::place(row, 0)..=Self::place(row, row)];
            x[row] /= own[row];
            let scale = x[row];
            x[..row]
                .iter_mut()
                .zip(own)
                .for_each(|(x, own)| *x -= scale * own);
        }
        x
    }

    /// The diagonal of the inverse of L Lᵀ. O(size³).
    fn inverse_diagonal(&self) -> Vec<f64> {
        let diagonal = (0..self.size).into_par_iter().map(|at| {
            // The column of the inverse of L that starts there: its squares.
            let mut x = vec![0.0; self.size];
            x[at] = 1.0;
            for row in at..self.size {
                let own = &self.entries[Self::place(row, 0)..=Self::place(row, row)];
                let sum: f64 = own[at..row].iter().zip(&x[at..]).map(|(a, b)| a * b).sum();
                x[row] = (x[row] - sum) / own[row];
            }
            x.iter().map(|x| x * x).sum()
        });
        diagonal.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_solves_and_inverts() {
        let mut matrix = Matrix::zero(3);
        let full = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
        for (i, row) in full.iter().enumerate() {
            row.iter()
                .enumerate()
                .for_each(|(j, x)| matrix.add(i, j, *x));
        }
        let factor = matrix.cholesky().unwrap();
        let x = factor.solve(&[1.0, 2.0, 3.0]);
        for (row, right) in full.iter().zip([1.0, 2.0, 3.0]) {
            let left: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
            assert!((left - right).abs() < 1e-12);
        }
        for (at, own) in factor.inverse_diagonal().into_iter().enumerate() {
            let mut unit = [0.0; 3];
            unit[at] = 1.0;
            assert!((factor.solve(&unit)[at] - own).abs() < 1e-12);
        }
        matrix.add(2, 2, -10.0);
        assert!(matrix.cholesky().is_none());
    }
}
