//! Figures: an estimate, an interval, and the method.

use crate::bounds::bounds;
use crate::table::{Ask, CellCounts};
use crate::worlds::Analysis;

/// How a figure was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The release shows it.
    Exact,
    /// From the fit, with bias and error from worlds.
    Worlds,
    /// From the fit alone: the bias is unknown. Intervals of counts, means and quantiles are
    /// certain bounds.
    Fit,
}

impl Method {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Worlds => "fit-and-worlds",
            Self::Fit => "fit",
        }
    }
}

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The estimate.
    pub estimate: f64,
    /// The interval. It contains the true figure of the table in about 95 of 100 releases.
    pub interval: [f64; 2],
    /// The standard error.
    pub error: f64,
    /// The standard deviation over the orders that groups allow, according to the fit.
    pub deal_error: f64,
    /// How it was computed.
    pub method: Method,
}

/// How the bias that worlds show is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Trust {
    /// Whether it is subtracted. Worlds repeat the smoothness of the model: where the release shows
    /// rows, or the codes of a class, subtracting their bias adds more noise than it removes
    /// (measured on nine tables).
    pub(crate) is_corrected: bool,
    /// The multiple of the bias that counts as error.
    pub(crate) doubt: f64,
}

impl Trust {
    /// For a column whose codes the release shows.
    pub(crate) const CODES: Self = Self { is_corrected: false, doubt: 1.0 };
    /// For a column that shows cells. The fit draws the hidden codes, and underestimates their
    /// association by an amount that worlds do not show. Measured on nine tables.
    const CELLS: Self = Self { is_corrected: true, doubt: 2.0 };
}

/// The least error of a count that is not exact.
const LEAST: f64 = 0.5;

/// The 97.5 % quantile of Student's t, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The 97.5 % quantile of Student's t.
pub(crate) fn student(freedom: usize) -> f64 {
    STUDENT.get(freedom.saturating_sub(1)).copied().unwrap_or(1.96)
}

impl Figure {
    /// A figure that is known exactly.
    pub fn exact(value: f64) -> Self {
        Self {
            estimate: value,
            interval: [value; 2],
            error: 0.0,
            deal_error: 0.0,
            method: Method::Exact,
        }
    }

    /// Builds a figure from its estimate; the same figure in worlds (estimated, true) and without
    /// each part of the groups; the standard deviation over orders; and another independent error.
    ///
    /// The variance is that over orders plus that of the fit by the jackknife, or that in worlds if
    /// it is greater. Bias in worlds counts as error, too.
    pub(crate) fn new(
        estimate: f64,
        worlds: &[(f64, f64)],
        without_some: &[f64],
        deal_error: f64,
        other: f64,
        trust: Trust,
    ) -> Self {
        if worlds.len() < 2 {
            let error = deal_error.hypot(other);
            let half = 1.96 * error;
            let interval = [estimate - half, estimate + half];
            return Self { estimate, interval, error, deal_error, method: Method::Fit };
        }
        let number = worlds.len() as f64;
        let off = |(estimated, truth): &(f64, f64)| estimated - truth;
        let bias = worlds.iter().map(off).sum::<f64>() / number;
        let spread =
            worlds.iter().map(|world| (off(world) - bias).powi(2)).sum::<f64>() / (number - 1.0);
        let variance = deal_error * deal_error + jackknife(without_some);
        let error = (variance.max(spread) + (trust.doubt * bias).powi(2)).sqrt();
        let parts = without_some.len().max(worlds.len());
        let half = (student(parts - 1) * error).hypot(1.96 * other);
        let estimate = estimate - if trust.is_corrected { bias } else { 0.0 };
        Self {
            estimate,
            interval: [estimate - half, estimate + half],
            error: error.hypot(other),
            deal_error,
            method: Method::Worlds,
        }
    }

    /// Returns this figure, limited to the certain bounds.
    #[must_use]
    pub(crate) fn within(mut self, least: f64, greatest: f64) -> Self {
        self.estimate = self.estimate.clamp(least, greatest);
        self.interval = self.interval.map(|end| end.clamp(least, greatest));
        self
    }
}

