//! Figures: an estimate, an interval, and how they came about.

use crate::evidence::{Evidence, Shown};
use crate::table::{Ask, Counts};
use crate::worlds::Analysis;

/// How a figure came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The release shows it.
    Exact,
    /// By the fit; bias and error by worlds.
    Worlds,
    /// By the fit alone; the error is that of the random assignment, and bias is not known.
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
    /// The interval that contains the true figure of the table in about 95 of 100 releases.
    pub interval: [f64; 2],
    /// The standard error.
    pub error: f64,
    /// The standard deviation over the orders that groups allow, by the fit.
    pub deal_error: f64,
    /// How it came about.
    pub method: Method,
}

/// This part of a correction counts as error: it was found in worlds of the model, and the table
/// is not one of them.
const CORRECTION: f64 = 0.5;

/// Errors of counts that are not exact are at least this.
const LEAST: f64 = 0.5;

/// The 97.5 % quantile of Student's t, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The 97.5 % quantile of Student's t.
pub(crate) fn student(freedom: usize) -> f64 {
    STUDENT
        .get(freedom.saturating_sub(1))
        .copied()
        .unwrap_or(1.96)
}

impl Figure {
    /// A figure that is known.
    pub fn exact(value: f64) -> Self {
        Self {
            estimate: value,
            interval: [value; 2],
            error: 0.0,
            deal_error: 0.0,
            method: Method::Exact,
        }
    }

    /// A figure from its estimate, the same figure in worlds (estimated, true), the standard deviation
    /// over orders, and another error that is independent of these.
    pub(crate) fn of(estimate: f64, worlds: &[(f64, f64)], deal_error: f64, other: f64) -> Self {
        if worlds.len() < 2 {
            let error = deal_error.hypot(other);
            let half = 1.96 * error;
            let interval = [estimate - half, estimate + half];
            return Self {
                estimate,
                interval,
                error,
                deal_error,
                method: Method::Fit,
            };
        }
        let number = worlds.len() as f64;
        let off = |(estimated, truth): &(f64, f64)| estimated - truth;
        let bias = worlds.iter().map(off).sum::<f64>() / number;
        let spread = worlds
            .iter()
            .map(|world| (off(world) - bias).powi(2))
            .sum::<f64>()
            / (number - 1.0);
        let spread = spread.max(deal_error * deal_error) * (1.0 + 1.0 / number);
        let error = (spread + (CORRECTION * bias).powi(2)).sqrt();
        let half = (student(worlds.len() - 1) * error).hypot(1.96 * other);
        let estimate = estimate - bias;
        Self {
            estimate,
            interval: [estimate - half, estimate + half],
            error: error.hypot(other),
            deal_error,
            method: Method::Worlds,
        }
    }

    /// The same, not beyond what is certain.
    #[must_use]
    pub(crate) fn within(mut self, least: f64, greatest: f64) -> Self {
        self.estimate = self.estimate.clamp(least, greatest);
        self.interval = self.interval.map(|end| end.clamp(least, greatest));
        self
    }
}

impl Analysis {
    /// The counts of all cells, the parts of the secret running fastest. What is certain is exact.
    pub fn counts(&self, ask: &Ask) -> Vec<Figure> {
        let Counts { counts, variances } = self.release.counts(ask);
        let worlds = self.in_worlds(ask);
        let bounds = bounds(&self.release.evidence, ask);
        let figure = |cell: usize| {
            let (least, greatest) = bounds[cell];
            if greatest - least < 1e-9 {
                return Figure::exact(least);
            }
            let own: Vec<(f64, f64)> = worlds.iter().map(|(e, t)| (e[cell], t[cell])).collect();
            Figure::of(counts[cell], &own, variances[cell].sqrt().max(LEAST), 0.0)
                .within(least, greatest)
        };
        (0..ask.cells()).map(figure).collect()
    }

    /// For each list of cells, the mean of the numbers that they stand for, one per cell of a list;
    /// none where nobody is. Cells that stand for no number (NaN) do not count.
    pub fn means(&self, ask: &Ask, lists: &[Vec<usize>], numbers: &[f64]) -> Vec<Option<Figure>> {
        self.of_lists(ask, lists, |cells, variances| {
            let own = cells
                .iter()
                .zip(numbers)
                .filter(|(_, number)| !number.is_nan());
            let (rows, sum) = own.fold((0.0, 0.0), |(n, s), (c, x)| (n + c, s + c * x));
            if rows <= 0.0 {
                return None;
            }
            let mean = sum / rows;
            let own = variances
                .iter()
                .zip(numbers)
                .filter(|(_, number)| !number.is_nan());
            let variance: f64 = own.map(|(v, x)| v * (x - mean).powi(2)).sum();
            Some((mean, variance.sqrt() / rows))
        })
    }

    /// The same for a quantile; the numbers ascend.
    pub fn quantiles(
        &self,
        ask: &Ask,
        lists: &[Vec<usize>],
        numbers: &[f64],
        share: f64,
    ) -> Vec<Option<Figure>> {
        self.of_lists(ask, lists, |cells, variances| {
            let quantile = |at: f64| {
                let rows: f64 = cells
                    .iter()
                    .zip(numbers)
                    .filter(|(_, n)| !n.is_nan())
                    .map(|(c, _)| c.max(0.0))
                    .sum();
                let mut before = 0.0;
                let own = cells.iter().zip(numbers).filter(|(_, n)| !n.is_nan());
                let mut last = None;
                for (count, number) in own {
                    before += count.max(0.0);
                    last = Some(*number);
                    if before >= at * rows - 1e-9 {
                        break;
                    }
                }
                (rows > 0.0).then_some(last?)
            };
            let rows: f64 = cells.iter().sum();
            let step = (variances.iter().sum::<f64>().sqrt() / rows / 2.0).min(0.2);
            let (low, high) = (
                quantile((share - step).max(0.0))?,
                quantile((share + step).min(1.0))?,
            );
            Some((quantile(share)?, (high - low) / 2.0))
        })
    }

