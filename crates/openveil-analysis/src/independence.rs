//! A χ² test of independence of two columns, from a release.

use crate::figure::jackknife_factor;
use crate::table::{Ask, CellCounts};
use crate::worlds::Analysis;

/// The least number of people per cell of a table that is tested: with fewer, the statistic is far from
/// χ² (as for a table that shows everybody).
const PEOPLE_PER_CELL: f64 = 5.0;

/// A test of independence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Independence {
    /// The statistic, to be compared with χ².
    pub statistic: f64,
    /// Its degrees of freedom, seldom a whole number.
    pub freedom: f64,
    /// The chance of such a statistic or a greater one, if the columns are independent of each
    /// other.
    pub p: f64,
}

impl Analysis {
    /// Tests whether two columns are independent among the people that the table is a sample of.
    /// `cells` are the cells of the ask, row after row of a table of `width` columns. `None`
    /// without worlds, if fewer than two rows or columns have people, or with fewer than five people per
    /// cell.
    ///
    /// Pearson's statistic of the estimated counts, divided by how much it varies more than in a
    /// table that shows everybody (second-order correction of Rao and Scott 1984, as for surveys
    /// with clusters): by the orders of groups, and by the fit (jackknife). O(rows · parts).
    pub fn independence(&self, ask: &Ask, cells: &[usize], width: usize) -> Option<Independence> {
        if self.worlds() < 2 {
            return None;
        }
        let CellCounts { counts, variances } = self.release.counts(ask);
        let own = Deviations::new(&counts, cells, width)?;
        let parts = self.counts_without_some(ask);
        let parts: Option<Vec<Deviations>> =
            parts.iter().map(|counts| Deviations::new(counts, cells, width)).collect();
        let parts = parts.filter(|parts| parts.len() > 1)?;
        let deal = cells
            .iter()
            .zip(&own.expected)
            .filter(|(_, expected)| **expected > 0.0)
            .map(|(&cell, expected)| variances[cell] / expected);
        // The orders of groups are as if they added to the chance that draws people.
        let own_variance = 1.0 + deal.sum::<f64>() / cells.len() as f64;
        let covariance = Covariance::new(&parts);
        let (first, second) = (
            own.freedom * own_variance + covariance.trace,
            own.freedom * own_variance.powi(2)
                + 2.0 * own_variance * covariance.trace
                + covariance.squared_trace,
        );
        let square = own.values.iter().map(|value| value * value).sum::<f64>();
        let (statistic, freedom) = (square * first / second, first * first / second);
        Some(Independence {
            statistic,
            freedom,
            p: puruspe::gammq(freedom / 2.0, statistic / 2.0).clamp(0.0, 1.0),
        })
    }
}

/// The deviations of a table from independence.
struct Deviations {
    /// Each cell's deviation, divided by the root of its expected count; 0 in empty rows and columns.
    values: Vec<f64>,
    expected: Vec<f64>,
    freedom: f64,
}

impl Deviations {
    fn new(counts: &[f64], cells: &[usize], width: usize) -> Option<Self> {
        let count = |at: usize| counts[cells[at]].max(0.0);
        let height = cells.len() / width;
        let sum = |cells: &mut dyn Iterator<Item = usize>| cells.map(count).sum::<f64>();
        let rows: Vec<f64> =
            (0..height).map(|row| sum(&mut (row * width..(row + 1) * width))).collect();
        let columns: Vec<f64> =
            (0..width).map(|column| sum(&mut (column..cells.len()).step_by(width))).collect();
        let people: f64 = rows.iter().sum();
        let met = |sums: &[f64]| sums.iter().filter(|&&sum| sum > 0.0).count();
        let (met_rows, met_columns) = (met(&rows), met(&columns));
        let met_cells = (met_rows * met_columns) as f64;
        if met_rows < 2 || met_columns < 2 || people < PEOPLE_PER_CELL * met_cells {
            return None;
        }
        let expected: Vec<f64> =
            (0..cells.len()).map(|at| rows[at / width] * columns[at % width] / people).collect();
        Some(Self {
            values: expected
                .iter()
                .enumerate()
                .map(
                    |(at, &expected)| {
                        if expected > 0.0 { (count(at) - expected) / expected.sqrt() } else { 0.0 }
                    },
                )
                .collect(),
            expected,
            freedom: ((met_rows - 1) * (met_columns - 1)) as f64,
        })
    }
}

/// The covariance of deviations by the jackknife: the sum of its eigenvalues, and of their squares.
struct Covariance {
    trace: f64,
    squared_trace: f64,
}

impl Covariance {
    fn new(parts: &[Deviations]) -> Self {
        let number = parts.len() as f64;
        let factor = jackknife_factor(parts.len());
        let mean = |at: usize| parts.iter().map(|part| part.values[at]).sum::<f64>() / number;
        let means: Vec<f64> = (0..parts[0].values.len()).map(mean).collect();
        let product = |a: &Deviations, b: &Deviations| -> f64 {
            a.values
                .iter()
                .zip(&b.values)
                .zip(&means)
                .map(|((a, b), mean)| (a - mean) * (b - mean))
                .sum()
        };
        let squares = parts.iter().map(|part| product(part, part));
        let pairs = parts.iter().flat_map(|a| parts.iter().map(move |b| (a, b)));
        Self {
            trace: factor * squares.sum::<f64>(),
            squared_trace: pairs.map(|(a, b)| (factor * product(a, b)).powi(2)).sum::<f64>(),
        }
    }
}

#[cfg(test)]
mod tests {
    /// Quantiles of χ² in print (95 and 99 %).
    #[test]
    fn tails_are_those_of_tables() {
        for (freedom, square, p) in [(1.0, 3.841, 0.05), (4.0, 13.277, 0.01), (30.0, 43.773, 0.05)]
        {
            let found = puruspe::gammq(freedom / 2.0, square / 2.0);
            assert!((found - p).abs() < 1e-4, "{freedom}: {found}");
        }
    }
}
