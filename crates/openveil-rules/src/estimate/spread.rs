//! The likeliest spread of each group's values over its people, given all groups.

use rayon::prelude::*;

/// The default number of rounds of fitting: enough to use what groups show about each other, too
/// few to overfit their noise.
pub const ROUNDS: usize = 4;

/// Rounds in which the spread inside a group is scaled to the group's published numbers.
const SCALINGS: usize = 25;

/// Groups that are processed in one piece. The number is fixed, so that sums are equal on every
/// machine.
const PIECE: usize = 1 << 12;

/// The published counts of a group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShownCounts {
    /// Per block: how many rows show each combination of its columns' atoms. The atoms of all
    /// combinations are listed one after the other. Numbers of rows are positive and may be
    /// fractions.
    pub blocks: Vec<(Vec<u32>, Vec<f64>)>,
    /// Values and their numbers of rows, which add up to the number of rows of each block.
    pub values: Vec<(u32, f64)>,
}

/// The columns of a block, which are known to come from the same rows. Each column is given by its
/// number of atoms, the smallest parts that groups distinguish.
pub type BlockAtoms = Vec<usize>;

/// The likeliest spread of values over the combinations that groups show.
///
/// The model is log-linear with an interaction of every column with the value: given the value,
/// columns are independent. The release does not show who has which value, so the model is fitted
/// by expectation and maximisation. The first step spreads a group's values over its rows in
/// proportion to their association, such that every row has one value and every value has as many
/// rows as the group shows. The second step estimates the association again from all groups.
#[derive(Debug)]
pub struct Spread {
    groups: Vec<ShownCounts>,
    /// The number of expected rows added to the observed counts and to the counts expected without
    /// any association. Rare combinations therefore have little influence, and so has a row of a
    /// large group, in which it may have any value. It is the mean number of rows that share a
    /// row's group.
    prior: f64,
    /// By group and block: the rows of each combination with each value.
    joint: Vec<Vec<Vec<f64>>>,
}

impl Spread {
    /// Fits the spread in `rounds` rounds; with 0, every group's values are spread evenly. `atoms`
    /// has the number of atoms of each block's columns, and `values` is the number of values.
    ///
    /// O(rounds · Σ combinations · values of the group · columns), in parallel; memory
    /// O(Σ combinations · values of the group + atoms · values).
    ///
    /// # Panics
    /// If a group names an atom or a value that does not exist, or has another number of blocks.
    pub fn fit(
        groups: Vec<ShownCounts>,
        atoms: &[BlockAtoms],
        values: usize,
        rounds: usize,
    ) -> Self {
        let even: Vec<Vec<Vec<f64>>> = groups.par_iter().map(evenly).collect();
        let mut spread = Self { prior: crowd(&groups), groups, joint: even };
        for _ in 0..rounds {
            let ratios = spread.ratios(atoms, values);
            let joint = spread.groups.par_iter().map(|group| {
                group
                    .blocks
                    .iter()
                    .zip(&ratios)
                    .map(|(block, ratios)| ratios.spread(block, &group.values))
                    .collect()
            });
            spread.joint = joint.collect();
        }
        spread
    }

    /// The expected number of rows of a group that match a query. `met` gives the share of each
    /// value that matches, and `shares` does so for each of the group's combinations, per block.
    /// Blocks are independent given the value.
    ///
    /// # Panics
    /// If there is no such group, or a share is missing.
    pub fn count(&self, group: usize, met: &dyn Fn(u32) -> f64, shares: &[Vec<f64>]) -> f64 {
        let shown = &self.groups[group];
        let values = shown.values.iter().enumerate();
        let count = values.map(|(at, &(value, rows))| {
            let given = self.joint[group].iter().zip(shares).map(|(joint, shares)| {
                joint[at..]
                    .iter()
                    .step_by(shown.values.len())
                    .zip(shares)
                    .map(|(rows, share)| rows * share)
                    .sum::<f64>()
                    / rows
            });
            rows * met(value) * given.product::<f64>()
        });
        count.sum()
    }

