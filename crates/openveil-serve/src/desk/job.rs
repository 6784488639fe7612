//! Work in the background.

use super::{DeskHandle, DeskState};
use crate::texts::Problem;
use openveil_io::Error;
use openveil_tools::watch::{Ended, Watch, WorkProgress};
use std::sync::{Arc, Mutex, PoisonError};

/// Stores the results of a finished work on the desk.
pub(crate) type Leave = Box<dyn FnOnce(&mut DeskState) + Send>;

/// The kind of a work, which also determines the page that waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkKind {
    /// Inspecting a table that was brought.
    Bring,
    /// Comparing ways of publishing.
    Ahead,
    /// Publishing a shuffled copy, for viewing.
    Dry,
    /// Publishing.
    Publish,
    /// Measuring a table.
    Audit,
    /// Attacking a release.
    Attack,
    /// Answering a question from a release.
    Ask,
}

/// A work, running or done.
#[derive(Debug)]
pub(crate) struct DeskWork {
    pub(crate) kind: WorkKind,
    watch: Watch,
    end: Mutex<Option<End>>,
}

/// How a work ended.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// It stored its results on the desk.
    Done,
    /// The user stopped it.
    Stopped,
    /// It failed, with the program's error.
    Failed(Problem),
}

impl DeskWork {
    /// How it ended; none while it runs.
    pub(crate) fn end(&self) -> Option<End> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns its progress.
    pub(crate) fn seen(&self) -> Option<WorkProgress> {
        self.watch.seen()
    }

    /// Makes it end at its next step.
    pub(crate) fn stop(&self) {
        self.watch.stop();
    }
}

impl DeskHandle {
    /// Begins a work, unless one is running.
    ///
    /// # Errors
    /// The work that is running.
    pub(crate) fn begin(
        self: &Arc<Self>,
        kind: WorkKind,
        work: impl FnOnce(&Watch) -> Result<Leave, Error> + Send + 'static,
    ) -> Result<(), Arc<DeskWork>> {
        let mut place = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = place.as_ref().filter(|job| job.end().is_none()) {
            return Err(job.clone());
        }
        let job = Arc::new(DeskWork { kind, watch: Watch::default(), end: Mutex::new(None) });
        *place = Some(job.clone());
        let (desk, own) = (self.clone(), job.clone());
        if let Err(cause) = std::thread::Builder::new().spawn(move || {
            let end = match job.watch.over(work) {
                Ended::Done(Ok(leave)) => {
                    leave(&mut desk.state());
                    End::Done
                }
                Ended::Done(Err(error)) => End::Failed(error.into()),
                Ended::Stopped => End::Stopped,
                Ended::Defect => End::Failed(Problem::Said(DEFECT.into())),
            };
            *job.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        }) {
            let end = End::Failed(format!("the system gives no thread: {cause}").into());
            *own.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        }
        Ok(())
    }

    /// Returns the last work that was begun.
    pub(crate) fn job(&self) -> Option<Arc<DeskWork>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The work that is running.
    pub(crate) fn running(&self) -> Option<Arc<DeskWork>> {
        self.job().filter(|job| job.end().is_none())
    }
}

const DEFECT: &str = "a defect of openveil ended the work; please report it";
