//! Two folders that appear complete or not at all.

use super::Written;
use crate::release_dir::{MANIFEST, RECORD_FILE, REPORT_FILE, is_table_file};
use crate::{Error, Location};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What the owner is told.
pub(crate) const OWNER_FILE: &str = "owner.json";

/// A hidden folder beside the place where the release will be. Whatever happens
/// before [`Staging::commit`], the folder goes and nothing else has changed.
#[derive(Debug)]
pub struct Staging {
    out: PathBuf,
    folder: TempDir,
    /// Dropped after what is inside.
    _made: Option<NewFolder>,
}

/// A folder that was not there before, and goes again if nothing stays in it.
#[derive(Debug)]
struct NewFolder(PathBuf);

impl Drop for NewFolder {
    fn drop(&mut self) {
        // One with files in it is not removed.
        let _ = fs::remove_dir(&self.0);
    }
}

impl Staging {
    /// Prepares a release in `out`, which is made if it is not there.
    ///
    /// # Errors
    /// If `out` cannot be written to, or its `release` or `owner` holds files
    /// that are not an earlier release's.
    pub fn new(out: &Path) -> Result<Self, Error> {
        let failed = |cause: &std::io::Error| {
            Error::io(out, "write to the output folder", cause)
                .help("choose another folder with `--out`")
        };
        if out.is_file() {
            let problem = "is a file, not a folder to put a release into";
            return Err(
                Error::new(Location::file(out), problem).help("choose another folder with `--out`")
            );
        }
        let made = (!out.exists()).then(|| NewFolder(out.to_owned()));
        fs::create_dir_all(out).map_err(|cause| failed(&cause))?;
        check_folder(out)?;
        let folder = tempfile::Builder::new()
            .prefix(".openveil-")
            .tempdir_in(out)
            .map_err(|cause| failed(&cause))?;
        let staging = Self {
            out: out.to_owned(),
            folder,
            _made: made,
        };
        for part in [staging.release(), staging.owner()] {
            fs::create_dir(&part).map_err(|cause| failed(&cause))?;
        }
        keep_private(&staging.owner()).map_err(|cause| failed(&cause))?;
        staging.carry_over().map_err(|cause| failed(&cause))?;
        Ok(staging)
    }

    /// What the owner has to remember whatever is published stays in the owner's folder.
    fn carry_over(&self) -> std::io::Result<()> {
        let record = self.out.join("owner").join(RECORD_FILE);
        match fs::copy(record, self.owner().join(RECORD_FILE)) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => Err(cause),
            _ => Ok(()),
        }
    }

    /// The hidden folder itself, for whoever has to clean up after an interrupt.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder that both will stand in.
    pub(crate) fn out(&self) -> &Path {
        &self.out
    }

    /// Where to put what may be published.
    pub fn release(&self) -> PathBuf {
        self.path().join("release")
    }

    /// Where to put what may not.
    pub fn owner(&self) -> PathBuf {
        self.path().join("owner")
    }

    /// Puts both folders in place, in one rename each, the owner's first: where
    /// there is a release, its owner's part is there too. Their files are on the disk
    /// before that.
    ///
    /// # Errors
    /// If a folder cannot be renamed; an earlier release is then put back.
    pub fn commit(self) -> Result<Written, Error> {
        for part in [self.owner(), self.release()] {
            sync_files(&part).map_err(|cause| Error::io(&part, "write the files", &cause))?;
        }
        let written = Written {
            release: self.out.join("release"),
            owner: self.out.join("owner"),
            replaced: self.out.join("release").exists(),
        };
        let mut done: Vec<Move> = Vec::new();
        let placed = self
            .place("owner", &written.owner, &mut done)
            .and_then(|()| self.place("release", &written.release, &mut done));
        placed.inspect_err(|_| {
            // Best effort: what cannot be moved back stays hidden.
            done.iter().rev().for_each(|step| drop(step.undo()));
        })?;
        Ok(written)
    }

    /// Moves a part to its place, and what is there out of the way, in one step where the system
    /// has one. A power cut after it finds it there.
    fn place(&self, name: &str, to: &Path, done: &mut Vec<Move>) -> Result<(), Error> {
        let failed = |cause| Error::io(to, "put the release in place", &cause);
        let (from, to) = (self.path().join(name), to.to_owned());
        if to.exists() {
            match exchange(&from, &to) {
                Ok(()) => {
                    done.push(Move::Exchange(from, to));
                    return sync(&self.out).map_err(failed);
                }
                // Whatever keeps it from being one step, two may do.
                Err(_) => {
                    let old = self.path().join(format!("old-{name}"));
                    fs::rename(&to, &old).map_err(failed)?;
                    done.push(Move::Rename(to.clone(), old));
                }
            }
        }
        fs::rename(&from, &to).map_err(failed)?;
        done.push(Move::Rename(from, to));
        sync(&self.out).map_err(failed)
    }
}

/// A step that can be undone.
enum Move {
    Rename(PathBuf, PathBuf),
    Exchange(PathBuf, PathBuf),
}

impl Move {
    fn undo(&self) -> std::io::Result<()> {
        match self {
            Self::Rename(from, to) => fs::rename(to, from),
            Self::Exchange(one, other) => exchange(one, other),
        }
    }
}

/// Two folders take each other's place at once: whoever looks sees the one or the other.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// There is no such step on this system.
#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Checks that a release may be put into `out`.
///
/// # Errors
/// If its `release` or `owner` holds files that are not an earlier release's.
pub fn check_folder(out: &Path) -> Result<(), Error> {
    let release = out.join("release");
    let listed = listed(&release);
    check_replaceable(&release, |name| {
        [MANIFEST, REPORT_FILE].contains(&name)
            || is_table_file(name) && listed.iter().any(|file| file == name)
    })?;
    check_replaceable(&out.join("owner"), |name| {
        [
            OWNER_FILE,
            REPORT_FILE,
            super::CERTIFICATE_FILE,
            RECORD_FILE,
        ]
        .contains(&name)
    })
}

/// The files that the manifest of an earlier release names; none without one.
fn listed(release: &Path) -> Vec<String> {
    #[derive(Default, serde::Deserialize)]
    struct Listed {
        files: Vec<String>,
    }
    let text = fs::read(release.join(MANIFEST)).unwrap_or_default();
    let listed: Listed = serde_json::from_slice(&text).unwrap_or_default();
    listed.files
}

/// A folder may be replaced if it is not there or holds nothing but an earlier
/// release of ours.
fn check_replaceable(folder: &Path, known: impl Fn(&str) -> bool) -> Result<(), Error> {
    let failed = |cause: &std::io::Error| Error::io(folder, "read the output folder", cause);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(failed(&cause)),
    };
    for entry in entries {
        let entry = entry.map_err(|cause| failed(&cause))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !known(&name) {
            let problem = format!(
                "exists already and holds `{name}`, which is not part of an earlier release"
            );
            return Err(Error::new(Location::file(folder), problem)
                .help("choose another folder with `--out`, or move it away"));
        }
    }
    Ok(())
}

/// Puts all files of a folder on the disk, and their names.
fn sync_files(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        sync(&entry?.path())?;
    }
    sync(folder)
}

/// Waits until a file or folder would survive a power cut.
pub(crate) fn sync(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    fs::File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// The owner's folder is nobody else's to read.
pub(crate) fn keep_private(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