    /// The ratios of each column, learned from all groups.
    fn ratios(&self, atoms: &[BlockAtoms], values: usize) -> Vec<Ratios> {
        let learn = |(block, atoms): (usize, &BlockAtoms)| {
            let pieces: Vec<Vec<Vec<f64>>> = (0..self.groups.len().div_ceil(PIECE))
                .into_par_iter()
                .map(|piece| {
                    let groups = piece * PIECE..((piece + 1) * PIECE).min(self.groups.len());
                    self.counts(groups, block, atoms, values)
                })
                .collect();
            let columns = (0..atoms.len()).map(|column| {
                let mut sum = vec![0.0; atoms[column] * values];
                for piece in &pieces {
                    sum.iter_mut().zip(&piece[column]).for_each(|(sum, count)| *sum += count);
                }
                over_chance(sum, values, self.prior)
            });
            Ratios { values, columns: columns.collect() }
        };
        atoms.iter().enumerate().map(learn).collect()
    }

    /// Rows by atom and value of each column of a block, in some groups.
    fn counts(
        &self,
        groups: std::ops::Range<usize>,
        block: usize,
        atoms: &BlockAtoms,
        values: usize,
    ) -> Vec<Vec<f64>> {
        let mut counts: Vec<Vec<f64>> =
            atoms.iter().map(|atoms| vec![0.0; atoms * values]).collect();
        for group in groups {
            let shown = &self.groups[group];
            let combinations = shown.blocks[block].0.chunks(atoms.len());
            let joint = self.joint[group][block].chunks(shown.values.len());
            for (combination, joint) in combinations.zip(joint) {
                for (counts, &atom) in counts.iter_mut().zip(combination) {
                    let own = &mut counts[atom as usize * values..][..values];
                    for (&(value, _), rows) in shown.values.iter().zip(joint) {
                        own[value as usize] += rows;
                    }
                }
            }
        }
        counts
    }
}

/// How much more often atoms and values occur together than by chance, per column of a block.
struct Ratios {
    values: usize,
    columns: Vec<Vec<f64>>,
}

impl Ratios {
    /// Spreads a group's values over its combinations.
    fn spread(&self, (atoms, rows): &(Vec<u32>, Vec<f64>), values: &[(u32, f64)]) -> Vec<f64> {
        let columns = self.columns.len();
        let mut joint = Vec::with_capacity(rows.len() * values.len());
        for (combination, rows) in atoms.chunks(columns).zip(rows) {
            for &(value, count) in values {
                let ratios = combination
                    .iter()
                    .zip(&self.columns)
                    .map(|(&atom, column)| column[atom as usize * self.values + value as usize]);
                joint.push(rows * count * ratios.product::<f64>());
            }
        }
        scale(&mut joint, rows, values);
        joint
    }
}

/// The mean number of rows that share a row's group.
fn crowd(groups: &[ShownCounts]) -> f64 {
    let sizes = groups.iter().map(|group| group.values.iter().map(|(_, rows)| rows).sum::<f64>());
    let (rows, pairs) =
        sizes.fold((0.0, 0.0), |(rows, pairs), size| (rows + size, pairs + size * size));
    if rows > 0.0 { pairs / rows } else { 1.0 }
}

/// Spreads every value evenly over the combinations.
fn evenly(group: &ShownCounts) -> Vec<Vec<f64>> {
    let blocks = group.blocks.iter().map(|(_, rows)| {
        let all: f64 = rows.iter().sum();
        let values = |rows: &f64| {
            let share = rows / all;
            group.values.iter().map(move |(_, count)| share * count)
        };
        rows.iter().flat_map(values).collect()
    });
    blocks.collect()
}

/// Scales a table of combinations by values to the published sums of the group (Sinkhorn): values
/// exactly, rows approximately after a fixed number of rounds.
fn scale(joint: &mut [f64], rows: &[f64], values: &[(u32, f64)]) {
    if rows.len() < 2 || values.len() < 2 {
        // No row can be moved.
        let all: f64 = rows.iter().sum();
        for (line, rows) in joint.chunks_mut(values.len()).zip(rows) {
            line.iter_mut().zip(values).for_each(|(cell, (_, count))| *cell = rows / all * count);
        }
        return;
    }
    for _ in 0..SCALINGS {
        for (line, rows) in joint.chunks_mut(values.len()).zip(rows) {
            let sum: f64 = line.iter().sum();
            line.iter_mut().for_each(|cell| *cell *= rows / sum);
        }
        for (at, (_, count)) in values.iter().enumerate() {
            let sum: f64 = joint[at..].iter().step_by(values.len()).sum();
            joint[at..].iter_mut().step_by(values.len()).for_each(|cell| *cell *= count / sum);
        }
    }
}

