//! Puts the two folders of a release in place, complete or not at all.

use super::disk::{
    date_files, exchange, is_at, keep_files_private, keep_private, lock, make_folder, sync,
    sync_files,
};
use super::{WrittenRelease, leftover};
use crate::release_dir::{
    MANIFEST, METADATA_FILES, RECORD_FILES, REPORT_FILE, UNFINISHED, is_table_file,
};
use crate::{Error, Location};
use openveil_text::text;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Name of the owner's file.
pub const OWNER_FILE: &str = "owner.json";

/// A hidden folder beside the place of the release. If anything fails before both folders are put
/// in place, it is removed, and nothing else has changed.
#[derive(Debug)]
pub struct Staging {
    out: PathBuf,
    folder: TempDir,
    /// Declared last, so that it is dropped after the folder inside.
    held: Held,
}

/// An output folder that is locked against other runs as long as this lives.
#[derive(Debug)]
pub struct Held {
    _made: Option<NewFolder>,
    /// `None` on a file system that has no locks.
    lock: Option<fs::File>,
}

impl Held {
    /// Makes a folder if it does not exist, and locks it. Undoes the leftovers of a killed run:
    /// until then, the records of the owner's folder may lie in a hidden folder.
    ///
    /// # Errors
    /// If it cannot be made or written to, or another run holds it.
    pub fn new(out: &Path) -> Result<Self, Error> {
        let (made, lock) = take(out)?;
        if lock.is_some() {
            leftover::undo(out).map_err(|cause| unwritable(out, &cause))?;
        }
        Ok(Self { _made: made, lock })
    }
}

/// A folder that this run made, and that is removed again if it stays empty.
#[derive(Debug)]
struct NewFolder(PathBuf);

impl Drop for NewFolder {
    fn drop(&mut self) {
        // A folder with files is not removed.
        let _ = fs::remove_dir(&self.0);
    }
}

impl Staging {
    /// Prepares a release in `out`, which is made if it does not exist. Undoes the leftovers of a
    /// killed run.
    ///
    /// # Errors
    /// If `out` cannot be written to, if another run writes to it, or if its `release` or `owner` holds files
    /// that are not an earlier release's.
    pub fn new(out: &Path) -> Result<Self, Error> {
        let failed = |cause: &std::io::Error| unwritable(out, cause);
        if out.is_file() {
            let problem = "is a file, not a folder for a release";
            return Err(Error::new(Location::file(out), problem)
                .help(text!("choose another folder with `--out`")));
        }
        // This check comes before anything is made there.
        refuse_part(out)?;
        let held = Held::new(out)?;
        check_folder(out)?;
        let folder = tempfile::Builder::new()
            .prefix(leftover::PREFIX)
            .tempdir_in(out)
            .map_err(|cause| failed(&cause))?;
        keep_private(folder.path()).map_err(|cause| failed(&cause))?;
        let staging = Self { out: out.to_owned(), folder, held };
        for part in [staging.release(), staging.owner()] {
            fs::create_dir(&part).map_err(|cause| failed(&cause))?;
        }
        keep_private(&staging.owner()).map_err(|cause| failed(&cause))?;
        staging.carry_over().map_err(|cause| failed(&cause))?;
        Ok(staging)
    }

