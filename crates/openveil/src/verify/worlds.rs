//! All tables that a reader who knows the multiset of values considers.

/// All distinct assignments of a multiset of values to people, in
/// lexicographic order: before a release they are equally likely.
#[derive(Debug, Clone)]
pub struct Worlds {
    values: Vec<u32>,
    begun: bool,
}

impl Worlds {
    /// The assignments of `values`, given in any order, to as many people.
    pub fn of(values: &[u32]) -> Self {
        let mut values = values.to_vec();
        values.sort_unstable();
        Self {
            values,
            begun: false,
        }
    }

    /// How many assignments there are in all: n! / (c₁! · c₂! · …) for counts
    /// c₁, c₂, …; `None` beyond 128 bits. O(n log n).
    pub fn count(&self) -> Option<u128> {
        let mut sorted = self.values.clone();
        sorted.sort_unstable();
        let mut count = 1u128;
        let mut placed = 0u128;
        for run in sorted.chunk_by(|a, b| a == b) {
            for nth in 1..=run.len() as u128 {
                placed += 1;
                // A product of binomial coefficients: every division is exact.
                count = count.checked_mul(placed)? / nth;
            }
        }
        Some(count)
    }

    /// The next assignment: one value per person. Nothing is allocated; O(1)
    /// amortised for distinct values.
    pub fn next_world(&mut self) -> Option<&[u32]> {
        if !self.begun {
            self.begun = true;
        } else if !next_permutation(&mut self.values) {
            return None;
        }
        Some(&self.values)
    }
}

/// Turns a sequence into its lexicographic successor; false at the last one,
/// which stays.
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

    fn all(values: &[u32]) -> Vec<Vec<u32>> {
        let mut worlds = Worlds::of(values);
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
            assert_eq!(Worlds::of(&values).count(), Some(expected));
            assert_eq!(all(&values).len() as u128, expected);
        }
        let many: Vec<u32> = (0..200).collect();
        assert_eq!(Worlds::of(&many).count(), None);
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
