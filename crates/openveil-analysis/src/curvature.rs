//! The approximate curvature of a likelihood, which scales the steps towards its maximum.

use crate::basis::{Direction, ModelAxis};
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
}

/// Sums over the rows of a table: of features, of their squares, and of their products with the
/// next feature.
struct FeatureSums {
    sums: Vec<f64>,
    squares: Vec<f64>,
    beside: Vec<f64>,
}

/// The curvature of an axis, ready to be solved: by feature, and for each feature by direction.
struct AxisCurvature {
    directions: usize,
    /// By feature only.
    sums: Vec<f64>,
    /// The share of the feature before that is subtracted.
    before: Vec<f64>,
    /// The share of the feature behind that is subtracted.
    behind: Vec<f64>,
    /// Inverted pivots.
    pivots: Vec<f64>,
    /// The amount that is added for each unit of the product with the sums.
    corrections: Vec<f64>,
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
        let spread = |direction: &Direction| -> f64 {
            let own = direction.amounts().map(|(class, d)| (d, frequency[class]));
            let (mean, square) = own.fold((0.0, 0.0), |(m, s), (d, f)| (m + d * f, s + d * d * f));
            KNOWN * (square - mean * mean).max(1e-6)
        };
        let spreads: Vec<f64> = shape.classes.directions.iter().map(spread).collect();
        let axes = shape.axes.iter().zip(level_counts);
        Self {
            shape,
            rows,
            intercepts: frequency.iter().map(|f| KNOWN * rows * f * (1.0 - f) + ridges.0).collect(),
            axes: axes
                .map(|(axis, counts)| {
                    FeatureSums::new(axis, counts).solved(&spreads, rows, ridges.1)
                })
                .collect(),
        }
    }

    /// The approximate step from a point with this gradient to the maximum. O(coefficients).
    pub(crate) fn solve(&self, gradient: &[f64]) -> Vec<f64> {
        let classes = &self.shape.classes;
        let directions = &classes.directions;
        // Features that all rows have act like intercepts, so each block's solution is corrected
        // for the other.
        let of_shared: Vec<f64> =
            directions.iter().map(|direction| direction.product(gradient) / self.rows).collect();
        let mut taken = vec![0.0; directions.len()];
        let mut solved = gradient.to_vec();
        for (number, axis) in self.axes.iter().enumerate() {
            let start = self.shape.start(number, 0);
            let block = &mut solved[start..start + axis.sums.len() * directions.len()];
            for (right, sum) in block.chunks_exact_mut(directions.len()).zip(&axis.sums) {
                right.iter_mut().zip(&of_shared).for_each(|(right, shared)| *right -= sum * shared);
            }
            axis.solve(block);
            for (own, sum) in block.chunks_exact(directions.len()).zip(&axis.sums) {
                taken.iter_mut().zip(own).for_each(|(taken, own)| *taken += own * sum / self.rows);
            }
        }
        let mut moved = vec![0.0; self.intercepts.len()];
        directions
            .iter()
            .zip(&taken)
            .for_each(|(direction, taken)| direction.add(*taken, &mut moved));
        for (class, (curvature, moved)) in self.intercepts.iter().zip(moved).enumerate() {
            solved[class] = gradient[class] / curvature - moved;
        }
        solved
    }
}

impl FeatureSums {
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

    /// Computes once, for each of several weights, the numbers that [`AxisCurvature::solve`] needs.
    fn solved(self, weights: &[f64], rows: f64, ridge: f64) -> AxisCurvature {
        let places = self.sums.len() * weights.len();
        let zero = || vec![0.0; places];
        let mut axis = AxisCurvature {
            directions: weights.len(),
            before: zero(),
            behind: zero(),
            pivots: zero(),
            corrections: zero(),
            sums: self.sums,
        };
        for (direction, weight) in weights.iter().enumerate() {
            let mut last = 1.0;
            for feature in 0..axis.sums.len() {
                let place = feature * weights.len() + direction;
                let mut pivot = weight * self.squares[feature] + ridge;
                if feature > 0 {
                    let beside = weight * self.beside[feature - 1];
                    axis.before[place] = beside / last;
                    pivot -= axis.before[place] * beside;
                }
                axis.behind[place] = weight * self.beside[feature];
                axis.pivots[place] = 1.0 / pivot;
                last = pivot;
            }
        }
        let mut solved: Vec<f64> =
            axis.sums.iter().flat_map(|&sum| std::iter::repeat_n(sum, weights.len())).collect();
        axis.eliminate(&mut solved);
        let products = axis.products(&solved);
        for (own, solved) in
            axis.corrections.chunks_mut(weights.len()).zip(solved.chunks(weights.len()))
        {
            for (direction, (own, solved)) in own.iter_mut().zip(solved).enumerate() {
                let scale = weights[direction] / rows;
                *own = solved * scale / (1.0 - scale * products[direction]);
            }
        }
        axis
    }
}

