//! Long work: without the interpreter's lock, with progress, until Ctrl-C.

use crate::errors::raised;
use openveil_io::{Error, attack, compare, publish};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How often signals are looked for, and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// The threads that work, if their number was set.
static POOL: Mutex<Option<std::sync::Arc<rayon::ThreadPool>>> = Mutex::new(None);

/// Sets the number of threads that work side by side; none means as many as there are
/// cores.
#[pyfunction]
#[pyo3(signature = (threads=None))]
pub(crate) fn set_threads(threads: Option<usize>) -> PyResult<()> {
    let pool = match threads {
        None => None,
        Some(0) => {
            return Err(crate::errors::input(
                "there is no work without a thread".into(),
            ));
        }
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|cause| crate::errors::input(cause.to_string()))?;
            Some(std::sync::Arc::new(pool))
        }
    };
    *POOL.lock().unwrap_or_else(PoisonError::into_inner) = pool;
    Ok(())
}

/// What a stopped work unwinds with.
struct Stopped;

/// Watches a work: what it does, how far it is, and whether it shall stop.
#[derive(Default)]
pub(crate) struct Watch {
    stage: Mutex<(&'static str, Option<u64>)>,
    done: AtomicU64,
    stopped: AtomicBool,
}

impl Watch {
    fn stage(&self, name: &'static str, total: Option<u64>) {
        self.look();
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (name, total);
        self.done.store(0, Ordering::Relaxed);
    }

    fn work(&self, work: u64) {
        self.look();
        self.done.fetch_add(work, Ordering::Relaxed);
    }

    /// Leaves a work that was stopped; what it made goes as it unwinds.
    fn look(&self) {
        if self.stopped.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Stopped));
        }
    }

    fn tell(&self, progress: &Bound<'_, PyAny>) -> PyResult<()> {
        let (stage, total) = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if stage.is_empty() {
            return Ok(());
        }
        progress.call1((stage, self.done.load(Ordering::Relaxed), total))?;
        Ok(())
    }
}

impl publish::Observer for Watch {
    fn begin(&self, stage: publish::Stage, total: Option<u64>) {
        self.stage(stage.name(), total);
    }

    fn advance(&self, work: u64) {
        self.work(work);
    }
}

impl attack::Observer for Watch {
    fn begin(&self, stage: attack::Stage, total: Option<u64>) {
        self.stage(stage.name(), total);
    }

    fn advance(&self, work: u64) {
        self.work(work);
    }
}

impl compare::Observer for Watch {
    fn begin(&self, stage: compare::Stage, total: Option<u64>) {
        self.stage(stage.name(), total);
    }

    fn advance(&self, work: u64) {
        self.work(work);
    }
}

/// Does a work on a thread of its own; this one tells its progress and looks for signals.
/// A work that is interrupted ends at its next step.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let pool = POOL.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let progress = progress.map(|progress| progress.clone().unbind());
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let watch = &watch;
            scope.spawn(move || {
                let work = || catch_unwind(AssertUnwindSafe(|| work(watch)));
                let done = match &pool {
                    Some(pool) => pool.install(work),
                    None => default_pool().install(work),
                };
                // Whoever waits for it is there until it is sent.
                let _ = sender.send(done);
            });
            let mut raised = None;
            let done = loop {
                match receiver.recv_timeout(TICK) {
                    Ok(done) => break done,
                    Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends its end"),
                    Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        raised = Python::attach(|py| {
                            py.check_signals()?;
                            progress
                                .as_ref()
                                .map_or(Ok(()), |told| watch.tell(told.bind(py)))
                        })
                        .err();
                        watch.stopped.store(raised.is_some(), Ordering::Relaxed);
                    }
                }
            };
            (done, raised)
        })
    });
    match outcome {
        (_, Some(raised)) => Err(raised),
        (Ok(done), None) => done.map_err(|error| crate::errors::raised(&error)),
        (Err(panic), None) => resume_unwind(panic),
    }
}

/// As many threads as there are cores. They are ours: a process that was forked gets new
/// ones by `set_threads`.
fn default_pool() -> &'static rayon::ThreadPool {
    static DEFAULT: OnceLock<rayon::ThreadPool> = OnceLock::new();
    DEFAULT.get_or_init(|| {
        let pool = rayon::ThreadPoolBuilder::new().build();
        pool.expect("threads can be started")
    })
}

/// Does a short work without the interpreter's lock.
pub(crate) fn brief<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|error| raised(&error))
}
