//! All tables that are possible for a reader who knows the multiset of values.

use super::View;
use std::ops::Range;

/// All distinct assignments of values to people in which every stratum keeps its multiset, in
/// lexicographic order of the strata. Before a release they are equally likely.
#[derive(Debug, Clone)]
pub struct Worlds {
    /// The values of each stratum, one stratum after the other.
    values: Vec<u32>,
    /// Where each stratum's values end.
    ends: Vec<usize>,
    /// The people of each stratum, one stratum after the other; `None` if there is only one
    /// stratum.
    people: Option<Vec<u32>>,
    /// The values by person, if strata have changed their order.
    world: Vec<u32>,
    begun: bool,
}

impl Worlds {
    /// The assignments of `values`, given in any order, to equally many people in one stratum.
    pub fn new(values: &[u32]) -> Self {
        let mut values = values.to_vec();
        values.sort_unstable();
        Self { ends: vec![values.len()], values, people: None, world: Vec::new(), begun: false }
    }

    /// The assignments of a table's values that are possible for a reader who knows how many people
    /// of each stratum have each value.
    pub fn of_table(table: &View) -> Self {
        let strata = table.strata();
        if let [_] = &strata[..] {
            return Self::new(table.secret().codes());
        }
        let (mut values, mut ends, mut people) = (Vec::new(), Vec::new(), Vec::new());
        for stratum in &strata {
            let mut own = stratum.view(table).secret().codes().to_vec();
            own.sort_unstable();
            values.extend(own);
            ends.push(values.len());
            people.extend_from_slice(stratum.rows().unwrap_or_default());
        }
        Self { values, ends, people: Some(people), world: vec![0; table.rows()], begun: false }
    }

    /// The number of all assignments: in each stratum n! / (c₁! · c₂! · …) for counts c₁, c₂, …;
    /// `None` beyond 128 bits. O(n log n).
    pub fn count(&self) -> Option<u128> {
        let mut count = 1u128;
        for stratum in self.strata() {
            let mut sorted = self.values[stratum].to_vec();
            sorted.sort_unstable();
            let mut placed = 0u128;
            for run in sorted.chunk_by(|a, b| a == b) {
                for nth in 1..=run.len() as u128 {
                    placed += 1;
                    // A product of binomial coefficients: every division is exact.
                    count = count.checked_mul(placed)? / nth;
                }
            }
        }
        Some(count)
    }

    /// Returns the next assignment: one value per person. Does not allocate. O(1) amortised for
    /// distinct values of one stratum, O(n) for several.
    pub fn next_world(&mut self) -> Option<&[u32]> {
        if !self.begun {
            self.begun = true;
        } else if !self.advance() {
            return None;
        }
        let Some(people) = &self.people else {
            return Some(&self.values);
        };
        for (&person, &value) in people.iter().zip(&self.values) {
            self.world[person as usize] = value;
        }
        Some(&self.world)
    }

    /// Moves to the next assignment; false at the last one, which stays.
    fn advance(&mut self) -> bool {
        let Some(last) = (0..self.ends.len())
            .rev()
            .find(|&stratum| next_permutation(&mut self.values[range(&self.ends, stratum)]))
        else {
            return false;
        };
        // The strata after it begin again.
        for stratum in last + 1..self.ends.len() {
            self.values[range(&self.ends, stratum)].sort_unstable();
        }
        true
    }

    fn strata(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.ends.len()).map(|stratum| range(&self.ends, stratum))
    }
}

/// The range of a stratum's values.
fn range(ends: &[usize], stratum: usize) -> Range<usize> {
    let start = match stratum {
        0 => 0,
        _ => ends[stratum - 1],
    };
    start..ends[stratum]
}

/// Replaces a sequence by its lexicographic successor; false at the last one, which stays.
fn next_permutation(values: &mut [u32]) -> bool {
    let Some(pivot) = values.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        return false;
    };
    let successor = values
        .iter()
        .rposition(|&value| value > values[pivot])
        .expect("the pivot's neighbour is greater");
    values.swap(pivot, successor);
    values[pivot + 1..].reverse();
    true
}

/// All histograms of `rows` rows over values that occur: lists of positive
/// counts that add up to `rows`. There are 2^(rows − 1); the order of the counts
/// matters, because algorithms may break ties by value label.
pub fn histograms(rows: u32) -> Vec<Vec<u32>> {
    match rows {
        0 => vec![Vec::new()],
        _ => (1..=rows)
            .flat_map(|first| {
                let rest = histograms(rows - first).into_iter();
                rest.map(move |rest| [vec![first], rest].concat())
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Domain, Secret};

    fn all(values: &[u32]) -> Vec<Vec<u32>> {
        let mut worlds = Worlds::new(values);
        let mut all = Vec::new();
        while let Some(world) = worlds.next_world() {
            all.push(world.to_vec());
        }
        assert!(worlds.next_world().is_none());
        all
    }

    #[test]
    fn numbers_of_worlds() {
        for (values, expected) in [
            (vec![7], 1),
            (vec![1, 1, 2, 2], 6),
            (vec![1, 1, 2, 2, 3, 3], 90),
            (vec![1, 1, 2, 2, 3, 3, 4, 4], 2_520),
            (vec![3, 1, 2, 5, 4, 0, 6], 5_040),
        ] {
            assert_eq!(Worlds::new(&values).count(), Some(expected));
            assert_eq!(all(&values).len() as u128, expected);
        }
        let many: Vec<u32> = (0..200).collect();
        assert_eq!(Worlds::new(&many).count(), None);
    }

    #[test]
    fn every_stratum_keeps_its_multiset() {
        let sexes = Column::new("sex", vec![1, 0, 1, 0, 0], Domain::unordered(["f", "m"]));
        let ills = Secret::new("ill", vec![0, 0, 1, 1, 2], ["a", "b", "c"]);
        let table = View::new(vec![sexes], ills).unwrap().with_strata(["sex"]).unwrap();
        let mut worlds = Worlds::of_table(&table);
        assert_eq!(worlds.count(), Some(2 * 6));
        let mut seen = std::collections::BTreeSet::new();
        while let Some(world) = worlds.next_world() {
            let of = |people: &[usize]| {
                let mut values: Vec<u32> = people.iter().map(|&person| world[person]).collect();
                values.sort_unstable();
                values
            };
            assert_eq!((of(&[0, 2]), of(&[1, 3, 4])), (vec![0, 1], vec![0, 1, 2]));
            seen.insert(world.to_vec());
        }
        assert_eq!(seen.len(), 12);
    }

    #[test]
    fn worlds_are_distinct_ascending_and_of_one_multiset() {
        let worlds = all(&[2, 1, 2, 0, 2]);
        assert!(worlds.windows(2).all(|pair| pair[0] < pair[1]));
        for mut world in worlds {
            world.sort_unstable();
            assert_eq!(world, [0, 1, 2, 2, 2]);
        }
    }
}
