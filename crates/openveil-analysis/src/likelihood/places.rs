//! Which values share a column, for each row.

use crate::evidence::Evidence;
use crate::model::ModelShape;
use std::collections::HashMap;

/// The column of a value is unknown.
pub(super) const ANY: u32 = u32::MAX;

/// The facts of a release that a likelihood needs and that do not depend on the people's codes.
#[derive(Debug)]
pub(crate) struct Places {
    /// For each row of the release: the class of its value.
    pub(super) class: Vec<u16>,
    /// For each row: the column that its value came from, as a position in `columns`, or [`ANY`].
    pub(super) column: Vec<u32>,
    /// For each column: its classes, with the share of each class that lies in the column.
    pub(super) columns: Vec<Vec<(u16, f64)>>,
}

impl Places {
    pub(crate) fn of(evidence: &Evidence, shape: &ModelShape) -> Self {
        let class = |&value: &u32| shape.classes.of_value[value as usize];
        let class: Vec<u16> = evidence.values().iter().map(class).collect();
        let mut places = Self {
            column: vec![ANY; class.len()],
            class,
            columns: Vec::new(),
        };
        let mut known: HashMap<&[u32], u32> = HashMap::new();
        let mut group = 0;
        for unit in evidence.units() {
            let groups = group..group + unit.groups() as usize;
            group = groups.end;
            let mut of_value: HashMap<u32, u32> = HashMap::new();
            if unit.columns().is_empty() {
                // Every column holds a single value, so nothing is random.
                for row in groups.flat_map(|group| evidence.rows_of(group)) {
                    let value = std::slice::from_ref(&evidence.values()[row]);
                    let next = places.columns.len() as u32;
                    let number = *known.entry(value).or_insert(next);
                    if number == next {
                        places.columns.push(shares(value, shape));
                    }
                    places.column[row] = number;
                }
                continue;
            }
            let mut is_clear = true;
            for column in unit.columns() {
                let next = places.columns.len() as u32;
                let number = *known.entry(column).or_insert(next);
                if number == next {
                    places.columns.push(shares(column, shape));
                }
                for &value in column {
                    is_clear &= of_value.insert(value, number).is_none();
                }
            }
            // A value in two columns may have come from either.
            if is_clear {
                for row in groups.flat_map(|group| evidence.rows_of(group)) {
                    if let Some(&number) = of_value.get(&evidence.values()[row]) {
                        places.column[row] = number;
                    }
                }
            }
        }
        places
    }

    /// The chance that a person with these chances of classes comes from a column.
    #[inline]
    pub(super) fn chance(&self, column: u32, chances: &[f64]) -> f64 {
        let column = self.columns[column as usize].iter();
        column
            .map(|&(class, share)| share * chances[class as usize])
            .sum()
    }
}

/// The classes of a column's values, with the values' share of each class.
fn shares(column: &[u32], shape: &ModelShape) -> Vec<(u16, f64)> {
    let mut shares: Vec<(u16, f64)> = Vec::new();
    for &value in column {
        let (class, share) = (
            shape.classes.of_value[value as usize],
            shape.classes.share[value as usize],
        );
        match shares.iter_mut().find(|own| own.0 == class) {
            Some(own) => own.1 += share,
            None => shares.push((class, share)),
        }
    }
    shares
}
