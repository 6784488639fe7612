//! Limits of the process: it writes no core file with the values that it read, and does not use up
//! the memory of the machine.

use openveil_io::{Error, Location};
#[cfg(target_os = "linux")]
use {
    rayon::ThreadPoolBuilder,
    rustix::process::{
        DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit,
    },
    signal_hook::consts::{SIGABRT, SIGXFSZ},
    std::error::Error as _,
    std::sync::{Arc, atomic::AtomicBool},
};

/// Disables core files, which would contain values.
///
/// The limit is 1 byte and not 0: if Linux pipes core files to a program, it ignores a limit of 0,
/// but 1 disables them (`man 5 core`). Swap is not covered: the system may write values there, as
/// for every program.
pub(crate) fn leave_no_core() {
    #[cfg(target_os = "linux")]
    {
        let one = Rlimit { current: Some(1), maximum: Some(1) };
        // If the hard limit is 0 already, it cannot be raised to 1. Then make the process
        // undumpable.
        if setrlimit(Resource::Core, one).is_err() {
            let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        }
    }
}

/// Turns a file above the system's size limit (`ulimit -f`) into a write error, like a full disk.
/// Without this, the signal SIGXFSZ ends the process.
pub(crate) fn outlive_large_files() {
    #[cfg(target_os = "linux")]
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Limits the memory of the process to `asked`, or by default to all memory of the machine or
/// container. Above the limit, the process ends with code 2 before the machine runs out of memory.
///
/// This protects against malicious files. A table that is merely too large is refused or published
/// in chunks long before.
///
/// # Errors
/// An amount that cannot be parsed.
pub(crate) fn keep_within(asked: Option<&str>) -> Result<(), Error> {
    let asked = asked.map(openveil_publication::bytes).transpose()?;
    #[cfg(target_os = "linux")]
    if let Some(most) = asked.or_else(openveil_publication::memory) {
        // Lower the soft limit only; the hard limit stays.
        let maximum = getrlimit(Resource::Data).maximum;
        let limit =
            Rlimit { current: Some(maximum.map_or(most, |maximum| most.min(maximum))), maximum };
        let _ = setrlimit(Resource::Data, limit);
        // Without memory, the standard library prints the amount and aborts. Make that exit code 2.
        let always = Arc::new(AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, always);
        start_threads(most)?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = asked;
    Ok(())
}

/// Memory per worker thread, in bytes: its stack and its working data.
#[cfg(target_os = "linux")]
const OF_THREAD: u64 = 16 << 20;

/// Starts the worker threads, only as many as fit into `memory` bytes. They start now because rayon
/// panics if it cannot start them later.
///
/// # Errors
/// Not enough memory for a single thread.
#[cfg(target_os = "linux")]
fn start_threads(memory: u64) -> Result<(), Error> {
    let asked = std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|&n| n > 0);
    let most = usize::try_from(memory / OF_THREAD).unwrap_or(usize::MAX);
    let mut threads = asked
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
        .min(most)
        .max(1);
    loop {
        let begun = ThreadPoolBuilder::new().num_threads(threads).build_global();
        match begun {
            // Try again with fewer threads, which may fit.
            Err(cause) if cause.source().is_some() && threads > 1 => threads /= 2,
            Err(cause) if cause.source().is_some() => {
                let problem = "there is not enough memory for a worker thread";
                return Err(Error::new(Location::default(), problem)
                    .help("raise `--max-memory`")
                    .because(cause));
            }
            // An error without a source means that the surrounding program has started them.
            Ok(()) | Err(_) => return Ok(()),
        }
    }
}