impl Analysis {
    /// How bias is used in figures by these known columns.
    pub(crate) fn trust(&self, mut columns: impl Iterator<Item = usize>) -> Trust {
        if columns.any(|column| self.shows_cells(column)) { Trust::CELLS } else { Trust::CODES }
    }

    /// Returns the counts of all cells; the parts of the secret vary fastest. Certain counts are
    /// exact.
    pub fn counts(&self, ask: &Ask) -> Vec<Figure> {
        self.counts_by(ask, &self.in_worlds(ask))
    }

    /// Like [`Self::counts`], given the counts in worlds.
    pub(crate) fn counts_by(&self, ask: &Ask, worlds: &[(Vec<f64>, Vec<f64>)]) -> Vec<Figure> {
        let CellCounts { counts, variances } = self.release.counts(ask);
        let without_some = self.counts_without_some(ask);
        let bounds = bounds(&self.release.evidence, ask);
        let trust = self.trust(ask.known.iter().map(|(column, _)| *column));
        let figure = |cell: usize| {
            let (least, greatest) = bounds[cell];
            if greatest - least < 1e-9 {
                return Figure::exact(least);
            }
            let own: Vec<(f64, f64)> = worlds.iter().map(|(e, t)| (e[cell], t[cell])).collect();
            let deal = variances[cell].sqrt().max(LEAST);
            let parts: Vec<f64> = without_some.iter().map(|own| own[cell]).collect();
            let figure =
                Figure::new(counts[cell], &own, &parts, deal, 0.0, trust).within(least, greatest);
            match figure.method {
                // Without worlds the bias is unknown, so the interval is the certain bounds.
                Method::Fit => Figure { interval: [least, greatest], ..figure },
                _ => figure,
            }
        };
        (0..ask.cells()).map(figure).collect()
    }

    /// For each list of cells, a statistic of their numbers; `None` if nobody is in the cells.
    /// Bounds on the counts are assumed to hold. O(rows · worlds + cells · log cells).
    pub fn statistics(
        &self,
        ask: &Ask,
        lists: &[Vec<usize>],
        CellNumbers { numbers, weights }: &CellNumbers,
        statistic: Statistic,
    ) -> Vec<Option<Figure>> {
        let CellCounts { counts, variances } = self.release.counts(ask);
        let worlds = self.in_worlds(ask);
        let without_some = self.counts_without_some(ask);
        let bounds = bounds(&self.release.evidence, ask);
        let trust = self.trust(ask.known.iter().map(|(column, _)| *column));
        let figure = |list: &Vec<usize>| {
            let mut list: Vec<usize> = list
                .iter()
                .copied()
                .filter(|&cell| !numbers[cell].is_nan() && !weights[cell].is_nan())
                .collect();
            list.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
            let of = |counts: &dyn Fn(usize) -> (f64, f64)| {
                let cells = list.iter().map(|&cell| {
                    let (count, variance) = counts(cell);
                    CountedRows {
                        number: numbers[cell],
                        count: count * weights[cell],
                        variance: variance * weights[cell].powi(2),
                    }
                });
                statistic.evaluated(&cells.collect::<Vec<CountedRows>>())
            };
            if list.iter().all(|&cell| bounds[cell].1 - bounds[cell].0 < 1e-9) {
                return Some(Figure::exact(of(&|cell| (bounds[cell].0, 0.0))?.0));
            }
            let (estimate, deal) = of(&|cell| (counts[cell], variances[cell]))?;
            let own: Vec<(f64, f64)> = worlds
                .iter()
                .filter_map(|(estimated, truth)| {
                    let (estimated, _) = of(&|cell| (estimated[cell], 0.0))?;
                    Some((estimated, of(&|cell| (truth[cell], 0.0))?.0))
                })
                .collect();
            let parts: Vec<f64> = without_some
                .iter()
                .filter_map(|own| Some(of(&|cell| (own[cell], 0.0))?.0))
                .collect();
            let mut figure = Figure::new(estimate, &own, &parts, deal, 0.0, trust);
            let (least, greatest) = match statistic {
                Statistic::Total => list.iter().fold((0.0, 0.0), |(least, greatest), &cell| {
                    let (low, high) = bounds[cell];
                    let weight = numbers[cell] * weights[cell];
                    (least + low * weight, greatest + high * weight)
                }),
                Statistic::Mean | Statistic::Quantile(_) => {
                    let (&first, &last) = list.first().zip(list.last())?;
                    (numbers[first], numbers[last])
                }
            };
            if figure.method == Method::Fit {
                figure.interval = [least, greatest];
            } else if figure.interval[1] - figure.interval[0] < 1e-9 {
                // A quantile that is the same in all fits: the next number is possible.
                let at = list.partition_point(|&cell| numbers[cell] < estimate);
                let after = list.partition_point(|&cell| numbers[cell] <= estimate);
                let next = |at: usize| list.get(at).map_or(estimate, |&cell| numbers[cell]);
                figure.interval = [next(at.saturating_sub(1)), next(after)];
            }
            Some(figure.within(least, greatest))
        };
        lists.iter().map(figure).collect()
    }
}

