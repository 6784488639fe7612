//! The representation of a known column, and of the secret, in the model.

use crate::descent::dot;
use crate::evidence::Meaning;

/// The most codes of a column that the model tells apart.
const LEVELS: usize = 256;

/// The most values of the secret that the model tells apart.
const CLASSES: usize = 64;

/// If secret numbers have fewer classes than this, their order is ignored.
const NOMINAL: usize = 12;

/// Number of knots of a piecewise linear function of a number.
const KNOTS: usize = 5;

/// How a column enters the model: each code belongs to a level, and each level has a few features.
#[derive(Debug, Clone)]
pub(crate) struct ModelAxis {
    /// The level of each code.
    pub(crate) level_of: Vec<u16>,
    /// The features of each level, with their values.
    pub(crate) features: Vec<Vec<(u32, f64)>>,
    /// Number of features.
    pub(crate) width: usize,
}

impl ModelAxis {
    /// The axis of a column; `counts[code]` is the approximate number of rows that show a code.
    pub(crate) fn new(counts: &[f64], numbers: Option<&[f64]>) -> Self {
        match numbers {
            Some(numbers) if numbers.len() > KNOTS + 1 => Self::number(counts, numbers),
            _ => Self::nominal(counts),
        }
    }

    /// The axis of this column and another together: a level for each pair of their levels, with the
    /// products of their features. It belongs to no single code.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let product = |own: &Vec<(u32, f64)>, beside: &Vec<(u32, f64)>| {
            own.iter()
                .flat_map(|&(a, x)| {
                    beside.iter().map(move |&(b, y)| (a * other.width as u32 + b, x * y))
                })
                .collect()
        };
        let features = self.features.iter();
        Self {
            level_of: Vec::new(),
            features: features
                .flat_map(|own| other.features.iter().map(move |beside| product(own, beside)))
                .collect(),
            width: self.width * other.width,
        }
    }

    /// One feature per code; if there are many codes, one per frequent code.
    fn nominal(counts: &[f64]) -> Self {
        let (level_of, levels) = frequent(counts, LEVELS);
        Self {
            level_of,
            features: (0..levels as u32).map(|level| vec![(level, 1.0)]).collect(),
            width: levels,
        }
    }

    /// A piecewise linear function: hats over quantiles. Codes without a number share a separate
    /// feature.
    fn number(counts: &[f64], numbers: &[f64]) -> Self {
        let bins = quantile_bins(counts, numbers, LEVELS - 1);
        let knots = knots(counts, numbers, KNOTS);
        let has_missing = numbers.iter().any(|number| number.is_nan());
        let mut features: Vec<Vec<(u32, f64)>> =
            bins.means.iter().map(|&mean| hats(&knots, mean)).collect();
        if has_missing {
            features.push(vec![(knots.len() as u32, 1.0)]);
        }
        let missing = bins.means.len() as u16;
        Self {
            level_of: bins.of_code.iter().map(|&bin| bin.unwrap_or(missing)).collect(),
            features,
            width: knots.len() + usize::from(has_missing),
        }
    }
}

/// The secret in the model: classes of values, and how scores of a feature combine into scores of
/// classes.
#[derive(Debug, Clone)]
pub(crate) struct SecretClasses {
    /// The class of each value.
    pub(crate) of_value: Vec<u16>,
    /// The share of each value in its class.
    pub(crate) share: Vec<f64>,
    /// The share of each class.
    pub(crate) frequency: Vec<f64>,
    /// The directions, one for each coefficient of a feature.
    pub(crate) directions: Vec<Direction>,
}

/// The amounts that a coefficient adds to the scores of classes: 0 for most, and the others are
/// next to each other.
#[derive(Debug, Clone)]
pub(crate) struct Direction {
    first: usize,
    amounts: Vec<f64>,
}

impl Direction {
    fn new(amounts: &[f64]) -> Self {
        let is_used = |amount: &f64| *amount != 0.0;
        let first = amounts.iter().position(is_used).unwrap_or(0);
        let end = amounts.iter().rposition(is_used).map_or(first, |last| last + 1);
        Self { first, amounts: amounts[first..end].to_vec() }
    }

    fn of_class(class: usize) -> Self {
        Self { first: class, amounts: vec![1.0] }
    }

    /// The classes from the first to the last with an amount other than 0, and their amounts.
    pub(crate) fn amounts(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (self.first..).zip(self.amounts.iter().copied())
    }

    /// Adds a coefficient's amounts to the scores of all classes.
    pub(crate) fn add(&self, coefficient: f64, scores: &mut [f64]) {
        let scores = scores[self.first..].iter_mut();
        scores.zip(&self.amounts).for_each(|(score, amount)| *score += coefficient * amount);
    }

    /// The sum of the products of amounts and numbers of classes.
    pub(crate) fn product(&self, numbers: &[f64]) -> f64 {
        dot(&numbers[self.first..], &self.amounts)
    }
}

