//! Counts how often classes of known values occur with classes of sensitive values: in a table, or
//! as a reader of a release estimates it.

use openveil_core::release::{Cells, Content};
use openveil_core::table::View;
use rayon::prelude::*;
use std::ops::Range;

/// Groups or rows that are counted in one piece. Pieces are added up in their order, so that sums
/// are equal on every machine.
const PIECE: usize = 1 << 14;

/// The people to count.
#[derive(Debug, Clone, Copy)]
pub enum CountedPeople<'a> {
    /// The people in the owner's table. Results are not for publication.
    Table(&'a View),
    /// The people in a release. Codes are assumed to be spread evenly over their cell, and columns
    /// that a group shows separately to be independent of the rest. Only the domains of the table
    /// are read.
    Release(&'a View, &'a Content),
}

/// Classes of a domain's codes, in runs of equal length, to limit their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRuns {
    width: u32,
    count: usize,
}

impl CodeRuns {
    /// Divides the codes below `codes` into at most `most` classes; each code is a class if there
    /// are no more.
    pub fn new(codes: usize, most: usize) -> Self {
        let width = codes.div_ceil(most.max(1)).max(1);
        Self { width: width as u32, count: codes.div_ceil(width).max(1) }
    }

    /// Number of classes.
    pub fn count(self) -> usize {
        self.count
    }

    /// The class of a code.
    pub fn of_code(self, code: u32) -> usize {
        (code / self.width) as usize
    }
}

/// The number of people for each combination of classes of some known columns and each class of the
/// sensitive value.
#[derive(Debug, Clone, PartialEq)]
pub struct Contingency {
    values: usize,
    /// By combination, then class of value.
    counts: Vec<f64>,
}

impl Contingency {
    /// Counts the combinations of some known columns, at most `most` classes of each,
    /// with at most `most_values` classes of sensitive values. Without columns there is
    /// one combination.
    ///
    /// O(rows · columns) for a table; O(classes that each group's cells allow · its values) for a
    /// release, in parallel.
    ///
    /// # Panics
    /// If the table does not have an axis.
    pub fn new(
        counted: CountedPeople<'_>,
        axes: &[usize],
        most: usize,
        most_values: usize,
    ) -> Self {
        let (CountedPeople::Table(view) | CountedPeople::Release(view, _)) = counted;
        let layout = CountedColumns {
            axes,
            classes: axes
                .iter()
                .map(|&axis| CodeRuns::new(view.known()[axis].domain().len(), most))
                .collect(),
            values: CodeRuns::new(view.secret().values(), most_values),
        };
        let parts = match counted {
            CountedPeople::Table(_) => view.rows(),
            CountedPeople::Release(_, release) => release.group_count(),
        };
        let pieces: Vec<Vec<f64>> = (0..parts.div_ceil(PIECE))
            .into_par_iter()
            .map(|piece| {
                let part = piece * PIECE..((piece + 1) * PIECE).min(parts);
                match counted {
                    CountedPeople::Table(view) => layout.count_rows(view, part),
                    CountedPeople::Release(_, release) => layout.count_groups(release, part),
                }
            })
            .collect();
        let mut counts = vec![0.0; layout.cells()];
        for piece in pieces {
            counts.iter_mut().zip(piece).for_each(|(sum, count)| *sum += count);
        }
        Self { values: layout.values.count(), counts }
    }

    /// The counts of each combination, by class of value.
    pub fn combinations(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.counts.chunks(self.values)
    }

    /// The number of people of each combination.
    pub fn margin(&self) -> Vec<f64> {
        self.combinations().map(|counts| counts.iter().sum()).collect()
    }

    /// The number of people of each class of value.
    pub fn value_margin(&self) -> Vec<f64> {
        let mut margin = vec![0.0; self.values];
        for counts in self.combinations() {
            margin.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        margin
    }

    /// Combinations of two columns as a table of the first by the second, which has `second`
    /// classes; sensitive values are added up.
    pub(super) fn by_second(&self, second: usize) -> Self {
        Self { values: second, counts: self.margin() }
    }

    /// Cramér's V: 0 if rows and columns are independent, 1 if one determines the other. 0 for a
    /// table of one row or column.
    pub fn cramers_v(&self) -> f64 {
        let (rows, columns) = (self.margin(), self.value_margin());
        let total: f64 = rows.iter().sum();
        let present = |margin: &[f64]| margin.iter().filter(|&&count| count > 0.0).count();
        let degrees = present(&rows).min(present(&columns));
        if degrees < 2 {
            return 0.0;
        }
        let mut sum = 0.0;
        for (counts, row) in self.combinations().zip(&rows) {
            for (count, column) in counts.iter().zip(&columns) {
                if *count > 0.0 {
                    sum += count * count / (row * column);
                }
            }
        }
        let phi_squared = (sum - 1.0).max(0.0).min(total);
        (phi_squared / (degrees - 1) as f64).sqrt().min(1.0)
    }

    /// The correlation ratio η: the square root of the share of the numbers' variance that
    /// combinations explain. `numbers` has one number for each class of value. 0 to 1; 0 if all
    /// numbers are equal.
    pub fn correlation_ratio(&self, numbers: &[f64]) -> f64 {
        // The squares of the largest floats would be infinite.
        let largest = numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
        let unit = if largest > 1e100 { largest } else { 1.0 };
        let numbers = &numbers.iter().map(|number| number / unit).collect::<Vec<f64>>();
        let weighted = |counts: &[f64]| -> f64 {
            counts.iter().zip(numbers).map(|(count, number)| count * number).sum()
        };
        let values = self.value_margin();
        let total: f64 = values.iter().sum();
        let mean = weighted(&values) / total;
        let variance: f64 =
            values.iter().zip(numbers).map(|(count, number)| count * (number - mean).powi(2)).sum();
        let between: f64 = self
            .combinations()
            .filter_map(|counts| {
                let people: f64 = counts.iter().sum();
                (people > 0.0).then(|| people * (weighted(counts) / people - mean).powi(2))
            })
            .sum();
        if variance > 0.0 { (between / variance).clamp(0.0, 1.0).sqrt() } else { 0.0 }
    }

    /// The total variation distance of the combinations' shares from another table's:
    /// the share of people that would have to change, 0 to 1.
    pub fn distance(&self, other: &Self) -> f64 {
        let (own, theirs) = (self.margin(), other.margin());
        let total = |margin: &[f64]| margin.iter().sum::<f64>().max(1.0);
        let (all, all_theirs) = (total(&own), total(&theirs));
        own.iter().zip(&theirs).map(|(a, b)| (a / all - b / all_theirs).abs()).sum::<f64>() / 2.0
    }
}

/// The columns and classes that are counted.
struct CountedColumns<'a> {
    axes: &'a [usize],
    classes: Vec<CodeRuns>,
    values: CodeRuns,
}

