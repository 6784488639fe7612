//! Memory of what algorithms make of public facts, while many tables share them.

use crate::Error;
use crate::table::View;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Histograms of all strata, and what was made of them.
type Key = (Vec<Vec<u32>>, TypeId);

/// Memory of what an algorithm made of the histograms of tables that differ in nothing but who has
/// which value, kept from one to the next.
///
/// Nothing else can be kept: who asks gives what is to be made of a histogram, and gets it back
/// for tables with the same one only. One memory is good for one algorithm and one model.
#[derive(Debug, Default)]
pub struct Memory {
    kept: Mutex<HashMap<Key, Arc<dyn Any + Send + Sync>>>,
}

impl Memory {
    /// Returns what was made for a table with the same histograms, or makes it now; two threads
    /// that come first may both make it. O(rows + values).
    ///
    /// # Errors
    /// Those of `make`, of which nothing is kept.
    pub fn of<T: Send + Sync + 'static>(
        &self,
        view: &View,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        let strata = view.strata();
        let counts = |part: &View| part.histogram().counts().to_vec();
        let histograms = strata.iter().map(|stratum| counts(&stratum.view(view)));
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
