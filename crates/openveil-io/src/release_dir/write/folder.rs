//! Two folders that appear complete or not at all.

use super::Written;
use crate::{Error, Location};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A hidden folder beside the place where the release will be. Whatever happens
/// before [`Staging::commit`], the folder goes and nothing else has changed.
#[derive(Debug)]
pub struct Staging {
    out: PathBuf,
    folder: TempDir,
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
        fs::create_dir_all(out).map_err(|cause| failed(&cause))?;
        check_folder(out)?;
        let folder = tempfile::Builder::new()
            .prefix(".openveil-")
            .tempdir_in(out)
            .map_err(|cause| failed(&cause))?;
        let staging = Self {
            out: out.to_owned(),
            folder,
        };
        for part in [staging.release(), staging.owner()] {
            fs::create_dir(&part).map_err(|cause| failed(&cause))?;
        }
        keep_private(&staging.owner()).map_err(|cause| failed(&cause))?;
        Ok(staging)
    }

    /// The hidden folder itself, for whoever has to clean up after an interrupt.
    pub fn path(&self) -> &Path {
        self.folder.path()
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
    /// there is a release, its owner's part is there too.
    ///
    /// # Errors
    /// If a folder cannot be renamed; an earlier release is then put back.
    pub fn commit(self) -> Result<Written, Error> {
        let written = Written {
            release: self.out.join("release"),
            owner: self.out.join("owner"),
            replaced: self.out.join("release").exists(),
        };
        let parts = [
            ("owner", self.owner(), &written.owner),
            ("release", self.release(), &written.release),
        ];
        let mut undo: Vec<(PathBuf, PathBuf)> = Vec::new();
        for (name, from, to) in parts {
            let old = self.path().join(format!("old-{name}"));
            let mut moves = vec![(from, to.clone())];
            if to.exists() {
                moves.insert(0, (to.clone(), old));
            }
            for (from, to) in moves {
                if let Err(cause) = fs::rename(&from, &to) {
                    // Best effort: what cannot be moved back stays hidden.
                    undo.iter()
                        .rev()
                        .for_each(|(from, to)| drop(fs::rename(to, from)));
                    return Err(Error::io(&to, "put the release in place", &cause));
                }
                undo.push((from, to));
            }
        }
        Ok(written)
    }
}

/// Checks that a release may be put into `out`.
///
/// # Errors
/// If its `release` or `owner` holds files that are not an earlier release's.
pub fn check_folder(out: &Path) -> Result<(), Error> {
    check_replaceable(&out.join("release"), is_release_file)?;
    check_replaceable(&out.join("owner"), is_owner_file)
}

fn is_release_file(name: &str) -> bool {
    let table = ["release.", "release-values.", "table-"];
    name == "manifest.json" || table.iter().any(|start| name.starts_with(start))
}

fn is_owner_file(name: &str) -> bool {
    name == "owner.json" || name == super::CERTIFICATE_FILE
}

/// A folder may be replaced if it is not there or holds nothing but an earlier
/// release of ours.
fn check_replaceable(folder: &Path, known: fn(&str) -> bool) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(Error::io(folder, "read the output folder", &cause)),
    };
    let names = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name());
    match names
        .map(|name| name.to_string_lossy().into_owned())
        .find(|name| !known(name))
    {
        None => Ok(()),
        Some(stranger) => Err(Error::new(
            Location::file(folder),
            format!(
                "exists already and holds `{stranger}`, which is not part of an earlier release"
            ),
        )
        .help("choose another folder with `--out`, or move it away")),
    }
}

/// The owner's folder is nobody else's to read.
fn keep_private(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
