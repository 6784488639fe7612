//! Counts each value among the rows that look alike.

use crate::algorithm::baseline::holds;
use crate::algorithm::taxonomy::Taxonomy;
use openveil_core::model::{Counts, Criteria};
use openveil_core::table::View;
use std::collections::HashMap;

/// The frequency set of a generalisation: the values of each group, with counts.
pub(super) struct Frequencies {
    /// One row of each group, which shows what all of its rows look like.
    examples: Vec<u32>,
    /// The end of each group's entries.
    ends: Vec<u32>,
    /// Values with counts, ascending by value in each group.
    entries: Vec<(u32, u32)>,
}

impl Frequencies {
    /// Returns the frequency set in which every row is a group. O(n).
    pub(super) fn of_rows(table: &View) -> Self {
        let rows = table.rows() as u32;
        let values = table.secret().codes().iter();
        Self {
            examples: (0..rows).collect(),
            ends: (1..=rows).collect(),
            entries: values.map(|&value| (value, 1)).collect(),
        }
    }

    /// Returns the number of entries (values with counts) of all groups.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Rolls up: returns the frequency set of a generalisation with these levels of the columns,
    /// none lower than here. O(groups · columns + entries), plus sorting each group's values.
    pub(super) fn rolled_up(
        &self,
        table: &View,
        taxonomies: &[Taxonomy],
        levels: &[(usize, u32)],
    ) -> Self {
        let (group_of, groups) = number_rows(table, taxonomies, levels, &self.examples);
        let mut next = vec![0u32; groups + 1];
        for &group in &group_of {
            next[group as usize + 1] += 1;
        }
        for group in 0..groups {
            next[group + 1] += next[group];
        }
        let parts_end = next[1..].to_vec();
        let mut parts = vec![0u32; group_of.len()];
        for (part, &group) in (0..).zip(&group_of) {
            parts[next[group as usize] as usize] = part;
            next[group as usize] += 1;
        }
        let mut all = Self {
            examples: Vec::with_capacity(groups),
            ends: Vec::with_capacity(groups),
            entries: Vec::with_capacity(self.entries.len()),
        };
        let mut sums = FrequencySums::new(table.secret().values());
        let mut start = 0;
        for end in parts_end {
            let parts = &parts[start as usize..end as usize];
            parts.iter().for_each(|&part| sums.add(self.part(part)));
            all.examples.push(self.examples[parts[0] as usize]);
            sums.flush(&mut all.entries);
            all.ends.push(all.entries.len() as u32);
            start = end;
        }
        all
    }

    /// Returns whether every group satisfies a model.
    pub(super) fn hold(&self, criteria: &Criteria) -> bool {
        let mut counts = Vec::new();
        (0..self.ends.len() as u32).all(|group| {
            counts.clear();
            let entries = self.part(group).iter();
            counts.extend(entries.map(|&(value, count)| (value, count.into())));
            holds(criteria, &Counts::new(&counts))
        })
    }

    fn part(&self, group: u32) -> &[(u32, u32)] {
        let start = match group {
            0 => 0,
            _ => self.ends[group as usize - 1] as usize,
        };
        &self.entries[start..self.ends[group as usize] as usize]
    }
}

/// Sums counts by value.
struct FrequencySums {
    counts: Vec<u32>,
    met: Vec<u32>,
}

impl FrequencySums {
    fn new(values: usize) -> Self {
        Self { counts: vec![0; values], met: Vec::new() }
    }

    fn add(&mut self, entries: &[(u32, u32)]) {
        for &(value, count) in entries {
            let sum = &mut self.counts[value as usize];
            if *sum == 0 {
                self.met.push(value);
            }
            *sum += count;
        }
    }

    /// Appends the sums, ascending by value, and clears them.
    fn flush(&mut self, entries: &mut Vec<(u32, u32)>) {
        self.met.sort_unstable();
        for value in self.met.drain(..) {
            let count = std::mem::take(&mut self.counts[value as usize]);
            entries.push((value, count));
        }
    }
}

/// Numbers rows, so that rows that look alike have the same number, in the order of first
/// occurrence; also returns how many numbers there are. `levels` lists columns with their levels.
pub(super) fn number_rows(
    table: &View,
    taxonomies: &[Taxonomy],
    levels: &[(usize, u32)],
    rows: &[u32],
) -> (Vec<u32>, usize) {
    let mut keys = vec![0u64; rows.len()];
    let mut space = 1u64;
    for &(column, level) in levels {
        let taxonomy = &taxonomies[column];
        let classes = taxonomy.classes(level as usize);
        let codes = table.known()[column].codes();
        let count = taxonomy.class_count(level as usize) as u64;
        space = match space.checked_mul(count) {
            Some(space) => space,
            None => {
                let (numbers, found) = numbered(&keys, space);
                keys = numbers.into_iter().map(u64::from).collect();
                found as u64 * count
            }
        };
        for (key, &row) in keys.iter_mut().zip(rows) {
            *key = *key * count + u64::from(classes[codes[row as usize] as usize]);
        }
    }
    numbered(&keys, space)
}

/// Numbers keys below `space` in the order of first occurrence.
fn numbered(keys: &[u64], space: u64) -> (Vec<u32>, usize) {
    let mut found = 0;
    let mut number = |slot: &mut u32| {
        if *slot == u32::MAX {
            *slot = found;
            found += 1;
        }
        *slot
    };
    let numbers = if space <= 8 * keys.len() as u64 {
        let mut number_of = vec![u32::MAX; space as usize];
        keys.iter().map(|&key| number(&mut number_of[key as usize])).collect()
    } else {
        let mut number_of: HashMap<u64, u32> = HashMap::with_capacity(keys.len());
        keys.iter().map(|&key| number(number_of.entry(key).or_insert(u32::MAX))).collect()
    };
    (numbers, found as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::table::{Column, Domain, Secret};

    /// There are more combinations than 64 bits can tell apart.
    #[test]
    fn very_large_domains_are_numbered_in_steps() {
        let wide = |codes: [u32; 4]| {
            let domain = Domain::integers(0..70_000);
            Column::new("q", codes.to_vec(), domain)
        };
        let columns = vec![
            wide([1, 69_999, 1, 69_999]),
            wide([0, 0, 0, 0]),
            wide([5, 5, 5, 5]),
            wide([9, 9, 9, 8]),
        ];
        let values = Secret::new("s", vec![0; 4], ["v"]);
        let table = View::new(columns, values).unwrap();
        let columns = table.known().iter();
        let taxonomies: Vec<Taxonomy> =
            columns.map(|column| Taxonomy::by_height(column.domain())).collect();
        let exact = [(0, 0), (1, 0), (2, 0), (3, 0)];
        let numbers = number_rows(&table, &taxonomies, &exact, &[0, 1, 2, 3]);
        assert_eq!(numbers, (vec![0, 1, 0, 2], 3));
    }
}
