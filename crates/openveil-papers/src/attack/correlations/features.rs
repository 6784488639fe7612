//! The features of a reader's model: people by classes of their quasi-identifiers.

use openveil_core::table::{Column, Histogram, View};
use std::collections::HashMap;

/// The largest number of classes of an ordered column: ranges.
const FINE: usize = 64;

/// The largest number of classes of an unordered column: the most frequent values, and one class of
/// all others.
const FREQUENT: usize = 256;

/// The number of classes of a second, coarser feature of an ordered column: neighbouring values
/// have something in common.
const COARSE: usize = 8;

/// The class of people about whom a feature says nothing.
const NO_CLASS: u32 = u32::MAX;

/// A division of one table's people: by a column's values, or by ranges of them.
#[derive(Debug, Clone)]
struct FeatureDivision {
    axis: usize,
    classes: usize,
    /// The class of each label, since other tables have other codes.
    of_label: HashMap<Box<str>, u32>,
    /// The numbers of an ordered column, ascending, with their classes, since other tables have
    /// other numbers.
    borders: Vec<(f64, u32)>,
}

/// The features of a table, by which people of other tables can be described, too.
#[derive(Debug, Clone)]
pub(super) struct Features {
    features: Vec<FeatureDivision>,
    values: HashMap<String, u32>,
}

/// A table's people and their values in the terms of [`Features`].
#[derive(Debug, Clone)]
pub(super) struct FeaturePeople {
    /// Number of features.
    pub(super) width: usize,
    /// Number of classes of all features together; class numbers are below it.
    pub(super) classes: usize,
    /// Number of values of the sensitive column.
    pub(super) values: usize,
    /// By row, the class in each feature, or [`NO_CLASS`].
    of_row: Vec<u32>,
    /// By row, the value; None for a value that the other table does not have.
    truth: Vec<Option<u32>>,
}

impl Features {
    /// Makes the features of a table. O(rows · columns).
    pub(super) fn new(table: &View) -> Self {
        let mut features = Vec::new();
        for (axis, column) in table.known().iter().enumerate() {
            if !column.domain().is_ordered() {
                features.push(FeatureDivision::frequent(axis, column));
                continue;
            }
            let fine = FeatureDivision::ranges(axis, column, FINE);
            let with_coarse = fine.classes > 2 * COARSE;
            features.push(fine);
            if with_coarse {
                features.push(FeatureDivision::ranges(axis, column, COARSE));
            }
        }
        let labels = table.secret().labels().into_iter();
        Self { features, values: labels.zip(0..).collect() }
    }

    /// Returns the number of parameters of a model: one per class and value.
    pub(super) fn parameters(&self) -> usize {
        let classes = self.features.iter().map(|feature| feature.classes);
        (1 + classes.sum::<usize>()).saturating_mul(self.values.len())
    }

    /// Describes a table's people. The table has the same columns; its domains may differ. O(rows ·
    /// columns).
    pub(super) fn people(&self, table: &View) -> FeaturePeople {
        let mut of_row = vec![NO_CLASS; table.rows() * self.features.len()];
        let mut start = 0;
        for (at, feature) in self.features.iter().enumerate() {
            let column = &table.known()[feature.axis];
            let of_code = feature.in_domain_of(column);
            let places = of_row[at..].iter_mut().step_by(self.features.len());
            for (place, &code) in places.zip(column.codes()) {
                if let Some(class) = of_code[code as usize] {
                    *place = start + class;
                }
            }
            start += feature.classes as u32;
        }
        let labels = table.secret().labels().into_iter();
        let known: Vec<Option<u32>> =
            labels.map(|label| self.values.get(&label).copied()).collect();
        let codes = table.secret().codes().iter();
        FeaturePeople {
            width: self.features.len(),
            classes: start as usize,
            values: self.values.len(),
            of_row,
            truth: codes.map(|&code| known[code as usize]).collect(),
        }
    }
}

impl FeatureDivision {
    /// Makes one class per value, or classes of the most frequent values and one class of all
    /// others.
    fn frequent(axis: usize, column: &Column) -> Self {
        let histogram = Histogram::new(column.codes(), column.domain().len());
        let mut class_of = vec![0; column.domain().len()];
        for (rank, code) in histogram.by_count().into_iter().enumerate() {
            class_of[code as usize] = rank.min(FREQUENT - 1) as u32;
        }
        let labels = column.domain().labels().map(Box::from);
        Self {
            axis,
            classes: class_of.len().min(FREQUENT),
            of_label: labels.zip(class_of).collect(),
            borders: Vec::new(),
        }
    }

