//! Long work on separate threads: watched, and interrupted when the language allows it.

use crate::input;
use openveil_io::Error;
use openveil_tools::watch::{Ended, Watch};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often the language is asked whether to go on.
const TICK: Duration = Duration::from_millis(50);

/// The reason why a work has no result.
#[derive(Debug)]
pub enum Failure {
    /// It was refused, or failed.
    Error(Error),
    /// It was stopped.
    Stopped,
    /// A defect of the program ended it; the error log shows where.
    Defect,
}

impl Failure {
    /// The message of a defect.
    pub const DEFECT: &str = "a defect of openveil ended this run; please report it";
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The threads that work in parallel.
struct Pool {
    /// Their number; 0: as many as there are cores.
    threads: usize,
    /// The threads, and the process that they belong to: a forked process has none.
    made: Option<(u32, Arc<ThreadPool>)>,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { threads: 0, made: None });

/// Returns the threads of this process, started on first use.
fn pool() -> Result<Arc<ThreadPool>, Error> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    if let Some((process, threads)) = &pool.made
        && *process == own
    {
        return Ok(threads.clone());
    }
    let threads = ThreadPoolBuilder::new().num_threads(pool.threads).build();
    let threads = Arc::new(threads.map_err(|cause| input(cause.to_string()))?);
    // Threads of another process cannot be joined.
    std::mem::forget(pool.made.replace((own, threads.clone())));
    Ok(threads)
}

/// Sets the number of threads that work in parallel; None means as many as there are cores.
///
/// # Errors
/// Zero or a negative number.
pub fn set_threads(threads: Option<i64>) -> Result<(), Error> {
    let threads = threads.map(|threads| usize::try_from(threads).unwrap_or(0));
    if threads == Some(0) {
        return Err(input("there is no work without a thread"));
    }
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    pool.threads = threads.unwrap_or(0);
    pool.made = None;
    Ok(())
}

/// Runs a work on a separate thread. Meanwhile this thread calls `goes_on` every 50 ms; if that
/// returns false, the work ends at its next step.
///
/// # Errors
/// The work's error, [`Failure::Stopped`], [`Failure::Defect`].
pub fn run<T: Send>(
    mut goes_on: impl FnMut(&Watch) -> bool,
    work: impl FnOnce(&Watch) -> Result<T, Error> + Send,
) -> Result<T, Failure> {
    let watch = Watch::default();
    let pool = pool()?;
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let watch = &watch;
        scope.spawn(move || {
            let done = pool.install(|| watch.over(work));
            // The receiver exists until the result is sent.
            let _ = sender.send(done);
        });
        let mut is_stopped = false;
        let done = loop {
            match receiver.recv_timeout(TICK) {
                Ok(done) => break done,
                Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends its end"),
                Err(RecvTimeoutError::Timeout) if is_stopped => {}
                Err(RecvTimeoutError::Timeout) => {
                    if !goes_on(watch) {
                        is_stopped = true;
                        watch.stop();
                    }
                }
            }
        };
        if is_stopped { Err(Failure::Stopped) } else { ended(done) }
    })
}

/// Runs a short task without progress reports.
///
/// # Errors
/// As [`run`].
pub fn brief<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Failure> {
    let (pool, watch) = (pool()?, Watch::default());
    ended(pool.install(|| watch.over(|_| work())))
}

fn ended<T>(done: Ended<Result<T, Error>>) -> Result<T, Failure> {
    match done {
        Ended::Done(done) => done.map_err(Failure::Error),
        Ended::Stopped => Err(Failure::Stopped),
        Ended::Defect => Err(Failure::Defect),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    #[test]
    fn a_work_ends_by_itself_or_is_stopped() {
        assert_eq!(run(|_| true, |_| Ok(7)).unwrap(), 7);
        let refused: Result<(), _> = run(|_| true, |_| Err(input("no")));
        assert!(matches!(refused, Err(Failure::Error(_))));
        let mut asked = 0;
        let ended: Result<(), _> = run(
            |_| {
                asked += 1;
                asked < 3
            },
            |watch| {
                loop {
                    watch.advance(1);
                    sleep(Duration::from_millis(1));
                }
            },
        );
        assert!(matches!(ended, Err(Failure::Stopped)));
        assert_eq!(asked, 3);
        let ended: Result<(), _> = brief(|| panic!("for the test"));
        assert!(matches!(ended, Err(Failure::Defect)));
    }
}
