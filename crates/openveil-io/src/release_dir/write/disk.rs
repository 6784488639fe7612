//! Folders and files that survive a power cut, that other users cannot read, and that no other run
//! uses.

use std::fs::{self, FileTimes};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Waits until a file or folder would survive a power cut.
pub fn sync(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Writes all files of a folder, and their names, to the disk.
pub(super) fn sync_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        sync(&entry?.path())?;
    }
    sync(folder)
}

/// Sets the same times on a folder and all of its files: the time between two files must not be
/// disclosed.
pub(super) fn date_files(folder: &Path) -> io::Result<()> {
    let now = SystemTime::now();
    let now = FileTimes::new().set_modified(now).set_accessed(now);
    for entry in fs::read_dir(folder)? {
        let file = fs::File::options().append(true).open(entry?.path())?;
        file.set_times(now)?;
    }
    // Only on Unix can a folder be opened.
    #[cfg(unix)]
    fs::File::open(folder)?.set_times(now)?;
    Ok(())
}

/// Makes a folder and its missing parents, and writes their names to the disk: without its name,
/// the contents of a folder are lost.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    fs::create_dir_all(folder)?;
    missing.iter().try_for_each(|made| sync(parent(made)))
}

/// Returns the folder that contains a path.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the owner's folder unreadable for other users.
pub fn keep_private(folder: &Path) -> io::Result<()> {
    allow(folder, 0o700)
}

/// Makes its files unreadable for other users, wherever they are copied.
pub(super) fn keep_files_private(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        allow(&entry?.path(), 0o600)?;
    }
    Ok(())
}

#[cfg(unix)]
fn allow(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn allow(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Locks a file or folder until it is closed; returns whether no other run holds the lock.
///
/// # Errors
/// A file system that has no locks.
#[cfg(unix)]
pub fn lock(file: &fs::File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        locked => Ok(locked.map(|()| true)?),
    }
}

/// Does nothing: folders cannot be locked on every system.
#[cfg(not(unix))]
pub fn lock(_: &fs::File) -> io::Result<bool> {
    Ok(true)
}

/// Returns whether a path still leads to the opened file or folder, and not to one that replaced
/// it.
#[cfg(unix)]
pub(super) fn is_at(opened: &fs::File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |of: io::Result<fs::Metadata>| of.map(|of| (of.dev(), of.ino())).ok();
    let held = identity(opened.metadata());
    held.is_some() && held == identity(fs::metadata(path))
}

/// Returns true: on this system, held files cannot be removed.
#[cfg(not(unix))]
pub(super) fn is_at(_: &fs::File, _: &Path) -> bool {
    true
}

/// Swaps two folders in one step: at any time, each path shows one or the other.
#[cfg(target_os = "linux")]
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Fails: this system has no such step.
#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