    /// A figure of each list of cells: from their counts and variances, the figure and its standard
    /// deviation.
    fn of_lists(
        &self,
        ask: &Ask,
        lists: &[Vec<usize>],
        statistic: impl Fn(&[f64], &[f64]) -> Option<(f64, f64)>,
    ) -> Vec<Option<Figure>> {
        let Counts { counts, variances } = self.release.counts(ask);
        let worlds = self.in_worlds(ask);
        let figure = |list: &Vec<usize>| {
            let of = |counts: &[f64]| list.iter().map(|&cell| counts[cell]).collect::<Vec<f64>>();
            let none = vec![0.0; list.len()];
            let (estimate, deal) = statistic(&of(&counts), &of(&variances))?;
            let own = worlds.iter().filter_map(|(e, t)| {
                let (estimated, _) = statistic(&of(e), &none)?;
                let (truth, _) = statistic(&of(t), &none)?;
                Some((estimated, truth))
            });
            let own: Vec<(f64, f64)> = own.collect();
            Some(match deal == 0.0 && own.iter().all(|(e, t)| e == t) {
                true => Figure::exact(estimate),
                false => Figure::of(estimate, &own, deal, 0.0),
            })
        };
        lists.iter().map(figure).collect()
    }
}

/// By cell, the least and the greatest count that the groups allow: certain, whatever the fit.
/// O(rows · columns, and the cells that groups meet).
pub fn bounds(evidence: &Evidence, ask: &Ask) -> Vec<(f64, f64)> {
    let width = ask.secret_parts as usize;
    let mut bounds = vec![(0.0, 0.0); ask.cells()];
    for group in 0..evidence.groups() {
        let rows = evidence.rows_of(group);
        let m = rows.len() as f64;
        let mut secret: Vec<(usize, f64)> = Vec::new();
        for &value in &evidence.values()[rows.clone()] {
            if let Some(part) = ask.secret[value as usize] {
                count(&mut secret, part as usize, 1.0);
            }
        }
        // Combinations of known parts with the least and the greatest number of members.
        let weight = evidence.weight(group);
        for (at, least, greatest) in known(evidence, ask, group) {
            for &(part, values) in &secret {
                let bound = &mut bounds[at * width + part];
                bound.0 += weight * (least + values - m).max(0.0);
                bound.1 += weight * f64::min(greatest, values);
            }
        }
    }
    bounds
}

fn count(counts: &mut Vec<(usize, f64)>, part: usize, by: f64) {
    match counts.iter_mut().find(|own| own.0 == part) {
        Some(own) => own.1 += by,
        None => counts.push((part, by)),
    }
}

/// The parts of known columns that members of a group may be in, with the least and the greatest
/// number of members.
fn known(evidence: &Evidence, ask: &Ask, group: usize) -> Vec<(usize, f64, f64)> {
    let rows = evidence.rows_of(group);
    let m = rows.len() as f64;
    // Columns that stand in whole rows are counted together.
    let is_row = |column: usize| matches!(evidence.known()[column], Shown::Rows(_));
    let mut found = vec![(0usize, m, m)];
    if ask.known.iter().any(|(column, _)| is_row(*column)) {
        let mut together: Vec<(usize, f64)> = Vec::new();
        for row in rows.clone() {
            let mut at = Some(0usize);
            for ((column, part), &parts) in ask.known.iter().zip(&ask.parts) {
                let own = match &evidence.known()[*column] {
                    Shown::Rows(codes) => part[codes[row] as usize],
                    // Filled in below.
                    _ => Some(0),
                };
                at = at
                    .zip(own)
                    .map(|(at, own)| at * parts as usize + own as usize);
            }
            if let Some(at) = at {
                count(&mut together, at, 1.0);
            }
        }
        found = together
            .into_iter()
            .map(|(at, rows)| (at, rows, rows))
            .collect();
    }
    for (place, (column, part)) in ask.known.iter().enumerate() {
        if is_row(*column) {
            continue;
        }
        let stride: usize = ask.parts[place + 1..]
            .iter()
            .map(|&parts| parts as usize)
            .product();
        let mut own: Vec<(usize, f64, f64)> = Vec::new();
        match &evidence.known()[*column] {
            Shown::Rows(_) => {}
            Shown::Shuffled(codes) => {
                let mut counts = Vec::new();
                for &code in &codes[rows.clone()] {
                    if let Some(part) = part[code as usize] {
                        count(&mut counts, part as usize, 1.0);
                    }
                }
                own.extend(counts.into_iter().map(|(part, rows)| (part, rows, rows)));
            }
            Shown::Cells { ends, ranges } => {
                let start = if group == 0 { 0 } else { ends[group - 1] };
                let codes = ranges[start as usize..ends[group] as usize].iter();
                let mut parts: Vec<Option<u32>> = codes
                    .flat_map(|&(low, high)| part[low as usize..=high as usize].iter().copied())
                    .collect();
                parts.sort_unstable();
                parts.dedup();
                let all = if parts.len() == 1 { m } else { 0.0 };
                own.extend(
                    parts
                        .into_iter()
                        .flatten()
                        .map(|part| (part as usize, all, m)),
                );
            }
        }
        let further = found.iter().flat_map(|&(at, least, greatest)| {
            own.iter().map(move |&(part, low, high)| {
                (
                    at + part * stride,
                    (least + low - m).max(0.0),
                    f64::min(greatest, high),
                )
            })
        });
        found = further.collect();
    }
    found
}
