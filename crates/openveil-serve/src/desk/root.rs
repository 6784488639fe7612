//! Files of the machine that may be chosen by their path.

use openveil_io::source::Format;
use openveil_io::{Error, Location};
use openveil_text::text;
use std::path::{Path, PathBuf};

/// The most files that are offered.
pub(crate) const MOST_FILES: usize = 200;

/// The depth of the search for them.
const DEEPEST: usize = 3;

/// A folder below which tables may be chosen.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    folder: PathBuf,
}

impl Root {
    /// # Errors
    /// A path that is not a folder.
    pub(crate) fn new(folder: &Path) -> Result<Self, Error> {
        let real = folder.canonicalize().map_err(|cause| Error::io(folder, "open", &cause))?;
        if !real.is_dir() {
            let problem = "is not a folder";
            return Err(Error::new(Location::file(folder), problem)
                .help(text!("`--root` names the folder whose tables may be chosen")));
        }
        Ok(Self { folder: real })
    }

    /// Returns a file below the folder, after following links.
    ///
    /// # Errors
    /// A file that does not exist, or is not below the folder.
    pub(crate) fn file(&self, path: &str) -> Result<PathBuf, Error> {
        let asked = self.folder.join(path);
        let real =
            asked.canonicalize().map_err(|cause| Error::io(Path::new(path), "open", &cause))?;
        if real.starts_with(&self.folder) && real.is_file() {
            Ok(real)
        } else {
            let problem = text!("is no file below the folder that `--root` names");
            Err(Error::new(Location::file(Path::new(path)), problem)
                .help("choose one of the files that are listed, or drop the file on the page"))
        }
    }

    /// Returns the tables below the folder by their relative paths, ascending.
    pub(crate) fn tables(&self) -> Vec<String> {
        let mut found = Vec::new();
        look(&self.folder, DEEPEST, &mut found);
        let mut names: Vec<String> = found
            .iter()
            .filter_map(|path| path.strip_prefix(&self.folder).ok())
            .map(|path| path.display().to_string())
            .collect();
        names.sort_unstable();
        names
    }
}

/// Skips hidden files and links.
fn look(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if is_hidden || found.len() >= MOST_FILES {
            continue;
        }
        let path = entry.path();
        if kind.is_dir() && depth > 1 {
            look(&path, depth - 1, found);
        } else if kind.is_file() && Format::of_file(&path).is_some() {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn nothing_outside_of_the_root_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join("a.csv"), "x\n1\n").unwrap();
        fs::write(folder.path().join("secret.csv"), "x\n1\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret.csv", inside.join("link.csv")).unwrap();
        let root = Root::new(&inside).unwrap();
        assert_eq!(root.tables(), ["a.csv"]);
        assert!(root.file("a.csv").is_ok());
        let absolute = folder.path().join("secret.csv").display().to_string();
        for outside in ["../secret.csv", "link.csv", ".", "nowhere.csv", &absolute] {
            assert!(root.file(outside).is_err(), "{outside}");
        }
        assert!(Root::new(&inside.join("a.csv")).is_err());
    }
}
