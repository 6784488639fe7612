//! What the process may not do with what it reads: leave it in a core file, or take the whole
//! machine.

use openveil_io::Error;
#[cfg(target_os = "linux")]
use {
    rustix::process::{Resource, Rlimit, getrlimit, setrlimit},
    signal_hook::consts::SIGABRT,
    std::sync::{Arc, atomic::AtomicBool},
};

/// Values are not left in core files: the process makes none.
///
/// One byte, not none: Linux hands a core file that has no limit but zero to the program that
/// collects them, and makes none at all for this one (`man 5 core`). Swap is the system's: values
/// may come there, as with every program.
pub(crate) fn leave_no_core() {
    #[cfg(target_os = "linux")]
    let _ = setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(1),
            maximum: Some(1),
        },
    );
}

/// Ends the process when it asks for more memory than this, before the machine has none left: what
/// is given, or all of the machine's. A table that is too large for it is refused or published in
/// chunks long before; this is for files that are made to do harm.
///
/// # Errors
/// An amount that cannot be read.
pub(crate) fn keep_within(asked: Option<&str>) -> Result<(), Error> {
    let asked = asked.map(openveil_io::publish::bytes).transpose()?;
    #[cfg(target_os = "linux")]
    if let Some(most) = asked.or_else(of_machine) {
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
    }
    #[cfg(not(target_os = "linux"))]
    let _ = asked;
    Ok(())
}

/// Bytes of memory that the machine has.
#[cfg(target_os = "linux")]
fn of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}
