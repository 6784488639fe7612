//! Reads a folder of files as one table.

use super::{ARROW_ENDINGS, Format, excel};
use crate::{Error, Location};
use openveil_text::{Text, text};
use std::path::{Path, PathBuf};

/// Returns the files of a folder in order of name: the files of one format, which the policy may
/// name. Skips hidden files and files that programs leave beside their own (`_SUCCESS`).
pub(super) fn files(folder: &Path, format: Option<Format>) -> Result<Vec<PathBuf>, Error> {
    let failed = |cause: std::io::Error| Error::io(folder, "read the folder", &cause);
    let mut found: Vec<(PathBuf, Format)> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let own = Format::of_file(&path).filter(|own| format.is_none_or(|wanted| wanted == *own));
        found.extend(own.map(|own| (path, own)));
    }
    found.sort();
    let refused = |problem: &'static str, help: Text| {
        Err(Error::new(Location::file(folder), problem).help(help))
    };
    match &found[..] {
        [] => refused(
            "is a folder without tables",
            text!("name a file, or a folder with .csv, .parquet, .arrow or .xlsx files"),
        ),
        [(_, first), others @ ..] if others.iter().any(|(_, own)| own != first) => refused(
            "is a folder with files of several formats",
            text!("choose one with `format` under [input], or name a pattern such as `part-*.csv`"),
        ),
        _ => Ok(found.into_iter().map(|(path, _)| path).collect()),
    }
}

impl Format {
    /// Returns the format of a file by its name, if it is a table; does not open the file. Hidden
    /// files and files that programs leave beside their own are no tables.
    pub fn of_file(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        if name.starts_with(['.', '_']) || !path.is_file() {
            return None;
        }
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        let ending = name.rsplit_once('.')?.1;
        let is_table = ["csv", "tsv", "txt", "parquet"].contains(&ending)
            || ARROW_ENDINGS.contains(&ending)
            || excel::ENDINGS.contains(&ending);
        is_table.then(|| Self::of_ending(ending))
    }
}
