//! A release in codes. This crate uses nothing else.

use openveil_core::release::{Cells, Content};
use openveil_core::table::{Column, Secret};
use std::borrow::Cow;
use std::ops::Range;

/// The codes that a release shows of one known column.
#[derive(Debug, Clone)]
pub enum ShownCodes {
    /// The code of each row, combined with the row's other codes.
    Rows(Vec<u32>),
    /// The codes of each class; the release does not show which row has which code.
    Shuffled(Vec<u32>),
    /// Per class, ranges of codes. Each code in them is equally likely.
    Cells {
        /// Where each class's ranges end.
        ends: Vec<u32>,
        /// The ranges of all classes, first and last code.
        ranges: Vec<(u32, u32)>,
    },
}

/// A release in codes: groups, their values, and the published codes of each known column.
#[derive(Debug, Clone)]
pub struct Evidence {
    ends: Vec<u32>,
    /// The class of each row: rows of a group that are shown alike.
    class_of: Vec<u32>,
    /// The rows of each class.
    classes: Vec<Range<usize>>,
    values: Vec<u32>,
    known: Vec<ShownCodes>,
    /// The number of people per row of each group; empty if every row is a person.
    weights: Vec<f64>,
}

impl Evidence {
    /// The evidence of a release. O(rows · columns).
    pub fn new(content: &Content) -> Self {
        let mut end = 0;
        let ends: Vec<u32> = content
            .group_sizes()
            .map(|size| {
                end += size;
                end
            })
            .collect();
        let classes: Vec<Range<usize>> =
            (0..content.class_count()).map(|class| content.class_rows(class)).collect();
        let class_of = (0..)
            .zip(&classes)
            .flat_map(|(class, rows)| std::iter::repeat_n(class, rows.len()))
            .collect();
        Self {
            values: content.row_values().to_vec(),
            known: content
                .cells()
                .iter()
                .map(|cells| match cells {
                    Cells::Exact(codes) => ShownCodes::Rows(codes.clone()),
                    Cells::Sliced(codes) => ShownCodes::Shuffled(codes.clone()),
                    _ => {
                        let (mut own, mut ranges) = (Vec::with_capacity(classes.len()), Vec::new());
                        for (class, rows) in classes.iter().enumerate() {
                            ranges.extend(cells.spans(class, rows.clone()));
                            own.push(ranges.len() as u32);
                        }
                        ShownCodes::Cells { ends: own, ranges }
                    }
                })
                .collect(),
            classes,
            class_of,
            ends,
            weights: Vec::new(),
        }
    }

