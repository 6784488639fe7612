//! Handles Ctrl-C and similar signals, so that no half-written release remains.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The state of the work when an interrupt arrives.
enum Work {
    /// A release is being written to this folder, which an interrupt deletes.
    Staging(PathBuf),
    /// A release is being moved into place. This takes two renames and is not interrupted.
    Placing,
    /// Nothing is being written: only messages may still be printed.
    Done,
}

static WORK: Mutex<Work> = Mutex::new(Work::Done);

/// Sets the folder to delete if the program is interrupted from now on. `None` means that a release
/// is being moved into place and interrupts are ignored.
pub(crate) fn clean_up(path: Option<&Path>) {
    static HANDLER: OnceLock<()> = OnceLock::new();
    set(path.map_or(Work::Placing, |path| Work::Staging(path.to_owned())));
    HANDLER.get_or_init(|| {
        if let Err(cause) = on_interrupt(interrupted) {
            log::warn!("interrupts will not clean up: {cause}");
        }
    });
}

/// Records that an interrupt can no longer leave anything half-written.
pub(crate) fn done() {
    set(Work::Done);
}

fn set(work: Work) {
    *WORK.lock().unwrap_or_else(PoisonError::into_inner) = work;
}

/// Calls a function at every SIGINT, SIGTERM and SIGHUP.
#[cfg(unix)]
pub(crate) fn on_interrupt(mut handler: impl FnMut() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let waiting = std::thread::Builder::new()
        .name("interrupts".to_owned())
        .spawn(move || signals.forever().for_each(|_| handler()))?;
    drop(waiting);
    Ok(())
}

/// Calls a function whenever the program is interrupted.
#[cfg(not(unix))]
pub(crate) fn on_interrupt(handler: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(handler)
}

fn interrupted() {
    let work = WORK.lock().unwrap_or_else(PoisonError::into_inner);
    match &*work {
        Work::Placing => return,
        Work::Staging(path) => {
            // Ignore a failure: the folder is hidden and is never taken for a release.
            drop(std::fs::remove_dir_all(path));
            note!("\ninterrupted. Nothing was published");
        }
        Work::Done => note!("\ninterrupted"),
    }
    std::process::exit(130);
}
