//! Scores of a model for look-up.

use crate::model::ModelShape;

/// Scores of a model, in tables for look-up.
pub(crate) struct Scores {
    pub(crate) shared: Vec<f64>,
    pub(crate) tables: Vec<Vec<f64>>,
}

impl Scores {
    pub(crate) fn new(shape: &ModelShape, theta: &[f64]) -> Self {
        let (shared, tables) = shape.tables(theta);
        Self { shared, tables }
    }

    /// The chances of all classes for a person, up to a factor: the largest is 1. Returns their
    /// sum.
    #[inline]
    pub(crate) fn chances(&self, levels: impl Iterator<Item = u16>, chances: &mut [f64]) -> f64 {
        let classes = chances.len();
        chances.copy_from_slice(&self.shared);
        for (table, level) in self.tables.iter().zip(levels) {
            let start = level as usize * classes;
            let own = &table[start..start + classes];
            chances.iter_mut().zip(own).for_each(|(chance, own)| *chance += own);
        }
        let highest = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for chance in chances.iter_mut() {
            // Smaller chances are raised to this one, to avoid underflow.
            *chance = (*chance - highest).max(-60.0).exp();
            sum += *chance;
        }
        sum
    }
}