/// Counts by atom and value, divided by the counts under independence.
fn over_chance(mut counts: Vec<f64>, values: usize, prior: f64) -> Vec<f64> {
    let mut of_value = vec![0.0; values];
    for line in counts.chunks(values) {
        of_value.iter_mut().zip(line).for_each(|(sum, count)| *sum += count);
    }
    let all: f64 = of_value.iter().sum();
    for line in counts.chunks_mut(values) {
        let rows: f64 = line.iter().sum();
        for (count, of_value) in line.iter_mut().zip(&of_value) {
            let expected = rows * of_value / all;
            *count = (*count + prior) / (expected + prior);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn group(rows: &[(u32, f64)], values: &[(u32, f64)]) -> ShownCounts {
        let (atoms, weights) = rows.iter().copied().unzip();
        ShownCounts { blocks: vec![(atoms, weights)], values: values.to_vec() }
    }

    /// Rows of an atom with a value, over all groups.
    fn meet(spread: &Spread, atom: u32, value: u32) -> f64 {
        let counts = spread.groups.iter().enumerate().map(|(number, group)| {
            let shares = group.blocks[0].0.iter().map(|&other| f64::from(u8::from(other == atom)));
            spread.count(number, &|other| f64::from(u8::from(other == value)), &[shares.collect()])
        });
        counts.sum()
    }

    #[test]
    fn without_rounds_values_are_spread_evenly() {
        let groups = vec![group(&[(0, 1.0), (1, 3.0)], &[(0, 2.0), (1, 2.0)])];
        let spread = Spread::fit(groups, &[vec![2]], 2, 0);
        assert_eq!(meet(&spread, 0, 0), 0.5);
        assert_eq!(meet(&spread, 1, 1), 1.5);
    }

    /// Groups with a clear association between atoms and values determine the spread in groups
    /// where it is not clear.
    #[test]
    fn clear_groups_teach_about_mixed_ones() {
        let clear = |at: u32| group(&[(at, 4.0)], &[(at, 4.0)]);
        let mixed = group(&[(0, 2.0), (1, 2.0)], &[(0, 2.0), (1, 2.0)]);
        let mut groups: Vec<ShownCounts> = (0..40).map(|number| clear(number % 2)).collect();
        groups.extend(vec![mixed; 20]);
        let even = Spread::fit(groups.clone(), &[vec![2]], 2, 0);
        assert_eq!(meet(&even, 0, 0), 100.0);
        let learned = Spread::fit(groups, &[vec![2]], 2, ROUNDS);
        assert!(meet(&learned, 0, 0) > 110.0, "{}", meet(&learned, 0, 0));
    }

    fn groups() -> impl Strategy<Value = Vec<ShownCounts>> {
        let group = prop::collection::vec((0u32..3, 0u32..4, 0u32..3), 1..6);
        let shown = group.prop_map(|people| {
            let first: Vec<u32> = people.iter().map(|person| person.0).collect();
            let pairs: Vec<u32> = people.iter().flat_map(|person| [person.1, person.0]).collect();
            let ones = vec![1.0; people.len()];
            let mut values: Vec<u32> = people.iter().map(|person| person.2).collect();
            values.sort_unstable();
            let runs = values.chunk_by(|a, b| a == b);
            ShownCounts {
                blocks: vec![(first, ones.clone()), (pairs, ones)],
                values: runs.map(|run| (run[0], run.len() as f64)).collect(),
            }
        });
        prop::collection::vec(shown, 1..8)
    }

    proptest! {
        /// A group's published numbers stay the same, whatever is learned.
        #[test]
        fn sums_stay_what_groups_show(groups in groups(), rounds in 0usize..5) {
            let spread = Spread::fit(groups.clone(), &[vec![3], vec![4, 3]], 3, rounds);
            for (number, group) in groups.iter().enumerate() {
                let all: Vec<Vec<f64>> = group.blocks.iter().map(|(_, rows)| vec![1.0; rows.len()]).collect();
                for &(value, rows) in &group.values {
                    let is = |other: u32| f64::from(u8::from(other == value));
                    let found = spread.count(number, &is, &all);
                    prop_assert!((found - rows).abs() < 1e-9);
                }
                for row in 0..group.blocks[0].1.len() {
                    let mut only = all.clone();
                    only[0].fill(0.0);
                    only[0][row] = 1.0;
                    let found = spread.count(number, &|_| 1.0, &only);
                    prop_assert!((found - 1.0).abs() < 0.05, "{}", found);
                }
            }
        }
    }
}