    /// This evidence, or every k-th of its groups, so many that they have about this many rows.
    /// O(rows · columns).
    pub(crate) fn sample(&self, rows: usize) -> Cow<'_, Self> {
        let step = self.rows().div_ceil(rows.max(1));
        if step < 2 {
            return Cow::Borrowed(self);
        }
        let (mut classes, mut own_classes) = (Vec::new(), Vec::new());
        let (mut rows, mut ends, mut class_of) = (Vec::new(), Vec::new(), Vec::new());
        for group in (0..self.groups()).step_by(step) {
            for row in self.rows_of(group) {
                let class = self.class_of(row);
                if own_classes.last() != Some(&class) {
                    let start = rows.len();
                    classes.push(start..start + self.classes[class].len());
                    own_classes.push(class);
                }
                class_of.push(own_classes.len() as u32 - 1);
                rows.push(row);
            }
            ends.push(rows.len() as u32);
        }
        let of_rows = |all: &[u32]| -> Vec<u32> { rows.iter().map(|&row| all[row]).collect() };
        let shown = |shown: &ShownCodes| match shown {
            ShownCodes::Rows(codes) => ShownCodes::Rows(of_rows(codes)),
            ShownCodes::Shuffled(codes) => ShownCodes::Shuffled(of_rows(codes)),
            ShownCodes::Cells { ends, ranges } => {
                let (mut own, mut kept) = (Vec::new(), Vec::new());
                for &class in &own_classes {
                    let start = if class == 0 { 0 } else { ends[class - 1] };
                    kept.extend_from_slice(&ranges[start as usize..ends[class] as usize]);
                    own.push(kept.len() as u32);
                }
                ShownCodes::Cells { ends: own, ranges: kept }
            }
        };
        Cow::Owned(Self {
            values: of_rows(&self.values),
            known: self.known.iter().map(shown).collect(),
            weights: self.weights.iter().copied().step_by(step).collect(),
            classes,
            class_of,
            ends,
        })
    }

    /// Sets how many people a row of each group represents, if some rows are fillers.
    ///
    /// # Panics
    /// If there is not one weight per group.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        assert_eq!(weights.len(), self.ends.len(), "one weight per group");
        self.weights = weights;
        self
    }

    /// The number of people: rows, each counted by its weight. O(groups).
    pub fn people(&self) -> usize {
        (0..self.groups())
            .map(|group| self.rows_of(group).len() as f64 * self.weight(group))
            .sum::<f64>()
            .round() as usize
    }

    /// Whether there are enough groups for a fit.
    pub fn says_enough(&self) -> bool {
        self.groups() >= Self::LEAST_GROUPS
    }

    /// The fewest groups that a fit needs.
    pub const LEAST_GROUPS: usize = 16;

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len()
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.ends.len()
    }

    /// The rows of a group.
    #[inline]
    pub fn rows_of(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start as usize..self.ends[group] as usize
    }

    /// The rows of each class, in the order of groups.
    pub fn classes(&self) -> &[Range<usize>] {
        &self.classes
    }

    /// The class of a row.
    #[inline]
    pub fn class_of(&self, row: usize) -> usize {
        self.class_of[row] as usize
    }

    /// The values of all groups, ascending inside each group.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// The published codes of each known column.
    pub fn known(&self) -> &[ShownCodes] {
        &self.known
    }

    /// The number of people that a row of a group represents.
    #[inline]
    pub fn weight(&self, group: usize) -> f64 {
        self.weights.get(group).copied().unwrap_or(1.0)
    }

    /// Whether a known column does not show which row has which code.
    pub fn hides_rows(&self) -> bool {
        self.known.iter().any(|shown| !matches!(shown, ShownCodes::Rows(_)))
    }

    /// How often each value occurs.
    pub(crate) fn histogram(&self, values: usize) -> Vec<f64> {
        let mut counts = vec![0.0; values];
        self.values.iter().for_each(|&value| counts[value as usize] += 1.0);
        counts
    }
}

/// The meaning of the codes of a release: the known columns and the secret. Their rows are not
/// used.
#[derive(Debug, Clone)]
pub struct Meaning {
    /// The known columns, in the order of [`Evidence::known`].
    pub known: Vec<Column>,
    /// The secret.
    pub secret: Secret,
    /// For each known column, the number of each code, if codes have numbers.
    pub numbers: Vec<Option<Vec<f64>>>,
    /// The number of each secret value, if values have numbers.
    pub secret_numbers: Option<Vec<f64>>,
    /// Pairs of known columns whose effects a fit does not only add up.
    pub pairs: Vec<(usize, usize)>,
}

impl Meaning {
    /// Derives the meaning of the codes from these columns. An ordered column whose labels are
    /// numbers has numbers. A label that is not a number, such as a missing value, becomes NaN.
    pub fn new(known: &[Column], secret: &Secret) -> Self {
        let numbers = |column: &Column| {
            let domain = column.domain();
            domain.is_ordered().then(|| numbers(domain.labels()))?
        };
        let is_ordered = secret.is_ordered();
        let labels = secret.labels();
        Self {
            numbers: known.iter().map(numbers).collect(),
            secret_numbers: is_ordered
                .then(|| self::numbers(labels.iter().map(String::as_str)))
                .flatten(),
            known: known.iter().map(|column| column.clone().with_codes(Vec::new())).collect(),
            secret: secret.clone().with_codes(Vec::new()),
            pairs: Vec::new(),
        }
    }
}

/// The numbers of labels, if most labels are numbers.
fn numbers<'a>(labels: impl Iterator<Item = &'a str>) -> Option<Vec<f64>> {
    let number = |label: &str| label.parse().ok().filter(|n: &f64| n.is_finite());
    let found: Vec<f64> = labels.map(|label| number(label).unwrap_or(f64::NAN)).collect();
    let known = found.iter().filter(|number| !number.is_nan()).count();
    (known >= 3 && 10 * known >= 9 * found.len()).then_some(found)
}
