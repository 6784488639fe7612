//! Writes single files, complete or not at all.

use super::disk::{parent, sync};
use super::folder::{check_beside, real_place};
use crate::release_dir::UNFINISHED;
use crate::{Error, Location};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The people who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Everybody whom the process's umask allows: for files that may be published.
    Everybody,
    /// The owner alone.
    Owner,
}

/// Writes a file that replaces an earlier one; the earlier file stays until the new one is on the
/// disk. Does not write through a link: the file replaces the link.
///
/// # Errors
/// A file that cannot be written.
pub fn write_whole(path: &Path, content: &[u8], viewer: Viewer) -> Result<(), Error> {
    let written = unfinished(path, content, viewer, None)
        .and_then(|file| Ok(file.persist(path)?))
        .and_then(|_| sync(parent(path)));
    written.map_err(|cause| failed(path, &cause))
}

/// Checks that a command may write its findings to `path`. The path must not be an input of the
/// command or lie in a part of a release. An existing file must be empty or begin with `begins`,
/// which shows that an earlier run wrote it.
///
/// # Errors
/// Such a path.
pub fn check_found<'a>(
    path: &Path,
    begins: &str,
    read: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Error> {
    check_beside(path)?;
    if path.is_file() && !is_written(path, begins)? {
        return Err(Error::new(
            Location::file(path),
            "exists already, and this command did not write it",
        )
        .help("name another file, or move it away"));
    }
    // Compare resolved paths: some inputs do not exist yet, so the files cannot be compared.
    let real = real_place(path);
    match read.into_iter().find(|own| real.is_some() && real_place(own) == real) {
        None => Ok(()),
        Some(_) => Err(Error::new(Location::file(path), "is an input of this command")
            .help("name another file")),
    }
}

/// Returns whether a file is empty or begins with `begins`. Fails if the file cannot be written.
fn is_written(path: &Path, begins: &str) -> Result<bool, Error> {
    let mut first = Vec::new();
    let opened = File::options().read(true).write(true).open(path);
    opened
        .and_then(|file| file.take(begins.len() as u64).read_to_end(&mut first))
        .map_err(|cause| Error::io(path, "write the file", &cause))?;
    Ok(first.is_empty() || first == begins.as_bytes())
}

/// Writes the output of a command to the requested path, as [`write_whole`] does. Writes into the
/// existing file instead if it must not be replaced: a pipe, a device, a link, a file with a second
/// name, or a file of another owner. It also does so if no new file can be made. An existing file
/// keeps its permissions.
///
/// # Errors
/// A file that cannot be written.
pub fn write_found(path: &Path, content: &[u8], viewer: Viewer) -> Result<(), Error> {
    let earlier = std::fs::symlink_metadata(path).ok();
    let into = || std::fs::write(path, content).map_err(|cause| failed(path, &cause));
    let allowed = match &earlier {
        None => None,
        Some(earlier) if earlier.is_file() => {
            // A file without write permission is not replaced either.
            let opened = File::options().write(true).open(path);
            opened.map_err(|cause| failed(path, &cause))?;
            Some(earlier.permissions())
        }
        Some(_) => return into(),
    };
    match unfinished(path, content, viewer, allowed) {
        Ok(file) if earlier.is_none_or(|earlier| is_alike(&earlier, file.as_file())) => {
            match file.persist(path) {
                Ok(_) => sync(parent(path)).map_err(|cause| failed(path, &cause)),
                // A file of another file system, for example, mounted at this path.
                Err(_) => into(),
            }
        }
        Ok(_) | Err(_) => into(),
    }
}

/// Returns whether a file can replace another: they have the same owner and group, and the earlier
/// file has no second name.
#[cfg(unix)]
fn is_alike(earlier: &Metadata, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |own: &Metadata| (own.uid(), own.gid(), own.nlink());
    file.metadata().is_ok_and(|own| of(&own) == of(earlier))
}

#[cfg(not(unix))]
fn is_alike(_: &Metadata, _: &File) -> bool {
    true
}

/// Writes a JSON document that other users cannot read, as [`write_whole`] does.
///
/// # Errors
/// A file that cannot be written.
pub fn write_private(path: &Path, document: &impl serde::Serialize) -> Result<(), Error> {
    write_whole(path, &line(path, document)?, Viewer::Owner)
}

/// Writes such a document if the file does not exist yet, as [`write_new`] does.
///
/// # Errors
/// A file that cannot be written.
pub fn write_private_new(path: &Path, document: &impl serde::Serialize) -> Result<bool, Error> {
    write_new(path, &line(path, document)?, Viewer::Owner)
}

/// Writes a file if it does not exist yet, complete or not at all; returns whether it did. If two
/// programs do so at once, one of them succeeds.
///
/// # Errors
/// A file that cannot be written.
pub fn write_new(path: &Path, content: &[u8], viewer: Viewer) -> Result<bool, Error> {
    let file = unfinished(path, content, viewer, None).map_err(|cause| failed(path, &cause))?;
    match file.persist_noclobber(path) {
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(refused) => Err(failed(path, &refused.error)),
        Ok(_) => {
            sync(parent(path)).map_err(|cause| failed(path, &cause))?;
            Ok(true)
        }
    }
}

/// Makes a file beside its final place, under a name that nobody else could have used. `viewer`
/// decides who may read it, or `allowed` if given.
fn unfinished(
    path: &Path,
    content: &[u8],
    viewer: Viewer,
    allowed: Option<Permissions>,
) -> io::Result<NamedTempFile> {
    let mut unfinished = tempfile::Builder::new();
    unfinished.prefix(UNFINISHED);
    // The default mode is 0600.
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
    let mut text = serde_json::to_vec(document).map_err(|cause| failed(path, &cause.into()))?;
    text.push(b'\n');
    Ok(text)
}

fn failed(path: &Path, cause: &io::Error) -> Error {
    Error::io(path, "write the file", cause)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn what_is_found_takes_no_place_that_is_more_than_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let text = |name: &str| fs::read_to_string(place(name)).unwrap();
        let number = |name: &str| fs::metadata(place(name)).unwrap().ino();
        let write = |name, text: &str| write_found(&place(name), text.as_bytes(), Viewer::Owner);
        write("new", "1").unwrap();
        let mode = |name: &str| fs::metadata(place(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((text("new"), mode("new")), ("1".to_owned(), 0o600));
        // The file is replaced by a complete one, with the permissions of the earlier.
        fs::set_permissions(place("new"), Permissions::from_mode(0o640)).unwrap();
        let before = number("new");
        write("new", "2").unwrap();
        assert_eq!((text("new"), mode("new")), ("2".to_owned(), 0o640));
        assert_ne!(number("new"), before);
        // Two names of one file stay linked, and a link still leads to its target.
        fs::hard_link(place("new"), place("other")).unwrap();
        symlink("new", place("link")).unwrap();
        for (name, content) in [("other", "3"), ("link", "4")] {
            write(name, content).unwrap();
            assert_eq!((text("new"), number("other")), (content.to_owned(), number("new")));
        }
        assert!(fs::symlink_metadata(place("link")).unwrap().is_symlink());
        assert!(write("no/such", "5").is_err());
        assert!(write_new(&place("first"), b"6", Viewer::Everybody).unwrap());
        assert!(!write_new(&place("first"), b"7", Viewer::Everybody).unwrap());
        assert_eq!(text("first"), "6");
        // No unfinished file is left.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