/// A combination of classes, and its share of a group's rows.
type ClassShare = (usize, f64);

impl CountedColumns<'_> {
    fn cells(&self) -> usize {
        let combinations: usize = self.classes.iter().map(|classes| classes.count()).product();
        combinations * self.values.count()
    }

    fn count_rows(&self, view: &View, rows: Range<usize>) -> Vec<f64> {
        let mut counts = vec![0.0; self.cells()];
        for row in rows {
            let mut place = 0;
            for (&axis, classes) in self.axes.iter().zip(&self.classes) {
                let code = view.known()[axis].codes()[row];
                place = place * classes.count() + classes.of_code(code);
            }
            let value = self.values.of_code(view.secret().codes()[row]);
            counts[place * self.values.count() + value] += 1.0;
        }
        counts
    }

    fn count_groups(&self, release: &Content, groups: Range<usize>) -> Vec<f64> {
        let mut counts = vec![0.0; self.cells()];
        for (group, class) in
            groups.flat_map(|group| release.classes(group).map(move |own| (group, own)))
        {
            let shares = self.shares(release, class);
            let of_group = release.class_share(group, class);
            for (value, count) in release.value_counts(group) {
                let value = self.values.of_code(value);
                for &(place, share) in &shares {
                    let share = share * of_group;
                    counts[place * self.values.count() + value] += share * f64::from(count);
                }
            }
        }
        counts
    }

    /// The combinations that a class's cells allow. Exact columns are combined in intact rows.
    fn shares(&self, release: &Content, class: usize) -> Vec<ClassShare> {
        let rows = release.class_rows(class);
        let cells = |at: usize| &release.cells()[self.axes[at]];
        let is_exact = |at: &usize| matches!(cells(*at), Cells::Exact(_));
        let exact: Vec<usize> = (0..self.axes.len()).filter(is_exact).collect();
        let mut shares = vec![(0, 1.0)];
        if !exact.is_empty() {
            shares = added_up(
                rows.clone()
                    .map(|row: usize| {
                        (
                            exact.iter().fold(0, |sum, at| match cells(*at) {
                                Cells::Exact(codes) => {
                                    sum + self.classes[*at].of_code(codes[row]) * self.step(*at)
                                }
                                _ => sum,
                            }),
                            1.0 / rows.len() as f64,
                        )
                    })
                    .collect(),
            );
        }
        for at in (0..self.axes.len()).filter(|at| !is_exact(at)) {
            let own = shares_of_cell(cells(at), class, rows.clone(), self.classes[at]);
            let step = self.step(at);
            let product = shares.iter().flat_map(|&(place, share)| {
                own.iter().map(move |&(class, own)| (place + class * step, share * own))
            });
            shares = product.collect();
        }
        shares
    }

    /// The distance between the places of neighbouring classes of a column.
    fn step(&self, at: usize) -> usize {
        self.classes[at + 1..].iter().map(|classes| classes.count()).product()
    }
}

/// The share of each class of codes in the cell that a class of rows shows of a column.
fn shares_of_cell(
    cells: &Cells,
    shown: usize,
    rows: Range<usize>,
    classes: CodeRuns,
) -> Vec<ClassShare> {
    let mut shares: Vec<ClassShare> = Vec::new();
    let mut all = 0.0;
    for (low, high) in cells.spans(shown, rows) {
        all += f64::from(high - low + 1);
        for class in classes.of_code(low)..=classes.of_code(high) {
            let first = (class as u32 * classes.width).max(low);
            let last = (class as u32 * classes.width + (classes.width - 1)).min(high);
            shares.push((class, f64::from(last - first + 1)));
        }
    }
    let mut shares = added_up(shares);
    shares.iter_mut().for_each(|(_, share)| *share /= all);
    shares
}

/// Adds up the shares of the same place; places ascend.
fn added_up(mut shares: Vec<ClassShare>) -> Vec<ClassShare> {
    shares.sort_by_key(|(place, _)| *place);
    let runs = shares.chunk_by(|a, b| a.0 == b.0);
    runs.map(|run| (run[0].0, run.iter().map(|(_, share)| share).sum())).collect()
}
