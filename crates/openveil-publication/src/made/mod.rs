//! Makes the tables: reads the people, plans which tables there are, and puts rows into groups.
//!
//! Belongs here: what draws coins and moves rows. Does not: the check of what was made (`checked`),
//! and what is said of it (`said`).

mod guarantees;
pub(crate) mod history;
pub(crate) mod read;
pub(crate) mod sample;
pub(crate) mod schema;
mod strata;
pub(crate) mod table;
pub(crate) mod tables;
pub(crate) mod ties;

use openveil_io::progress::Stage;
use std::collections::BTreeMap;
use std::time::Instant;

/// Milliseconds per stage.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) timings_ms: BTreeMap<String, f64>,
}

impl Clock {
    pub(crate) fn time<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        // Timings are not logged, because they depend on the random assignment.
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        self.count(stage.name(), elapsed);
        done
    }

    /// Adds the times of another clock.
    pub(crate) fn add(&mut self, other: Self) {
        other.timings_ms.iter().for_each(|(stage, elapsed)| self.count(stage, *elapsed));
    }

    fn count(&mut self, stage: &str, elapsed: f64) {
        *self.timings_ms.entry(stage.to_owned()).or_default() += elapsed;
    }
}
