use super::{Counts, Failure, Measured, Property, Tilts, Traits};
use crate::exact::Fraction;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The most answers that are remembered; then the memory is cleared.
const KEPT: usize = 1 << 16;

/// Codes and counts, ascending by code.
type CodeCounts = Vec<(u32, u128)>;

/// A property that remembers its answers. Code that enumerates small tables asks for the same
/// multisets again and again, and logarithms are slow.
#[derive(Debug)]
pub(super) struct Remembered {
    property: Arc<dyn Property>,
    known: RwLock<HashMap<CodeCounts, bool>>,
}

impl Remembered {
    pub(super) fn new(property: Arc<dyn Property>) -> Self {
        Self { property, known: RwLock::default() }
    }
}

impl Property for Remembered {
    fn name(&self) -> String {
        self.property.name()
    }

    fn traits(&self) -> Traits {
        self.property.traits()
    }

    fn max_posterior(&self) -> Option<Fraction> {
        self.property.max_posterior()
    }

    /// Two threads that ask first may both compute the answer.
    fn holds(&self, counts: &Counts<'_>) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&holds) = known.get(counts.entries()) {
            return holds;
        }
        drop(known);
        let holds = self.property.holds(counts);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(counts.entries().to_vec(), holds);
        holds
    }

    fn least_size(&self) -> u32 {
        self.property.least_size()
    }

    fn treats_values_alike(&self) -> bool {
        self.property.treats_values_alike()
    }

    fn worst_tilts(&self) -> Tilts {
        self.property.worst_tilts()
    }

    fn classes(&self) -> Option<&[u32]> {
        self.property.classes()
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        self.property.measure(counts)
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        self.property.explain(counts)
    }
}
