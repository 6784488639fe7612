//! Writes state and release together: both, or neither.
//!
//! The next state is written beside the present one before the release is put in place, and
//! replaces it afterwards. It contains the digest of the release's manifest. An interruption in
//! between leaves both states behind. If the release is in place, the next state is valid,
//! otherwise the present one. A file beside them counts releases, so that an older copy of the
//! state is noticed.

use super::state::HistoryState;
use openveil_io::policy::HistoryPolicy;
use openveil_io::release_dir::write::{lock, make_folder, parent, sync};
use openveil_io::release_dir::{MANIFEST, regular};
use openveil_io::{Error, Location};
use openveil_text::text;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The number of releases of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    id: String,
    releases: usize,
}

/// The files of a history, locked against other runs as long as this lives.
#[derive(Debug)]
pub(super) struct HistoryFiles {
    history: HistoryPolicy,
    /// The folder of the release: an earlier release of the history may be there.
    out: PathBuf,
    /// The lock is released when the file is closed.
    _lock: fs::File,
}

impl HistoryFiles {
    /// Locks the files.
    ///
    /// # Errors
    /// Another run that holds them, a folder that cannot be written.
    pub(super) fn lock(history: &HistoryPolicy, out: &Path) -> Result<Self, Error> {
        let failed = |cause: &std::io::Error| {
            Error::io(&history.state, "write beside the state of the history", cause)
                .help(text!("choose another file for `state` under [history]"))
        };
        make_folder(parent(&history.state)).map_err(|cause| failed(&cause))?;
        let history = &HistoryPolicy {
            state: only_name(&history.state).map_err(|cause| failed(&cause))?,
            ..history.clone()
        };
        if has_other_names(&history.state).map_err(|cause| failed(&cause))? {
            return Err(Error::new(
                Location::file(&history.state),
                "has other names (hard links): releases that use one name would not know of releases that use another",
            )
            .help("keep one name, and remove the others"));
        }
        let path = beside(&history.state, ".lock");
        // Opening a pipe would block, here or when the work is done.
        for own in [&history.state, &path].into_iter().chain(&history.key) {
            match regular::check(own) {
                Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(
                        own,
                        "use the file beside the state of the history",
                        &cause,
                    ));
                }
                _ => {}
            }
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|cause| failed(&cause))?;
        if !lock(&file).map_err(|cause| failed(&cause))? {
            return Err(Error::new(Location::file(&history.state), "is in use by another run")
                .help("wait until that run has ended: two releases at once would assign the same people twice"));
        }
        Ok(Self { history: history.clone(), out: out.to_owned(), _lock: file })
    }

    fn beside(&self, ending: &str) -> PathBuf {
        beside(&self.history.state, ending)
    }

    /// Returns the state after the last release, if there is one, and whether one was lost.
    ///
    /// # Errors
    /// A state that cannot be read, or that is older than the last release.
    pub(super) fn open(&self) -> Result<(Option<HistoryState>, bool), Error> {
        self.recover()?;
        let count = self.count()?;
        let shown = self.shown();
        // A state that cannot be accessed is not lost.
        if !self.is_there(&self.history.state)? {
            return Ok((None, count.is_some() || shown.is_some()));
        }
        let state = HistoryState::read(&self.history.state, self.history.key.as_deref())?;
        let made = state.header.releases.len();
        let later = [count, shown].into_iter().flatten();
        match later
            .filter(|count| count.id == state.header.id)
            .map(|count| count.releases)
            .find(|&releases| releases > made)
        {
            None => Ok((Some(state), false)),
            Some(releases) => Err(Error::new(
                Location::file(&self.history.state),
                text!("is older than the last release: it records {made} releases, but {releases} were made"),
            )
            .help("restore the state as it was after the last release. With this one, people would be grouped again, and readers could identify people by comparing releases")),
        }
    }

    fn is_there(&self, path: &Path) -> Result<bool, Error> {
        path.try_exists().map_err(|cause| self.failed(&cause))
    }

    /// Returns the number of releases, according to the file that counts them.
    fn count(&self) -> Result<Option<Count>, Error> {
        let path = self.beside(".count");
        let text = match regular::read(&path) {
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|cause| self.failed(&cause))?,
        };
        serde_json::from_slice(&text).map(Some).map_err(|_| {
            Error::new(Location::file(&path), "does not say how many releases were made: the file was changed")
                .help("restore it, or remove it if you are sure that the state is the one after the last release")
        })
    }

    /// Returns the history and the count of the release in the output folder.
    fn shown(&self) -> Option<Count> {
        #[derive(Deserialize)]
        struct SeenManifest {
            history: Option<ShownManifest>,
        }
        #[derive(Deserialize)]
        struct ShownManifest {
            id: String,
            release: usize,
        }
        let text = regular::read(&self.out.join("release").join(MANIFEST)).ok()?;
        let manifest: SeenManifest = serde_json::from_slice(&text).ok()?;
        manifest.history.map(|shown| Count { id: shown.id, releases: shown.release })
    }

    /// Completes or undoes an interrupted run. An incomplete state has another name, so a state
    /// that cannot be read is an error.
    fn recover(&self) -> Result<(), Error> {
        let next = self.beside(".next");
        if !self.is_there(&next)? {
            return Ok(());
        }
        let state = HistoryState::read(&next, self.history.key.as_deref()).map_err(|error| {
            error.help("it was left by an interrupted run and cannot be read: give the key that it was written with; if it is damaged, check whether the release of that run exists, and ask for help before you remove it")
        })?;
        let Some(last) = state.header.releases.last() else {
            return fs::remove_file(&next).map_err(|cause| self.failed(&cause));
        };
        let forget = || fs::remove_file(&next).map_err(|cause| self.failed(&cause));
        match last.is_in_place() {
            Ok(true) => self.promote(&state),
            // The release was not put in place: an earlier one is there, or it is still hidden.
            Ok(false) if last.is_as_before() => forget(),
            _ if last.is_hidden() => forget(),
            found => {
                let what = match found {
                    Ok(_) => "another release is",
                    Err(_) => "there is no release",
                };
                let problem =
                    text!("was left by an interrupted run, and {what} in {}", last.out.display());
                Err(Error::new(Location::file(&next), problem).help("if the release was made and then moved or replaced, put it back; if it was never made, remove this file"))
            }
        }
    }

    /// Writes the next state beside the present one.
    ///
    /// # Errors
    /// A folder that cannot be written, a key that cannot be read.
    pub(super) fn prepare(&self, state: &HistoryState) -> Result<(), Error> {
        let sealed = state.sealed(self.history.key.as_deref())?;
        self.write(".next", &sealed).map_err(|cause| self.failed(&cause))
    }

    /// Writes a file beside the state that other users cannot read, complete or not at all.
    fn write(&self, ending: &str, content: &[u8]) -> std::io::Result<()> {
        let unfinished = self.beside(".unfinished");
        write_private(&unfinished, content)
            .and_then(|()| fs::rename(&unfinished, self.beside(ending)))
            .inspect_err(|_| drop(fs::remove_file(&unfinished)))?;
        sync(parent(&self.history.state))
    }

    /// Replaces the present state by the next one, which was written before.
    ///
    /// # Errors
    /// A file that cannot be renamed: the next run completes the step.
    pub(super) fn promote(&self, state: &HistoryState) -> Result<(), Error> {
        let failed = |cause: std::io::Error| self.failed(&cause);
        fs::rename(self.beside(".next"), &self.history.state).map_err(failed)?;
        let count = Count { releases: state.header.releases.len(), id: state.header.id.clone() };
        let text = serde_json::to_vec(&count).expect("a count has a JSON form");
        self.write(".count", &text).map_err(failed)
    }

    /// Replaces the present state by one with the same releases.
    ///
    /// # Errors
    /// A folder that cannot be written, a key that cannot be read.
    pub(super) fn replace(&self, state: &HistoryState) -> Result<(), Error> {
        let sealed = state.sealed(self.history.key.as_deref())?;
        self.write("", &sealed).map_err(|cause| self.failed(&cause))
    }

    /// Deletes the next state: its release was not made.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(self.beside(".next"));
    }

    fn failed(&self, cause: &std::io::Error) -> Error {
        Error::io(&self.history.state, "write the state of the history", cause)
            .help(text!("choose another file for `state` under [history]"))
    }
}

/// Returns the target of a path that may be a link, whether or not there is a file. The files
/// beside the state are then found under every name of the state.
fn only_name(path: &Path) -> std::io::Result<PathBuf> {
    /// As in the operating system: more links than this form a cycle.
    const MOST_LINKS: u32 = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = parent(&path).join(target),
            Err(_) => {
                let name = path.file_name().unwrap_or_default();
                return Ok(parent(&path).canonicalize()?.join(name));
            }
        }
    }
    Err(std::io::Error::other("its links form a ring"))
}

/// Returns whether a file has several names, from which files beside it cannot be found.
fn has_other_names(path: &Path) -> std::io::Result<bool> {
    match fs::metadata(path) {
        // Folders are refused elsewhere, with a clearer error.
        Ok(metadata) if !metadata.is_file() => Ok(false),
        #[cfg(unix)]
        Ok(metadata) => Ok(std::os::unix::fs::MetadataExt::nlink(&metadata) > 1),
        #[cfg(not(unix))]
        Ok(_) => Ok(false),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// Returns a path beside another, with an ending appended to its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(ending);
    name.into()
}

/// Writes a file that other users cannot read, and waits until it is on the disk.
fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    // A leftover file may be readable by others.
    let _ = fs::remove_file(path);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}