    /// Makes one class per value, or so many ranges of about equally many rows.
    fn ranges(axis: usize, column: &Column, most: usize) -> Self {
        let codes = column.domain().len();
        let histogram = Histogram::new(column.codes(), codes);
        let counts: Vec<usize> = histogram.counts().iter().map(|&c| c as usize).collect();
        let rows = column.codes().len().max(1);
        let mut before = 0;
        let mut of_code = Vec::with_capacity(codes);
        for (code, count) in counts.iter().enumerate() {
            let class = match codes <= most {
                true => code,
                // A value belongs to the range in which the middle of its rows lies.
                false => ((2 * before + count) * most / (2 * rows)).min(most - 1),
            };
            of_code.push(class as u32);
            before += count;
        }
        let labels = column.domain().labels().map(Box::from);
        let numbers = column
            .domain()
            .labels()
            .zip(&of_code)
            .filter_map(|(label, &class)| Some((number(label)?, class)));
        Self {
            axis,
            classes: codes.min(most),
            borders: numbers.collect(),
            of_label: labels.zip(of_code).collect(),
        }
    }

    /// Returns the class of each code of a column, which may be of another table.
    fn in_domain_of(&self, column: &Column) -> Vec<Option<u32>> {
        let labels = column.domain().labels();
        labels
            .map(|label| self.of_label.get(label).copied().or_else(|| self.nearest(number(label)?)))
            .collect()
    }

    /// Returns the class of the greatest number up to another number, or of the least number.
    fn nearest(&self, number: f64) -> Option<u32> {
        let after = self.borders.partition_point(|(known, _)| *known <= number);
        self.borders.get(after.saturating_sub(1)).map(|&(_, class)| class)
    }
}

/// Returns a number, or a day as `YYYYMMDD`, so that days have their order.
fn number(label: &str) -> Option<f64> {
    let bytes = label.as_bytes();
    let is_day = bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-';
    if is_day { label.replace('-', "").parse().ok() } else { label.parse().ok() }
}

impl FeaturePeople {
    /// Returns the number of people.
    pub(super) fn len(&self) -> usize {
        self.truth.len()
    }

    /// Returns the classes that a person is in.
    pub(super) fn classes_of(&self, row: u32) -> impl Iterator<Item = usize> + Clone {
        let start = row as usize * self.width;
        self.of_row[start..start + self.width]
            .iter()
            .filter(|&&class| class != NO_CLASS)
            .map(|&class| class as usize)
    }

    /// Returns the number of people with each value.
    pub(super) fn histogram(&self) -> Vec<u32> {
        let mut counts = vec![0; self.values];
        self.truth.iter().flatten().for_each(|&value| counts[value as usize] += 1);
        counts
    }

    /// Returns a person's value.
    pub(super) fn truth(&self, row: u32) -> Option<u32> {
        self.truth[row as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::table::{Domain, Secret};

    fn table(column: Column) -> View {
        let values = vec![0; column.codes().len()];
        View::new(vec![column], Secret::new("ill", values, ["flu"])).unwrap()
    }

    fn class_of(features: &Features, column: Column) -> Vec<Vec<usize>> {
        let people = features.people(&table(column));
        let rows = 0..people.len() as u32;
        rows.map(|row| people.classes_of(row).collect()).collect()
    }

    #[test]
    fn numbers_of_other_tables_are_between_those_of_this_one() {
        let wages = Column::new("wage", (0..200).collect(), Domain::integers(0..200));
        let features = Features::new(&table(wages.clone()));
        let own = class_of(&features, wages);
        let halves = (0..199).map(|wage| format!("{wage}.5"));
        let others = Column::new("wage", (0..199).collect(), Domain::ordered(halves));
        assert_eq!(class_of(&features, others), own[..199]);
        let text = Column::new("wage", vec![0], Domain::unordered(["much"]));
        assert_eq!(class_of(&features, text), [Vec::<usize>::new()]);
    }

    #[test]
    fn days_have_an_order() {
        let days = |days: [&str; 3]| Column::new("day", vec![0, 1, 2], Domain::ordered(days));
        let features = Features::new(&table(days(["2020-01-05", "2020-02-01", "2021-01-01"])));
        let found = class_of(&features, days(["2019-07-01", "2020-01-31", "2020-12-31"]));
        assert_eq!(found, [[0], [0], [1]]);
    }

    #[test]
    fn frequent_texts_have_classes_of_their_own() {
        let codes: Vec<u32> = (0..900).map(|row| if row < 300 { row } else { row % 3 }).collect();
        let labels = (0..300).map(|zip| zip.to_string());
        let zips = Column::new("zip", codes, Domain::unordered(labels));
        let features = Features::new(&table(zips.clone()));
        let found = class_of(&features, zips);
        assert_eq!(found[..3], [[0], [1], [2]]);
        // Codes from 255 on are among the others.
        assert_eq!((found[254][0], found[255][0], found[299][0]), (254, 255, 255));
    }
}
