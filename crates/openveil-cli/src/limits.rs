//! Limits on what the process does with what it reads: it may not leave it in a core file, or take
//! the whole machine.

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

/// Values are not left in core files: the process makes none.
///
/// One byte, not none: Linux hands a core file that has no limit but zero to the program that
/// collects them, and makes none at all for this one (`man 5 core`). Swap is the system's: values
/// may come there, as with every program.
pub(crate) fn leave_no_core() {
    #[cfg(target_os = "linux")]
    {
        let one = Rlimit {
            current: Some(1),
            maximum: Some(1),
        };
        // Where none was allowed at all, one may not be asked for; but none can be made of a process
        // that others may not look into.
        if setrlimit(Resource::Core, one).is_err() {
            let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        }
    }
}

/// A file that grows beyond what the system allows (`ulimit -f`) is an error like a full disk, and not
/// the end.
pub(crate) fn outlive_large_files() {
    #[cfg(target_os = "linux")]
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Ends the process when it asks for more memory than this, before the machine has none left: what
/// is given, or all of the machine's or of the container's. A table that is too large for it is refused or published in
/// chunks long before; this is for files that are made to do harm.
///
/// # Errors
/// An amount that cannot be read.
pub(crate) fn keep_within(asked: Option<&str>) -> Result<(), Error> {
    let asked = asked.map(openveil_publication::bytes).transpose()?;
    #[cfg(target_os = "linux")]
    if let Some(most) = asked.or_else(openveil_publication::memory) {
        // What the system allows at most stays what it is.
        let maximum = getrlimit(Resource::Data).maximum;
        let limit = Rlimit {
            current: Some(maximum.map_or(most, |maximum| most.min(maximum))),
            maximum,
        };
        let _ = setrlimit(Resource::Data, limit);
        // The standard library says how much could not be had, and aborts; that is code 2 here.
        let always = Arc::new(AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, always);
        start_threads(most)?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = asked;
    Ok(())
}

/// Memory for every thread that works: its stack, and what is on its hands.
#[cfg(target_os = "linux")]
const OF_THREAD: u64 = 16 << 20;

/// Starts the threads that work, no more of them than there is memory for: begun later, one that
/// cannot be had would be a panic.
///
/// # Errors
/// Not even one can be had.
#[cfg(target_os = "linux")]
fn start_threads(memory: u64) -> Result<(), Error> {
    let asked = std::env::var("RAYON_NUM_THREADS").ok();
    let asked = asked.and_then(|text| text.parse().ok()).filter(|&n| n > 0);
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let most = usize::try_from(memory / OF_THREAD).unwrap_or(usize::MAX);
    let mut threads = asked.unwrap_or_else(all).min(most).max(1);
    loop {
        let begun = ThreadPoolBuilder::new().num_threads(threads).build_global();
        match begun {
            // Fewer may fit.
            Err(cause) if cause.source().is_some() && threads > 1 => threads /= 2,
            Err(cause) if cause.source().is_some() => {
                let problem = "there is not enough memory for a worker thread";
                return Err(Error::new(Location::default(), problem)
                    .help("raise `--max-memory`")
                    .because(cause));
            }
            // They were there already: the program runs inside of another.
            Ok(()) | Err(_) => return Ok(()),
        }
    }
}