    /// Copies the records that the owner has to keep, whatever is published.
    fn carry_over(&self) -> std::io::Result<()> {
        for name in RECORD_FILES {
            let record = self.out.join("owner").join(name);
            match fs::copy(record, self.owner().join(name)) {
                Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(cause),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the hidden folder, to be removed after an interrupt.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder in which both parts will be placed.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Returns the folder for files that may be published.
    pub fn release(&self) -> PathBuf {
        self.path().join("release")
    }

    /// Returns the folder for files that may not be published.
    pub fn owner(&self) -> PathBuf {
        self.path().join("owner")
    }

    /// Sets equal times on the published files, and writes everything to the disk: from now on, all
    /// of it survives a power cut, in whichever folder it is.
    ///
    /// # Errors
    /// A disk that is full.
    pub fn seal(&self) -> Result<(), Error> {
        keep_files_private(&self.owner())
            .and_then(|()| date_files(&self.release()))
            .and_then(|()| sync_files(&self.owner()))
            .and_then(|()| sync_files(&self.release()))
            .and_then(|()| sync(self.path()))
            .and_then(|()| sync(&self.out))
            .map_err(|cause| Error::io(&self.out, "write the files", &cause))
    }

    /// Puts both folders in place, in one rename each. The owner's folder is first, so that a
    /// release is never without its owner's part. Both were [sealed](Self::seal) before.
    ///
    /// # Errors
    /// If a folder cannot be renamed; an earlier release is then put back.
    pub fn commit(mut self) -> Result<WrittenRelease, Error> {
        let written = WrittenRelease {
            release: self.out.join("release"),
            owner: self.out.join("owner"),
            replaced: self.out.join("release").exists(),
        };
        let mut done: Vec<Move> = Vec::new();
        let placed = self
            .place("owner", &written.owner, &mut done)
            .and_then(|()| self.place("release", &written.release, &mut done));
        if let Err(error) = placed {
            let undone: Vec<_> = done.iter().rev().map(Move::undo).collect();
            if undone.iter().all(Result::is_ok) {
                return Err(error);
            }
            // The hidden folder may hold the earlier release now.
            self.folder.disable_cleanup(true);
            let help = text!(
                "the files that were moved are in {}: the next run puts them back",
                self.path().display()
            );
            return Err(error.help(help));
        }
        if self.held.lock.is_some() {
            leftover::clear(&self.out);
        }
        Ok(written)
    }

    /// Moves a part to its place, and moves the existing one out of the way, in one step if the
    /// system has one. A power cut after this leaves the part in its place.
    fn place(&self, name: &str, to: &Path, done: &mut Vec<Move>) -> Result<(), Error> {
        let failed = |cause| Error::io(to, "put the release in place", &cause);
        let (from, to) = (self.path().join(name), to.to_owned());
        if to.exists() {
            match exchange(&from, &to) {
                Ok(()) => {
                    done.push(Move::Exchange(from, to));
                    return sync(&self.out).map_err(failed);
                }
                // If the exchange fails for any reason, two renames may work.
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

fn unwritable(out: &Path, cause: &std::io::Error) -> Error {
    Error::io(out, "write to the output folder", cause)
        .help(text!("choose another folder with `--out`"))
}

/// Makes a folder if it does not exist, and locks it. Only the run that holds the lock may remove
/// it again. If two runs make it at once, the refused run leaves it to the other.
fn take(out: &Path) -> Result<(Option<NewFolder>, Option<fs::File>), Error> {
    if out.as_os_str().is_empty() {
        // The empty path is created without effect and never exists, so the loop would not end.
        let problem = "the output folder has no name";
        return Err(Error::new(Location::default(), problem)
            .help("name one; `.` is the folder that the program runs in"));
    }
    loop {
        let is_new = !out.exists();
        make_folder(out).map_err(|cause| unwritable(out, &cause))?;
        let lock = hold(out)?;
        // A failed run may have removed the folder in the meantime; then this lock is on nothing.
        if out.exists() && lock.as_ref().is_none_or(|held| is_at(held, out)) {
            return Ok((is_new.then(|| NewFolder(out.to_owned())), lock));
        }
    }
}

/// Locks a folder for one run, if the file system has locks.
fn hold(out: &Path) -> Result<Option<fs::File>, Error> {
    let held = fs::File::open(out).and_then(|folder| Ok(lock(&folder)?.then_some(folder)));
    match held {
        Ok(None) => Err(Error::new(Location::file(out), "is in use by another run").help(text!(
            "wait until the other run has ended, or choose another folder with `--out`"
        ))),
        Ok(held) => Ok(held),
        Err(_) => Ok(None),
    }
}

/// Checks that a release may be put into `out`.
///
/// # Errors
/// If its `release` or `owner` holds files that are not an earlier release's.
pub fn check_folder(out: &Path) -> Result<(), Error> {
    refuse_part(out)?;
    let release = out.join("release");
    let listed = listed(&release);
    check_replaceable(&release, |name| {
        [MANIFEST, REPORT_FILE].contains(&name)
            || METADATA_FILES.contains(&name)
            || is_table_file(name) && listed.iter().any(|file| file == name)
            || name.starts_with(UNFINISHED)
    })?;
    check_replaceable(&out.join("owner"), |name| {
        [OWNER_FILE, REPORT_FILE, super::CERTIFICATE_FILE].contains(&name)
            || RECORD_FILES.contains(&name)
            || name.starts_with(UNFINISHED)
    })
}

/// Refuses to put a release into a part of an earlier one.
pub fn refuse_part(out: &Path) -> Result<(), Error> {
    let is_part = [MANIFEST, OWNER_FILE].iter().any(|own| out.join(own).exists());
    if is_part || part_around(out).is_some() {
        // The owner's folder would be among published files, or published files in the owner's
        // folder.
        let problem = "is part of an earlier release, so no release can be put there";
        return Err(Error::new(Location::file(out), problem)
            .help("name the folder that contains the earlier release, or another folder"));
    }
    Ok(())
}

/// Checks that a file that a command writes beside a release lies neither among the published files
/// nor in the owner's folder, which the next run replaces.
///
/// # Errors
/// A path in a part of a release.
pub fn check_beside(path: &Path) -> Result<(), Error> {
    part_around(path).map_or(Ok(()), |part| Err(lies_in(path, &part)))
}

/// Checks that a path does not lie where a release in `out` will be.
///
/// # Errors
/// A path in a future part of a release.
pub fn check_apart(path: &Path, out: &Path) -> Result<(), Error> {
    let place = real_place(path);
    let parts = ["release", "owner"].map(|part| out.join(part));
    let part = parts.iter().find(|part| {
        let part = real_place(part);
        place.as_ref().zip(part).is_some_and(|(place, part)| place.starts_with(part))
    });
    part.map_or(Ok(()), |part| Err(lies_in(path, part)))
}

fn lies_in(path: &Path, part: &Path) -> Error {
    let problem = text!("lies in {}, a part of a release", part.display());
    Error::new(Location::file(path), problem).help("choose another place")
}

/// Returns the part of a release that a path is or lies in, whether or not the path exists.
fn part_around(path: &Path) -> Option<PathBuf> {
    real_place(path)?
        .ancestors()
        .find(|folder| {
            let is_owners = folder.ends_with("owner") && folder.join(OWNER_FILE).is_file();
            is_owners || !listed(folder).is_empty()
        })
        .map(Path::to_owned)
}

/// Returns where a path leads, with links resolved as far as the path exists. None without a
/// working folder.
pub fn real_place(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    path.ancestors()
        .find_map(|own| Some(own.canonicalize().ok()?.join(path.strip_prefix(own).ok()?)))
}

/// Returns the files that the manifest of an earlier release names; none without a manifest.
fn listed(release: &Path) -> Vec<String> {
    #[derive(Default, serde::Deserialize)]
    struct Listed {
        files: Vec<String>,
    }
    // A pipe or a device never ends.
    let text = Some(release.join(MANIFEST))
        .filter(|path| path.is_file())
        .and_then(|path| fs::read(path).ok())
        .unwrap_or_default();
    let listed: Listed = serde_json::from_slice(&text).unwrap_or_default();
    listed.files
}

/// Refuses a link as a part of an output folder. Replacing it would leave its target as it is;
/// otherwise the target would be written to.
pub fn refuse_link(folder: &Path) -> Result<(), Error> {
    if folder.is_symlink() {
        Err(Error::new(Location::file(folder), "is a symbolic link")
            .help("remove the link, or choose another folder"))
    } else {
        Ok(())
    }
}

/// Checks that a folder may be replaced: it does not exist, or holds nothing but an earlier release
/// of ours.
fn check_replaceable(folder: &Path, known: impl Fn(&str) -> bool) -> Result<(), Error> {
    let failed = |cause: &std::io::Error| Error::io(folder, "read the output folder", cause);
    refuse_link(folder)?;
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
            let problem =
                text!("exists already and holds `{name}`, which is not part of an earlier release");
            return Err(Error::new(Location::file(folder), problem)
                .help(text!("choose another folder with `--out`, or move it away")));
        }
    }
    Ok(())
}
