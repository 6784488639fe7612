//! Finds the coefficients of a regression.

use super::design::Data;
use super::matrix::Matrix;
use super::{RegressionError, ValueWeights};
use rayon::prelude::*;

/// The penalty that keeps coefficients finite. It equals a normal prior with a standard deviation
/// of 10.
const RIDGE: f64 = 0.01;

/// The most steps of Newton's method.
const STEPS: usize = 40;

/// Coefficients, and their covariances as if the table were known.
pub(super) struct Solution {
    pub(super) at: Vec<f64>,
    /// Row after row; empty for the fit of a world.
    pub(super) covariance: Vec<f64>,
    factor: Matrix,
}

/// Multinomial logit by Newton's method, from a start and its matrix.
pub(super) fn logit(
    data: &Data,
    weights: &ValueWeights,
    (width, values, occurring): (usize, usize, &[u32]),
    start: Option<&Solution>,
) -> Result<Solution, RegressionError> {
    let size = width * (occurring.len() - 1);
    let mut at = start.map_or_else(|| vec![0.0; size], |start| start.at.clone());
    let mut before = f64::INFINITY;
    let mut last: Option<(Vec<f64>, Vec<f64>)> = None;
    let mut matrix = start.map(|start| start.factor.clone());
    for _ in 0..STEPS {
        let (loss, gradient, hessian) =
            logit_at(data, weights, (width, values, occurring), &at, start.is_none());
        if loss > before + 1e-9
            && let Some((from, step)) = &mut last
        {
            // The step is too long, so it is halved.
            step.iter_mut().for_each(|step| *step /= 2.0);
            at = from.iter().zip(&*step).map(|(from, step)| from - step).collect();
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
    let covariance = match start {
        Some(_) => Vec::new(),
        None => factor.inverse(),
    };
    Ok(Solution { at, covariance, factor })
}

type Looked = (f64, Vec<f64>, Option<Matrix>);

/// The negative log likelihood with its gradient and, if requested, second derivatives.
fn logit_at(
    data: &Data,
    weights: &ValueWeights,
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
        gradient.iter_mut().zip(own_gradient).for_each(|(all, own)| *all += own);
        if let (Some(all), Some(own)) = (&mut second, own_second) {
            all.entries.iter_mut().zip(own.entries).for_each(|(all, own)| *all += own);
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

/// Least squares; without covariances for the fit of a world.
pub(super) fn linear(
    data: &Data,
    weights: &ValueWeights,
    (width, values): (usize, usize),
    numbers: &[f64],
    is_world: bool,
) -> Result<Solution, RegressionError> {
    let mut matrix = Matrix::zero(width);
    let mut right = vec![0.0; width];
    let (mut squares, mut rows) = (0.0, 0.0);
    for (kind, features) in data.features.iter().enumerate() {
        let own = weights[kind * values..(kind + 1) * values]
            .iter()
            .zip(numbers)
            .filter(|(_, number)| !number.is_nan());
        let (total, sum, square) =
            own.fold((0.0, 0.0, 0.0), |(n, s, q), (w, y)| (n + w, s + w * y, q + w * y * y));
        rows += total;
        squares += square;
        for &(f, x) in features {
            right[f as usize] += x * sum;
            for &(g, y) in features {
                matrix.add(f as usize, g as usize, total * x * y);
            }
        }
    }
    // No row has this column's level, so its coefficient is 0.
    let empty: Vec<usize> = (0..width).filter(|&at| matrix.get(at, at) == 0.0).collect();
    empty.iter().for_each(|&at| matrix.add(at, at, 1.0));
    let factor = matrix.cholesky().ok_or(RegressionError::Singular)?;
    let at = factor.solve(&right);
    let explained: f64 = at.iter().zip(&right).map(|(a, r)| a * r).sum();
    let variance = ((squares - explained) / (rows - width as f64).max(1.0)).max(0.0);
    let covariance = if is_world {
        Vec::new()
    } else {
        factor.inverse().into_iter().map(|own| own * variance).collect()
    };
    Ok(Solution { at, covariance, factor })
}
