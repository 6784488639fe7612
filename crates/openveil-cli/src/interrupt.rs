//! Ctrl-C leaves nothing half-written.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The folder that has to go if the program is interrupted; none while a release
/// is put in place, which takes two renames and is not interrupted.
static STAGING: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Names the folder that has to go if the program is interrupted from now on.
pub(crate) fn clean_up(path: Option<&Path>) {
    static HANDLER: OnceLock<()> = OnceLock::new();
    *STAGING.lock().unwrap_or_else(PoisonError::into_inner) = path.map(Path::to_owned);
    HANDLER.get_or_init(|| {
        if let Err(cause) = ctrlc::set_handler(interrupted) {
            tracing::warn!(%cause, "interrupts will not clean up");
        }
    });
}

fn interrupted() {
    let staging = STAGING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(path) = staging.as_deref() else {
        return;
    };
    // What cannot be removed is at least hidden and never a release.
    drop(std::fs::remove_dir_all(path));
    note!("\ninterrupted; nothing was published");
    std::process::exit(130);
}