/// A statistic of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// The sum of numbers that are not negative.
    Total,
    /// The mean.
    Mean,
    /// The least number that at least this share of the rows does not exceed.
    Quantile(f64),
}

impl Statistic {
    /// Returns the statistic of ascending numbers, and its standard deviation over orders.
    fn evaluated(self, cells: &[CountedRows]) -> Option<(f64, f64)> {
        match self {
            Self::Total => {
                let sum = |part: &dyn Fn(&CountedRows) -> f64| cells.iter().map(part).sum::<f64>();
                let variance = sum(&|own| own.variance * own.number.powi(2));
                Some((sum(&|own| own.count * own.number), variance.sqrt()))
            }
            Self::Mean => mean(cells),
            Self::Quantile(share) => quantile(cells, share),
        }
    }
}

/// The numbers of an ask's cells. Cells without a number or a weight (NaN) do not count.
#[derive(Debug, Clone, PartialEq)]
pub struct CellNumbers {
    /// The number of a row in each cell.
    pub numbers: Vec<f64>,
    /// How many people a row in each cell stands for.
    pub weights: Vec<f64>,
}

/// The variance of an estimate by the jackknife, from estimates that leave out one part of the
/// groups each; 0 for fewer than two.
fn jackknife(parts: &[f64]) -> f64 {
    if parts.len() < 2 {
        return 0.0;
    }
    let number = parts.len() as f64;
    let mean = parts.iter().sum::<f64>() / number;
    parts.iter().map(|own| (own - mean).powi(2)).sum::<f64>() * jackknife_factor(parts.len())
}

/// The factor of squared deviations by the jackknife of this many parts.
pub(crate) fn jackknife_factor(parts: usize) -> f64 {
    (parts as f64 - 1.0) / parts as f64
}

/// Rows that have the same number.
struct CountedRows {
    number: f64,
    count: f64,
    variance: f64,
}

/// The mean of numbers, and its standard deviation over orders; `None` if there are no rows.
fn mean(cells: &[CountedRows]) -> Option<(f64, f64)> {
    let rows: f64 = cells.iter().map(|own| own.count).sum();
    if rows <= 0.0 {
        return None;
    }
    let mean = cells.iter().map(|own| own.count * own.number).sum::<f64>() / rows;
    let variance = cells.iter().map(|own| own.variance * (own.number - mean).powi(2));
    Some((mean, variance.sum::<f64>().sqrt() / rows))
}

/// Like [`mean`], but for a quantile.
fn quantile(cells: &[CountedRows], share: f64) -> Option<(f64, f64)> {
    let rows: f64 = cells.iter().map(|own| own.count.max(0.0)).sum();
    if rows <= 0.0 {
        return None;
    }
    let at = |share: f64| {
        let mut before = 0.0;
        cells
            .iter()
            .find(|own| {
                before += own.count.max(0.0);
                // A negligible sum of counts is treated as no rows.
                before > 1e-6 && before >= share * rows - 1e-6
            })
            .or(cells.last())
            .map(|own| own.number)
    };
    let variance: f64 = cells.iter().map(|own| own.variance).sum();
    let step = (variance.sqrt() / rows / 2.0).min(0.2);
    let (low, high) = (at((share - step).max(0.0))?, at((share + step).min(1.0))?);
    Some((at(share)?, (high - low) / 2.0))
}

#[cfg(test)]
mod tests;
