//! The association of known columns with each other: a tree of pairs of columns.
//!
//! If a release hides which row of a group has which code, some pairs of codes are still likelier
//! than others. A tree of the most closely associated pairs is a proper distribution, and it can be
//! computed for tables of any width (Chow and Liu 1968).

use crate::basis::ModelAxis;
use crate::people::People;

/// The most parts of a column that are told apart.
const PARTS: usize = 24;

/// The number of rows with which a pair of parts counts half of its observed lift.
const SHRINK: f64 = 4.0;

/// The most closely associated pairs of columns, and their associations.
#[derive(Debug, Default)]
pub(crate) struct Kinship {
    /// For each column, the part of each code.
    parts: Vec<Vec<u8>>,
    /// For each column: the columns paired with it, and for each pair of parts the logarithm of how
    /// much likelier it is than by chance.
    pairs: Vec<Vec<(usize, Vec<f64>)>>,
}

impl Kinship {
    /// The kinship of columns among people. O(rows · columns²).
    pub(crate) fn new(people: &People, axes: &[ModelAxis]) -> Self {
        let columns = axes.len();
        let parts: Vec<Vec<u8>> = axes.iter().map(parts).collect();
        let mut found: Vec<(f64, usize, usize, Vec<f64>)> = Vec::new();
        for a in 0..columns {
            for b in a + 1..columns {
                let (strength, lifts) = lifts(people, (a, &parts[a]), (b, &parts[b]));
                found.push((strength, a, b, lifts));
            }
        }
        found.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut tree: Vec<usize> = (0..columns).collect();
        let mut pairs: Vec<Vec<(usize, Vec<f64>)>> = vec![Vec::new(); columns];
        for (_, a, b, lifts) in found {
            let (from, to) = (tree[a], tree[b]);
            if from == to {
                continue;
            }
            tree.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
            let mut turned = vec![0.0; PARTS * PARTS];
            for (at, lift) in lifts.iter().enumerate() {
                turned[at % PARTS * PARTS + at / PARTS] = *lift;
            }
            pairs[a].push((b, lifts));
            pairs[b].push((a, turned));
        }
        Self { parts, pairs }
    }

    /// The logarithm of the factor by which a code of a column changes the chance of a row with
    /// other codes.
    #[inline]
    pub(crate) fn log(&self, column: usize, code: u32, other: impl Fn(usize) -> u32) -> f64 {
        let own = self.parts[column][code as usize] as usize;
        self.pairs[column]
            .iter()
            .map(|(column, lifts)| {
                lifts[own * PARTS + self.parts[*column][other(*column) as usize] as usize]
            })
            .sum()
    }
}

/// The parts of an axis: its levels, or neighbouring levels together.
fn parts(axis: &ModelAxis) -> Vec<u8> {
    let levels = axis.features.len();
    axis.level_of
        .iter()
        .map(
            |&level| {
                if levels <= PARTS { level as u8 } else { (level as usize * PARTS / levels) as u8 }
            },
        )
        .collect()
}

/// The mutual information of two columns, and for each pair of parts the logarithm of how much
/// likelier it is than by chance.
fn lifts(
    people: &People,
    (a, parts_a): (usize, &[u8]),
    (b, parts_b): (usize, &[u8]),
) -> (f64, Vec<f64>) {
    let mut both = vec![0.0; PARTS * PARTS];
    people.codes(a).iter().zip(people.codes(b)).for_each(|(&a, &b)| {
        both[parts_a[a as usize] as usize * PARTS + parts_b[b as usize] as usize] += 1.0
    });
    let rows = people.codes(a).len() as f64;
    let sums = |of: &dyn Fn(usize) -> usize| {
        let mut sums = vec![0.0; PARTS];
        both.iter().enumerate().for_each(|(at, count)| sums[of(at)] += count);
        sums
    };
    let (first, second) = (sums(&|at| at / PARTS), sums(&|at| at % PARTS));
    let mut information = 0.0;
    let lifts = both
        .iter()
        .enumerate()
        .map(|(at, &count)| {
            let expected = first[at / PARTS] * second[at % PARTS] / rows;
            let lift = ((count + SHRINK) / (expected + SHRINK)).ln();
            information += count * lift;
            lift
        })
        .collect();
    (information / rows, lifts)
}
