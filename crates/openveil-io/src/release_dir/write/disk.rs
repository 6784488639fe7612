//! Folders and files that a power cut leaves where they are, that nobody else reads, and that no
//! other run uses.

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

/// Puts all files of a folder on the disk, and their names.
pub(super) fn sync_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        sync(&entry?.path())?;
    }
    sync(folder)
}

/// Dates a folder and all of its files alike: how long it took from one to the next is nobody's to
/// know.
pub(super) fn date_files(folder: &Path) -> io::Result<()> {
    let now = SystemTime::now();
    let now = FileTimes::new().set_modified(now).set_accessed(now);
    for entry in fs::read_dir(folder)? {
        let file = fs::File::options().append(true).open(entry?.path())?;
        file.set_times(now)?;
    }
    // Only here is a folder something that can be opened.
    #[cfg(unix)]
    fs::File::open(folder)?.set_times(now)?;
    Ok(())
}

/// Makes a folder and those that it lies in, if they are not there, and puts their names on the
/// disk: what is in a folder goes with its name.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    fs::create_dir_all(folder)?;
    missing.iter().try_for_each(|made| sync(parent(made)))
}

/// The folder that something lies in.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The owner's folder is nobody else's to read.
pub fn keep_private(folder: &Path) -> io::Result<()> {
    allow(folder, 0o700)
}

/// Nor are its files, wherever they are copied to.
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

/// Takes hold of a file or folder until it is closed; whether no other run has it.
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

/// Folders cannot be locked everywhere.
#[cfg(not(unix))]
pub fn lock(_: &fs::File) -> io::Result<bool> {
    Ok(true)
}

/// Whether a path leads to what was opened, and not to something that was put there since.
#[cfg(unix)]
pub(super) fn is_at(opened: &fs::File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |of: io::Result<fs::Metadata>| of.map(|of| (of.dev(), of.ino())).ok();
    let held = identity(opened.metadata());
    held.is_some() && held == identity(fs::metadata(path))
}

/// Held files cannot be removed there.
#[cfg(not(unix))]
pub(super) fn is_at(_: &fs::File, _: &Path) -> bool {
    true
}

/// Two folders take each other's place at once: whoever looks sees the one or the other.
#[cfg(target_os = "linux")]
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// There is no such step on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
