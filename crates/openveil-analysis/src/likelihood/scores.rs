//! Scores of a model for look-up.

use crate::model::ModelShape;

/// The least chance of a class beside the likeliest one, to avoid underflow: e⁻⁶⁰.
const LEAST: f64 = 8.75e-27;

/// Products of this many factors, none below [`LEAST`], are far from underflow.
const FACTORS: usize = 8;

/// Scores of a model as factors of chances, in tables for look-up. The largest factor of every row
/// is 1.
pub(crate) struct Scores {
    pub(crate) shared: Vec<f64>,
    pub(crate) tables: Vec<Vec<f64>>,
}

impl Scores {
    pub(crate) fn new(shape: &ModelShape, theta: &[f64]) -> Self {
        let (mut shared, mut tables) = shape.tables(theta);
        raise(&mut shared);
        let classes = shared.len();
        tables.iter_mut().flat_map(|table| table.chunks_exact_mut(classes)).for_each(raise);
        Self { shared, tables }
    }

    /// The chances of all classes for a person, up to a factor: the largest is 1. Returns their
    /// sum.
    #[inline]
    pub(crate) fn chances(&self, levels: impl Iterator<Item = u16>, chances: &mut [f64]) -> f64 {
        let classes = chances.len();
        chances.copy_from_slice(&self.shared);
        for (number, (table, level)) in self.tables.iter().zip(levels).enumerate() {
            let own = &table[level as usize * classes..][..classes];
            chances.iter_mut().zip(own).for_each(|(chance, own)| *chance *= own);
            if (number + 1).is_multiple_of(FACTORS) {
                scale(chances);
            }
        }
        scale(chances)
    }
}

/// Turns scores into factors.
fn raise(scores: &mut [f64]) {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - highest).exp().max(LEAST));
}

/// Divides chances by the largest of them, and raises the ones that are far smaller; returns their
/// sum.
#[inline]
fn scale(chances: &mut [f64]) -> f64 {
    let highest = chances.iter().copied().fold(0.0, f64::max);
    let mut sum = 0.0;
    for chance in chances {
        *chance = (*chance / highest).max(LEAST);
        sum += *chance;
    }
    sum
}
