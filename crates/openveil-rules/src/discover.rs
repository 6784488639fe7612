//! Finds dependencies in the data.

use openveil_core::table::PeopleTable;
use rayon::prelude::*;

/// A column that determines another one, exactly or nearly, in the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discovered {
    /// The column that determines.
    pub given: usize,
    /// The column that is determined.
    pub determines: usize,
    /// The share of rows that have the most frequent value of their class: 1 if the
    /// dependency is exact.
    pub share: f64,
}

/// Finds columns that determine another column in at least the share `least` of the rows.
///
/// Two kinds of columns are left out, because their dependencies mean nothing: a column whose
/// values mostly occur once determines everything, and a nearly constant column is determined by
/// everything. O(n · columns²) time, whatever the size of the domains.
pub fn discovered(records: &PeopleTable, least: f64) -> Vec<Discovered> {
    let columns: Vec<usize> = records.all().iter().collect();
    let found = columns.par_iter().flat_map_iter(|&given| {
        let order = by_class(records, given);
        columns.iter().copied().filter(move |&other| other != given).filter_map(move |determines| {
            let share = explained(records, determines, &order)?;
            (share >= least).then_some(Discovered { given, determines, share })
        })
    });
    let constant = |column: usize| {
        let rows: Vec<u32> = (0..records.rows() as u32).collect();
        explained(records, column, &[rows]).is_some_and(|share| share >= least)
    };
    let constant: Vec<bool> = columns.par_iter().map(|&column| constant(column)).collect();
    found.filter(|found| !constant[found.determines]).collect()
}

/// The rows of every value of a column.
fn by_class(records: &PeopleTable, column: usize) -> Vec<Vec<u32>> {
    let codes = records.codes(column);
    let values = codes.iter().max().map_or(0, |&most| most as usize + 1);
    let mut classes = vec![Vec::new(); values];
    for (row, &code) in codes.iter().enumerate() {
        classes[code as usize].push(row as u32);
    }
    classes
}

/// Among rows that share their class with others, the share with the class's most frequent value.
/// `None` if these are less than half of all rows.
fn explained(records: &PeopleTable, column: usize, classes: &[Vec<u32>]) -> Option<f64> {
    let codes = records.codes(column);
    let values = codes.iter().max().map_or(0, |&most| most as usize + 1);
    let mut counts = vec![0u32; values];
    let (mut rows, mut explained) = (0usize, 0u64);
    for class in classes.iter().filter(|class| class.len() > 1) {
        let mut most = 0;
        for &row in class {
            let count = &mut counts[codes[row as usize] as usize];
            *count += 1;
            most = most.max(*count);
        }
        for &row in class {
            counts[codes[row as usize] as usize] = 0;
        }
        rows += class.len();
        explained += u64::from(most);
    }
    (2 * rows >= records.rows()).then(|| explained as f64 / rows as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_and_near_dependencies_are_found() {
        let rows = 0..1_000u32;
        let zip: Vec<u32> = rows.clone().map(|row| row % 20).collect();
        let county: Vec<u32> = zip.iter().map(|zip| zip / 5).collect();
        // The last five rows break the dependency.
        let near: Vec<u32> =
            rows.clone().map(|row| if row < 995 { county[row as usize] } else { 9 }).collect();
        let other: Vec<u32> = rows.clone().map(|row| row / 7 % 3).collect();
        let key: Vec<u32> = rows.clone().collect();
        let constant = vec![0; 1_000];
        let records = PeopleTable::of_codes(vec![zip, county, near, other, key, constant]).unwrap();
        let found = discovered(&records, 0.99);
        let pairs: Vec<(usize, usize, bool)> =
            found.iter().map(|found| (found.given, found.determines, found.share == 1.0)).collect();
        // The five rows that break the dependency agree with each other.
        let expected = [(0, 1, true), (0, 2, false), (1, 2, false), (2, 1, true)];
        assert_eq!(pairs, expected);
    }
}
