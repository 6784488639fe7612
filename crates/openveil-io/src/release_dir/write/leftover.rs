//! Undoes the leftovers of a run that was killed, or lost power, while it put a release in place.
//!
//! A run moves the owner's folder first and the release second. If it ends in between, the owner's
//! folder belongs to a release that is still hidden; the next run undoes the move.

use super::disk::sync;
use super::{OWNER_FILE, Owner};
use crate::release_dir::regular;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The prefix of the names of hidden folders.
pub(super) const PREFIX: &str = ".openveil-run-";

/// Returns the hidden folders of runs in `out`.
pub fn hidden(out: &Path) -> io::Result<Vec<PathBuf>> {
    let paths: Vec<PathBuf> =
        fs::read_dir(out)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    Ok(paths
        .into_iter()
        .filter(|path| {
            let name = path.file_name().unwrap_or_default();
            let is_folder = !path.is_symlink() && path.is_dir();
            is_folder && name.to_string_lossy().starts_with(PREFIX)
        })
        .collect())
}

/// Restores the state of `out` before the runs that did not end. Their hidden folders stay: a
/// history may have to know that a release was never put in place.
pub(super) fn undo(out: &Path) -> io::Result<()> {
    for folder in hidden(out)? {
        undo_one(out, &folder)?;
        sync(out)?;
    }
    Ok(())
}

/// If it is interrupted, every step leaves a state from which it can start again.
fn undo_one(out: &Path, hidden: &Path) -> io::Result<()> {
    let (owner, old) = (out.join("owner"), hidden.join("old-owner"));
    let exchanged = hidden.join("owner");
    let is_early = is_of(&owner, &hidden.join("release")) && !is_of(&owner, &out.join("release"));
    if is_early {
        if exchanged.exists() {
            fs::rename(&exchanged, &old)?;
        }
        fs::rename(&owner, &exchanged)?;
    }
    for name in ["owner", "release"] {
        let (old, place) = (hidden.join(format!("old-{name}")), out.join(name));
        if old.exists() && !place.exists() {
            fs::rename(old, place)?;
        }
    }
    Ok(())
}

/// Returns whether an owner's folder states that it belongs to a release. Compares file by file,
/// because two runs may have made the same manifest.
fn is_of(owner: &Path, release: &Path) -> bool {
    let text = regular::read(&owner.join(OWNER_FILE)).unwrap_or_default();
    let owner: Option<Owner> = serde_json::from_slice(&text).ok();
    owner.is_some_and(|owner| !owner.release.is_empty() && owner.belongs_to(release))
}

/// Removes the hidden folders of runs that did not end, as far as possible.
pub(super) fn clear(out: &Path) {
    for folder in hidden(out).unwrap_or_default() {
        let _ = fs::remove_dir_all(folder);
    }
}
