//! The approximate curvature of a likelihood, which scales the steps towards its maximum.

use crate::basis::ModelAxis;
use crate::descent::dot;
use crate::model::ModelShape;

/// The assumed share of the information in complete values that groups provide: half.
const KNOWN: f64 = 0.5;

/// The second derivatives of the likelihood that complete values would have, plus the penalty on
/// unusual coefficients. Terms between different axes, and between different directions, are left
/// out.
pub(crate) struct Curvature<'a> {
    shape: &'a ModelShape,
    rows: f64,
    /// By class.
    intercepts: Vec<f64>,
    axes: Vec<AxisCurvature>,
    /// By direction: the spread of the classes.
    spreads: Vec<f64>,
    /// The penalty on each coefficient of an axis is this times half of its square.
    ridge: f64,
}

/// Sums over the rows of a table: of features, of their squares, and of their products with the
/// next feature.
struct AxisCurvature {
    sums: Vec<f64>,
    squares: Vec<f64>,
    beside: Vec<f64>,
}

impl<'a> Curvature<'a> {
    /// Returns the curvature for a table with this many rows of each level, axis by axis. `ridges`
    /// are the penalties on unusual intercepts and coefficients.
    pub(crate) fn new(
        shape: &'a ModelShape,
        level_counts: &[Vec<f64>],
        rows: f64,
        ridges: (f64, f64),
    ) -> Self {
        let frequency = &shape.classes.frequency;
        let spread = |direction: &Vec<f64>| -> f64 {
            let own = direction.iter().zip(frequency);
            let (mean, square) = own.fold((0.0, 0.0), |(m, s), (d, f)| (m + d * f, s + d * d * f));
            KNOWN * (square - mean * mean).max(1e-6)
        };
        let axes = shape.axes.iter().zip(level_counts);
        Self {
            shape,
            rows,
            intercepts: frequency.iter().map(|f| KNOWN * rows * f * (1.0 - f) + ridges.0).collect(),
            axes: axes.map(|(axis, counts)| AxisCurvature::new(axis, counts)).collect(),
            spreads: shape.classes.directions.iter().map(spread).collect(),
            ridge: ridges.1,
        }
    }

    /// The approximate step from a point with this gradient to the maximum. O(classes ·
    /// coefficients of an axis).
    pub(crate) fn solve(&self, gradient: &[f64]) -> Vec<f64> {
        let classes = &self.shape.classes;
        let directions = &classes.directions;
        let of_shared = |direction: &Vec<f64>| dot(direction, gradient);
        // Features that all rows have act like intercepts, so each block's solution is corrected
        // for the other.
        let of_shared: Vec<f64> = directions.iter().map(of_shared).collect();
        let mut taken = vec![0.0; directions.len()];
        let mut solved = gradient.to_vec();
        let mut own = Vec::new();
        let mut memory = Memory::default();
        for (number, axis) in self.axes.iter().enumerate() {
            let start = self.shape.start(number, 0);
            let block = &mut solved[start..start + axis.sums.len() * directions.len()];
            for (direction, &spread) in self.spreads.iter().enumerate() {
                own.clear();
                own.extend(
                    block
                        .iter()
                        .skip(direction)
                        .step_by(directions.len())
                        .zip(&axis.sums)
                        .map(|(g, sum)| g - sum / self.rows * of_shared[direction]),
                );
                axis.solve(&mut own, spread, self.rows, self.ridge, &mut memory);
                taken[direction] += dot(&own, &axis.sums) / self.rows;
                block
                    .iter_mut()
                    .skip(direction)
                    .step_by(directions.len())
                    .zip(&own)
                    .for_each(|(place, own)| *place = *own);
            }
        }
        for (class, curvature) in self.intercepts.iter().enumerate() {
            let taken = directions.iter().zip(&taken);
            let taken: f64 = taken.map(|(direction, taken)| direction[class] * taken).sum();
            solved[class] = gradient[class] / curvature - taken;
        }
        solved
    }
}

/// Working memory.
#[derive(Default)]
struct Memory {
    sums: Vec<f64>,
    pivots: Vec<f64>,
}

impl AxisCurvature {
    fn new(axis: &ModelAxis, counts: &[f64]) -> Self {
        let zero = || vec![0.0; axis.width];
        let mut own = Self { sums: zero(), squares: zero(), beside: zero() };
        for (features, count) in axis.features.iter().zip(counts) {
            for &(feature, value) in features {
                own.sums[feature as usize] += count * value;
                own.squares[feature as usize] += count * value * value;
            }
            // A level has one feature, or two neighbouring ones.
            if let &[(one, first), (_, second)] = features.as_slice() {
                own.beside[one as usize] += count * first * second;
            }
        }
        own
    }

    /// Solves (T − w/n s sᵀ) x = right in place. T = w (squares, beside) + ridge is tridiagonal,
    /// and s holds the sums. Uses Thomas' algorithm and the Sherman–Morrison formula.
    fn solve(&self, right: &mut [f64], weight: f64, rows: f64, ridge: f64, memory: &mut Memory) {
        let Memory { sums, pivots } = memory;
        sums.clear();
        sums.extend_from_slice(&self.sums);
        pivots.clear();
        for at in 0..right.len() {
            let mut pivot = weight * self.squares[at] + ridge;
            if at > 0 {
                let ratio = weight * self.beside[at - 1] / pivots[at - 1];
                pivot -= ratio * weight * self.beside[at - 1];
                right[at] -= ratio * right[at - 1];
                sums[at] -= ratio * sums[at - 1];
            }
            pivots.push(pivot);
        }
        for at in (0..right.len()).rev() {
            if at + 1 < right.len() {
                let beside = weight * self.beside[at];
                right[at] -= beside * right[at + 1];
                sums[at] -= beside * sums[at + 1];
            }
            right[at] /= pivots[at];
            sums[at] /= pivots[at];
        }
        let scale = weight / rows;
        let scale = scale * dot(&self.sums, right) / (1.0 - scale * dot(&self.sums, sums));
        right.iter_mut().zip(&*sums).for_each(|(place, sum)| *place += scale * sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_solves_what_it_says() {
        let axis = AxisCurvature {
            sums: vec![30.0, 50.0, 20.0, 4.0],
            squares: vec![25.0, 40.0, 15.0, 4.0],
            beside: vec![5.0, 5.0, 0.0, 0.0],
        };
        let (weight, rows, ridge) = (0.2, 104.0, 1.0);
        let right = [1.0, -2.0, 0.5, 3.0];
        let mut x = right;
        axis.solve(&mut x, weight, rows, ridge, &mut Memory::default());
        for (row, right) in right.iter().enumerate() {
            let entry = |column: usize| {
                let products = match row.abs_diff(column) {
                    0 => axis.squares[row],
                    1 => axis.beside[row.min(column)],
                    _ => 0.0,
                };
                let centred = products - axis.sums[row] * axis.sums[column] / rows;
                weight * centred + if row == column { ridge } else { 0.0 }
            };
            let left: f64 = (0..4).map(|column| entry(column) * x[column]).sum();
            assert!((left - right).abs() < 1e-12, "{row}: {left} {right}");
        }
    }
}
