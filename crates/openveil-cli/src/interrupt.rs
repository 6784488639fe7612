//! Ctrl-C leaves nothing half-written.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Work that an interrupt finds.
enum Work {
    /// A folder that has to go.
    Staging(PathBuf),
    /// A release that is put in place, which takes two renames and is not interrupted.
    Placing,
    /// A release that is there, or none: only words are left.
    Done,
}

static WORK: Mutex<Work> = Mutex::new(Work::Done);

/// Names the folder that has to go if the program is interrupted from now on; none while a release
/// is put in place.
pub(crate) fn clean_up(path: Option<&Path>) {
    static HANDLER: OnceLock<()> = OnceLock::new();
    set(path.map_or(Work::Placing, |path| Work::Staging(path.to_owned())));
    HANDLER.get_or_init(|| {
        if let Err(cause) = on_interrupt(interrupted) {
            log::warn!("interrupts will not clean up: {cause}");
        }
    });
}

/// Says that nothing is left that an interrupt could leave half-written.
pub(crate) fn done() {
    set(Work::Done);
}

fn set(work: Work) {
    *WORK.lock().unwrap_or_else(PoisonError::into_inner) = work;
}

/// Calls a function whenever the program is interrupted, told to end, or loses its terminal.
#[cfg(unix)]
pub(crate) fn on_interrupt(mut handler: impl FnMut() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let waiting = std::thread::Builder::new().name("interrupts".to_owned());
    let waiting = waiting.spawn(move || signals.forever().for_each(|_| handler()))?;
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
            // What cannot be removed is at least hidden and never a release.
            drop(std::fs::remove_dir_all(path));
            note!("\ninterrupted. Nothing was published");
        }
        Work::Done => note!("\ninterrupted"),
    }
    std::process::exit(130);
}
