//! Long work that another thread watches, and may stop.

use openveil_io::progress::{Observer, Stage};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Watches a work: its stage, its progress, and whether it has to stop.
#[derive(Debug, Default)]
pub struct Watch {
    stage: Mutex<(&'static str, Option<u64>)>,
    done: AtomicU64,
    stopped: AtomicBool,
}

/// The progress of a work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct WorkProgress {
    /// The name of its stage.
    pub stage: &'static str,
    /// Work done of the stage, in its own unit.
    pub done: u64,
    /// Total work of the stage, if it is known.
    pub total: Option<u64>,
}

/// How a watched work ended.
#[derive(Debug)]
pub enum Ended<T> {
    /// It finished.
    Done(T),
    /// It was stopped; its partial results are gone.
    Stopped,
    /// A defect of the program ended it.
    Defect,
}

/// The payload with which a stopped work unwinds.
struct Stopped;

impl Watch {
    /// Runs a work that reports to this watch.
    pub fn over<T>(&self, work: impl FnOnce(&Self) -> T) -> Ended<T> {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(done) => Ended::Done(done),
            Err(cause) if cause.is::<Stopped>() => Ended::Stopped,
            Err(_) => Ended::Defect,
        }
    }

    /// Makes the work end at its next step.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Returns the progress of the work; none before its first stage.
    pub fn seen(&self) -> Option<WorkProgress> {
        let (stage, total) = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        (!stage.is_empty()).then(|| WorkProgress {
            stage,
            done: self.done.load(Ordering::Relaxed),
            total,
        })
    }

    /// A stage begins.
    pub fn begin(&self, stage: &'static str, total: Option<u64>) {
        self.look();
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (stage, total);
        self.done.store(0, Ordering::Relaxed);
    }

    /// Some of it is done.
    pub fn advance(&self, work: u64) {
        self.look();
        self.done.fetch_add(work, Ordering::Relaxed);
    }

    /// Ends a stopped work by unwinding, which drops its partial results.
    fn look(&self) {
        if self.stopped.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Stopped));
        }
    }
}

impl Observer for Watch {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        self.begin(stage.name(), total);
    }

    fn advance(&self, work: u64) {
        self.advance(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_is_seen_and_stopped() {
        let watch = Watch::default();
        assert_eq!(watch.seen(), None);
        let ended = watch.over(|watch| {
            watch.begin("read", Some(10));
            watch.advance(3);
            watch.seen()
        });
        let seen = WorkProgress { stage: "read", done: 3, total: Some(10) };
        assert!(matches!(ended, Ended::Done(Some(found)) if found == seen));
        watch.stop();
        assert!(matches!(watch.over(|watch| watch.advance(1)), Ended::Stopped));
        // A work that does not report cannot be stopped.
        assert!(matches!(watch.over(|_| 7), Ended::Done(7)));
    }
}
