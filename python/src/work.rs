//! Long work: without the interpreter's lock, with progress, until Ctrl-C.

use crate::errors::{OpenveilError, input, raised};
use openveil_io::Error;
use openveil_tools::watch::{Ended, Watch};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often signals are looked for, and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// The threads that work side by side.
struct Pool {
    /// How many; 0: as many as there are cores.
    threads: usize,
    /// Those of a process: a fork of it has none.
    made: Option<(u32, Arc<ThreadPool>)>,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    threads: 0,
    made: None,
});

/// The threads of this process, started when they are first needed.
fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    if let Some((process, threads)) = &pool.made
        && *process == own
    {
        return Ok(threads.clone());
    }
    let threads = ThreadPoolBuilder::new().num_threads(pool.threads).build();
    let threads = Arc::new(threads.map_err(|cause| input(cause.to_string()))?);
    // Threads of another process are not there to be joined.
    std::mem::forget(pool.made.replace((own, threads.clone())));
    Ok(threads)
}

/// Sets the number of threads that work side by side; none means as many as there are
/// cores.
#[pyfunction]
#[pyo3(signature = (threads=None))]
pub(crate) fn set_threads(threads: Option<i64>) -> PyResult<()> {
    let threads = threads.map(|threads| usize::try_from(threads).unwrap_or(0));
    if threads == Some(0) {
        return Err(input("there is no work without a thread".to_owned()));
    }
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    pool.threads = threads.unwrap_or(0);
    pool.made = None;
    Ok(())
}

fn tell(watch: &Watch, progress: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(seen) = watch.seen() {
        progress.call1((seen.stage, seen.done, seen.total))?;
    }
    Ok(())
}

/// Does a work on a thread of its own; this one tells its progress and looks for signals.
/// A work that is interrupted ends at its next step.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let pool = pool()?;
    let progress = progress.map(|progress| progress.clone().unbind());
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let watch = &watch;
            scope.spawn(move || {
                let done = pool.install(|| watch.over(work));
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
                                .map_or(Ok(()), |told| tell(watch, told.bind(py)))
                        })
                        .err();
                        if raised.is_some() {
                            watch.stop();
                        }
                    }
                }
            };
            (done, raised)
        })
    });
    match outcome {
        (_, Some(raised)) => Err(raised),
        (Ended::Done(done), None) => done.map_err(|error| raised(&error)),
        (Ended::Stopped | Ended::Defect, None) => Err(defect()),
    }
}

/// Returns the exception for a defect; what it was, the log of errors shows.
fn defect() -> PyErr {
    OpenveilError::new_err("a defect of openveil ended the work; please report it")
}

/// Does a short work without the interpreter's lock.
pub(crate) fn brief<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (pool, watch) = (pool()?, Watch::default());
    match py.detach(|| pool.install(|| watch.over(|_| work()))) {
        Ended::Done(done) => done.map_err(|error| raised(&error)),
        Ended::Stopped | Ended::Defect => Err(defect()),
    }
}