impl SecretClasses {
    /// The classes of a secret whose values occur `counts[value]` times.
    pub(crate) fn new(counts: &[f64], meaning: &Meaning) -> Self {
        let occurring = counts.iter().filter(|&&count| count > 0.0).count();
        let numbers = meaning.secret_numbers.as_deref().filter(|_| occurring > NOMINAL);
        let (of_value, classes) = match numbers {
            None => frequent(counts, CLASSES),
            Some(numbers) => {
                let bins = quantile_bins(counts, numbers, CLASSES - 1);
                let missing = bins.means.len() as u16;
                let of_value: Vec<u16> =
                    bins.of_code.iter().map(|bin| bin.unwrap_or(missing)).collect();
                let classes = of_value.iter().max().map_or(0, |&last| last as usize + 1);
                (of_value, classes)
            }
        };
        let mut frequency = vec![0.0; classes];
        for (&class, &count) in of_value.iter().zip(counts) {
            frequency[class as usize] += count;
        }
        let share = of_value
            .iter()
            .zip(counts)
            .map(|(&class, &count)| {
                let all = frequency[class as usize];
                if all > 0.0 { count / all } else { 0.0 }
            })
            .collect();
        let total: f64 = frequency.iter().sum();
        let directions = match numbers {
            None => (0..classes).map(Direction::of_class).collect(),
            Some(numbers) => {
                // Hats over the quantiles of the secret: each class is near one or two of them.
                let knots = knots(counts, numbers, KNOTS);
                let mut sums = vec![(0.0, 0.0); classes];
                for (value, &class) in of_value.iter().enumerate() {
                    if !numbers[value].is_nan() {
                        sums[class as usize].0 += counts[value] * numbers[value];
                        sums[class as usize].1 += counts[value];
                    }
                }
                let mut rows = vec![vec![0.0; classes]; knots.len()];
                let mut missing = Vec::new();
                for (class, &(sum, rows_of)) in sums.iter().enumerate() {
                    if rows_of > 0.0 {
                        for (hat, value) in hats(&knots, sum / rows_of) {
                            rows[hat as usize][class] = value;
                        }
                    } else {
                        missing.push(Direction::of_class(class));
                    }
                }
                rows.iter().map(|row| Direction::new(row)).chain(missing).collect()
            }
        };
        frequency.iter_mut().for_each(|count| *count /= total);
        Self { of_value, share, frequency, directions }
    }

    /// Number of classes.
    pub(crate) fn len(&self) -> usize {
        self.frequency.len()
    }
}

/// The most frequent codes, one level each; all others share one level.
fn frequent(counts: &[f64], most: usize) -> (Vec<u16>, usize) {
    let codes = counts.len();
    if codes <= most {
        return ((0..codes as u16).collect(), codes);
    }
    let mut order: Vec<usize> = (0..codes).collect();
    order.sort_by(|&a, &b| counts[b].total_cmp(&counts[a]).then(a.cmp(&b)));
    let mut level_of = vec![most as u16 - 1; codes];
    let mut chosen = order[..most - 1].to_vec();
    chosen.sort_unstable();
    for (level, code) in chosen.into_iter().enumerate() {
        level_of[code] = level as u16;
    }
    (level_of, most)
}

/// Bins of codes with approximately equally many rows.
struct Bins {
    of_code: Vec<Option<u16>>,
    means: Vec<f64>,
}

fn quantile_bins(counts: &[f64], numbers: &[f64], most: usize) -> Bins {
    let mut order: Vec<usize> =
        (0..numbers.len()).filter(|&code| !numbers[code].is_nan()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut of_code = vec![None; numbers.len()];
    let mut means = Vec::new();
    if order.len() <= most {
        for (bin, &code) in order.iter().enumerate() {
            of_code[code] = Some(bin as u16);
            means.push(numbers[code]);
        }
        return Bins { of_code, means };
    }
    let total: f64 = order.iter().map(|&code| counts[code]).sum::<f64>().max(1.0);
    let (mut before, mut last) = (0.0, usize::MAX);
    let (mut sum, mut rows) = (0.0, 0.0);
    for &code in &order {
        let bin = ((before + counts[code] / 2.0) / total * most as f64) as usize;
        if bin != last && last != usize::MAX {
            means.push(sum / f64::max(rows, 1e-9));
            (sum, rows) = (0.0, 0.0);
        }
        last = bin;
        of_code[code] = Some(means.len() as u16);
        let weight = counts[code] + 1e-9;
        sum += weight * numbers[code];
        rows += weight;
        before += counts[code];
    }
    means.push(sum / rows);
    Bins { of_code, means }
}

/// Quantiles of a column, ascending, each once, including the least and the greatest number.
fn knots(counts: &[f64], numbers: &[f64], most: usize) -> Vec<f64> {
    let mut order: Vec<usize> =
        (0..numbers.len()).filter(|&code| !numbers[code].is_nan()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let total: f64 = order.iter().map(|&code| counts[code]).sum();
    let mut knots: Vec<f64> = Vec::with_capacity(most);
    // The tails are thin, so the outermost knots lie at 2 and 98 percent.
    for knot in 0..most {
        let share = 0.02 + 0.96 * knot as f64 / (most - 1) as f64;
        let mut before = 0.0;
        let at = order.iter().find(|&&code| {
            before += counts[code];
            before >= share * total
        });
        if let Some(&code) = at.or(order.last())
            && knots.last().is_none_or(|&last| last < numbers[code])
        {
            knots.push(numbers[code]);
        }
    }
    knots
}

/// The hats above a number; beyond the ends, the outermost ones.
fn hats(knots: &[f64], number: f64) -> Vec<(u32, f64)> {
    let after = knots.partition_point(|&knot| knot <= number);
    if after == 0 {
        return vec![(0, 1.0)];
    }
    if after == knots.len() {
        return vec![(after as u32 - 1, 1.0)];
    }
    let (low, high) = (knots[after - 1], knots[after]);
    let share = (number - low) / (high - low);
    let mut hats = vec![(after as u32 - 1, 1.0 - share)];
    if share > 0.0 {
        hats.push((after as u32, share));
    }
    hats
}
