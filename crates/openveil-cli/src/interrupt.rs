//! Ctrl-C leaves nothing half-written.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The folder that has to go if the program is interrupted.
static STAGING: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Names the folder that has to go if the program is interrupted.
pub(crate) fn clean_up(path: &Path) {
    static HANDLER: OnceLock<()> = OnceLock::new();
    *STAGING.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.to_owned());
    HANDLER.get_or_init(|| {
        let handler = ctrlc::set_handler(|| {
            let staging = STAGING.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(path) = staging.as_deref() {
                // What cannot be removed is at least hidden and never a release.
                drop(std::fs::remove_dir_all(path));
            }
            eprintln!("\ninterrupted; nothing was published");
            std::process::exit(130);
        });
        if let Err(cause) = handler {
            tracing::warn!(%cause, "interrupts will not clean up");
        }
    });
}
