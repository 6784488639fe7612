//! The model of a secret given the known columns: each class of values has a score, which is a sum
//! over a person's features.

use crate::basis::{ModelAxis, SecretClasses};
use crate::evidence::{Evidence, Meaning, ShownCodes};

/// The levels of people whose known codes are all given: by axis, the level of each row.
pub(crate) type KnownLevels = Vec<Vec<u16>>;

/// The shape of a model: the levels, features and classes that it tells apart.
#[derive(Debug, Clone)]
pub(crate) struct ModelShape {
    /// One for each known column, followed by one for each pair.
    pub(crate) axes: Vec<ModelAxis>,
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) classes: SecretClasses,
    /// Where the coefficients of each axis start.
    starts: Vec<usize>,
}

impl ModelShape {
    pub(crate) fn new(evidence: &Evidence, meaning: &Meaning) -> Self {
        let classes = SecretClasses::new(&evidence.histogram(meaning.secret.values()), meaning);
        let mut axes: Vec<ModelAxis> = meaning
            .known
            .iter()
            .zip(&meaning.numbers)
            .zip(evidence.known())
            .map(|((column, numbers), shown)| {
                ModelAxis::new(&counts(shown, evidence, column.domain().len()), numbers.as_deref())
            })
            .collect();
        let pairs = meaning.pairs.clone();
        let products: Vec<ModelAxis> =
            pairs.iter().map(|&(a, b)| axes[a].times(&axes[b])).collect();
        axes.extend(products);
        let mut at = classes.len();
        let starts = axes.iter().map(|axis| {
            let start = at;
            at += axis.width * classes.directions.len();
            start
        });
        Self { starts: starts.collect(), classes, axes, pairs }
    }

    /// The class of each row's value. O(rows).
    pub(crate) fn row_classes(&self, evidence: &Evidence) -> Vec<u16> {
        evidence.values().iter().map(|&value| self.classes.of_value[value as usize]).collect()
    }

    /// The axes of the known columns.
    pub(crate) fn columns(&self) -> &[ModelAxis] {
        &self.axes[..self.axes.len() - self.pairs.len()]
    }

    /// The levels of people with these codes, by axis. O(people · axes).
    pub(crate) fn levels<'a>(&self, codes: impl Iterator<Item = &'a [u32]>) -> KnownLevels {
        let mut levels: KnownLevels = codes
            .zip(self.columns())
            .map(|(codes, axis)| codes.iter().map(|&code| axis.level_of[code as usize]).collect())
            .collect();
        for &pair in &self.pairs {
            let both = levels[pair.0]
                .iter()
                .zip(&levels[pair.1])
                .map(|(&first, &second)| self.level_of_pair(pair, first, second));
            levels.push(both.collect());
        }
        levels
    }

    /// The level of a pair of columns at these levels of both, each below 256.
    pub(crate) fn level_of_pair(&self, (_, b): (usize, usize), first: u16, second: u16) -> u16 {
        first * self.axes[b].features.len() as u16 + second
    }

    /// Number of coefficients: one per class, then by axis, feature and direction.
    pub(crate) fn width(&self) -> usize {
        let features: usize = self.axes.iter().map(|axis| axis.width).sum();
        self.classes.len() + features * self.classes.directions.len()
    }

    /// Where the coefficients of a feature start.
    pub(crate) fn start(&self, axis: usize, feature: u32) -> usize {
        self.starts[axis] + feature as usize * self.classes.directions.len()
    }

    /// For each axis, the score that each level adds to each class, level after level; and the
    /// scores that all people share.
    pub(crate) fn tables(&self, theta: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let classes = self.classes.len();
        let shared = self
            .classes
            .frequency
            .iter()
            .zip(theta)
            .map(|(frequency, own)| frequency.max(1e-12).ln() + own);
        let table = |(number, axis): (usize, &ModelAxis)| {
            let mut of_features = vec![0.0; axis.width * classes];
            for (feature, scores) in of_features.chunks_exact_mut(classes).enumerate() {
                let own = theta[self.start(number, feature as u32)..].iter();
                for (coefficient, direction) in own.zip(&self.classes.directions) {
                    direction.add(*coefficient, scores);
                }
            }
            let mut table = vec![0.0; axis.features.len() * classes];
            for (row, features) in table.chunks_exact_mut(classes).zip(&axis.features) {
                for &(feature, value) in features {
                    let scores = &of_features[feature as usize * classes..][..classes];
                    row.iter_mut().zip(scores).for_each(|(row, score)| *row += value * score);
                }
            }
            table
        };
        (shared.collect(), self.axes.iter().enumerate().map(table).collect())
    }

    /// Converts a gradient by the entries of [`Self::tables`] to a gradient by coefficients.
    pub(crate) fn gradient(&self, shared: &[f64], tables: &[Vec<f64>]) -> Vec<f64> {
        let classes = self.classes.len();
        let mut gradient = vec![0.0; self.width()];
        gradient[..classes].copy_from_slice(shared);
        for (number, (axis, table)) in self.axes.iter().zip(tables).enumerate() {
            let mut of_features = vec![0.0; axis.width * classes];
            for (row, features) in table.chunks_exact(classes).zip(&axis.features) {
                for &(feature, value) in features {
                    let sums = &mut of_features[feature as usize * classes..][..classes];
                    sums.iter_mut().zip(row).for_each(|(sum, own)| *sum += value * own);
                }
            }
            for (feature, sums) in of_features.chunks_exact(classes).enumerate() {
                let slots = gradient[self.start(number, feature as u32)..].iter_mut();
                for (slot, direction) in slots.zip(&self.classes.directions) {
                    *slot = direction.product(sums);
                }
            }
        }
        gradient
    }

    /// The coefficients with each axis strengthened by its factor.
    pub(crate) fn strengthened(&self, theta: &[f64], factors: &[f64]) -> Vec<f64> {
        let mut theta = theta.to_vec();
        for (axis, factor) in factors.iter().enumerate() {
            let start = self.start(axis, 0);
            let width = self.axes[axis].width * self.classes.directions.len();
            theta[start..start + width].iter_mut().for_each(|own| *own *= factor);
        }
        theta
    }
}

/// The approximate number of rows that show each code.
fn counts(shown: &ShownCodes, evidence: &Evidence, codes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; codes];
    match shown {
        ShownCodes::Rows(own) | ShownCodes::Shuffled(own) => {
            own.iter().for_each(|&code| counts[code as usize] += 1.0);
        }
        ShownCodes::Cells { ends, ranges } => {
            let mut start = 0;
            for (rows, &end) in evidence.classes().iter().zip(ends) {
                let cell = &ranges[start as usize..end as usize];
                let members: u32 = cell.iter().map(|(low, high)| high - low + 1).sum();
                let each = rows.len() as f64 / f64::from(members.max(1));
                for &(low, high) in cell {
                    (low..=high).for_each(|code| counts[code as usize] += each);
                }
                start = end;
            }
        }
    }
    counts
}