impl AxisCurvature {
    /// Solves (T − w/n s sᵀ) x = right in place for the weight w of each direction. T = w (squares,
    /// beside) + ridge is tridiagonal, and s holds the sums. Uses Thomas' algorithm and the
    /// Sherman–Morrison formula.
    fn solve(&self, right: &mut [f64]) {
        self.eliminate(right);
        let products = self.products(right);
        let rows = right.chunks_exact_mut(self.directions);
        for (right, own) in rows.zip(self.corrections.chunks_exact(self.directions)) {
            let places = right.iter_mut().zip(own).zip(&products);
            places.for_each(|((place, own), product)| *place += own * product);
        }
    }

    /// Solves T x = right in place.
    fn eliminate(&self, right: &mut [f64]) {
        let (features, directions) = (self.sums.len(), self.directions);
        for feature in 1..features {
            let (done, own) = right.split_at_mut(feature * directions);
            let last = &done[(feature - 1) * directions..];
            let before = &self.before[feature * directions..];
            let places = own.iter_mut().zip(last).zip(before);
            places.for_each(|((own, last), before)| *own -= before * last);
        }
        for feature in (0..features).rev() {
            let (own, done) = right.split_at_mut((feature + 1) * directions);
            let place = feature * directions;
            let own = &mut own[place..];
            if feature + 1 < features {
                let places = own.iter_mut().zip(done).zip(&self.behind[place..]);
                places.for_each(|((own, next), behind)| *own -= behind * *next);
            }
            let places = own.iter_mut().zip(&self.pivots[place..]);
            places.for_each(|(own, pivot)| *own *= pivot);
        }
    }

    /// By direction, the sum of the products of the features' numbers with their sums.
    fn products(&self, numbers: &[f64]) -> Vec<f64> {
        let mut products = vec![0.0; self.directions];
        for (own, sum) in numbers.chunks_exact(self.directions).zip(&self.sums) {
            products.iter_mut().zip(own).for_each(|(product, own)| *product += sum * own);
        }
        products
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_solves_what_it_says() {
        let sums = vec![30.0, 50.0, 20.0, 4.0];
        let squares = vec![25.0, 40.0, 15.0, 4.0];
        let beside = vec![5.0, 5.0, 0.0, 0.0];
        let (weights, rows, ridge) = ([0.2, 0.7], 104.0, 1.0);
        let features =
            FeatureSums { sums: sums.clone(), squares: squares.clone(), beside: beside.clone() };
        let axis = features.solved(&weights, rows, ridge);
        let right = [1.0, 2.0, -2.0, 0.3, 0.5, -1.0, 3.0, 0.1];
        let mut x = right;
        axis.solve(&mut x);
        for (place, right) in right.iter().enumerate() {
            let (row, direction) = (place / weights.len(), place % weights.len());
            let entry = |column: usize| {
                let products = match row.abs_diff(column) {
                    0 => squares[row],
                    1 => beside[row.min(column)],
                    _ => 0.0,
                };
                let centred = products - sums[row] * sums[column] / rows;
                weights[direction] * centred + if row == column { ridge } else { 0.0 }
            };
            let left: f64 =
                (0..4).map(|column| entry(column) * x[column * weights.len() + direction]).sum();
            assert!((left - right).abs() < 1e-12, "{row}: {left} {right}");
        }
    }
}
