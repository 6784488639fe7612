//! Reads from a manifest which values share a column. The manifest is untrusted.

use crate::release_dir::write::manifest::LayoutEntry;
use std::collections::HashSet;

/// The columns of values; each group took one value from each of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The values that columns name by their position.
    pub values: Vec<String>,
    /// Units of consecutive groups, in the order of group numbers.
    pub units: Vec<LayoutUnit>,
}

/// Consecutive groups that took one value from each of the same columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutUnit {
    /// Number of groups, at least one.
    pub groups: u32,
    /// Positions of each column's values, ascending; empty where no column has several values.
    pub columns: Vec<Vec<usize>>,
}

impl Layout {
    /// Reads the layout of a table with so many groups.
    ///
    /// O(length of the entry).
    ///
    /// # Errors
    /// Units that do not add up to the groups, columns without values, positions that are no
    /// numbers or have no value. The error is a message.
    pub fn of(entry: &LayoutEntry, groups: usize) -> Result<Self, String> {
        let mut names = HashSet::new();
        if let Some(twice) = entry.values.iter().find(|value| !names.insert(*value)) {
            return Err(format!("the layout names the value `{twice}` twice"));
        }
        let mut sum = 0u64;
        let mut units = Vec::with_capacity(entry.units.len());
        for (number, unit) in (1..).zip(&entry.units) {
            if unit.groups == 0 {
                return Err(format!("unit {number} of the layout has no groups"));
            }
            sum += u64::from(unit.groups);
            let columns = unit.columns.as_deref();
            let columns = columns.map(|text| columns_of(text, entry.values.len(), number));
            units.push(LayoutUnit {
                groups: unit.groups,
                columns: columns.transpose()?.unwrap_or_default(),
            });
        }
        if sum != groups as u64 {
            return Err(format!(
                "the units of the layout have {sum} groups, and the table has {groups}"
            ));
        }
        Ok(Self {
            values: entry.values.clone(),
            units,
        })
    }
}

/// Reads columns as they are written: `0 3 9 | 1 7 | 2 4 5`.
fn columns_of(text: &str, values: usize, unit: usize) -> Result<Vec<Vec<usize>>, String> {
    let column = |(number, text): (usize, &str)| {
        let place = format!("column {number} of unit {unit} of the layout");
        let mut column: Vec<usize> = Vec::new();
        for word in text.split_whitespace() {
            let position = word.parse::<usize>();
            let position = position.map_err(|_| format!("{place} names `{word}`, not a number"))?;
            if position >= values {
                return Err(format!(
                    "{place} names value {position}, and there are {values}, counted from 0"
                ));
            }
            if column.last().is_some_and(|&last| last >= position) {
                return Err(format!(
                    "{place} does not name its values in ascending order"
                ));
            }
            column.push(position);
        }
        if column.is_empty() {
            Err(format!("{place} has no values"))
        } else {
            Ok(column)
        }
    };
    (1..).zip(text.split('|')).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release_dir::write::manifest::UnitEntry;
    use openveil_core::table::{Secret, UnitLayout};
    use proptest::prelude::*;

    fn entry(values: usize, units: &[(u32, Option<&str>)]) -> LayoutEntry {
        let unit = |&(groups, columns): &(u32, Option<&str>)| UnitEntry {
            groups,
            columns: columns.map(str::to_owned),
        };
        LayoutEntry {
            values: (0..values).map(|value| value.to_string()).collect(),
            units: units.iter().map(unit).collect(),
        }
    }

    #[test]
    fn a_layout_is_read_as_it_was_written() {
        let secret = Secret::new("s", vec![], ["a", "b", "c", "d", "e"].map(str::to_owned));
        let units = [
            UnitLayout::new(2, vec![]),
            UnitLayout::new(3, vec![vec![1, 4], vec![2]]),
        ];
        let entry = LayoutEntry::of(&units, &secret).unwrap();
        assert_eq!(entry.values, ["b", "c", "e"]);
        assert_eq!(entry.units[1].columns.as_deref(), Some("0 2 | 1"));
        let layout = Layout::of(&entry, 5).unwrap();
        assert_eq!(layout.units[0].columns, Vec::<Vec<usize>>::new());
        assert_eq!(layout.units[1].columns, [vec![0, 2], vec![1]]);
        assert_eq!(LayoutEntry::of(&units[..1], &secret), None);
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        let refused = |values, units: &[(u32, Option<&str>)], groups| {
            Layout::of(&entry(values, units), groups).unwrap_err()
        };
        for (values, columns, words) in [
            (2, "0 | x", "not a number"),
            (2, "0 | -1", "not a number"),
            (2, "0 | 2", "there are 2"),
            (2, "0 99999999999999999999999", "not a number"),
            (3, "1 0 | 2", "ascending"),
            (3, "1 1 | 2", "ascending"),
            (3, "0 1 |", "no values"),
            (3, "", "no values"),
        ] {
            let error = refused(values, &[(1, Some(columns))], 1);
            assert!(error.contains(words), "{columns}: {error}");
        }
        assert!(refused(2, &[(2, Some("0 1"))], 3).contains("2 groups"));
        assert!(refused(2, &[(0, None), (3, Some("0 1"))], 3).contains("no groups"));
        let most = (u32::MAX, None);
        assert!(refused(2, &[most, most, most], 7).contains("groups"));
        let mut twice = entry(2, &[(1, Some("0 1"))]);
        twice.values[1] = "0".to_owned();
        assert!(Layout::of(&twice, 1).unwrap_err().contains("twice"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9 |x-]{0,40}", values in 0usize..12) {
            let _ = Layout::of(&entry(values, &[(1, Some(&text))]), 1);
        }
    }
}
