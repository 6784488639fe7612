//! Linear regressions that a reader of a release fits.

use openveil_core::release::{Cells, Content};
use openveil_core::table::View;
use std::ops::Range;

/// A linear regression by least squares, with an intercept. Its response is a number for each
/// sensitive value, and its regressors are numbers for the values of known columns.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    /// The columns on the right side.
    pub regressors: Vec<Regressor>,
    /// The number for each sensitive value, by code.
    pub response: Vec<f64>,
}

/// A known column on the right side of a regression.
#[derive(Debug, Clone, PartialEq)]
pub struct Regressor {
    /// The quasi-identifier, by position in the table.
    pub axis: usize,
    /// The number for each of its values, by code.
    pub numbers: Vec<f64>,
}

/// The result of a regression.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionFit {
    /// The change of the response per unit of each regressor, in their order.
    pub slopes: Vec<f64>,
    /// The share of the response's variance that the regressors explain, 0 to 1.
    pub r_squared: f64,
}

impl LeastSquares {
    /// Fits the regression on the owner's table. Not for publication. O(rows · regressors²).
    ///
    /// `None` if the response or a regressor is constant, or regressors determine each other.
    ///
    /// # Panics
    /// If a regressor's axis does not exist, or a code has no number.
    pub fn on_table(&self, table: &View) -> Option<RegressionFit> {
        let mut moments = Moments::new(self.regressors.len());
        let values = table.secret().codes();
        let mut x = vec![0.0; self.regressors.len()];
        for (row, &value) in values.iter().enumerate() {
            for (x, regressor) in x.iter_mut().zip(&self.regressors) {
                let code = table.known()[regressor.axis].codes()[row];
                *x = regressor.numbers[code as usize];
            }
            moments.add_row(&x, self.response[value as usize]);
        }
        moments.fit()
    }

    /// Fits the regression as a reader of the release would. A row is represented by the middle of
    /// a range, the mean of a set, or its own value. Columns that a group shows separately, such as
    /// the responses, are spread evenly over its rows. O(rows · regressors²).
    ///
    /// `None` under the conditions of [`LeastSquares::on_table`].
    ///
    /// # Panics
    /// The panics of [`LeastSquares::on_table`].
    pub fn on_release(&self, release: &Content) -> Option<RegressionFit> {
        let mut moments = Moments::new(self.regressors.len());
        let mut x = vec![0.0; self.regressors.len()];
        for (group, class) in release.all_classes() {
            let rows = release.class_rows(class);
            let (mean, squares) = spread(release.values(group), &self.response);
            let own = squares * release.class_share(group, class);
            moments.add_variation(self.regressors.len(), own);
            let columns = self.regressors.iter();
            let columns: Vec<(&Regressor, &Cells)> =
                columns.map(|regressor| (regressor, &release.cells()[regressor.axis])).collect();
            for (at, (regressor, cells)) in columns.iter().enumerate() {
                let (middle, squares) = regressor.of_class(cells, class, rows.clone());
                x[at] = middle;
                moments.add_variation(at, squares);
            }
            for row in rows {
                for (x, (regressor, cells)) in x.iter_mut().zip(&columns) {
                    if let Cells::Exact(codes) = cells {
                        *x = regressor.numbers[codes[row] as usize];
                    }
                }
                moments.add_row(&x, mean);
            }
        }
        moments.fit()
    }
}

impl Regressor {
    /// The number that represents every row of a class, and the sum of squared deviations of the
    /// rows' own numbers from it, if these are shown.
    fn of_class(&self, cells: &Cells, class: usize, rows: Range<usize>) -> (f64, f64) {
        match cells {
            Cells::Intervals(bounds) => {
                let (low, high) = bounds[class];
                let number = |code: u32| self.numbers[code as usize];
                (f64::midpoint(number(low), number(high)), 0.0)
            }
            Cells::Nodes { .. } | Cells::Sets { .. } => {
                let codes = cells.spans(class, rows).flat_map(|(low, high)| low..=high);
                (spread(&codes.collect::<Vec<_>>(), &self.numbers).0, 0.0)
            }
            Cells::Exact(_) => (0.0, 0.0),
            Cells::Sliced(codes) => spread(&codes[rows], &self.numbers),
        }
    }
}

/// The mean of the numbers of some codes, and the sum of squared deviations from it.
fn spread(codes: &[u32], numbers: &[f64]) -> (f64, f64) {
    let numbers = || codes.iter().map(|&code| numbers[code as usize]);
    let mean = numbers().sum::<f64>() / codes.len() as f64;
    (mean, numbers().map(|number| (number - mean).powi(2)).sum())
}

/// Sums of products of the regressors and the response, which comes last.
struct Moments {
    rows: f64,
    sums: Vec<f64>,
    products: Vec<Vec<f64>>,
}

impl Moments {
    fn new(regressors: usize) -> Self {
        Self {
            rows: 0.0,
            sums: vec![0.0; regressors + 1],
            products: vec![vec![0.0; regressors + 1]; regressors + 1],
        }
    }

    fn add_row(&mut self, x: &[f64], y: f64) {
        self.rows += 1.0;
        let number = |at: usize| x.get(at).copied().unwrap_or(y);
        for a in 0..self.sums.len() {
            self.sums[a] += number(a);
            for b in 0..=a {
                self.products[a][b] += number(a) * number(b);
            }
        }
    }

