//! Remembers what algorithms compute from public facts, while many tables share these facts.

use crate::Error;
use crate::table::View;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The histograms of all strata, and the type of the result.
type Key = (Vec<Vec<u32>>, TypeId);

/// Remembers what an algorithm computed from the histograms of tables that differ only in who has
/// which value.
///
/// Nothing that depends on more than the histograms can be remembered: a caller passes a function
/// of a histogram, and gets its result back only for tables with the same histogram. Use one memory
/// for one algorithm and one model.
#[derive(Debug, Default)]
pub struct Memory {
    kept: Mutex<HashMap<Key, Arc<dyn Any + Send + Sync>>>,
}

impl Memory {
    /// Returns the result computed for a table with the same histograms, or computes it now. Two
    /// threads that come first may both compute it. O(rows + values).
    ///
    /// # Errors
    /// The errors of `make`; they are not remembered.
    pub fn of<T: Send + Sync + 'static>(
        &self,
        view: &View,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        let strata = view.strata();
        let histograms =
            strata.iter().map(|stratum| stratum.view(view).histogram().counts().to_vec());
        let key = (histograms.collect(), TypeId::of::<T>());
        if let Some(known) = self.lock().get(&key) {
            return Ok(cast(Arc::clone(known)));
        }
        let made: Arc<dyn Any + Send + Sync> = Arc::new(make()?);
        let kept = Arc::clone(self.lock().entry(key).or_insert(made));
        Ok(cast(kept))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<dyn Any + Send + Sync>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cast<T: Send + Sync + 'static>(kept: Arc<dyn Any + Send + Sync>) -> Arc<T> {
    kept.downcast().expect("the key names the type")
}
