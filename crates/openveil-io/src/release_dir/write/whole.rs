//! Files by themselves, complete or not at all.

use super::disk::{parent, sync};
use crate::Error;
use crate::release_dir::UNFINISHED;
use std::fs::Permissions;
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Whom the process's mask lets: what may be published.
    Everybody,
    /// The owner alone: nobody else of the machine.
    Owner,
}

/// Writes a file in the place of an earlier one, which is there until this one is on the disk.
/// Nothing is written through a link: the file takes the link's place.
///
/// # Errors
/// A file that cannot be written.
pub fn write_whole(path: &Path, content: &[u8], viewer: Viewer) -> Result<(), Error> {
    replace(path, content, viewer, None)
}

/// Writes what a command found to where it was asked for, as [`write_whole`] does; into a pipe, a
/// device or through a link if there is one. Who may read a file that is there already was said by
/// whoever made it.
///
/// # Errors
/// A file that cannot be written.
pub fn write_found(path: &Path, content: &[u8], viewer: Viewer) -> Result<(), Error> {
    let earlier = match std::fs::symlink_metadata(path) {
        Ok(earlier) if !earlier.is_file() => {
            let written = std::fs::write(path, content);
            return written.map_err(|cause| failed(path, &cause));
        }
        earlier => earlier.ok().map(|earlier| earlier.permissions()),
    };
    replace(path, content, viewer, earlier)
}

/// Writes a JSON document that nobody else may read, as [`write_whole`] does.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write_private(path: &Path, document: &impl serde::Serialize) -> Result<(), Error> {
    write_whole(path, &line(path, document)?, Viewer::Owner)
}

/// Writes such a document where there is none yet, as [`write_new`] does.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write_private_new(
    path: &Path,
    document: &impl serde::Serialize,
) -> Result<bool, Error> {
    write_new(path, &line(path, document)?, Viewer::Owner)
}

/// Writes a file where there is none yet, complete or not at all; says whether it did. Of two programs
/// that do so at once, one does.
///
/// # Errors
/// A file that cannot be written.
pub fn write_new(path: &Path, content: &[u8], viewer: Viewer) -> Result<bool, Error> {
    let file = unfinished(path, content, viewer, None);
    let file = file.map_err(|cause| failed(path, &cause))?;
    match file.persist_noclobber(path) {
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(refused) => Err(failed(path, &refused.error)),
        Ok(_) => {
            sync(parent(path)).map_err(|cause| failed(path, &cause))?;
            Ok(true)
        }
    }
}

/// Writes a file and puts it in its place; who may read it is said by the viewer, or by `allowed`.
fn replace(
    path: &Path,
    content: &[u8],
    viewer: Viewer,
    allowed: Option<Permissions>,
) -> Result<(), Error> {
    let written = unfinished(path, content, viewer, allowed)
        .and_then(|file| Ok(file.persist(path)?))
        .and_then(|_| sync(parent(path)));
    written.map_err(|cause| failed(path, &cause))
}

/// A file beside the place where it will be, without a name that anybody could have taken.
fn unfinished(
    path: &Path,
    content: &[u8],
    viewer: Viewer,
    allowed: Option<Permissions>,
) -> io::Result<NamedTempFile> {
    let mut unfinished = tempfile::Builder::new();
    unfinished.prefix(UNFINISHED);
    // Made with the mode 0600 if nothing else is said.
    #[cfg(unix)]
    if viewer == Viewer::Everybody {
        unfinished.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = viewer;
    let mut file = unfinished.tempfile_in(parent(path))?;
    file.write_all(content)?;
    if let Some(allowed) = allowed {
        file.as_file().set_permissions(allowed)?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

fn line(path: &Path, document: &impl serde::Serialize) -> Result<Vec<u8>, Error> {
    let text = serde_json::to_vec(document);
    let mut text = text.map_err(|cause| failed(path, &cause.into()))?;
    text.push(b'\n');
    Ok(text)
}

fn failed(path: &Path, cause: &io::Error) -> Error {
    Error::io(path, "write the file", cause)
}