    /// Adds squared deviations of a column that the added rows did not have.
    fn add_variation(&mut self, at: usize, squares: f64) {
        self.products[at][at] += squares;
    }

    fn covariance(&self, a: usize, b: usize) -> f64 {
        let product = self.products[a.max(b)][a.min(b)];
        product / self.rows - self.sums[a] / self.rows * (self.sums[b] / self.rows)
    }

    fn fit(&self) -> Option<RegressionFit> {
        let last = self.sums.len() - 1;
        let variance = self.covariance(last, last);
        let system = (0..last).map(|a| (0..=last).map(|b| self.covariance(a, b)).collect());
        let slopes = solve(system.collect())?;
        let explained: f64 =
            slopes.iter().enumerate().map(|(a, slope)| slope * self.covariance(a, last)).sum();
        (variance > 0.0)
            .then(|| RegressionFit { r_squared: (explained / variance).clamp(0.0, 1.0), slopes })
    }
}

/// Pivots below this share of a variance count as zero.
const SINGULAR: f64 = 1e-12;

/// Solves linear equations, one per row with its right side last, by elimination.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    let scale: Vec<f64> = (0..size).map(|at| rows[at][at]).collect();
    for step in 0..size {
        let pivot =
            (step..size).max_by(|&a, &b| rows[a][step].abs().total_cmp(&rows[b][step].abs()))?;
        rows.swap(step, pivot);
        let pivot = rows[step][step].abs();
        if pivot.is_nan() || pivot <= SINGULAR * scale[step] {
            return None;
        }
        for below in 0..size {
            if below != step {
                let factor = rows[below][step] / rows[step][step];
                let source = rows[step].clone();
                rows[below]
                    .iter_mut()
                    .zip(source)
                    .for_each(|(cell, source)| *cell -= factor * source);
            }
        }
    }
    Some((0..size).map(|at| rows[at][size] / rows[at][at]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Column, Domain, Groups, Secret};

    /// Wages of 2 + 3 · years − sex, exactly.
    fn table() -> (View, LeastSquares) {
        let (years, sexes) = ([0, 1, 2, 3, 0, 1, 2, 3], [0, 0, 0, 0, 1, 1, 1, 1]);
        let wages = [2, 5, 8, 11, 1, 4, 7, 10];
        let columns = vec![
            Column::new("years", years.to_vec(), Domain::integers(0..4)),
            Column::new("sex", sexes.to_vec(), Domain::unordered(["f", "m"])),
        ];
        let labels = (0..12).map(|wage| wage.to_string());
        let table = View::new(columns, Secret::new("wage", wages.to_vec(), labels)).unwrap();
        let regressor = |axis, numbers: &[f64]| Regressor { axis, numbers: numbers.to_vec() };
        let regression = LeastSquares {
            regressors: vec![regressor(0, &[0.0, 1.0, 2.0, 3.0]), regressor(1, &[0.0, 1.0])],
            response: (0..12).map(f64::from).collect(),
        };
        (table, regression)
    }

    fn close(fit: &RegressionFit, slopes: &[f64], r_squared: f64) {
        assert_eq!(fit.slopes.len(), slopes.len());
        for (found, expected) in fit.slopes.iter().zip(slopes) {
            assert!((found - expected).abs() < 1e-9, "{fit:?}");
        }
        assert!((fit.r_squared - r_squared).abs() < 1e-9, "{fit:?}");
    }

    #[test]
    fn what_holds_exactly_is_found() {
        let (table, regression) = table();
        close(&regression.on_table(&table).unwrap(), &[3.0, -1.0], 1.0);
        let alone: Groups = (0..8).map(|row| [row]).collect();
        for style in Style::ALL {
            let (release, _) = publish(&table, &alone, style);
            close(&regression.on_release(&release).unwrap(), &[3.0, -1.0], 1.0);
        }
    }

    #[test]
    fn groups_blur_what_varies_inside_of_them() {
        let (table, regression) = table();
        // Years 0 and 1, 2 and 3, for each sex.
        let pairs: Groups = (0..4).map(|pair| [2 * pair, 2 * pair + 1]).collect();
        let (release, _) = publish(&table, &pairs, Style::Generalize);
        // Means of pairs lie on the line. The variance is 9 · 5/4 + 1/4; its part inside pairs,
        // 9/4, is not explained.
        let explained = 1.0 - 2.25 / 11.5;
        close(&regression.on_release(&release).unwrap(), &[3.0, -1.0], explained);
        // Exact years have the variance 5/4, but their covariance inside pairs is lost: 3 remains
        // of 15/4.
        for style in [Style::Slice, Style::Anatomy] {
            let (release, _) = publish(&table, &pairs, style);
            let fit = regression.on_release(&release).unwrap();
            close(&fit, &[2.4, -1.0], (2.4 * 3.0 + 0.25) / 11.5);
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_varies() {
        let (table, regression) = table();
        let all = Groups::from_labels(&[0; 8], 1);
        let (release, _) = publish(&table, &all, Style::Generalize);
        assert_eq!(regression.on_release(&release), None);
        let twice =
            LeastSquares { regressors: vec![regression.regressors[0].clone(); 2], ..regression };
        assert_eq!(twice.on_table(&table), None);
    }
}
